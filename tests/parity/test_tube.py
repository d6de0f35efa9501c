"""Tube IoU against a count of every cell, and line coverage against a walk along every line."""

import random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import calipers

from ..profiles import examples, share
from . import reference

deterministic = settings(derandomize=True, deadline=None, max_examples=examples(150))
few = settings(deterministic, max_examples=examples(12))

TOLERANCES = [0, 0.25, 0.5, 1, 3, 8, 40]
THRESHOLDS = [0.50, 0.55, 0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90, 0.95]


def lines(low: int, high: int, most: int = 8) -> st.SearchStrategy:
    """Integer polylines, two points at least; points may repeat, lines may have no length."""
    return st.integers(2, most).flatmap(
        lambda n: st.lists(st.integers(low, high), min_size=2 * n, max_size=2 * n),
    )


def at_a_border(line: list[int]) -> list[int]:
    """The same line in the far corner of the grid."""
    return [1000 - n for n in line]


def assert_exact(a, b, tolerance):
    exact = reference.tube_iou(a, b, tolerance)
    value = calipers.tube_iou(a, b, tolerance=tolerance)
    assert reference.is_rounded(value, exact), f"{a} with {b}: {value}, exactly {exact}"


# Against the count of cells


@deterministic
@given(lines(0, 12), lines(0, 12), st.sampled_from(TOLERANCES))
def test_short_lines_at_the_near_borders_are_exact(a, b, tolerance):
    assert_exact(a, b, tolerance)


@deterministic
@given(lines(0, 12), lines(0, 12), st.sampled_from(TOLERANCES))
def test_short_lines_at_the_far_borders_are_exact(a, b, tolerance):
    assert_exact(at_a_border(a), at_a_border(b), tolerance)


@deterministic
@given(lines(400, 460), lines(400, 460), st.sampled_from(TOLERANCES))
def test_lines_inside_are_exact(a, b, tolerance):
    assert_exact(a, b, tolerance)


@few
@given(lines(0, 1000, most=4), lines(0, 1000, most=4), st.sampled_from(TOLERANCES))
def test_long_lines_are_exact(a, b, tolerance):
    assert_exact(a, b, tolerance)


@pytest.mark.parametrize("tolerance", [0, 0.5, 1, 8])
def test_random_long_lines_and_their_neighbours_are_exact(tolerance):
    rng = random.Random(str(tolerance))
    for _ in range(6):
        line = [rng.randint(0, 1000) for _ in range(2 * rng.randint(2, 5))]
        near = [min(1000, max(0, n + rng.randint(-4, 4))) for n in line]
        assert_exact(line, near, tolerance)


def narrowest_misses(width: int, count: int) -> list[tuple[int, int]]:
    """Directions (dx, dy) with a centre closest to the rim of their tube without being on it, at either side of it.

    A centre lies k / (2 * length) from a line through lattice points, k being an integer with the parity of dx + dy.
    It is inside when k * k <= width * width * length2, and a primitive direction meets every such k.
    """
    dx, dy = np.meshgrid(np.arange(1, 1000), np.arange(1, 1000))
    rim = width**2 * (dx * dx + dy * dy)
    root = np.sqrt(rim.astype(float)).astype(np.int64)
    found = []
    for k in (root, root + 1):  # k ** 2 < 2 ** 53: roots are exact enough to have the right integer part
        miss = np.abs(k * k - rim) / (2 * np.sqrt(rim) * dy)  # in units of a row
        good = (np.gcd(dx, dy) == 1) & ((k - dx - dy) % 2 == 0) & (k * k != rim)
        order = np.argpartition(np.where(good, miss, np.inf), count, axis=None)[:count]
        found += [(int(dx.flat[i]), int(dy.flat[i])) for i in order]
    return found


@pytest.mark.parametrize("width", [1, 2, 5, 16, 60, 127, 128, 129, 200])
def test_cells_that_only_just_are_in_or_out_are_told_apart(width):
    for dx, dy in narrowest_misses(width, count=3 if share() == 1 else 1):
        left, top = (1000 - dx) // 2, (1000 - dy) // 2
        line = [left, top, left + dx, top + dy]
        assert_exact(line, [left, 1000 - top, left + dx, 1000 - top - dy], width / 2)


@pytest.mark.parametrize("tolerance", [0.25, 0.75, 1.25, 1.75, 2.25, 3.3])
def test_stroke_widths_are_rounded_halves_to_even(tolerance):
    # Twice the tolerance is 0.5, 1.5, 2.5, 3.5, 4.5, 6.6; the width is 1, 2, 2, 4, 4, 7.
    assert_exact([10, 10, 30, 14], [10, 12, 30, 12], tolerance)


