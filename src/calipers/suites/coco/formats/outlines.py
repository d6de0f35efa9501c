"""Outlines of shapes as rows of COCO."""

from __future__ import annotations

import math

from calipers.suites.coco.formats.pieces import Row

Points = list[tuple[float, float]]


def bounds(points: Points) -> list[float]:
    """The box of some points, as x, y, width and height.

    >>> bounds([(1, 2), (4, 3)])
    [1, 2, 3, 1]
    """
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return [min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)]


def outline(points: Points) -> Row:
    """Box and segmentation of a polygon."""
    return {"bbox": bounds(points), "segmentation": [[number for point in points for number in point]]}


def turned(points: Points, pivot: tuple[float, float], degrees: float) -> Points:
    """Points turned around a pivot, clockwise on an image, whose y points down.

    >>> [(round(x), round(y)) for x, y in turned([(2, 0)], (0, 0), 90)]
    [(0, 2)]
    """
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    moved = [(x - pivot[0], y - pivot[1]) for x, y in points]
    return [(pivot[0] + x * cos - y * sin, pivot[1] + x * sin + y * cos) for x, y in moved]
