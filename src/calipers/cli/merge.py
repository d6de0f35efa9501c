"""`calipers merge`: totals of several runs as one result."""

from __future__ import annotations

from typing import Any

import click

from calipers.cli.options import RESULT_FLAG, NoRepeatedOptions, settings
from calipers.cli.streams import log, write_result
from calipers.cli.suite_command import rejected_place
from calipers.core.errors import require
from calipers.files.places import expand
from calipers.report import Report
from calipers.results.merging import merge
from calipers.results.outcome import doubts_of
from calipers.show.folder import check_output, is_artifact, write_folder
from calipers.show.text import printable


@click.command("merge", cls=NoRepeatedOptions)
@click.argument("parts", nargs=-1, required=True, metavar="PART...")
@RESULT_FLAG
@click.option("--json", "json", is_flag=True, default=None, help="print the artifact instead of the summary")
@click.option("--config", metavar="FILE", help="options file  [default: calipers.toml, if there]")
def command(parts: tuple[str, ...], config: str | None, **flags: Any) -> None:
    """Add up PART..., each written by --tally of a run over a part of the data, in any order.

    The result is that of one run over all of the data. All parts have to be of one suite, one version and the same
    options.
    """
    run_merge(expand(parts), **settings("merge", (), flags, config))


def run_merge(paths: list[str], *, output: Any = None, json: Any = False) -> None:
    """Merge, write what was asked for, and print."""
    require(isinstance(json, bool), "json", json, "true or false")
    require(output is None or (isinstance(output, str) and bool(output)), "output", output, "a path")
    if output is not None:
        check_output(output, "csv", paths)
    report = merge(paths)
    for entry in report["rejected"]:
        log(printable(f"rejected: {rejected_place(entry)}: {entry['problem']}"))
    notes = _write(output, report) if output is not None else []
    for warning in (*report.get("warnings", ()), *notes):
        log(printable(f"warning: {warning}"))
    for line in doubts_of(report):
        log(f"warning: {line}")
    write_result(report.to_json() if json else f"{report}\n{_next_step(output)}")


def _write(output: str, report: Report) -> list[str]:
    """Write the artifact or a folder; returns notes about the folder."""
    if is_artifact(output):
        report.save(output)
        return []
    return write_folder(output, report)


def _next_step(output: str | None) -> str:
    if output is None:
        return " next                 -o result.json keeps it · calipers compare OLD NEW"
    return f" written              {printable(output)}"
