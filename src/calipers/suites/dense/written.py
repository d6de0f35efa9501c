"""Bounds of dense objects by the numbers as they are written.

The reader cuts predictions to the frame and brings pixels to norm1000. What a check shows is what stands in the file,
so records of which something was changed are looked at once more; all others have the bounds that the reader found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from calipers.core.shapes import FLAGS, Batch, Objects
from calipers.files.lines import Shard
from calipers.suites.dense.parse import record_of
from calipers.suites.dense.read import side_objects

Find = Callable[[dict[int, int]], Iterator[tuple[int, Any]]]  # places of records by line -> places and records


def written_bounds(batch: Batch, frame: str, find: Find) -> tuple[Any, Any]:
    """(objects, 4) of the ground truth and of the predictions; what could not be read keeps what the reader has."""
    sides = batch.truth, batch.pred
    both = tuple(np.asarray(side.bounds, dtype=np.float64).reshape(-1, 4).copy() for side in sides)
    changed = np.arange(len(batch)) if frame == "pixel" else _clamped_records(batch.pred)
    places = {int(batch.lines[place]): place for place in changed.tolist()}
    for place, record in find(places) if places else ():
        for side, bounds, objects in zip(sides, both, side_objects(record, frame), strict=True):
            first = side.offsets[place]
            for at, item in enumerate(objects, first):
                if not side.reason[at]:
                    bounds[at] = _bounds(item["points"])
    return both  # type: ignore[return-value]


def in_shard(shard: Shard) -> Find:
    """How records of a file are found: by reading its lines again."""

    def find(places: dict[int, int]) -> Iterator[tuple[int, Any]]:
        return ((places[line], record_of(text)) for line, text in shard.lines() if text and line in places)

    return find


def in_list(records: list[Any]) -> Find:
    """How records in memory are found, which are counted from 1."""
    return lambda places: ((place, records[line - 1]) for line, place in places.items())


def _clamped_records(objects: Objects) -> Any:
    """The records that have an object which was cut to the frame."""
    rows = np.flatnonzero(np.asarray(objects.flags) & FLAGS["clamped"])
    return np.unique(np.searchsorted(np.asarray(objects.offsets), rows, side="right") - 1)


def _bounds(points: list[Any]) -> tuple[float, float, float, float]:
    """The bounds of points that are given as pairs or as one flat list.

    >>> _bounds([30, 5, 10, 2450]), _bounds([[0, 1], [2, -3], [1, 1]])
    ((10.0, 5.0, 30.0, 2450.0), (0.0, -3.0, 2.0, 1.0))
    """
    flat = [float(number) for point in points for number in (point if isinstance(point, (list, tuple)) else (point,))]
    xs, ys = flat[::2], flat[1::2]
    return min(xs), min(ys), max(xs), max(ys)
