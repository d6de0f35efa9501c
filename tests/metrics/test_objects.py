"""Count diagnostics, and the causes of errors."""

import numpy as np
import pytest

from calipers.core import causes as objects
from calipers.core.causes import CAUSES
from calipers.core.matching import Labels, Pairs, round_overlap
from calipers.core.tally import Tally
from calipers.suites.dense.read import read_records

BOX = {"type": "bbox_2d", "points": [0, 0, 1, 1], "desc": ""}


def batch(*sizes):
    records = [{"gt_norm1000": [BOX] * gt, "pred": [BOX] * pred} for gt, pred in sizes]
    return read_records(records, frame="norm1000").batch


def pairs(*rows):
    """(truth, pred, overlap), best first."""
    truth, pred, overlap = zip(*rows, strict=True) if rows else ((), (), ())
    score = [round_overlap(value) for value in overlap]
    return Pairs(np.array(truth, np.int32), np.array(pred, np.int32), np.array(score, np.int64))


def causes(found, matching, labels, sizes, primary=0.5):
    truth, pred = objects.find_causes(batch(sizes), found, matching, Labels(*labels), round_overlap(primary))
    return [CAUSES[code] for code in truth], [CAUSES[code] for code in pred]


def test_counts_per_record():
    # Differences +2, -3, 0: sum of sizes 5; one more, one fewer, one equal.
    tally = Tally()
    objects.count_per_record(batch((1, 3), (4, 1), (2, 2)), tally)
    assert tally.counts["per_record"].tolist() == [5, 1, 1, 1]
    tally.count("records", [3, 3, 0, 0])
    tree = objects.counts_tree(tally)
    assert tree == {"mae": 5 / 3, "over_rate": 1 / 3, "under_rate": 1 / 3, "equal_rate": 1 / 3}


def test_counts_are_undefined_without_records():
    tally = Tally()
    objects.count_per_record(batch(), tally)
    tally.count("records", [1, 0, 1, 0])
    assert set(objects.counts_tree(tally).values()) == {None}


@pytest.mark.parametrize(
    ("overlap", "own", "cause"),
    [
        (0.09, 0, "spurious"),
        (0.1, 0, "misplaced"),
        (0.499999999999, 0, "misplaced"),
        (0.5, 0, "duplicate"),
        (0.5, 1, "wrong_label"),
        (0.5, -1, "wrong_label"),
        (0.3, 1, "misplaced"),
    ],
)
def test_an_unmatched_prediction_is_judged_by_its_best_overlap(overlap, own, cause):
    # Truth 0 is taken by prediction 0; prediction 1 overlaps it too.
    best = pairs((0, 0, 1.0))
    found = pairs((0, 0, 1.0), (0, 1, overlap))
    assert causes(found, best, ([0], [0, own]), (1, 2)) == (["matched"], ["matched", cause])


def test_a_prediction_without_any_overlap_is_spurious_and_truth_without_partner_missed():
    assert causes(pairs(), pairs(), ([0], [0, 0]), (1, 2)) == (["missed"], ["spurious", "spurious"])


def test_the_best_of_several_overlaps_decides():
    # 0.9 with truth 1 of another label before 0.8 with truth 0 of its own.
    found = pairs((0, 0, 1.0), (1, 1, 0.9), (0, 1, 0.8))
    assert causes(found, pairs((0, 0, 1.0)), ([0, 1], [0, 0]), (2, 2))[1] == ["matched", "wrong_label"]


def test_two_without_a_label_do_not_agree():
    assert causes(pairs((0, 0, 1.0)), pairs(), ([-1], [-1]), (1, 1)) == (["missed"], ["wrong_label"])


def test_pairs_are_counted_once():
    tally = Tally()
    truth, pred = np.array([0, 1, 0]), np.array([0, 0, 2, 5])  # matched, missed, matched; two matched, two others
    objects.count_causes(truth, pred, tally)
    assert objects.errors_tree(tally) == {
        "matched": 2,
        "missed": 1,
        "misplaced": 1,
        "wrong_label": 0,
        "duplicate": 0,
        "spurious": 1,
    }
