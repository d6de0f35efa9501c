"""Detections that are wrong: malformed ground truth ends the run, a malformed detection counts and matches nothing.

`refuses` checks that every file is as it was.
"""

import json
from pathlib import Path

import pytest

from ..parity.coco_datasets import annotation, coco_json, detection
from ..profiles import share

INPUTS = ["--gt", "gt.json", "--pred", "pred.json"]
FEW = ["--bootstrap", "20"] if share() < 1 else []  # a thousand replicates take most of the time of a small run
BOX, FAR = [0, 0, 10, 10], [50, 0, 10, 10]
SQUARE = [[0, 0, 0, 10, 10, 10, 10, 0]]
POINTS = [value for k in range(17) for value in (10 + k, 20 + 2 * k, 2)]


def write(name, content):
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, (str, bytes)) else json.dumps(content)
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())


def truth(*rows, **lists):
    """Ground truth with a good annotation and then some; some lists may be given as a whole."""
    return coco_json(annotation(BOX, id=3, segmentation=SQUARE, keypoints=POINTS), *rows, images=2) | lists


def other(**fields):
    """An annotation of id 41 with some fields, as a text; None leaves one out."""
    plain = {"id": "41", "image_id": "2", "category_id": "1", "bbox": "[50, 0, 10, 10]", "area": "100", "iscrowd": "0"}
    plain |= {"segmentation": json.dumps(SQUARE), "keypoints": json.dumps(POINTS)} | fields
    return "{" + ", ".join(f'"{name}": {value}' for name, value in plain.items() if value is not None) + "}"


def result(**fields):
    """A detection with some fields, as a text; None leaves one out."""
    plain = {"image_id": "2", "category_id": "1", "bbox": "[50, 0, 10, 10]", "score": "0.5"} | fields
    return "{" + ", ".join(f'"{name}": {value}' for name, value in plain.items() if value is not None) + "}"


def with_annotation(text):
    """The ground truth with another annotation as it is written."""
    whole = json.dumps(truth())
    return whole.replace('], "categories"', f', {text}], "categories"')


def told(value):
    """How a message tells of a value: null is nothing."""
    return "missing" if value in ("null", None) else value


def good_result(**more):
    return detection(BOX, 0.9, segmentation=SQUARE, keypoints=POINTS, **more)


@pytest.fixture(autouse=True)
def _good_files():
    write("gt.json", truth())
    write("pred.json", [good_result()])


@pytest.fixture
def refused(refuses):
    """The command refuses its usual inputs, or these, whatever it was asked to write."""

    def check(*parts, args=INPUTS, code=3):
        return refuses(args, *parts, code=code, command="coco")

    return check


@pytest.fixture
def annotation_is_refused(refused, run):
    """An annotation is refused, by its place, its id and its value; or rejected, with its image."""

    def check(text, *parts, iou_type="bbox"):
        write("gt.json", with_annotation(text))
        refused("error: gt.json: annotations[1]", "41", *parts, "expected", args=[*INPUTS, "--iou-type", iou_type])
        tree = run("coco", *INPUTS, *FEW, "--iou-type", iou_type, "--max-bad-records", 1, "--json").artifact()
        assert tree["images"] == {"total": 2, "evaluated": 1, "skipped_empty": 0, "rejected": 1, "without_pred": 0}
        [entry] = tree["rejected"]
        assert entry["path"] == "gt.json"
        assert all(part in json.dumps(entry) for part in ("annotations[1]", "41"))

    return check


@pytest.fixture
def counts_as_invalid(run):
    """A detection matches nothing and is counted, and nothing else changes."""

    def check(text, iou_type="bbox"):
        write("gt.json", truth())
        before = run("coco", *INPUTS, *FEW, "--iou-type", iou_type, "--json").artifact()
        write("pred.json", f"[{json.dumps(good_result())}, {text}]")
        tree = run("coco", *INPUTS, *FEW, "--iou-type", iou_type, "--json").artifact()
        assert (tree["objects"]["pred"], tree["objects"]["invalid_pred"]) == (2, 1)
        assert sum(tree["invalid_reasons"].values()) == 1
        assert tree["coco"] == before["coco"]
        assert (tree["errors"]["spurious"], tree["sweep"]["primary"]["precision"]) == (1, 0.5)
        summary = run("coco", *INPUTS, *FEW, "--iou-type", iou_type).out.decode()
        assert any("invalid" in line and " 1" in line for line in summary.splitlines())
        write("pred.json", [good_result()])

    return check


