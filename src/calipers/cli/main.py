"""`calipers`: the commands, and what they all share: errors, exit codes, streams.

Commands are loaded when they are called, so that `calipers --help` imports no numpy.
"""

from __future__ import annotations

import os
import re
from typing import Any

import click

from calipers import __version__
from calipers.cli.streams import ReaderGoneError, log, log_error
from calipers.core.errors import CalipersError
from calipers.show.text import printable
from calipers.suite import built_in, is_suite, suite_names, suite_of, unloadable_suites

LISTED = re.compile(r"\n\t")  # before each choice that click lists
MEASURE = "Measure"
PURPOSES = {  # commands by what they are for, in the order of the help; suites come first in the first group
    MEASURE: {
        "judge": "One payload on standard input, one verdict on standard output.",
    },
    "Decide": {
        "compare": "Paired differences of two artifacts, with intervals.",
        "rank": "Many results: which of them is really better.",
        "gate": "Exit 1 when worse than the rules allow.",
    },
    "Look": {
        "check": "Is this input what it claims to be? Why is the score zero?",
        "report": "One self-contained HTML page.",
        "suspects": "Ground truth to look at: where the annotation may be wrong.",
        "explain": "What a figure means: definition, direction, unit, where it is.",
        "formats": "What can be read, one line each.",
    },
    "Run": {
        "detect": "Run a detector over images, results in COCO form.",
        "merge": "Add up parts that runs wrote with --tally.",
        "convert": "Ground truth or predictions in another format: COCO, YOLO, plain.",
    },
    "Other": {
        "demo": "Bundled sample data through a suite, start to end.",
        "schema": "The JSON Schema of a suite's artifact, or of a ranking.",
        "completion": "Completion of commands and options for bash, zsh or fish.",
    },
}
BROKEN = "(cannot be loaded; run it to see why)"
COMMANDS = {name: line for commands in PURPOSES.values() for name, line in commands.items()}


def all_commands() -> dict[str, str]:
    """Every command with a line about it: the suites first, those of other packages among them."""
    return {**_suite_lines(), **COMMANDS}


def _suite_lines() -> dict[str, str]:
    others, broken = [name for name in suite_names() if name not in built_in()], unloadable_suites()
    return {**built_in(), **{name: BROKEN if name in broken else suite_of(name).purpose for name in others}}


class Commands(click.Group):
    """Commands by name, each from its own module."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the help."""
        return list(all_commands())

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command, loaded now."""
        if name in COMMANDS:
            command: click.Command = __import__(f"calipers.cli.{name}", fromlist=["command"]).command
            return command
        if not is_suite(name) or (ctx.resilient_parsing and name in unloadable_suites()):  # a shell that completes
            return None
        from calipers.cli.suite_command import make_command

        return make_command(suite_of(name))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """A misspelt name is an error that names the nearest."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS and not is_suite(args[0]):
            from difflib import get_close_matches

            near = get_close_matches(args[0], all_commands(), n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            if os.path.exists(args[0]):
                hint = f" Did you mean 'calipers {next(iter(built_in()))} {args[0]}'?"
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without loading any."""
        width = max(map(len, all_commands()))
        for purpose, commands in PURPOSES.items():
            lines = {**_suite_lines(), **commands} if purpose == MEASURE else commands
            with formatter.section(purpose):
                formatter.write_dl([(name.ljust(width), line) for name, line in lines.items()])


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="calipers")
def calipers() -> None:
    """Calipers measures predictions against ground truth.

    Exit codes: 0 done, 1 gate failed, 2 wrong usage or configuration (or the output cannot be written), 3 input
    cannot be read or is invalid, 4 gate undecided, 130 interrupted, 143 terminated.
    """


def run_command() -> int:
    """Run a command. Returns the exit code that its way of ending has."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads would only wait beside our processes
    try:
        code = calipers(standalone_mode=False, prog_name="calipers")
    except (click.exceptions.Abort, KeyboardInterrupt) as error:
        log(f"interrupted; {printable(str(error.__context__ or error)) or 'no result was written'}")
        code = 130
    except click.exceptions.NoArgsIsHelpError as error:
        log(error.format_message())
        code = error.exit_code
    except click.ClickException as error:
        log_error(_usage(error))
        code = error.exit_code
    except ReaderGoneError as error:
        code = error.exit_code
    except CalipersError as error:
        log_error("\n".join([str(error), *getattr(error, "__notes__", ())]))
        code = error.exit_code
    except OSError as error:  # of the help, which click prints
        log_error(f"standard output cannot be written: {error.strerror or error}")
        code = CalipersError.exit_code
    except MemoryError:
        log_error("out of memory; try fewer --jobs or smaller --chunk-bytes")
        code = CalipersError.exit_code
    return code if isinstance(code, int) else 0


def _usage(error: click.ClickException) -> str:
    """What was wrong with the command line, and where to look."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "calipers"
    message = LISTED.sub(" ", error.format_message())
    return f"{message}\n(see {path} --help)"
