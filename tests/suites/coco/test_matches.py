"""Detections matched by score, as COCO matches them."""

import numpy as np

from calipers.suites.coco.matches import match_by_score, ranked_classes
from calipers.suites.coco.overlaps import overlaps

from .detection_columns import detections

ALL = 2**10 - 1


def match(found, max_dets=100):
    rows, columns, overlap = overlaps(found, "bbox", min_overlap=0.5)
    same = found.truth.category[rows] == found.pred.category[columns]
    return match_by_score(found.truth, found.pred, (rows[same], columns[same], overlap[same]), max_dets=max_dets)


def test_bits_are_thresholds():
    # IoU 8 / 10 = 0.8: found at 0.50 … 0.80, the first seven of ten thresholds
    found = match(detections([(0, 0, [0, 0, 10, 10])], [(0, 0, [0, 0, 10, 8], 0.9)]))
    assert found.hits.tolist() == [0b0001111111]


def test_the_surest_detection_takes_the_object():
    box = [0, 0, 10, 10]
    found = match(detections([(0, 0, box)], [(0, 0, box, 0.3), (0, 0, [0, 0, 10, 9], 0.4)]))
    # the surer one has IoU 0.9, which the ninth threshold (0.8999999999999999 in pycocotools) takes; at 0.95 the other
    assert found.hits.tolist() == [0b1000000000, 0b0111111111]


def test_a_detection_in_a_crowd_is_left_out_and_the_crowd_stays():
    truth = [(0, 0, [0, 0, 100, 100], "crowd")]
    found = match(detections(truth, [(0, 0, [0, 0, 10, 10], 0.9), (0, 0, [50, 50, 10, 10], 0.8)]))
    assert found.hits.tolist() == [0, 0]
    assert found.ignored.tolist() == [ALL, ALL]


def test_an_object_comes_before_the_crowd_around_it():
    truth = [(0, 0, [0, 0, 10, 10]), (0, 0, [0, 0, 100, 100], "crowd")]
    found = match(detections(truth, [(0, 0, [0, 0, 10, 8], 0.9)]))
    assert found.hits.tolist() == [0b0001111111]
    assert found.ignored.tolist() == [0b1110000000]  # beyond 0.80 it is only in the crowd


def test_classes_do_not_meet():
    assert match(detections([(0, 0, [0, 0, 9, 9])], [(0, 1, [0, 0, 9, 9], 0.9)])).hits.tolist() == [0]


def test_max_dets_cuts_the_least_sure_of_a_class_on_an_image():
    far = [(0, 0, [k * 20, 0, 10, 10], score) for k, score in enumerate((0.2, 0.9, 0.5))]
    found = match(detections([], [*far, (0, 1, [0, 0, 5, 5], 0.1), (1, 0, [0, 0, 5, 5], 0.1)], images=2), max_dets=2)
    assert found.kept.tolist() == [False, True, True, True, True]


def test_of_equal_scores_the_one_given_first_is_kept():
    same = [(0, 0, [k * 20, 0, 10, 10], 0.5) for k in range(3)]
    assert match(detections([], same), max_dets=2).kept.tolist() == [True, True, False]


def test_what_could_not_be_read_takes_no_part():
    found = detections([(0, 0, [0, 0, 9, 9])], [(0, 0, [np.nan] * 4, 0.9)], problems={0: "bbox: not 4 numbers"})
    assert match(found).kept.tolist() == [False]


def test_an_object_larger_than_any_image_need_not_be_found():
    vast = [0, 0, 2e5, 1e5]
    found = match(detections([(0, 0, vast)], [(0, 0, vast, 0.9), (0, 0, vast, 0.8)]))
    assert found.wanted.tolist() == [False]
    assert found.hits.tolist() == [0, 0]
    assert found.ignored.tolist() == [ALL, ALL]  # one took it, the other is as large


def test_ranked_classes_come_best_first_with_the_images_of_their_objects():
    truth = [(0, 1, [0, 0, 9, 9]), (1, 0, [0, 0, 9, 9])]
    pred = [(0, 0, [0, 0, 9, 9], 0.2), (0, 1, [0, 0, 9, 9], 0.5), (1, 0, [0, 0, 9, 9], 0.7)]
    found = detections(truth, pred, images=2)
    cone, sign = ranked_classes(found.truth, found.pred, match(found), 2)
    assert cone.image.tolist() == [1, 0]
    assert cone.hits.tolist() == [ALL, 0]
    assert cone.objects.tolist() == [1]
    assert sign.image.tolist() == [0]
