"""Shapes of many records on a plane, to be compared with each other: their sizes, centres and overlaps.

Regions (boxes, polygons) overlap by area, lines as tubes. What is no shape has no size, and overlaps nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import fsum, hypot
from typing import Any

import numpy as np

from calipers.core.matching import UNIT
from calipers.core.shapes import KINDS, Objects
from calipers.kernels.scan.flatten import ObjectColumns
from calipers.rulers.region import region_overlaps
from calipers.rulers.tube import tube_overlaps

LINE = KINDS.index("line")
Shape = dict[str, Any]  # type and points


class PlaneShapes:
    """Shapes of some records in columns; positions count the shapes of all records."""

    def __init__(self, records: Sequence[Sequence[Shape]], *, stroke: int | None = None) -> None:
        """`stroke` is the width of tubes; lines need it, and lie in the frame of 1000."""
        raw = ObjectColumns({}, framed=stroke is not None)
        for shapes in records:
            raw.add_record([{"desc": "", **shape} for shape in shapes], False)
        self._objects, self._stroke = Objects(raw), stroke

    def families(self) -> list[str]:
        """What each shape can be compared with: regions or lines."""
        return ["line" if kind == LINE else "region" for kind in np.asarray(self._objects.kind).tolist()]

    def sizes(self) -> list[float]:
        """The area of each region and the length of each line."""
        area, kinds = (np.asarray(column).tolist() for column in (self._objects.area, self._objects.kind))
        return [self._length(at) if kind == LINE else area[at] for at, kind in enumerate(kinds)]

    def centers(self) -> list[tuple[float, ...]]:
        """The middle of the bounds of each shape."""
        corners = np.asarray(self._objects.bounds).reshape(-1, 2, 2)
        return [tuple(center) for center in corners.mean(axis=1).tolist()]

    def overlaps(self, other: PlaneShapes, min_overlap: float) -> Iterator[tuple[int, int, float]]:
        """Positions of every two shapes of one record that overlap so much; a WorkError names records beyond reason."""
        yield from _reached(region_overlaps(self._objects, other._objects, min_overlap=min_overlap), min_overlap)
        if self._stroke is not None:
            yield from _reached(tube_overlaps(self._objects, other._objects, stroke=self._stroke), min_overlap)

    def _length(self, at: int) -> float:
        begin, end = self._objects.starts[at], self._objects.starts[at + 1]
        corners = np.asarray(self._objects.points)[begin:end].reshape(-1, 2).tolist()
        return fsum(hypot(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(corners))


def _reached(pairs: tuple[Any, Any, Any], min_overlap: float) -> Iterator[tuple[int, int, float]]:
    a, b, score = (np.asarray(column) for column in pairs)
    reached = np.flatnonzero(score >= round(min_overlap * UNIT))
    yield from zip(a[reached].tolist(), b[reached].tolist(), (score[reached] / UNIT).tolist(), strict=True)
