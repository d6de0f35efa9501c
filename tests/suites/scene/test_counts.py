"""Counts and rates of matched boxes, worked out by hand.

Objects are numbered through all scenes, true ones and predictions each on their own. A pair is written as truth, pred,
IoU, and where its centroids lie: "<" says that the prediction's is in the true box, ">" that the true one is in the
predicted box, "<>" that both are, "" that none is.
"""

import numpy as np
import pytest

from calipers.core.matching import Labels, Pairs, greedy, round_overlap
from calipers.suites.scene.counts import (
    FALSE_POSITIVE_CAUSES,
    CountedSide,
    Counts,
    Matches,
    class_table,
    false_positive_causes,
    range_counts,
    range_table,
    scene_table,
)
from calipers.suites.scene.rates import harmonic, plain, scene_rates

CLASSES = ["seat", "table", "door"]
SEAT, TABLE, DOOR, NONE = 0, 1, 2, -1


def side(scenes, counted=None):
    """Classes, scene by scene."""
    codes = [code for scene in scenes for code in scene]
    return CountedSide(np.cumsum([0, *map(len, scenes)]), codes, counted)


def pairs(rows):
    truth, pred, score = ([row[k] for row in rows] for k in range(3))
    return Pairs(np.array(truth, np.int32), np.array(pred, np.int32), np.array([*map(round_overlap, score)], np.int64))


class Case:
    """Two sides and their pairs, best first, to counts."""

    def __init__(self, truth, pred, *rows, iou=0.1, labelled=False, counted=None, errors=None):
        self.truth, self.pred, self.pairs = side(truth), side(pred, counted), pairs(rows)
        self.least, self.labelled = round_overlap(iou), labelled
        labels = Labels(self.truth.classes, self.pred.classes) if labelled else None
        chosen = greedy(self.pairs, self.truth.scene, self.pred.scene, min_overlap=self.least, labels=labels)
        where = {row[:2]: row[3] for row in rows}
        at = [*zip(list(chosen.truth), list(chosen.pred), strict=True)]
        inside, holds = ([sign in where[pair] for pair in at] for sign in "<>")
        distances = [(errors or {}).get(pair, 0.0) for pair in at]
        self.counts = Counts(self.truth, self.pred, Matches(chosen, inside, holds, distances), len(truth), len(CLASSES))

    def rates(self):
        return {name: plain(value[0]) for name, value in scene_rates(self.counts.totals()).items()}

    def per_class(self):
        return class_table(self.counts, CLASSES)

    def causes(self):
        spurious, codes = false_positive_causes(self.counts, self.pairs, self.least, self.labelled)
        return {
            place: FALSE_POSITIVE_CAUSES[code] for place, code in zip(spurious.tolist(), codes.tolist(), strict=True)
        }


# General


def test_every_general_rate_of_three_pairs():
    # 4 true boxes, 5 predictions, 3 pairs: both centroids, one of them, none of them
    rows = (0, 0, 0.5, "<>"), (1, 1, 0.25, ">"), (2, 2, 0.15, "")
    found = Case([[SEAT] * 4], [[SEAT] * 5], *rows, errors={(0, 0): 0.1, (1, 1): 0.25, (2, 2): 1.0}).rates()
    assert found["precision"] == 3 / 5
    assert found["recall"] == 3 / 4
    assert found["f1"] == 6 / 9  # 2 * 3 / (2 * 3 + 2 + 1)
    assert found["strict_accuracy"] == 1 / 3
    assert found["relaxed_accuracy"] == 2 / 3
    assert found["strict_precision"] == 1 / 5
    assert found["relaxed_precision"] == 2 / 5
    assert found["mean_iou_3d"] == pytest.approx(0.3, abs=1e-15)  # 0.9 / 3
    assert found["mean_centroid_error_m"] == pytest.approx(0.45, abs=1e-15)  # 1.35 / 3
    # 2 * (2/3 * 3/10) / (2/3 + 3/10) = 0.4 / (29/30) = 12/29
    assert found["f1_relaxed"] == pytest.approx(12 / 29, abs=1e-15)


def test_counts_of_all_scenes_are_pooled():
    # A scene with 1 of 1 and one with 0 of 3: 1 of 4, not the mean 1/2
    found = Case([[SEAT], [SEAT] * 3], [[SEAT], [SEAT]], (0, 0, 0.5, "<>")).rates()
    assert found["recall"] == 1 / 4
    assert found["precision"] == 1 / 2
    assert found["f1"] == 2 / 6


