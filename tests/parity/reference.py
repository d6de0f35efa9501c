"""References to measure the rulers against: slow, short, and written from the definitions alone.

Regions are computed in fractions, so their results have no error at all. Tubes of integer lines are counted in
integers. Nothing here imports the code under test.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise
from math import hypot

import numpy as np

Number = int | float | Fraction
Point = tuple[Number, Number]

GRID = 1000


def points_of(numbers: Sequence) -> list[Point]:
    """Points of a flat list or a list of points.

    >>> points_of([0, 0, 4, 0, 0, 3])
    [(0, 0), (4, 0), (0, 3)]
    """
    if len(numbers) and hasattr(numbers[0], "__len__"):
        return [(x, y) for x, y in numbers]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def outline(shape: Sequence) -> list[Point]:
    """Corners of a region in fractions: a box has two given corners, a polygon all of them.

    >>> [(int(x), int(y)) for x, y in outline([4, 3, 0, 0])]
    [(4, 3), (0, 3), (0, 0), (4, 0)]
    """
    points = [(Fraction(x), Fraction(y)) for x, y in points_of(shape)]
    if len(points) == 2:
        (left, top), (right, bottom) = points
        points = [(left, top), (right, top), (right, bottom), (left, bottom)]
    return [p for p, before in zip(points, points[-1:] + points[:-1], strict=True) if p != before]


def edges(polygon: Sequence[Point]) -> list[tuple[Point, Point]]:
    return list(zip(polygon, [*polygon[1:], *polygon[:1]], strict=True))


def turn(a: Point, b: Point, c: Point) -> Number:
    """Twice the signed area of a, b, c: positive to the left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def signed_area(polygon: Sequence[Point]) -> Fraction:
    return sum((Fraction(p[0] * q[1] - p[1] * q[0]) for p, q in edges(polygon)), Fraction(0)) / 2


