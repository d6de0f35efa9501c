"""Every format that is read, written as COCO and YOLO and read again: the same objects, nothing lost in silence."""

import json

import pytest

import calipers
from calipers.suites.coco.formats.converted import ImagesAndCategories

from .exports import CAR, COCO, CONE, EXPORTS, PREDICTIONS, write_export, write_images
from .exports import read_objects as objects

WITHOUT_EMPTY = ("roboflow_csv",)  # formats that know nothing of images without objects
RESULTS = [
    {"image_id": 4, "category_id": 3, "bbox": [10, 20, 30, 10], "score": 0.75},
    {"image_id": 9, "category_id": 7, "bbox": [1, 2, 3, 4], "score": 0.5},
]


@pytest.fixture
def images(tmp_path):
    return write_images(tmp_path / "images")


@pytest.mark.parametrize("to", ["coco", "yolo", "plain"])
@pytest.mark.parametrize("name", EXPORTS)
def test_what_is_written_is_read_as_the_same_objects(name, to, tmp_path, images):
    source = write_export(name, tmp_path / "in")
    out = tmp_path / ("out" if to == "yolo" else "out.json")
    assert objects(source, images) == sorted(EXPORTS[name][2])
    made = calipers.convert(source, to=to, output=out, side="gt", images=images)
    assert objects(out, images) == sorted(EXPORTS[name][2])
    images = 1 if name in WITHOUT_EMPTY else 2
    assert (made.suite, made.side, dict(made.counts)) == ("coco", "gt", {"images": images, "classes": 2, "objects": 2})


@pytest.mark.parametrize("name", [name for name in EXPORTS if name not in WITHOUT_EMPTY])
def test_an_image_without_objects_stays(name, tmp_path, images):
    made = calipers.convert(write_export(name, tmp_path / "in"), to="yolo", side="gt", images=images)
    assert [text for path, text in made.files.items() if path.endswith("/b.txt")] == [b""]


def test_coco_keeps_all_that_coco_has(tmp_path):
    made = calipers.convert(write_export("coco", tmp_path), to="coco")
    assert json.loads(made.files[""]) == COCO
    assert made.notes == []


def test_yolo_counts_what_it_cannot_hold_of_the_data(tmp_path):
    made = calipers.convert(write_export("coco", tmp_path), to="yolo")
    assert made.files["labels/a.txt"] == b"0 0.25 0.5 0.3 0.2\n1 0.5 0.2 0.7 0.2 0.7 0.8\n"
    assert made.files["classes.txt"] == b"car\ncone\n"
    assert made.notes == [
        'images: "weather" has no place in YOLO and was left out (1)',
        'categories: "supercategory" has no place in YOLO and was left out (1)',
        'annotations: "by" has no place in YOLO and was left out (1)',
        '"info" has no place in YOLO and was left out',
        "classes are numbered from 0 in the order of their ids, as classes.txt lists them",
    ]


RLE = {"size": [50, 100], "counts": "abc"}
LOST = {
    "iscrowd": ({"iscrowd": 1}, "annotations[1]: iscrowd: found 1, expected 0"),
    "rle": ({"segmentation": RLE}, "segmentation: found an RLE mask, expected one polygon"),
    "parts": ({"segmentation": [[0, 0, 1, 0, 1, 1]] * 2}, "segmentation: found 2 parts, expected one polygon"),
    "keypoints": ({"keypoints": [1, 2, 2]}, "keypoints: found some, expected none"),
    "bounds": ({"bbox": [50, 10, 20, 25]}, "bbox: found [50, 10, 20, 25], expected the bounds of its outline"),
    "outside": ({"bbox": [90, 10, 40, 30], "segmentation": []}, "on 100 x 50 pixels, expected it within the image"),
}


