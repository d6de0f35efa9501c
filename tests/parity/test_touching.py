"""Polygons that touch themselves against shapely: faces of the outline that it winds around, each once.

Outlines are closed walks along the edges of a triangulated lattice, so that edges never cut through each other, while
vertices come again, edges are gone along twice, and loops go either way round. Where straight stretches are written
without their inner vertices, vertices lie inside other edges as well.
"""

import random
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import cos, sin

import pytest
import shapely
from shapely.ops import polygonize, unary_union

import calipers

from . import reference

Point = tuple[float, float]


def neighbours(place: Point, size: int, rising: set[Point]) -> list[Point]:
    """Along the lattice, and along the one diagonal of each cell: rising or falling."""
    x, y = place
    steps = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    steps += [(1, 1)] * ((x, y) in rising) + [(-1, -1)] * ((x - 1, y - 1) in rising)
    steps += [(1, -1)] * ((x, y - 1) not in rising) + [(-1, 1)] * ((x - 1, y) not in rising)
    return [(x + dx, y + dy) for dx, dy in steps if 0 <= x + dx <= size and 0 <= y + dy <= size]


def closed_walk(rng: random.Random, size: int, steps: int) -> list[Point]:
    """Some steps, seldom straight back, and then the way home along the lattice."""
    rising = {(x, y) for x in range(size) for y in range(size) if rng.random() < 0.5}
    walk = [(rng.randint(0, size), rng.randint(0, size))]
    for _ in range(steps):
        ahead = [place for place in neighbours(walk[-1], size, rising) if place not in walk[-2:-1]]
        walk.append(rng.choice(ahead if rng.random() < 0.9 else neighbours(walk[-1], size, rising)))
    while walk[-1] != walk[0]:
        (x, y), (home_x, home_y) = walk[-1], walk[0]
        walk.append((x + (home_x > x) - (home_x < x), y) if home_x != x else (x, y + (home_y > y) - (home_y < y)))
    return walk[:-1]


def straightened(rng: random.Random, ring: list[Point], share: float) -> list[Point]:
    """Without some of the vertices at which it goes straight on."""
    kept = list(ring)
    for place in ring:
        k = kept.index(place)
        (ax, ay), (bx, by), (cx, cy) = kept[k - 1], kept[k], kept[(k + 1) % len(kept)]
        straight = (bx - ax) * (cy - by) == (by - ay) * (cx - bx) and (bx - ax) * (cx - bx) + (by - ay) * (cy - by) > 0
        if straight and len(kept) > 3 and rng.random() < share:
            kept.pop(k)
    return kept


def winding_number(ring: list[Point], x: Fraction, y: Fraction) -> int:
    """How often a ring goes around a point, by its edges to the right."""
    found = 0
    for a, b in reference.edges(ring):
        side = reference.turn(a, b, (x, y))
        found += (a[1] <= y < b[1] and side > 0) - (b[1] <= y < a[1] and side < 0)
    return found


def enclosed(ring: list[Point]) -> shapely.Geometry:
    """The faces of the plane, cut along the ring, that it winds around; found once for each ring."""
    return _enclosed(tuple(ring))


@cache
def _enclosed(ring: tuple[Point, ...]) -> shapely.Geometry:
    faces = polygonize(unary_union(shapely.LineString([*ring, ring[0]])))
    inside = ((face, face.representative_point()) for face in faces)
    return unary_union([face for face, place in inside if winding_number(ring, Fraction(place.x), Fraction(place.y))])


def shapely_iou(a: shapely.Geometry, b: shapely.Geometry) -> float:
    shared = a.intersection(b).area
    return shared / (a.area + b.area - shared)


@cache
def outlines(seed: int, count: int, size: int, steps: int, share: float) -> list[list[Point]]:
    """Those of so many walks that enclose something and whose edges still do not cross."""
    rng, found = random.Random(seed), []
    for _ in range(count):
        ring = straightened(rng, closed_walk(rng, size, steps), share)
        if len(ring) > 2 and not reference.crosses_itself(ring) and enclosed(ring).area:
            found.append(ring)
    return found


# Seed and number of walks, size of the plane, steps of a walk, share of vertices left out where it goes straight on
WALKS = {
    "few steps": (1, 150, 2, 7, 0),
    "many steps": (2, 40, 6, 50, 0),
    "swept": (3, 8, 12, 250, 0),
}
STRAIGHTENED = {
    "straight edges": (4, 150, 3, 14, 1),
    "some straight edges": (5, 40, 4, 30, 0.5),
}


@pytest.fixture
def rings(request: pytest.FixtureRequest) -> list[list[Point]]:
    return outlines(*(WALKS | STRAIGHTENED)[request.param])


@pytest.mark.parametrize("rings", WALKS | STRAIGHTENED, indirect=True)
def test_what_an_outline_encloses_is_what_shapely_finds(rings):
    assert len(rings) >= 8
    frame = [-1, -1, 13, 13]
    for ring in rings:
        expected = enclosed(ring)
        assert calipers.region_iou(ring, frame) == pytest.approx(expected.area / 196, abs=1e-12), ring
        assert calipers.region_iou(ring, ring) == 1.0


@pytest.mark.parametrize("rings", WALKS | STRAIGHTENED, indirect=True)
def test_what_two_outlines_share_is_what_shapely_finds(rings):
    for a, b in pairwise(rings):
        value = calipers.region_iou(a, b)
        assert value == pytest.approx(shapely_iou(enclosed(a), enclosed(b)), abs=1e-9), (a, b)
        assert value == calipers.region_iou(b[::-1], a[2:] + a[:2])


@pytest.mark.parametrize("rings", WALKS, indirect=True)
@pytest.mark.parametrize("scale", [1e-90, 1 / 3, 1e90])
def test_outlines_at_any_scale_and_turned_are_the_same(rings, scale):
    """Vertices that come again are the same numbers still, so that touching survives."""
    bounds = [(20 * scale * x, 20 * scale * y) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    for ring in rings:
        turned = [(scale * (x * cos(1) - y * sin(1)), scale * (x * sin(1) + y * cos(1))) for x, y in ring]
        assert calipers.region_iou(turned, turned) == 1.0
        assert calipers.region_iou(turned, bounds) == pytest.approx(enclosed(ring).area / 1600, abs=1e-9)
