"""COCO's lines and the figures beside them, by hand."""

import numpy as np
import pytest

from calipers.core.best_scores import best_cut
from calipers.suites.coco import class_curves
from calipers.suites.coco.class_curves import ClassCurves, DistinctCurves
from calipers.suites.coco.curves import (
    class_precisions,
    coco_lines,
    curves,
    precision_at_recall,
    precisions_at_target,
    scored_class,
    why_no_order,
    why_no_scores,
)
from calipers.suites.coco.engine import Accumulated
from calipers.suites.coco.replicates import RankedClass


def accumulated(classes=2, areas=4, dets=3, undefined=()):
    """Precision 1 up to recall 0.5 and 0 beyond for class 0 at all thresholds; class 1 has no ground truth."""
    precision = np.full((classes, areas, 10, 101), np.nan)
    precision[0, :, :, :51], precision[0, :, :, 51:] = 1.0, 0.0
    precision[:, list(undefined)] = np.nan
    recall = np.full((10, classes, areas, dets), np.nan)
    recall[:, 0] = 0.5
    return Accumulated(kept(precision), recall, np.arange(classes))


def kept(curves):
    """Curves (classes, areas, thresholds, steps) as they are kept."""
    distinct = DistinctCurves(curves.shape[:2], curves.shape[2:])
    distinct.add(curves.reshape(-1, curves.shape[2] * curves.shape[3]))
    return distinct.finished()


def test_lines_are_means_over_what_is_defined():
    lines = coco_lines(accumulated(), "bbox", (1, 10, 100))
    assert lines["AP"] == pytest.approx(51 / 101, abs=1e-15)
    assert lines["AR_10"] == 0.5
    assert list(lines) == [
        *("AP", "AP_50", "AP_75", "AP_small", "AP_medium", "AP_large"),
        *("AR_1", "AR_10", "AR_100", "AR_small", "AR_medium", "AR_large"),
    ]


def test_recall_has_a_line_for_each_of_max_dets():
    lines = coco_lines(accumulated(dets=2), "bbox", (5, 300))
    assert "AR_300" in lines
    assert "AR_100" not in lines


def test_keypoints_have_ten_lines():
    lines = coco_lines(accumulated(areas=3, dets=1), "keypoints", (20,))
    assert list(lines) == [
        *("AP", "AP_50", "AP_75", "AP_medium", "AP_large"),
        *("AR", "AR_50", "AR_75", "AR_medium", "AR_large"),
    ]


def test_undefined_is_none():
    found = accumulated(undefined=[1])
    assert coco_lines(found, "bbox", (1, 10, 100))["AP_small"] is None
    assert class_precisions(found, 0.9)["AP"][1] is None
    assert list(curves(found))[1] is None


def test_precision_at_recall_is_the_mean_from_the_target_on():
    # 11 steps from 0.40 to 0.50 at 1, and 50 at 0
    assert precision_at_recall(accumulated(), 0.4) == pytest.approx(11 / 61, abs=1e-15)
    assert precision_at_recall(accumulated(), 0.9) == 0.0


def test_curves_that_are_alike_are_kept_once():
    found = accumulated(classes=500).precision
    assert found.distinct.shape == (2, 10, 101)
    assert found.which.shape == (500, 4)


@pytest.mark.parametrize("classes", [1, 2, 3, 40, 300])
@pytest.mark.parametrize("distinct", [1, 2, 30])
def test_means_of_curves_are_those_of_the_array_written_out_to_the_bit(classes, distinct, monkeypatch):
    monkeypatch.setattr(class_curves, "NUMBERS_AT_ONCE", 1000)
    rng = np.random.default_rng(classes)
    pool = rng.random((distinct, 10, 101))
    pool[rng.random(distinct) < 0.2] = np.nan
    which = rng.integers(0, distinct, (classes, 4))
    found, whole = kept(pool[which]), np.ascontiguousarray(pool[which].transpose(2, 3, 0, 1))
    assert np.array_equal(found.distinct[found.which].transpose(2, 3, 0, 1), whole, equal_nan=True)
    columns, place = found.some_columns(1)
    assert np.array_equal(columns.mean(axis=(0, 1))[place], whole[..., 1].mean(axis=(0, 1)), equal_nan=True)
    for thresholds, steps in ((slice(None), slice(None)), (slice(5, 6), slice(90, None))):
        part = whole[thresholds, steps, :, 1]
        assert found.mean(1, thresholds, steps) == mean(part)
        assert found.class_means(1, thresholds, steps) == [mean(part[..., k]) for k in range(classes)]


