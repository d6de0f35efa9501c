"""Both sides together: what is derived, what is refused, what is left out, and what is said."""

import json
import math
import os
from hashlib import sha256
from threading import Thread

import numpy as np
import pytest
from PIL import Image

from calipers.core.errors import InputError, RecordError
from calipers.suites.coco.annotations.images import find_ids
from calipers.suites.coco.read import find_format, read_detections

IMAGES = [{"id": 1, "width": 100, "height": 80, "file_name": "a.jpg"}, {"id": 2, "width": 100, "height": 80}]
CATEGORIES = [{"id": 3, "name": "cone"}, {"id": 5, "name": "sign"}]


def annotation(ident=1, **more):
    row = {"id": ident, "image_id": 1, "category_id": 3, "bbox": [10, 20, 30, 40], "area": 1200, "iscrowd": 0}
    row |= {"bbox": [10 + ident, 20, 30, 40]} | more
    return {name: value for name, value in row.items() if value is not ...}


def result(**more):
    row = {"image_id": 1, "category_id": 3, "bbox": [10, 20, 30, 40], "score": 0.5} | more
    return {name: value for name, value in row.items() if value is not ...}


def dataset(*annotations, **more):
    return {"images": IMAGES, "annotations": list(annotations), "categories": CATEGORIES} | more


def read(annotations=(), results=(), iou_type="bbox", **more):
    return read_detections(dataset(*annotations, **more), list(results), iou_type=iou_type)


def refused(annotations=(), results=(), **more):
    with pytest.raises(InputError) as caught:
        read(annotations, results, **more)
    return str(caught.value)


def bad(*annotations, iou_type="bbox", **more):
    return [str(each.error()) for each in read(annotations, iou_type=iou_type, **more).bad]


# What is read


def test_rows_stand_image_by_image_in_the_order_they_were_given():
    rows = [result(image_id=2, score=0.1), result(score=0.2), result(image_id=2, score=0.3), result(score=0.4)]
    found = read([annotation(7, image_id=2), annotation(0)], rows)
    assert found.pred.image.tolist() == [0, 0, 1, 1]
    assert found.pred.score.tolist() == [0.2, 0.4, 0.1, 0.3]
    assert found.pred.place.tolist() == [1, 3, 0, 2]
    assert found.pred.ids.tolist() == [2, 4, 1, 3]
    assert found.pred.offsets.tolist() == [0, 2, 4]
    assert (found.truth.ids.tolist(), found.truth.place.tolist()) == ([0, 7], [1, 0])
    assert (found.warnings, found.bad) == ([], [])


def test_images_and_categories_are_counted_in_the_order_of_their_ids():
    images = [{"id": 9, "file_name": "a.jpg"}, {"id": -4, "file_name": "b.jpg"}, {"id": 0, "width": 0, "height": "x"}]
    categories = [{"id": 5, "name": "sign"}, {"id": 3, "name": "cone"}]
    found = read([annotation(image_id=9)], [result(image_id=-4)], images=images, categories=categories)
    assert (found.images.ids.tolist(), found.images.names) == ([-4, 0, 9], ["b.jpg", "0", "a.jpg"])
    assert np.isnan([found.images.width, found.images.height]).all()
    assert (found.categories.ids.tolist(), found.categories.names) == ([3, 5], ["cone", "sign"])
    assert (found.truth.image.tolist(), found.pred.image.tolist()) == ([2], [0])


def test_a_file_name_given_twice_names_no_image():
    images = [{"id": 1, "file_name": "a.jpg"}, {"id": 2, "file_name": "a.jpg"}, {"id": 3, "file_name": "2"}]
    assert read(images=images).images.names == ["1", "2 (id)", "2"]


def test_types_of_the_columns():
    found = read([annotation()], [result()])
    for side in (found.truth, found.pred):
        kinds = {name: getattr(side, name).dtype.name for name in ("image", "category", "box", "area", "score", "ids")}
        assert kinds == dict.fromkeys(("box", "area", "score"), "float64") | {
            "image": "int32",
            "category": "int32",
            "ids": "int64",
        }
        assert (side.crowd.dtype, side.place.dtype, side.masks, side.keypoints) == (np.bool_, np.int64, None, None)
    assert found.images.ids.dtype == found.categories.ids.dtype == np.int64


