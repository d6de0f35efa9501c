"""Region IoU against exact fractions and against shapely."""

import random
from itertools import cycle, product

import numpy as np
import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import calipers

from ..profiles import examples, share
from . import reference, shapes

deterministic = settings(derandomize=True, deadline=None, max_examples=examples(300))

THRESHOLDS = [0.50, 0.55, 0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90, 0.95]


def numbers(count: int, high: int) -> st.SearchStrategy:
    return st.lists(st.integers(0, high), min_size=count, max_size=count)


def regions(high: int) -> st.SearchStrategy:
    """Boxes and quads of any kind, flat and crossing ones included."""
    return numbers(4, high) | numbers(8, high)


def polygons(high: int) -> st.SearchStrategy:
    """Five to seven lattice points, simple or properly crossing (not merely touching themselves)."""
    return st.integers(5, 7).flatmap(lambda n: numbers(2 * n, high)).filter(is_definite)


def is_definite(polygon: list[int]) -> bool:
    points = reference.outline(polygon)
    total = [sum(p[axis] for p in points) for axis in (0, 1)]
    off_mean = all([len(points) * x, len(points) * y] != total for x, y in points)
    return off_mean and (reference.crosses_itself(points) or (len(points) > 2 and shapely.Polygon(points).is_valid))


def assert_exact(a, b):
    exact = reference.region_iou(a, b)
    value = calipers.region_iou(a, b)
    assert reference.is_rounded(value, exact), f"{a} with {b}: {value}, exactly {float(exact)}"


def assert_all_exact(a, b):
    values = calipers.region_iou(a, b, paired=True)
    wrong = [
        (p, q, float(value), float(exact))
        for p, q, value in zip(a, b, values, strict=True)
        if not reference.is_rounded(value, exact := reference.region_iou(p, q))
    ]
    assert not wrong, f"{len(wrong)} of {len(values)}, first: {wrong[0]}"


def shapely_iou(a, b) -> float:
    p, q = shapely.Polygon(a), shapely.Polygon(b)
    shared = p.intersection(q).area
    return shared / (p.area + q.area - shared)


# Exact fractions, integer vertices


@deterministic
@given(regions(6), regions(6))
def test_regions_on_a_small_lattice_are_exact(a, b):
    assert_exact(a, b)


@deterministic
@given(regions(1000), regions(1000))
def test_regions_on_the_large_lattice_are_exact(a, b):
    assert_exact(a, b)


@deterministic
@given(polygons(8), polygons(8) | regions(8))
def test_polygons_on_a_small_lattice_are_exact(a, b):
    assert_exact(a, b)


@pytest.mark.parametrize("high", [5, 30, 1000])
def test_random_quads_are_exact(high):
    rng = random.Random(high)
    assert_all_exact(*[[shapes.quad(rng, 0, high) for _ in range(examples(700))] for _ in range(2)])


def test_random_convex_quads_are_exact():
    rng = random.Random(11)
    quads = [reference.by_angle(reference.outline(shapes.quad(rng))) for _ in range(examples(4000))]
    convex = [[(int(x), int(y)) for x, y in quad] for quad in quads if reference.is_convex(quad)]
    half = len(convex) // 2
    assert half > examples(4000) / 4
    assert_all_exact(convex[:half], convex[half : 2 * half])


def test_a_box_and_a_quad_are_exact_together():
    rng = random.Random(12)
    assert_all_exact([shapes.box(rng) for _ in range(examples(500))], [shapes.quad(rng) for _ in range(examples(500))])


def test_boxes_are_exact_whichever_corners_are_given():
    rng = random.Random(13)
    assert_all_exact(*[[shapes.box(rng, 0, 50) for _ in range(examples(500))] for _ in range(2)])


def test_slivers_are_exact():
    rng = random.Random(14)
    long = [shapes.sliver(rng) for _ in range(examples(1500))]
    near = [[n + rng.randint(-1, 1) for n in sliver] for sliver in long]
    assert_all_exact(long, near)


def test_slivers_that_cross_are_exact():
    rng = random.Random(15)
    assert_all_exact(*[[shapes.sliver(rng, size=60) for _ in range(examples(700))] for _ in range(2)])


def test_a_sliver_in_a_box_is_exact():
    rng = random.Random(16)
    assert_all_exact(
        [shapes.sliver(rng) for _ in range(examples(500))], [shapes.box(rng) for _ in range(examples(500))]
    )


@pytest.mark.parametrize("vertices", [5, 8, 14, 30])
def test_concave_lattice_polygons_are_exact(vertices):
    rng = random.Random(vertices)
    count = 240 // vertices
    assert_all_exact(*[[shapes.lattice_polygon(rng, vertices) for _ in range(count)] for _ in range(2)])