def test_a_tolerance_beyond_the_grid_fills_it():
    assert calipers.tube_iou([0, 0, 0, 0], [1000, 1000, 1000, 1000], tolerance=2000) == 1.0
    assert calipers.tube_iou([0, 0, 500, 3], [7, 7, 7, 900, 40, 1], tolerance=2000) == 1.0


def test_a_wide_tube_is_cut_off_at_the_grid():
    # Quarters of a circle of 700 units in two corners, as far as the grid goes.
    assert_exact([0, 0, 0, 0], [1000, 1000, 1000, 1000], 700)
    assert_exact([0, 0, 1000, 0], [0, 0, 0, 1000], 400)


FLOATS = st.floats(0, 60, allow_subnormal=False)


@settings(deterministic, max_examples=examples(40))
@given(
    *[st.integers(2, 6).flatmap(lambda n: st.lists(FLOATS, min_size=2 * n, max_size=2 * n))] * 2,
    st.sampled_from(TOLERANCES[:-1]),
)
def test_float_lines_are_exact_unless_a_cell_lies_on_the_rim(a, b, tolerance):
    radius = reference.stroke_width(tolerance) / 2
    away = [reference.cell_distances(line, size=80) - radius for line in (a, b)]  # 60 + 8 and then some
    assume(min(np.abs(gap).min() for gap in away) > 1e-9)
    exact = reference.mask_iou(*[gap <= 0 for gap in away])
    assert reference.is_rounded(calipers.tube_iou(a, b, tolerance=tolerance), exact)


@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_random_float_lines_are_exact(tolerance):
    rng = random.Random(str(tolerance))
    radius = reference.stroke_width(tolerance) / 2
    for _ in range(3):
        line = [rng.uniform(0, 1000) for _ in range(2 * rng.randint(2, 4))]
        near = [min(1000.0, max(0.0, n + rng.uniform(-5, 5))) for n in line]
        exact = reference.mask_iou(*[reference.cell_distances(each) <= radius for each in (line, near)])
        assert reference.is_rounded(calipers.tube_iou(line, near, tolerance=tolerance), exact)


# By hand: columns are counted from 0, a cell (column, row) has its centre half a unit further


@pytest.mark.parametrize(
    ("a", "b", "tolerance", "iou"),
    [
        # A lattice point with a radius of 1 has the 4 cells around it, each 0.707 away.
        # (0, 0) has one of them on the grid, which is one of the 4 around (1, 1).
        pytest.param([0, 0, 0, 0], [1, 1, 1, 1], 1, 0.25, id="points at a corner"),  # 1 / 4
        # The centre of a cell with a radius of 1 has itself and, exactly 1 away, 4 neighbours.
        #     . # # .      . . # .
        #     . # # .      . # # #      3 shared, 4 + 5 - 3 in all
        #     . . . .      . . # .
        pytest.param([5, 5, 5, 5], [5.5, 5.5, 5.5, 5.5], 1, 0.5, id="the rim belongs to the tube"),  # 3 / 6
        # Along the border with a radius of 1: one row, and one column beyond the end, 0.707 away.
        pytest.param([0, 0, 3, 0], [0, 0, 1, 0], 1, 0.5, id="caps are round"),  # 2 / 4
        # A radius of 0.5 reaches the centres beside a lattice line, and none beyond its end.
        pytest.param([5, 5, 9, 5], [5, 5, 5, 9], 0.5, 1 / 15, id="an angle"),  # columns 5-8 of rows 4, 5; 8 + 8 - 1
        pytest.param([5, 5, 9, 5], [5, 6, 9, 6], 0.5, 1 / 3, id="parallels"),  # rows 4, 5 and 5, 6 of 4 cells: 4 / 12
        pytest.param([5, 5, 9, 5], [5, 7, 9, 7], 0.5, 0.0, id="parallels apart"),
        # 4 by 3: |4 row - 3 column + 0.5| <= 2.5 leaves (0, 0) (1, 0) (1, 1) (2, 1) (2, 2) (3, 2), of which
        # (1, 0) and (2, 2) lie on the rim.
        pytest.param([0, 0, 4, 3], [0, 0, 4, 0], 0.5, 0.25, id="a slanted rim"),  # 2 / (6 + 4 - 2)
        # A diagonal runs through centres; beside it the next ones are 0.707 away, more than 0.5.
        pytest.param([0, 0, 4, 4], [0, 0, 2, 2], 0.5, 0.5, id="diagonals"),  # 2 / 4
        pytest.param([0, 0, 4, 4], [0, 4, 4, 0], 0.5, 0.0, id="diagonals across"),  # pass between each other's cells
        # No centre is within 0.5 of a lattice point: no cells, nothing to overlap.
        pytest.param([5, 5, 5, 5], [0, 5, 9, 5], 0.5, 0.0, id="a point too small for a cell"),
        pytest.param([5, 5, 5, 5], [5, 5, 5, 5], 0.5, 0.0, id="no cells at all"),
        # Radius 8 around lines from border to border: rows 0-7 and rows 0-15, all columns.
        pytest.param([0, 0, 1000, 0], [0, 8, 1000, 8], 8, 0.5, id="the whole width"),  # 8 / 16
    ],
)
def test_worked_out_by_hand(a, b, tolerance, iou):
    assert calipers.tube_iou(a, b, tolerance=tolerance) == pytest.approx(iou, abs=5.1e-13)
    assert calipers.tube_iou(b, a, tolerance=tolerance) == pytest.approx(iou, abs=5.1e-13)


