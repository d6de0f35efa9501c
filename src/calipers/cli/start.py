"""Where `calipers` begins: a judge must start in no time, so it gets by without what the other commands need."""

from __future__ import annotations

import sys


def main() -> None:
    """Run a command."""
    if sys.argv[1:2] == ["judge"]:
        from calipers.judge.command import run

        sys.exit(run(sys.argv[2:]))
    from calipers.cli.main import main as run_command

    run_command()
