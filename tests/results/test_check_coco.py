"""Detections: what a check says of data sets and results, and the reading of boxes and ids it finds."""

import json
from pathlib import Path

import pytest

import calipers
from calipers.results.check import check

DATA = Path(calipers.__file__).parent / "data" / "coco"
TRUTH = json.loads((DATA / "instances.json").read_text(encoding="utf-8"))
PRED = json.loads((DATA / "results.json").read_text(encoding="utf-8"))
SIZES = {image["id"]: (image["width"], image["height"]) for image in TRUTH["images"]}
FILES = {image["id"]: image["file_name"] for image in TRUTH["images"]}
NAMES = {category["id"]: category["name"] for category in TRUTH["categories"]}


def is_box(box):
    return isinstance(box, list) and len(box) == 4 and all(type(value) in (int, float) for value in box)


def boxes(change):
    """Results with boxes written in another way; `change` sees x, y, width, height and those of the image."""
    return [
        {**row, "bbox": change(*row["bbox"], *SIZES[row["image_id"]])} if is_box(row["bbox"]) else row for row in PRED
    ]


def rows(change):
    return [{**row, **change(row)} for row in PRED]


def corners(x, y, w, h, *_):
    return [x, y, x + w, y + h]


def fractions(x, y, w, h, width, height):
    return [x / width, y / height, w / width, h / height]


def letterboxed(side):
    def change(x, y, w, h, width, height):
        factor = side / max(width, height)
        left, top = (side - width * factor) / 2, (side - height * factor) / 2
        return [x * factor + left, y * factor + top, w * factor, h * factor]

    return change


def stretched(side):
    return lambda x, y, w, h, width, height: [value * side for value in fractions(x, y, w, h, width, height)]


def shrunk(side):
    return lambda x, y, w, h, width, height: [value * side / max(width, height) for value in (x, y, w, h)]


ONE_OFF = rows(lambda row: {"image_id": row["image_id"] - 1, "category_id": row["category_id"] - 1})
READINGS = {
    "boxes as [x1, y1, x2, y2]": boxes(corners),
    "boxes as [cx, cy, w, h]": boxes(lambda x, y, w, h, *_: [x + w / 2, y + h / 2, w, h]),
    "x and y swapped": boxes(lambda x, y, w, h, *_: [y, x, h, w]),
    "fractions 0–1 -> pixels": boxes(fractions),
    "fractions 0–1 -> pixels, boxes as [x1, y1, x2, y2]": boxes(lambda *box: corners(*fractions(*box))),
    "norm1000 -> pixels": boxes(lambda *box: [1000 * value for value in fractions(*box)]),
    "pixels of an image letterboxed to 640": boxes(letterboxed(640)),
    "pixels of an image letterboxed to 1024": boxes(letterboxed(1024)),
    "pixels of an image stretched to 640 by 640": boxes(stretched(640)),
    "pixels of an image resized to 512 on its longer side": boxes(shrunk(512)),
    "category ids one too small": rows(lambda row: {"category_id": row["category_id"] - 1}),
    "category ids one too large": rows(lambda row: {"category_id": row["category_id"] + 1}),
    "image ids one too small": rows(lambda row: {"image_id": row["image_id"] - 1}),
    "image ids one too large": rows(lambda row: {"image_id": row["image_id"] + 1}),
    "image ids one too small, category ids one too small": ONE_OFF,
    "images by file name": rows(lambda row: {"image_id": FILES[row["image_id"]]}),
    "categories by name": rows(lambda row: {"category_id": NAMES[row["category_id"]].upper()}),
}


def likely(found):
    [sides] = found["comparisons"]
    return [reading["name"] for reading in sides["readings"] if reading["likely"]]


@pytest.mark.parametrize("name", READINGS)
def test_the_reading_is_found_and_would_score_as_the_right_data_do(name):
    found = check(gt=TRUTH, pred=READINGS[name])
    assert likely(found) == [name]
    reading = found["comparisons"][0]["readings"][0]
    assert reading["score"] == pytest.approx(0.7157, abs=0.01)  # AP_50 of the sample as it is


def with_corners(annotations):
    return {**TRUTH, "annotations": [{**row, "bbox": corners(*row["bbox"])} for row in annotations]}


def test_ground_truth_with_corners_is_found_and_told_in_a_run_too():
    reading = "boxes of the ground truth as [x1, y1, x2, y2]"
    wrong, words = with_corners(TRUTH["annotations"]), "; as [x1, y1, x2, y2] they fit: 445 of 768 (first annotations["
    found = check(gt=wrong, pred=PRED)
    assert likely(found) == [reading]
    assert found["comparisons"][0]["readings"][0]["score"] == pytest.approx(0.7157, abs=0.01)
    assert any(words in warning for warning in found["files"][0]["warnings"])
    assert any(words in warning for warning in calipers.coco(wrong, PRED, bootstrap=0)["warnings"])


