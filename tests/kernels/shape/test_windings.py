"""A polygon that touches itself is a ring once around what it encloses: every point that it winds around."""

import random
from array import array
from math import cos, pi, sin

import pytest

import calipers
from calipers.kernels.scan.flatten import ObjectColumns
from calipers.kernels.shape.plane import FLAGS, Shapes, ring_crosses

Point = tuple[float, float]
SQUARE = [0, 0, 10, 10]

#   0,10     10,10        The crossing is the vertex (5, 5), listed twice. The left and the right triangle have
#     |\     /|           10 * 5 / 2 = 25 each.
#     | 5,5   |
#     |/     \|
#   0,0      10,0
EIGHT = [(0, 0), (5, 5), (10, 10), (10, 0), (5, 5), (0, 10)]
TOUCHING = [(0, 0), (5, 5), (10, 0), (10, 10), (5, 5), (0, 10)]
TWICE = [(0, 0), (10, 0), (10, 10), (0, 10)] * 2
# A square of 10 and, at its corner, one of 4 by 2 in it: both the same way round, then one the other way.
INSIDE = [(0, 0), (10, 0), (10, 10), (0, 10), (0, 0), (4, 0), (4, 2), (0, 2)]
DIAMOND = [(0, 0), (10, 0), (10, 10), (0, 10), (0, 0), (4, 1), (5, 5), (1, 4)]  # 15 in it
HOLE = [(0, 0), (10, 0), (10, 10), (0, 10), (0, 0), (1, 4), (5, 5), (4, 1)]
# The vertex (5, 0) lies on the bottom edge; the outline goes through there.
#   0,0 ---5,0--- 10,0 ... 10,5     the triangle above: 5 * 5 / 2 = 12.5; the square below: 5 * 5 = 25
THROUGH = [(0, 0), (10, 0), (10, 5), (5, 0), (5, -5), (0, -5)]
# Two squares of 6, from 0 and from 3, whose crossings are vertices: 36 + 36 - 9 = 63 if both go the same way.
CHAIN = [(6, 6), (3, 6), (0, 6), (0, 0), (6, 0), (6, 3), (9, 3), (9, 9), (3, 9), (3, 6), (3, 3), (6, 3)]
# A frame of 10 around a window of 6, and a cut between them that is gone along twice.
FRAME = [(0, 0), (10, 0), (10, 10), (0, 10), (0, 0), (2, 2), (2, 8), (8, 8), (8, 2), (2, 2)]
# Two squares of 2 on a stick from (2, 0) to (6, 0), one each way round.
DUMBBELL = [(0, 0), (2, 0), (6, 0), (8, 0), (8, -2), (6, -2), (6, 0), (2, 0), (2, -2), (0, -2)]
BACK = [(0, 0), (2, 0), (6, 0), (6, -2), (8, -2), (8, 0), (6, 0), (2, 0), (2, -2), (0, -2)]

AREAS = [
    pytest.param(EIGHT, 50, id="a figure of eight"),
    pytest.param(TOUCHING, 50, id="a touch"),
    pytest.param(TWICE, 100, id="twice around"),
    pytest.param(TWICE + TWICE[:4][::-1], 100, id="three times around, once back"),
    pytest.param(INSIDE, 100, id="a loop along the edge"),
    pytest.param(DIAMOND, 100, id="a loop inside, the same way round"),
    pytest.param(HOLE, 85, id="a loop inside, the other way round: a hole"),
    pytest.param(THROUGH, 37.5, id="through a vertex on an edge"),
    pytest.param(CHAIN, 63, id="two squares that overlap"),
    pytest.param(FRAME, 64, id="a frame with a cut"),
    pytest.param(DUMBBELL, 8, id="squares on a stick"),
    pytest.param(BACK, 8, id="squares on a stick, one each way"),
]


class Form:
    """What becomes of one polygon."""

    def __init__(self, points) -> None:
        columns = ObjectColumns({}, framed=False)
        assert columns.add_record([{"type": "poly", "points": list(points), "desc": ""}], True) == -1
        shapes = Shapes(columns)
        numbers = shapes.points.tolist()
        self.points: list[Point] = list(zip(numbers[::2], numbers[1::2], strict=True))
        self.area = shapes.area[0]
        self.flags = {name for name, bit in FLAGS.items() if shapes.flags[0] & bit}


def rewritten(points: list[Point]) -> list[list[Point]]:
    """The same outline from each vertex on, both ways round."""
    return [(points[i:] + points[:i])[::step] for i in range(len(points)) for step in (1, -1)]


@pytest.mark.parametrize(("points", "area"), AREAS)
@pytest.mark.parametrize("scale", [1, 300, 1 / 3, 2.0**-400, 2.0**300])
def test_each_enclosed_point_counts_once(points, area, scale):
    outline = [(x * scale, y * scale) for x, y in points]
    form = Form(outline)
    assert form.area == pytest.approx(area * scale * scale, rel=1e-14)
    assert "repaired" not in form.flags
    assert calipers.region_iou(outline, outline) == 1.0
    bounds = [-100 * scale, -100 * scale, 100 * scale, 100 * scale]
    assert calipers.region_iou(outline, bounds) == pytest.approx(area / 40_000, abs=1e-12)
    assert calipers.region_iou(bounds, outline) == calipers.region_iou(outline, bounds)