@pytest.mark.parametrize("case", LOST)
def test_an_object_that_yolo_cannot_hold_is_an_error_or_counted(case, tmp_path):
    change, message = LOST[case]
    first, second = COCO["annotations"]
    path = tmp_path / "gt.json"
    path.write_text(json.dumps({**COCO, "annotations": [first, second | change]}))
    with pytest.raises(calipers.InputError) as raised:
        calipers.convert(path, to="yolo", output=tmp_path / "out")
    assert message in str(raised.value)
    assert not (tmp_path / "out").exists()
    made = calipers.convert(path, to="yolo", max_bad_records=1)
    assert made.files["labels/a.txt"] == b"0 0.25 0.5 0.3 0.2\n"
    assert made.counts["objects"] == 1
    assert "1 object could not be written and was left out: " in made.notes[-1]


BEYOND_FLOATS = 10**400
MALFORMED = {
    "outline": ("yolo", {"segmentation": [[0, 0, 5, 0, BEYOND_FLOATS, 5]]}, "segmentation: found [0, 0, 5, 0, 1000"),
    "area of a text": ("coco", {"segmentation": [[0, 0, 5, 0, "x", 5]]}, 'segmentation: found [0, 0, 5, 0, "x", 5]'),
    "area of half a point": (
        "coco",
        {"segmentation": [[0, 0, 5, 0, 5]]},
        "segmentation: found [0, 0, 5, 0, 5], expected",
    ),
    "area of no list": ("coco", {"segmentation": [7]}, "segmentation: found 7, expected x, y of each point"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_outline_is_an_error_that_names_its_annotation(case):
    to, change, message = MALFORMED[case]
    row = {"id": 1, "image_id": 1, "category_id": 7, "bbox": [0, 0, 5, 5]}
    image = {"id": 1, "file_name": "a.jpg", "width": 10, "height": 10}
    tree = {"images": [image], "categories": [{"id": 7, "name": "cone"}], "annotations": [row | change]}
    with pytest.raises(calipers.InputError) as raised:
        calipers.convert(tree, to=to, side="gt")
    assert f"annotations[0]: {message}" in str(raised.value)


def data_set(*changes):
    """A box of 5 by 5 for each change of it, on one image; ids from 1."""
    image = {"id": 1, "file_name": "a.jpg", "width": 10, "height": 10}
    row = {"image_id": 1, "category_id": 7, "bbox": [0, 0, 5, 5]}
    rows = [{"id": number} | row | change for number, change in enumerate(changes, 1)]
    return {"images": [image], "categories": [{"id": 7, "name": "cone"}], "annotations": rows}


def test_malformed_annotations_are_left_out_of_a_data_set_within_the_limit():
    half_a_point, negative = {"segmentation": [[0, 0, 5, 0, 5]]}, {"bbox": [0, 0, -5, 5]}
    tree = data_set(half_a_point, {}, negative, {"bbox": [1, 1, 2, 3]})
    made = calipers.convert(tree, to="coco", side="gt", max_bad_records=2)
    written = json.loads(made.files[""])["annotations"]
    assert [(row["id"], row["area"]) for row in written] == [(2, 25.0), (4, 6.0)]  # 5 * 5 and 2 * 3
    assert made.counts["objects"] == 2
    assert made.notes[-1].startswith(
        "2 objects could not be written and were left out, the first: <gt>: annotations[2]"
    )
    with pytest.raises(calipers.InputError, match=r"annotations\[0\]: segmentation: found \[0, 0, 5, 0, 5\]") as raised:
        calipers.convert(tree, to="coco", side="gt", max_bad_records=1)
    assert raised.value.__notes__ == ["(`max_bad_records=N` leaves out up to N such objects, and counts them)"]


def test_malformed_ground_truth_of_predictions_is_an_error_whatever_the_limit():
    tree = data_set({"bbox": [0, 0, -5, 5]})
    with pytest.raises(calipers.InputError, match=r"annotations\[0\] \(id 1\): bbox: found \[0, 0, -5, 5\]"):
        calipers.convert([], to="coco", side="pred", suite="coco", gt=tree, max_bad_records=9)


def test_a_mask_without_a_box_is_written_as_the_box_around_it():
    mask = {"image_id": 1, "category_id": 7, "score": 0.5, "segmentation": [[1, 2, 4, 2, 4, 6, 1, 6]]}
    options = {"to": "coco", "side": "pred", "suite": "coco", "gt": data_set({})}
    assert json.loads(calipers.convert([mask], **options).files[""]) == [mask]
    [row] = json.loads(calipers.convert([mask], iou_type="bbox", **options).files[""])
    assert row == {"image_id": 1, "category_id": 7, "score": 0.5, "bbox": [1, 2, 3, 4]}  # 4 - 1 by 6 - 2


def test_a_size_beyond_floats_is_an_error():
    image = {"id": 1, "file_name": "a.jpg", "width": BEYOND_FLOATS, "height": 10}
    row = {"id": 1, "image_id": 1, "category_id": 7, "bbox": [0, 0, 5, 5]}
    tree = {"images": [image], "categories": [{"id": 7, "name": "cone"}], "annotations": [row]}
    with pytest.raises(calipers.InputError, match=r'image "a\.jpg": found the size 1000'):
        calipers.convert(tree, to="yolo", side="gt")


def test_boxes_alone_where_that_is_asked_for(tmp_path):
    made = calipers.convert(write_export("coco", tmp_path), to="yolo", iou_type="bbox")
    assert made.files["labels/a.txt"] == b"0 0.25 0.5 0.3 0.2\n1 0.6 0.5 0.2 0.6\n"
    assert made.notes[0] == 'segmentation was left out, as `iou_type="bbox"` says (1)'


@pytest.mark.parametrize("to", ["coco", "yolo"])
def test_predictions_keep_their_scores(to, tmp_path):
    gt, out = write_export("coco", tmp_path), tmp_path / ("out" if to == "yolo" else "out.json")
    pred = tmp_path / "results.json"
    pred.write_text(json.dumps(RESULTS))
    made = calipers.convert(pred, to=to, gt=gt, output=out)
    known = ImagesAndCategories(COCO["images"], COCO["categories"])
    assert objects(out, known=known) == [
        ("a", "car", [10, 20, 30, 10], None, 0.75),
        ("b", "cone", [1, 2, 3, 4], None, 0.5),
    ]
    assert made.side == "pred"
    numbers = [calipers.coco(gt, path, bootstrap=0)["coco"]["AP"] for path in (pred, out)]
    assert numbers[0] == numbers[1]


def test_predictions_of_yolo_get_the_ids_of_the_ground_truth(tmp_path):
    gt = write_export("coco", tmp_path)
    (tmp_path / "pred").mkdir()
    (tmp_path / "pred" / "a.txt").write_text("0 0.25 0.5 0.3 0.2 0.75\n")
    made = calipers.convert(tmp_path / "pred", to="coco", gt=gt)
    [row] = json.loads(made.files[""])
    assert row == {"image_id": 4, "category_id": 3, "bbox": [10.0, 20.0, 30.0, 10.0], "score": 0.75}


def test_predictions_need_their_ground_truth(tmp_path):
    pred = tmp_path / "results.json"
    pred.write_text(json.dumps(RESULTS))
    with pytest.raises(calipers.ConfigError, match="gt: missing, expected `gt=FILE`: predictions name images"):
        calipers.convert(pred, to="yolo")


def test_a_malformed_detection_is_an_error_or_counted(tmp_path):
    gt, bad = write_export("coco", tmp_path), RESULTS[0] | {"bbox": [1, 2, -3, 4]}
    pred = tmp_path / "results.json"
    pred.write_text(json.dumps([*RESULTS, bad]))
    with pytest.raises(calipers.InputError, match=r"results.json: \[2\]: bbox: negative width or height, expected"):
        calipers.convert(pred, to="coco", gt=gt)
    made = calipers.convert(pred, to="coco", gt=gt, max_bad_records=1)
    assert json.loads(made.files[""]) == RESULTS


def test_several_data_sets_become_one(tmp_path):
    one, other = json.loads(json.dumps(COCO)), json.loads(json.dumps(COCO))
    for image in other["images"]:
        image["file_name"] = f"other/{image['file_name']}"
    other["categories"] = [{"id": 1, "name": "cone"}, {"id": 2, "name": "car"}]
    for row, category in zip(other["annotations"], (2, 1), strict=True):
        row["category_id"] = category
    made = calipers.convert(one, other, to="coco", suite="coco")
    tree = json.loads(made.files[""])
    assert [category["name"] for category in tree["categories"]] == ["car", "cone"]
    assert [(row["id"], row["image_id"], row["category_id"]) for row in tree["annotations"]] == [
        (1, 1, 1),
        (2, 1, 2),
        (3, 3, 1),
        (4, 3, 2),
    ]
    with pytest.raises(calipers.InputError, match=r'images: "a.png" is in two of the inputs'):
        calipers.convert(one, one, to="coco", suite="coco")


def test_yolo_needs_sizes_and_finds_them_in_images(tmp_path, images):
    tree = json.loads(json.dumps(COCO))
    for image in tree["images"]:
        del image["width"], image["height"]
    with pytest.raises(calipers.InputError, match=r'image "a.png": found the size null x null, expected width and'):
        calipers.convert(tree, to="yolo")
    made = calipers.convert(tree, to="yolo", images=images)
    assert made.files["labels/a.txt"].startswith(b"0 0.25 0.5 0.3 0.2\n")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("a.png", "a.jpg"), r'"a.png" and "a.jpg" would both be labels/a.txt'),
        (("a.png", "train.png"), r'found "train.png", whose labels'),
    ],
)
def test_labels_that_nobody_would_find_are_refused(names, message):
    tree = json.loads(json.dumps(COCO))
    for image, name in zip(tree["images"], names, strict=True):
        image["file_name"] = name
    with pytest.raises(calipers.InputError, match=message):
        calipers.convert(tree, to="yolo")