def test_without_a_match_means_are_undefined_and_not_zero():  # trap 30
    found = Case([[SEAT]], [[SEAT]]).rates()
    rates = {name for name, value in found.items() if value == 0.0}
    assert rates == {"precision", "recall", "f1", "strict_precision", "relaxed_precision"}
    assert all(found[name] is None for name in found.keys() - rates)


@pytest.mark.parametrize(
    ("truth", "pred", "expected"),
    [
        ([], [], {"precision": None, "recall": None, "f1": None, "strict_precision": None}),
        ([SEAT], [], {"precision": None, "recall": 0.0, "f1": 0.0, "strict_precision": None}),
        ([], [SEAT], {"precision": 0.0, "recall": None, "f1": 0.0, "strict_precision": 0.0}),
    ],
    ids=["nothing at all", "nothing predicted", "nothing there"],
)
def test_empty_sides(truth, pred, expected):
    found = Case([truth], [pred]).rates()
    assert {name: found[name] for name in expected} == expected
    assert found["f1_relaxed"] is None


def test_no_scenes_at_all():
    assert set(Case([], []).rates().values()) == {None}
    assert scene_table(Case([], []).counts, []) == {}


def test_predictions_left_out_are_in_no_count():
    # Three predictions, the second ignored: 1 of 2 is right
    found = Case([[SEAT]], [[SEAT, SEAT, TABLE]], (0, 0, 0.5, "<>"), counted=[True, False, True])
    assert found.rates()["precision"] == 1 / 2
    assert found.causes() == {2: "no_overlap"}
    assert found.per_class()["seat"]["fp"] == 0


@pytest.mark.parametrize(
    ("where", "iou", "expected"),
    [
        ("<>", 1.0, 1.0),
        ("<", 0.5, 2 / 3),  # 2 * 1 * 0.5 / 1.5
        ("", 0.5, 0.0),  # relaxed accuracy is 0, the mean IoU is not
    ],
)
def test_f1_relaxed_of_one_pair(where, iou, expected):
    found = Case([[SEAT]], [[SEAT]], (0, 0, iou, where)).rates()
    assert found["f1_relaxed"] == pytest.approx(expected, abs=1e-15)


def test_a_harmonic_mean_is_zero_when_its_parts_are_and_undefined_when_one_is():
    a, b = np.array([0.0, 0.0, np.nan, 0.5, np.nan]), np.array([0.0, 1.0, 0.0, np.nan, np.nan])
    assert [plain(value) for value in harmonic(a, b)] == [0.0, 0.0, None, None, None]


# Matching


def test_an_overlap_of_exactly_the_threshold_matches():
    assert Case([[SEAT]], [[SEAT]], (0, 0, 0.1, ""), iou=0.1).rates()["recall"] == 1.0
    assert Case([[SEAT]], [[SEAT]], (0, 0, 0.099999999999, ""), iou=0.1).rates()["recall"] == 0.0


def test_with_labels_required_only_one_class_matches_and_no_class_matches_nothing():
    rows = (0, 0, 0.9, "<>"), (1, 1, 0.8, "<>"), (2, 2, 0.7, "<>")
    case = Case([[SEAT, NONE, DOOR]], [[TABLE, NONE, DOOR]], *rows, labelled=True)
    assert list(case.counts.matches.truth) == [2]
    assert case.causes() == {0: "wrong_label", 1: "unresolved_label"}


def test_objects_without_a_class_match_when_labels_are_not_required():
    case = Case([[NONE]], [[NONE]], (0, 0, 0.9, "<>"))
    assert case.rates()["f1"] == 1.0
    assert {row["tp"] + row["fp"] + row["fn"] for row in case.per_class().values()} == {0}
    assert scene_table(case.counts, ["a"])["a"]["tp"] == 1
    assert not list(case.counts.class_blocks())


# Classes


def test_a_pair_of_different_labels_is_a_miss_of_one_and_a_false_positive_of_the_other():
    case = Case([[SEAT]], [[TABLE]], (0, 0, 0.9, "<>"))
    assert case.rates()["f1"] == 1.0  # in general the boxes are partners
    counts, rates = ("tp", "fp", "fn"), ("precision", "recall", "f1")
    localisation = ("mean_iou_3d", "strict_accuracy", "relaxed_accuracy", "mean_centroid_error_m")
    found = case.per_class()
    assert {label: [row[name] for name in counts] for label, row in found.items()} == {
        "seat": [0, 0, 1],
        "table": [0, 1, 0],
        "door": [0, 0, 0],
    }
    assert {label: [row[name] for name in rates] for label, row in found.items()} == {
        "seat": [None, 0.0, 0.0],
        "table": [0.0, None, 0.0],
        "door": [None, None, None],
    }
    assert {found[label][name] for label in CLASSES for name in localisation} == {None}


