"""Answers of models in a run: in records, and joined with ground truth in COCO form."""

import json

import pytest

import calipers
from calipers import ConfigError, DenseMeter, InputError, check, dense
from calipers.files.answers.class_names import RESPELLED
from calipers.suites.dense.artifact import hopeless_predictions

CAT = {"type": "bbox_2d", "points": [100, 100, 500, 500], "desc": "cat"}
QWEN3 = '[{"bbox_2d": [100, 100, 500, 500], "label": "cat"}]'
INTERNVL = "<ref>cat</ref><box>[[100, 100, 500, 500]]</box>"
GEMINI = '[{"box_2d": [100, 100, 500, 500], "label": "cat"}]'
PIXELS = '[{"bbox_2d": [400, 200, 2000, 1000], "label": "cat"}]'  # of 4000 by 2000


def record(answer, **fields):
    return {"gt_norm1000": [CAT], "pred": answer, **fields}


def f1(records, **options):
    return dense(records, bootstrap=0, **options)["modes"]["category"]["primary"]["f1"]


@pytest.mark.parametrize(
    "item",
    [
        {"bbox_2d": [100, 100, 500, 500], "label": "cat"},
        {"box": [100, 100, 500, 500], "desc": "cat"},
        {"poly": [100, 100, 500, 100, 500, 500, 100, 500], "desc": "cat"},
        {"polygon": [[100, 100], [500, 100], [500, 500], [100, 500]], "label": "cat"},
    ],
)
def test_objects_that_name_their_geometry_are_read(item, tmp_path):
    assert f1([record([item])]) == 1
    dump = tmp_path / "dump.jsonl"
    dump.write_text(json.dumps(record([item])) + "\n")
    report = dense(str(dump), bootstrap=0)
    assert (report["objects"]["invalid_pred"], report["modes"]["category"]["primary"]["f1"]) == (0, 1)
    assert "answers" not in report
    assert "answers" not in report["params"]


def test_a_point_has_no_area_and_matches_nothing():
    counts = dense([record([{"point_2d": [300, 300], "label": "cat"}])], bootstrap=0)
    assert (counts["objects"]["degenerate"], counts["modes"]["localization"]["primary"]["matched"]) == (1, 0)


def test_an_object_of_two_geometries_or_of_another_family_stays_invalid():
    for item in ({"bbox_2d": [1, 2, 3, 4], "box": [1, 2, 3, 4]}, {"box_2d": [1, 2, 3, 4]}, {"label": "cat"}):
        assert dense([record([item])], bootstrap=0)["objects"]["invalid_pred"] == 1


def test_answers_as_text_are_counted_by_family_and_status():
    texts = [QWEN3, INTERNVL, GEMINI, QWEN3[:-1] + ",]", QWEN3 + " Done. [", "nothing"]
    report = dense([{"id": n, "gt_norm1000": [CAT], "said": text} for n, text in enumerate(texts)], pred_field="said")
    assert report["answers"] == {
        "families": {"gemini": 1, "internvl": 1, "json": 4},
        "ok": 3,
        "repaired": 2,
        "truncated": 0,
        "failed": 1,
    }
    assert (report["params"]["answers"], report["params"]["pred_field"]) == ("auto", "said")
    assert "answers   1 gemini · 1 internvl · 4 json (3 ok · 2 repaired · 1 failed)" in str(report)
    assert report["modes"]["category"]["primary"]["matched"] == 5


def test_objects_in_lists_are_read_as_those_of_the_family():
    gemini = record(json.loads(GEMINI))
    assert f1([gemini], answers="gemini") == f1([gemini], answers="auto") == 1
    assert dense([gemini], answers="auto", bootstrap=0)["answers"]["families"] == {"gemini": 1}


def test_what_the_family_does_not_write_is_not_read_as_another():
    for answer in (QWEN3, json.loads(QWEN3)):
        report = dense([record(answer)], answers="gemini", bootstrap=0)
        assert (report["objects"]["pred"], report["objects"]["invalid_pred"]) == (1, 1)
        assert report["invalid_reasons"] == {"type missing or unknown": 1}
        assert [row["invalid"] is None for row in report.matches()] == [True, False]