@pytest.mark.parametrize("truth", [TRUTH, with_corners(TRUTH["annotations"][:8])])
def test_few_boxes_beyond_their_images_are_no_other_reading(truth):
    assert not any("they fit" in warning for warning in calipers.coco(truth, [], bootstrap=0)["warnings"])


def test_ids_by_place_are_found():
    """Ids far from their places: 0, 1, 2 … stand for 70, 140, 210 …"""
    truth = {
        **TRUTH,
        "images": [{**image, "id": 70 * image["id"]} for image in TRUTH["images"]],
        "categories": [{**category, "id": 7 * category["id"]} for category in TRUTH["categories"]],
        "annotations": [
            {**row, "image_id": 70 * row["image_id"], "category_id": 7 * row["category_id"]}
            for row in TRUTH["annotations"]
        ],
    }
    found = check(gt=truth, pred=ONE_OFF)
    assert likely(found) == ["images by their place in the list, from 0, categories by their place in the list, from 0"]


@pytest.mark.parametrize("pred", [PRED, DATA / "results.json"])
def test_right_data_raise_no_alarm(pred):
    found = check(gt=DATA / "instances.json", pred=pred)
    assert found["ok"]
    assert found["comparisons"][0]["metric"] == "AP_50"
    assert found["comparisons"][0]["score"] == pytest.approx(0.7157, abs=1e-4)
    assert likely(found) == []


def test_without_scores_f1_takes_the_place_of_ap():
    bare = [{name: value for name, value in row.items() if name != "score"} for row in boxes(corners)]
    found = check(gt=TRUTH, pred=bare)
    assert found["comparisons"][0]["metric"] == "F1 at IoU 0.50"
    assert likely(found) == ["boxes as [x1, y1, x2, y2]"]


def test_a_sample_stands_for_a_large_data_set():
    images = [{"id": k, "width": 100, "height": 100} for k in range(300)]
    spots = [{"image_id": k, "category_id": 1, "bbox": [10 + k % 50, 20, 30, 40]} for k in range(300)]
    truth = {"images": images, "categories": [{"id": 1, "name": "a"}]}
    truth["annotations"] = [{**row, "id": k} for k, row in enumerate(spots)]
    pred = [{**row, "score": 1 - k / 1000, "bbox": corners(*row["bbox"])} for k, row in enumerate(spots)]
    found = check(gt=truth, pred=pred)
    assert found["comparisons"][0]["sample"] == {"what": "images", "n": 200, "of": 300}
    assert likely(found) == ["boxes as [x1, y1, x2, y2]"]


# Files


def test_ground_truth_of_the_sample_is_perfect_against_itself():
    [file] = check(DATA / "instances.json")["files"]
    assert file["itself"] == {
        "figures": {"AP": 1.0, "F1": 1.0},
        "perfect": True,
        "apart": {"no area": 0, "crowd": 10},
        "imperfect": [],
    }


def test_what_max_dets_cuts_is_not_perfect_and_said():
    """150 objects of a class on an image: even the ground truth reaches AP 0.663 only."""
    rows_of = [{"id": k, "image_id": 1, "category_id": 1, "bbox": [10 * k, 0, 8, 20]} for k in range(150)]
    truth = {"images": [{"id": 1}], "categories": [{"id": 1, "name": "a"}], "annotations": rows_of}
    itself = check(truth)["files"][0]["itself"]
    assert not itself["perfect"]
    assert round(itself["figures"]["AP"], 3) == 0.663
    assert itself["imperfect"] == [
        "AP is 0.663366",
        "50 annotations beyond the best 100 of a class on an image, which AP leaves out: see `max_dets=…`",
    ]


def test_boxes_without_area_are_left_aside():
    rows_of = [{"id": k, "image_id": 1, "category_id": 1, "bbox": [10 * k, 0, 8 * (k > 0), 20]} for k in range(3)]
    truth = {"images": [{"id": 1}], "categories": [{"id": 1, "name": "a"}], "annotations": rows_of}
    itself = check(truth)["files"][0]["itself"]
    assert itself["perfect"]
    assert itself["apart"] == {"no area": 1, "crowd": 0}


def test_every_bad_annotation_is_told():
    good = TRUTH["annotations"][0]
    bad = [{**good, "id": 9001, "bbox": [0, 0, -1, 5]}, {**good, "id": 9002, "category_id": 99}, {**good, "id": 9003}]
    bad[2].pop("image_id")
    found = check(gt={**TRUTH, "annotations": [good, *bad]})
    assert found.exit_code == 3
    refused = found["files"][0]["refused"]
    assert refused["n"] == 3
    assert [words in text for words, text in zip(("bbox", "category_id", "image_id"), refused["first"], strict=True)]


