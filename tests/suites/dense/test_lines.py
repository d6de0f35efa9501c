"""Coverage of lines: which pairs are averaged."""

import numpy as np
import pytest

from calipers.core.matching import Pairs
from calipers.core.tally import Tally
from calipers.suites.dense import lines
from calipers.suites.dense.lines import CoveredPairs
from calipers.suites.dense.read import read_records

LINE = {"type": "line", "points": [0, 0, 9, 9], "desc": ""}
BOX = {"type": "bbox_2d", "points": [0, 0, 9, 9], "desc": ""}
NOTHING = {"n": 0, "recall": None, "precision": None, "f1": None}


def tree(truth, pred, covered, matching):
    """`covered` are (truth, pred, recall, precision, f1); `matching` are (truth, pred)."""
    batch = read_records([{"gt_norm1000": truth, "pred": pred}], frame="norm1000").batch
    columns = zip(*covered, strict=True) if covered else ([], [], [], [], [])
    index = np.array(matching, np.int32).reshape(-1, 2)
    tally = Tally()
    lines.count_coverage(CoveredPairs(*columns), Pairs(index[:, 0], index[:, 1], index[:, 0]), batch, tally)
    return lines.coverage_tree(tally)


def test_matched_is_the_mean_over_matched_line_pairs_and_regions_do_not_count():
    # Pairs of truth and pred 0 and 1 are lines, pair 2 is boxes; (0, 1) is covered but not matched.
    covered = [(0, 0, 1.0, 0.5, 2 / 3), (0, 1, 0.1, 0.1, 0.1), (1, 1, 0.5, 0.5, 0.5)]
    found = tree([LINE, LINE, BOX], [LINE, LINE, BOX], covered, [(0, 0), (1, 1), (2, 2)])["matched"]
    assert found == {"n": 2, "recall": 0.75, "precision": 0.5, "f1": pytest.approx((2 / 3 + 1 / 2) / 2, abs=1e-12)}


def test_best_takes_the_highest_f1_of_each_truth_and_0_for_one_out_of_reach():
    # Truth 0: prediction 1 by f1, though prediction 0 has the higher recall. Truth 1 has none.
    covered = [(0, 0, 1.0, 0.25, 0.4), (0, 1, 0.5, 0.5, 0.5)]
    found = tree([LINE, LINE], [LINE, LINE], covered, [])
    assert found == {"matched": NOTHING, "best": {"n": 2, "recall": 0.25, "precision": 0.25, "f1": 0.25}}


def test_of_equal_f1_the_first_prediction_is_the_best():
    covered = [(0, 0, 0.25, 1.0, 0.4), (0, 1, 1.0, 0.25, 0.4)]
    assert tree([LINE], [LINE, LINE], covered, [])["best"] == {"n": 1, "recall": 0.25, "precision": 1.0, "f1": 0.4}


def test_without_ground_truth_lines_both_are_undefined():
    assert tree([BOX], [BOX, LINE], [], [(0, 0)]) == {"matched": NOTHING, "best": NOTHING}
