"""Two quadrilaterals, whose edges are taken four at a time, share what they share edge by edge, to the bit."""

import random
from math import floor

import pytest

from calipers.core.shapes import FLAGS, Objects
from calipers.kernels.scan.flatten import ObjectColumns
from calipers.kernels.shape.plane import region_pairs

Ring = list[tuple[float, float]]
PLACES = [(0, 2), (0, 4), (994, 6), (100, 12), (0, 60), (300, 400), (0, 1000)]  # where corners are, and how far apart


def some_quads(rng: random.Random, low: int, spread: int, count: int) -> list[dict[str, object]]:
    """Boxes and quadrilaterals, many of which have sides and corners in common."""
    objects: list[dict[str, object]] = []
    for _ in range(count):
        x, y = (low + rng.randint(0, spread - 1) for _ in range(2))
        if rng.random() < 0.3:
            corners = [x, y, rng.randint(x + 1, low + spread), rng.randint(y + 1, low + spread)]
            objects.append({"type": "bbox_2d", "points": corners})
        else:
            objects.append({"type": "poly", "points": [low + rng.randint(0, spread) for _ in range(8)]})
    return objects


def side_of(objects: list[dict[str, object]]) -> Objects:
    columns = ObjectColumns({})
    columns.add_record(objects, False)
    return Objects(columns)


def ring_of(side: Objects, index: int) -> Ring:
    numbers = side.points.tolist()[side.starts[index] : side.starts[index + 1]]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def edge_pieces(a: Ring, b: Ring, ox: float, oy: float, *, take_shared: bool) -> float:
    """What the kernel does for polygons of any number of vertices."""
    total = 0.0
    for (px, py), (qx, qy) in zip([a[-1], *a], a, strict=False):
        n0, d0, n1, d1 = 0.0, 1.0, 1.0, 1.0
        for (rx, ry), (sx, sy) in zip([b[-1], *b], b, strict=False):
            s = (sx - rx) * (py - ry) - (sy - ry) * (px - rx)
            t = (sx - rx) * (qy - ry) - (sy - ry) * (qx - rx)
            same_way = (sx - rx) * (qx - px) + (sy - ry) * (qy - py) > 0
            if (s == t == 0 and not (take_shared and same_way)) or (s <= 0 and t <= 0 and (s < 0 or t < 0)):
                n1 = 0.0
                break
            if s < 0 and -s * d0 > n0 * (t - s):
                n0, d0 = -s, t - s
            elif t < 0 and s * d1 < n1 * (s - t):
                n1, d1 = s, s - t
        if n0 * d1 < n1 * d0:
            total += (n1 * d0 - n0 * d1) / (d0 * d1) * ((px - ox) * (qy - oy) - (py - oy) * (qx - ox))
    return total


def overlap(a: Ring, b: Ring, area_a: float, area_b: float) -> int:
    """In units of 1e-12."""
    first, second = sorted((a, b))
    middle = [
        floor(
            (max(min(p[axis] for p in ring) for ring in (a, b)) + min(max(p[axis] for p in ring) for ring in (a, b)))
            / 2
        )
        for axis in (0, 1)
    ]
    shared = edge_pieces(first, second, *middle, take_shared=True) + edge_pieces(
        second, first, *middle, take_shared=False
    )
    shared = max(0.0, min(shared / 2, min(area_a, area_b)))
    return int(shared / (area_a + area_b - shared) * 1e12 + 0.5)


@pytest.mark.parametrize(("low", "spread"), PLACES)
def test_quads_share_what_they_share_edge_by_edge(low: int, spread: int) -> None:
    rng = random.Random(spread)
    truth_objects = some_quads(rng, low, spread, 60)
    truth, pred = side_of(truth_objects), side_of([*truth_objects[:8], *some_quads(rng, low, spread, 52)])
    wanted = FLAGS["convex"] | FLAGS["integer"]
    compared = 0
    for i, j, score in zip(*(column.tolist() for column in region_pairs(truth, pred, 0.0)), strict=True):
        a, b = ring_of(truth, i), ring_of(pred, j)
        both = truth.flags[i] & pred.flags[j]
        if len(a) == len(b) == 4 and both & wanted == wanted and not both & FLAGS["box"]:
            assert score == overlap(a, b, truth.area[i], pred.area[j]), (a, b)
            compared += 1
    assert compared > 100
