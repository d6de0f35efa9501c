"""Localisation recall precision and the score that makes it best: by hand, and laws."""

import pytest

import calipers

from ...parity.coco_datasets import annotation, coco_json, detection

A, B, FAR = [0, 0, 10, 10], [100, 0, 10, 10], [300, 300, 10, 10]
EIGHTY, SIXTY = [0, 0, 10, 8], [100, 0, 10, 6]  # overlaps with A and B of 0.8 and 0.6


def entry_of(truth, results, name="cone"):
    return calipers.coco(truth, results, bootstrap=0)["calibration"]["per_class"][name]


def lrp_of(truth, results, name="cone"):
    entry = entry_of(truth, results, name)
    return entry["lrp_optimal_score"], entry["optimal_lrp"]


def test_the_best_cut_by_hand():
    # from 0.9: (0.4 + 0 + 1) / 2 = 0.7; from 0.7: (0.4 + 1 + 1) / 3 = 0.8; from 0.5: (0.4 + 0.8 + 1 + 0) / 3 = 0.733…
    results = [detection(EIGHTY, 0.9), detection(FAR, 0.7), detection(SIXTY, 0.5)]
    entry = entry_of(coco_json(annotation(A), annotation(B)), results)
    assert (entry["lrp_optimal_score"], entry["optimal_lrp"]) == (0.9, pytest.approx(0.7))
    assert (entry["best_score"], entry["best_f1"]) == (0.5, 0.8)  # F1 does not ask how well a box fits


def test_detections_of_equal_score_are_kept_together():
    # from 0.9: (0.4 + 1 + 1) / 3 = 0.8; from 0.5: (0.4 + 0.8 + 1) / 3
    results = [detection(EIGHTY, 0.9), detection(FAR, 0.9), detection(SIXTY, 0.5)]
    assert lrp_of(coco_json(annotation(A), annotation(B)), results) == (0.5, pytest.approx(2.2 / 3))


def test_of_equally_good_scores_the_highest():
    # 0.9: (0 + 0 + 1) / 2; 0.8: (0 + 1 + 1) / 3; 0.5: (0 + 0.5 + 1 + 0) / 3
    three_quarters = [100, 0, 10, 7.5]
    results = [detection(A, 0.9), detection(FAR, 0.8), detection(three_quarters, 0.5)]
    assert lrp_of(coco_json(annotation(A), annotation(B)), results) == (0.9, 0.5)


def test_what_is_in_a_crowd_does_not_count():
    truth = coco_json(annotation(A), annotation([300, 300, 50, 50], iscrowd=1))
    assert lrp_of(truth, [detection(FAR, 0.9), detection(A, 0.5)]) == (0.5, 0.0)


def test_a_class_without_objects_has_none_and_one_without_right_boxes_has_the_worst():
    truth = coco_json(annotation(A))
    assert lrp_of(truth, [detection(FAR, 0.9)]) == (None, 1.0)
    assert lrp_of(truth, [detection([0, 0, 10, 5], 0.9)]) == (None, 1.0)  # found, as badly as one can
    assert lrp_of(truth, []) == (None, 1.0)
    assert lrp_of(truth, [detection(FAR, 0.9, kind=2)], "sign") == (None, None)
