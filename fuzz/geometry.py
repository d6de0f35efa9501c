"""Shapes at the edge of what a float can hold, through every ruler: `python -m fuzz.geometry --cases 4000 --seed 0`.

Coordinates are tiny (1e-300 to 1e-150), huge (1e150 to 1e308) or plain, and often equal, on one line or a bit apart.
Outlines meet themselves: loops at one vertex, either way round, and others that are gone around again.
Whatever goes in, a ruler gives a finite number from 0 to 1, the same for both orders, and 1 for a shape with itself
unless that has no area, no volume or no cell; or it refuses with an error of Calipers. Nothing else, and no crash: run
this in a process with sanitizers (`make sanitize`). Exit status 1 when a promise is broken.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

import calipers
from calipers import judge

NEARLY = 0.999  # of a shape with itself: one that is hardly wider than rounding loses some of it
CASES = 4000
RULERS_OF_JUDGE = {"polygon": "polygon", "line": "line", "rotated": "rotated", "box3d": "cuboid", "iou": "bbox"}


class Ruler(NamedTuple):
    """How shapes are made, and how close two of them are; `symmetric` if their order does not matter."""

    make: Callable[[Random], Any]
    measure: Callable[[Any, Any], Any]
    symmetric: bool = True


# Coordinates


def some_number(rng: Random) -> float:
    """A plain, tiny or huge number."""
    kind = rng.random()
    if kind < 0.45:
        return rng.choice((0.0, 1.0, 1000.0, 500.0, rng.uniform(0, 1000), float(rng.randint(0, 1000))))
    if kind < 0.75:
        return 10 ** rng.uniform(-300, -150)
    if kind < 0.9:
        return 10 ** rng.uniform(150, 308)
    return rng.choice((5e-324, 1e-165, 1e-100, 1e99, 1e100, 1.7e308, -1.0, -1e-200, 999.9999999999999))


def beside(rng: Random, number: float) -> float:
    """Nearly the same number."""
    return rng.choice((math.nextafter(number, math.inf), number * (1 + 1e-12), number + 1e-9, number + 1e-165, number))


def palette(rng: Random) -> list[float]:
    """The few numbers that the coordinates of a case come from, so that many are equal or nearly so."""
    numbers = [0.0, 1000.0] if rng.random() < 0.5 else []
    numbers += [some_number(rng) for _ in range(rng.randint(1, 4))]
    return numbers + [beside(rng, rng.choice(numbers)) for _ in range(rng.randint(0, 3))]


def ring(rng: Random, fewest: int, most: int) -> list[list[float]]:
    """Points: any of them, a zigzag too small to see among plain ones, or points on one line."""
    numbers, count = palette(rng), rng.randint(fewest, most)
    points = [[rng.choice(numbers), rng.choice(numbers)] for _ in range(count)]
    shape = rng.random()
    if shape < 0.2:
        step, height = 10 ** rng.uniform(-300, -150), 10 ** rng.uniform(-300, -150)
        zigzag = [[i * step, height if i % 2 else 0.0] for i in range(rng.randint(2, 60))]
        return [*zigzag, [1000.0, 0.0], [1000.0, 1000.0], [0.0, 1000.0]]
    if shape < 0.35:
        (ax, ay), (bx, by) = points[0], points[1]
        return [
            [ax + t * (bx - ax), ay + t * (by - ay)] for t in (rng.choice((0, 0.5, 1, rng.random())) for _ in points)
        ]
    return points


def loops(rng: Random) -> list[list[float]]:
    """Triangles or more at one vertex, or at others of the loop before, some of them gone around again or back."""
    points = ring(rng, 3, 5)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(points))
        fold = (points, ring(rng, 2, 4), points[::-1])[rng.choice((0, 1, 1, 1, 2))]
        points = [*points[: at + 1], *fold, *points[at:]]
    return points


def plain_loops(rng: Random) -> list[list[float]]:
    """Boxes and triangles on few places, which rarely cross each other and often touch, at any scale and place."""
    size, x, y = 10 ** rng.uniform(-120, 90), *rng.choices((0.0, 0.0, 1.0, 7.0, 1 / 3), k=2)
    points: list[list[float]] = [[0, 0]]
    for _ in range(rng.randint(2, 5)):
        (left, top), wide, high = rng.choice(points), rng.choice((-2, -1, 1, 2)), rng.choice((-2, -1, 1, 2))
        loop = [[left, top], [left + wide, top], [left + wide, top + high], [left, top + high]]
        at = points.index([left, top])
        points[at:at] = rng.choice((loop, loop[:3], loop[::-1], loop + loop))
    return [[(px + x) * size, (py + y) * size] for px, py in points]


def polygon(rng: Random) -> list[list[float]]:
    """Three points or more."""
    kind = rng.random()
    return ring(rng, 3, 12) if kind < 0.6 else loops(rng) if kind < 0.75 else plain_loops(rng)


def box(rng: Random) -> list[float]:
    """Two corners in order."""
    numbers = palette(rng)
    (x1, x2), (y1, y2) = (sorted(rng.choices(numbers, k=2)) for _ in range(2))
    return [x1, y1, x2, y2]


def region(rng: Random) -> Any:
    """A box or a polygon."""
    return box(rng) if rng.random() < 0.3 else polygon(rng)


def line(rng: Random) -> list[list[float]]:
    """Two points or more."""
    return ring(rng, 2, 9)


def rotated(rng: Random) -> list[float]:
    """Centre, size and degrees."""
    return [*rng.choices(palette(rng), k=4), rng.choice((0.0, 30.0, 90.0, 1e-160, 1e15))]


def cuboid(rng: Random) -> list[float]:
    """Centre, size and yaw."""
    return [*rng.choices(palette(rng), k=6), rng.choice((0.0, 0.3, math.pi / 4, 1e-160, 1e300))]


def judged(ruler: str) -> Callable[[Any, Any], Any]:
    """The score of a verdict on one shape against another."""
    name = RULERS_OF_JUDGE[ruler]

    def score(a: Any, b: Any) -> Any:
        payload = {"candidate_answer": json.dumps({name: a}), "reference_answer": {name: b}}
        return getattr(judge, ruler)(payload)["score"]

    return score


def rewarded(a: Any, b: Any) -> float:
    """The reward of a polygon against one in the frame, which is ground truth."""
    clamped = [min(max(each, 0.0), 1000.0) for point in b for each in point]
    truth = [{"type": "poly", "points": clamped, "desc": "a"}]
    answer = [{"type": "poly", "points": [each for point in a for each in point], "desc": "a"}]
    return calipers.reward(json.dumps(answer), truth)


def covered(a: Any, b: Any) -> float:
    """How much of one line runs along another, and the other way round."""
    return calipers.line_coverage(a, b)[2]


RULERS: dict[str, Ruler] = {
    "region_iou": Ruler(region, calipers.region_iou),
    "tube_iou": Ruler(line, calipers.tube_iou),
    "line_coverage": Ruler(line, covered),
    "cuboid_iou": Ruler(cuboid, calipers.cuboid_iou),
    "cuboid_iou aabb": Ruler(cuboid, lambda a, b: calipers.cuboid_iou(a, b, iou_mode="aabb")),
    "reward": Ruler(polygon, rewarded, symmetric=False),
    "judge polygon": Ruler(polygon, judged("polygon")),
    "judge line": Ruler(line, judged("line")),
    "judge rotated": Ruler(rotated, judged("rotated")),
    "judge box3d": Ruler(cuboid, judged("box3d")),
    "judge iou": Ruler(box, judged("iou")),
}


# Promises


def measured(ruler: Ruler, a: Any, b: Any) -> float | None:
    """How close two shapes are; None if the ruler refuses them."""
    try:
        found = ruler.measure(a, b)
    except calipers.CalipersError:
        return None
    return None if found is None else float(found)


def broken_promise(ruler: Ruler, a: Any, b: Any) -> str | None:
    """What two shapes break, if anything."""
    there, back, same = measured(ruler, a, b), measured(ruler, b, a), measured(ruler, a, a)
    for found in (there, back, same):
        if found is not None and not 0.0 <= found <= 1.0:
            return f"{found}, expected a number from 0 to 1"
    if ruler.symmetric and there != back:
        return f"{there} one way and {back} the other"
    if same is not None and 0.0 < same < NEARLY:
        return f"{same} with itself"
    return None


def cases(seed: int, count: int) -> Iterator[tuple[int, str, Any, Any]]:
    """Integers that cases are made from, with their rulers and shapes."""
    for number in range(seed, seed + count):
        rng = Random(number)
        name = rng.choice(list(RULERS))
        a = RULERS[name].make(rng)
        yield number, name, a, a if rng.random() < 0.1 else RULERS[name].make(rng)


def run(seed: int, count: int) -> list[str]:
    """All promises that are broken, in words."""
    broken: list[str] = []
    for number, name, a, b in cases(seed, count):
        problem = broken_promise(RULERS[name], a, b)
        if problem:
            broken.append(f"{number} {name}: {problem}\n  {a!r}\n  {b!r}")
    return broken


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.geometry", description=__doc__)
    parser.add_argument("--cases", type=int, default=CASES, help="how many")
    parser.add_argument("--seed", type=int, default=0, help="the first integer that cases are made from")
    given = parser.parse_args()
    broken = run(given.seed, given.cases)
    lines = [*broken[:20], f"{given.cases} cases, {len(RULERS)} rulers, {len(broken)} broken promises"]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
