"""Answers of vision-language models as detections: joined by image, ranked where there are scores, else swept."""

import json

import pytest

import calipers
from calipers.core.errors import ConfigError, InputError
from calipers.files.answers.class_names import RESPELLED
from calipers.suites.coco.columns import OTHER

IMAGES = [
    {"id": 1, "file_name": "a.jpg", "width": 200, "height": 100},
    {"id": 2, "file_name": "day/b.jpg", "width": 100, "height": 100},
    {"id": 3, "file_name": "c.jpg", "width": 100, "height": 100},
]
TRUTH = {
    "images": IMAGES,
    "categories": [{"id": 3, "name": "cone"}, {"id": 4, "name": "Sign Post"}],
    "annotations": [
        {"id": 1, "image_id": 1, "category_id": 3, "bbox": [20, 10, 40, 40], "area": 1600, "iscrowd": 0},
        {"id": 2, "image_id": 2, "category_id": 4, "bbox": [0, 0, 50, 50], "area": 2500, "iscrowd": 0},
        {"id": 3, "image_id": 3, "category_id": 4, "bbox": [0, 0, 50, 50], "area": 2500, "iscrowd": 0},
    ],
}


def boxes(*items, key="bbox_2d"):
    """Objects: numbers, label and, where there is one, score."""
    names = (key, "label", "score")
    return json.dumps([dict(zip(names, item, strict=False)) for item in items])


# Image 1 is 200 wide: x 20 to 60 are 100 to 300 of 1000. Image 3 has no answer.
# 3 objects, 4 detections (one with a label of its own, one that is no object), 2 right: P 2/4, R 2/3, F1 4/7.
ANSWERS = [
    {"file_name": "a.jpg", "pred": boxes(([100, 100, 300, 500], "cone"), ([0, 0, 300, 500], "dog"))},
    {"image": "b.jpg", "pred": boxes(([0, 0, 500, 500], " sign  post"))[:-1] + ', {"label": "cone"}]'},
]


def measured(pred, gt=TRUTH, **options):
    return calipers.coco(gt, pred, **{"answers": "json", "bootstrap": 0, **options})


def test_without_scores_the_sweep_counts_and_ap_says_why_it_is_undefined():
    report = measured(ANSWERS)
    assert report["coco"]["AP"] is None
    assert report["ap_undefined_reason"] == (
        "3 of 3 detections have no score (the first is [0]), so there is no order to rank them in"
    )
    primary = report["sweep"]["primary"]
    assert (primary["precision"], primary["recall"]) == (pytest.approx(2 / 4), pytest.approx(2 / 3))
    assert report["sweep"]["mean_overlap_matched"] == 1.0
    assert report["answers"] == {
        "families": {"json": 2},
        "ok": 2,
        "repaired": 0,
        "truncated": 0,
        "failed": 0,
        "missing": 1,
    }
    assert report["invalid_reasons"] == {"not an object": 1}
    assert [(row["name"], row["gt"], row["pred"]) for row in report["per_class"]] == [
        ("cone", 1, 2),
        ("Sign Post", 2, 1),
        (OTHER, 0, 1),
    ]
    assert report["warnings"] == [
        "1 image has no answer, which counts as nothing predicted",
        f'{RESPELLED}: 1 (" sign  post" 1)',
        'objects with labels that are no class of the ground truth, which count as wrong: 1 ("dog" 1)',
    ]
    assert "answers   2 json (2 ok) · 1 missing" in str(report)


@pytest.mark.parametrize(
    ("label", "right", "detections"), [("Sign", 1, [0, 1, 0]), ("sign", 0, [1, 0, 0]), ("SIGN", 0, [0, 0, 1])]
)
def test_of_classes_that_differ_in_case_alone_a_label_is_the_one_spelled_like_it_or_none(label, right, detections):
    classes = [{"id": 3, "name": "sign"}, {"id": 4, "name": "Sign"}]
    answer = {"file_name": "day/b.jpg", "pred": boxes(([0, 0, 500, 500], label))}
    report = measured([answer], TRUTH | {"categories": classes})
    assert report["sweep"]["primary"]["matched"] == right
    assert [row["pred"] for row in report["per_class"]] == detections


