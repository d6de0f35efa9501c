"""Records as they were given, for whoever writes some of them out again.

Records of files are kept as the texts of their lines: most are written out without being parsed again.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from calipers.core.shapes import Batch
from calipers.files.lines import Shard, TakeLines
from calipers.files.problems import explain_object
from calipers.kernels.scan.jsontext import line_ends
from calipers.suites.dense.config import Config
from calipers.suites.dense.parse import parse_line
from calipers.suites.dense.read import side_objects


class LineRun(NamedTuple):
    """Lines that follow each other in a text: line `first` is text[ends[0]:ends[1]], and so on."""

    first: int
    text: bytes
    ends: Any  # int64


class LineTexts:
    """The texts of some lines by their numbers, which ascend. Most stand in the block that they were read in."""

    def __init__(self) -> None:
        self._first: list[int] = []  # of the lines of each block
        self._blocks: list[LineRun] = []
        self._apart: dict[int, bytes] = {}

    def add(self, number: int, text: bytes) -> None:
        """Keep the text of a line."""
        self._apart[number] = text

    def add_block(self, block: bytes, begin: int, number: int, count: int) -> None:
        """Keep a block in which `count` lines follow each other."""
        self._first.append(number)
        self._blocks.append(LineRun(number, block, np.append(begin, line_ends(block, begin, count))))

    def _run(self, number: int) -> LineRun:
        """The lines that one stands among."""
        text = self._apart.get(number)
        if text is not None:
            return LineRun(number, text, np.array([0, len(text)]))
        return self._blocks[bisect_right(self._first, number) - 1]

    def runs(self, numbers: list[int]) -> Iterator[tuple[int, int, LineRun]]:
        """Lines that follow each other in one text, as places in `numbers`, which ascend: from where up to where."""
        begin = 0
        while begin < len(numbers):
            run = self._run(numbers[begin])
            end = bisect_left(numbers, run.first + len(run.ends) - 1, begin)
            yield begin, end, run
            begin = end

    def __getitem__(self, number: int) -> bytes:
        run = self._run(number)
        at = number - run.first
        return run.text[run.ends[at] : run.ends[at + 1]]


class KeptShard(Shard):
    """A shard that keeps the texts of the lines it was read by."""

    __slots__ = ("_shard", "texts")

    def __init__(self, shard: Shard) -> None:
        super().__init__(shard.source, shard.path, shard.first_line, shard.size)
        self._shard, self.texts = shard, LineTexts()

    def lines(self, take: TakeLines | None = None) -> Iterator[tuple[int, bytes | None]]:
        """The lines of the shard, as `Shard.lines` gives them."""

        def keep(block: bytes, begin: int, number: int) -> tuple[int, int]:
            end, count = take(block, begin, number) if take else (begin, 0)
            if count:
                self.texts.add_block(block, begin, number, count)
            return end, count

        for number, text in self._shard.lines(keep if take else None):
            if text is not None:
                self.texts.add(number, text)
            yield number, text


class Originals:
    """The records of a batch as they were given: parsed, or as the texts of their lines."""

    def __init__(self, batch: Batch, config: Config, texts: LineTexts | None = None) -> None:
        self._batch, self._frame, self._texts = batch, config.frame, texts
        self._last: tuple[int, dict[str, Any]] = -1, {}  # the record that was parsed last

    def text(self, record: int) -> bytes | None:
        """The line of a record, if that was kept."""
        return None if self._texts is None else self._texts[self._batch.lines[record]]

    def __getitem__(self, record: int) -> dict[str, Any]:
        """A record, parsed."""
        if self._texts is None:
            return self._batch.raw[record]
        if self._last[0] != record:
            self._last = record, parse_line(self._texts[self._batch.lines[record]].strip())[0]
        return self._last[1]

    def objects(self, record: int) -> list[list[Any]]:
        """Ground truth and predictions as they stand in a record."""
        return list(side_objects(self[record], self._frame))

    def reason(self, record: int, side: int, at: int) -> str | None:
        """What is wrong with an object, None if nothing is."""
        objects = self._batch.pred if side else self._batch.truth
        if not objects.reason[at]:
            return None
        item = self.objects(record)[side][at - objects.offsets[record]]
        place, problem, _ = explain_object(item, objects.reason[at], self._frame, 0, 0)
        return f"{place.lstrip('.')}: {problem}" if place else problem
