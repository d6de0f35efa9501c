"""Made-up shapes on the norm1000 grid: boxes, convex quads, bending lines, and the copies a model would predict.

Points are flat integer lists `x1, y1, x2, y2, …` inside [0, 1000]. Randomness comes only from the generator passed in.
"""

from __future__ import annotations

import math
from itertools import chain
from random import Random

Points = list[int]
Corners = list[tuple[float, float]]

FRAME = 1000


def shape(rng: Random, kind: str, size: tuple[int, int]) -> Points:
    """A shape of that type (`bbox_2d`, `poly`, `line`) whose sides, or length, lie in the range `size`."""
    return MAKERS[kind](rng, size)


def box(rng: Random, size: tuple[int, int]) -> Points:
    return settled([(0, 0), (between(rng, size), between(rng, size))], anywhere(rng))


def quad(rng: Random, size: tuple[int, int]) -> Points:
    """Four points on a turned ellipse: convex, also after rounding."""
    while True:
        across, along, turn = between(rng, size) / 2, between(rng, size) / 2, rng.gauss(0, 0.3)
        corners = [turned(across, along, turn, math.pi * (k / 2 + 0.25) + rng.gauss(0, 0.12)) for k in range(4)]
        points = settled(corners, anywhere(rng))
        if is_convex(points):
            return points


def line(rng: Random, size: tuple[int, int]) -> Points:
    """Two to eight points, bending mildly on the way."""
    steps = rng.randint(1, 7)
    step, heading, x, y = between(rng, size) / steps, rng.uniform(0, 2 * math.pi), 0.0, 0.0
    corners = [(x, y)]
    for _ in range(steps):
        x, y = x + step * math.cos(heading), y + step * math.sin(heading)
        heading += rng.gauss(0, 0.35)
        corners.append((x, y))
    return settled(corners, anywhere(rng))


MAKERS = {"bbox_2d": box, "poly": quad, "line": line}


def predicted(rng: Random, kind: str, points: Points, spread: float) -> Points:
    """A copy that is off by about `spread` of the shape's size (regions) or 100 times as many units (lines)."""
    return near_line(rng, points, 100 * spread) if kind == "line" else near_region(rng, points, spread)


def near_region(rng: Random, points: Points, spread: float) -> Points:
    """Shifted and stretched along both axes, so that a convex shape stays convex."""
    xs, ys = stretched(rng, points[0::2], spread), stretched(rng, points[1::2], spread)
    near = inside(list(zip(xs, ys, strict=True)))
    return near if len(near) == 4 or is_convex(near) else points


def near_line(rng: Random, points: Points, units: float) -> Points:
    """Shifted as a whole and shaken a little; now and then a bend is left out."""
    dx, dy = rng.gauss(0, 0.6 * units), rng.gauss(0, 0.6 * units)
    corners = [
        (x + dx + rng.gauss(0, 0.4 * units), y + dy + rng.gauss(0, 0.4 * units))
        for x, y in zip(points[0::2], points[1::2], strict=True)
    ]
    if len(corners) > 3 and rng.random() < 0.2:
        del corners[rng.randrange(1, len(corners) - 1)]
    return inside(corners)


def stretched(rng: Random, values: list[int], spread: float) -> list[float]:
    low, high = min(values), max(values)
    middle, extent = (low + high) / 2, max(high - low, 12)
    factor, shift = rng.gauss(1, spread), rng.gauss(0, spread * extent)
    return [middle + (value - middle) * factor + shift for value in values]


def between(rng: Random, size: tuple[int, int]) -> float:
    """A size in the range, small ones more often than large ones."""
    return float(size[0] * (size[1] / size[0]) ** rng.random())


def turned(across: float, along: float, turn: float, angle: float) -> tuple[float, float]:
    x, y = across * 1.414 * math.cos(angle), along * 1.414 * math.sin(angle)
    return x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)


def anywhere(rng: Random) -> tuple[float, float]:
    return rng.random(), rng.random()


def settled(corners: Corners, place: tuple[float, float]) -> Points:
    """The corners moved so that their bounds lie at `place` (0 … 1 both ways) of the room the frame leaves them."""
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    dx = place[0] * (FRAME - (max(xs) - min(xs))) - min(xs)
    dy = place[1] * (FRAME - (max(ys) - min(ys))) - min(ys)
    return inside([(x + dx, y + dy) for x, y in corners])


def inside(corners: Corners) -> Points:
    """Integer points, moved back as a whole where they leave the frame."""
    xs, ys = within([x for x, _ in corners]), within([y for _, y in corners])
    return list(chain.from_iterable(zip(xs, ys, strict=True)))


def within(values: list[float]) -> list[int]:
    whole = [round(value) for value in values]
    shift = max(0, -min(whole)) - max(0, max(whole) - FRAME)
    return [min(FRAME, max(0, value + shift)) for value in whole] if shift else whole


def is_convex(points: Points) -> bool:
    """Strictly, and counter-clockwise on the grid."""
    corners = list(zip(points[0::2], points[1::2], strict=True))
    return all(
        (bx - ax) * (cy - by) > (by - ay) * (cx - bx)
        for (ax, ay), (bx, by), (cx, cy) in zip(
            corners, corners[1:] + corners[:1], corners[2:] + corners[:2], strict=True
        )
    )
