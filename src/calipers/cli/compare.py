"""`calipers compare`: paired differences of two artifacts, with intervals."""

from __future__ import annotations

from typing import Any

import click

from calipers.cli.options import NoRepeatedOptions, output_flag, settings
from calipers.cli.streams import write_result
from calipers.core.errors import ConfigError, require
from calipers.files.output import check_free, write_file
from calipers.results.artifacts import files_of, read_result
from calipers.results.compare import Comparison, compare_results, writer
from calipers.show.text import printable


@click.command("compare", cls=NoRepeatedOptions)
@click.argument("old")
@click.argument("new")
@click.option(
    "--force",
    is_flag=True,
    default=None,
    help="also over other records or with other options, then unpaired",
)
@output_flag("FILE", "FILE.json, FILE.md or FILE.html receives the comparison")
@click.option("--markdown", is_flag=True, default=None, help="print Markdown instead of the table")
@click.option("--json", "json", is_flag=True, default=None, help="print JSON instead of the table")
@click.option("--config", metavar="FILE", help="options file  [default: calipers.toml, if there]")
def command(old: str, new: str, config: str | None, **flags: Any) -> None:
    """What changed from OLD to NEW, and whether the data can tell.

    OLD and NEW are artifacts (result.json) or folders that a suite wrote (-o DIR). Of folders, objects that were fixed
    and broken are told as well.
    """
    run_compare(old, new, **settings("compare", (), flags, config))


def run_compare(
    old: str, new: str, *, force: Any = False, output: Any = None, markdown: Any = False, json: Any = False
) -> None:
    """Compare, write what was asked for, and print."""
    for name, value in {"force": force, "markdown": markdown, "json": json}.items():
        require(isinstance(value, bool), name, value, "true or false")
    require(output is None or (isinstance(output, str) and bool(output)), "output", output, "a path")
    if markdown and json:
        raise ConfigError("markdown and json: both were asked for, expected one of them")
    comparison = compare_results(read_result(old, "old"), read_result(new, "new"), force=force)
    if output:
        content = writer(comparison, output)
        check_free(output, files_of(old) + files_of(new))
        write_file(output, content())
    write_result(comparison.to_json() if json else _text(comparison, output, markdown=markdown))


def _text(comparison: Comparison, output: str | None, *, markdown: bool) -> str:
    if markdown:
        return comparison.to_markdown().rstrip("\n")
    if output:
        return f"{comparison}\n written              {printable(output)}"
    if comparison["objects"]:
        return f"{comparison}\n next                 -o page.html for the page · calipers gate NEW --baseline OLD"
    return f"{comparison}\n next                 of folders (-o DIR), also the objects that were fixed and broken"