# ---------------------------------------------------------------- annotations


@pytest.mark.parametrize(
    "box",
    [
        "[50, 0, 10]",
        "[50, 0, 10, 10, 1]",
        "[]",
        "7",
        '"50 0 10 10"',
        "null",
        '{"x": 50}',
        '[50, 0, "10", 10]',
        "[50, 0, true, 10]",
        "[50, 0, null, 10]",
        "[[50], [0], [10], [10]]",
        "[50, 0, NaN, 10]",
        "[NaN, 0, 10, 10]",
        "[50, 0, Infinity, 10]",
        "[50, -Infinity, 10, 10]",
        "[50, 0, -10, 10]",
        "[50, 0, 10, -0.5]",
    ],
)
def test_a_box_is_four_numbers_and_has_no_negative_size(annotation_is_refused, counts_as_invalid, box):
    annotation_is_refused(other(bbox=box), "bbox", told(box))
    counts_as_invalid(result(bbox=box))


def test_a_number_beyond_floats_is_no_number(annotation_is_refused, counts_as_invalid):
    annotation_is_refused(other(bbox="[50, 0, 1e400, 10]"), "bbox", "Infinity")
    counts_as_invalid(result(bbox="[50, 0, 1e400, 10]"))


def test_a_box_has_to_be_there(annotation_is_refused, counts_as_invalid):
    annotation_is_refused(other(bbox=None), "bbox", "missing")
    counts_as_invalid(result(bbox=None))


@pytest.mark.parametrize("area", ['"100"', "-1", "NaN", "Infinity", "true", "[100]"])
def test_an_area_is_a_number_of_at_least_0(annotation_is_refused, area):
    annotation_is_refused(other(area=area), "area", area)


@pytest.mark.parametrize("crowd", ["2", '"yes"', "0.5", "-1", "[]", "NaN"])
def test_iscrowd_is_0_or_1(annotation_is_refused, crowd):
    annotation_is_refused(other(iscrowd=crowd), "iscrowd", crowd)


@pytest.mark.parametrize("crowd", ["0", "1", "false", "true"])
def test_iscrowd_may_be_a_truth_value(run, crowd):
    write("gt.json", with_annotation(other(iscrowd=crowd)))
    assert run("coco", *INPUTS, "--json").artifact()["objects"]["crowd"] == (crowd in ("1", "true"))


@pytest.mark.parametrize(
    "mask",
    [
        "[]",
        "[[]]",
        "[[0, 0, 10, 0]]",
        "[[0, 0, 10, 0, 10]]",
        "[[0, 0, 10, 0, 10, NaN]]",
        '[[0, 0, 10, 0, 10, "10"]]',
        "[0, 0, 10, 0, 10, 10]",
        "7",
        '"mask"',
        "{}",
        '{"size": [480, 640]}',
        '{"counts": [10, 20]}',
        '{"size": [480, 640], "counts": [10, 20]}',
        '{"size": [480, 640], "counts": [-10, 307210]}',
        '{"size": [640, 480], "counts": [0, 307200]}',
        '{"size": [480], "counts": [480]}',
        '{"size": [480, 640], "counts": [307200.5]}',
        '{"size": [480, 640], "counts": "\\u0001\\u0002"}',
        '{"size": [480, 640], "counts": "PPYo"}',
        '{"size": [480, 640], "counts": 7}',
        '{"size": [1e300, 1e300], "counts": "0"}',
    ],
)
def test_a_mask_is_polygons_or_runs_that_fill_the_image(annotation_is_refused, counts_as_invalid, mask):
    annotation_is_refused(other(segmentation=mask), "segmentation", iou_type="segm")
    counts_as_invalid(result(segmentation=mask), iou_type="segm")


def test_a_mask_has_to_be_there(annotation_is_refused, counts_as_invalid):
    annotation_is_refused(other(segmentation=None), "segmentation", "missing", iou_type="segm")
    counts_as_invalid(result(bbox=None), iou_type="segm")


@pytest.mark.parametrize("points", ["[]", "[1, 2, 2]", "7", '"points"', "null", "[1, 2]"])
def test_keypoints_are_as_many_as_there_are(annotation_is_refused, counts_as_invalid, points):
    annotation_is_refused(other(keypoints=points), "keypoints", iou_type="keypoints")
    counts_as_invalid(result(keypoints=points), iou_type="keypoints")


