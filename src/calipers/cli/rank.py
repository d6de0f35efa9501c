"""`calipers rank`: many results, and which of them is really better."""

from __future__ import annotations

from typing import Any

import click

from calipers.cli.options import NoRepeatedOptions, output_flag, settings
from calipers.cli.streams import for_terminal, write_result
from calipers.core.errors import ConfigError, require
from calipers.results.rank import Ranking, rank_candidates
from calipers.results.rank_inputs import read_candidates
from calipers.results.saved_files import write_files
from calipers.show.text import printable

PRINTED = ("json", "csv", "markdown", "latex")


@click.command("rank", cls=NoRepeatedOptions)
@click.argument("results", nargs=-1, required=True, metavar="[NAME=]RESULT...")
@click.option("--figure", multiple=True, metavar="NAME", help="rank by this one; several times  [default: headline]")
@click.option("--baseline", metavar="NAME", help="also the differences to this result")
@click.option("--order", metavar="given|name", help="a history in this order, and the first change that is sure")
@output_flag("PATH", "FILE.json, .csv, .md, .tex or .html receives the ranking; a folder all of them")
@click.option("--csv", "csv", is_flag=True, default=None, help="print CSV instead of the table")
@click.option("--markdown", is_flag=True, default=None, help="print Markdown instead of the table")
@click.option("--latex", is_flag=True, default=None, help="print LaTeX instead of the table")
@click.option("--json", "json", is_flag=True, default=None, help="print JSON instead of the table")
@click.option("--config", metavar="FILE", help="options file  [default: calipers.toml, if there]")
def command(results: tuple[str, ...], config: str | None, **flags: Any) -> None:
    """Put 2 to 100 results over the same records in order, and say which of them the data can tell apart.

    A RESULT is an artifact (result.json), a folder that a suite wrote (-o DIR), or a folder of these. Methods of one
    result are ranked as well.
    """
    options = {name: value or None for name, value in flags.items()}  # a flag that may come several times is never None
    run_rank(results, settings("rank", (), options, config))


def run_rank(results: tuple[str, ...], options: dict[str, Any]) -> Ranking:
    """Rank, write what was asked for, and print."""
    output = options.pop("output", None)
    require(output is None or (isinstance(output, str) and bool(output)), "output", output, "a path")
    kind = _printed({name: options.pop(name, False) for name in PRINTED})
    _check_texts(options)
    candidates = read_candidates(results)
    ranking = rank_candidates(candidates, **options)
    if output:
        write_files(ranking.files_at(output), candidates.files)
    write_result(_content(ranking, kind, output))
    return ranking


def _printed(flags: dict[str, Any]) -> str:
    """The format to print, by the one flag that is set; "" for the table of the console."""
    for name, value in flags.items():
        require(isinstance(value, bool), name, value, "true or false")
    asked = [name for name, value in flags.items() if value]
    if len(asked) > 1:
        raise ConfigError(f"{' and '.join(asked)}: were asked for together, expected one of them")
    return asked[0] if asked else ""


def _check_texts(options: dict[str, Any]) -> None:
    """Check that options are texts: those of a TOML file may have any type."""
    figure = options.get("figure", ())
    names = [figure] if isinstance(figure, str) else figure
    are_texts = isinstance(names, (list, tuple)) and all(isinstance(name, str) for name in names)
    require(are_texts, "figure", figure, "a name, or a list of names")
    baseline = options.get("baseline")
    require(baseline is None or isinstance(baseline, str), "baseline", baseline, "the name of a result")


def _content(ranking: Ranking, kind: str, output: str | None) -> str | bytes:
    if kind == "json":
        return ranking.to_json()
    if kind:
        texts = {"csv": ranking.to_csv, "markdown": ranking.to_markdown, "latex": ranking.to_latex}
        return for_terminal(texts[kind]().encode())
    if output:
        return f"{ranking}\n written              {printable(output)}"
    return f"{ranking}\n next                 -o page.html for the page · --baseline NAME for differences"
