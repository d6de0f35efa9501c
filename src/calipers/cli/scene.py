"""`calipers scene`: boxes in rooms, one or several methods."""

from __future__ import annotations

import os
from typing import Any

import click

from calipers.cli.options import RESULT_FLAG, Once, config_flags, settings
from calipers.cli.progress import Progress
from calipers.cli.streams import put, say
from calipers.core.errors import ConfigError, require
from calipers.evaluate import evaluate_scenes
from calipers.files.output import check_free
from calipers.report import Report, SceneReport
from calipers.results.check import hint
from calipers.results.outcome import check_evaluated, doubts_of
from calipers.show.folder import check_output, is_artifact
from calipers.show.text import printable
from calipers.suites.scene.config import Config
from calipers.suites.scene.folder import write_scene_folder, written_files
from calipers.suites.scene.methods import methods_of
from calipers.suites.scene.options import scene_options


@click.command("scene", cls=Once)
@click.option("--gt", metavar="GT", help="ground truth: a scene (JSON or GraphML), or a folder of them")
@click.option("--pred", multiple=True, metavar="[NAME=]PRED", help="predictions of a method; give it again for others")
@config_flags(Config)
@RESULT_FLAG
@click.option("--json", "json", is_flag=True, default=None, help="print the artifact instead of the summary")
@click.option(
    "--config", metavar="FILE", help="an eval_config.json; or an options file .toml  [default: calipers.toml]"
)
def command(config: str | None, pred: tuple[str, ...], **flags: Any) -> None:
    """Measure predicted boxes in scenes against ground truth.

    Scenes of folders are joined by the stems of their files. A method without NAME= is called by its file's stem.
    """
    is_toml = config is not None and config.endswith(".toml")
    flags |= {"pred": list(pred) or None, "config": None if is_toml else config}
    run_scene(settings("scene", Config, flags, config if is_toml else None))


def run_scene(options: dict[str, Any]) -> Report:
    """Evaluate, write what was asked for, and print."""
    gt, pred = options.pop("gt", None), options.pop("pred", None)
    output, as_json = options.pop("output", None), options.pop("json", False)
    require(output is None or (isinstance(output, str) and bool(output)), "output", output, "a path")
    require(isinstance(as_json, bool), "json", as_json, "true or false")
    for name, value in (("gt", gt), ("pred", pred)):
        if not value:
            raise ConfigError(f"--{name} is missing, expected a path (see calipers scene --help)")
    require(isinstance(gt, str), "--gt", gt, "a path")
    methods = methods_of(pred)
    require(all(isinstance(path, str) for path in methods.values()), "--pred", pred, "paths")
    chosen = scene_options(options.pop("config", None), options)
    inputs = [gt, *methods.values(), *chosen.files]
    if output:
        check_output(output, "csv", inputs)
        for name in () if is_artifact(output) else written_files(list(methods)):
            check_free(os.path.join(output, name), inputs)
        target = os.path.dirname(os.path.abspath(output)) if is_artifact(output) else output
        _check_outside("output", output, target, inputs)
    for name in ("tally", "resume"):
        path = getattr(chosen.config, name)
        if path is not None:
            _check_outside(name, path, os.path.dirname(os.path.abspath(path)), inputs)
    report = _evaluate(gt, methods, *chosen)
    missing = [] if not output else _write(output, report)
    for warning in (*report["warnings"], *missing):
        say(printable(f"warning: {warning}"))
    for entry in report["rejected"]:
        say(printable(f"rejected: {entry['path']}: {entry['problem']}"))
    for line in doubts_of(report):
        say(f"warning: {line}")
    for line in hint("scene", report, gt, methods):
        say(line)
    for note in report.kept:
        say(printable(note))
    put(report.to_json() if as_json else f"{report}\n{_next_step(output)}")
    check_evaluated(report)
    return report


def _check_outside(name: str, path: str, target: str, inputs: list[str]) -> None:
    """What is written into a folder of scenes would be read as one of them the next time."""
    inside = [each for each in inputs if os.path.isdir(each) and os.path.realpath(target) == os.path.realpath(each)]
    require(not inside, name, path, "a place outside the folders of scenes")


def _evaluate(gt: str, methods: dict[str, Any], config: Config, warnings: list[str], files: list[str]) -> SceneReport:
    progress = Progress()
    try:
        return evaluate_scenes(gt, methods, config, warnings, files=files, progress=progress)
    finally:
        progress.clear()


def _write(output: str, report: SceneReport) -> list[str]:
    """The artifact, or a folder; returns what could not be drawn."""
    if is_artifact(output):
        report.save(output)
        return []
    return write_scene_folder(output, report)


def _next_step(output: str | None) -> str:
    if not output:
        return " next                 -o out/ for the page, tables, plots and footprints · calipers compare OLD NEW"
    return f" written              {printable(output)}"
