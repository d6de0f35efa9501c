"""Shapes made to break the kernels of regions and lines: flags that lie, columns that do not fit, extreme numbers."""

import random
from array import array
from types import SimpleNamespace

import pytest

import calipers
from calipers import region_iou
from calipers.kernels.count.spans import painted_runs
from calipers.kernels.shape.plane import (
    FLAGS,
    Shapes,
    coverage_of,
    near_lines,
    region_paired,
    region_pairs,
    tube_paired,
    tube_pairs,
)

# A corner is missing from the truth: 1000 * 1000 less a triangle of 1000 * 600 / 2
TRUTH = [0, 0, 1000, 0, 1000, 1000, 500, 400, 0, 1000]
EXPECTED = 0.7


def zigzag_square(points: int, step: float, height: float) -> list[float]:
    """A square whose lower left corner holds a zigzag of this size."""
    ring = [(0.0, 0.0)]
    ring += [(i * step, height if i % 2 else 0.0) for i in range(1, points - 3)]
    ring += [(1000.0, 0.0), (1000.0, 1000.0), (0.0, 1000.0)]
    return [number for point in ring for number in point]


def objects(*shapes: list[float], kind: int = 1, convex: bool = False) -> SimpleNamespace:
    """Shapes as one record of columns; `convex` claims that every one is."""
    starts = [0]
    for shape in shapes:
        starts.append(starts[-1] + len(shape))
    count = len(shapes)
    raw = SimpleNamespace(
        kind=array("B", [kind] * count),
        reason=array("B", [0] * count),
        flags=array("B", [0] * count),
        starts=array("q", starts),
        points=array("d", [number for shape in shapes for number in shape]),
    )
    made = Shapes(raw)
    raw.starts, raw.points, raw.flags = made.starts, made.points, array("B", made.flags.tolist())
    raw.area, raw.bounds, raw.offsets = made.area, made.bounds, array("q", [0, count])
    if convex:
        raw.flags = array("B", [flags | FLAGS["convex"] for flags in raw.flags])
    return raw


@pytest.mark.parametrize("points", [40, 100, 400])
@pytest.mark.parametrize(("step", "height"), [(1e-168, 1e-165), (1e-300, 1e-290), (5e-324, 1e-160), (1e-20, 1e-200)])
def test_a_zigzag_too_small_for_products_is_not_convex(points, step, height):
    square = zigzag_square(points, step, height)
    assert not objects(square).flags[0] & FLAGS["convex"]
    assert region_iou(TRUTH, square) == region_iou(square, TRUTH) == EXPECTED


@pytest.mark.parametrize("size", [1e-140, 1e-3, 1, 1e90])
def test_convex_is_convex_at_any_size(size):
    for ring in ([0, 0, 3, 0, 3, 2, 1, 3], [0, 0, 1, 0, 2, 0, 2, 2, 0, 2]):
        assert objects([number * size for number in ring]).flags[0] & FLAGS["convex"]
    for ring in ([0, 0, 3, 0, 1, 1, 1, 3], [0, 0, 4, 0, 4, 4, 2, 3.9999, 0, 4]):
        assert not objects([number * size for number in ring]).flags[0] & FLAGS["convex"]


@pytest.mark.parametrize("teeth", [20, 100, 1000])
def test_clipping_stays_within_its_rings_whatever_the_flags_say(teeth):
    """Teeth of 0.25 on both sides of y = 10.5, along which triangles of the other polygon cut: rings grow by half."""
    comb = [(i + 0.5, 10.25 if i % 2 else 10.75) for i in range(2 * teeth)]
    ring = [number for point in [*comb, (2 * teeth, 30.0), (0.25, 30.0)] for number in point]
    notched = [0.0, 10.5, 2.0 * teeth, 10.5, 2.0 * teeth, 40.25, teeth, 20.0, 0.0, 40.0]
    right = region_pairs(objects(ring), objects(notched), 0.0)[2].tolist()
    assert 0 < right[0] < 10**12
    assert region_pairs(objects(ring, convex=True), objects(notched), 0.0)[2].tolist() == right
    assert region_paired(objects(notched), objects(ring, convex=True)).tolist() == right