@pytest.mark.parametrize("value", ["NaN", '"1"', "null", "Infinity"])
def test_keypoints_are_numbers(annotation_is_refused, counts_as_invalid, value):
    points = json.dumps([*POINTS[:-3], "x", 5, 2]).replace('"x"', value)
    annotation_is_refused(other(keypoints=points), "keypoints", iou_type="keypoints")
    counts_as_invalid(result(keypoints=points), iou_type="keypoints")


def test_keypoints_have_to_be_there(annotation_is_refused, counts_as_invalid):
    annotation_is_refused(other(keypoints=None), "keypoints", "missing", iou_type="keypoints")
    counts_as_invalid(result(), iou_type="keypoints")


# ---------------------------------------------------------------- ids


def test_two_annotations_of_one_id_are_refused(refused):
    write("gt.json", truth(annotation(FAR, id=8), annotation(FAR, image=2, id=3)))
    refused("error: gt.json: annotations[0]", "[2]", "id 3")


def test_two_images_of_one_id_are_refused(refused):
    write("gt.json", truth(images=[{"id": 1}, {"id": 5}, {"id": 1}]))
    refused("error: gt.json: images[0]", "[2]", "id 1")


def test_two_classes_of_one_id_are_refused(refused):
    write("gt.json", truth(categories=[{"id": 1, "name": "cone"}, {"id": 1, "name": "sign"}]))
    refused("error: gt.json: categories[0]", "[1]", "id 1")


def test_a_detection_on_an_unknown_image_is_refused(refused):
    write("pred.json", [good_result(), good_result(image_id=99)])
    refused("error: pred.json: ", "[1]", "image_id", "99", "gt.json")


def test_a_detection_of_an_unknown_class_is_refused(refused):
    write("pred.json", [good_result(), good_result(category_id=77)])
    refused("error: pred.json: ", "[1]", "category_id", "77", "gt.json")


@pytest.mark.parametrize("name", ["image_id", "category_id"])
@pytest.mark.parametrize("value", ["99", '"1"', "1.5", "null", "true", "[1]", "NaN", None])
def test_an_annotation_names_an_image_and_a_class(refused, name, value):
    write("gt.json", with_annotation(other(**{name: value})))
    refused("error: gt.json: annotations[1]", "41", name, told(value), "expected")


@pytest.mark.parametrize("name", ["image_id", "category_id"])
@pytest.mark.parametrize("value", ['"1"', "1.5", "null", "true", "[1]", "NaN", None])
def test_a_detection_names_an_image_and_a_class(refused, name, value):
    write("pred.json", f"[{json.dumps(good_result())}, {result(**{name: value})}]")
    refused("error: pred.json: ", "[1]", name, told(value), "expected")


@pytest.mark.parametrize("value", ['"a"', "1.5", "true", "[1]"])
def test_an_annotation_id_is_a_whole_number(refused, value):
    write("gt.json", with_annotation(other(id=value)))
    refused("error: gt.json: annotations[1]", "id", value, "expected")


@pytest.mark.parametrize("name", ["images", "categories"])
@pytest.mark.parametrize("value", ['"a"', "1.5", "null", "true", "[1]", None])
def test_ids_of_images_and_classes_are_whole_numbers(refused, name, value):
    row = '{"name": "x"}' if value is None else f'{{"id": {value}, "name": "x"}}'
    whole = truth(**{name: ["here", {"id": 1, "name": "cone"}, {"id": 2, "name": "sign"}]})
    write("gt.json", json.dumps(whole).replace('"here"', row))
    refused(f"error: gt.json: {name}[0]", "id", told(value), "expected")


@pytest.mark.parametrize("score", ['"high"', "true", "[0.5]", "{}", "NaN", "Infinity", "-Infinity", "1e400"])
def test_a_score_that_is_no_finite_number_makes_an_invalid_detection(run, score):
    write("pred.json", f"[{json.dumps(good_result())}, {result(score=score)}]")
    ended = run("coco", *INPUTS, "--json")
    objects = ended.artifact()["objects"]
    assert (objects["pred"], objects["invalid_pred"]) == (2, 1)
    assert b"NaN" not in ended.out


# ---------------------------------------------------------------- files


@pytest.mark.parametrize("name", ["gt.json", "pred.json"])
@pytest.mark.parametrize("content", [b"", b"  ", b"{", b"[1, 2", b"\xff\xfe", b'"text"', b"7", b"null"])
def test_files_that_are_no_json_or_something_else(refused, name, content):
    write(name, content)
    refused(f"error: {name}: ", "expected")


