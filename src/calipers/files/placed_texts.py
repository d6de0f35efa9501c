"""Texts that worker processes write straight into their places of common files, instead of sending them to the command.

In each file the texts of items stand in the order of the items. Where those of an item begin is known once all items
before it have said how long theirs are: ends are noted in memory that a process shares with its copies. A worker that
finds nothing noted yet waits a moment. If that does not help, or if it is no copy of the command, it sends its texts
along, and the command writes them.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from time import perf_counter, sleep
from typing import IO, Any, NamedTuple
from weakref import WeakValueDictionary

from calipers.kernels.scan.column import reserve_in_file

Pieces = Sequence[bytes | memoryview]  # of a text
STEP_BYTES = 1 << 18  # to write at a time: for many more, the system takes large pieces of memory that were long unused
ITEMS = 1 << 16  # whose ends there is room for; texts of later ones are sent along
BYTES_PER_END = 8
WAIT_SEC, POLL_SEC = 0.012, 0.0002  # for a place: about what it takes to send texts along that have none

_numbers = count()
_known: WeakValueDictionary[int, PlacedTexts] = WeakValueDictionary()  # by number; copied with the process


class StoredText(NamedTuple):
    """A text that stands in its file."""

    begin: int
    size: int


class StoredLines(NamedTuple):
    """Lines that stand in their file: where each ends, counted from the first, and the number it ends with."""

    begin: int
    size: int
    ends: Any
    numbers: Any


class PlacedTexts:
    """Files that are written in several places at once, from where each of them is now."""

    def __init__(self, files: Sequence[IO[bytes]]) -> None:
        self._paths, self._width = [os.path.abspath(file.name) for file in files], len(files)
        self._ends = memoryview(mmap.mmap(-1, BYTES_PER_END * self._width * (ITEMS + 1))).cast(
            "q"
        )  # one more than known
        self.number, self.owner = next(_numbers), os.getpid()
        self.note(0, [file.tell() for file in files])
        _known[self.number] = self

    def note(self, items: int, ends: Sequence[int]) -> None:
        """Let others know where the texts of the first items end."""
        if items <= ITEMS:
            for at, end in enumerate(ends, self._width * items):
                self._ends[at] = end + 1

    def _noted(self, items: int) -> list[int] | None:
        noted = self._ends[self._width * items : self._width * (items + 1)].tolist() if items <= ITEMS else [0]
        return [end - 1 for end in noted] if all(noted) else None

    def _awaited(self, item: int) -> list[int] | None:
        """Where the texts of an item begin; the item before it may be measured in a moment."""
        until = perf_counter() + WAIT_SEC
        while (begins := self._noted(item)) is None and perf_counter() < until:
            sleep(POLL_SEC)
        return begins

    def store(self, item: int, texts: Sequence[Pieces]) -> list[int] | None:
        """Write the texts of an item, one to each file, and return where they begin; None if that cannot be done now.

        Whoever is given the texts then writes them to the same places, and finds out what is wrong.
        """
        begins = self._awaited(item) if item < ITEMS else None
        if begins is None or self._noted(item + 1) is not None:
            return None
        self.note(item + 1, [begin + sum(map(len, text)) for begin, text in zip(begins, texts, strict=True)])
        with suppress(OSError):
            places = list(zip(self._paths, begins, texts, strict=True))
            for place in places if item % 2 else reversed(places):  # of two who write at once, one would wait in turns
                _write(*place)
            return begins
        return None


def _write(path: str, begin: int, text: Pieces) -> None:
    handle, at = os.open(path, os.O_WRONLY | os.O_CLOEXEC), begin
    try:
        reserve_in_file(handle, begin, sum(map(len, text)))
        for piece in text:
            rest = memoryview(piece)
            while rest:
                written = os.pwrite(handle, rest[:STEP_BYTES], at)
                rest, at = rest[written:], at + written
        start_storing(handle, begin)
    finally:
        os.close(handle)


def start_storing(handle: int, start: int) -> None:
    """Have the system begin to store what was written from a place on, without waiting for it."""
    if hasattr(os, "posix_fadvise"):
        with suppress(OSError):  # only a hint: whether all is stored is found out when that is waited for
            os.posix_fadvise(handle, start, 0, os.POSIX_FADV_DONTNEED)  # what is not stored stays in memory


def store_texts(places: int | None, item: int, texts: Sequence[Pieces]) -> list[int] | None:
    """In a worker: write the texts of an item into files that it knows by a number; None if it does not, or cannot.

    The command itself, which has them open, writes to them as it always does: it would lose its lock of a file if it
    opened that a second time.
    """
    known = None if places is None else _known.get(places)
    return None if known is None or known.owner == os.getpid() else known.store(item, texts)


@contextmanager
def reading_stored(file: IO[bytes]) -> Iterator[Callable[[StoredText], bytes]]:
    """Read texts that stand in a file which is open for writing."""
    file.flush()
    with open(file.name, "rb", buffering=0) as stored:
        yield lambda text: os.pread(stored.fileno(), text.size, text.begin)
