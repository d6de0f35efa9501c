"""Dumps written plainly, and one side of them as COCO or YOLO."""

import json

import pytest

import calipers

BOX = {"type": "bbox_2d", "points": [100, 200, 400, 400], "desc": "car"}
POLY = {"type": "poly", "points": [500, 200, 700, 200, 700, 800], "desc": "cone"}
LINE = {"type": "line", "points": [0, 0, 10, 10], "desc": "edge"}
RECORD = {"image_path": "a.png", "width": 100, "height": 50, "gt_norm1000": [BOX, POLY], "pred_norm1000": [BOX]}
EMPTY = {"image_path": "b.png", "width": 40, "height": 40, "gt_norm1000": [], "pred_norm1000": []}


def lines(made):
    return [json.loads(line) for line in made.files[""].splitlines()]


@pytest.mark.parametrize("truth", ["gt_norm1000", "gt_norm"])
@pytest.mark.parametrize("pred", ["pred_norm1000", "pred"])
def test_records_have_one_form(truth, pred, tmp_path):
    path = tmp_path / "dump.jsonl"
    other = {"image_path": "a.png", "width": 100, "height": 50, truth: [BOX, POLY], pred: [BOX]}
    path.write_text("\n".join(map(json.dumps, (other, EMPTY))))
    made = calipers.convert(path, to="plain", output=tmp_path / "out.jsonl")
    assert lines(made) == [RECORD, EMPTY]
    assert (tmp_path / "out.jsonl").read_bytes() == made.files[""]
    assert calipers.convert(tmp_path / "out.jsonl", to="plain").files == made.files


def test_pixels_and_answers_are_brought_to_the_frame():
    # 10 of 100 pixels are 100 of 1000, 10 of 50 are 200
    pixels = {"width": 100, "height": 50, "gt": [BOX | {"points": [10, 10, 40, 20]}], "pred": []}
    [record] = lines(calipers.convert([pixels], to="plain", frame="pixel"))
    assert record == {"width": 100, "height": 50, "gt_norm1000": [BOX], "pred_norm1000": []}
    answer = {"gt_norm1000": [BOX], "pred": '```json\n[{"bbox_2d": [100, 200, 400, 400], "label": "car"}]\n```'}
    [record] = lines(calipers.convert([answer], to="plain", answers="qwen3"))
    assert record["pred_norm1000"] == [BOX]


def test_a_side_becomes_a_data_set_of_coco():
    tree = json.loads(calipers.convert([RECORD, EMPTY], to="coco", side="gt").files[""])
    assert [image["file_name"] for image in tree["images"]] == ["a.png", "b.png"]
    assert tree["categories"] == [{"id": 1, "name": "car"}, {"id": 2, "name": "cone"}]
    assert [(row["category_id"], row["bbox"]) for row in tree["annotations"]] == [
        (1, [10.0, 10.0, 30.0, 10.0]),
        (2, [50.0, 10.0, 20.0, 30.0]),
    ]
    assert tree["annotations"][1]["segmentation"] == [[50.0, 10.0, 70.0, 10.0, 70.0, 40.0]]
    made = calipers.convert([RECORD, EMPTY], to="coco", side="pred")
    assert lines(made._replace(files={"": made.files[""][2:-3]})) == [
        {"image_id": 1, "category_id": 1, "bbox": [10.0, 10.0, 30.0, 10.0]}
    ]


def test_a_side_becomes_labels_of_yolo():
    made = calipers.convert([RECORD, EMPTY], to="yolo")
    assert made.files["labels/a.txt"] == b"0 0.25 0.3 0.3 0.2\n1 0.5 0.2 0.7 0.2 0.7 0.8\n"
    assert made.files["labels/b.txt"] == b""
    assert made.notes[0] == 'the ground truth was written: `side="pred"` writes the predictions'


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({**RECORD, "gt_norm1000": [LINE]}, r"<records>:1: gt\[0\]: type: found a line, expected boxes and polygons"),
        ({**RECORD, "width": None}, r"<records>:1: width: found null, expected the size of the image"),
        ({**RECORD, "gt_norm1000": [BOX | {"desc": " "}]}, r"gt\[0\]: desc: found \" \", expected the name of a class"),
        ({**RECORD, "gt_norm1000": [{"type": "bbox_2d"}]}, r"<records>:1: gt_norm1000\[0\]"),
    ],
)
def test_what_cannot_be_written_is_an_error(record, message):
    with pytest.raises(calipers.InputError, match=message):
        calipers.convert([record], to="coco", side="gt")


def test_answers_join_a_ground_truth_of_coco(tmp_path):
    gt, answers = tmp_path / "gt.json", tmp_path / "answers.jsonl"
    gt.write_bytes(calipers.convert([RECORD, EMPTY], to="coco", side="gt").files[""])
    answers.write_text(json.dumps({"image": "a.png", "pred": '[{"bbox_2d": [1, 2, 3, 4], "label": "car"}]'}))
    made = calipers.convert(answers, to="plain", suite="dense", gt=gt)
    assert [len(record["pred_norm1000"]) for record in lines(made)] == [1, 0]
    assert made.notes == [
        "answers read as 1 json (1 ok)",
        "1 image has no answer, which counts as nothing predicted",
    ]


