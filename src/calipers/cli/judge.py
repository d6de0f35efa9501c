"""`calipers judge`, where it is reached by way of the other commands; see `calipers.cli.start`."""

from __future__ import annotations

import click

from calipers.judge.command import run


@click.command(
    "judge",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> int:
    """One payload on standard input, one verdict on standard output."""
    return run(list(arguments))