def test_nothing_on_either_side():
    found = read()
    assert (len(found.truth), len(found.pred), len(found.images), found.bad) == (0, 0, 2, [])


def test_inputs_are_named_with_digests_and_counts(tmp_path):
    gt, pred = tmp_path / "gt.json", tmp_path / "pred.json"
    gt.write_text(json.dumps(dataset(annotation())))
    pred.write_text(json.dumps([result(), result(score=0.25), result(score=0.125)]))
    told = []
    found = read_detections(gt, str(pred), progress=lambda done, total: told.append((done, total)))
    assert [tuple(each) for each in found.inputs] == [
        (str(gt), sha256(gt.read_bytes()).hexdigest(), 2),
        (str(pred), sha256(pred.read_bytes()).hexdigest(), 3),
    ]
    total = gt.stat().st_size + pred.stat().st_size
    assert told == [(gt.stat().st_size, total), (total, total)]
    assert [tuple(each) for each in read([annotation()], [result()]).inputs] == [("<gt>", None, 2), ("<pred>", None, 1)]


def test_files_and_memory_give_the_same(tmp_path):
    truths = [annotation(k, image_id=1 + k % 2, bbox=[k, 0.1 * k, 3, 4]) for k in range(50)]
    guesses = [result(image_id=1 + k % 2, score=k / 7, bbox=[k, k / 3, 1e-5, 7]) for k in range(50)] + [
        result(score="x")
    ]
    (tmp_path / "gt.json").write_text(json.dumps(dataset(*truths), indent=1))
    (tmp_path / "pred.json").write_text(json.dumps(guesses))
    one, two = read_detections(tmp_path / "gt.json", tmp_path / "pred.json"), read(truths, guesses)
    for side, other in ((one.truth, two.truth), (one.pred, two.pred)):
        for name in ("image", "category", "box", "area", "crowd", "score", "ids", "place", "offsets"):
            assert np.array_equal(getattr(side, name), getattr(other, name), equal_nan=name != "crowd")
        assert side.problems == other.problems


def test_what_can_be_read_only_once(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_text, args=(json.dumps([result()]),), daemon=True)
    writer.start()
    assert len(read_detections(dataset(), pipe).pred) == 1


# Detections that cannot be used


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"bbox": [1, 2, -3, 4]}, "bbox: negative width or height"),
        ({"bbox": [1, 2, 3, math.nan]}, "bbox: not finite"),
        ({"bbox": [1, 2, math.inf, 4]}, "bbox: not finite"),
        ({"bbox": [1, 2, 3]}, "bbox: not 4 numbers"),
        ({"bbox": "1 2 3 4"}, "bbox: not 4 numbers"),
        ({"bbox": None}, "bbox: missing"),
        ({"bbox": ...}, "bbox: missing"),
        ({"score": "high"}, "score: not a number"),
        ({"score": True}, "score: not a number"),
        ({"score": math.nan}, "score: not finite"),
        ({"score": math.inf}, "score: not finite"),
    ],
)
def test_a_detection_that_cannot_be_used_keeps_its_row(row, words):
    pred = read([], [result(image_id=2), result(**row), result(score=0.25)]).pred
    assert pred.problems == {0: words}
    assert pred.place.tolist() == [1, 2, 0]
    assert np.isnan(pred.box[0]).all()
    assert np.isnan(pred.area[0])
    assert pred.box[1:].tolist() == [[10, 20, 30, 40]] * 2
    assert not np.isinf(pred.score).any()


@pytest.mark.parametrize("row", [{"score": ...}, {"score": None}])
def test_a_missing_score_is_no_problem(row):
    pred = read([], [result(**row)]).pred
    assert (pred.problems, math.isnan(pred.score[0])) == ({}, True)


def test_a_detection_with_a_key_twice(tmp_path):
    (tmp_path / "pred.json").write_text(
        '[{"image_id": 1, "category_id": 3, "bbox": [1, 2, 3, 4], "bbox": [1, 2, 3, 5]}]'
    )
    assert read_detections(dataset(), tmp_path / "pred.json").pred.problems == {0: "bbox: given twice"}


def test_a_detection_with_several_keys_twice(tmp_path):
    (tmp_path / "pred.json").write_text(
        '[{"note": 1, "note": 2, "image_id": 1, "category_id": 3, "bbox": [1, 2, 3, 4], "bbox": [1, 2, 3, 5]}]'
    )
    assert read_detections(dataset(), tmp_path / "pred.json").pred.problems == {0: "bbox: given twice"}