@pytest.mark.parametrize(
    ("family", "text", "sizes"),
    [
        ("json", PIXELS, {}),  # in the frame of the records
        ("qwen3", QWEN3, {}),
        ("gemini", GEMINI, {}),
        ("qwen2.5", PIXELS, {}),
        ("qwen2.5", '[{"bbox_2d": [40, 20, 200, 100], "label": "cat"}]', {"input_width": 400, "input_height": 200}),
    ],
)
def test_answers_against_ground_truth_in_pixels(family, text, sizes):
    truth = {"type": "bbox_2d", "points": [400, 200, 2000, 1000], "desc": "cat"}
    item = {"gt": [truth], "pred": text, "width": 4000, "height": 2000, **sizes}
    assert f1([item], frame="pixel", answers=family) == 1


def test_coordinates_outside_the_frame_are_an_error_that_says_what_fits():
    sized = record(PIXELS, width=4000, height=2000)
    assert f1([sized], answers="qwen2.5") == 1
    with pytest.raises(InputError, match=r'as pixels of width and height they fit, which `answers="qwen2.5"` reads'):
        f1([sized] * 3, answers="qwen3")
    with pytest.raises(
        InputError, match=r"2 of 2 objects in json answers reach outside the frame of 0 to 1000\nif they"
    ):
        f1([record(PIXELS)] * 2, answers="auto")
    with pytest.raises(InputError, match=r"width and height missing .or input_width"):
        f1([record(PIXELS)], answers="qwen2.5")
    with pytest.raises(InputError, match=r'in norm1000 they fit, which `answers="qwen3"` reads'):
        f1([record('[{"bbox_2d": [400, 200, 900, 800]}]', width=300, height=300)], answers="qwen2.5")
    with pytest.raises(InputError, match="expected input_width and input_height"):
        f1([record('[{"bbox_2d": [400, 200, 1900, 1800]}]', width=300, height=300)], answers="qwen2.5")
    assert f1([record(QWEN3), record(PIXELS)], answers="qwen3") == 0.5  # half of them is not more than half


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ({"width": "640", "height": 480}, 'width: found "640", expected a positive number of pixels'),
        ({"width": 640, "height": 0}, "height: found 0, expected a positive number of pixels"),
        ({"width": 640}, "height missing, expected it beside width"),
        ({"width": 640, "height": 480, "input_width": 320}, "input_height missing, expected it beside input_width"),
        ({"input_width": None, "width": None}, "width and height missing .or input_width and input_height., in whose"),
    ],
)
def test_a_size_that_cannot_be_used_is_told_as_it_is(size, message):
    with pytest.raises(InputError, match=message):
        f1([record(PIXELS, **size)], answers="qwen2.5")


def test_some_coordinates_outside_the_frame_are_told_where_pixels_would_hold_them_all():
    sized = record(PIXELS, width=4000, height=2000)
    (told,) = dense([record(QWEN3), sized], answers="qwen3", bootstrap=0).notes
    assert told.startswith("answers: 1 of 2 objects in qwen3 answers reach outside the frame of 0 to 1000; as pixels")
    assert told.endswith('they fit, which `answers="qwen2.5"` reads')
    assert dense([record(QWEN3), record(PIXELS)], answers="qwen3", bootstrap=0).notes == []  # nothing tells what fits
    assert dense([record(QWEN3)] * 20 + [sized], answers="qwen3", bootstrap=0).notes == []  # one stray object


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 10**400, True, "1", None])
def test_numbers_that_no_image_has_are_invalid_and_not_outside(number):
    for size in ({}, {"width": number, "height": number, "input_width": number}):
        items = [record([{"bbox_2d": [1, 2, 3, number], "label": "cat"}], **size)] * 3
        assert dense(items, answers="qwen3", bootstrap=0)["objects"]["invalid_pred"] == 3


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({"gt_norm1000": [CAT]}, "no predictions: expected said, the answer of a model as text"),
        ({"gt_norm1000": [CAT], "said": None}, "said: found null, expected the answer of a model as text"),
        ({"said": QWEN3}, "no ground truth"),
    ],
)
def test_a_record_without_an_answer_is_bad(item, message):
    with pytest.raises(InputError, match=message):
        dense([item], pred_field="said")


