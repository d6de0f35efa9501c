"""`calipers schema`: the JSON Schema of the artifact of a suite."""

from __future__ import annotations

import click

from calipers.cli.streams import put
from calipers.schemas import schema_text
from calipers.suite import built_in


@click.command("schema")
@click.argument("suite", metavar="|".join(built_in()))
def command(suite: str) -> None:
    """Print the JSON Schema (draft 2020-12) that every result.json of a suite fits."""
    put(schema_text(suite))