def test_unknown_ids_of_detections_are_counted_beside_the_suite_s_own_words():
    found = check(gt=TRUTH, pred=rows(lambda row: {"category_id": row["category_id"] - 1}))
    assert found.exit_code == 3
    refused = found["files"][1]["refused"]
    assert refused["n"] == 339
    assert "expected the id of a category" in refused["first"][0]
    assert "339 of 1,425 detections with an id that the ground truth does not have: 0" in refused["first"][1]


def test_results_alone_are_looked_at_too():
    pred = [
        {"image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "score": 0.5},
        {"image_id": "a.jpg", "category_id": 1, "bbox": [0, 0, 5, 5], "score": 0.5},
        {"image_id": 1, "bbox": [0, 0, 5], "score": 0.5},
        {"image_id": 1, "category_id": 1, "bbox": [0, 0, -5, 5], "score": 0.5},
        7,
    ]
    found = check(pred=pred)
    assert found.exit_code == 3
    [file] = found["files"]
    assert file["refused"]["n"] == 3
    assert file["invalid"]["reasons"] == {"bbox: not 4 numbers": 1, "bbox: negative width or height": 1}


@pytest.mark.parametrize(
    ("pred", "words"),
    [
        ([{"bbox": [0, 0, 5, 5], "score": 0.5}] * 6, "every box has the same size, 5 by 5"),
        ([{"bbox": [0, 0, 0.5, 0.7], "score": 0.5}], "are they fractions of the image?"),
        ([{"bbox": [0, 0, k, 5], "score": 0.5} for k in range(5)], "all scores are 0.5, so that AP is undefined"),
        ([{"bbox": [0, 0, k, 5]} for k in range(5)], "5 of 5 detections without a score"),
        ([{"bbox": [0, 0, k, 5], "score": k * 20} for k in range(5)], "scores from 0 to 80, not from 0 to 1"),
        ([], "no boxes at all"),
    ],
)
def test_what_looks_wrong_is_said(pred, words):
    [file] = check(pred=[{"image_id": 1, "category_id": 1, **row} for row in pred])["files"]
    assert any(words in warning for warning in file["warnings"]), file["warnings"]


def test_images_that_are_named_twice_and_fatal_faults():
    truth = {**TRUTH, "images": [{**image, "file_name": "a.jpg"} for image in TRUTH["images"]]}
    assert check(gt=truth)["files"][0]["doubled"] == {"n": 1, "first": ["a.jpg"]}
    truth = {**TRUTH, "images": [*TRUTH["images"], TRUTH["images"][0]]}
    found = check(gt=truth)
    assert "both have the id 1" in found["files"][0]["refused"]["first"][0]


def test_classes_of_one_side_are_told():
    [sides] = check(gt=TRUTH, pred=PRED)["comparisons"]
    assert sides["labels"]["shared"] == 8
    assert sides["labels"]["pred_only"] == [{"label": "message board", "n": 23, "nearest": None}]


def test_folders_of_other_formats(tmp_path):
    """YOLO labels, of the ground truth and of a detector that wrote xyxy where cxcywh belongs."""
    from struct import pack
    from zlib import crc32

    def png(width, height):
        head = b"IHDR" + pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        return b"\x89PNG\r\n\x1a\n" + pack(">I", 13) + head + pack(">I", crc32(head))

    for folder in ("gt/images", "gt/labels", "pred/labels"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "gt/classes.txt").write_text("cone\nsign\n")
    for k in range(6):
        box = [0.3 + 0.05 * k, 0.4, 0.1, 0.2 + 0.02 * k]
        x, y, w, h = box
        wrong = [x - w / 2, y - h / 2, x + w / 2, y + h / 2]
        (tmp_path / f"gt/images/{k}.png").write_bytes(png(200, 100))
        (tmp_path / f"gt/labels/{k}.txt").write_text(f"{k % 2} {' '.join(map(str, box))}\n")
        (tmp_path / f"pred/labels/{k}.txt").write_text(f"{k % 2} {' '.join(map(str, wrong))} 0.{k + 1}\n")
    found = check(gt=tmp_path / "gt", pred=tmp_path / "pred")
    assert found["ok"], found["files"]
    assert [file["kind"] for file in found["files"]] == ["folder of YOLO labels"] * 2
    assert found["files"][0]["itself"]["perfect"]
    assert found["files"][1]["counts"]["contents"] == {"detections": 6, "images": 6, "categories": 2}
    assert found["comparisons"][0]["overlap"] < 0.2
    assert likely(found) == ["lines as class x1 y1 x2 y2"]