def test_names_never_lead_out_of_the_folder():
    tree = json.loads(json.dumps(COCO))
    tree["images"][0]["file_name"] = "../../etc/a.png"
    tree["images"][1]["file_name"] = "C:\\data\\b.png"
    made = calipers.convert(tree, to="yolo")
    assert sorted(made.files) == ["classes.txt", "labels/data/b.txt", "labels/etc/a.txt"]


def test_coco_from_tools_has_the_areas_that_pycocotools_needs(tmp_path):
    tree = json.loads(calipers.convert(write_export("cvat", tmp_path), to="coco", side="gt").files[""])
    # 30 x 10 pixels, and half of 20 x 30
    assert [row["area"] for row in tree["annotations"]] == [300.0, 300.0]
    assert {CAR[1], CONE[1]} == {category["name"] for category in tree["categories"]}


def answers(folder, *objects, name="answers.jsonl"):
    """Answers of Gemini on a.png: y before x, in 0 to 1000."""
    path = folder / name
    path.write_text(json.dumps({"file_name": "a.png", "response": json.dumps(objects)}) + "\n")
    return path


GEMINI_CAR = {"box_2d": [400, 100, 600, 400], "label": "Car"}
CAR_ROW = {"bbox": [10.0, 20.0, 30.0, 10.0], "image_id": 4, "category_id": 3}