def test_a_missing_answer_tells_the_fields_that_are_there(joined):
    holds = 'found fields image, response; name the one that holds the answer: `pred_field="response"`'
    with pytest.raises(InputError, match=f"expected pred_norm1000 or pred, .*; {holds}"):
        joined({"image": "a.jpg", "response": "[]"})
    with pytest.raises(InputError, match=r"found fields id, a, b; .*: `pred_field=FIELD`"):
        joined({"id": 1, "a": "[]", "b": "[]"})
    with pytest.raises(InputError, match=r"expected respnse, did you mean response\? found fields image, response"):
        joined({"image": "a.jpg", "response": "[]"}, pred_field="respnse")
    with pytest.raises(InputError, match=r"found fields gt_norm1000, f0, .* f6 and 2 more; .*: `pred_field=FIELD`"):
        dense([{"gt_norm1000": [CAT], **{f"f{at}": "" for at in range(9)}}], answers="auto")


def test_options_that_cannot_be_meant_are_refused():
    with pytest.raises(ConfigError, match="answers: found 'gpt', expected one of auto, json, "):
        dense([], answers="gpt")
    with pytest.raises(ConfigError, match="pred_field: found '', expected the name of a field"):
        dense([], pred_field="")


def test_parts_and_a_meter_count_the_same_answers(tmp_path):
    items = [record(text, id=n) for n, text in enumerate([QWEN3, INTERNVL, GEMINI, "nothing"] * 3)]
    dump = tmp_path / "dump.jsonl"
    dump.write_text("".join(json.dumps(item) + "\n" for item in items))
    meter = DenseMeter(answers="auto")
    for item in items:
        meter.update(item)
    trees = [meter.compute(), dense(items, answers="auto"), dense(str(dump), answers="auto", chunk_bytes=1, jobs=1)]
    assert trees[0]["answers"] == trees[1]["answers"] == trees[2]["answers"]
    assert trees[0]["modes"] == trees[1]["modes"] == trees[2]["modes"]


TRUTH = {
    "images": [
        {"id": 1, "file_name": "train/a.jpg", "width": 640, "height": 480},
        {"id": 2, "file_name": "b.jpg", "width": 100, "height": 100},
        {"id": 3, "file_name": "c.jpg", "width": 100, "height": 100},
    ],
    "categories": [{"id": 7, "name": "cat"}],
    "annotations": [
        {"image_id": 1, "category_id": 7, "bbox": [64, 48, 256, 192]},
        {"image_id": 2, "category_id": 7, "bbox": [10, 10, 40, 90.5]},  # reaches half a pixel beyond the image
        {"image_id": 2, "category_id": 7, "bbox": [10, 10, 40, 40], "iscrowd": 1},
        {"image_id": 3, "category_id": 7, "bbox": [0, 0, 50, 50]},
    ],
}


@pytest.fixture
def joined(tmp_path):
    """Measures answers against TRUTH."""

    def run(*answers, truth=TRUTH, **options):
        gt, pred = tmp_path / "instances.json", tmp_path / "answers.jsonl"
        gt.write_text(json.dumps(truth))
        pred.write_text("".join(json.dumps(answer) + "\n" for answer in answers))
        return dense(pred, gt=gt, **options)

    return run


@pytest.mark.parametrize("frame", ["norm1000", "pixel"])
@pytest.mark.parametrize("first", [{"image": "a.jpg"}, {"file_name": "train/a.jpg"}, {"image_id": 1}, {"id": "1"}])
def test_answers_join_ground_truth_in_coco_form_by_image(joined, first, frame):
    other = '[{"box_2d": [100, 100, 1000, 500], "label": "cat"}]'
    report = joined({**first, "said": INTERNVL}, {"image": "b.jpg", "said": other}, pred_field="said", frame=frame)
    assert report["records"] == {"read": 3, "evaluated": 3, "skipped_empty": 0, "rejected": 0}
    assert report["modes"]["category"]["primary"]["matched"] == 2
    assert report["answers"]["families"] == {"gemini": 1, "internvl": 1}
    assert report["answers"]["missing"] == 1
    assert [entry["records"] for entry in report["inputs"]] == [3, 2]
    assert report.notes == [
        "1 image has no answer, which counts as nothing predicted",
        "1 crowd regions of the ground truth were left out",
    ]


