"""All pairs of results in one figure: which of them the data can tell apart.

The difference of a pair is divided by the standard deviation of its replicates, made a little larger for few records,
and set against Student's t, two-sided, as in a gate (see `power`). As there, a pair whose 95 % interval of the
difference reaches 0 is not told apart, so that what is separated here is better or worse in a comparison of the two.
Holm's procedure keeps the chance of any false separation at 5 %, however many pairs there are.
"""

from __future__ import annotations

from math import fsum, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.bootstrap import MIN_REPLICATES
from calipers.core.figures import Figure, Floats
from calipers.core.student import two_sided

LEVEL = 0.05
ROUNDING = 1e-12  # a difference of less, of the values, is what floats lose


class PairTests(NamedTuple):
    """Every pair of results, the first of which comes earlier."""

    first: NDArray[np.intp]  # (pairs,)
    second: NDArray[np.intp]  # (pairs,)
    difference: Floats  # (pairs,) second - first
    low: Floats  # (pairs,) end of the 95 % interval of the difference, NaN without one
    high: Floats
    p: Floats  # (pairs,) two-sided, not adjusted; 1 where the interval reaches 0 or there is none
    separated: NDArray[np.bool_]  # (pairs,) by Holm

    def at(self, base: int, other: int) -> tuple[float, list[float] | None, bool]:
        """other - base: the difference, its interval, and whether the pair is separated."""
        count = 1 + int(self.second.max(initial=0))
        first, second = min(base, other), max(base, other)
        place = first * count - first * (first + 1) // 2 + second - first - 1
        sign = 1.0 if base < other else -1.0
        ends = sorted(sign * float(end[place]) + 0.0 for end in (self.low, self.high))  # 0 without a sign
        is_defined = not np.isnan(self.low[place])
        return sign * float(self.difference[place]) + 0.0, ends if is_defined else None, bool(self.separated[place])

    def separated_pairs(self) -> list[tuple[int, int]]:
        """The indices of both results of every pair that is separated."""
        return list(zip(self.first[self.separated].tolist(), self.second[self.separated].tolist(), strict=True))


def separate_pairs(figures: list[Figure]) -> PairTests:
    """Test every pair of results, all of which have a value."""
    first, second = np.triu_indices(len(figures), 1)
    values = np.array([figure.value for figure in figures], dtype=np.float64)
    records = np.array([figure.n for figure in figures])
    draws = _draws(figures)
    rows = [_spread(draws[k], draws[k + 1 :]) for k in range(len(figures) - 1)]
    deviation, low, high, middle = (np.concatenate(column) for column in zip(*rows, strict=True))
    difference, n = values[second] - values[first], np.minimum(records[first], records[second])
    if figures[0].moved:
        low, high = low + difference - middle, high + difference - middle
    low, high = (np.where(n < 2, np.nan, end) for end in (low, high))
    p = _chances(difference, deviation, n, np.abs(values).max())
    p[~((low > 0) | (high < 0))] = 1.0
    return PairTests(first, second, difference, low, high, p, holm(p))


def _draws(figures: list[Figure]) -> Floats:
    """The figure of each result in each replicate: (results, replicates), NaN where undefined."""
    count = max((len(figure.replicates) for figure in figures if figure.replicates is not None), default=0)
    none = np.full(count, np.nan)
    return np.array([none if figure.replicates is None else figure.replicates for figure in figures])


def _spread(base: Floats, others: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Of others - base: standard deviation, ends of the middle 95 % and median over the replicates where defined."""
    ordered = np.sort(others - base, axis=1, kind="stable")  # (others, replicates), NaN last
    counts = np.count_nonzero(~np.isnan(ordered), axis=1)
    columns = np.full((4, len(ordered)), np.nan)
    for count in np.unique(counts[counts >= MIN_REPLICATES]):
        rows = counts == count
        defined, tail = ordered[rows, :count], count // 40
        median = (defined[:, (count - 1) // 2] + defined[:, count // 2]) / 2
        columns[:, rows] = defined.std(axis=1), defined[:, tail], defined[:, count - 1 - tail], median
    deviation, low, high, middle = columns
    return deviation, low, high, middle


def _chances(difference: Floats, deviation: Floats, n: NDArray[np.intp], largest: float) -> Floats:
    """Two-sided p-values, one per difference; 1 where the deviation is not known."""
    p = np.ones(len(difference))
    testable = (n > 1) & ~np.isnan(deviation) & (np.abs(difference) > ROUNDING * largest)
    for records in np.unique(n[testable]):
        selected = testable & (n == records)
        spread = deviation[selected] * sqrt(records / (records - 1))
        with np.errstate(divide="ignore"):
            p[selected] = two_sided(np.abs(difference[selected]) / spread, int(records) - 1)
    return p


def holm(p: Floats, level: float = LEVEL) -> NDArray[np.bool_]:
    """Which of these are separated: the k-th smallest of m while it is at most level / (m - k + 1).

    >>> holm(np.array([0.01, 0.04, 0.03, 0.005])).tolist()
    [True, False, False, True]
    """
    order = np.argsort(p, kind="stable")
    within = p[order] <= level / np.arange(len(p), 0, -1)
    separated = np.zeros(len(p), dtype=bool)
    separated[order[np.logical_and.accumulate(within)]] = True
    return separated


def best_shares(figures: list[Figure]) -> list[float | None]:
    """The share of replicates in which each is best, ties shared; None without replicates.

    Replicates in which none is defined do not count. Those that tell only how far a number varies are moved first, so
    that their median is the number.
    """
    draws = _draws(figures) * (1.0 if figures[0].higher_is_better else -1.0)
    if figures[0].moved:
        values = np.array([figure.value for figure in figures], dtype=np.float64)
        draws = draws + _shifts(draws, values * (1.0 if figures[0].higher_is_better else -1.0))[:, None]
    oriented = np.where(np.isnan(draws), -np.inf, draws)
    oriented = oriented[:, np.isfinite(oriented).any(axis=0)]
    if not oriented.size:
        return [None] * len(figures)
    best = oriented == oriented.max(axis=0)
    shares = [fsum(row) / oriented.shape[1] for row in (best / best.sum(axis=0)).tolist()]
    return [None if figure.replicates is None else share for figure, share in zip(figures, shares, strict=True)]


def _shifts(draws: Floats, values: Floats) -> Floats:
    """How far the median of each row is from its value."""
    has_draws = ~np.isnan(draws).all(axis=1)
    shifts = np.zeros(len(values))
    shifts[has_draws] = values[has_draws] - np.nanmedian(draws[has_draws], axis=1)
    return shifts
