"""Standard output and standard error: the result on the one, everything else on the other.

Characters that a terminal's encoding lacks are written as escapes. Messages never fail: with standard error closed they
are gone. A result that cannot be written is an error, unless its reader has simply had enough. Options that texts name
as keywords are shown as flags; bytes, such as those of an artifact, are written as they are.
"""

from __future__ import annotations

import os
import sys

from calipers.core.errors import OutputError, with_flags
from calipers.core.stopping import check_stop


class ReaderGoneError(OutputError):
    """Nobody reads standard output any more."""

    exit_code = 0


def write_result(result: str | bytes) -> None:
    """Write a result to standard output; a text gets a line break."""
    check_stop()
    if sys.stdout is None:
        raise OutputError("standard output cannot be written: it is closed")
    if isinstance(result, str):
        result = with_flags(result + "\n").encode(sys.stdout.encoding or "utf-8", "backslashreplace")
    try:
        sys.stdout.buffer.write(result)
        sys.stdout.buffer.flush()
    except OSError as error:
        _silence()
        if isinstance(error, BrokenPipeError):
            raise ReaderGoneError("standard output was closed by its reader") from error
        raise OutputError(f"standard output cannot be written: {error.strerror or error}") from error


def _silence() -> None:
    """Discard the buffer of standard output, so that it does not fail again at the end of the program."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def for_terminal(table: bytes) -> bytes:
    """A table as the bytes of a file; a terminal gets none that it would act on."""
    from calipers.show.text import printable

    if sys.stdout is not None and sys.stdout.isatty():
        return "\n".join(map(printable, table.decode().split("\n"))).encode(sys.stdout.encoding, "backslashreplace")
    return table


def log(message: str) -> None:
    """Write a message to standard error."""
    if sys.stderr is None:
        return
    text = with_flags(message + "\n").encode(sys.stderr.encoding or "utf-8", "backslashreplace")
    try:
        sys.stderr.buffer.write(text)
        sys.stderr.buffer.flush()
    except OSError:  # nobody listens
        pass


def log_error(message: str) -> None:
    """Write an error message to standard error; further lines are indented."""
    from calipers.show.text import printable

    first, *rest = (printable(line) for line in message.split("\n"))
    coloured = sys.stderr is not None and sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    head = "\x1b[31m\x1b[1merror:\x1b[0m" if coloured else "error:"
    log("\n".join([f"{head} {first}", *(f"       {line}" for line in rest)]))
