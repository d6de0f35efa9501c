"""One form for each shape: it does not depend on how the shape was written down."""

import random
from math import cos, pi, sin

import pytest

from calipers.kernels.scan.flatten import ObjectColumns
from calipers.kernels.shape.plane import FLAGS, Shapes

Point = tuple[float, float]


class Form:
    """What becomes of one shape."""

    def __init__(self, kind: str, points) -> None:
        columns = ObjectColumns({}, framed=False)
        assert columns.add_record([{"type": kind, "points": list(points), "desc": ""}], True) == -1
        shapes = Shapes(columns)
        numbers = shapes.points.tolist()
        self.points: list[Point] = list(zip(numbers[::2], numbers[1::2], strict=True))
        self.area, self.bounds = shapes.area[0], shapes.bounds.tolist()
        self.flags = {name for name, bit in FLAGS.items() if shapes.flags[0] & bit}

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other)

    __hash__ = None

    def __repr__(self) -> str:
        return repr(vars(self))


def poly(*points) -> Form:
    return Form("poly", points)


def box(*numbers) -> Form:
    return Form("bbox_2d", numbers)


def line(*points) -> Form:
    return Form("line", points)


def rewritten(points: list[Point]) -> list[list[Point]]:
    """The same ring from each vertex on, both ways round."""
    rings = [points[i:] + points[:i] for i in range(len(points))]
    return rings + [ring[::-1] for ring in rings]


def star(rng: random.Random, digits: int | None) -> list[Point]:
    """A simple polygon around a middle, with whole or broken numbers."""
    rays = rng.randint(3, 12)
    ends = [(rng.uniform(20, 200), 2 * pi * (i + rng.uniform(0, 0.8)) / rays) for i in range(rays)]
    return [(round(300 + r * cos(t), digits), round(300 + r * sin(t), digits)) for r, t in ends]


def tangle(rng: random.Random, digits: int | None) -> list[Point]:
    return [(round(rng.uniform(0, 50), digits), round(rng.uniform(0, 50), digits)) for _ in range(rng.randint(4, 8))]


def distinct(points: list[Point]) -> bool:
    return len(set(points)) == len(points)


# Boxes


def test_a_box_may_be_written_by_any_two_opposite_corners():
    expected = box(10, 20, 40, 60)
    assert expected.points == [(10, 20), (40, 20), (40, 60), (10, 60)]
    assert (expected.area, expected.bounds) == (1200, [10, 20, 40, 60])
    assert expected.flags == {"box", "convex", "integer"}
    for numbers in ((40, 60, 10, 20), (10, 60, 40, 20), (40, 20, 10, 60)):
        assert box(*numbers) == expected


def test_a_polygon_that_is_a_box_has_the_same_form_but_for_its_name():
    same = poly((40, 60), (10, 60), (10, 20), (40, 20))
    assert (same.points, same.area, same.bounds) == (box(10, 20, 40, 60).points, 1200, [10, 20, 40, 60])
    assert same.flags == {"convex", "integer"}


@pytest.mark.parametrize("numbers", [(5, 5, 5, 5), (5, 5, 5, 9), (0, 7, 9, 7)])
def test_a_box_without_area_is_degenerate(numbers):
    assert box(*numbers).area == 0
    assert "degenerate" in box(*numbers).flags
    assert "degenerate" not in box(0, 0, 1e-6, 1e-6).flags


# Polygons


@pytest.mark.parametrize("digits", [0, 1, None])
def test_a_simple_polygon_has_one_form_wherever_it_begins_and_whichever_way_it_goes(digits):
    rng = random.Random(1)
    for _ in range(100):
        points = star(rng, digits)
        if distinct(points):
            expected = poly(*points)
            assert all(poly(*ring) == expected for ring in rewritten(points))


