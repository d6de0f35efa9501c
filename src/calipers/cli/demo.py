"""`calipers demo`: bundled sample data through a suite, start to end."""

from __future__ import annotations

from importlib.resources import as_file, files

import click

from calipers.cli.main import SUITES
from calipers.cli.streams import say


@click.command("demo")
@click.argument("suite", default="dense", type=click.Choice(SUITES), metavar="[SUITE]")
@click.option("-o", "--output", metavar="PATH", help="as in the suite's own command")
@click.option("--json", "json", is_flag=True, help="print the artifact instead of the summary")
def command(suite: str, output: str | None, json: bool) -> None:
    """Run SUITE on made-up sample data that comes with Calipers."""
    from calipers.cli.dense import run_dense

    with as_file(files("calipers") / "data" / f"{suite}.jsonl") as dump:
        say(f"$ calipers {suite} {dump}")
        run_dense([str(dump)], {"output": output, "json": json})