def test_extreme_numbers_give_overlaps_or_are_refused():
    rng = random.Random(7)
    sizes = (0.0, 5e-324, 1e-300, 1e-165, 1e-150, 1e-9, 1.0, 1.0 + 2**-52, 999.0, 1e50, 1e100, -1e100)
    for _ in range(400):
        a, b = ([rng.choice(sizes) for _ in range(2 * rng.randint(3, 9))] for _ in range(2))
        for convex in (False, True):
            score = region_paired(objects(a, convex=convex), objects(b, convex=convex))[0]
            assert 0 <= score <= 10**12


@pytest.mark.parametrize("number", [1.1e100, 1e200, 1e308, float("inf"), float("-inf"), float("nan")])
def test_numbers_without_a_finite_area_are_refused(number):
    with pytest.raises(ValueError, match="expected numbers up to 1e\\+100"):
        objects([0, 0, number, 0, 1, 1])


# Columns that do not fit


def changed(side: SimpleNamespace, **columns) -> SimpleNamespace:
    return SimpleNamespace(**{**vars(side), **columns})


REGIONS = objects([0, 0, 9, 0, 9, 9], [0, 0, 9, 0, 9, 5])
LINES = objects([0, 0, 9, 0], [0, 0, 9, 0, 9, 5], kind=2)
TORN = {
    "starts beyond the points": {"starts": array("q", [0, 6, 600])},
    "starts that descend": {"starts": array("q", [0, 6, 2])},
    "negative starts": {"starts": array("q", [-6, 6, 12])},
    "too few starts": {"starts": array("q", [0, 6])},
    "no starts": {"starts": array("q")},
    "too few reasons": {"reason": array("B", [0])},
}
TORN_SIDES = {
    **TORN,
    "offsets beyond the objects": {"offsets": array("q", [0, 3])},
    "offsets that descend": {"offsets": array("q", [2, 0])},
    "negative offsets": {"offsets": array("q", [-1, 2])},
    "no offsets": {"offsets": array("q")},
    "other records": {"offsets": array("q", [0, 1, 2])},
    "too few bounds": {"bounds": array("d", [0.0] * 4)},
}


@pytest.mark.parametrize("columns", TORN.values(), ids=TORN)
def test_shapes_refuse_torn_columns(columns):
    with pytest.raises(ValueError, match="expected"):
        Shapes(changed(REGIONS, **columns))


def test_shapes_refuse_objects_without_points():
    with pytest.raises(ValueError, match="object 1 has 0 numbers"):
        Shapes(changed(REGIONS, starts=array("q", [0, 6, 6])))


@pytest.mark.parametrize("columns", TORN_SIDES.values(), ids=TORN_SIDES)
def test_pairs_refuse_torn_columns_on_either_side(columns):
    regions, lines = changed(REGIONS, **columns), changed(LINES, **columns)
    for a, b in ((regions, REGIONS), (REGIONS, regions)):
        with pytest.raises(ValueError, match="expected"):
            region_pairs(a, b, 0.0)
    for a, b in ((lines, LINES), (LINES, lines)):
        with pytest.raises(ValueError, match="expected"):
            tube_pairs(a, b, 16)
        with pytest.raises(ValueError, match="expected"):
            near_lines(a, b, 8.0)


def test_regions_of_two_points_are_refused():
    with pytest.raises(ValueError, match="region 1 has 4 numbers"):
        region_pairs(changed(REGIONS, starts=array("q", [0, 6, 10])), REGIONS, 0.0)


def test_sides_of_different_length_are_not_paired():
    with pytest.raises(ValueError, match="pred: found a length of 1, expected 2"):
        region_paired(REGIONS, objects([0, 0, 9, 0, 9, 9]))
    with pytest.raises(ValueError, match="pred: found a length of 1, expected 2"):
        tube_paired(LINES, objects([0, 0, 9, 0], kind=2), 16)