# Input errors


def test_an_image_that_nobody_knows():
    assert refused([], [result(), result(image_id=7), result(image_id=8)]) == (
        "<pred>: [1]: image_id: found 7, expected the id of an image of <gt>: 1, 2; "
        "of the others, 1 have none of these either (calipers check tells whether they fit when read otherwise)"
    )


def test_a_category_that_nobody_knows():
    assert refused([], [result(), result(category_id=4)]) == (
        "<pred>: [1]: category_id: found 4, expected the id of a category of <gt>: 3, 5"
    )


def test_ids_of_another_data_set():
    images = [{"id": ident} for ident in (139, 285, 632, 724)]
    assert refused([], [result(image_id=9), result(image_id=4)], images=images) == (
        "<pred>: [0]: image_id: found 9, expected the id of an image of <gt>: 139, 285, 632, … 724; "
        "none of the detections has one of these: they have 4, 9"
        " (calipers check tells whether they fit when read otherwise)"
    )


def test_ids_that_are_off_by_one():
    found = refused([], [result(image_id=0), result(image_id=1)])
    assert found.endswith("(all of them seem to be one too small: were they counted from another number?)")
    found = refused([], [result(category_id=2), result(category_id=4)])
    assert "one too small" in found


@pytest.mark.parametrize("field", ["image_id", "category_id"])
def test_ids_that_are_missing_or_no_numbers(field):
    assert refused([], [result(), result(**{field: ...})]).startswith(
        f"<pred>: [1]: {field}: missing, expected the id of a"
    )
    found = refused([], [result(), result(**{field: "a.jpg"})])
    assert found.startswith(f'<pred>: [1]: {field}: found "a.jpg", expected the id of a')
    assert "ids that are texts are not supported" in found


def test_a_result_that_is_no_object():
    assert refused([], [result(), None]) == "<pred>: [1]: found null, expected an object"


def test_ids_given_twice():
    """Trap 11."""
    assert refused([annotation(8), annotation(7), annotation(8)]) == (
        "<gt>: annotations[0] and annotations[2]: both have the id 8, expected each id once"
    )
    assert refused(images=[*IMAGES, {"id": 1}]) == "<gt>: images[0] and [2]: both have the id 1, expected each id once"
    assert refused(categories=[*CATEGORIES, {"id": 3, "name": "x"}]) == (
        "<gt>: categories[0] and [2]: both have the id 3, expected each id once"
    )


@pytest.mark.parametrize(
    ("lists", "words"),
    [
        ({"images": []}, "images: found an empty list, expected images"),
        ({"images": {}}, "images: found {}, expected a list"),
        ({"images": [5]}, "images[0]: found 5, expected an image: an object with an id"),
        ({"images": [{}]}, "images[0]: id: missing, expected a whole number"),
        (
            {"images": [{"id": "a"}]},
            'images[0]: id: found "a", expected a whole number (ids that are texts are not supported)',
        ),
        ({"images": [{"id": True}]}, "images[0]: id: found true, expected a whole number"),
        ({"categories": [{"id": 1.5, "name": "a"}]}, "categories[0]: id: found 1.5, expected a whole number"),
        ({"categories": [{"id": 1}]}, "categories (id 1): name: missing, expected a text"),
        ({"categories": [{"id": 1, "name": 7}]}, "categories (id 1): name: found 7, expected a text"),
    ],
)
def test_images_and_categories_that_are_malformed(lists, words):
    assert refused(**lists) == f"<gt>: {words}"


# Annotations that cannot be used

BOX = "expected [x, y, width, height], finite, width and height not negative"


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"bbox": [1, 2, -3, 4]}, f"bbox: found [1, 2, -3, 4], {BOX}"),
        ({"bbox": [1, 2, 3.5, math.nan]}, f"bbox: found [1, 2, 3.5, NaN], {BOX}"),
        ({"bbox": [1, 2, 3]}, f"bbox: found [1, 2, 3], {BOX}"),
        ({"bbox": ...}, f"bbox: missing, {BOX}"),
        ({"area": -1}, "area: found -1, expected a finite number, not negative"),
        ({"area": math.inf}, "area: found Infinity, expected a finite number, not negative"),
        ({"area": "x"}, 'area: found "x", expected a finite number, not negative'),
        ({"iscrowd": 2}, "iscrowd: found 2, expected 0 or 1"),
        ({"category_id": 4}, "category_id: found 4, expected the id of a category"),
        ({"category_id": ...}, "category_id: missing, expected the id of a category"),
        ({"image_id": 4}, "image_id: found 4, expected the id of an image"),
        ({"image_id": "1"}, 'image_id: found "1", expected the id of an image'),
    ],
)
def test_malformed_annotations(row, words):
    assert bad(annotation(12), annotation(40, **row)) == [f"<gt>: annotations[1] (id 40): {words}"]


