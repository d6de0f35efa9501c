"""Polygons of many vertices: the sum over edges gives the area that triangles give, with work in proportion."""

import random
from array import array
from math import cos, pi, sin

import pytest

import calipers
from calipers.core.shapes import Objects
from calipers.kernels.scan.flatten import ObjectColumns
from calipers.kernels.shape.plane import MAX_WORK, SMALL, WorkLimitError, region_paired, region_pairs

Ring = list[float]


def ring(count: int, rng: random.Random, *, centre: float = 500, roughness: float = 0.0) -> Ring:
    radii = [300 * (1 + roughness * rng.uniform(-1, 1)) for _ in range(count)]
    places = [(centre + r * cos(2 * pi * k / count), centre + r * sin(2 * pi * k / count)) for k, r in enumerate(radii)]
    return [number for place in places for number in place]


def with_more_vertices(points: Ring, times: int) -> Ring:
    """The same polygon, its edges cut into pieces."""
    corners = list(zip(points[::2], points[1::2], strict=True))
    found: Ring = []
    for (x, y), (next_x, next_y) in zip(corners, corners[1:] + corners[:1], strict=True):
        found += [n for k in range(times) for n in (x + (next_x - x) * k / times, y + (next_y - y) * k / times)]
    return found


@pytest.mark.parametrize("roughness", [0.0, 0.02, 0.6])
def test_cutting_edges_into_pieces_changes_nothing(roughness):
    rng = random.Random(5)
    for _ in range(20):
        a, b = (ring(rng.randint(3, 12), rng, centre=rng.uniform(400, 600), roughness=roughness) for _ in range(2))
        expected = calipers.region_iou(a, b)
        for one, other in ((with_more_vertices(a, 8), with_more_vertices(b, 16)), (a, with_more_vertices(b, 200))):
            assert calipers.region_iou(one, other) == pytest.approx(expected, abs=3e-12)
            assert calipers.region_iou(one, other) == calipers.region_iou(other, one)


def test_edges_along_each_other():
    """Two squares share the strip from 400 to 600, and one lies on the other's edges."""
    square = with_more_vertices([0, 0, 600, 0, 600, 600, 0, 600], 60)
    beside = with_more_vertices([400, 0, 1000, 0, 1000, 600, 400, 600], 50)
    assert calipers.region_iou(square, beside) == 0.2  # 200 * 600 of 1000 * 600
    assert calipers.region_iou(square, square[2:] + square[:2]) == 1.0
    assert calipers.region_iou(square, with_more_vertices([0, 0, 600, 0, 600, 300, 0, 300], 70)) == 0.5


def test_a_large_polygon_is_its_own_equal():
    rough = ring(5000, random.Random(1), roughness=0.3)
    assert calipers.region_iou(rough, rough) == 1.0


def test_a_repaired_polygon_does_not_depend_on_the_order_of_its_vertices():
    rng = random.Random(2)
    places = [(rng.uniform(0, 1000), rng.uniform(0, 1000)) for _ in range(2000)]
    tangle = [number for place in places for number in place]
    rng.shuffle(places)
    other = [number for place in places for number in place]
    assert calipers.region_iou(tangle, other) == 1.0


# Work


def side(kind: str, shapes: list[Ring]) -> Objects:
    columns = ObjectColumns({})
    assert columns.add_record([{"type": kind, "points": shape, "desc": ""} for shape in shapes], True) == -1
    return Objects(columns)


def steps_per_number(truth: Objects, pred: Objects) -> float:
    """How many steps comparing takes for each number, to a tenth."""
    numbers = len(truth.points) + len(pred.points)
    return least_work(truth, pred) * max(SMALL, numbers) / numbers


def least_work(truth: Objects, pred: Objects) -> int:
    """The smallest `max_work`, to a tenth, with which pairs are measured."""
    allowed = 1.0
    while True:
        try:
            region_pairs(truth, pred, 0.0, int(allowed))
        except WorkLimitError:
            allowed *= 1.1
            if int(allowed) == int(allowed / 1.1):
                allowed = int(allowed) + 1
        else:
            return int(allowed)