@pytest.mark.parametrize("name", ["gt.json", "pred.json"])
def test_files_that_are_only_half_compressed(refused, name):
    write(name, b"\x1f\x8b\x08\x00junk")
    refused(f"error: {name}: ", "decompressed")


@pytest.mark.parametrize("missing", ["images", "annotations", "categories"])
def test_ground_truth_has_three_lists(refused, missing):
    whole = truth()
    del whole[missing]
    write("gt.json", whole)
    refused("error: gt.json: ", missing, "expected")


@pytest.mark.parametrize("name", ["images", "annotations", "categories"])
@pytest.mark.parametrize("value", [7, "text", {"a": 1}, None])
def test_the_three_lists_are_lists(refused, name, value):
    write("gt.json", truth(**{name: value}))
    refused("error: gt.json: ", name, json.dumps(value), "expected")


@pytest.mark.parametrize("name", ["images", "annotations", "categories"])
@pytest.mark.parametrize("value", [7, "text", [1], None])
def test_the_three_lists_hold_objects(refused, name, value):
    write("gt.json", truth(**{name: [value]}))
    refused(f"error: gt.json: {name}[0]", *([] if value is None else [json.dumps(value)]), "expected")


@pytest.mark.parametrize("value", [7, "text", [1], None])
def test_results_are_objects(refused, value):
    write("pred.json", [good_result(), value])
    refused("error: pred.json: ", "[1]", *([] if value is None else [json.dumps(value)]), "expected")


def test_results_given_as_ground_truth_are_told_apart(refused):
    write("gt.json", [good_result()])
    refused("error: gt.json: ", "images", "annotations", "categories")


@pytest.mark.parametrize("side", ["gt", "pred"])
def test_a_file_that_is_not_there(refused, side):
    Path(f"{side}.json").unlink()
    refused(f"error: {side}.json: ", "No such file")


@pytest.mark.parametrize("side", ["gt", "pred"])
def test_an_empty_folder_is_no_input(refused, side):
    Path("folder").mkdir()
    args = ["--gt", "folder" if side == "gt" else "gt.json", "--pred", "folder" if side == "pred" else "pred.json"]
    refused("error: folder", "expected", args=args)


def test_a_key_given_twice_is_refused(refused):
    write("gt.json", json.dumps(truth()).replace('"area": 100', '"area": 100, "area": 5'))
    refused("error: gt.json: annotations[0]", "area", "twice")


# ---------------------------------------------------------------- rejected images


def test_bad_images_up_to_a_number_are_left_out(run, refused):
    rows = [annotation(FAR, id=41, image=2, area=-1), annotation([0, 0, -1, 1], id=42, image=2)]
    write("gt.json", truth(*rows, annotation([0, 0, 9, -9], id=43, image=3), images=[{"id": k} for k in (1, 2, 3, 4)]))
    write("pred.json", [good_result(), detection(FAR, 0.5, image=2), detection(FAR, 0.4, image=3)])
    refused("annotations[1]", "41")
    message = refused("expected", args=[*INPUTS, "--max-bad-records", 1])
    assert "annotations[1]" not in message
    ended = run("coco", *INPUTS, "--max-bad-records", 3, "--json")
    tree = ended.artifact()
    assert tree["images"] == {"total": 4, "evaluated": 1, "skipped_empty": 1, "rejected": 2, "without_pred": 0}
    assert tree["coco"]["AP"] == pytest.approx(1)
    assert (tree["objects"]["gt"], tree["objects"]["pred"]) == (1, 1)
    text = json.dumps(tree["rejected"])
    assert all(part in text for part in ("annotations[1]", "annotations[3]", "41", "43"))
    for entry in tree["rejected"]:
        assert f"rejected: gt.json: {entry['place']}: {entry['problem']}\n" in ended.err


@pytest.mark.parametrize("number", ["-1", "some", "1.5"])
def test_the_number_of_bad_records_is_a_whole_number(refused, number):
    refused("max", "bad", number, args=[*INPUTS, "--max-bad-records", number], code=2)


