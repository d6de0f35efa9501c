"""Overlaps of boxes on images: by hand, and to the bit as pycocotools has them."""

import numpy as np
import pytest

from calipers.kernels.box_pairs import box_pairs


def pairs(truth, pred, crowd=None, least=0.0, truth_ends=None, pred_ends=None):
    crowd = np.array(crowd or [0] * len(truth), dtype=np.uint8)
    ends = [np.array(e or [0, len(side)], dtype=np.int64) for e, side in ((truth_ends, truth), (pred_ends, pred))]
    flat = [np.array(side, dtype=np.float64).reshape(-1) for side in (truth, pred)]
    rows, columns, overlap = box_pairs(flat[0], ends[0], crowd, flat[1], ends[1], least)
    return list(zip(rows, columns, overlap, strict=True))


def test_iou_is_shared_over_covered():
    # 10 x 10 and the 10 x 5 half of it: 50 / 100
    assert pairs([[0, 0, 10, 10]], [[0, 0, 10, 5]]) == [(0, 0, 0.5)]


def test_with_a_crowd_it_is_the_share_of_the_prediction():
    # 4 x 5 of the 4 x 10 prediction lie in the crowd: 20 / 40
    assert pairs([[0, 0, 100, 5]], [[10, 0, 4, 10]], crowd=[1]) == [(0, 0, 0.5)]


def test_touching_boxes_and_boxes_without_area_overlap_nothing():
    assert pairs([[0, 0, 10, 10]], [[10, 0, 10, 10], [0, 10, 5, 5], [3, 3, 0, 4]]) == []


def test_a_box_that_is_not_there_overlaps_nothing():
    assert pairs([[0, 0, 10, 10]], [[np.nan] * 4]) == []


def test_pairs_stay_on_their_image():
    found = pairs([[0, 0, 2, 2]] * 2, [[0, 0, 2, 2]] * 3, truth_ends=[0, 1, 2], pred_ends=[0, 2, 3])
    assert [(row, column) for row, column, _ in found] == [(0, 0), (0, 1), (1, 2)]


def test_least_leaves_out_what_is_below_it_and_keeps_what_meets_it():
    assert pairs([[0, 0, 10, 10]], [[0, 0, 10, 5], [0, 0, 10, 4]], least=0.5) == [(0, 0, 0.5)]


@pytest.mark.parametrize("whole", [True, False])
def test_to_the_bit_as_pycocotools(whole):
    mask = pytest.importorskip("pycocotools.mask")
    rng = np.random.default_rng(5)
    truth, pred = (rng.uniform(0, 40, (60, 4)) for _ in range(2))
    if whole:
        truth, pred = truth.round(), pred.round()
    crowd = (rng.random(60) < 0.3).astype(np.uint8)
    theirs = mask.iou(pred, truth, crowd.tolist()).T
    ours = np.zeros((60, 60))
    for row, column, overlap in pairs(truth, pred, crowd=crowd.tolist(), least=5e-324):
        ours[row, column] = overlap
    assert (ours == theirs).all()
