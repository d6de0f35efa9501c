"""Objects by size: their kinds, what each kind adds, and sums in any pieces."""

from types import SimpleNamespace

import numpy as np
import pytest

from calipers.core import slice_objects
from calipers.core.matching import UNIT, Pairs
from calipers.core.parts import from_bytes, to_bytes
from calipers.core.slice_objects import ObjectRows, matched_rows
from calipers.core.sweep import Levels, Swept

NAMES = ["gt", "a.pred", "a.matched", "a.over", "b.pred", "b.matched", "b.over"]
LEVELS = Levels((0.5, 0.9), 0.5)


class Side:
    def __init__(self, *offsets):
        self.offsets = np.array(offsets)
        self.kind = np.zeros(offsets[-1], np.uint8)

    def __len__(self):
        return int(self.offsets[-1])


def swept(*pairs, levels=LEVELS):
    """A matching: truth, prediction and overlap of each pair."""
    truth, pred, overlap = (np.array(column) for column in zip(*pairs, strict=True))
    truth, pred = truth.astype(np.int32), pred.astype(np.int32)
    return Swept(Pairs(truth, pred, np.rint(overlap * UNIT).astype(np.int64)), BATCH, levels)


class Batch(SimpleNamespace):
    def __len__(self):
        return 2


# record 0: truths 0 and 1, predictions 0 and 1; record 1: truth 2, predictions 2 and 3
BATCH = Batch(truth=Side(0, 2, 3), pred=Side(0, 2, 4))
FIRST, SECOND = [(0, 0, 0.95), (1, 1, 0.6), (2, 2, 0.6)], [(0, 0, 0.95)]
EDGES = np.array([15.0])
# matched in the first (0 with 0 at both thresholds, 1 with 1 and 2 with 2 at one), in the second only 0 with 0
SMALL, LARGE, MISSING = 0, 1, 2


def made_rows():
    rows = ObjectRows(NAMES)
    matchings, truth_sizes, pred_sizes = [swept(*FIRST), swept(*SECOND)], [10.0, 20.0, 10.0], [11, 21, 99, np.nan]
    rows.extend(*matched_rows(matchings, LEVELS, truth_sizes, lambda left: np.array(pred_sizes)[left != 0]))
    return rows


def check(rows):
    (summed,) = rows.sums(EDGES)
    assert summed.sums[SMALL, :, 0].tolist() == [1, 1, 1, 2, 1, 1, 2]  # truth 0 and its prediction
    assert summed.sums[LARGE, :, 0].tolist() == [1, 1, 1, 1, 1, 0, 0]  # truth 1; prediction 1, left over in the second
    assert summed.sums[SMALL, :, 1].tolist() == [1, 1, 1, 1, 0, 0, 0]  # truth 2 with prediction 2 in the first
    assert summed.sums[LARGE, :, 1].tolist() == [0, 0, 0, 0, 1, 0, 0]  # prediction 2, left over in the second
    assert summed.sums[MISSING, :, 1].tolist() == [0, 1, 0, 0, 1, 0, 0]  # prediction 3, left over in both
    assert summed.rows.tolist() == [[1, 1], [2, 1], [0, 1]]
    assert sorted(rows.truth_sizes().tolist()) == [10.0, 10.0, 20.0]


def test_an_example_by_hand():
    check(made_rows())
    check(ObjectRows.unpack(from_bytes(to_bytes(made_rows().pack()))))


@pytest.mark.parametrize("together", [1, 2, 3, 4, 100])
def test_packed_rows_are_the_same_however_many_records_came_at_a_time(together, monkeypatch):
    """Of ten records: in five pieces, in two, and in one; also with a piece that has no records."""
    monkeypatch.setattr(slice_objects, "PACKED_TOGETHER", together)
    packed = []
    for pieces in ([5], [1, 0, 4], [2, 3], [1, 1, 1, 1, 1]):
        rows = ObjectRows(NAMES)
        for count in pieces:
            more = ObjectRows(NAMES)
            for _ in range(count):
                more.add(made_rows())
            rows.add(ObjectRows.unpack(more.pack()))
        packed.append(rows.pack())
    assert len(packed[0].plain["chunks"]) == -(-10 // together)
    assert {to_bytes(each) for each in packed} == {to_bytes(packed[0])}
    sums = [summed.sums for summed in ObjectRows.unpack(packed[0]).sums(EDGES)]
    (expected,) = made_rows().sums(EDGES)
    assert np.concatenate(sums, axis=2).tolist() == np.tile(expected.sums, 5).tolist()


def test_many_thresholds_have_only_the_kinds_that_occur(monkeypatch):
    monkeypatch.setattr(slice_objects, "MOST_KINDS", 4)
    rows = made_rows()
    check(rows)
    assert len(rows.table) == 4  # of 3 ** 2 + 4: two of truths, two of predictions left over


@pytest.mark.parametrize("thresholds", [179, 180, 181])  # with two matchings about 2 ** 15 kinds
def test_kinds_that_just_fit_into_16_bits_add_up(thresholds, monkeypatch):
    levels = Levels(tuple(0.05 + 0.005 * place for place in range(thresholds)), 0.5)
    matchings, pred_sizes = [swept(*pairs, levels=levels) for pairs in (FIRST, SECOND)], np.array([11, 21, 99, 5])

    def added_up():
        rows = ObjectRows(NAMES)
        rows.extend(*matched_rows(matchings, levels, [10.0, 20.0, 10.0], lambda left: pred_sizes[left != 0]))
        (summed,) = rows.sums(EDGES)
        return summed.sums.tolist()

    sums = added_up()
    monkeypatch.setattr(slice_objects, "MOST_KINDS", 4)  # so that kinds are of 64 bits
    assert added_up() == sums


def test_rows_with_other_kinds_add_up(monkeypatch):
    whole, later = made_rows(), ObjectRows(NAMES)
    monkeypatch.setattr(slice_objects, "MOST_KINDS", 4)
    later.add(made_rows())  # whose kinds have other numbers
    whole.add(later)
    (summed,) = whole.sums(EDGES)  # of two records twice, in one piece
    assert np.array_equal(summed.sums[:, :, :2], summed.sums[:, :, 2:])
    assert np.array_equal(summed.rows[:, :2], summed.rows[:, 2:])
    monkeypatch.setattr(slice_objects, "DRAWN_TOGETHER", 2)
    first, second = whole.sums(EDGES)
    assert np.array_equal(first.sums, summed.sums[:, :, :2])
    assert np.array_equal(second.sums, first.sums)


def test_numbers_of_any_size_are_added_up():
    rows = ObjectRows(["gt", "iou"])
    table = [[1, 32_767], [1, 32_768], [0, 5_000_000_000]]
    rows.extend(2, [2, 1], [1.0, 1.0, 50.0], [0, 1, 2], np.array(table))
    (summed,) = rows.sums(EDGES)
    assert summed.sums.sum(axis=0).tolist() == [[2, 0], [32_767 + 32_768, 5_000_000_000]]
    rows.extend(1, [1], [1.0], [0], np.array([[1, -1]]))
    with pytest.raises(ValueError, match=r"table: found -1, expected numbers of at least 0"):
        list(rows.sums(EDGES))


def test_a_batch_without_records_adds_nothing():
    rows = ObjectRows(["gt", "iou"])
    rows.extend(0, [], [], [], np.zeros((1, 2), np.int64))
    assert list(rows.sums(EDGES)) == []
    rows.extend(1, [1], [1.0], [0], np.array([[1, 7]]))
    (summed,) = rows.sums(EDGES)
    assert summed.sums.sum(axis=0).tolist() == [[1], [7]]