@pytest.mark.parametrize(("points", "area"), AREAS)
def test_the_form_does_not_depend_on_where_an_outline_begins_or_which_way_it_goes(points, area):
    expected = Form(points)
    for outline in rewritten(points):
        form = Form(outline)
        assert (form.points, form.area, form.flags) == (expected.points, area, expected.flags)
    again = Form(expected.points)
    assert (again.points, again.area) == (expected.points, area)


def test_parts_of_it_are_shared():
    left, window = [0, 0, 5, 10], [2, 2, 8, 8]
    assert calipers.region_iou(EIGHT, left) == round(25 / 75, 12)  # 25 of 50 + 50 - 25
    assert calipers.region_iou(EIGHT, TOUCHING) == 1.0  # the same two triangles
    assert calipers.region_iou(FRAME, window) == 0.0
    assert calipers.region_iou(DIAMOND, SQUARE) == 1.0
    assert calipers.region_iou(HOLE, SQUARE) == 0.85
    assert calipers.region_iou(TWICE, left) == 0.5


def test_what_is_left_is_as_simple_as_it_can_be():
    assert Form(TWICE).points == [(0, 0), (10, 0), (10, 10), (0, 10)]
    assert Form(TWICE).flags == {"convex", "integer"}
    assert Form(EIGHT).points == [(0, 0), (5, 5), (10, 0), (10, 10), (5, 5), (0, 10)]


def test_a_simple_outline_with_a_vertex_on_its_edge_stays_as_it_is():
    points = [(0, 0), (10, 0), (10, 10), (5, 0), (0, 10)]
    assert Form(points).points == points


def test_an_outline_that_encloses_nothing_has_no_area():
    for points in (
        [(0, 0), (4, 4), (0, 0), (4, 4)],
        [(0, 0), (9, 0), (9, 9), (9, 0)],
        EIGHT + EIGHT[:1] + EIGHT[:0:-1],
    ):
        assert "degenerate" in Form(points).flags
        assert calipers.region_iou(points, SQUARE) == 0.0


def test_properly_crossing_edges_are_repaired_as_before():
    """One loop meets the outline at a vertex, but edges also cut through each other."""
    form = Form([(0, 0), (5, 5), (10, 10), (10, 0), (5, 5), (0, 10), (12, 5)])
    assert "repaired" in form.flags


def test_shapes_after_one_that_became_longer_are_whole():
    """A comb whose teeth end on its back, gone through there: every tooth is a vertex of the back too."""
    teeth = 40
    through = [(0, 1), (0, 0), (4 * teeth, 0), (4 * teeth, 1)]
    for k in range(teeth, 0, -1):
        through += [(4 * k - 1, 0), (4 * k - 2, -1), (4 * k - 3, 0), (4 * k - 4, 1)][: 3 if k == 1 else 4]
    columns = ObjectColumns({}, framed=False)
    shapes = [through, [(0, 0), (6, 0), (0, 6)]] * 50
    assert columns.add_record([{"type": "poly", "points": ring, "desc": ""} for ring in shapes], True) == -1
    formed = Shapes(columns)
    assert len(formed.points) > sum(2 * len(ring) for ring in shapes)
    assert formed.area[1::2].tolist() == [18.0] * 50
    assert len(set(formed.area[::2].tolist())) == 1


# Work


def windmill(count: int) -> list[Point]:
    """Triangles at one place, every second the other way round."""
    found: list[Point] = []
    for k in range(count):
        a, b = ((500 + 400 * cos(t), 500 + 400 * sin(t)) for t in (2 * pi * k / count, 2 * pi * (k + 0.5) / count))
        found += [(500, 500), a, b] if k % 2 else [(500, 500), b, a]
    return found


def zigzag(count: int) -> list[Point]:
    """Back and forth along one line: every edge passes through most of the vertices."""
    rng = random.Random(1)
    return [*((rng.uniform(0, 1000), 0.0) for _ in range(count)), (500.0, 1000.0)]


def flat(points: list[Point]) -> array:
    return array("d", [number for point in points for number in point])


@pytest.mark.parametrize("make", [windmill, zigzag])
def test_work_grows_in_proportion(make):
    few, many = (ring_crosses(flat(make(count)), True) for count in (1000, 8000))
    assert few[0] is many[0] is False
    assert many[1] < 8 * 1.6 * few[1]  # n log n: 8 * 13 / 10


def test_a_large_windmill_has_the_area_of_its_triangles():
    count = 3000
    area = count * 400 * 400 * sin(pi / count) / 2
    mill = windmill(count)
    assert Form(mill).area == pytest.approx(area, rel=1e-12)
    assert calipers.region_iou(mill, mill[7:] + mill[:7]) == 1.0
    assert calipers.region_iou(mill, [0, 0, 1000, 1000]) == pytest.approx(area / 1e6, abs=1e-12)


def test_a_large_outline_gone_around_twice_encloses_its_area_once():
    ring = [(500 + 400 * cos(2 * pi * k / 900), 500 + 400 * sin(2 * pi * k / 900)) for k in range(900)]
    assert Form(ring * 2).points == Form(ring).points
    assert calipers.region_iou(ring * 2, ring) == 1.0


def test_edges_along_each_other_beyond_any_use_are_taken_as_they_are():
    """More than two contacts a vertex: the area is the sum with signs, whatever that is, and nothing fails."""
    form = Form(zigzag(3000))
    assert len(form.points) == 3001
