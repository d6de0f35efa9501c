"""`calipers timeline`: states along videos."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from calipers.cli.options import RESULT_FLAG, Once, config_flags, settings
from calipers.cli.progress import Progress
from calipers.cli.streams import put, say
from calipers.core.config import make_config
from calipers.core.errors import ConfigError, require
from calipers.core.option_values import whole
from calipers.evaluate import evaluate_timelines
from calipers.report import Report
from calipers.results.check import hint
from calipers.results.outcome import check_evaluated, doubts_of
from calipers.show.charts.sheet import drawing
from calipers.show.folder import check_output, is_artifact
from calipers.show.text import printable
from calipers.suites.timeline.config import Config
from calipers.suites.timeline.folder import write_timeline_folder


@click.command("timeline", cls=Once)
@click.option("--gt", metavar="GT.json", help="ground truth: {video: {state: [[first, last], …]}}")
@click.option("--pred", metavar="PRED", help="predictions JSON, a timeline CSV, or a folder of them")
@config_flags(Config)
@RESULT_FLAG
@click.option("--plot-videos", type=int, metavar="N", help="draw the N worst videos into the folder  [default: 0]")
@click.option("--json", "json", is_flag=True, default=None, help="print the artifact instead of the summary")
@click.option("--config", metavar="FILE", help="options file  [default: calipers.toml, if there]")
def command(config: str | None, **flags: Any) -> None:
    """Measure predicted states along videos against ground truth.

    Intervals are in whole frames, both ends included. --transition-tolerance-frames 0,5,15,30 makes a sweep in one go.
    """
    run_timeline(settings("timeline", Config, flags, config))


def run_timeline(options: dict[str, Any]) -> Report:
    """Evaluate, write what was asked for, and print."""
    gt, pred = (_path(name, options.pop(name, None)) for name in ("gt", "pred"))
    output, as_json = options.pop("output", None), options.pop("json", False)
    plots = whole("plot_videos", options.pop("plot_videos", 0), 0)
    require(output is None or (isinstance(output, str) and bool(output)), "output", output, "a path")
    require(isinstance(as_json, bool), "json", as_json, "true or false")
    require(not plots or (output and not is_artifact(output)), "plot_videos", plots, "a folder to draw into (-o)")
    config = make_config(Config, options)
    if plots:
        with drawing("png"):
            pass  # a missing library is found out now
    if output:
        check_output(output, "csv", [gt, pred])
    for name, path in (("output", output), ("tally", config.tally), ("resume", config.resume)):
        require(not path or not _is_inside(path, pred), name, path, "a place outside the folder of predictions")
    report = _evaluate(gt, pred, config)
    missing = [] if not output else _write(output, report, plots)
    for warning in (*report["warnings"], *missing):
        say(printable(f"warning: {warning}"))
    for entry in report["rejected"]:
        say(printable(f"rejected: {entry['path']}: {entry['video']}: {entry['problem']}"))
    for line in doubts_of(report):
        say(f"warning: {line}")
    for line in hint("timeline", report, gt, pred):
        say(line)
    for note in report.kept:
        say(printable(note))
    put(report.to_json() if as_json else f"{report}\n{_next_step(output)}")
    check_evaluated(report)
    return report


def _is_inside(output: str, folder: str) -> bool:
    """Whether tables written there would be read as predictions the next time."""
    return (
        Path(folder).is_dir()
        and not is_artifact(output)
        and Path(output).resolve().is_relative_to(Path(folder).resolve())
    )


def _path(name: str, value: Any) -> str:
    if value is None:
        raise ConfigError(f"--{name} is missing, expected a path (see calipers timeline --help)")
    require(isinstance(value, str) and bool(value), f"--{name}", value, "a path")
    return str(value)


def _evaluate(gt: str, pred: str, config: Config) -> Report:
    progress = Progress()
    try:
        return evaluate_timelines(gt, pred, config, progress=progress)
    finally:
        progress.clear()


def _write(output: str, report: Report, plots: int) -> list[str]:
    """The artifact, or a folder; returns what could not be drawn."""
    if is_artifact(output):
        report.save(output)
        return []
    return write_timeline_folder(output, report, plots)


def _next_step(output: str | None) -> str:
    if not output:
        return " next                 -o out/ for the page, tables, strips (--plot-videos 5) · calipers compare OLD NEW"
    return f" written              {printable(output)}"