def test_an_annotation_without_a_usable_id():
    assert bad(annotation(id="x")) == ['<gt>: annotations[0]: id: found "x", expected a whole number']
    assert bad(5) == ["<gt>: annotations[0]: found 5, expected an object"]


def test_images_with_a_bad_annotation_are_left_out_altogether():
    truths = [annotation(1), annotation(2, image_id=2), annotation(3, bbox=[0, 0, -1, 1]), annotation(4, image_id=9)]
    found = read(truths, [result(), result(image_id=2, bbox=[1, 2, 3]), result(score="x")])
    assert [type(each.error()) for each in found.bad] == [RecordError, RecordError]
    assert found.bad[0].entry() == {
        "path": "<gt>",
        "place": "annotations[2]",
        "image": "a.jpg",
        "id": 3,
        "problem": f"bbox: found [0, 0, -1, 1], {BOX}",
    }
    assert (found.images.ids.tolist(), found.images.names, found.images.width.tolist()) == ([2], ["2"], [100])
    assert (found.truth.ids.tolist(), found.truth.image.tolist(), found.truth.offsets.tolist()) == ([2], [0], [0, 1])
    assert (found.pred.place.tolist(), found.pred.problems) == ([1], {0: "bbox: not 4 numbers"})


# What is derived


def test_missing_areas_are_those_of_the_box():
    """Trap 10."""
    found = read([annotation(1, area=...), annotation(2, area=None), annotation(3, area=5)], [result()])
    assert found.truth.area.tolist() == [1200, 1200, 5]
    assert found.pred.area.tolist() == [1200]
    [warning] = found.warnings
    assert warning.endswith("without area, which is that of the mask or of the box: 2 (first annotations[0])")


def test_missing_areas_are_those_of_the_mask_where_there_is_one():
    square = [[10, 10, 20, 10, 20, 15, 10, 15]]
    rle = {"size": [80, 100], "counts": [800, 5, 7195]}
    rows = [annotation(1, segmentation=square, area=...), annotation(2, segmentation=rle, area=...)]
    rows += [annotation(3, segmentation=[], area=...), annotation(4, segmentation=square, area=...)]
    images = [IMAGES[0], {"id": 2}]
    rows[3]["image_id"] = 2
    assert read(rows, images=images).truth.area.tolist() == [50, 5, 1200, 1200]


def test_an_area_that_is_no_number_is_not_missing():
    square = [[10, 10, 20, 10, 20, 15, 10, 15]]
    assert bad(annotation(area=math.nan, segmentation=square)) == [
        "<gt>: annotations[0] (id 1): area: found NaN, expected a finite number, not negative"
    ]


def test_missing_crowds_and_ids():
    found = read([annotation(iscrowd=..., id=...), annotation(2, id=..., iscrowd=True)])
    assert (found.truth.crowd.tolist(), found.truth.ids.tolist()) == ([False, True], [1, 2])
    assert [each.partition(":")[2] for each in found.warnings] == [
        " annotations without iscrowd, which is 0: 1 (first annotations[0])",
        " annotations without id, which were numbered: 2 (first annotations[0])",
    ]


def test_missing_ids_among_others_follow_them():
    assert read([annotation(2), annotation(3, id=...), annotation(1)]).truth.ids.tolist() == [2, 3, 1]


def test_missing_ids_are_free_ones_where_none_can_follow():
    last = 2**63 - 1
    rows = [annotation(1, id=last), annotation(2, id=...), annotation(3, id=1), annotation(4, id=...)]
    assert read(rows).truth.ids.tolist() == [last, 2, 1, 3]


def test_an_annotation_id_of_0_is_an_id_like_any_other():
    """Trap 1."""
    found = read([annotation(0)])
    assert (found.truth.ids.tolist(), found.warnings) == ([0], [])


