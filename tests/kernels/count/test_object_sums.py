"""What is noted of a matching at its objects, and sums over these by size, by hand."""

import numpy as np
import pytest

from calipers.kernels.count.object_sums import (
    add_by_size,
    mark_matched,
    most_objects,
    object_rows,
    order_statistics,
    row_totals,
)


@pytest.mark.parametrize("kind", [np.int16, np.int64])
def test_a_truth_gets_a_digit_and_a_prediction_loses_a_bit(kind):
    found, left = np.array([0, 7, 0], kind), np.array([0b11, 0b11, 0b01], np.uint8)
    truth, pred = np.array([2, 1], np.int32), np.array([0, 2], np.int32)
    mark_matched(found, left, truth, pred, np.array([4, 1], np.int32), 12, 0b10)
    assert found.tolist() == [0, 7 + 1 * 12, 4 * 12]
    assert left.tolist() == [0b01, 0b11, 0b01]  # the last was taken away before, and stays


@pytest.mark.parametrize("kind", [np.int16, np.int64])
def test_rows_are_of_all_truths_and_of_predictions_left_over(kind):
    # record 0: truth 0, predictions 0 and 1; record 1: truths 1 and 2, prediction 2
    found, left = np.array([5, 0, 3], kind), np.array([0, 2, 1], np.uint8)
    truth_sizes, pred_sizes = np.array([1, 2, 3], np.float32), np.array([8, 9], np.float32)
    counts, sizes, kinds = object_rows(
        found, left, truth_sizes, pred_sizes, np.array([0, 1, 3]), np.array([0, 2, 3]), 100
    )
    assert counts.tolist() == [1, 2, 1, 1]
    assert sizes.tolist() == [1, 2, 3, 8, 9]
    assert kinds.tolist() == [5, 0, 3, 102, 101]
    assert np.asarray(kinds).dtype == kind


@pytest.mark.parametrize("kind", [np.int16, np.int64])
def test_nothing_has_no_rows(kind):
    none, offsets = np.array([], np.float32), np.array([0, 0, 0])
    counts, sizes, kinds = object_rows(np.array([], kind), none.astype(np.uint8), none, none, offsets, offsets, 7)
    assert (counts.tolist(), sizes.tolist(), kinds.tolist()) == ([0] * 4, [], [])


@pytest.mark.parametrize("seed", range(20))
def test_order_statistics_are_those_of_sorted_values(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(0, 10 ** rng.integers(0, 5), 300).astype(np.float32)
    values[:50] = values[50]  # ties
    places = rng.integers(0, 300, 9)
    assert order_statistics(values, places).tolist() == np.sort(values, kind="stable")[places].tolist()


def test_sums_by_size_of_more_objects_than_16_bits_count():
    # 3 objects of 30,000 in record 0 and 10 in record 9, the last of which has no size
    counts = np.array([[3, 0, 0, 0, 0, 0, 0, 0, 0, 4], [0, 0, 0, 0, 0, 0, 0, 0, 0, 6]], np.int32)
    sizes = np.array([1] * 3 + [5] * 4 + [5] * 5 + [np.nan], np.float32)
    rows, sums = np.zeros((3, 12), np.int32), np.zeros((6, 12), np.int64)
    table = np.zeros((2, 8), np.int16)
    table[0, :3], table[1, :3] = (30_000, 1, 1), (7, 0, 1)
    kinds = np.array([0] * 3 + [0] * 4 + [1] * 6, np.int32)
    add_by_size(rows, sums, 2, counts, sizes, kinds, table, 2, np.array([5], np.float32))
    assert rows[:, 2].tolist() == [3, 0, 0]
    assert rows[:, 11].tolist() == [0, 9, 1]
    assert sums[:, 2].tolist() == [90_000, 3, 0, 0, 0, 0]
    assert sums[:, 11].tolist() == [0, 0, 4 * 30_000 + 5 * 7, 4, 7, 0]
    assert sums.sum() == 90_000 + 3 + 120_000 + 35 + 4 + 7


@pytest.mark.parametrize("columns", [3, 7, 10, 18])  # of one, one, two and three times eight numbers
@pytest.mark.parametrize("edges", [[], [5.0], [3.0, 6.0], [4.0, 4.0], [2.0, 4.0, 8.0]])
@pytest.mark.parametrize("largest", [40, 9_000])  # the latter needs more than 16 bits for four objects
@pytest.mark.parametrize("bits", [128, 512])
def test_objects_are_added_group_by_group(columns, edges, largest, bits):
    rng = np.random.default_rng(columns)
    counts = rng.integers(0, 9, (2, 21)).astype(np.int32)
    counts[:, 3] = 16, 40  # more than a register holds
    count = counts.sum()
    sizes = rng.integers(0, 10, count).astype(np.float32)  # some are on an edge
    sizes[rng.random(count) < 0.2] = np.nan
    table = np.zeros((30, columns // 8 * 8 + 8), np.int16)
    table[:, :columns], table[:, columns] = rng.integers(0, largest, (30, columns)), 1
    kinds = rng.integers(0, 30, count).astype(np.int32)
    groups = len(edges) + 2
    rows, sums = np.zeros((groups, 21), np.int32), np.zeros((groups * columns, 21), np.int64)
    add_by_size(rows, sums, 0, counts, sizes, kinds, table, columns, np.array(edges, np.float32), bits)

    records = np.concatenate([np.repeat(np.arange(21), side) for side in counts])
    reached = np.where(np.isnan(sizes), groups - 1, np.searchsorted(np.array(edges), sizes, side="right"))
    expected = np.zeros((groups, columns + 1, 21), np.int64)
    np.add.at(expected, (reached, slice(None), records), table[kinds, : columns + 1])
    assert rows.tolist() == expected[:, columns].tolist()
    assert sums.tolist() == expected[:, :columns].reshape(-1, 21).tolist()
    if largest == 40:
        small, again = np.zeros((groups * columns, 21), np.uint16), np.zeros_like(rows)
        add_by_size(again, small, 0, counts, sizes, kinds, table, columns, np.array(edges, np.float32), bits)
        assert again.tolist() == rows.tolist()
        assert small.tolist() == sums.tolist()
        assert row_totals(small).tolist() == sums.sum(axis=1).tolist()


def test_the_most_objects_of_a_record_are_those_of_all_sides():
    assert most_objects(np.array([[3, 0, 2], [1, 0, 3]], np.int32)) == 5
    assert most_objects(np.zeros((2, 0), np.int32)) == 0


def test_the_totals_of_long_rows_are_exact():
    rows = np.full((2, 70_000), 65_535, np.uint16)  # 2 ** 16 of them are just below 2 ** 32
    rows[1, -1] = 1
    assert row_totals(rows).tolist() == [70_000 * 65_535, 69_999 * 65_535 + 1]


@pytest.mark.parametrize("edges", [[6.0, 3.0], [1.0, np.nan]])
def test_edges_that_do_not_ascend_are_refused(edges):
    rows, sums, none = np.zeros((4, 1), np.int32), np.zeros((4, 1), np.int64), np.zeros((1, 1), np.int32)
    table = np.ones((1, 8), np.int16)
    with pytest.raises(ValueError, match=r"edges: found .* expected numbers that ascend"):
        add_by_size(
            rows, sums, 0, none, none[0, :0].astype(np.float32), none[0, :0], table, 1, np.array(edges, np.float32)
        )