@pytest.mark.parametrize("vertices", [5, 8, 14])
def test_a_concave_polygon_with_one_vertex_moved_by_a_unit_is_exact(vertices):
    rng = random.Random(vertices)
    before, after = [], []
    while len(after) < 20:
        polygon = shapes.lattice_polygon(rng, vertices)
        (x, y), *rest = polygon
        nudged = [(x + rng.choice([-1, 1]), y), *rest]
        if not reference.crosses_itself(nudged) and shapes.in_general_position(nudged):
            before.append(polygon)
            after.append(nudged)
    assert_all_exact(before, after)


@pytest.mark.parametrize("name", ["ell", "cup", "comb", "dart", "arrow", "plus", "zigzag"])
def test_concave_shapes_are_exact_against_themselves_moved_along_their_own_edges(name):
    polygon = shapes.CONCAVE[name]
    steps = [(dx, dy) for dx in (0, 1, 5, 10, 35) for dy in (0, 5, 7)]
    assert_all_exact([polygon] * len(steps), [shapes.moved(polygon, dx, dy) for dx, dy in steps])


@pytest.mark.parametrize(
    ("a", "b", "iou"),
    [
        pytest.param([0, 0, 10, 10], [0, 0, 10, 5], 0.5, id="half of it"),  # 50 / 100
        pytest.param([0, 0, 10, 10], [10, 0, 20, 10], 0.0, id="an edge in common"),
        pytest.param([0, 0, 10, 10], [10, 10, 20, 20], 0.0, id="a corner in common"),
        pytest.param([0, 0, 4, 0, 0, 3], [4, 0, 4, 3, 0, 3], 0.0, id="a slanted edge in common"),
        pytest.param([0, 0, 10, 10], [2, 2, 7, 6], 0.2, id="nested"),  # 20 / 100
        pytest.param([0, 0, 10, 10], [5, 0, 10, 5, 5, 10, 0, 5], 0.5, id="a diamond in its box"),  # 50 / 100
        pytest.param([5, 0, 10, 5, 5, 10, 0, 5], [10, 0, 15, 5, 10, 10, 5, 5], 0.142857142857, id="diamonds"),
        # The diamonds share one of diagonals 5 and 5, area 12.5, of 50 + 50 - 12.5 = 87.5: 1 / 7.
        pytest.param([0, 0, 6, 0, 0, 6], [0, 0, 6, 0, 6, 6], 1 / 3, id="triangles"),  # 9 / (18 + 18 - 9)
        pytest.param([0, 0, 30, 30], shapes.ell(), 0.555555555556, id="an L in its square"),  # 500 / 900
        pytest.param([10, 10, 30, 30], shapes.ell(), 0.0, id="a box in the notch of an L"),
        pytest.param([5, 5, 25, 30], shapes.cup(), 0.0, id="a box in a cup"),
        pytest.param([0, 20, 30, 25], shapes.cup(), 0.1, id="two pieces"),  # 50 / (150 + 400 - 50)
    ],
)
def test_worked_out_by_hand(a, b, iou):
    assert calipers.region_iou(a, b) == pytest.approx(iou, abs=5.1e-13)