@pytest.mark.parametrize("digits", [0, 1, None])
def test_a_polygon_that_crosses_itself_has_one_form_too(digits):
    rng = random.Random(2)
    repaired = 0
    for _ in range(100):
        points = tangle(rng, digits)
        expected = poly(*points)
        repaired += "repaired" in expected.flags
        if distinct(points) and "degenerate" not in expected.flags:
            assert all(poly(*ring) == expected for ring in rewritten(points))
    assert repaired > 50


def test_the_form_is_counter_clockwise_and_begins_at_the_smallest_vertex():
    rng = random.Random(3)
    for _ in range(200):
        form = poly(*star(rng, 1))
        assert form.points[0] == min(form.points)
        assert form.area > 0


def test_area_and_bounds_are_those_of_the_polygon():
    # an L: 30 by 10 and, on it, 10 by 20
    ell = poly((0, 0), (30, 0), (30, 10), (10, 10), (10, 30), (0, 30))
    assert (ell.area, ell.bounds) == (500, [0, 0, 30, 30])
    assert ell.flags == {"integer"}
    triangle = poly((1, 1), (4, 1), (1, 5))
    assert (triangle.area, triangle.bounds, triangle.flags) == (6, [1, 1, 4, 5], {"convex", "integer"})


def test_the_form_of_a_form_is_itself():
    rng = random.Random(4)
    for _ in range(100):
        form = poly(*tangle(rng, 0))
        if "degenerate" not in form.flags:
            again = poly(*form.points)
            assert (again.points, again.area, again.bounds) == (form.points, form.area, form.bounds)


def test_consecutive_repeats_and_a_closing_point_are_dropped():
    expected = poly((0, 0), (10, 0), (0, 10))
    assert poly((0, 0), (10, 0), (0, 10), (0, 0)) == expected
    assert poly((0, 0), (0, 0), (10, 0), (10, 0), (10, 0), (0, 10), (0, 0), (0, 0)) == expected
    assert len(expected.points) == 3


@pytest.mark.parametrize(
    "points",
    [
        [(5, 5), (5, 5), (5, 5)],
        [(0, 0), (9, 9), (0, 0)],
        [(0, 0), (3, 3), (9, 9)],
        [(0, 0), (9, 9), (3, 3), (6, 6)],
        [(0.1, 0.1), (0.2, 0.2), (0.7, 0.7)],
    ],
)
def test_points_on_one_line_are_degenerate(points):
    form = poly(*points)
    assert "degenerate" in form.flags
    assert form.area == pytest.approx(0, abs=1e-12)


def test_a_thin_polygon_is_not_degenerate():
    assert "degenerate" not in poly((0, 0), (1000, 0), (1000, 0.001)).flags
    assert "degenerate" not in poly((0, 0), (1e-5, 0), (0, 1e-5)).flags


# Repair


def test_a_bow_tie_becomes_the_square_around_it():
    #   (0, 10)   (10, 10)
    #        \ /
    #        / \            0,0 -> 10,10 -> 10,0 -> 0,10
    #   (0, 0)    (10, 0)
    tie = poly((0, 0), (10, 10), (10, 0), (0, 10))
    assert tie.points == [(0, 0), (10, 0), (10, 10), (0, 10)]
    assert tie.area == 100
    assert tie.flags == {"convex", "integer", "repaired"}


def test_a_pentagram_becomes_its_pentagon():
    tips = [(round(100 + 90 * cos(2 * pi * k / 5)), round(100 + 90 * sin(2 * pi * k / 5))) for k in range(5)]
    pentagram, pentagon = poly(*(tips[2 * k % 5] for k in range(5))), poly(*tips)
    assert pentagram.flags == pentagon.flags | {"repaired"}
    assert (pentagram.points, pentagram.area) == (pentagon.points, pentagon.area)


