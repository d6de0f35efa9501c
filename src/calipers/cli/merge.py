"""`calipers merge`: totals of several runs as one result."""

from __future__ import annotations

from typing import Any

import click

from calipers.cli.compare import Flags
from calipers.cli.options import RESULT_FLAG, Once, settings
from calipers.cli.streams import put, say
from calipers.core.errors import require
from calipers.files.places import expand
from calipers.results.merging import merge
from calipers.results.outcome import check_evaluated, doubts_of
from calipers.show.folder import check_output
from calipers.show.merged_folder import write_merged
from calipers.show.text import printable


@click.command("merge", cls=Once)
@click.argument("parts", nargs=-1, required=True, metavar="PART...")
@RESULT_FLAG
@click.option("--json", "json", is_flag=True, default=None, help="print the artifact instead of the summary")
@click.option("--config", metavar="FILE", help="options file  [default: calipers.toml, if there]")
def command(parts: tuple[str, ...], config: str | None, **flags: Any) -> None:
    """Add up PART..., each written by --tally of a run over a part of the data, in any order.

    The result is that of one run over all of the data. All parts have to be of one suite, one version and the same
    options.
    """
    run_merge(expand(parts), **settings("merge", Flags, flags, config))


def run_merge(paths: list[str], *, output: Any = None, json: Any = False) -> None:
    """Merge, write what was asked for, and print."""
    require(isinstance(json, bool), "json", json, "true or false")
    require(output is None or (isinstance(output, str) and bool(output)), "output", output, "a path")
    if output is not None:
        check_output(output, "csv", paths)
    report = merge(paths)
    for entry in report["rejected"]:
        place = ":".join(str(entry[name]) for name in ("path", "line", "video", "scene", "place") if entry.get(name))
        say(printable(f"rejected: {place}: {entry['problem']}"))
    missing = write_merged(output, report) if output is not None else []
    for warning in (*report.get("warnings", ()), *missing):
        say(printable(f"warning: {warning}"))
    for line in doubts_of(report):
        say(f"warning: {line}")
    put(report.to_json() if json else f"{report}\n{_next_step(output)}")
    check_evaluated(report)


def _next_step(output: str | None) -> str:
    if output is None:
        return " next                 -o result.json keeps it · calipers compare OLD NEW"
    return f" written              {printable(output)}"
