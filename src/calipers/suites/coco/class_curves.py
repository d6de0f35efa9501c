"""Curves of thousands of classes, each distinct one kept once.

A curve has 1,010 numbers, and a data set may have tens of thousands of rare classes, whose curves are mostly alike: all
zeros, or one object found. Means are those that numpy has of the array written out, to the bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
EVERY = slice(None)
NUMBERS_AT_ONCE = 1 << 17  # numbers that are written out at once


class ClassCurves(NamedTuple):
    """Precision at each threshold and step of recall, for each class and area; NaN where it is undefined."""

    distinct: Values  # (curves, thresholds, steps)
    which: NDArray[np.int64]  # (classes, areas) of the curves

    def mean(self, area: int, thresholds: slice = EVERY, steps: slice = EVERY) -> float | None:
        """The mean over thresholds, steps and classes, as pycocotools has it: of all numbers that are defined."""
        undefined = np.isnan(self.distinct[:, 0, 0])
        curves = self.which[:, area]
        curves = curves[~undefined[curves]]
        if not len(curves):
            return None
        rows = self._rows(thresholds, steps)

        def cells(start: int, stop: int) -> Values:
            first = start // len(curves)
            some = rows[first : -(-stop // len(curves))].take(curves, axis=1).reshape(-1)
            return some[start - first * len(curves) : stop - first * len(curves)]

        count = len(rows) * len(curves)
        return float(pairwise_sum(cells, 0, count) / count)

    def class_means(self, area: int, thresholds: slice = EVERY, steps: slice = EVERY) -> list[float | None]:
        """The mean of each class over thresholds and steps; None where it is undefined."""
        part, which = self.distinct[:, thresholds, steps], self.which[:, area].tolist()
        means = {at: mean_of_defined(part[at]) for at in set(which)}
        return [means[at] for at in which]

    def some_columns(self, area: int) -> tuple[Values, NDArray[np.int64]]:
        """The curves of an area as (thresholds, steps, columns), and the column of each class.

        Means over the first axes are those of all classes side by side. Numpy adds up a single column in another order
        than several, so that there is one only for a single class.
        """
        used, place = np.unique(self.which[:, area], return_inverse=True)
        used = np.repeat(used, 2) if len(used) == 1 < len(place) else used
        return np.ascontiguousarray(self.distinct[used].transpose(1, 2, 0)), place.reshape(-1)

    def _rows(self, thresholds: slice, steps: slice) -> Values:
        """(thresholds * steps, curves)"""
        return np.ascontiguousarray(self.distinct[:, thresholds, steps].reshape(len(self.distinct), -1).T)


class DistinctCurves:
    """Takes the curves of classes, some at a time."""

    def __init__(self, shape: tuple[int, int], cells: tuple[int, int]) -> None:
        self._shape, self._cells = shape, cells
        self._known: dict[bytes, int] = {}
        self._which: list[int] = []

    def add(self, curves: Any) -> None:
        """Append curves, (classes * areas, thresholds * steps)."""
        for curve in curves:
            self._which.append(self._known.setdefault(curve.tobytes(), len(self._known)))

    def finished(self) -> ClassCurves:
        """The curves that were added."""
        distinct = np.frombuffer(b"".join(self._known), dtype=np.float64).reshape(-1, *self._cells)
        return ClassCurves(distinct, np.array(self._which, dtype=np.int64).reshape(self._shape))


def pairwise_sum(cells: Callable[[int, int], Values], start: int, stop: int) -> float:
    """The sum that numpy has of many numbers in a row, which are made some at a time: halves are added up on their own.

    >>> numbers = np.random.default_rng(0).random(1_000_000)
    >>> pairwise_sum(lambda start, stop: numbers[start:stop], 0, len(numbers)) == float(numbers.sum())
    True
    """
    count = stop - start
    if count <= NUMBERS_AT_ONCE:
        return float(cells(start, stop).sum())
    half = count // 2
    middle = start + half - half % 8
    return pairwise_sum(cells, start, middle) + pairwise_sum(cells, middle, stop)


def mean_of_defined(values: Values) -> float | None:
    """The mean of the numbers that are defined."""
    defined = values[~np.isnan(values)]
    return float(np.mean(defined)) if len(defined) else None