# Sizes of images


@pytest.mark.parametrize("width", [640, 640.0, np.int64(640), np.float32(640)])
def test_sizes_may_be_numbers_of_any_kind(width):
    assert read(images=[{"id": 1, "width": width}]).images.width.tolist() == [640]


@pytest.mark.parametrize("width", [None, 0, -1, "640", True, math.nan, math.inf, 2**31, 10**400, -(10**400)])
def test_what_is_no_size_is_unknown(width):
    found = read([annotation()], [result()], images=[{"id": 1, "width": width, "height": 80}])
    assert math.isnan(found.images.width[0])
    assert found.images.height.tolist() == [80]


# What is said


def said(annotations=(), results=(), **more):
    return [each.partition(": ")[2] for each in read(annotations, results, **more).warnings]


def test_annotations_given_twice():
    rows = [annotation(1), annotation(2, bbox=[11, 20, 30, 40]), annotation(3, bbox=[11, 20, 30, 40], category_id=5)]
    assert said(rows) == ["annotations given twice, with the same image, category and box: 1 (first annotations[1])"]


def test_detections_given_twice():
    rows = [result(), result(score=0.6), result(image_id=2), result(), result()]
    assert said([], rows) == ["detections given twice, with the same image, category, box and score: 2 (first [3])"]
    rows = [result(score=...), result(score=...)]
    assert said([], rows) == ["detections given twice, with the same image, category, box and score: 1 (first [1])"]


def test_detections_with_problems_are_not_given_twice():
    assert said([], [result(bbox=[1, 2, 3])] * 3 + [result()]) == []


def test_boxes_of_no_area_and_boxes_outside():
    rows = [annotation(1, bbox=[5, 5, 0, 9], area=0), annotation(2, bbox=[100, 5, 2, 2], area=4)]
    assert said(rows, [result(bbox=[-30, 0, 10, 10]), result(bbox=[90, 70, 30, 30])]) == [
        "annotations with a box of no area, which nothing can match: 1 (first annotations[0])",
        "annotations completely outside of their images: 1 (first annotations[1])",
        "detections completely outside of their images: 1 (first [0])",
    ]


def test_an_area_larger_than_the_box():
    assert said([annotation(1, area=1211), annotation(2, area=1213)]) == [
        "annotations with more area than their boxes: 1 (first annotations[1])"
    ]


def test_category_names_given_twice():
    categories = [{"id": 3, "name": "cone"}, {"id": 7, "name": "cone"}]
    found = read(categories=categories)
    assert found.categories.names == ["cone (id 3)", "cone (id 7)"]
    assert found.warnings == ['<gt>: category names given twice: 1 (first "cone")']


def test_category_names_that_are_written_alike():
    found = read(categories=[{"id": 3, "name": "\ud800"}, {"id": 5, "name": "\ufffd"}])
    assert found.categories.names == ["\ufffd (id 3)", "\ufffd (id 5)"]


def test_detections_that_are_all_invalid():
    rows = [result(bbox=[1, 2, 3]), result(score="x"), result(bbox=7)]
    told = "all detections are invalid and match nothing: {} (first [0] of {}; calipers check tells more)"
    assert said([], rows) == [told.format("bbox: not 4 numbers", 3)]
    assert said([], [*rows, result()]) == []
    keypoints = f'{told}; keypoints are measured by `iou_type="keypoints"`'
    expected = "; expected [x, y, width, height] under that name; keypoints are"
    boxes = keypoints.replace("; keypoints are", expected)
    assert said([], [result(bbox=...)]) == [boxes.format("bbox: missing", 1)]
    assert said([], [result(bbox=...)], iou_type="segm") == [keypoints.format("segmentation: missing", 1)]
    [warning] = said([], [result()], iou_type="keypoints")
    assert warning.startswith("all detections are invalid and match nothing: keypoints: missing (first [0] of 1;")
    assert warning.endswith('boxes are measured by `iou_type="bbox"`, masks by `iou_type="segm"`')


def test_ground_truth_as_predictions():
    found = read_detections(dataset(annotation()), dataset(annotation()))
    assert found.warnings == ["<pred>: a data set without scores was given as predictions: is it the ground truth?"]


# Formats