# ---------------------------------------------------------------- usage


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (["--iou-type", "box"], ["iou_type", "'box'", "bbox or segm or keypoints"]),
        (["--max-dets", "0"], ["max_dets", "0"]),
        (["--max-dets", "1,a"], ["max_dets", "a"]),
        (["--max-dets", "1,1,10"], ["max_dets", "1,1,10"]),
        (["--max-dets", ""], ["max_dets"]),
        (["--max-dets", "1.5"], ["max_dets", "1.5"]),
        (["--max-dets", "-1"], ["max_dets", "-1"]),
        (["--recall-target", "1.1"], ["recall_target", "1.1"]),
        (["--recall-target", "-0.1"], ["recall_target", "-0.1"]),
        (["--recall-target", "nan"], ["recall_target", "nan"]),
        (["--recall-target", "high"], ["recall", "high"]),
        (["--min-score", "nan"], ["min_score", "nan"]),
        (["--min-score", "low"], ["min", "low"]),
        (["--gt-format", "pascal"], ["gt_format", "'pascal'", "coco", "yolo", "voc", "labelme"]),
        (["--pred-format", "COCO"], ["pred_format", "'COCO'"]),
        (["--sigmas", "0.1"], ["sigmas"]),
        (["--iou-type", "keypoints", "--sigmas", "0.1,0"], ["sigmas", "0"]),
        (["--top", "-1"], ["top", "-1"]),
        (["--bootstrap", "-1"], ["bootstrap", "-1"]),
        (["--bootstrap", "x"], ["bootstrap", "x"]),
        (["--seed", "-1"], ["seed", "-1"]),
        (["--iou_type", "bbox"], ["--iou_type", "--iou-type"]),
        (["--maxdets", "1"], ["--maxdets", "--max-dets"]),
        (["--recal-target", "1"], ["--recal-target", "--recall-target"]),
        (["--minscore", "1"], ["--minscore", "--min-score"]),
        (["extra.json"], ["extra.json"]),
    ],
)
def test_wrong_usage(refused, args, parts):
    refused(*parts, args=[*INPUTS, *args], code=2)


@pytest.mark.parametrize("side", ["gt", "pred"])
def test_both_sides_have_to_be_given(refused, side):
    refused(f"--{side}", args=[f"--{'pred' if side == 'gt' else 'gt'}", "gt.json"], code=2)


@pytest.mark.parametrize(
    ("points", "sigmas"), [(17, "0.1,0.2"), (5, None), (5, "0.1,0.2"), (17, ",".join(["0.1"] * 18))]
)
def test_there_is_a_sigma_for_every_keypoint(run, points, sigmas):
    shape = {"keypoints": POINTS[: 3 * points]}
    write("gt.json", coco_json(annotation(BOX, **shape)))
    write("pred.json", [detection(BOX, 0.9, **shape)])
    ended = run("coco", *INPUTS, "--iou-type", "keypoints", *(["--sigmas", sigmas] if sigmas else []))
    given = "17 (COCO's own)" if sigmas is None else 1 + sigmas.count(",")
    ended.refused(2, f"sigmas: found {given}, expected {points}, one for each keypoint")


def test_other_keypoints_have_sigmas_of_their_own(run):
    shape = {"keypoints": POINTS[:15]}
    write("gt.json", coco_json(annotation([10, 20, 50, 50], **shape)))
    write("pred.json", [detection(BOX, 0.9, **shape)])
    args = ["--iou-type", "keypoints", "--sigmas", "0.1,0.1,0.1,0.2,0.2", "--json"]
    tree = run("coco", *INPUTS, *args).artifact()
    assert (tree["coco"]["AP"], tree["params"]["sigmas"]) == (pytest.approx(1), [0.1, 0.1, 0.1, 0.2, 0.2])


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[coco]\nmax_det = [1]", ["max_det", "max_dets"]),
        ("[coco]\niou_type = 'box'", ["iou_type", "box"]),
        ("[coco]\nmax_dets = 'many'", ["max_dets", "many"]),
        ("[cocoo]\nseed = 1", ["cocoo", "coco"]),
    ],
)
def test_a_wrong_options_file(refused, text, parts):
    write("calipers.toml", text)
    refused(*parts, code=2)


def test_options_may_come_from_a_file(run):
    write("calipers.toml", "[coco]\nmax_dets = [1, 5]\nrecall_target = 0.5\nbootstrap = 0")
    tree = run("coco", *INPUTS, "--json").artifact()
    assert (tree["params"]["max_dets"], tree["params"]["recall_target"]) == ([1, 5], 0.5)


@pytest.mark.parametrize("output", ["gt.json", "pred.json"])
def test_an_input_is_never_written_over(run, output, listing):
    before = listing(".")
    run("coco", *INPUTS, "-o", output).refused(2, output, "is an input")
    assert listing(".") == before
