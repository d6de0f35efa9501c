"""Tally: what was counted, in integers, so that adding in any order gives the same bits.

Three kinds of things add: arrays of counts, single sums that may outgrow 64 bits, and tables of counts with a row for
each name met on the way. Fractions that have to be summed enter as integers in units of 1e-12 (`fixed`).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calipers.core.matching import UNIT
from calipers.core.parts import Packed

Counts = NDArray[np.int64]
MANY = 1000  # counts of one name, which travel in 32 bits where they fit
BLOCK = 1 << 20  # codes that are counted at once, as numpy makes 64 bits of each of them


class Tally:
    """Named integers. `a + b` equals `b + a`, and so does any grouping."""

    __slots__ = ("counts", "sums", "tables")

    def __init__(self) -> None:
        self.counts: dict[str, Counts] = {}
        self.sums: dict[str, int] = {}
        self.tables: dict[str, dict[str, Counts]] = {}

    def count(self, name: str, values: Any) -> None:
        """Add an array of counts."""
        values = np.asarray(values, dtype=np.int64)
        self.counts[name] = self.counts[name] + values if name in self.counts else values

    def add_sum(self, name: str, value: int) -> None:
        """Add a number of any size."""
        self.sums[name] = self.sums.get(name, 0) + value

    def count_row(self, table: str, name: str, values: Any) -> None:
        """Add counts to one row of a table."""
        rows = self.tables.setdefault(table, {})
        values = np.asarray(values, dtype=np.int64)
        rows[name] = rows[name] + values if name in rows else values

    def count_rows(self, table: str, names: Iterable[str], values: Any) -> None:
        """Add (names, columns) to the rows of a table, each of another name; rows of nothing but zeros are left out."""
        values = np.asarray(values, dtype=np.int64)
        rows = dict(compress(zip(names, values, strict=True), values.any(axis=1).tolist()))
        if rows:
            self._add_rows(table, rows)

    def _add_rows(self, table: str, rows: dict[str, Counts]) -> None:
        own = self.tables.get(table)
        if own is None:
            self.tables[table] = {**rows}
            return
        for name, values in rows.items():
            own[name] = own[name] + values if name in own else values

    def __iadd__(self, other: Tally) -> Tally:
        for name, values in other.counts.items():
            self.count(name, values)
        for name, value in other.sums.items():
            self.add_sum(name, value)
        for table, rows in other.tables.items():
            self._add_rows(table, rows)
        return self

    def __add__(self, other: Tally) -> Tally:
        total = Tally()
        total += self
        total += other
        return total

    def __reduce__(self) -> Any:
        """Pickle a table as one array, which is quicker than hundreds of rows, and what fits into 32 bits as such."""
        tables = {table: ([*rows], _stacked(rows, rows)) for table, rows in self.tables.items()}
        counts = {name: _narrowed(values) for name, values in self.counts.items()}
        return _from_state, (counts, self.sums, tables)

    def pack(self) -> Packed:
        """The tally as plain values and arrays, names in order: equal tallies give equal bytes."""
        tables = {table: sorted(self.tables[table]) for table in sorted(self.tables)}
        arrays = {f"counts/{name}": self.counts[name] for name in sorted(self.counts)}
        arrays |= {f"tables/{table}": _stacked(self.tables[table], names) for table, names in tables.items()}
        return Packed({"sums": {name: str(self.sums[name]) for name in sorted(self.sums)}, "tables": tables}, arrays)

    @classmethod
    def unpack(cls, packed: Packed) -> Tally:
        """The tally that was packed."""
        tally, plain, arrays = cls(), packed.plain, packed.arrays
        tally.counts = {name[7:]: array for name, array in arrays.items() if name.startswith("counts/")}
        tally.sums = {name: int(digits) for name, digits in plain["sums"].items()}
        tally.tables = {
            table: dict(zip(names, arrays[f"tables/{table}"], strict=True)) for table, names in plain["tables"].items()
        }
        return tally


def _narrowed(values: Counts) -> Any:
    """Numbers in 32 bits, if there are many of them and all of them fit."""
    if values.size < MANY or values.min() < -(2**31) or values.max() >= 2**31:
        return values
    return values.astype(np.int32)


def _from_state(counts: dict[str, Any], sums: dict[str, int], tables: dict[str, tuple[list[str], Counts]]) -> Tally:
    """The tally that was pickled."""
    tally = Tally()
    tally.counts = {name: np.asarray(values, dtype=np.int64) for name, values in counts.items()}
    tally.sums = sums
    tally.tables = {table: dict(zip(names, rows, strict=True)) for table, (names, rows) in tables.items()}
    return tally


def _stacked(rows: dict[str, Counts], names: Iterable[str]) -> Counts:
    names = [*names]
    return np.stack([rows[name] for name in names]) if names else np.zeros((0, 0), dtype=np.int64)


def count_codes(codes: Any, size: int, *, lowest: int = 0) -> Counts:
    """(size,) how often each code stands in a column, from the lowest on; a code beyond is an error.

    >>> count_codes(np.array([2, 0, 2], np.int32), 4).tolist()
    [1, 0, 2, 0]
    >>> count_codes(np.array([-1, 1], np.int32), 3, lowest=-1).tolist()
    [1, 0, 1]
    """
    codes, counts = np.asarray(codes), np.zeros(size, np.int64)
    for first in range(0, len(codes), BLOCK):
        block = codes[first : first + BLOCK]
        counts += np.bincount(block - lowest if lowest else block, minlength=size)
    return counts


def fixed(values: Any) -> int:
    """The sum of some fractions, each in units of 1e-12.

    >>> fixed([0.5, 0.25])
    750000000000
    """
    return exact_sum(np.rint(np.asarray(values, dtype=np.float64) * UNIT).astype(np.int64))


def exact_sum(values: Counts) -> int:
    """The sum of integers, also where it outgrows 64 bits.

    >>> exact_sum(np.full(3, 2**62))
    13835058055282163712
    """
    return (int((values >> 32).sum()) << 32) + int((values & 0xFFFFFFFF).sum())


def weighted_sum(values: Counts, times: Counts) -> int:
    """The sum of fractions in units of 1e-12, so many times each, also where it outgrows 64 bits.

    >>> weighted_sum(np.array([10**12, 3]), np.array([10**8, 2]))
    100000000000000000006
    """
    low = (1 << 20) - 1  # halves of 20 bits each, which 2 ** 43 times do not take beyond 63
    return (int((values >> 20) @ times) << 20) + int((values & low) @ times)


def mean(total: int, n: int) -> float | None:
    """The mean of `n` fractions that sum to `total` units; undefined without any.

    >>> mean(750000000000, 2), mean(0, 0)
    (0.375, None)
    """
    return total / (n * UNIT) if n else None


def ratio(part: Any, whole: Any) -> float | None:
    """part / whole, undefined when there is no whole.

    >>> ratio(1, 4), ratio(0, 0)
    (0.25, None)
    """
    return int(part) / int(whole) if whole else None
