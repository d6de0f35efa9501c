"""How sure a number is: intervals by Poisson bootstrap over records.

In replicate b, record i counts as often as a pure function of its key, b and the seed says (a draw from Poisson(1)).
The sums of each replicate are integers that add over shards like any other tally, and two runs over the same records
share their weights, so that their difference can be judged replicate by replicate.

The 95 % interval holds the middle of the replicates in which the number is defined. With fewer than two records, or
fewer than 40 such replicates, there is no interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from calipers.kernels.poisson import key_hashes, weight_rows, weighted_sums
from calipers.tally import Counts

LEAST_REPLICATES = 40
AT_ONCE = 256  # records whose weighted sums stay exact in floats
BITS = 38  # of the largest value, kept of every value


def resample(keys: Sequence[str], values: Any, *, seed: int, replicates: int) -> Counts:
    """Weighted sums of the records' values, (replicates, columns)."""
    rows = np.ascontiguousarray(values, dtype=np.int64)  # (records, columns)
    sums = weighted_sums(key_hashes(keys), rows.reshape(-1), rows.shape[1], seed, replicates)
    return np.asarray(sums).reshape(replicates, rows.shape[1])


def interval(numerators: Any, denominators: Any, *, records: int) -> list[float] | None:
    """The 95 % interval of a ratio over its replicates.

    >>> interval(np.arange(1000), np.full(1000, 1000), records=9)
    [0.025, 0.974]
    >>> interval([1, 1], [2, 2], records=9)
    """
    over, under = np.asarray(numerators, dtype=np.float64), np.asarray(denominators, dtype=np.float64)
    defined = np.sort(over[under > 0] / under[under > 0], kind="stable")
    if records < 2 or len(defined) < LEAST_REPLICATES:
        return None
    tail = len(defined) // 40
    return [float(defined[tail]), float(defined[len(defined) - 1 - tail])]


def mean_intervals(keys: Sequence[str], values: Any, *, seed: int, replicates: int) -> list[list[float] | None]:
    """The 95 % interval of the mean of each column, over the records where it is defined (NaN is not).

    Values are cut to 38 bits of the largest of their column, so that sums are whole numbers and come out the same in
    any order.

    >>> mean_intervals(["a", "b", "c"], np.array([[1.0, 5.0], [2.0, np.nan], [3.0, np.nan]]), seed=0, replicates=100)
    [[1.0, 3.0], None]
    """
    columns = np.asarray(values, dtype=np.float64)  # (records, columns)
    defined = ~np.isnan(columns)
    largest = np.where(defined, abs(columns), 0).max(axis=0, initial=0)
    unit = np.exp2(np.maximum(np.frexp(largest)[1], -900) - BITS)
    whole = np.where(defined, np.rint(columns / unit), 0.0)
    alike: dict[bytes, int] = {}  # many columns are defined for the same records
    which = [alike.setdefault(mask.tobytes(), len(alike)) for mask in defined.T]
    masks = [np.frombuffer(mask, dtype=bool) for mask in alike]
    table = np.concatenate([whole, np.stack(masks, axis=1)], axis=1) if masks else whole
    sums = np.zeros((replicates, table.shape[1]), dtype=np.int64)
    for first in range(0, len(keys), AT_ONCE):
        rows = weight_rows(key_hashes(keys[first : first + AT_ONCE]), seed, replicates)
        weights = np.asarray(rows).reshape(len(keys[first : first + AT_ONCE]), replicates)
        sums += (weights.T @ table[first : first + AT_ONCE]).astype(np.int64)
    count, totals, times = defined.sum(axis=0), sums[:, : len(unit)], sums[:, len(unit) :]
    return [
        _scaled(interval(totals[:, k], times[:, which[k]], records=int(count[k])), float(unit[k]))
        for k in range(len(unit))
    ]


def _scaled(found: list[float] | None, unit: float) -> list[float] | None:
    return found and [end * unit for end in found]
