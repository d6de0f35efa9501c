"""`calipers coco`: detections on images."""

from __future__ import annotations

from typing import Any

import click

from calipers.cli.options import RESULT_FLAG, Once, config_flags, settings
from calipers.cli.progress import Progress
from calipers.cli.streams import put, say
from calipers.core.config import make_config
from calipers.core.errors import ConfigError, require
from calipers.evaluate import evaluate_detections
from calipers.files.output import check_free
from calipers.report import CocoReport
from calipers.results.check import hint
from calipers.results.outcome import check_evaluated, doubts_of
from calipers.show.folder import check_output, is_artifact
from calipers.show.text import printable
from calipers.suites.coco.config import Config
from calipers.suites.coco.folder import write_coco_folder


@click.command("coco", cls=Once)
@click.option("--gt", metavar="GT", help="ground truth: COCO JSON, or a folder of YOLO, VOC or LabelMe files")
@click.option("--pred", metavar="PRED", help="predictions: a COCO results JSON, or a folder as for --gt")
@config_flags(Config)
@RESULT_FLAG
@click.option("--json", "json", is_flag=True, default=None, help="print the artifact instead of the summary")
@click.option("--config", metavar="FILE", help="options file  [default: calipers.toml]")
def command(config: str | None, **flags: Any) -> None:
    """Measure detections on images against ground truth: the numbers of COCO, and what they hide."""
    run_coco(settings("coco", Config, flags, config))


def run_coco(options: dict[str, Any]) -> CocoReport:
    """Evaluate, write what was asked for, and print."""
    paths = {name: options.pop(name, None) for name in ("gt", "pred")}
    output, as_json = options.pop("output", None), options.pop("json", False)
    require(output is None or (isinstance(output, str) and bool(output)), "output", output, "a path")
    require(isinstance(as_json, bool), "json", as_json, "true or false")
    for name, value in paths.items():
        if not value:
            raise ConfigError(f"--{name} is missing, expected a path (see calipers coco --help)")
        require(isinstance(value, str), f"--{name}", value, "a path")
    config = make_config(Config, options)
    if output:
        check_output(output, "csv", list(paths.values()))
        check_free(output if is_artifact(output) else f"{output}/result.json", paths.values())
    report = _evaluate(paths["gt"], paths["pred"], config)
    missing = [] if not output else _write(output, report)
    for warning in (*report["warnings"], *missing):
        say(printable(f"warning: {warning}"))
    for entry in report["rejected"]:
        say(printable(f"rejected: {entry['path']}: {entry['place']}: {entry['problem']}"))
    for line in doubts_of(report):
        say(f"warning: {line}")
    for line in hint("coco", report, paths["gt"], paths["pred"]):
        say(line)
    for note in report.kept:
        say(printable(note))
    put(report.to_json() if as_json else f"{report}\n{_next_step(output)}")
    check_evaluated(report)
    return report


def _evaluate(gt: str, pred: str, config: Config) -> CocoReport:
    progress = Progress()
    try:
        return evaluate_detections(gt, pred, config, progress=progress)
    finally:
        progress.clear()


def _write(output: str, report: CocoReport) -> list[str]:
    """The artifact, or a folder; returns what could not be drawn."""
    if is_artifact(output):
        report.save(output)
        return []
    return write_coco_folder(output, report)


def _next_step(output: str | None) -> str:
    if not output:
        return " next                 -o out/ for the page, tables, plots and cases · calipers compare OLD NEW"
    return f" written              {printable(output)}"