def mean(values):
    defined = values[~np.isnan(values)]
    return float(np.mean(defined)) if len(defined) else None


def test_curves_of_no_class_have_no_mean():
    assert ClassCurves(np.empty((0, 10, 101)), np.empty((0, 4), np.int64)).mean(0) is None


def ranked(found, ignored=None, objects=2):
    zeros = np.zeros(len(found), dtype=np.uint16)
    bits = np.array(found, dtype=np.uint16)
    left_out = zeros if ignored is None else np.array(ignored, dtype=np.uint16)
    return RankedClass(zeros.astype(np.int32), bits, left_out, np.zeros(objects, dtype=np.int32))


def test_the_best_score_is_where_f1_is_highest():
    # F1 after 1, 2, 3, 4 detections of 2 objects: 2/3, 2/4, 4/5, 4/6
    scores = np.array([0.9, 0.8, 0.7, 0.6])
    assert best_cut(scored_class(ranked([1, 0, 1, 0]), scores)) == (0.7, 0.8)


def test_one_cannot_cut_between_equal_scores():
    # the first alone would give 2/3, but 0.9 brings both: 2/4; all three 4/5
    assert best_cut(scored_class(ranked([1, 0, 1]), np.array([0.9, 0.9, 0.7]))) == (0.7, 0.8)


def test_what_is_left_out_costs_nothing():
    assert best_cut(scored_class(ranked([0, 1, 1], ignored=[1, 0, 0]), np.array([0.9, 0.8, 0.7]))) == (0.7, 1.0)


def test_of_equally_good_scores_the_highest():
    # 2 objects: 2/3 with one detection, 4/6 with four
    assert best_cut(scored_class(ranked([1, 0, 0, 1]), np.array([0.9, 0.8, 0.7, 0.6]))) == (0.9, 2 / 3)


@pytest.mark.parametrize(
    ("found", "objects", "expected"), [([], 2, (None, None)), ([0], 0, (None, None)), ([0], 2, (None, 0.0))]
)
def test_without_objects_or_detections_there_is_no_best_score(found, objects, expected):
    assert best_cut(scored_class(ranked(found, objects=objects), np.array([0.5] * len(found)))) == expected


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        ([0.1, 0.2], None),
        ([], None),
        ([0.3, np.nan, 0.1], "1 of 3 detections have no score (the first is [1])"),
    ],
)
def test_scores_that_are_missing(scores, reason):
    said = why_no_scores(np.array(scores), np.arange(len(scores)))
    assert said is None if reason is None else said.startswith(reason)


@pytest.mark.parametrize(
    ("found", "ignored", "objects", "matters"),
    [
        ([1, 1], [0, 0], 2, False),  # all right
        ([0, 0], [0, 0], 2, False),  # all wrong
        ([1, 0], [0, 0], 2, True),
        ([1, 0], [0, 0], 0, False),  # no objects, no AP
        ([1, 0], [0, 1023], 2, False),  # what is neither right nor wrong does not count
        ([3, 1], [0, 0], 2, True),  # at the second threshold
    ],
)
def test_equal_scores_matter_where_right_and_wrong_mix(found, ignored, objects, matters):
    every = [1023 if bits == 1 and set(found) <= {0, 1} else bits for bits in found]
    mixed = RankedClass(*(np.array(each, np.uint16) for each in ([0, 0], every, ignored)), np.zeros(objects, np.int32))
    said = why_no_order(np.array([0.5, 0.5]), [mixed])
    assert said == ("all 2 scores are 0.5, so there is no order to rank detections in" if matters else None)


def test_nine_of_ten_without_a_false_one_is_a_precision_of_one_at_recall_nine_tenths():
    nine = ranked([1] * 9, objects=10)
    assert precisions_at_target([nine, ranked([], objects=0)], 0.9) == [1.0, None]
    assert precisions_at_target([nine], 0.95) == [0.0]
