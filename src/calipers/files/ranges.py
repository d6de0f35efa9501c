"""Ranges of a file of lines that workers find out about themselves: how many lines there are, and where they begin.

A line belongs to the range it begins in. Counting line breaks is cheap and needs no order; once all ranges before one
are counted, its lines have numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from calipers.files.lines import BLOCK, Shard, reading
from calipers.files.places import open_place
from calipers.kernels.scan import count_breaks


class WholeFile(NamedTuple):
    """A file that one worker reads from its beginning to its end: for its digest, and to measure it if it must."""

    source: int
    path: str
    size: int
    chunk_bytes: int
    measured: bool

    @property
    def weight(self) -> int:
        """Bytes that were measured."""
        return self.size if self.measured else 0

    def __str__(self) -> str:
        return self.path


class Range(NamedTuple):
    """Some bytes of a file, cut anywhere."""

    source: int
    path: str
    start: int
    stop: int

    def __str__(self) -> str:
        return f"{self.path}: bytes {self.start} to {self.stop}"


class Lines(NamedTuple):
    """What a range holds: line breaks, and the place of the first line that begins in it, if one does."""

    breaks: int
    first: int | None


def ranges_of(source: int, path: str, size: int, chunk_bytes: int) -> list[Range]:
    """A file in ranges."""
    return [Range(source, path, start, min(start + chunk_bytes, size)) for start in range(0, size, chunk_bytes)]


def count_lines(span: Range) -> Lines:
    """The line breaks of a range, and where its first line begins."""
    block, breaks, first = bytearray(BLOCK), 0, 0 if span.start == 0 else None
    begin = max(span.start - 1, 0)  # a break just before the range makes a line begin with it
    with reading(span.path), open_place(span.path) as file:
        file.seek(begin)
        position = begin
        while position < span.stop:
            count = file.readinto(memoryview(block)[: min(BLOCK, span.stop - position)])  # type: ignore[attr-defined]
            if not count:
                break
            breaks += count_breaks(block, 0, count)
            if first is None and (found := block.find(b"\n", 0, count)) >= 0:
                first = position + found + 1
            position += count
        if span.start:
            file.seek(begin)
            breaks -= file.read(1) == b"\n"  # that one belongs to the range before
    return Lines(breaks, first if first is not None and first < span.stop else None)


def cut_ranges(counted: Iterable[tuple[Range, Lines]]) -> Iterator[Shard]:
    """Ranges of one file, in order, as shards of whole lines."""
    before, open_shard = 0, None
    end = 0
    for span, lines in counted:
        if lines.first is not None:
            if open_shard is not None:
                yield _shard(*open_shard, lines.first)
            number = before + 1 + (1 if lines.first > span.start else 0)
            open_shard = (span, number, lines.first)
        before += lines.breaks
        end = span.stop
    if open_shard is not None:
        yield _shard(*open_shard, end)


def _shard(span: Range, number: int, start: int, stop: int) -> Shard:
    return Shard(span.source, span.path, number, stop - start, offset=start)