@pytest.mark.parametrize("suite", [None, "coco"])
def test_answers_get_the_ids_of_their_ground_truth_and_a_note_says_what_they_were_taken_for(suite, tmp_path):
    gt = write_export("coco", tmp_path)
    made = calipers.convert(answers(tmp_path, GEMINI_CAR), to="coco", gt=gt, suite=suite, pred_field="response")
    assert json.loads(made.files[""]) == [CAR_ROW]
    assert (made.suite, made.side, made.kind) == ("coco", "pred", "answers of models")
    assert made.notes[:2] == [
        "answers read as 1 gemini (1 ok) · 1 missing",
        "1 image has no answer, which counts as nothing predicted",
    ]


@pytest.mark.parametrize("suite", [None, "coco"])
def test_lines_of_json_are_answers_without_any_option(suite, tmp_path):
    gt, path = write_export("coco", tmp_path), tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"file_name": "a.png", "pred": json.dumps([GEMINI_CAR])}))
    made = calipers.convert(path, to="yolo", gt=gt, suite=suite)
    assert made.files["labels/a.txt"] == b"0 0.25 0.5 0.3 0.2\n"
    assert suite or made.kind == "answers of models"
    assert made.notes[0].startswith("answers read as 1 gemini")


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({"box_2d": [1, 2, 3, 4], "label": "van"}, 'objects[1]: found the label "van", expected a class of the'),
        ({"label": "car"}, "objects[1]: not an object, expected a detection that can be written"),
        ({"box_2d": [1, 2, 3], "label": "car"}, "objects[1]: points: malformed, expected a detection"),
        ({"box_2d": [1, 2, 3, "x"], "label": "car"}, "objects[1]: points: malformed, expected a detection"),
    ],
)
def test_an_answered_object_that_cannot_be_written_is_an_error_or_counted(item, message, tmp_path):
    gt, path = write_export("coco", tmp_path), answers(tmp_path, GEMINI_CAR, item)
    with pytest.raises(calipers.InputError) as raised:
        calipers.convert(path, to="coco", gt=gt, answers="gemini", pred_field="response")
    assert message in str(raised.value)
    made = calipers.convert(path, to="coco", gt=gt, answers="gemini", pred_field="response", max_bad_records=1)
    assert json.loads(made.files[""]) == [CAR_ROW]
    assert made.notes[-1].startswith("1 object could not be written and was left out: ")


