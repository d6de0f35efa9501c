"""A ring crosses itself whether all pairs of edges are compared or only neighbours under a sweep line."""

import random
from array import array
from math import cos, pi, sin

import pytest

from calipers.kernels.shape.plane import ring_crosses

Point = tuple[float, float]


def flat(points: list[Point]) -> array:
    return array("d", [number for point in points for number in point])


def some_ring(rng: random.Random) -> list[Point]:
    """Few places and many vertices: touching, running along and coming back are the rule."""
    size, scale = rng.choice([2, 3, 5, 8, 20]), rng.choice([1, 1, 0.1, 1 / 3])
    ring = [(rng.randint(0, size), rng.randint(0, size)) for _ in range(rng.randint(4, 14))]
    ring = [point for point, last in zip(ring, [ring[-1], *ring], strict=False) if point != last]
    return [(x * scale, y * scale) for x, y in ring]


def test_the_sweep_finds_what_all_pairs_find():
    rng, seen = random.Random(3), set()
    for _ in range(4000):
        ring = some_ring(rng)
        if len(ring) < 3:
            continue
        expected = ring_crosses(flat(ring), False)[0]
        assert ring_crosses(flat(ring), True)[0] == expected, ring
        seen.add(expected)
    assert seen == {False, True}


def star(count: int) -> list[Point]:
    radii = [(480, 200)[k % 2] for k in range(count)]
    return [(500 + r * cos(2 * pi * k / count), 500 + r * sin(2 * pi * k / count)) for k, r in enumerate(radii)]


def comb(count: int) -> list[Point]:
    return [(k, (1000.0, 3.0)[k % 2]) for k in range(count)] + [(count, 0.0), (0.0, 0.0)]


def crossed(count: int) -> list[Point]:
    """A comb whose last tooth reaches through its back."""
    return [*comb(count)[:-3], (count - 1.5, -5.0), (count, 10.0), (count, 0.0), (0.0, 0.0)]


@pytest.mark.parametrize(("make", "expected"), [(star, False), (comb, False), (crossed, True)])
def test_work_grows_in_proportion(make, expected):
    few, many = (ring_crosses(flat(make(count)), True) for count in (1000, 8000))
    assert few[0] is many[0] is expected
    assert many[1] < 8 * 1.6 * few[1]  # n log n: 8 * 13 / 10


def test_all_pairs_are_many():
    assert ring_crosses(flat(star(1000)), False) == (False, 999 * 998 // 2)


def test_a_ring_needs_three_points():
    with pytest.raises(ValueError, match="found 4 numbers"):
        ring_crosses(array("d", [0, 0, 1, 1]), True)
