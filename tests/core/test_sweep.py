"""Counts over a sweep of thresholds, and the rates made of them."""

import numpy as np
import pytest

from calipers.core import sweep
from calipers.core.matching import UNIT, Pairs, round_overlap
from calipers.core.sweep import Levels, Swept
from calipers.core.tally import Tally
from calipers.suites.dense.read import read_records

BOX, POLY, LINE = range(3)


def pairs(*rows):
    """(truth, pred, overlap) as the columns of a matching."""
    truth, pred, overlap = zip(*rows, strict=True) if rows else ((), (), ())
    score = [round_overlap(value) for value in overlap]
    return Pairs(np.array(truth, np.int32), np.array(pred, np.int32), np.array(score, np.int64))


def batch(*sizes):
    """Records of so many boxes on either side."""
    box = {"type": "bbox_2d", "points": [0, 0, 1, 1], "desc": ""}
    records = [{"gt_norm1000": [box] * gt, "pred": [box] * pred} for gt, pred in sizes]
    return read_records(records, frame="norm1000").batch


def test_levels_are_the_sweep_the_primary_and_one_half_in_order_and_once():
    levels = Levels((0.3, 0.7), 0.5)
    assert levels.units == [300_000_000_000, 500_000_000_000, 700_000_000_000]
    assert levels.in_sweep.tolist() == [True, False, True]
    assert (levels.min_overlap, levels.index(0.7), len(levels)) == (300_000_000_000, 2, 3)


def test_above_keeps_pairs_that_meet_the_threshold_exactly():
    kept = sweep.above(pairs((0, 0, 0.5), (1, 1, 0.499999999999)), round_overlap(0.5))
    assert kept.truth.tolist() == [0]


def test_a_pair_counts_at_every_threshold_it_meets():
    # 0.6 meets 0.5 and 0.6; 0.5 meets 0.5; 0.9 meets all. Overlap at 0.5: 0.6 + 0.5 + 0.9 = 2.0.
    tally, matching = Tally(), pairs((0, 0, 0.6), (1, 1, 0.5), (2, 2, 0.9))
    sweep.count_sweep(Swept(matching, batch((3, 3)), Levels((0.5, 0.6, 0.7), 0.5)), "phase", tally)
    assert tally.counts["phase.truth"][BOX].tolist() == [3, 2, 1]
    assert tally.counts["phase.pred"][[POLY, LINE]].tolist() == [[0, 0, 0], [0, 0, 0]]
    assert tally.sums["phase.overlap"] == 2 * UNIT


def test_overlap_below_one_half_counts_for_low_thresholds_but_not_for_tightness():
    tally = Tally()
    sweep.count_sweep(Swept(pairs((0, 0, 0.4)), batch((1, 1)), Levels((0.3,), 0.3)), "phase", tally)
    assert tally.counts["phase.truth"][BOX].tolist() == [1, 0]  # at 0.3 and 0.5
    assert tally.sums["phase.overlap"] == 0


def test_pairs_by_record_at_primary_and_over_the_sweep():
    # Two records of two objects. First: 0.55 and 0.9; second: 0.7. Primary 0.6: 1 and 1.
    # Of the sweep 0.5, 0.8 they meet 1 + 2 and 1.
    matching = pairs((0, 0, 0.55), (1, 1, 0.9), (2, 2, 0.7))
    swept = Swept(matching, batch((2, 2), (2, 2)), Levels((0.5, 0.8), 0.6))
    at_primary, over_sweep = swept.matched_by_record
    assert (at_primary.tolist(), over_sweep.tolist()) == ([1, 1], [3, 1])


def test_labels_count_ground_truth_predictions_and_pairs_and_leave_out_the_unnamed():
    # Codes: 0 is a, 1 is b, 2 is c which nobody has, -1 is no label.
    tally = Tally()
    sweep.count_labels(pairs((0, 1, 0.9)), [0, 0, -1], [1, 0, -1], ["a", "b", "c"], "category", tally)
    rows = {name: row.tolist() for name, row in tally.tables["category"].items()}
    assert rows == {"a": [2, 1, 1], "b": [0, 1, 0]}


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((4, 2, 1), (1 / 2, 1 / 4, 1 / 3)),
        ((4, 2, 0), (0.0, 0.0, 0.0)),
        ((0, 2, 0), (0.0, None, 0.0)),
        ((4, 0, 0), (None, 0.0, 0.0)),
        ((0, 0, 0), (None, None, None)),
    ],
)
def test_rates_of_gt_pred_and_matched(counts, expected):
    row = sweep.rates(*counts)
    assert (row["precision"], row["recall"], row["f1"]) == expected


@pytest.mark.parametrize(
    ("precision", "recall", "expected"),
    [(0.5, 1.0, 2 / 3), (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (None, 1.0, 0.0), (1.0, None, 0.0), (None, None, None)],
)
def test_harmonic_mean_of_rates_that_may_be_undefined(precision, recall, expected):
    assert sweep.harmonic(precision, recall) == (None if expected is None else pytest.approx(expected))