def said(label):
    return {"image": "a.jpg", "pred": json.dumps([{"bbox_2d": [100, 100, 500, 500], "label": label}])}


def test_a_joined_label_is_the_class_whatever_its_case_and_white_space_and_that_is_said(joined):
    report = joined(said(" CAT"), bootstrap=0)
    assert report["modes"]["category"]["primary"]["matched"] == 1
    assert [row["category"] for row in report.matches() if row["side"] == "pred"] == ["cat"]
    assert report.notes[1] == f'{RESPELLED}: 1 (" CAT" 1)'


@pytest.mark.parametrize(("label", "right"), [("cat", 1), ("Cat", 0), ("CAT", 0)])
def test_of_classes_that_differ_in_case_alone_a_joined_label_is_the_one_spelled_like_it(joined, label, right):
    truth = TRUTH | {"categories": [*TRUTH["categories"], {"id": 8, "name": "Cat"}]}
    report = joined(said(label), truth=truth, bootstrap=0)
    assert report["modes"]["category"]["primary"]["matched"] == right
    assert not any(RESPELLED in note for note in report.notes)


def test_in_a_dump_labels_are_compared_as_they_are_written():
    assert f1([record([CAT | {"desc": "Cat"}])]) == 0


def test_another_family_is_tried_where_labels_were_respelled(tmp_path):
    (gt := tmp_path / "instances.json").write_text(json.dumps(TRUTH))
    pixels = [{"bbox_2d": [64, 48, 320, 240], "label": "Cat"}]
    (pred := tmp_path / "answers.jsonl").write_text(json.dumps({"image": "a.jpg", "pred": json.dumps(pixels)}))
    found = calipers.check(gt=gt, pred=pred)
    assert found["comparisons"][0]["readings"][0]["name"] == "answers as qwen2.5 writes them"
    assert any(RESPELLED in warning for warning in found["files"][1]["warnings"])


def test_joined_answers_have_rows(joined):
    matches = joined({"image": "a.jpg", "pred": INTERNVL}, bootstrap=0).matches()
    assert [row["key"] for row in matches] == ["train/a.jpg", "train/a.jpg", "b.jpg", "c.jpg"]


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([{"image": "d.jpg", "pred": ""}], 'answers.jsonl:1: image: found "d.jpg", expected an image of '),
        ([{"pred": ""}], "answers.jsonl:1: no image: expected one of image_id, file_name"),
        ([{"image_id": 1, "pred": ""}] * 2, "answers.jsonl:2: a second answer for train/a.jpg"),
        ([["a.jpg"]], "answers.jsonl:1: not a JSON object"),
        ([{"image_id": 1}], "answers.jsonl:1: no predictions: expected pred_norm1000"),
    ],
)
def test_an_answer_that_cannot_be_joined_is_a_bad_record(joined, answers, message):
    with pytest.raises(InputError, match=message):
        joined(*answers)
    report = joined(*answers, max_bad_records=1)
    assert (report["records"]["rejected"], report["records"]["evaluated"]) == (1, 3)


def test_a_joined_line_that_is_no_json_says_why(tmp_path):
    gt, pred = tmp_path / "instances.json", tmp_path / "broken.jsonl"
    gt.write_text(json.dumps(TRUTH))
    pred.write_text('{"image_id": 1, "pred": "[]"}\n{"image_id": \n')
    with pytest.raises(InputError, match=r'broken\.jsonl:2: not JSON: .* and this one ends with "{..image_id..:"'):
        dense(pred, gt=gt)


@pytest.mark.parametrize(
    "line", ['{"image_id": 1, "image_id": 2, "pred": ""}', '{"image_id": 1, "pred": "[]", "pred": ""}']
)
def test_a_joined_answer_that_gives_a_key_twice_is_a_bad_record(tmp_path, line):
    gt, pred = tmp_path / "instances.json", tmp_path / "answers.jsonl"
    gt.write_text(json.dumps(TRUTH))
    pred.write_text(f"{line}\n")
    with pytest.raises(
        InputError, match=r'answers.jsonl:1: "(image_id|pred)": is there twice, expected every key once'
    ):
        dense(pred, gt=gt)