def test_the_format_is_found(tmp_path):
    assert find_format(str(tmp_path / "none.json")) == "coco"
    assert find_format("a.XML") == "voc"
    labelme = tmp_path / "a.json"
    labelme.write_text('{"imagePath": "a.jpg", "shapes": [], "imageHeight": 5, "imageWidth": 5}')
    assert find_format(str(labelme)) == "labelme"
    with pytest.raises(InputError, match="expected the folder with the YOLO labels"):
        find_format("data.yaml")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="found a folder with none of these files, expected a COCO JSON file, or"):
        find_format(str(tmp_path / "empty"))
    with pytest.raises(InputError, match="`pred_format=…` tells which it is, if nothing was found"):
        read_detections(dataset(), tmp_path / "empty")
    for kind in ("yolo", "voc", "labelme"):
        assert len(read_detections(dataset(), tmp_path / "empty", pred_format=kind).pred) == 0


def test_other_formats_pass_the_same_checks(tmp_path):
    shape = {"label": "cone", "points": [[10, 20], [40, 60]], "shape_type": "rectangle"}
    page = {"imagePath": "a.jpg", "imageWidth": 100, "imageHeight": 80, "shapes": [shape]}
    (tmp_path / "gt").mkdir()
    (tmp_path / "gt" / "a.json").write_text(json.dumps(page))
    found = read_detections(tmp_path / "gt", dataset(result(), images=IMAGES[:1]))
    assert found.truth.box.tolist() == found.pred.box.tolist() == [[10, 20, 30, 40]]
    assert (found.images.names, found.categories.names, found.warnings) == (["a.jpg"], ["cone"], [])
    assert [(each.path, each.records) for each in found.inputs] == [(str(tmp_path / "gt"), 1), ("<pred>", 1)]
    found = read_detections(dataset(), tmp_path / "gt", pred_format="labelme")
    assert (found.pred.image.tolist(), found.pred.category.tolist()) == ([0], [0])


@pytest.mark.parametrize("kind", ["voc", "yolo", "labelme"])
def test_shapes_that_a_format_does_not_have(tmp_path, kind):
    words = {"voc": "Pascal VOC", "yolo": "YOLO labels", "labelme": "LabelMe"}[kind]
    expected = '`iou_type="bbox"`' if kind == "voc" else '`iou_type="bbox"` or `iou_type="segm"`'
    for sides in ((tmp_path, []), (dataset(), tmp_path)):
        formats = {"gt_format": kind} if sides[0] == tmp_path else {"pred_format": kind}
        for iou_type, shapes in [("keypoints", "keypoints"), ("segm", "masks")][: 2 if kind == "voc" else 1]:
            with pytest.raises(InputError) as caught:
                read_detections(*sides, iou_type=iou_type, **formats)
            message = f"{tmp_path}: no {shapes} are read from {words}, expected {expected}"
            assert str(caught.value) == message


def test_what_was_said_of_the_ground_truth_may_explain_an_error(tmp_path):
    for split in ("train", "val"):
        for name in ("labels", "images"):
            (tmp_path / name / split).mkdir(parents=True)
        (tmp_path / "labels" / split / f"{split}_1.txt").write_text("0 .5 .5 .5 .5")
        Image.new("L", (10, 10)).save(tmp_path / "images" / split / f"{split}_1.png")
    (tmp_path / "classes.txt").write_text("cone")
    (tmp_path / "pred").mkdir()
    (tmp_path / "pred" / "train_1.txt").write_text("0 .5 .5 .5 .5 .9")
    with pytest.raises(InputError) as caught:
        read_detections(tmp_path, tmp_path / "pred")
    problem, note = str(caught.value).split("\n")
    assert "no image of the ground truth is called" in problem
    assert note == f"note: {tmp_path / 'labels'}: only val was read, not train"


def test_a_format_of_files_for_what_is_no_path():
    with pytest.raises(InputError, match="gt: found dict, expected the path of yolo files"):
        read_detections(dataset(), [], gt_format="yolo")


# Looking up


def test_ids_near_each_other_and_far_apart_are_found_alike():
    for known in ([3, 5, 8], [-(2**62), 5, 2**62]):
        ids = np.array([known[2], 4, known[0], 5, -(2**63), 2**63 - 1])
        at, fine = find_ids(np.array(known), ids)
        assert at.tolist() == [2, -1, 0, 1, -1, -1]
        assert fine.tolist() == [True, False, True, True, False, False]
