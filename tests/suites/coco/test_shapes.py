"""Masks and keypoints of annotations and detections."""

import json
import math

import numpy as np
import pytest
from pycocotools import mask as reference

from calipers.core.errors import InputError
from calipers.suites.coco.read import read_detections

IMAGES = [{"id": 1, "width": 10, "height": 8}, {"id": 2}]
PERSON = {"id": 3, "name": "person"}
SQUARE = [[2, 1, 6, 1, 6, 4, 2, 4]]  # 4 x 3 cells
CELLS = np.zeros((8, 10), np.uint8, order="F")
CELLS[1:4, 2:6] = 1
RLE = reference.encode(CELLS)
POINTS = [1, 2, 2, 5, 4, 1, 0, 0, 0]


def annotation(ident=1, **more):
    row = {"id": ident, "image_id": 1, "category_id": 3, "bbox": [ident, 0, 5, 5], "area": 7, "iscrowd": 0} | more
    return {name: value for name, value in row.items() if value is not ...}


def result(**more):
    return {"image_id": 1, "category_id": 3, "score": 0.5} | more


def read(annotations, results, iou_type="segm", person=PERSON):
    gt = {"images": [dict(each) for each in IMAGES], "annotations": annotations, "categories": [person]}
    return read_detections(gt, results, iou_type=iou_type)


def bad(annotations, iou_type="segm", person=PERSON):
    return [each.problem for each in read(annotations, [], iou_type, person).bad]


# Masks

MASKS = {
    "polygons": SQUARE,
    "tuples": (tuple(SQUARE[0]),),
    "arrays": [np.array(SQUARE[0])],
    "RLE as text": {"size": [8, 10], "counts": RLE["counts"].decode()},
    "RLE as bytes": RLE,
    "RLE as runs": {"size": [8, 10], "counts": [17, 3, 5, 3, 5, 3, 5, 3, 36]},
    "RLE as tuples": {"size": (8, 10), "counts": (17, 3, 5, 3, 5, 3, 5, 3, 36)},
}


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_masks_in_every_form(mask):
    found = read([annotation(segmentation=mask, bbox=..., area=...)], [result(segmentation=mask)])
    assert (found.bad, found.pred.problems) == ([], {})
    for side in (found.truth, found.pred):
        assert side.area.tolist() == [12]
        assert side.box.tolist() == [[2, 1, 4, 3]]
        assert isinstance(side.masks[0], (list, dict))


def test_what_is_given_is_not_derived():
    found = read([annotation(segmentation=SQUARE)], [result(segmentation=SQUARE, bbox=[0, 0, 9, 9])])
    assert (found.truth.area.tolist(), found.truth.box.tolist()) == ([7], [[1, 0, 5, 5]])
    assert (found.pred.box.tolist(), found.pred.area.tolist()) == ([[0, 0, 9, 9]], [81])  # as pycocotools has it


def test_masks_stand_in_the_order_of_their_rows():
    guesses = [result(segmentation=RLE), result(), result(segmentation=SQUARE)]
    found = read([annotation(segmentation=SQUARE)], guesses)
    assert [type(mask) for mask in found.pred.masks] == [dict, type(None), list]


MALFORMED = {
    "nothing": [],
    "a number": 5,
    "a text": "RLE",
    "flat numbers": [1, 2, 3, 4, 5, 6],
    "two points": [[1, 2, 3, 4]],
    "an odd number": [[1, 2, 3, 4, 5, 6, 7]],
    "texts": [["1", 2, 3, 4, 5, 6]],
    "flags": [[True, 2, 3, 4, 5, 6]],
    "NaN": [[math.nan, 2, 3, 4, 5, 6]],
    "infinite": [[math.inf, 2, 3, 4, 5, 6]],
    "a huge number": [[10**400, 2, 3, 4, 5, 6]],
    "an RLE of nothing": {},
    "an RLE without a size": {"counts": "a"},
    "an RLE of one side": {"size": [8], "counts": "a"},
    "an RLE of sides that are none": {"size": [8, "10"], "counts": "a"},
    "runs that are too short": {"size": [8, 10], "counts": [5, 5]},
    "runs that are too long": {"size": [8, 10], "counts": [5, 500]},
    "runs that are none": {"size": [8, 10], "counts": {"a": 1}},
}