@pytest.mark.parametrize("number", [-1.0, 1000.5, 1e300, float("nan")])
def test_lines_off_the_grid_are_refused(number):
    lines = changed(LINES, points=array("d", [0, 0, 9, 0, 0, 0, 9, number, 9, 5]))
    for measured in (lambda: tube_pairs(lines, LINES, 16), lambda: near_lines(LINES, lines, 8.0)):
        with pytest.raises(ValueError, match="expected 0 to 1000"):
            measured()


def test_coverage_refuses_what_is_no_line():
    for truth, pred in (([0], [2]), ([-1], [0]), ([0, 1], [0])):
        with pytest.raises(ValueError, match="expected"):
            coverage_of(LINES, LINES, array("i", truth), array("i", pred), 8.0)
    with pytest.raises(ValueError, match="object 0 is not a line"):
        coverage_of(changed(LINES, kind=array("B", [1, 2])), LINES, array("i", [0]), array("i", [0]), 8.0)


def test_a_line_of_one_point_covers_nothing_and_is_not_covered():
    longer, point = objects([0, 0, 10, 0], kind=2), objects([5, 0], kind=2)
    for sides in ((longer, point), (point, longer), (point, point)):
        found = coverage_of(*sides, array("i", [0]), array("i", [0]), 8.0)
        assert [column.tolist() for column in found] == [[0.0]] * 3


@pytest.mark.parametrize("reach", [0.0, 8.0, 60.0])
def test_lines_of_few_and_of_many_segments_are_covered_alike(reach):
    """The last segment again and again changes nothing, but more than some are gone through in another way."""
    rng = random.Random(reach)
    for _ in range(200):
        one, other = ([rng.randrange(300) for _ in range(2 * rng.randint(2, 9))] for _ in range(2))
        longer = other + other[-2:] * rng.randint(48, 60)
        index = array("i", [0])
        few, many = (
            coverage_of(objects(one, kind=2), objects(points, kind=2), index, index, reach)
            for points in (other, longer)
        )
        assert [column.tolist() for column in few] == [column.tolist() for column in many]


def test_runs_refuse_torn_columns():
    good = {
        "offsets": array("q", [0, 2]),
        "start": array("q", [0, 5]),
        "end": array("q", [4, 9]),
        "state": array("i", [0, 1]),
    }
    rank = array("i", [0, 1])
    assert painted_runs(SimpleNamespace(**good), rank, 0, 10, 0) == [(0, 0, 4), (1, 5, 9)]
    torn = [
        {"offsets": array("q", [0, 3])},
        {"offsets": array("q", [2, 0])},
        {"end": array("q", [4])},
        {"state": array("i", [0, 2])},
        {"start": array("q", [-3, 5])},
        {"end": array("q", [4, 3])},
    ]
    for columns in torn:
        with pytest.raises(ValueError, match="expected"):
            painted_runs(SimpleNamespace(**{**good, **columns}), rank, 0, 10, 0)
    for video in (-1, 1):
        with pytest.raises(ValueError, match="video"):
            painted_runs(SimpleNamespace(**good), rank, video, 10, 0)


# The same through the front doors


@pytest.mark.parametrize("points", [40, 100, 400])
def test_an_answer_with_a_tiny_zigzag_is_measured(points):
    square = zigzag_square(points, 1e-168, 1e-165)
    payload = {"candidate_answer": {"polygon": square}, "reference_answer": {"polygon": TRUTH}}
    assert calipers.judge.polygon(payload)["score"] == EXPECTED
    truth, pred = ({"type": "poly", "points": ring, "desc": "类别=标签"} for ring in (TRUTH, square))
    record = {"gt_norm1000": [truth], "pred_norm1000": [pred]}
    report = calipers.dense([record], bootstrap=0)
    assert report["modes"]["category"]["mean_overlap_matched"] == EXPECTED
    assert calipers.reward([pred], [truth]) == 1.0
