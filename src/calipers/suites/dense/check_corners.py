"""A doubt about boxes of a dense dump: two corners in any order, or a corner and a size?

Both sides written as [x, y, w, h] agree with each other, so that no score gives them away. But a size is often smaller
than where it is, as a second corner to the right of and below the first never is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from calipers.suites.dense.interpretations import numbers_of

MIN_REVERSED, MIN_REVERSED_SHARE = 5, 0.25  # boxes whose corners are reversed, and their share of all
MIN_FITTING_SHARE = 0.95  # of those that fit as [x, y, w, h]


def doubt_of_corners(
    name: str, records: Iterable[Mapping[str, Any]], sides: Iterable[list[Any]], frame: str
) -> Iterator[str]:
    """A line if many boxes of a side have reversed corners, and nearly all fit their image as [x, y, w, h].

    >>> boxes = [{"type": "bbox_2d", "points": [600, 700, 80, 90]}] * 5
    >>> print(*doubt_of_corners("ground truth", [{}], [boxes], "norm1000"))
    ground truth: 5 of 5 boxes have x2 < x1 or y2 < y1, and fit as [x, y, w, h]: are they meant so?
    """
    total = reversed_boxes = fitting = 0
    for record, objects in zip(records, sides, strict=True):
        right, bottom = (record["width"], record["height"]) if frame == "pixel" else (1000, 1000)
        for x, y, third, fourth in _boxes(objects):
            total += 1
            reversed_boxes += third < x or fourth < y
            fitting += 0 <= third <= right - x and 0 <= fourth <= bottom - y
    if reversed_boxes >= max(MIN_REVERSED, MIN_REVERSED_SHARE * total) and fitting >= MIN_FITTING_SHARE * total:
        many = f"{reversed_boxes:,} of {total:,} boxes have x2 < x1 or y2 < y1"
        yield f"{name}: {many}, and fit as [x, y, w, h]: are they meant so?"


def _boxes(objects: list[Any]) -> Iterator[list[float]]:
    for item in objects:
        if isinstance(item, dict) and item.get("type") == "bbox_2d":
            numbers = numbers_of(item)
            if numbers and len(numbers) == 4:
                yield numbers