def test_answers_that_are_not_in_their_frame_are_refused(tmp_path):
    gt, far = write_export("coco", tmp_path), {"bbox_2d": [1000, 2000, 4000, 3000], "label": "car"}
    with pytest.raises(
        calipers.InputError, match="1 of 1 objects in qwen3 answers reach outside the frame of 0 to 1000"
    ):
        calipers.convert(answers(tmp_path, far), to="coco", gt=gt, answers="qwen3", pred_field="response")


def test_options_of_answers_are_for_predictions(tmp_path):
    gt, path = write_export("coco", tmp_path), answers(tmp_path, GEMINI_CAR)
    with pytest.raises(calipers.ConfigError, match="answers: found 'gpt', expected auto or json"):
        calipers.convert(path, to="coco", gt=gt, answers="gpt")
    with pytest.raises(calipers.ConfigError, match="pred_format: found 'yolo', expected none beside answers of models"):
        calipers.convert(path, to="coco", gt=gt, answers="gemini", pred_format="yolo")
    with pytest.raises(calipers.ConfigError, match="answers: found 'gemini', expected predictions"):
        calipers.convert(gt, to="coco", answers="gemini", side="gt")
    with pytest.raises(calipers.ConfigError, match="pred_field: found 3, expected the name of a field"):
        calipers.convert(path, to="coco", gt=gt, pred_field=3)


def test_what_a_tool_says_beside_objects_is_told_to_be_lost(tmp_path, images):
    gt = write_export("coco", tmp_path)
    lost = "Pascal VOC: pose, truncated, occluded, parts and polygons are not read, and so not written"
    assert lost in calipers.convert(write_export("voc", tmp_path / "a"), to="coco", side="gt").notes
    pred = write_export("voc", tmp_path / "b", PREDICTIONS)
    assert lost in calipers.convert(pred, to="coco", gt=gt).notes
    assert not any("not written" in note for note in calipers.convert(gt, to="coco").notes)


def test_a_ground_truth_whose_format_is_named_need_not_be_told_by_content(tmp_path):
    (tmp_path / "gt").mkdir()
    (tmp_path / "pred").mkdir()
    images = write_images(tmp_path / "images")
    (tmp_path / "gt" / "classes.txt").write_text("car\ncone\n")
    (tmp_path / "gt" / "a.txt").write_text("")  # nothing, which could be anything
    (tmp_path / "pred" / "a.txt").write_text("0 0.25 0.5 0.3 0.2 0.75\n")
    options = {"gt_format": "yolo", "images": images}
    [row] = json.loads(calipers.convert(tmp_path / "pred", to="coco", gt=tmp_path / "gt", **options).files[""])
    assert (row["bbox"], row["score"]) == ([10.0, 20.0, 30.0, 10.0], 0.75)
    with pytest.raises(calipers.InputError, match="found an artifact"):
        calipers.convert({"suite": "coco", "protocol": "coco/1"}, to="coco", gt={"suite": "coco", "protocol": "coco/1"})
