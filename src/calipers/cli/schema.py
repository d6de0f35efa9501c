"""`calipers schema`: the JSON Schema of the artifact of a suite, or of what another command prints."""

from __future__ import annotations

import click

from calipers.cli.streams import write_result
from calipers.schemas import OTHERS, schema_text
from calipers.suite import built_in


@click.command("schema")
@click.argument("suite", metavar="|".join([*built_in(), *OTHERS]))
def command(suite: str) -> None:
    """Print the JSON Schema (draft 2020-12) that every result.json of a suite fits, or what
    rank --json and suspects --json print."""
    write_result(schema_text(suite))