def test_an_unlabelled_partner_makes_a_miss_or_a_false_positive():
    # A seat met by a box without a class, and a box without a class met by a table
    found = Case([[SEAT, NONE]], [[NONE, TABLE]], (0, 0, 0.9, ""), (1, 1, 0.8, "")).per_class()
    assert [found["seat"][name] for name in ("tp", "fp", "fn")] == [0, 0, 1]
    assert [found["table"][name] for name in ("tp", "fp", "fn")] == [0, 1, 0]


def test_a_class_is_localised_by_pairs_that_carry_it_on_both_sides():
    rows = (0, 0, 0.8, "<>"), (1, 1, 0.6, "<"), (2, 2, 0.4, "<>")
    errors = {(0, 0): 0.25, (1, 1): 0.75, (2, 2): 2.0}
    found = Case([[SEAT, SEAT, SEAT]], [[SEAT, SEAT, TABLE]], *rows, errors=errors).per_class()["seat"]
    assert found == {
        "tp": 2,
        "fp": 0,
        "fn": 1,
        "precision": 1.0,
        "recall": 2 / 3,
        "f1": 4 / 5,
        "mean_iou_3d": pytest.approx(0.7, abs=1e-15),  # the pair with a table does not count
        "strict_accuracy": 1 / 2,
        "relaxed_accuracy": 1.0,
        "mean_centroid_error_m": 0.5,
    }


def test_macro_means_are_over_classes_with_a_match_each_once():
    # Seats: strict 1/3, relaxed 2/3, IoU (0.9 + 0.6 + 0.3) / 3 = 0.6, error (0 + 0.3 + 0.6) / 3 = 0.3
    # Tables: strict 1, relaxed 1, IoU 0.8, error 0.1. Doors are missed, and stay out.
    rows = (0, 0, 0.9, "<>"), (3, 3, 0.8, "<>"), (1, 1, 0.6, ">"), (2, 2, 0.3, "")
    errors = {(0, 0): 0.0, (1, 1): 0.3, (2, 2): 0.6, (3, 3): 0.1}
    truth, pred = [[SEAT, SEAT, SEAT, TABLE, DOOR]], [[SEAT, SEAT, SEAT, TABLE]]
    found = Case(truth, pred, *rows, errors=errors).rates()
    assert found["mean_strict_accuracy_per_class"] == pytest.approx((1 / 3 + 1) / 2, abs=1e-15)
    assert found["mean_relaxed_accuracy_per_class"] == pytest.approx((2 / 3 + 1) / 2, abs=1e-15)
    assert found["mean_iou_3d_per_class"] == pytest.approx((0.6 + 0.8) / 2, abs=1e-15)
    assert found["mean_centroid_error_m_per_class"] == pytest.approx((0.3 + 0.1) / 2, abs=1e-15)
    assert found["strict_accuracy"] == 2 / 4  # over pairs, not over classes


def test_macro_means_leave_out_pairs_without_a_class_and_of_two():
    rows = (0, 0, 0.9, "<>"), (1, 1, 0.8, "<>")
    found = Case([[NONE, SEAT]], [[NONE, DOOR]], *rows).rates()
    assert found["strict_accuracy"] == 1.0
    assert {found[name] for name in found if name.endswith("_per_class")} == {None}


# False positives


@pytest.mark.parametrize(
    ("label", "rows", "labelled", "cause"),
    [
        (NONE, [], False, "unresolved_label"),
        (NONE, [(0, 1, 0.5, "")], False, "unresolved_label"),
        (SEAT, [], False, "no_overlap"),
        (SEAT, [(0, 1, 0.0999, "")], False, "low_iou"),
        (TABLE, [(0, 1, 0.0999, "")], True, "low_iou"),
        (SEAT, [(0, 1, 0.1, "")], False, "duplicate"),
        (TABLE, [(0, 1, 0.1, "")], False, "duplicate"),
        (SEAT, [(0, 1, 0.1, "")], True, "duplicate"),
        (TABLE, [(0, 1, 0.1, "")], True, "wrong_label"),
        (TABLE, [(0, 1, 0.1, ""), (1, 1, 0.05, "")], True, "wrong_label"),  # the table it nearly met is not enough
        (TABLE, [(0, 1, 0.4, ""), (1, 1, 0.1, "")], True, "duplicate"),  # the table it met is taken
    ],
)
def test_the_first_cause_that_applies(label, rows, labelled, cause):
    """A seat and a table, found by predictions 0 and 2; what is prediction 1?"""
    taken = (0, 0, 0.9, "<>"), (1, 2, 0.8, "<>")
    case = Case([[SEAT, TABLE]], [[SEAT, label, TABLE]], *taken, *rows, labelled=labelled)
    assert case.causes() == {1: cause}


