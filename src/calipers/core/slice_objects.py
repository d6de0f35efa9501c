"""What a run keeps of each object so that its results can be sliced by how large objects are.

Millions of objects are of few kinds: a truth that was found at so many thresholds in each label mode, a prediction that
is left over in some of them. `ObjectRows` holds the size and the kind of every object, and one table of what an object
of each kind adds to the sums that figures are made of. A pair is one row, that of its truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.parts import Packed
from calipers.core.sweep import Levels, Swept
from calipers.kernels.count.object_sums import add_by_size, mark_matched, most_objects, object_rows, row_totals

Floats = NDArray[np.float32]
SMALL = (np.int8, np.int16, np.int32, np.int64)
LIMITS: dict[Any, int] = {kind: int(np.iinfo(kind).max) for kind in SMALL}
DRAWN_TOGETHER = 65536  # records
PACKED_TOGETHER = 65536
LANES = 8  # of which the width of a table is a multiple, where it is added up
DIGIT_BITS = 15  # of numbers that are added up as 16 bits with a sign
SMALL_SUM = (1 << DIGIT_BITS) - 1
MOST_KINDS = 1 << 15  # that are written down before it is known which occur


def smallest(numbers: NDArray[Any], kinds: tuple[Any, ...] = SMALL) -> NDArray[Any]:
    """Whole numbers of at least 0 in as few bytes as hold them."""
    largest = int(numbers.max(initial=0))
    return numbers.astype(next(kind for kind in kinds if largest <= LIMITS[kind]), copy=False)


class ObjectChunk(NamedTuple):
    """The objects of some records: all rows of ground truth, then those of predictions, record by record."""

    records: int
    counts: NDArray[np.int32]  # (sides * records,) rows of a record
    sizes: Floats  # (rows,), NaN for no size
    kinds: NDArray[Any]  # (rows,) into a table of numbers

    def by_side(self) -> NDArray[np.int32]:
        """(sides, records) rows of a record."""
        return self.counts.reshape(-1, self.records)


class SummedObjects(NamedTuple):
    """Objects of some records by size: how many (sizes, records), and their sums (sizes, columns, records)."""

    rows: NDArray[np.int32]
    sums: NDArray[Any]  # of 64 bits, or of 16 without a sign where they fit

    def of(self, records: NDArray[np.intp]) -> SummedObjects:
        """The sums of some of the records, in their order."""
        if len(records) == self.rows.shape[1]:
            return self
        return SummedObjects(self.rows[:, records], self.sums.take(records, axis=2))

    def whole(self) -> NDArray[np.int64]:
        """Their sums in all records, (sizes * columns,)."""
        values = self.sums.reshape(-1, self.rows.shape[1])
        return np.asarray(row_totals(values)) if values.dtype == np.uint16 else values.sum(axis=1)


class ObjectRows:
    """Every object of some records: its size and its kind, and the numbers of each kind by column."""

    __slots__ = ("_chunks", "names", "table")

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.table: NDArray[Any] = np.empty((0, len(self.names)), np.int8)  # (kinds, columns)
        self._chunks: list[ObjectChunk] = []

    def extend(self, records: int, counts: Any, sizes: Any, kinds: Any, table: Any) -> None:
        """Take in the objects of some records, whose kinds are those of a table.

        As in `ObjectChunk`: how many truths each record has, then how many predictions, and rows in this order.
        """
        shift = self._shift(np.asarray(table))
        kinds = np.asarray(np.asarray(kinds, np.int64) + shift if shift else kinds, _type_of_kinds(len(self.table)))
        chunk = ObjectChunk(records, np.asarray(counts, np.int32), np.asarray(sizes, np.float32), kinds)
        self._chunks.append(chunk)

    def _shift(self, table: NDArray[Any]) -> int:
        """Where the kinds of a table begin in the own one, which has all of them then."""
        if self.table is table or np.array_equal(self.table, table):
            return 0
        shift = len(self.table)
        self.table = smallest(np.concatenate([self.table, table])) if shift else table
        return shift

    def add(self, later: ObjectRows) -> None:
        """Take in the objects of records that come after it."""
        if later._chunks:
            shift = self._shift(later.table)
            self._chunks += [_moved(chunk, shift) for chunk in later._chunks] if shift else later._chunks

    def truth_sizes(self) -> Floats:
        """The sizes of ground truth that are known; of all objects where there is none."""
        sizes = [_known(chunk.sizes[: chunk.counts[: chunk.records].sum()]) for chunk in self._chunks]
        if not any(map(len, sizes)):
            sizes = [_known(chunk.sizes) for chunk in self._chunks]
        return np.concatenate([np.empty(0, np.float32), *sizes])

    def sums(self, edges: NDArray[Any]) -> Iterator[SummedObjects]:
        """Sums of the objects between the edges of sizes, and of those without a size, for some records at a time."""
        groups, columns = len(edges) + 2, len(self.names)
        numbers = self._digits()
        width, digits = numbers.shape[1], numbers.shape[1] // columns
        table = np.pad(numbers, ((0, 0), (0, LANES - width % LANES)))
        table[:, width] = 1  # by which objects are counted
        largest = int(table.max())
        short = edges.astype(np.float32)  # so that a size on an edge is on it, however it was rounded
        for chunks in self._joined_chunks():
            records = sum(chunk.records for chunk in chunks)
            is_small = digits == 1 and max(most_objects(chunk.by_side()) for chunk in chunks) * largest <= SMALL_SUM
            rows = np.zeros((groups, records), np.int32)
            sums = np.zeros((groups * width, records), np.uint16 if is_small else np.int64)
            first = 0
            for chunk in chunks:
                kinds = chunk.kinds.astype(np.int32)
                add_by_size(rows, sums, first, chunk.by_side(), chunk.sizes, kinds, table, width, short)
                first += chunk.records
            by_digit = sums.reshape(groups, digits, columns, records)
            total = by_digit[:, 0]
            for place in range(1, digits):
                total += by_digit[:, place] << DIGIT_BITS * place
            yield SummedObjects(rows, total)

    def _digits(self) -> NDArray[np.int16]:
        """The table in numbers of 15 bits, as they are added: (kinds, digits * columns), the lowest digits first."""
        if self.table.min(initial=0) < 0:
            raise ValueError(f"table: found {self.table.min()}, expected numbers of at least 0")
        count = max(1, -(-int(self.table.max(initial=0)).bit_length() // DIGIT_BITS))
        wide = self.table.astype(np.int64)
        digits = [wide >> DIGIT_BITS * place & (1 << DIGIT_BITS) - 1 for place in range(count)]
        return np.concatenate(digits, axis=1).astype(np.int16)

    def _joined_chunks(self) -> Iterator[list[ObjectChunk]]:
        """Neighbouring chunks together, so that what a draw costs by itself is paid seldom."""
        joined: list[ObjectChunk] = []
        for chunk in filter(lambda chunk: chunk.records, self._chunks):
            joined.append(chunk)
            if sum(chunk.records for chunk in joined) >= DRAWN_TOGETHER:
                yield joined
                joined = []
        if joined:
            yield joined

    def pack(self) -> Packed:
        """Pack rows as plain values and arrays, which are equal however many records came at a time."""
        chunks = _packed_chunks(self._chunks)
        plain = {
            "names": list(self.names),
            "chunks": [[chunk.records, len(chunk.counts), len(chunk.sizes)] for chunk in chunks],
        }
        arrays = {
            "counts": np.concatenate([np.empty(0, np.int32), *(chunk.counts for chunk in chunks)]),
            "sizes": np.concatenate([np.empty(0, np.float32), *(chunk.sizes for chunk in chunks)]),
            "kinds": np.concatenate([np.empty(0, np.int16), *(chunk.kinds for chunk in chunks)]),
            "table": self.table,
        }
        return Packed(plain, arrays)

    @classmethod
    def unpack(cls, packed: Packed) -> ObjectRows:
        """The rows that were packed."""
        rows, arrays = cls(packed.plain["names"]), packed.arrays
        rows.table = arrays["table"]
        counted = numbered = 0
        for records, counts, sizes in packed.plain["chunks"]:
            own = slice(numbered, numbered + sizes)
            few = arrays["counts"][counted : counted + counts]
            rows._chunks.append(ObjectChunk(records, few, arrays["sizes"][own], arrays["kinds"][own]))
            counted, numbered = counted + counts, numbered + sizes
        return rows


def _packed_chunks(chunks: list[ObjectChunk]) -> list[ObjectChunk]:
    """Objects in chunks of as many records each; only the last may have fewer."""
    chunks = [chunk for chunk in chunks if chunk.records]
    if not chunks or (len(chunks) == 1 and chunks[0].records <= PACKED_TOGETHER):
        return chunks
    counts = np.concatenate([chunk.by_side() for chunk in chunks], axis=1)  # (sides, records)
    ends = np.pad(np.cumsum(counts, axis=1, dtype=np.int64), ((0, 0), (1, 0)))
    sizes, kinds = (_columns_by_side(chunks, name) for name in ("sizes", "kinds"))
    packed = []
    for first in range(0, counts.shape[1], PACKED_TOGETHER):
        own = counts[:, first : first + PACKED_TOGETHER]
        rows = [slice(end[first], end[first + own.shape[1]]) for end in ends]
        joined = (
            np.concatenate([side[some] for side, some in zip(sides, rows, strict=True)]) for sides in (sizes, kinds)
        )
        packed.append(ObjectChunk(own.shape[1], own.reshape(-1), *joined))
    return packed


def _columns_by_side(chunks: list[ObjectChunk], name: str) -> list[NDArray[Any]]:
    """A column of the objects of all chunks, side by side."""
    parts = []
    for chunk in chunks:
        behind = np.cumsum(chunk.by_side().sum(axis=1, dtype=np.int64))
        parts.append(np.split(getattr(chunk, name), behind[:-1]))
    return [np.concatenate(side) for side in zip(*parts, strict=True)]


def _known(sizes: Floats) -> Floats:
    is_missing = np.isnan(sizes)
    return sizes[~is_missing] if is_missing.any() else sizes


def _moved(chunk: ObjectChunk, shift: int) -> ObjectChunk:
    """Objects whose kinds stand further down in a table."""
    kinds = smallest(chunk.kinds.astype(np.int64) + shift, SMALL[1:])
    return chunk._replace(kinds=kinds)


def _type_of_kinds(count: int) -> Any:
    """The smallest type that holds the places of a table of so many kinds."""
    return next(kind for kind in SMALL[1:] if count <= np.iinfo(kind).max + 1)


def matched_rows(
    matchings: Sequence[Swept], levels: Levels, truth_sizes: Any, pred_sizes: Callable[[NDArray[np.uint8]], Any]
) -> tuple[Any, ...]:
    """The objects of a batch, as `ObjectRows.extend` takes them: all truths, and predictions that go without one.

    Columns are `gt`, and of each matching `pred`, `matched` and `matched_over_sweep`. The kind of a truth is how many
    thresholds it is matched at in each matching, as the digits of a number; that of a prediction says in which it is
    left over. `pred_sizes` is asked for the sizes of some predictions, and told which: those that are not 0.
    """
    batch, base = matchings[0].batch, len(levels) + 1
    is_small = _count_kinds(len(matchings), levels) <= MOST_KINDS
    truth_kinds = np.zeros(len(batch.truth), np.int16 if is_small else np.int64)
    left = np.full(len(batch.pred), (1 << len(matchings)) - 1, np.uint8)  # a bit for each matching
    for place, own in enumerate(matchings):
        truth, pred = (np.ascontiguousarray(side, np.int32) for side in (own.truth, own.pred))
        mark_matched(truth_kinds, left, truth, pred, own.counted.met, base**place, 1 << place)
    true, guessed = (np.ascontiguousarray(sizes, np.float32) for sizes in (truth_sizes, pred_sizes(left)))
    truths, preds = (np.ascontiguousarray(side.offsets, np.int64) for side in (batch.truth, batch.pred))
    rows = object_rows(truth_kinds, left, true, guessed, truths, preds, base ** len(matchings))
    counts, sizes, kinds = map(np.asarray, rows)
    return len(batch), counts, sizes, *_kinds_and_table(kinds, len(matchings), levels)


def _count_kinds(matchings: int, levels: Levels) -> int:
    """How many kinds there can be: of truths, and of predictions."""
    truths: int = (len(levels) + 1) ** matchings
    return truths + (1 << matchings)


def _kinds_and_table(kinds: NDArray[Any], matchings: int, levels: Levels) -> tuple[Any, Any]:
    """Kinds as places in a table, and the table: of all kinds there can be, or of those that occur if they are many."""
    in_sweep = tuple(levels.in_sweep.tolist())
    if _count_kinds(matchings, levels) <= MOST_KINDS:
        return kinds, _all_kinds(matchings, in_sweep, levels.index(levels.primary))
    occurring, places = np.unique(kinds, return_inverse=True)
    return places, _table(occurring, matchings, in_sweep, levels.index(levels.primary))


@cache
def _all_kinds(matchings: int, in_sweep: tuple[bool, ...], primary: int) -> NDArray[Any]:
    most = (len(in_sweep) + 1) ** matchings + (1 << matchings)
    return _table(np.arange(most), matchings, in_sweep, primary)


def _table(kinds: NDArray[Any], matchings: int, in_sweep: tuple[bool, ...], primary: int) -> NDArray[Any]:
    """What an object of each kind adds to every column, (kinds, columns)."""
    base = len(in_sweep) + 1
    is_truth, over_sweep = kinds < base**matchings, np.concatenate([[0], np.cumsum(in_sweep)])
    columns = [is_truth]
    for place in range(matchings):
        met = np.where(is_truth, kinds // base**place % base, 0)
        left = ~is_truth & ((kinds - base**matchings) >> place & 1 == 1)
        columns += [left | (met > 0), met > primary, over_sweep[met]]
    return smallest(np.stack(columns, axis=1).astype(np.int64))
