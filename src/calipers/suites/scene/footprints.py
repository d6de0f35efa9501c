"""Boxes seen from above: their outlines on the ground, and the part of the ground that a picture shows.

A picture shows where the ground truth is. What lies far from it must not shrink the rest to a speck, so a few objects
far from all others, and predictions far from the ground truth, may lie outside of it; whoever draws says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import ceil
from statistics import median
from typing import NamedTuple

from calipers.core.sums import add_in_order

Point = tuple[float, float]

FAR = 10  # times the usual distance from the middle
FARTHEST = 1e12  # metres; what is farther away is drawn as if it were here
SMALLEST = 0.01  # metres across a picture


class Footprint(NamedTuple):
    """One box from above. A partner is a place in the list of the other side."""

    corners: list[Point]  # convex
    label: str
    center: Point
    partner: int | None
    state: str  # "found" or "missed" for ground truth; "matched", or the cause of a false positive, for predictions
    tooltip: str


class SceneView(NamedTuple):
    """One scene from above."""

    name: str
    truth: list[Footprint]
    pred: list[Footprint]
    unplaced: int = 0  # predictions that have no box


class Window(NamedTuple):
    """A rectangle on the ground."""

    left: float
    low: float
    right: float
    high: float

    @property
    def width(self) -> float:
        """Width in metres."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Height in metres."""
        return self.high - self.low

    def holds(self, point: Point) -> bool:
        """Whether a point is in it or on its edge."""
        return self.left <= point[0] <= self.right and self.low <= point[1] <= self.high

    def grown(self, across: float, up: float) -> Window:
        """The window, enlarged by a margin on each side."""
        return Window(self.left - across, self.low - up, self.right + across, self.high + up)

    def shaped(self, aspect: float) -> Window:
        """The smallest window around this one with a given ratio of width to height."""
        width = max(self.width, self.height * aspect)
        return self.grown((width - self.width) / 2, (width / aspect - self.height) / 2)


def footprint(center: Sequence[float], half: Sequence[float], axes: Sequence[float]) -> list[Point]:
    """The outline of a box from above, counter-clockwise from its leftmost corner: four corners, more if it is tilted.

    `axes` are three unit vectors one after the other, `half` is half the size along each.

    >>> footprint((1, 2, 0), (1, 0.5, 3), (1, 0, 0, 0, 1, 0, 0, 0, 1))
    [(0.0, 1.5), (2.0, 1.5), (2.0, 2.5), (0.0, 2.5)]
    """
    corners = []
    for signs in product((-1, 1), repeat=3):
        steps = [sign * length for sign, length in zip(signs, half, strict=True)]
        x, y = (center[j] + add_in_order(steps[k] * axes[3 * k + j] for k in range(3)) for j in (0, 1))
        corners.append(_near((x, y)))
    return _hull(corners)


def _tame(value: float) -> float:
    return float(max(-FARTHEST, min(FARTHEST, value)))


def within_reach(scene: SceneView) -> SceneView:
    """A copy of the scene without objects that are too far away to compute with."""
    truth, pred = (
        [
            footprint._replace(corners=[_near(c) for c in footprint.corners], center=_near(footprint.center))
            for footprint in side
        ]
        for side in (scene.truth, scene.pred)
    )
    return scene._replace(truth=truth, pred=pred)


def _near(point: Point) -> Point:
    return _tame(point[0]), _tame(point[1])


def _hull(points: Sequence[Point]) -> list[Point]:
    ordered = sorted(set(points))
    return ordered if len(ordered) < 3 else _chain(ordered) + _chain(ordered[::-1])


def _chain(ordered: Sequence[Point]) -> list[Point]:
    """The lower half of the hull of points from left to right, without its end."""
    hull: list[Point] = []
    for point in ordered:
        while len(hull) > 1 and _turn(hull[-2], hull[-1], point) <= 0:
            hull.pop()
        hull.append(point)
    return hull[:-1]


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def area(corners: Sequence[Point]) -> float:
    """The area of an outline.

    >>> area([(0, 0), (2, 0), (2, 3), (0, 3)])
    6.0
    """
    around = zip(corners, [*corners[1:], *corners[:1]], strict=True)
    return abs(add_in_order(a[0] * b[1] - a[1] * b[0] for a, b in around)) / 2


# What a picture shows


def window(scene: SceneView) -> Window:
    """The part of the ground to show: where the ground truth is, or else the predictions, with what is near."""
    shown = scene.truth or scene.pred
    if not shown:
        return Window(-1, -1, 1, 1)
    middle, usual = _bounds(_without_far(shown)), _usual_size(shown)
    near = max(middle.width / 2, middle.height / 2, 6 * usual)
    reach, limit = middle.grown(near, near), middle.grown(1.5 * near, 1.5 * near)
    seen = _bounds([footprint for footprint in (*scene.truth, *scene.pred) if reach.holds(footprint.center)])
    seen = Window(*map(max, seen[:2], limit[:2]), *map(min, seen[2:], limit[2:]))
    margin = max(0.04 * max(seen.width, seen.height), SMALLEST / 2)
    return seen.grown(margin, margin)


def _without_far(footprints: Sequence[Footprint]) -> list[Footprint]:
    """All but the few, a fifth at most, that reach much farther from the middle than is usual."""
    x, y = (median(footprint.center[axis] for footprint in footprints) for axis in (0, 1))
    away = [median(abs(footprint.center[axis] - (x, y)[axis]) for footprint in footprints) for axis in (0, 1)]
    limit = FAR * max(*away, _usual_size(footprints))
    nearest = sorted(footprints, key=lambda candidate: _radius(candidate, (x, y)))
    usual = max(1, len(nearest) - ceil(len(nearest) / 5))
    return nearest[:usual] + [candidate for candidate in nearest[usual:] if _radius(candidate, (x, y)) <= limit]


def _usual_size(footprints: Sequence[Footprint]) -> float:
    return median(_radius(footprint, footprint.center) for footprint in footprints)


def _radius(footprint: Footprint, center: Point) -> float:
    """The largest distance of a footprint from a point, along the axes."""
    return max(abs(corner[axis] - center[axis]) for corner in footprint.corners for axis in (0, 1))


def _bounds(footprints: Sequence[Footprint]) -> Window:
    xs, ys = zip(*(corner for footprint in footprints for corner in footprint.corners), strict=True)
    return Window(min(xs), min(ys), max(xs), max(ys))


def clipped(corners: Sequence[Point], frame: Window) -> list[Point]:
    """The part of an outline in a rectangle.

    >>> clipped([(0, 0), (4, 0), (4, 1), (0, 1)], Window(1, -1, 3, 2))
    [(1.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0, 1.0)]
    """
    outline = list(corners)
    for axis, limit, sign in ((0, frame.left, 1), (0, frame.right, -1), (1, frame.low, 1), (1, frame.high, -1)):
        outline = _cut(outline, axis, limit, sign)
    return outline


def _cut(corners: Sequence[Point], axis: int, limit: float, sign: int) -> list[Point]:
    """What is left of an outline on one side of a line."""
    outline: list[Point] = []
    for a, b in zip([*corners[-1:], *corners[:-1]], corners, strict=True):
        before, after = (sign * (point[axis] - limit) for point in (a, b))
        if (before < 0) != (after < 0):
            share = before / (before - after)
            outline.append((a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])))
        if after >= 0:
            outline.append(b)
    return outline