def test_causes_sum_to_false_positives_and_found_and_missed_to_the_ground_truth():  # trap 26
    # Two scenes; three predictions on one seat, a table on nothing, an unknown thing, a box that barely touches
    truth = [[SEAT, DOOR], [SEAT]]
    pred = [[SEAT, SEAT, SEAT, TABLE, NONE], [DOOR, SEAT]]
    rows = (0, 1, 0.9, "<>"), (0, 0, 0.5, "<>"), (0, 2, 0.5, "<"), (2, 6, 0.3, ">"), (2, 5, 0.05, "")
    case = Case(truth, pred, *rows)
    causes = case.causes()
    assert causes == {0: "duplicate", 2: "duplicate", 3: "no_overlap", 4: "unresolved_label", 5: "low_iou"}
    table = scene_table(case.counts, ["a", "b"])
    assert [(row["gt"], row["pred"], row["tp"], row["fp"], row["fn"]) for row in table.values()] == [
        (2, 5, 1, 4, 1),
        (1, 2, 1, 1, 0),
    ]
    assert sum(row["fp"] for row in table.values()) == len(causes)
    assert all(row["tp"] + row["fn"] == row["gt"] and row["tp"] + row["fp"] == row["pred"] for row in table.values())
    per_class = case.per_class()
    assert {name: (row["tp"], row["fp"], row["fn"]) for name, row in per_class.items()} == {
        "seat": (2, 2, 0),
        "table": (0, 1, 0),
        "door": (0, 1, 1),
    }


# Scenes and ranges


def test_scenes_have_their_own_counts_and_means():
    rows = (0, 0, 0.5, "<>"), (1, 1, 0.25, "<>"), (2, 2, 1.0, "<>")
    case = Case([[SEAT, SEAT], [SEAT], []], [[SEAT, SEAT], [SEAT], [DOOR]], *rows, errors={(1, 1): 0.5})
    found = scene_table(case.counts, ["a", "b", "c"])
    assert (found["a"]["mean_iou_3d"], found["a"]["mean_centroid_error_m"]) == (0.375, 0.25)
    assert (found["b"]["f1"], found["b"]["mean_iou_3d"], found["b"]["mean_centroid_error_m"]) == (1.0, 1.0, 0.0)
    expected = {"precision": 0.0, "recall": None, "f1": 0.0, "mean_iou_3d": None, "mean_centroid_error_m": None}
    assert found["c"] == {"gt": 0, "pred": 1, "tp": 0, "fp": 1, "fn": 0} | expected


def ranges(case, truth, pred, limits):
    return range_table(range_counts(case.counts, truth, pred, limits), limits)


def test_pairs_stand_in_the_range_of_their_truth_and_the_rest_in_their_own():
    # Truths at 1, 2, 5 m. The first is met from 3 m away, the second from 4.5 m; the third is missed.
    # Predictions at 1, 4 and 9 m met nothing; the last has no place.
    case = Case([[SEAT] * 3], [[SEAT] * 6], (0, 0, 0.5, ""), (1, 1, 0.4, ""))
    found = ranges(case, [1.0, 2.0, 5.0], [3.0, 4.5, 1.0, 4.0, 9.0, np.nan], (2.0, 4.0))
    assert [(row["from_m"], row["to_m"]) for row in found] == [(0.0, 2.0), (2.0, 4.0), (4.0, None)]
    assert [(row["gt"], row["pred"], row["tp"], row["fp"], row["fn"]) for row in found] == [
        (1, 2, 1, 1, 0),
        (1, 1, 1, 0, 0),
        (1, 2, 0, 2, 1),
    ]
    assert [(row["precision"], row["recall"], row["f1"]) for row in found] == [
        (1 / 2, 1.0, 2 / 3),
        (1.0, 1.0, 1.0),
        (0.0, 0.0, 0.0),
    ]


def test_a_range_begins_at_its_limit_and_one_range_holds_everything():
    case = Case([[SEAT] * 3], [[]])
    distances = [np.nextafter(2.0, 0.0), 2.0, np.nextafter(2.0, 3.0)]
    assert [row["gt"] for row in ranges(case, distances, np.array([]), (2.0,))] == [1, 2]
    [everything] = ranges(case, distances, np.array([]), ())
    assert (everything["from_m"], everything["to_m"], everything["gt"], everything["precision"]) == (0.0, None, 3, None)