@pytest.mark.parametrize("mask", MALFORMED.values(), ids=MALFORMED)
def test_malformed_masks(mask):
    assert read([], [result(segmentation=mask)]).pred.problems == {0: "segmentation: malformed"}
    [problem] = bad([annotation(segmentation=mask)])
    assert problem.startswith("segmentation: found ")
    assert problem.endswith(
        "expected polygons [[x, y, x, y, x, y, …], …] or an RLE {size, counts} of the image's size (malformed)"
    )


def test_a_detection_with_only_a_box_has_that_for_its_mask():
    rows = [result(bbox=[2, 1, 4, 3]), result(segmentation=SQUARE, score=0.75)]
    rows += [result(bbox=[1, 2, -3, 4]), result(bbox=[1, 2, 3])]
    found = read([], rows)
    assert found.pred.masks == [[[2, 1, 2, 4, 6, 4, 6, 1]], SQUARE, None, None]
    assert found.pred.area.tolist()[:2] == [12, 12]
    assert found.pred.problems == {2: "bbox: negative width or height", 3: "bbox: not 4 numbers"}
    assert found.warnings == ["<pred>: detections without segmentation, whose mask is their box: 1 (first [0])"]
    found = read([], [result(image_id=2, bbox=[2, 1, 4, 3])])
    assert found.pred.problems == {0: "segmentation: polygons on an image without width and height"}


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_a_detection_with_only_a_mask_has_its_box_and_area(mask, tmp_path):
    notch = [[2, 1, 6, 1, 6, 4, 4, 4, 4, 2, 2, 2]]  # 4 x 3 cells without 2 x 2
    rows = [
        result(segmentation=mask),
        result(segmentation=notch, score=1),
        result(segmentation=notch, bbox=[1, 2, 3, 4]),
    ]
    rows += [result(segmentation=5), result(), result(segmentation=mask, bbox=[1, 2])]
    found = read([], rows, "bbox")
    assert found.pred.box.tolist()[:3] == [[2, 1, 4, 3], [2, 1, 4, 3], [1, 2, 3, 4]]
    assert found.pred.area.tolist()[:3] == [12, 8, 12]
    assert found.pred.problems == {3: "segmentation: malformed", 4: "bbox: missing", 5: "bbox: not 4 numbers"}
    assert (found.pred.masks, found.warnings) == (
        None,
        ["<pred>: detections without bbox, which is that of their mask: 2 (first [0])"],
    )
    if mask is SQUARE:
        (tmp_path / "pred.json").write_text(json.dumps(rows))
        again = read([], tmp_path / "pred.json", "bbox").pred
        assert np.array_equal(again.box, found.pred.box, equal_nan=True)
        assert (again.area.tolist()[:3], again.problems) == ([12, 8, 12], found.pred.problems)


def test_missing_masks():
    assert read([], [result(), result(segmentation=None)]).pred.problems == {
        0: "segmentation: missing",
        1: "segmentation: missing",
    }
    [problem] = bad([annotation()])
    assert problem.startswith("segmentation: missing, expected polygons")


def test_masks_of_another_size():
    mask = {"size": [10, 8], "counts": [80]}
    assert read([], [result(segmentation=mask)]).pred.problems == {0: "segmentation: not of the image's size"}
    assert bad([annotation(segmentation=mask)])[0].endswith("(not of the image's size)")


def test_an_image_without_a_size_has_that_of_its_masks():
    on_two = {"image_id": 2}
    found = read([annotation(segmentation=RLE) | on_two], [result(segmentation=SQUARE) | on_two])
    assert (found.images.width.tolist(), found.images.height.tolist()) == ([10, 10], [8, 8])
    assert found.pred.problems == {}
    words = "polygons on an image without width and height"
    assert read([], [result(segmentation=SQUARE) | on_two]).pred.problems == {0: f"segmentation: {words}"}
    assert bad([annotation(segmentation=SQUARE) | on_two])[0].endswith(f"({words})")