def test_of_vertices_in_one_direction_the_nearer_comes_first():
    # around the mean (0, 0): (2, 0) and (4, 0) lie at the same angle
    form = poly((4, 0), (-3, 3), (2, 0), (-3, -3))
    assert "repaired" not in form.flags  # an arrowhead: nothing crosses
    tied = poly((4, 0), (-3, -3), (2, 0), (-3, 3))
    assert "repaired" not in tied.flags
    crossed = poly((2, 0), (-3, 3), (-3, -3), (4, 0), (1, 3), (-1, -3))  # mean (0, 0)
    assert "repaired" in crossed.flags
    assert crossed.points == [(-3, -3), (-1, -3), (2, 0), (4, 0), (1, 3), (-3, 3)]


@pytest.mark.parametrize(
    "points",
    [
        [(0, 0), (10, 0), (10, 10), (0, 10)],
        [(0, 0), (30, 0), (30, 10), (10, 10), (10, 30), (0, 30)],
        [(0, 0), (10, 0), (5, 0), (5, 5)],
        [(0, 0), (10, 0), (10, 10), (5, 0), (0, 10)],
        [(0, 0), (4, -4), (8, 0), (4, 4), (0, 0), (-4, 4), (-8, 0), (-4, -4)],
    ],
    ids=["convex", "concave", "edge on an edge", "vertex on an edge", "touching itself in a vertex"],
)
def test_edges_that_only_touch_do_not_cross(points):
    assert "repaired" not in poly(*points).flags


def test_a_repaired_polygon_has_the_same_vertices():
    rng = random.Random(5)
    for _ in range(100):
        points = tangle(rng, 0)
        form = poly(*points)
        if "repaired" in form.flags and distinct(points):
            assert sorted(form.points) == sorted((float(x), float(y)) for x, y in points)


# Flags


def test_convex_is_told_from_concave():
    assert "convex" in poly((0, 0), (10, 0), (10, 10), (5, 12), (0, 10)).flags
    assert "convex" in poly((0, 0), (5, 0), (10, 0), (10, 10), (0, 10)).flags  # a vertex on a straight side
    assert "convex" not in poly((0, 0), (10, 0), (10, 10), (5, 8), (0, 10)).flags


def test_the_integer_flag_is_for_small_whole_numbers():
    assert "integer" in poly((0, 0), (3000, 0), (0, -3000)).flags
    assert "integer" not in poly((0, 0), (3001, 0), (0, 5)).flags
    assert "integer" not in poly((0, 0), (10.5, 0), (0, 5)).flags
    assert "integer" in line((0, 0), (10, 10)).flags
    assert "integer" not in box(0, 0, 1e99, 5).flags


def test_flags_of_the_reading_are_kept():
    columns = ObjectColumns({})
    columns.add_record([{"type": "bbox_2d", "points": [-5, 0, 10, 10], "desc": ""}], False)
    assert Shapes(columns).flags[0] & FLAGS["clamped"]


# Lines


def test_a_line_keeps_its_points_as_written():
    points = [(5, 5), (5, 5), (1, 9), (0, 0), (5, 5)]
    assert line(*points).points == points
    assert line(*points).bounds == [0, 0, 5, 9]
    assert line(*points).flags == {"integer"}


def test_shapes_of_many_objects_stand_one_behind_the_other():
    columns = ObjectColumns({})
    columns.add_record([{"type": "line", "points": [1, 2, 3, 4], "desc": ""}, None], False)
    columns.add_record([{"type": "bbox_2d", "points": [9, 9, 5, 5], "desc": ""}], False)
    columns.add_record([{"type": "poly", "points": [0, 0, 0, 0, 4, 0, 0, 3], "desc": ""}], False)
    shapes = Shapes(columns)
    assert shapes.starts.tolist() == [0, 4, 4, 12, 18]
    assert shapes.points.tolist() == [1, 2, 3, 4, 5, 5, 9, 5, 9, 9, 5, 9, 0, 0, 4, 0, 0, 3]
    assert shapes.area.tolist() == [0, 0, 16, 6]


def test_no_objects_have_no_shapes():
    shapes = Shapes(ObjectColumns({}))
    assert (shapes.starts.tolist(), shapes.points.tolist(), shapes.flags.tolist()) == ([0], [], [])
