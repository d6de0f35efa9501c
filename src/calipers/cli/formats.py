"""`calipers formats`: what can be read and written, one line each."""

from __future__ import annotations

from typing import Any

import click

from calipers.cli.chosen_suites import chosen_suites
from calipers.cli.options import NoRepeatedOptions
from calipers.cli.streams import write_result
from calipers.show.text import printable
from calipers.suite import Suite, WrittenFormat

JUDGE = "judge: One payload, see calipers judge RULER --help."


@click.command("formats", cls=NoRepeatedOptions)
@click.argument("suite", default="", metavar="[SUITE]")
@click.option("--json", "json", is_flag=True, help="print JSON instead of the list")
def command(suite: str, json: bool) -> None:
    """List the formats that SUITE reads and writes, or those of all suites.

    Formats are told apart by their content. `calipers check FILE` says what a file was taken for.
    """
    suites = chosen_suites(suite)
    if json:
        from json import dumps

        write_result(dumps(_tree(suites), ensure_ascii=False, indent=2))
        return
    judge = [] if suite else [JUDGE]
    write_result("\n\n".join([*(_lines(own) for own in suites), *judge]))


def _tree(suites: list[Suite]) -> dict[str, list[dict[str, Any]]]:
    return {suite.name: [form._asdict() for form in suite.formats] for suite in suites}


def _lines(suite: Suite) -> str:
    rows = [
        (form.name, form.side, form.layout + (f"  ({form.option})" if form.option else "")) for form in suite.formats
    ]
    name_width, side_width = (max((len(row[at]) for row in rows), default=0) for at in (0, 1))
    lines = [f"  {name.ljust(name_width)}  {side.ljust(side_width)}  {layout}" for name, side, layout in rows]
    lines += [f"  writes {form.name}: {form.layout}  (calipers convert)" for form in _written(suite)]
    return "\n".join([f"{suite.name}: {suite.purpose}", *map(printable, lines or ["  (not listed)"])])


def _written(suite: Suite) -> tuple[WrittenFormat, ...]:
    return suite.converter.formats if suite.converter else ()