def test_work_on_large_outlines_grows_in_proportion():
    steps = []
    for count in (4000, 16_000):
        a, b = (side("poly", [ring(count, random.Random(seed), roughness=1 / count)]) for seed in (1, 2))
        steps.append(steps_per_number(a, b))
    assert steps[1] <= 1.3 * steps[0]
    assert steps[1] < MAX_WORK


def test_small_boxes_cost_no_more_in_a_large_record():
    rng, steps = random.Random(4), []
    for count in (2000, 8000):
        sides = []
        for _ in range(2):
            corners = [(rng.uniform(0, 990), rng.uniform(0, 990)) for _ in range(count)]
            size = 300 / count**0.5
            sides.append(side("bbox_2d", [[x, y, min(1000, x + size), min(1000, y + size)] for x, y in corners]))
        steps.append(steps_per_number(*sides))
    assert steps[1] <= 2.6 * steps[0]  # a window along x holds the square root of all


def test_too_many_overlapping_boxes_are_refused_with_the_record():
    large = [[k % 50, k % 40, 1000 - k % 60, 1000 - k % 30] for k in range(1200)]
    few = [[0, 0, 10, 10]]
    columns = [ObjectColumns({}), ObjectColumns({})]
    for shapes in (few, large, few):
        for each in columns:
            each.add_record([{"type": "bbox_2d", "points": box, "desc": ""} for box in shapes], True)
    truth, pred = (Objects(each) for each in columns)
    with pytest.raises(WorkLimitError, match=f"more than max_work = {MAX_WORK // 10} steps") as caught:
        region_pairs(truth, pred, 0.0, MAX_WORK // 10)
    assert caught.value.records == [1]
    assert len(region_pairs(truth, pred, 0.0)[0]) == 1200 * 1200 + 2


def test_what_is_allowed_depends_on_the_numbers_of_the_record():
    """Quadrilaterals against each other: 16 pairs of edges of 4 steps, and 40 for the pair."""
    quads = [[0, 0, 10, 1, 9, 10, 1, 9]] * 100
    truth, pred = side("poly", quads), side("poly", quads)
    needed = 100 * (100 * (16 * 4 + 40 + 8) + 100)
    assert region_pairs(truth, pred, 0.0, needed // SMALL + 1)
    with pytest.raises(WorkLimitError):
        region_pairs(truth, pred, 0.0, needed // SMALL - 1)


def test_pairs_of_large_polygons_are_refused_one_by_one():
    star = ring(3000, random.Random(1), roughness=0.6)
    small = [0.0, 0.0, 9.0, 0.0, 9.0, 9.0]
    truth, pred = side("poly", [small, star]), side("poly", [small, [n * 0.99 for n in star]])
    with pytest.raises(WorkLimitError) as caught:
        region_paired(truth, pred, 10)
    assert caught.value.records == [1]
    assert region_paired(truth, pred)[0] == 10**12


@pytest.mark.parametrize("max_work", [0, -1, 10**12 + 1])
def test_limits_are_positive(max_work):
    truth = side("bbox_2d", [[0, 0, 1, 1]])
    with pytest.raises(ValueError, match="max_work"):
        region_pairs(truth, truth, 0.0, max_work)


def test_many_boxes_give_the_pairs_that_few_give():
    """Records above 48 objects are searched by their left edges."""
    rng = random.Random(9)
    boxes = [[x := rng.randint(0, 90), y := rng.randint(0, 90), x + rng.randint(0, 9), y + 9] for _ in range(300)]
    others = [[x := rng.randint(0, 90), y := rng.randint(0, 90), x + rng.randint(1, 40), y + 5] for _ in range(300)]
    truth, pred = side("bbox_2d", boxes), side("bbox_2d", others)
    expected = []
    for i, box in enumerate(boxes):
        pieces = [
            region_pairs(side("bbox_2d", [box]), side("bbox_2d", others[k : k + 40]), 0.0) for k in range(0, 300, 40)
        ]
        for at, (_, found, score) in enumerate(pieces):
            expected += [(i, 40 * at + j, s) for j, s in zip(found, score, strict=True)]
    assert list(zip(*(column.tolist() for column in region_pairs(truth, pred, 0.0)), strict=True)) == expected
    assert array("q", [score for _, _, score in expected])
