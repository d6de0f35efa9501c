"""`calipers`: the commands, and what they all share: errors, exit codes, streams.

Commands are loaded when they are called, so that `calipers --help` imports no numpy.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import click

from calipers import __version__
from calipers.errors import CalipersError, OutputError, RecordError

SUITES = ("dense",)
COMMANDS = {
    "dense": "Regions and lines in gt_vs_pred.jsonl.",
    "demo": "Bundled sample data through a suite, start to end.",
}


class Commands(click.Group):
    """Commands by name, each from its own module."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command, loaded now."""
        if name not in COMMANDS:
            return None
        module = __import__(f"calipers.cli.{name}", fromlist=["command"])
        command: click.Command = module.command
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """A misspelt name is an error that names the nearest."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            ctx.fail(f"No such command {args[0]!r}." + (f" Did you mean {near[0]!r}?" if near else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without loading any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="calipers")
def calipers() -> None:
    """Calipers measures predictions against ground truth.

    Exit codes: 0 done, 1 gate failed, 2 wrong usage or configuration (or the output cannot be written), 3 input
    cannot be read or is invalid, 4 gate undecided, 130 interrupted.
    """


def main() -> None:
    """Run a command; every way it can end has its exit code."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads would only wait beside our processes
    signal.signal(signal.SIGTERM, _terminate)
    try:
        code = calipers(standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort:
        code = _interrupted()
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except KeyboardInterrupt:
        code = _interrupted()
    except RecordError as error:
        _say_error(f"{error}\n(--max-bad-records N rejects such records and counts them)")
        code = error.exit_code
    except CalipersError as error:
        _say_error(str(error))
        code = error.exit_code
    except BrokenPipeError:  # the reader has gone: nobody to tell
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _say_error(f"standard output cannot be written: {error.strerror or error}")
        code = OutputError.exit_code
    sys.exit(code if isinstance(code, int) else 0)


def _terminate(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


def _interrupted() -> int:
    click.echo("interrupted; nothing was written", err=True)
    return 130


def _say_error(message: str) -> None:
    from calipers.views.text import printable

    first, *rest = (printable(line) for line in message.split("\n"))
    coloured = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    head = click.style("error:", fg="red", bold=True) if coloured else "error:"
    click.echo("\n".join([f"{head} {first}", *(f"       {line}" for line in rest)]), err=True)