def test_predictions_keep_their_scores():
    record = {
        **RECORD,
        "pred_norm1000": [BOX | {"score": 0.5}, {"bbox_2d": BOX["points"], "label": "car", "confidence": 1}],
    }
    rows = json.loads(calipers.convert([record], to="coco", side="pred").files[""])
    assert [row["score"] for row in rows] == [0.5, 1]
    made = calipers.convert([record], to="yolo", side="pred")
    assert made.files["labels/a.txt"] == b"0 0.25 0.3 0.3 0.2 0.5\n0 0.25 0.3 0.3 0.2 1.0\n"
    bad = {**RECORD, "pred_norm1000": [BOX | {"score": "high"}]}
    with pytest.raises(calipers.InputError, match=r'pred\[0\]: score: found "high", expected a number'):
        calipers.convert([bad], to="coco", side="pred")


def test_what_has_no_place_in_coco_is_counted():
    far = BOX | {"points": [-10, 200, 400, 400], "occluded": True}
    record = {**RECORD, "id": 7, "weather": "rain", "pred_norm1000": [far, far]}
    made = calipers.convert([record, EMPTY], to="coco", side="pred")
    assert made.notes == [
        'records: "id" is no part of a class or a shape and was left out (1)',
        'records: "weather" is no part of a class or a shape and was left out (1)',
        'objects: "occluded" is no part of a class or a shape and was left out (2)',
        "objects that reach outside their image were cut to it (2)",
    ]
    [plain, _] = lines(calipers.convert([record, EMPTY], to="plain"))
    assert plain == record


def test_a_note_says_what_answers_were_taken_for():
    records = [
        {**RECORD, "pred_norm1000": '[{"box_2d": [200, 100, 400, 400], "label": "car"}]'},
        {**RECORD, "pred_norm1000": "car<loc_1><loc_2><loc_3>"},
    ]
    made = calipers.convert(records, to="plain", answers="auto")
    assert made.notes == ["answers read as 1 florence · 1 gemini (1 ok · 1 failed)"]
    assert [record["pred_norm1000"] for record in lines(made)] == [[BOX], []]


def test_an_answer_that_finds_nothing_where_nothing_is_becomes_an_empty_list():
    [record] = lines(calipers.convert([{**EMPTY, "pred_norm1000": "[]"}], to="plain", answers="json"))
    assert record == EMPTY


@pytest.mark.parametrize("to", ["plain", "coco", "yolo"])
def test_answers_that_are_not_in_their_frame_are_refused(to):
    record = {**RECORD, "width": 4000, "height": 4000, "pred_norm1000": '[{"bbox_2d": [1500, 2000, 3000, 3000]}]'}
    with pytest.raises(calipers.InputError, match=r'as pixels of width and height they fit, which `answers="qwen2.5"`'):
        calipers.convert([record], to=to, answers="qwen3", **({} if to == "plain" else {"side": "pred"}))


def test_a_ground_truth_of_coco_is_for_the_suite_that_knows_its_ids(tmp_path):
    gt, path = tmp_path / "gt.json", tmp_path / "answers.jsonl"
    gt.write_bytes(calipers.convert([RECORD], to="coco", side="gt").files[""])
    path.write_text(json.dumps({"image": "a.png", "pred": "[]"}))
    with pytest.raises(calipers.ConfigError, match='whose ids coco needs, expected `suite="coco"`, which writes them'):
        calipers.convert(path, to="coco", suite="dense", gt=gt)


def test_a_list_that_is_there_twice_is_an_error_and_a_key_of_an_object_is_not(tmp_path):
    box = '{"type": "bbox_2d", "points": [0, 0, 9, 9], "desc": "a", "desc": "b"}'
    lost, kept = tmp_path / "lost.jsonl", tmp_path / "kept.jsonl"
    lost.write_text(f'{{"gt_norm1000": [{box}], "pred": [], "gt_norm1000": []}}\n')
    with pytest.raises(calipers.InputError, match=r"lost\.jsonl:1: gt_norm1000: is there twice, expected it once"):
        calipers.convert(lost, to="plain")
    kept.write_text(f'{{"gt_norm1000": [{box}], "pred": []}}\n')
    [record] = lines(calipers.convert(kept, to="plain"))
    assert record["gt_norm1000"][0]["desc"] == "b"


@pytest.mark.parametrize("value", ["pixel", None])
def test_a_misspelt_option_names_the_nearest(value):
    with pytest.raises(calipers.ConfigError, match=r"^'frme' is not an option, did you mean 'frame'\?"):
        calipers.convert([RECORD], to="plain", frme=value)


def test_a_record_without_a_key_is_named_by_a_number_that_is_no_key():
    box = {"type": "bbox_2d", "points": [0, 0, 500, 500], "desc": "cone"}
    sized = {"width": 10, "height": 10, "gt_norm1000": [box], "pred": []}
    records = [
        {"id": 2} | sized,
        sized,
        {"id": "record-2"} | sized,
        sized,
    ]  # of these the second and the last have none
    made = calipers.convert(records, to="yolo", suite="dense", side="gt")
    names = ["2", "record-record-2", "record-2", "4"]
    assert list(made.files) == ["classes.txt", *(f"labels/{name}.txt" for name in names)]


def test_two_records_of_one_name_are_an_error_that_names_the_dump(tmp_path):
    box = {"type": "bbox_2d", "points": [0, 0, 500, 500], "desc": "cone"}
    record = {"id": "a", "width": 10, "height": 10, "gt_norm1000": [box], "pred": []}
    path = tmp_path / "dump.jsonl"
    path.write_text(f"{json.dumps(record)}\n" * 2)
    with pytest.raises(calipers.InputError, match=r'dump\.jsonl: images: "a" and "a" would both be labels/a\.txt'):
        calipers.convert(path, to="yolo", side="gt")