def test_with_scores_there_is_ap():
    """Class by class: cone is found by the second of two, AP 1/2; of two signs one is found first, 51 of 101 steps."""
    answers = [
        {"image_id": 1, "pred": boxes(([100, 100, 300, 500], "cone", 0.5), ([600, 0, 900, 500], "cone", 0.9))},
        {"image_id": 2, "pred": json.dumps([{"bbox_2d": [0, 0, 500, 500], "label": "sign post", "confidence": 0.8}])},
    ]
    report = measured(answers)
    assert report["ap_undefined_reason"] is None
    assert report["coco"]["AP_50"] == pytest.approx((1 / 2 + 51 / 101) / 2)
    assert calipers.coco_numbers(TRUTH, answers, answers="json")["AP"] == report["coco"]["AP"]


def test_the_same_answers_in_the_dense_suite_have_the_same_sweep(tmp_path):
    gt, pred = tmp_path / "gt.json", tmp_path / "answers.jsonl"
    gt.write_text(json.dumps(TRUTH))
    texts = [boxes(([100, 100, 500, 300], "cone"), key="box_2d"), boxes(([0, 0, 500, 400], "Sign Post"), key="box_2d")]
    rows = [{"id": name, "response": text} for name, text in zip(("a.jpg", "day/b.jpg"), texts, strict=True)]
    pred.write_text("\n".join(json.dumps(row) for row in rows))
    options = {"answers": "gemini", "pred_field": "response", "bootstrap": 0}
    dense = calipers.dense(pred, gt=gt, **options)["modes"]["category"]["primary"]
    report = calipers.coco(gt, pred, **options)
    assert [report["sweep"]["primary"][name] for name in ("gt", "pred", "matched")] == [3, 2, 2]
    assert [dense[name] for name in ("gt", "pred", "matched")] == [3, 2, 2]
    told = calipers.coco(gt, pred, pred_field="response", bootstrap=0)
    assert told["params"]["answers"] == "auto"
    assert told["answers"] == report["answers"]
    assert [item["records"] for item in report["inputs"]] == [3, 2]


@pytest.mark.parametrize("corners", [[100, 100, 300, 500], [300, 500, 100, 100], [300, 100, 100, 500]])
def test_corners_of_a_box_are_any_two_that_are_opposite_as_in_the_dense_suite(corners, tmp_path):
    gt, pred = tmp_path / "gt.json", tmp_path / "answers.jsonl"
    gt.write_text(json.dumps(TRUTH))
    pred.write_text(json.dumps({"file_name": "a.jpg", "pred": boxes((corners, "cone"))}))
    assert calipers.coco(gt, pred, bootstrap=0)["sweep"]["primary"]["matched"] == 1
    assert calipers.dense(pred, gt=gt, bootstrap=0)["modes"]["category"]["primary"]["matched"] == 1
    (row,) = json.loads(calipers.convert(pred, to="coco", gt=gt, suite="coco").files[""])
    assert row["bbox"] == [20, 10, 40, 40]  # 200 by 100 pixels


def test_what_reaches_outside_is_cut_to_the_image_as_in_the_dense_suite(tmp_path):
    """A cone of 50 by 100 pixels at the right edge: with the 400 beyond it, the overlap would be 500 / 900."""
    gt, pred = tmp_path / "gt.json", tmp_path / "answers.jsonl"
    images = [{"id": number, "file_name": f"{number}.jpg", "width": 100, "height": 100} for number in range(6)]
    cone = {"category_id": 3, "bbox": [50, 0, 50, 100], "area": 5000, "iscrowd": 0}
    cones = [{"id": number + 1, "image_id": number, **cone} for number in range(6)]
    gt.write_text(json.dumps({"images": images, "categories": TRUTH["categories"], "annotations": cones}))
    far = boxes(([500, -300, 1400, 1000], "cone"), ([0, 0, 9, 9], "cone"), ([0, 0, 5, 5], "cone"))
    pred.write_text("\n".join(json.dumps({"image": f"{number}.jpg", "pred": far}) for number in range(6)))
    report = calipers.coco(gt, pred, bootstrap=0)
    assert report["sweep"]["mean_f1"] == 0.5  # 6 of 6 found at every threshold, 12 more predicted: 12 / 24
    assert calipers.dense(pred, gt=gt, bootstrap=0)["modes"]["category"]["mean_f1"] == 0.5
    assert "6 predictions reach outside their images, and are cut to them" in report["warnings"]