def properly_cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether the inner parts of ab and cd meet in one point."""
    return turn(a, b, c) * turn(a, b, d) < 0 and turn(c, d, a) * turn(c, d, b) < 0


def crosses_itself(polygon: Sequence[Point]) -> bool:
    sides = edges(polygon)
    return any(properly_cross(*e, *f) for i, e in enumerate(sides) for f in sides[:i])


def by_angle(polygon: Sequence[Point]) -> list[Point]:
    """Vertices in the order of their angle around their mean; of two in one direction, the nearer first."""
    mean_x, mean_y = (Fraction(sum(p[axis] for p in polygon), len(polygon)) for axis in (0, 1))

    def order(p: Point, q: Point) -> int:
        (px, py), (qx, qy) = ((x - mean_x, y - mean_y) for x, y in (p, q))
        nearer = -1 if px * px + py * py < qx * qx + qy * qy else 1
        px, qx = px if px or py else 1, qx if qx or qy else 1  # the mean itself is at angle 0
        later = ((py, px) < (0, 0)) - ((qy, qx) < (0, 0))  # angles from 0 up to pi before those from pi on
        ahead = py * qx - px * qy
        return later or (ahead > 0) - (ahead < 0) or nearer

    return sorted(polygon, key=cmp_to_key(order))


def repaired(shape: Sequence) -> list[Point]:
    """The region meant by a shape: itself, or its vertices by angle when its edges properly cross.

    >>> [(int(x), int(y)) for x, y in repaired([0, 0, 2, 2, 2, 0, 0, 2])]
    [(2, 2), (0, 2), (0, 0), (2, 0)]
    """
    polygon = outline(shape)
    return by_angle(polygon) if crosses_itself(polygon) else polygon


def is_convex(polygon: Sequence[Point]) -> bool:
    """Whether a simple polygon turns one way only (points along an edge allowed, going back is not)."""
    ring = [*polygon, *polygon[:2]]
    turns = [turn(*ring[i : i + 3]) for i in range(len(polygon))]
    back = any(
        t == 0 and (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) < 0
        for t, a, b, c in zip(turns, ring, ring[1:], ring[2:], strict=False)
    )
    return not back and (all(t >= 0 for t in turns) or all(t <= 0 for t in turns))


def clipped(polygon: list[Point], a: Point, b: Point) -> list[Point]:
    """The part of a polygon left of the line through a and b (Sutherland and Hodgman)."""
    kept = []
    for p, q in edges(polygon):
        at_p, at_q = turn(a, b, p), turn(a, b, q)
        if at_p >= 0:
            kept.append(p)
        if at_p * at_q < 0:
            share = Fraction(at_p, at_p - at_q)
            kept.append((p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])))
    return kept


def convex_overlap(a: Sequence[Point], b: Sequence[Point]) -> Fraction:
    """Area shared by two convex polygons, by clipping one with the edges of the other."""
    rest = list(a)
    for p, q in edges(b if signed_area(b) > 0 else b[::-1]):
        rest = clipped(rest, p, q)
    return abs(signed_area(rest))


def crossing_heights(a: Sequence[Point], b: Sequence[Point]) -> set[Number]:
    """Heights at which an edge of a passes through an edge of b."""
    found = set()
    for p, q in edges(a):
        for r, s in edges(b):
            at_r, at_s = turn(p, q, r), turn(p, q, s)
            if at_r * at_s < 0 and turn(r, s, p) * turn(r, s, q) < 0:
                found.add(r[1] + Fraction(at_r, at_r - at_s) * (s[1] - r[1]))
    return found


def inside_at(polygon: Sequence[Point], height: Fraction) -> list[tuple[Fraction, Fraction]]:
    """Where a horizontal line through no vertex is inside: between its first and second edge, third and fourth, …"""
    xs = sorted(
        p[0] + (height - p[1]) * Fraction(q[0] - p[0], q[1] - p[1])
        for p, q in edges(polygon)
        if (p[1] < height) != (q[1] < height)
    )
    return list(zip(xs[::2], xs[1::2], strict=True))


def simple_overlap(a: Sequence[Point], b: Sequence[Point]) -> Fraction:
    """Area shared by two simple polygons: cut into slabs where no edges cross, each as wide as in its middle."""
    heights = sorted({y for _, y in [*a, *b]} | crossing_heights(a, b))
    area = Fraction(0)
    for low, high in pairwise(heights):
        middle = (low + high) / 2
        for left, right in inside_at(a, middle):
            for start, stop in inside_at(b, middle):
                area += (high - low) * max(Fraction(0), min(right, stop) - max(left, start))
    return area


def region_iou(a: Sequence, b: Sequence) -> Fraction:
    """Exact IoU of two regions; 0 when one of them has no area.

    >>> region_iou([0, 0, 2, 2], [1, 1, 3, 3])
    Fraction(1, 7)
    """
    p, q = repaired(a), repaired(b)
    area_a, area_b = abs(signed_area(p)), abs(signed_area(q))
    if not area_a or not area_b:
        return Fraction(0)
    overlap = convex_overlap if is_convex(p) and is_convex(q) else simple_overlap
    shared = overlap(p, q)
    return shared / (area_a + area_b - shared)


def stroke_width(tolerance: float) -> int:
    """Width of a tube in cells; halves go to the even number.

    >>> [stroke_width(t) for t in (0, 0.25, 0.5, 0.75, 1, 1.25, 8)]
    [1, 1, 1, 2, 2, 2, 16]
    """
    return max(1, round(2 * Fraction(tolerance)))


def tube_cells(line: Sequence, tolerance: float) -> np.ndarray:
    """Cells of the tube of an integer line, as a mask of the grid: [row, column].

    Lengths are doubled, so that centres of cells are odd integers and half the stroke width is the width itself.
    Every cell around a segment is tried. The largest product is (4000 * 2829) ** 2 < 2 ** 63.
    """
    width = stroke_width(tolerance)
    mask = np.zeros((GRID, GRID), dtype=bool)
    points = [(2 * int(x), 2 * int(y)) for x, y in points_of(line)]
    for (ax, ay), (bx, by) in pairwise(points):
        left, right = max(0, (min(ax, bx) - width) // 2 - 1), min(GRID, (max(ax, bx) + width) // 2 + 2)
        top, bottom = max(0, (min(ay, by) - width) // 2 - 1), min(GRID, (max(ay, by) + width) // 2 + 2)
        x = (2 * np.arange(left, right, dtype=np.int64) + 1)[None, :]
        y = (2 * np.arange(top, bottom, dtype=np.int64) + 1)[:, None]
        dx, dy = bx - ax, by - ay
        along = (x - ax) * dx + (y - ay) * dy
        beside = ((x - ax) * dy - (y - ay) * dx) ** 2 <= width**2 * (dx * dx + dy * dy)
        near_a = (x - ax) ** 2 + (y - ay) ** 2 <= width**2
        near_b = (x - bx) ** 2 + (y - by) ** 2 <= width**2
        between = (along > 0) & (along < dx * dx + dy * dy)
        mask[top:bottom, left:right] |= near_a | near_b | (between & beside)
    return mask


def mask_iou(a: np.ndarray, b: np.ndarray) -> Fraction:
    """Shared cells over all cells; 0 when there is none."""
    union = int(np.count_nonzero(a | b))
    return Fraction(int(np.count_nonzero(a & b)), union) if union else Fraction(0)


def tube_iou(a: Sequence, b: Sequence, tolerance: float = 8) -> Fraction:
    """Exact IoU of the tubes of two integer lines.

    >>> tube_iou([0, 0, 20, 0], [0, 0, 11, 0], 0.5)
    Fraction(11, 20)
    """
    return mask_iou(tube_cells(a, tolerance), tube_cells(b, tolerance))


def distances(x: np.ndarray, y: np.ndarray, line: Sequence) -> np.ndarray:
    """Distance of each place to a polyline, in floating point."""
    nearest = np.full(np.broadcast(x, y).shape, np.inf)
    for (ax, ay), (bx, by) in pairwise(points_of(line)):
        dx, dy = bx - ax, by - ay
        square = dx * dx + dy * dy
        share = np.clip(((x - ax) * dx + (y - ay) * dy) / square, 0, 1) if square else 0.0
        nearest = np.minimum(nearest, np.hypot(x - ax - share * dx, y - ay - share * dy))
    return nearest


def cell_distances(line: Sequence, size: int = GRID) -> np.ndarray:
    """Distance of the centre of each cell to any line, as floats: [row, column], as many as asked for."""
    centres = np.arange(size) + 0.5
    return distances(centres[None, :], centres[:, None], line)


def samples(line: Sequence) -> list[Point]:
    """Points at 0, 1, 2, … units along a polyline, and its end, unless that is one of them (to within 1e-9).

    >>> samples([0, 0, 2, 0, 2, 0.5])
    [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (2.0, 0.5)]
    """
    points = points_of(line)
    lengths = [hypot(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(points)]
    found, passed, at, end = [], 0.0, 0, sum(lengths) - 1e-9
    for ((ax, ay), (bx, by)), length in zip(pairwise(points), lengths, strict=True):
        while at < end and at <= passed + length:
            share = (at - passed) / length if length else 0.0
            found.append((ax + share * (bx - ax), ay + share * (by - ay)))
            at += 1
        passed += length
    return [*found, (float(points[-1][0]), float(points[-1][1]))]


def share_within(places: Sequence[Point], line: Sequence, tolerance: float) -> float:
    xs, ys = np.array(places).T
    return float(np.count_nonzero(distances(xs, ys, line) <= tolerance)) / len(places)


def line_coverage(truth: Sequence, pred: Sequence, tolerance: float = 8) -> tuple[float, float, float]:
    """Share of truth samples near the prediction, the reverse, and their harmonic mean.

    >>> line_coverage([0, 0, 3, 0], [0, 0, 1, 0], 1)
    (0.75, 1.0, 0.8571428571428571)
    """
    recall = share_within(samples(truth), pred, tolerance)
    precision = share_within(samples(pred), truth, tolerance)
    return recall, precision, 2 * recall * precision / (recall + precision) if recall + precision else 0.0


def is_rounded(value: float, exact: Fraction) -> bool:
    """Whether a value is the exact one rounded to 12 decimals (either way at a half, to within 1e-15)."""
    number = float(value)
    return number == round(number, 12) and abs(Fraction(number) - exact) <= Fraction(501, 10**15)