def test_an_answer_that_is_there_twice_is_a_bad_record(tmp_path):
    dump = tmp_path / "dump.jsonl"
    dump.write_text('{"gt_norm1000": [], "said": "[]", "said": "no"}\n')
    with pytest.raises(InputError, match=r"dump.jsonl:1: said: is there twice, expected it once"):
        dense(dump, pred_field="said")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"images": None}, "no images, expected a COCO file"),
        ({"images": [{"id": 1}]}, r"images\[0\]: found .*, expected an image with id, file_name, width and height"),
        ({"images": TRUTH["images"] * 2}, r"images\[3\].id: found 1, expected a number or a text that no other"),
        ({"annotations": [{"image_id": 9}]}, r"annotations\[0\]: found .*, expected an annotation of an image"),
        (
            {"annotations": [{"image_id": 1, "bbox": [1, 2, 3]}]},
            r"annotations\[0\].bbox: found \[1, 2, 3\], expected x",
        ),
        ({"annotations": [{"image_id": [1]}, 3]}, r"annotations\[0\]: found .*, expected an annotation of an image"),
        ({"images": [{"id": 1, "width": 10**400, "height": 1}]}, r"images\[0\]: found .*, expected an image with id"),
        ({"annotations": [{"image_id": 1, "bbox": [1, 2, 3, 10**400]}]}, r"annotations\[0\].bbox: found"),
        ({"categories": [{"id": []}, 3]}, r"annotations\[0\].category_id: found 7, expected that of a category"),
        ({"categories": []}, r"annotations\[0\].category_id: found 7, expected that of a category"),
    ],
)
def test_ground_truth_that_cannot_be_read_is_an_error(joined, change, message):
    with pytest.raises(InputError, match=message):
        joined(truth={**TRUTH, **change})


def test_ground_truth_is_joined_with_a_file():
    for source, gt in (([], "instances.json"), ("answers.jsonl", ""), (["a.jsonl", "b.jsonl"], "instances.json")):
        with pytest.raises(ConfigError, match=r"(gt|source): found .*, expected a path"):
            dense(source, gt=gt)


def test_points_are_told_to_match_nothing_and_have_no_other_reading_as_boxes(tmp_path):
    """A point [x, y, x, y] must not be taken for a box of [cx, cy, w, h] that is as large as its place is far."""
    path = tmp_path / "dump.jsonl"
    point = '<point x="30" y="40" alt="cat">cat</point>'
    truth = [{"type": "bbox_2d", "points": [150, 200, 450, 600], "desc": "cat"}]  # what cx, cy, w, h would be
    path.write_text("".join(json.dumps({"id": at, "gt_norm1000": truth, "pred": point}) + "\n" for at in range(3)))
    (told,) = dense(path, answers="molmo", bootstrap=0).notes
    assert told.startswith("answers: molmo writes points, 3 here, which have no area and match nothing; calipers judge")
    found = check(path, answers="molmo")
    assert found["files"][0]["warnings"] == [told, "predictions: 3 objects without area, matching nothing"]
    (sides,) = found["comparisons"]
    assert (sides["score"], sides["readings"]) == (0.0, [])


@pytest.mark.parametrize(("family", "says"), [("qwen3", True), ("paligemma", True), ("gemini", False), ("auto", False)])
def test_a_family_none_of_whose_words_are_in_the_answers_is_told(family, says):
    report = dense([record(GEMINI)], answers=family, bootstrap=0)
    told = list(hopeless_predictions(report))
    hint = f'no answer has an object as {family} writes it; `answers="auto"` tells families by their tags and keys'
    assert (hint in told) is says


def test_a_model_that_sees_nothing_may_well_be_of_its_family():
    (told,) = hopeless_predictions(dense([record("[]")], answers="qwen3", bootstrap=0))
    assert told.startswith("nothing was predicted at all")