def test_the_tolerance_is_8_unless_said():
    # Rows 92-107 and 100-115: 8 shared of 24, as the lines cross the whole grid.
    assert calipers.tube_iou([0, 100, 1000, 100], [0, 108, 1000, 108]) == round(1 / 3, 12)


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_an_overlap_exactly_on_a_threshold_meets_it(threshold):
    # Half a unit around a line of n units on the border is n cells.
    part = round(20 * threshold)
    assert calipers.tube_iou([0, 0, 20, 0], [0, 0, part, 0], tolerance=0.5) == threshold
    assert calipers.tube_iou([0, 40, 0, 640], [0, 40, 0, 40 + 30 * part], tolerance=0.5) == threshold


# Trap 12: a polyline against its own reverse


@deterministic
@given(lines(0, 1000), st.sampled_from([1, 3, 8, 40]))
def test_an_integer_line_against_its_own_reverse_is_exactly_one(line, tolerance):
    points = reference.points_of(line)
    assert calipers.tube_iou(points, points[::-1], tolerance=tolerance) == 1.0


@deterministic
@given(st.lists(st.tuples(*[st.floats(0, 1000)] * 2), min_size=2, max_size=8), st.sampled_from([1, 3, 8, 40]))
def test_a_float_line_against_its_own_reverse_is_exactly_one(points, tolerance):
    assert calipers.tube_iou(points, points[::-1], tolerance=tolerance) == 1.0


@pytest.mark.parametrize("tolerance", [1, 3, 8])
def test_a_line_in_tenths_against_its_own_reverse_is_exactly_one(tolerance):
    # Centres of cells often lie exactly on the rim, and floats at either side of it.
    rng = random.Random(tolerance)
    for _ in range(3000):
        points = [(rng.randint(0, 300) / 10, rng.randint(0, 300) / 10) for _ in range(rng.randint(2, 3))]
        assert calipers.tube_iou(points, points[::-1], tolerance=tolerance) == 1.0, points


@deterministic
@given(lines(0, 60, most=6), st.integers(0, 10), st.sampled_from(TOLERANCES))
def test_a_repeated_point_changes_nothing(line, place, tolerance):
    points = reference.points_of(line)
    place %= len(points)
    stuttering = points[:place] + [points[place]] * 3 + points[place:]
    expected = float(reference.tube_cells(line, tolerance).any())
    assert calipers.tube_iou(points, stuttering, tolerance=tolerance) == expected


# Coverage


def assert_covered(truth, pred, tolerance):
    """As the walk says, give or take samples that are at the tolerance to within 1e-8."""
    found = calipers.line_coverage(truth, pred, tolerance=tolerance)
    least = reference.line_coverage(truth, pred, tolerance - 1e-8)
    most = reference.line_coverage(truth, pred, tolerance + 1e-8)
    for value, low, high in zip(found, least, most, strict=True):
        assert low - 1e-12 <= value <= high + 1e-12, f"{truth} with {pred}: {found}"


@deterministic
@given(lines(0, 60), lines(0, 60), st.sampled_from([0, 0.5, 1, 3, 8, 40]))
def test_coverage_is_that_of_samples_one_unit_apart(truth, pred, tolerance):
    assert_covered(truth, pred, tolerance)


