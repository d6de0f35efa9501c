"""From metrics of videos to those of a set: means over the videos where a metric is defined, spread, intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from math import fsum, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SPREAD = ("*_timing_*", "*_start_error_*", "lead_time_sec", "*_start_*frame")


def summary_tree(
    columns: Mapping[str, Floats], intervals: Mapping[str, list[float] | None], always: frozenset[str]
) -> dict[str, Any]:
    """For each metric its mean, the count it rests on if it can be undefined, the spread of times, and the interval."""
    tree: dict[str, Any] = {}
    for name, column in columns.items():
        known = column[~np.isnan(column)].tolist()
        average = mean_of(known)
        tree[f"{name}_mean"] = average
        if any(fnmatchcase(name, pattern) for pattern in SPREAD):
            tree[f"{name}_std"] = spread_of(known, average)
        if name not in always:
            tree[f"{name}_n"] = len(known)
        if name in intervals:
            tree[f"{name}_interval"] = intervals[name]
    return tree


def mean_of(values: Sequence[float]) -> float | None:
    """The mean, by an exact sum, so that order does not matter.

    >>> mean_of([0.1] * 10), mean_of([])
    (0.1, None)
    """
    return fsum(values) / len(values) if values else None


def spread_of(values: Sequence[float], average: float | None) -> float | None:
    """The standard deviation of these values (not an estimate for others).

    >>> spread_of([1, 3], 2.0)
    1.0
    """
    if average is None:
        return None
    return sqrt(fsum((value - average) ** 2 for value in values) / len(values))
