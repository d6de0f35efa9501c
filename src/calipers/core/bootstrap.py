"""How sure a number is: intervals by Poisson bootstrap over records.

In replicate b, record i counts as often as a pure function of its key, b and the seed says (a draw from Poisson(1)).
The sums of each replicate are integers that add over shards like any other tally, and two runs over the same records
share their weights, so that their difference can be judged replicate by replicate.

The 95 % interval holds the middle of the replicates in which the number is defined. With fewer than two records, or
fewer than 40 such replicates, there is no interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calipers.core.tally import Counts
from calipers.kernels.count.inference import interval_ends
from calipers.kernels.count.sums import key_hashes, weighted_sums

Floats = NDArray[np.float64]
MIN_REPLICATES = 40
MIN_THREADED_COLUMNS = 32  # that are worth a second thread
KEPT_BITS = 36  # of the largest value of a column, kept of every value
BIAS_FACTOR = 1 + sqrt(2)  # 1 / (sqrt(2) - 1)
BIAS_UNCERTAINTY = 0.5  # of a bias: the share of it that is not known


def resample(keys: Sequence[str], columns: Any, *, seed: int, replicates: int) -> Counts:
    """Weighted sums of the records' whole numbers: of (columns, records), (columns, replicates)."""
    return resample_hashed(key_hashes(keys), columns, seed=seed, replicates=replicates)


def resample_hashed(hashes: Any, columns: Any, *, seed: int, replicates: int, threads: bool = True) -> Counts:
    """Weighted sums as `resample` gives them, of records by the hashes of their keys.

    Many columns take a second thread, unless the caller is one of many that work side by side.
    """
    rows = np.ascontiguousarray(columns, dtype=np.int64)

    def sums(some: range) -> Counts:
        totals = weighted_sums(hashes, rows.reshape(-1), len(rows), seed, len(some), some.start)
        return np.asarray(totals).reshape(len(rows), len(some))

    if len(rows) < MIN_THREADED_COLUMNS or not threads:
        return sums(range(replicates))
    from concurrent.futures import ThreadPoolExecutor

    half = replicates // 4 * 2  # even: a draw serves two replicates
    with ThreadPoolExecutor(2) as pool:  # the kernel holds no lock
        return np.concatenate(list(pool.map(sums, (range(half), range(half, replicates)))), axis=1)


def interval(numerators: Any, denominators: Any, *, records: int) -> list[float] | None:
    """The 95 % interval of a ratio over its replicates.

    >>> interval(np.arange(1000), np.full(1000, 1000), records=9)
    [0.025, 0.974]
    >>> interval([1, 1], [2, 2], records=9)
    """
    over, under = np.asarray(numerators, dtype=np.float64), np.asarray(denominators, dtype=np.float64)
    return middle(over[under > 0] / under[under > 0], records=records)


def middle(values: Any, *, records: int) -> list[float] | None:
    """The 95 % interval of a number over the replicates in which it is defined (NaN is not).

    >>> middle(np.append(np.arange(1000) / 1000, np.nan), records=9)
    [0.025, 0.974]
    """
    known = defined(np.asarray(values, dtype=np.float64))
    if records < 2 or len(known) < MIN_REPLICATES:
        return None
    tail = len(known) // 40
    ends = tail, len(known) - 1 - tail
    ordered = np.partition(known, ends)  # sooner than all in order
    return [float(ordered[end]) for end in ends]


