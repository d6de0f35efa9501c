"""Standard output and standard error: the result on the one, everything else on the other.

Characters that a terminal's encoding lacks are written as escapes. Messages never fail: with standard error closed they
are gone. A result that cannot be written is an error, unless its reader has simply had enough. Options that texts name
as keywords are shown as flags; bytes, such as those of an artifact, are written as they are. A bar on standard error
shows the progress of work that lasts more than a second, on a terminal only.
"""

from __future__ import annotations

import os
import re
import sys
import time

from calipers.core.errors import OPTIONS, OutputError
from calipers.core.stopping import check_stop

WIDTH = 30  # of the bar of progress
SOON = 0.3  # seconds after which what was done tells how long the rest takes


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
    """A table as bytes; for a terminal without control characters, which it would act on."""
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


def with_flags(message: str) -> str:
    """A message as the command line shows it: options that `keyword` wrote become flags.

    >>> with_flags('(`max_bad_records=N` rejects them; `frame="pixel"`, `rect=True`, `fps=…`; not `frame`)')
    '(--max-bad-records N rejects them; --frame pixel, --rect, --fps; not `frame`)'
    """
    if "`" not in message:
        return message
    return re.sub(r'`([a-z_]+)=(?:…|True|([A-Z]+)|"([^"\n]*)")`', _flag, message)


def _flag(match: re.Match[str]) -> str:
    name, placeholder, value = match.groups()
    if name not in OPTIONS:
        return str(match[0])
    words = [f"--{name.replace('_', '-')}", *(word for word in (placeholder, value) if word is not None)]
    return " ".join(words)


def shows_progress() -> bool:
    """Whether somebody would see a bar of progress."""
    return sys.stderr is not None and sys.stderr.isatty()


class Progress:
    """A bar of progress: call it with how much is done and of how much, and `clear` it at the end."""

    def __init__(self, unit: str = "MB", size: float = 1e6) -> None:
        self._unit, self._size = unit, size
        self._begun, self._shown = time.monotonic(), False
        self._wanted = shows_progress()

    def __call__(self, done: int, total: int) -> None:
        """Draw the bar."""
        if not self._wanted or not self._will_last(done, total):
            return
        filled = min(WIDTH, WIDTH * done // total) if total else 0
        bar = "█" * filled + "░" * (WIDTH - filled)
        of_total = f" of {total / self._size:,.0f}" if total else ""
        amount = f"{done / self._size:,.0f}{of_total} {self._unit}"
        sys.stderr.write(f"\r{bar} {amount}")
        sys.stderr.flush()
        self._shown = True

    def _will_last(self, done: int, total: int) -> bool:
        """Estimate whether the work lasts more than a second."""
        taken = time.monotonic() - self._begun
        return taken >= 1 or (taken >= SOON and taken * total > done)

    def clear(self) -> None:
        """Erase the bar."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
