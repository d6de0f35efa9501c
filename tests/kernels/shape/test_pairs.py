"""Kernels that measure all pairs of a record agree with those that measure one, and leave out only what they may."""

import random

import numpy as np
import pytest

from calipers.core.shapes import Objects
from calipers.kernels.scan.column import int_column
from calipers.kernels.scan.flatten import ObjectColumns
from calipers.kernels.shape.plane import coverage_of, near_lines, region_paired, region_pairs, tube_paired, tube_pairs


def some_object(rng: random.Random) -> object:
    x, y = rng.randint(0, 60), rng.randint(0, 60)
    corners = [[x + rng.randint(0, 80), y + rng.randint(0, 80)] for _ in range(rng.randint(3, 7))]
    return rng.choice(
        [
            {"type": "bbox_2d", "points": [x, y, x + rng.randint(0, 80), y + 40]},
            {"type": "poly", "points": corners},
            {"type": "line", "points": corners},
            {"type": "line", "points": corners[:2]},
            {"type": "poly", "points": [1]},
            None,
        ]
    )


def sides(seed: int, records: int = 60, most: int = 9) -> tuple[Objects, Objects]:
    rng = random.Random(seed)
    columns = ObjectColumns({}), ObjectColumns({})
    for _ in range(records):
        for side in columns:
            side.add_record([some_object(rng) for _ in range(rng.randint(0, most))], False)
    return Objects(columns[0]), Objects(columns[1])


def alone(objects: Objects, index: int) -> Objects:
    """One object as a side of its own."""
    name = ("bbox_2d", "poly", "line")[objects.kind[index]]
    numbers = objects.points.tolist()[objects.starts[index] : objects.starts[index + 1]]
    columns = ObjectColumns({})
    columns.add_record([{"type": name, "points": numbers[:2] + numbers[4:6] if name == "bbox_2d" else numbers}], False)
    return Objects(columns)


def cells(truth: Objects, pred: Objects, family: set[int]) -> list[tuple[int, int]]:
    """All pairs of one record whose two objects are valid and of the family, in order."""
    found = []
    for record in range(len(truth.offsets) - 1):
        rows, columns = (members(side, record, family) for side in (truth, pred))
        found += [(i, j) for i in rows for j in columns]
    return found


def members(side: Objects, record: int, family: set[int]) -> list[int]:
    everyone = range(side.offsets[record], side.offsets[record + 1])
    return [i for i in everyone if side.kind[i] in family and not side.reason[i]]


def table(truth, pred, *values) -> dict:
    keys = zip(truth.tolist(), pred.tolist(), strict=True)
    return dict(zip(keys, zip(*(column.tolist() for column in values), strict=True), strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_region_pairs_are_all_pairs_that_share_area_with_the_overlap_of_the_pair_alone(seed):
    truth, pred = sides(seed)
    expected = {}
    for i, j in cells(truth, pred, {0, 1}):
        overlap = region_paired(alone(truth, i), alone(pred, j))[0]
        if overlap:
            expected[i, j] = (overlap,)
    found = table(*region_pairs(truth, pred, 0.0))
    assert found == expected
    assert list(found) == list(expected)
    assert len(found) > 10


@pytest.mark.parametrize("least", [0.1, 0.3, 0.5, 0.95, 1.0])
def test_region_pairs_leave_out_only_overlaps_below_what_was_asked_for(least):
    for seed in range(20):
        truth, pred = sides(seed)
        everything, some = table(*region_pairs(truth, pred, 0.0)), table(*region_pairs(truth, pred, least))
        assert some.items() <= everything.items()
        assert all(score < least * 1e12 for cell, (score,) in everything.items() if cell not in some)


@pytest.mark.parametrize("stroke", [1, 16, 200])
def test_tube_pairs_are_all_pairs_that_share_cells_with_the_overlap_of_the_pair_alone(stroke):
    truth, pred = sides(7)
    expected = {}
    for i, j in cells(truth, pred, {2}):
        overlap = tube_paired(alone(truth, i), alone(pred, j), stroke)[0]
        if overlap:
            expected[i, j] = (overlap,)
    found = table(*tube_pairs(truth, pred, stroke))
    assert found == expected
    assert list(found) == list(expected)
    assert found


@pytest.mark.parametrize("tolerance", [0, 0.5, 8, 100])
def test_coverage_pairs_are_those_of_the_pair_alone_and_pairs_left_out_cover_nothing(tolerance):
    truth, pred = sides(8)
    near = near_lines(truth, pred, tolerance)
    found = table(*near, *coverage_of(truth, pred, *near, tolerance))
    places = cells(truth, pred, {2})
    assert set(found) <= set(places)
    for i, j in places:
        alone = coverage_of(truth, pred, int_column([i]), int_column([j]), tolerance)
        assert found.get((i, j), (0, 0, 0)) == tuple(column[0] for column in alone)


def test_truth_and_pred_may_change_places():
    for seed in range(5):
        truth, pred = sides(seed)
        there, back = table(*region_pairs(truth, pred, 0.0)), table(*region_pairs(pred, truth, 0.0))
        assert there == {(i, j): score for (j, i), score in back.items()}
        there, back = table(*tube_pairs(truth, pred, 16)), table(*tube_pairs(pred, truth, 16))
        assert there == {(i, j): score for (j, i), score in back.items()}


@pytest.mark.parametrize("kernel", [lambda a, b: region_pairs(a, b, 0.0), lambda a, b: tube_pairs(a, b, 16)])
def test_nothing_has_no_pairs(kernel):
    empty = Objects(ObjectColumns({}))
    assert [len(column) for column in kernel(empty, empty)] == [0, 0, 0]


@pytest.mark.parametrize("size", [1e-9, 1e9, 1e100])
def test_regions_of_any_finite_size_overlap_themselves_and_no_overlap_is_outside_0_and_1(size):
    columns = ObjectColumns({}, framed=False)
    columns.add_record([{"type": "bbox_2d", "points": [0, 0, size, size], "desc": ""}], True)
    columns.add_record([{"type": "poly", "points": [0, 0, size, 0, size, size, 0, size], "desc": ""}], True)
    side = Objects(columns)
    assert np.asarray(region_paired(side, side)).tolist() == [10**12, 10**12]
