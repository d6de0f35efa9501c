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
from numpy.typing import NDArray

from calipers.kernels.poisson import key_hashes, weighted_sums
from calipers.tally import Counts

LEAST_REPLICATES = 40


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