@pytest.mark.parametrize("side", [0.5, 1 << 16])
def test_polygons_on_an_image_that_no_mask_fits(side):
    gt = {"images": [{"id": 1, "width": side, "height": side}], "annotations": [], "categories": [PERSON]}
    found = read_detections(gt, [result(segmentation=SQUARE)], iou_type="segm")
    assert found.pred.problems == {0: "segmentation: on an image of a size that no mask can have"}


def test_runs_beyond_what_the_engine_counts():
    mask = {"size": [1 << 16, 1 << 16], "counts": [1 << 32]}
    words = "segmentation: on an image of a size that no mask can have"
    assert read([], [result(segmentation=mask, image_id=2)]).pred.problems == {0: words}


# Keypoints


def test_keypoints():
    found = read([annotation(keypoints=POINTS)], [result(keypoints=POINTS)], "keypoints")
    for side in (found.truth, found.pred):
        assert side.keypoints.tolist() == [[[1, 2, 2], [5, 4, 1], [0, 0, 0]]]
    assert found.truth.visible.tolist() == [2]
    assert found.pred.visible is None


def test_a_missing_box_is_that_around_the_points():
    """Those of an annotation that are labelled; of a detection all, as pycocotools has it."""
    found = read([annotation(keypoints=POINTS, bbox=..., area=...)], [result(keypoints=POINTS)], "keypoints")
    assert (found.truth.box.tolist(), found.truth.area.tolist()) == ([[1, 2, 4, 2]], [8])
    assert (found.pred.box.tolist(), found.pred.area.tolist()) == ([[0, 0, 5, 4]], [20])


def test_no_box_and_no_labelled_points():
    [problem] = bad([annotation(keypoints=[0] * 9, bbox=...)], "keypoints")
    assert problem.startswith("bbox: missing")


def test_num_keypoints_counts_where_it_is_given():
    rows = [annotation(1, keypoints=POINTS, num_keypoints=0), annotation(2, keypoints=POINTS, num_keypoints=3)]
    assert read(rows, [], "keypoints").truth.visible.tolist() == [0, 3]
    for wrong in (-1, "2", 1.5):
        [problem] = bad([annotation(keypoints=POINTS, num_keypoints=wrong)], "keypoints")
        assert problem.endswith("expected a whole number, not negative")


@pytest.mark.parametrize(
    "points",
    [
        [],
        POINTS[:6],
        [*POINTS, 1],
        [*POINTS[:8], "0"],
        [*POINTS[:8], math.nan],
        "x",
        5,
        [10**400, -(10**400), *POINTS[2:]],
    ],
)
def test_malformed_keypoints(points):
    person = PERSON | {"keypoints": ["nose", "left eye", "right eye"]}
    assert read([], [result(keypoints=points)], "keypoints", person).pred.problems == {0: "keypoints: malformed"}
    [problem] = bad([annotation(keypoints=points)], "keypoints", person)
    assert problem.endswith("expected [x, y, visibility, …] of every point (malformed, 3 points)")


def test_missing_keypoints():
    assert read([], [result()], "keypoints").pred.problems == {0: "keypoints: missing"}
    assert bad([annotation()], "keypoints") == ["keypoints: missing, expected [x, y, visibility, …] of every point"]


def test_without_names_the_points_of_most_rows_count():
    rows = [annotation(1, keypoints=[1, 1, 1]), annotation(2, keypoints=POINTS), annotation(3, keypoints=POINTS)]
    assert bad(rows, "keypoints")[0].endswith("(malformed, 3 points)")
    assert read([], [result(keypoints=POINTS)], "keypoints").pred.keypoints.shape == (1, 3, 3)


def test_categories_with_different_points():
    gt = {
        "images": IMAGES,
        "annotations": [],
        "categories": [PERSON | {"keypoints": ["a"]}, {"id": 4, "name": "x", "keypoints": []}],
    }
    with pytest.raises(InputError, match="categories: found 0 and 1 keypoints, expected as many in each category"):
        read_detections(gt, [], iou_type="keypoints")


@pytest.mark.parametrize("iou_type", ["segm", "keypoints"])
def test_nothing_at_all(iou_type):
    found = read([], [], iou_type)
    assert len(found.truth) == len(found.pred) == 0
