"""What a check of a dense dump doubts, at the edge of each doubt."""

import pytest

from calipers import check
from calipers.suites.dense.peek import frame_of

SWAPPED = "ground truth has scores and predictions have none: are the two sides swapped?"
FRACTIONS = "ground truth: no number is larger than 1: are they fractions of the image?"


def box(*points, **more):
    return {"type": "bbox_2d", "points": list(points), "desc": "类别=标签", **more}


def warnings(truth, pred):
    [file] = check([{"gt_norm1000": [truth], "pred": [pred]}])["files"]
    return file["warnings"]


@pytest.mark.parametrize(("largest", "doubted"), [(0.9, True), (1, True), (1.001, False)])
def test_numbers_up_to_1_may_be_fractions(largest, doubted):
    whole = box(10, 10, 20, 20)
    assert (FRACTIONS in warnings(box(0, 0, largest, largest), whole)) == doubted


@pytest.mark.parametrize(("truth", "pred", "doubted"), [(True, False, True), (True, True, False), (False, True, False)])
def test_scores_of_the_ground_truth_alone_may_be_swapped_sides(truth, pred, doubted):
    plain, scored = box(10, 10, 20, 20), box(10, 10, 20, 20, score=0.5)
    assert (SWAPPED in warnings(scored if truth else plain, scored if pred else plain)) == doubted


@pytest.mark.parametrize(("pixel", "normed", "frame"), [(1, 0, "pixel"), (1, 1, "norm1000"), (2, 1, "pixel")])
def test_records_are_in_pixels_if_more_of_them_are(pixel, normed, frame):
    assert frame_of([{"gt": []}] * pixel + [{"gt_norm1000": []}] * normed) == frame