@pytest.mark.parametrize(("by", "name"), [(1000, "fractions 0–1 -> norm1000"), (10, "percent 0–100 -> norm1000")])
def test_fractions_and_percent_are_told_as_in_the_dense_suite(by, name, tmp_path):
    gt, pred = tmp_path / "gt.json", tmp_path / "answers.jsonl"
    gt.write_text(json.dumps(TRUTH))
    corners = ("a.jpg", [100, 100, 300, 500], "cone"), ("day/b.jpg", [0, 0, 500, 500], "Sign Post")
    rows = [{"image": image, "pred": boxes(([v / by for v in box], label))} for image, box, label in corners]
    pred.write_text("\n".join(json.dumps(row) for row in rows))
    for suite in ("coco", "dense"):
        (sides,) = calipers.check(gt=gt, pred=pred, suite=suite)["comparisons"]
        assert (sides["readings"][0]["name"], sides["readings"][0]["advice"]) == (name, f"multiply by {by}")


def test_a_file_of_lines_needs_no_option(tmp_path):
    pred = tmp_path / "answers.jsonl"
    pred.write_text("\n".join(json.dumps(row) for row in ANSWERS))
    report = calipers.coco(TRUTH, pred, bootstrap=0)
    assert report["params"]["answers"] == "auto"
    assert report["coco"] == measured(ANSWERS)["coco"]
    assert len(list(report.matches())) == 7


def test_pixels_of_the_image_as_the_model_was_given_it():
    answer = {"image_id": 1, "input_width": 400, "input_height": 200, "pred": boxes(([40, 20, 120, 100], "cone"))}
    assert measured([answer], answers="qwen2.5")["sweep"]["mean_overlap_matched"] == 1.0


def test_polygons_for_masks():
    """The lower left half of the box of 40 by 40 has 40 · 41 / 2 = 820 cells, or 800 by area."""
    mask = [[20, 10, 60, 10, 60, 50, 20, 50]]
    rows = [{**row, "segmentation": mask} for row in TRUTH["annotations"][:1]]
    text = json.dumps([{"poly": [100, 100, 300, 500, 100, 500], "label": "cone"}])
    report = measured([{"image_id": 1, "pred": text}], {**TRUTH, "annotations": rows}, iou_type="segm")
    assert report["sweep"]["mean_overlap_matched"] == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (3, r"<pred>: \[1\]: found 3, expected a JSON object that names its image"),
        ({"pred": "[]"}, "no image: expected one of image_id"),
        ({"image_id": 9, "pred": "[]"}, "image_id: found 9, expected an image of the ground truth"),
        ({"image_id": 2, "pred": "[]"}, r"a second answer for the image 2, expected the one of <pred>: \[0\]"),
        ({"image_id": 1}, "no predictions: expected pred_norm1000"),
        (
            {"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 1},
            "found COCO results, one on each line, exp",
        ),
        ({"image_id": 1, "pred": 5}, "pred: found 5, expected the answer of a model"),
    ],
)
def test_answers_that_cannot_be_used(answer, message):
    with pytest.raises(InputError, match=message):
        measured([{"image_id": 2, "pred": "[]"}, answer])


def test_a_line_that_is_no_json_is_named(tmp_path):
    pred = tmp_path / "answers.jsonl"
    pred.write_text(json.dumps(ANSWERS[0]) + "\n{\n")
    with pytest.raises(InputError, match=r"answers\.jsonl:2: not JSON: unexpected end of data; expected one"):
        calipers.coco(TRUTH, pred)


def test_an_answer_that_gives_a_key_twice_is_an_error(tmp_path):
    pred = tmp_path / "answers.jsonl"
    pred.write_text('{"image_id": 1, "pred": "[]", "pred": "no"}\n')
    with pytest.raises(InputError, match=r'answers\.jsonl:1: "pred": is there twice, expected every key once'):
        calipers.coco(TRUTH, pred, answers="json")


def test_coordinates_outside_the_frame_say_what_would_fit():
    large = {**TRUTH, "images": [{**IMAGES[0], "width": 4000, "height": 3000}, *IMAGES[1:]]}
    with pytest.raises(InputError, match=r"as pixels of width and height they fit, which .answers=.qwen2\.5.. reads"):
        measured([{"image_id": 1, "pred": boxes(([1500, 100, 3000, 2000], "cone"))}], large)


def test_images_without_a_size_and_options_that_do_not_fit():
    with pytest.raises(InputError, match="the image 1 has no width and height"):
        measured(ANSWERS[:1], {**TRUTH, "images": [{"id": 1, "file_name": "a.jpg"}, *IMAGES[1:]]})
    for options in ({"iou_type": "keypoints"}, {"pred_format": "coco"}, {"answers": "gpt"}, {"engine": "dask"}):
        with pytest.raises(ConfigError):
            measured(ANSWERS, **options)
    with pytest.raises(ConfigError, match="answers: found 'json', expected detections"):
        calipers.CocoMeter(TRUTH, answers="json")
