"""Shapes to try the rulers on: named concave ones, and random ones from a seeded generator."""

import random
from math import cos, pi, sin

from .reference import crosses_itself, outline, properly_cross, turn

Polygon = list[tuple[float, float]]


def ell(size: int = 30, arm: int = 10) -> Polygon:
    return [(0, 0), (size, 0), (size, arm), (arm, arm), (arm, size), (0, size)]


def cup(size: int = 30, wall: int = 5) -> Polygon:
    """A U: floor and two walls."""
    inner = size - wall
    return [(0, 0), (size, 0), (size, size), (inner, size), (inner, wall), (wall, wall), (wall, size), (0, size)]


def comb(teeth: int = 6, length: int = 40) -> Polygon:
    """A back of height 5 and teeth 5 wide, 5 apart."""
    upper: Polygon = []
    for tooth in range(teeth):
        left = 10 * tooth
        upper += [(left, 5), (left, length), (left + 5, length), (left + 5, 5)]
    return [*upper[1:-1], (10 * teeth - 5, 0), (0, 0)]


def star(tips: int = 5, outer: float = 50, inner: float = 20) -> Polygon:
    radii = [outer if i % 2 == 0 else inner for i in range(2 * tips)]
    return [(60 + r * cos(pi * i / tips), 60 + r * sin(pi * i / tips)) for i, r in enumerate(radii)]


def spiral(turns: int = 2, gap: float = 20, thickness: float = 8) -> Polygon:
    """A strip wound around its inner end, twelve corners a turn: its outer side out, its inner side back."""
    steps = range(12 * turns + 1)
    outer, inner = (
        [(60 + (r + gap * i / 12) * cos(pi * i / 6), 60 + (r + gap * i / 12) * sin(pi * i / 6)) for i in steps]
        for r in (10 + thickness, 10)
    )
    return outer + inner[::-1]


CONCAVE = {
    "ell": ell(),
    "cup": cup(),
    "comb": comb(),
    "comb of twelve": comb(teeth=12),
    "star": star(),
    "thin star": star(tips=25, outer=60, inner=3),
    "spiral": spiral(),
    "dart": [(0, 0), (40, 20), (0, 40), (10, 20)],
    "arrow": [(0, 10), (20, 10), (20, 0), (40, 15), (20, 30), (20, 20), (0, 20)],
    "plus": [(10, 0), (20, 0), (20, 10), (30, 10), (30, 20), (20, 20), (20, 30), (10, 30), (10, 20), (0, 20), (0, 10),
             (10, 10)],
    "zigzag": [(0, 0), (10, 20), (20, 0), (30, 20), (40, 0), (40, 5), (30, 25), (20, 5), (10, 25), (0, 5)],
}  # fmt: skip


def moved(polygon: Polygon, dx: float, dy: float) -> Polygon:
    return [(x + dx, y + dy) for x, y in polygon]


def turned(polygon: Polygon, angle: float) -> Polygon:
    c, s = cos(angle), sin(angle)
    return [(c * x - s * y, s * x + c * y) for x, y in polygon]


def quad(rng: random.Random, low: int = 0, high: int = 1000) -> list[int]:
    """Four lattice points in any order: convex, concave, crossing or flat."""
    return [rng.randint(low, high) for _ in range(8)]


def sliver(rng: random.Random, size: int = 1000) -> list[int]:
    """A long quad less than a few units wide."""
    ax, ay, bx, by = (rng.randint(5, size - 5) for _ in range(4))
    near = [rng.randint(-2, 2) for _ in range(4)]
    return [ax, ay, bx, by, bx + near[0], by + near[1], ax + near[2], ay + near[3]]


def box(rng: random.Random, low: int = 0, high: int = 1000) -> list[int]:
    return [rng.randint(low, high) for _ in range(4)]


def untangled(points: Polygon) -> Polygon:
    """A simple polygon through the points: while two edges cross, the way between them is reversed (2-opt)."""
    ring, again = list(points), True
    while again:
        again = False
        for i in range(len(ring) - 2):
            for j in range(i + 2, len(ring) - (i == 0)):
                if properly_cross(ring[i], ring[i + 1], ring[j], ring[(j + 1) % len(ring)]):
                    ring[i + 1 : j + 1] = ring[i + 1 : j + 1][::-1]
                    again = True
    return ring


def in_general_position(points: Polygon) -> bool:
    """No three in a row on one line."""
    n = len(points)
    return all(turn(points[i], points[j], points[k]) for i in range(n) for j in range(i) for k in range(j))


def lattice_polygon(rng: random.Random, vertices: int, size: int = 1000) -> list[tuple[int, int]]:
    """A random simple polygon with integer vertices, no three of them on a line."""
    while True:
        points = [(rng.randint(0, size), rng.randint(0, size)) for _ in range(vertices)]
        if in_general_position(points):
            return untangled(points)


def float_polygon(rng: random.Random, vertices: int, size: float = 1000) -> Polygon:
    """A random simple polygon with generic vertices."""
    return untangled([(rng.uniform(0, size), rng.uniform(0, size)) for _ in range(vertices)])


def crossing_polygon(rng: random.Random, vertices: int, size: int = 60) -> list[tuple[int, int]]:
    """A random polygon whose edges properly cross, whose mean is not one of its vertices."""
    while True:
        points = [(rng.randint(0, size), rng.randint(0, size)) for _ in range(vertices)]
        total = (sum(x for x, _ in points), sum(y for _, y in points))
        if crosses_itself(outline(points)) and all((vertices * x, vertices * y) != total for x, y in points):
            return points
