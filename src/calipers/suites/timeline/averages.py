"""From metrics of videos to those of a set: means over the videos where a metric is defined, spread, intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calipers.kernels.count.sums import column_means

Floats = NDArray[np.float64]
SPREAD = ("*_timing_*", "*_start_error_*", "lead_time_sec", "*_start_*frame")


class Averages:
    """Mean, spread and count of columns, each looked at once."""

    def __init__(self, columns: Iterable[Floats]) -> None:
        self._place: dict[int, int] = {}  # by identity: metrics that are the same for several tolerances are shared
        kept: list[Floats] = []
        for column in columns:
            if id(column) not in self._place:
                self._place[id(column)] = len(kept)
                kept.append(column)
        self.table = np.stack(kept)  # (columns, records)
        self._counts, self._means, self._spreads = (values.tolist() for values in column_means(self.table))
        self.intervals: list[list[float] | None] = [None] * len(kept)

    def of(self, column: Floats) -> tuple[int, float | None, float | None, list[float] | None]:
        """Count, mean, standard deviation (of these values, not an estimate for others) and interval."""
        place = self._place[id(column)]
        count = self._counts[place]
        if not count:
            return 0, None, None, None
        return count, self._means[place], self._spreads[place], self.intervals[place]


def summary_tree(columns: Mapping[str, Floats], averages: Averages, always: frozenset[str]) -> dict[str, Any]:
    """For each metric its mean, the count it rests on if it can be undefined, the spread of times, and the interval."""
    tree: dict[str, Any] = {}
    for name, column in columns.items():
        count, average, spread, interval = averages.of(column)
        tree[f"{name}_mean"] = average
        if any(fnmatchcase(name, pattern) for pattern in SPREAD):
            tree[f"{name}_std"] = spread
        if name not in always:
            tree[f"{name}_n"] = count
        tree[f"{name}_interval"] = interval
    return tree