@deterministic
@given(
    *[st.lists(st.tuples(*[st.integers(0, 40)] * 2, st.integers(1, 3)), min_size=2, max_size=5)] * 2,
    st.sampled_from([0, 1, 8]),
)
def test_coverage_of_lines_that_pause_is_that_of_samples_one_unit_apart(truth, pred, tolerance):
    truth, pred = ([n for x, y, times in line for n in (x, y) * times] for line in (truth, pred))
    assert_covered(truth, pred, tolerance)


def test_coverage_in_tenths_is_that_of_samples_one_unit_apart():
    rng = random.Random(10)
    for _ in range(300):
        truth, pred = ([rng.randint(0, 200) / 10 for _ in range(2 * rng.randint(2, 5))] for _ in range(2))
        truth[1::2] = truth[1:2] * (len(truth) // 2)  # level, so that lengths are tenths and often add up to units
        assert_covered(truth, pred, rng.choice([0.5, 1, 3, 8]))


@pytest.mark.parametrize("tolerance", [1, 8, 100])
def test_coverage_of_long_float_lines_is_that_of_samples_one_unit_apart(tolerance):
    rng = random.Random(tolerance)
    for _ in range(40):
        truth = [rng.uniform(0, 1000) for _ in range(2 * rng.randint(2, 8))]
        pred = [n + rng.uniform(-15, 15) for n in truth] if rng.random() < 0.5 else truth[::-1]
        assert_covered(truth, [min(1000, max(0, n)) for n in pred], tolerance)


@pytest.mark.parametrize(
    ("truth", "pred", "tolerance", "coverage"),
    [
        pytest.param([0, 0, 10, 0], [0, 0, 10, 0], 0, (1, 1, 1), id="itself"),
        pytest.param([0, 0, 10, 0], [0, 8, 10, 8], 8, (1, 1, 1), id="exactly at the tolerance"),
        pytest.param([0, 0, 10, 0], [0, 9, 10, 9], 8, (0, 0, 0), id="beyond it"),
        # Samples 0 … 10 of the truth, of which 0 … 5 are near; all 5 of the prediction (0 … 4) are.
        pytest.param([0, 0, 10, 0], [0, 0, 4, 0], 1, (6 / 11, 1, 12 / 17), id="a part"),
        # Length 2.5: samples 0, 1, 2 and the end; of these only the end is 1.5 or less from (4, 0).
        pytest.param([0, 0, 2.5, 0], [4, 0, 4, 0], 1.5, (1 / 4, 1, 2 / 5), id="the end is a sample"),
        # Once around a corner, 3 + 3 units: 7 samples, 4 of them on the prediction.
        pytest.param([0, 0, 3, 0, 3, 3], [0, 0, 3, 0], 0.5, (4 / 7, 1, 8 / 11), id="a corner"),
        # Segments of 1.5 and 1.5: samples at 0, 1, 2, 3 run on around the corner, (3, 0) is not one of them.
        pytest.param([0, 0, 1.5, 0, 1.5, 1.5], [1.5, 0, 1.5, 0], 0.5, (2 / 4, 1, 2 / 3), id="samples run on"),
        pytest.param([5, 5, 5, 5], [5, 5, 5, 5], 0, (1, 1, 1), id="points"),
        pytest.param([5, 5, 5, 5], [0, 5, 10, 5], 1, (1, 3 / 11, 6 / 14), id="a point on a line"),
        pytest.param([5, 5, 5, 5], [0, 50, 10, 50], 1, (0, 0, 0), id="a point off a line"),
        pytest.param([5, 5, 5, 5], [9, 9, 9, 9], 1, (0, 0, 0), id="points apart"),
    ],
)
def test_coverage_worked_out_by_hand(truth, pred, tolerance, coverage):
    assert calipers.line_coverage(truth, pred, tolerance=tolerance) == pytest.approx(coverage, abs=1e-12)


def test_the_tolerance_of_coverage_is_8_unless_said():
    assert calipers.line_coverage([0, 0, 10, 0], [0, 8, 10, 8]) == (1.0, 1.0, 1.0)
    assert calipers.line_coverage([0, 0, 10, 0], [0, 8.5, 10, 8.5]) == (0.0, 0.0, 0.0)


@deterministic
@given(lines(0, 100), lines(0, 100))
def test_coverage_the_other_way_round_swaps_recall_and_precision(truth, pred):
    recall, precision, f1 = calipers.line_coverage(truth, pred)
    assert calipers.line_coverage(pred, truth) == (precision, recall, f1)