def with_points_along_edges(polygon, rng):
    """Every edge split at a lattice point of it (coordinates are even), every third vertex said twice."""
    richer = []
    for i, ((px, py), (qx, qy)) in enumerate(reference.edges(polygon)):
        richer += [(px, py)] * (2 if i % 3 == 0 else 1)
        richer.append(((px + qx) // 2, (py + qy) // 2))
    turn = rng.randrange(len(richer))
    return richer[turn:] + richer[:turn]


@pytest.mark.parametrize("vertices", [3, 4, 6, 11])
def test_points_along_edges_and_repeated_points_change_nothing(vertices):
    rng = random.Random(vertices)
    for _ in range(30):
        a, b = ([(2 * x, 2 * y) for x, y in shapes.lattice_polygon(rng, vertices, size=100)] for _ in range(2))
        assert reference.is_rounded(
            calipers.region_iou(with_points_along_edges(a, rng), with_points_along_edges(b, rng)),
            reference.region_iou(a, b),
        )


@pytest.mark.parametrize(
    "flat",
    [
        [5, 5, 5, 5],
        [0, 5, 10, 5],
        [5, 0, 5, 10],
        [5, 5, 5, 5, 5, 5, 5, 5],
        [0, 0, 5, 5, 10, 10],
        [0, 0, 10, 10, 3, 3, 7, 7],
        [[1, 1], [9, 1], [1, 1], [9, 1]],
    ],
)
def test_a_region_without_area_overlaps_nothing_not_even_itself(flat):
    assert calipers.region_iou(flat, [0, 0, 10, 10]) == 0.0
    assert calipers.region_iou([0, 0, 10, 10], flat) == 0.0
    assert calipers.region_iou(flat, flat) == 0.0


# Shapely, any vertices


@pytest.mark.parametrize("first", shapes.CONCAVE)
def test_concave_shapes_agree_with_shapely(first):
    rng = random.Random(first)
    for second in shapes.CONCAVE.values():
        a = shapes.turned(shapes.CONCAVE[first], rng.uniform(0, 6))
        b = shapes.turned(second, rng.uniform(0, 6))
        (ax, ay), (bx, by) = (np.mean(polygon, axis=0) for polygon in (a, b))
        b = shapes.moved(b, ax - bx + rng.uniform(-9, 9), ay - by + rng.uniform(-9, 9))
        assert calipers.region_iou(a, b) == pytest.approx(shapely_iou(a, b), abs=1e-9)


@pytest.mark.parametrize("vertices", [3, 4, 5, 6, 8, 12, 20, 35, 50])
def test_random_float_polygons_agree_with_shapely(vertices):
    rng = random.Random(vertices)
    for _ in range(8):
        a, b = shapes.float_polygon(rng, vertices), shapes.float_polygon(rng, rng.choice([4, vertices]))
        assert calipers.region_iou(a, b) == pytest.approx(shapely_iou(a, b), abs=1e-9)


@deterministic
@given(*[st.lists(st.floats(0, 1000).map(lambda x: round(x, 6)), min_size=8, max_size=8)] * 2)
def test_float_quads_agree_with_exact_fractions(a, b):
    outlines = [reference.repaired(shape) for shape in (a, b)]
    assume(all(abs(reference.signed_area(outline)) > 1e-3 for outline in outlines if outline))
    assert calipers.region_iou(a, b) == pytest.approx(float(reference.region_iou(a, b)), abs=1e-9)


STEPS = [1e-2, 1e-5, 1e-8, 1e-11, 1e-14]  # each for every shape in a full run, otherwise one after the other
MOVED = [*(product(shapes.CONCAVE, STEPS) if share() == 1 else zip(shapes.CONCAVE, cycle(STEPS), strict=False))]


@pytest.mark.parametrize(("name", "step"), MOVED)
def test_a_shape_moved_by_almost_nothing_agrees_with_exact_fractions(name, step):
    a = shapes.turned(shapes.CONCAVE[name], 0.1)
    b = shapes.moved(a, step, -step / 3)
    assert calipers.region_iou(a, b) == pytest.approx(float(reference.region_iou(a, b)), abs=1e-9)


# Trap 14: a concave polygon against itself


@pytest.mark.parametrize("name", shapes.CONCAVE)
def test_a_concave_polygon_against_itself_is_exactly_one(name):
    for angle in (0, 0.1, 0.5, 2):
        polygon = shapes.turned(shapes.CONCAVE[name], angle)
        assert calipers.region_iou(polygon, polygon) == 1.0
        assert calipers.region_iou(polygon, polygon[::-1]) == 1.0
        assert calipers.region_iou(polygon, polygon[3:] + polygon[:3]) == 1.0


@pytest.mark.parametrize("vertices", [4, 5, 8, 20, 50])
def test_a_random_polygon_against_itself_is_exactly_one(vertices):
    rng = random.Random(vertices)
    for _ in range(10):
        polygon = shapes.float_polygon(rng, vertices)
        assert calipers.region_iou(polygon, polygon[2:] + polygon[:2]) == 1.0


# Crossing polygons


def test_a_bow_tie_is_the_square_of_its_corners():
    assert calipers.region_iou([0, 0, 10, 10, 10, 0, 0, 10], [0, 0, 10, 10]) == 1.0
    assert calipers.region_iou([0, 0, 10, 10], [0, 0, 10, 10, 10, 0, 0, 10]) == 1.0
    assert calipers.region_iou([0, 0, 10, 10, 10, 0, 0, 10], [10, 0, 0, 10, 0, 0, 10, 10]) == 1.0
    assert calipers.region_iou([0, 0, 10, 10, 10, 0, 0, 10], [0, 0, 10, 5]) == 0.5


def test_a_pentagram_is_the_pentagon_of_its_tips():
    pentagon = shapes.star(tips=5)[::2]
    pentagram = [pentagon[2 * i % 5] for i in range(5)]
    assert calipers.region_iou(pentagram, pentagon) == 1.0


@pytest.mark.parametrize("vertices", [4, 5, 6, 7, 9])
def test_a_crossing_polygon_is_its_vertices_by_angle(vertices):
    rng = random.Random(vertices)
    crossing = [shapes.crossing_polygon(rng, vertices, size=20) for _ in range(60)]
    in_order = [[(int(x), int(y)) for x, y in reference.repaired(polygon)] for polygon in crossing]
    solid = [bool(reference.signed_area(polygon)) for polygon in in_order]
    assert calipers.region_iou(crossing, in_order, paired=True).tolist() == [float(each) for each in solid]
    assert_all_exact(crossing, [[0, 0, 12, 9]] * len(crossing))


@pytest.mark.parametrize(
    ("crossing", "in_order", "area"),
    [
        # Mean (3, 3): (4, 4) and (6, 6) lie at 45 degrees, then (0, 4) at 162, (0, 1) at 214, (5, 0) at 304.
        # Shoelace: 0 + 24 + 0 - 5 + 20 = 39. The farther first would give 41.
        ([(0, 4), (0, 1), (6, 6), (5, 0), (4, 4)], [(4, 4), (6, 6), (0, 4), (0, 1), (5, 0)], 39 / 2),
        # Mean (26/3, 23/3), which no float is: (11, 8) at 8 degrees, (10, 12) at 73, (7, 9) at 141,
        # (8, 7) and (4, 3) at 225, (12, 7) at 349. Shoelace: 52 + 6 - 23 - 4 - 8 + 19 = 42, otherwise 38.
        (
            [(12, 7), (10, 12), (4, 3), (11, 8), (7, 9), (8, 7)],
            [(11, 8), (10, 12), (7, 9), (8, 7), (4, 3), (12, 7)],
            42 / 2,
        ),
    ],
)
def test_of_two_vertices_in_one_direction_from_the_mean_the_nearer_comes_first(crossing, in_order, area):
    assert calipers.region_iou(crossing, in_order) == 1.0
    assert calipers.region_iou(crossing, [0, 0, 20, 20]) == round(area / 400, 12)


def test_a_crossing_polygon_in_tenths_is_the_same_from_each_vertex_and_both_ways_round():
    # In another order floats round another way: a vertex on an edge (the second of the first, on its fourth) comes to
    # lie at its other side, two vertices in one direction from the mean change places.
    rng = random.Random(10)
    polygons = [[(0.8, 9.6), (1.9, 7.7), (8.8, 1.7), (0.5, 3.5), (2.3, 8.9), (7.8, 9.6)]]
    polygons += [[(rng.randint(0, 40) / 10, rng.randint(0, 40) / 10) for _ in range(6)] for _ in range(300)]
    for polygon in polygons:
        ways = [(polygon[i:] + polygon[:i])[::step] for i in range(6) for step in (1, -1)]
        assert len(set(calipers.region_iou(ways, [[1, 0, 3, 4]]).ravel().tolist())) == 1, polygon


# Trap 7: an overlap exactly on a threshold


def on_threshold(twentieths: int):
    """Pairs of regions that share exactly so many twentieths of their union."""
    rest = 20 - twentieths
    flat = [
        ([0, 0, 20, 0, 20, 1, 0, 1], [0, 0, twentieths, 0, twentieths, 1, 0, 1]),
        ([0, 0, 20, 0, 20, 7, 0, 7], [rest, 0, 20, 0, 20, 7, rest, 7]),
        ([0, 0, 20, 0, 0, 9], [0, 0, twentieths, 0, 0, 9]),
        ([0, 0, 19, 0, 19, 3, 0, 3], [rest - 1, 0, 20, 0, 20, 3, rest - 1, 3]),
    ]
    for a, b in flat:
        for p, q, r, s in [(1, 0, 0, 1), (3, -4, 4, 3), (2, -1, 1, 2), (7, 1, -3, 5), (12, -5, 5, 12), (1, 3, 0, 1)]:
            for dx, dy in [(0, 0), (137, 411)]:
                yield tuple(
                    [(p * x + q * y + dx, r * x + s * y + dy) for x, y in reference.points_of(shape)]
                    for shape in (a, b)
                )


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_an_overlap_exactly_on_a_threshold_meets_it(threshold):
    for a, b in on_threshold(round(20 * threshold)):
        assert calipers.region_iou(a, b) == threshold
        assert calipers.region_iou(b, a) == threshold


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_an_overlap_exactly_on_a_threshold_meets_it_when_measured_in_tenths(threshold):
    for start in (0.0, 0.1, 0.3, 33.3, 700.7):
        top, part, whole = start + 0.7, start + round(20 * threshold) / 10, start + 2.0
        assert calipers.region_iou([start, start, whole, top], [start, start, part, top]) >= threshold


def test_an_overlap_just_below_a_threshold_does_not_meet_it():
    # 549,999 of 1,000,000 cells.
    assert calipers.region_iou([0, 0, 1000000, 1], [0, 0, 549999, 1]) == 0.549999