def middles(rows: Floats, records: Sequence[int]) -> list[list[float] | None]:
    """The 95 % interval of each row, as `middle` gives it, of so many records.

    >>> middles(np.stack([np.arange(1000) / 1000, np.arange(1000) / 100]), [9, 1])
    [[0.025, 0.974], None]
    """
    is_defined = not np.isnan(rows).any()
    if not is_defined or rows.shape[1] < MIN_REPLICATES:
        return [middle(row, records=n) for row, n in zip(rows, records, strict=True)]
    ends = interval_ends(np.ascontiguousarray(rows).reshape(-1), rows.shape[1], rows.shape[1] // 40)
    pairs = np.asarray(ends).reshape(-1, 2).tolist()
    return [own if n >= 2 else None for own, n in zip(pairs, records, strict=True)]


def defined(values: Floats) -> Floats:
    """The values that are not NaN."""
    is_undefined = np.isnan(values)
    return values[~is_undefined] if is_undefined.any() else values


def standard_deviation(values: Floats) -> float:
    """The standard deviation as numpy has it, to the bit, in a third of its time for a thousand values.

    >>> standard_deviation(np.array([1.0, 3.0]))
    1.0
    """
    apart = values - np.add.reduce(values) / len(values)
    return sqrt(np.add.reduce(apart * apart) / len(values))


def standard_deviations(rows: Floats) -> list[float]:
    """The standard deviation of each row, to the bit as `standard_deviation` gives it.

    >>> standard_deviations(np.array([[1.0, 3.0], [2.0, 2.0]]))
    [1.0, 0.0]
    """
    apart = rows - np.add.reduce(rows, axis=1, keepdims=True) / rows.shape[1]
    spreads: list[float] = np.sqrt(np.add.reduce(apart * apart, axis=1) / rows.shape[1]).tolist()
    return spreads


def around(number: float | None, values: Any, *, records: int, bias: float = 0.0) -> list[float] | None:
    """The 95 % interval of a share that is too high by about `bias`, from how far its replicates vary.

    The median of the replicates is moved to `number - bias`. What was too high is what is missing to 1, taken for too
    little by the factor 1 + bias / (1 - number); noise in it is larger by the same factor. And as the bias is known to
    half of itself only, that half adds to the standard deviation of the replicates, as independent errors do.

    >>> [round(end, 3) for end in around(0.5, np.arange(1, 1001) / 2000, records=9)]
    [0.263, 0.737]
    >>> [round(end, 3) for end in around(0.5, np.arange(1, 1001) / 2000, records=9, bias=0.1)]
    [0.099, 0.701]
    >>> around(1.0, np.arange(1000) / 1000, records=9)[1]
    1.0
    """
    ends = middle(values, records=records)
    if ends is None or number is None:
        return None
    missing, median, deviation = 1 - number, float(np.nanmedian(values)), float(np.nanstd(values))
    bias = min(bias, BIAS_FACTOR * missing)
    wider = (1 + bias / missing) * hypot(1, BIAS_UNCERTAINTY * bias / deviation) if bias and deviation else 1.0
    low, high = (number - bias + wider * (end - median) for end in ends)
    return [min(max(low, 0.0), number), max(min(high, 1.0), number)]


def moved(number: float, values: Any, *, records: int) -> list[float] | None:
    """The 95 % interval of a difference whose replicates say how far it varies, and not where it lies.

    >>> [round(end, 3) for end in moved(0.0, np.arange(1, 1001) / 2000, records=9)]
    [-0.237, 0.237]
    """
    ends = middle(values, records=records)
    if ends is None:
        return None
    median = float(np.nanmedian(values))
    low, high = (number + end - median for end in ends)
    return [min(low, number), max(high, number)]


def ragged_bias(excess: float) -> float:
    """How much too high the best of a ragged curve is, if that of replicates is higher still by `excess`.

    The best of a curve exceeds what it would be without noise by about the standard deviation of the noise. That of a
    replicate has twice the variance: that of the records, and as much again from drawing them. So it exceeds the truth
    by the square root of two times as much, and `excess` is the difference.

    >>> round(ragged_bias(0.01), 4), ragged_bias(-0.01)
    (0.0241, 0.0)
    """
    return BIAS_FACTOR * max(excess, 0.0)


def resample_values(keys: Sequence[str], values: Any, *, seed: int, replicates: int) -> Any:
    """Weighted sums of the records' numbers, of (columns, records): floats, (columns, replicates).

    Values are cut to 36 bits of the largest of their column, so that the sums come out the same in any order.

    >>> resample_values(["a", "b"], [[0.5, 0.25]], seed=0, replicates=3).tolist()
    [[0.5, 0.0, 0.0]]
    """
    numbers = np.array(values, dtype=np.float64)  # a copy: cutting overwrites it
    table = np.empty(numbers.shape, dtype=np.int64)
    unit = _cut(numbers, table)
    return resample(keys, table, seed=seed, replicates=replicates) * unit[:, None]


def mean_intervals(keys: Sequence[str], columns: Any, *, seed: int, replicates: int) -> list[list[float] | None]:
    """The 95 % interval of the mean of each column, over the records where it is defined (NaN is not).

    Values are cut to 36 bits of the largest of their column, so that sums are whole numbers and come out the same in
    any order.

    >>> mean_intervals(["a", "b", "c"], np.array([[1.0, 2.0, 3.0], [5.0, np.nan, np.nan]]), seed=0, replicates=100)
    [[1.0, 3.0], None]
    """
    values = np.asarray(columns, dtype=np.float64)  # (columns, records)
    defined = ~np.isnan(values)
    counts = defined.sum(axis=1)
    some = np.flatnonzero(counts >= 2)
    masks: dict[bytes, int] = {}  # many columns are defined for the same records
    times_at = [masks.setdefault(np.packbits(defined[k]).tobytes(), len(masks)) for k in some]
    table = np.empty((len(some) + len(masks), len(keys)), dtype=np.int64)
    unit = _cut(np.where(defined[some], values[some], 0.0), table[: len(some)])
    for k, at in zip(some, times_at, strict=True):
        table[len(some) + at] = defined[k]
    sums = resample(keys, table, seed=seed, replicates=replicates)
    intervals: list[list[float] | None] = [None] * len(values)
    for row, column in enumerate(some.tolist()):
        ends = interval(sums[row], sums[len(some) + times_at[row]], records=int(counts[column]))
        intervals[column] = ends and [short(end * float(unit[row])) for end in ends]
    return intervals


def _cut(values: Any, out: Counts) -> Any:
    """Values (which are overwritten) as whole numbers of a unit, one a column; returns the units."""
    largest = np.maximum(values.max(axis=1, initial=0), -values.min(axis=1, initial=0))
    unit = np.ldexp(1.0, np.maximum(np.frexp(largest)[1], -900) - KEPT_BITS)
    values /= unit[:, None]
    np.copyto(out, np.rint(values, out=values), casting="unsafe")
    return unit


def short(end: float) -> float:
    """A number with as many digits as values that were cut carry."""
    return float(f"{end:.10g}")
