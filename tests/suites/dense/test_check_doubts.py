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


REVERSED = "5 of 20 boxes have x2 < x1 or y2 < y1, and fit as [x, y, w, h]: are they meant so?"


@pytest.mark.parametrize(
    ("few", "beyond", "doubted"),
    [
        (5, 0, True),  # 5 of 20 are a quarter
        (4, 0, False),
        (5, 1, True),  # 19 of 20 fit
        (5, 2, False),
    ],
)
def test_both_sides_as_x_y_w_h_agree_and_are_doubted(few, beyond, doubted):
    small = box(500, 500, 100, 100)  # as a size it ends at 600; as a corner it lies left of and above the first
    large, too_large = box(400, 400, 500, 500), box(600, 600, 700, 700)  # as sizes they end at 900 and at 1300
    boxes = [small] * few + [too_large] * beyond + [large] * (20 - few - beyond)
    [file] = check([{"gt_norm1000": boxes, "pred": boxes}])["files"]
    doubts = [text for text in file["warnings"] if "[x, y, w, h]" in text]
    assert doubts == ([f"ground truth: {REVERSED}", f"predictions: {REVERSED}"] if doubted else [])


def test_boxes_in_pixels_have_to_fit_their_image_as_sizes():
    small = {"type": "bbox_2d", "points": [1500, 900, 100, 100], "desc": "cone"}
    record = {"gt": [small] * 5, "pred": [], "width": 1600, "height": 1000}
    found = [check([record | size])["files"][0]["warnings"] for size in ({}, {"width": 1599})]
    assert ["fit as [x, y, w, h]" in " ".join(texts) for texts in found] == [True, False]
