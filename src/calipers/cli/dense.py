"""`calipers dense`: regions and lines in gt_vs_pred.jsonl."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from calipers.cli.options import RESULT_FLAG, Once, config_flags, settings
from calipers.cli.progress import Progress
from calipers.cli.streams import put, say
from calipers.core.config import make_config
from calipers.core.errors import require
from calipers.evaluate import evaluate
from calipers.kernels.column import keep_memory
from calipers.report import Report
from calipers.results.check import hint
from calipers.results.outcome import check_evaluated, doubts_of
from calipers.show.folder import check_output, is_artifact, open_folder
from calipers.show.text import printable
from calipers.suites.dense.measure import Config
from calipers.suites.dense.rows import match_columns

TABLES = ("csv", "parquet")


@click.command("dense", cls=Once)
@click.argument("dumps", nargs=-1, required=True, metavar="DUMP...")
@config_flags(Config)
@RESULT_FLAG
@click.option("--tables", metavar="KIND", help="kind of tables in the folder: csv or parquet  [default: csv]")
@click.option("--json", "json", is_flag=True, default=None, help="print the artifact instead of the summary")
@click.option("--config", metavar="FILE", help="options file  [default: calipers.toml, if there]")
def command(dumps: tuple[str, ...], config: str | None, **flags: Any) -> None:
    """Measure the predicted objects of DUMP... against their ground truth.

    DUMP is JSON lines, one record a line, also .gz and .zst; - is standard input.
    """
    run_dense(list(dumps), settings("dense", Config, flags, config))


def run_dense(dumps: list[str], options: dict[str, Any]) -> Report:
    """Evaluate, write what was asked for, and print."""
    output, tables = options.pop("output", None), options.pop("tables", None)
    as_json = options.pop("json", False)
    require(tables is None or tables in TABLES, "tables", tables, " or ".join(TABLES))
    require(output is None or (isinstance(output, str) and bool(output)), "output", output, "a path")
    require(isinstance(as_json, bool), "json", as_json, "true or false")
    require(tables is None or (output and not is_artifact(output)), "tables", tables, "a folder to write it to (-o)")
    tables = tables or "csv"
    config = make_config(Config, options)
    keep_memory()
    if output:
        check_output(output, tables, dumps)
    report, notes = _evaluate(dumps, config, output, tables)
    for note in notes:
        say(printable(f"warning: {note}"))
    for entry in report["rejected"]:
        say(printable(f"rejected: {entry['path']}:{entry['line']}: {entry['problem']}"))
    for line in _warnings(report, dumps):
        say(line)
    for note in report.kept:
        say(printable(note))
    put(report.to_json() if as_json else f"{report}\n{_next_step(output)}")
    check_evaluated(report)
    return report


def _evaluate(dumps: list[str], config: Config, output: str | None, tables: str) -> tuple[Report, list[str]]:
    """The report, written where it was asked for, and what has to be said of the folder."""
    progress, notes = Progress(), list[str]()
    try:
        if not output or is_artifact(output):
            report = evaluate(dumps, config, progress=progress)
        else:
            with open_folder(output, match_columns(config), tables) as folder:
                report = evaluate(dumps, config, on_rows=folder.add_rows, progress=progress)
                notes = folder.finish(report)
    finally:
        progress.clear()
    if output and is_artifact(output):
        report.save(output)
    return report, notes


def _warnings(report: Report, dumps: list[str]) -> Iterator[str]:
    """What looks wrong; whether it is another reading is for the check to say, which tries them."""
    objects, found = report["objects"], hint("dense", report, dumps)
    if objects["clamped"] > max(4, objects["pred"] // 20):
        more = "" if found else " (calipers check tells what they may be)"
        yield f"warning: {objects['clamped']:,} predictions reach outside the frame, and are cut to it{more}"
    yield from (f"warning: {line}" for line in doubts_of(report))
    yield from found


def _next_step(output: str | None) -> str:
    if not output:
        return " next                 -o out/ for the page, cases and tables · calipers compare OLD NEW"
    return f" written              {printable(output)}"
