"""`calipers suspects`: places where the annotation is more likely wrong than the models."""

from __future__ import annotations

from typing import Any

import click

from calipers.cli.options import NoRepeatedOptions, output_flag, settings
from calipers.cli.streams import write_result
from calipers.core.errors import require
from calipers.results.saved_files import write_files
from calipers.results.suspect_inputs import read_inputs
from calipers.results.suspects import Suspects, search
from calipers.show.text import printable


@click.command("suspects", cls=NoRepeatedOptions)
@click.argument("results", nargs=-1, required=True, metavar="[NAME=]RESULT...")
@click.option("--top", type=int, metavar="N", help="list the N most likely places  [default: all]")
@output_flag("PATH", "FILE.csv, .jsonl or .html receives the list; a folder all of them, with the places drawn")
@click.option("--json", "json", is_flag=True, default=None, help="print JSON instead of the table")
@click.option("--config", metavar="FILE", help="options file  [default: calipers.toml, if there]")
def command(results: tuple[str, ...], config: str | None, **flags: Any) -> None:
    """List places where the annotation is more likely wrong than the models, most likely first.

    A RESULT is the folder of a run (calipers SUITE … -o DIR), or a folder of these; all are of one suite over the same
    records. Nothing is edited.
    """
    run_suspects(results, settings("suspects", (), flags, config))


def run_suspects(results: tuple[str, ...], options: dict[str, Any]) -> Suspects:
    """Search, write what was asked for, and print."""
    output, as_json = options.pop("output", None), options.pop("json", False)
    require(output is None or (isinstance(output, str) and bool(output)), "output", output, "a path")
    require(isinstance(as_json, bool), "json", as_json, "true or false")
    inputs = read_inputs(results)
    suspects = search(inputs, **options)
    if output:
        write_files(suspects.files_at(output), inputs.files)
    write_result(suspects.to_json() if as_json else _content(suspects, output))
    return suspects


def _content(suspects: Suspects, output: str | None) -> str:
    if output:
        return f"{suspects}\n written              {printable(output)}"
    return f"{suspects}\n next                 -o DIR for the whole list, and a page that draws the places"
