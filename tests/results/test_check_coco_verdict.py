"""Detections: how many entries a check refuses, whether it agrees with the run, and classes of YOLO one off."""

import pytest

import calipers
from calipers.results.check import check


def likely(found):
    [sides] = found["comparisons"]
    return [reading["name"] for reading in sides["readings"] if reading["likely"]]


# Counts where several problems meet

SMALL = {
    "images": [{"id": 1, "file_name": "a.jpg"}, {"id": 2, "file_name": "b.jpg"}, {"id": 3, "file_name": "c.jpg"}],
    "categories": [{"id": 1, "name": "cone"}],
    "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 10, 20, 20]}],
}
HIT = {"image_id": 1, "category_id": 1, "bbox": [10, 10, 20, 20], "score": 0.5}


def test_every_detection_that_belongs_nowhere_is_counted_once():
    pred = [
        HIT,
        {**HIT, "image_id": 99},
        {**HIT, "category_id": 99},
        {**HIT, "image_id": 99, "category_id": 99},
        {**HIT, "image_id": "a.jpg", "category_id": 99},
        {"image_id": 99, "bbox": [1, 2, 3, 4], "score": 0.5},
    ]
    found = check(gt=SMALL, pred=pred)
    refused = found["files"][1]["refused"]
    assert refused["n"] == 5
    assert refused["first"] == [
        '<pred>: [4]: image_id: found "a.jpg", expected a whole number, the id of the ground truth',
        "<pred>: [5]: image_id or category_id missing, expected both",
        "image_id: 3 of 6 detections with an id that the ground truth does not have: 99",
        "category_id: 3 of 6 detections with an id that the ground truth does not have: 99",
    ]


def test_detections_on_an_image_with_a_bad_annotation_have_a_known_image():
    """The image is left out of a run, but detections on it are not refused."""
    bad = {"id": 2, "image_id": 2, "category_id": 1, "bbox": [0, 0, -1, 5]}
    truth = {**SMALL, "annotations": [*SMALL["annotations"], bad]}
    found = check(gt=truth, pred=[HIT, {**HIT, "image_id": 2}, {**HIT, "image_id": 99}])
    assert [file["refused"]["n"] for file in found["files"]] == [1, 1]


def test_a_detection_with_two_problems_is_one_invalid_detection():
    pred = [HIT, {**HIT, "bbox": [0, 0, 5], "score": "high"}, {**HIT, "bbox": [0, 0, -5, 5], "score": None}]
    [file] = check(pred=pred)["files"]
    assert file["invalid"] == {"n": 2, "reasons": {"bbox: not 4 numbers": 1, "bbox: negative width or height": 1}}


def test_annotations_are_counted_also_where_ids_are_repeated():
    good = SMALL["annotations"][0]
    truth = {
        **SMALL,
        "annotations": [good, good, {**good, "id": 2, "bbox": [0, 0, -1, 5]}, {**good, "category_id": 99}],
    }
    refused = check(gt=truth)["files"][0]["refused"]
    assert refused["n"] == 3
    assert refused["first"][0] == "<gt>: annotations[0] and annotations[1]: both have the id 1, expected each id once"
    assert refused["first"][1].startswith("<gt>: annotations[0] and annotations[3]: both have the id 1")
    assert "annotations[2] (id 2): bbox: found [0, 0, -1, 5]" in refused["first"][2]


def test_images_and_categories_are_counted_with_annotations():
    truth = {
        "images": [{"id": 1}, {"id": 1}, {}, {"id": 2}],
        "categories": [{"id": 1, "name": "cone"}, {"id": 2}],
        "annotations": [{"id": 1, "image_id": 7, "category_id": 1, "bbox": [0, 0, 5, 5]}],
    }
    refused = check(gt=truth)["files"][0]["refused"]
    assert refused["n"] == 4  # image 1 once more, an image and a category without id and name, an annotation
    assert refused["first"][0] == "<gt>: images[2]: id: missing, expected a whole number"


# The verdict of the run


def test_nothing_to_evaluate_is_refused():
    found = check(gt={**SMALL, "annotations": []}, pred=[])
    assert found.exit_code == 3
    told = "nothing was evaluated: 0 of 3 images: there is nothing to compare in them"
    assert found["files"][1]["refused"] == {"n": 1, "first": [told]}
    assert check(gt=SMALL, pred=[]).exit_code == 0
    assert check(gt={**SMALL, "annotations": []}, pred=[HIT]).exit_code == 0


def test_more_work_than_a_run_may_do_is_refused_as_the_run_does(monkeypatch):
    monkeypatch.setattr("calipers.suites.coco.measure.pairs_allowed", lambda *_: 1)
    truth = {**SMALL, "annotations": [{**SMALL["annotations"][0], "id": k} for k in (1, 2)]}
    found = check(gt=SMALL, pred=[HIT, {**HIT, "score": 0.4}])
    assert found.exit_code == 3
    assert "`max_pairs=…` lifts this limit" in found["files"][1]["refused"]["first"][0]
    assert check(gt=truth).exit_code == 3


def test_images_without_objects_need_no_detections():
    [sides] = check(gt=SMALL, pred=[HIT])["comparisons"]
    assert sides["warnings"] == []
    there = {**SMALL["annotations"][0], "id": 2, "image_id": 2}
    [sides] = check(gt={**SMALL, "annotations": [*SMALL["annotations"], there]}, pred=[HIT])["comparisons"]
    assert sides["warnings"] == ["images with objects: 1 of 2 without a detection"]


@pytest.mark.parametrize("beside", [None, {"iscrowd": 1}, {"bbox": [10, 10, 0, 20]}])
def test_nothing_that_could_match_itself_is_not_called_perfect(beside):
    rows_of = [] if beside is None else [SMALL["annotations"][0] | beside]
    found = check(gt={**SMALL, "annotations": rows_of})
    assert found["files"][0]["itself"] is None
    assert "against itself" not in str(found)


def test_predictions_as_a_data_set_are_joined_by_names_as_in_a_run():
    pred = {
        "images": [{"id": 70, "file_name": "a.jpg"}],
        "categories": [{"id": 30, "name": "cone"}],
        "annotations": [{**HIT, "image_id": 70, "category_id": 30}],
    }
    found = check(gt=SMALL, pred=pred)
    assert found["ok"]
    assert found["comparisons"][0]["score"] == 1.0
    assert likely(found) == []


def test_detections_that_are_masks_have_the_boxes_of_these():
    truth = {**SMALL, "images": [{"id": 1, "width": 100, "height": 100}]}
    mask = {"image_id": 1, "category_id": 1, "segmentation": [[10, 10, 30, 10, 30, 30, 10, 30]], "score": 0.5}
    found = check(gt=truth, pred=[mask])
    assert (found["comparisons"][0]["score"], found["comparisons"][0]["overlap"]) == (1.0, 1.0)
    assert "no boxes at all" not in found["files"][1]["warnings"]


def test_detections_that_are_keypoints_have_no_boxes_as_in_a_run():
    found = check(gt=SMALL, pred=[{"image_id": 1, "category_id": 1, "keypoints": [1, 1, 2], "score": 0.5}])
    assert found["ok"]
    assert found["files"][1]["invalid"]["reasons"] == {"bbox: missing": 1}
    assert "no boxes at all" in found["files"][1]["warnings"]


def test_errors_name_keywords():
    with pytest.raises(calipers.ConfigError) as nothing:
        check()
    with pytest.raises(calipers.ConfigError) as wrong:
        check(SMALL, suite="boxes")
    assert not any("--" in str(error.value) for error in (nothing, wrong))


# Folders


def png(width, height):
    from struct import pack
    from zlib import crc32

    head = b"IHDR" + pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + pack(">I", 13) + head + pack(">I", crc32(head))


def yolo_folders(folder, classes, names="cone\nsign\n"):
    """Six images with one object each, of the first and the second class in turn; `classes` are those predicted."""
    for part in ("gt/images", "gt/labels", "pred/labels"):
        (folder / part).mkdir(parents=True)
    (folder / "gt/classes.txt").write_text("cone\nsign\n")
    if names:
        (folder / "pred/classes.txt").write_text(names)
    for k, number in enumerate(classes):
        box = f"{0.3 + 0.05 * k} 0.4 0.1 {0.2 + 0.02 * k}"
        (folder / f"gt/images/{k}.png").write_bytes(png(200, 100))
        (folder / f"gt/labels/{k}.txt").write_text(f"{k % 2} {box}\n")
        (folder / f"pred/labels/{k}.txt").write_text(f"{number} {box} 0.{k + 1}\n")
    return folder / "gt", folder / "pred"


@pytest.mark.parametrize("names", ["", "cone\nsign\n", "sign\ncone\n"])
def test_yolo_classes_one_off_are_named_also_beyond_the_names(tmp_path, names):
    right = [1, 0] * 3 if names.startswith("sign") else [0, 1] * 3
    gt, pred = yolo_folders(tmp_path, [number + 1 for number in right], names)
    found = check(gt=gt, pred=pred)
    assert found.exit_code == 3
    refused = found["files"][1]["refused"]
    assert refused["n"] == 3  # of class 2
    assert 'class: found "2", expected a whole number below 2' in refused["first"][0]
    assert refused["first"][1] == "class: 3 of 6 detections with a number that the ground truth does not have: 2"
    [sides] = found["comparisons"]
    reading = sides["readings"][0]
    assert (reading["name"], reading["score"]) == ("classes one too large", 1.0)
    assert reading["advice"] == "subtract 1 from the class of every line"


def test_yolo_classes_one_too_small_are_named(tmp_path):
    gt, pred = yolo_folders(tmp_path, [-1, 0] * 3)
    assert likely(check(gt=gt, pred=pred)) == ["classes one too small"]


def test_every_bad_label_of_a_data_set_is_counted(tmp_path):
    gt, _ = yolo_folders(tmp_path, [0, 1] * 3)
    (gt / "labels/0.txt").write_text("0 2 3 0.1 0.1\n5 0.5 0.5 0.1 0.1\n0 x 0.2 0.1 0.1\n0 0.5 0.5 0.1 0.1\n")
    (gt / "labels/4.txt").write_text("0 0.5 0.5 0.1\n7 2 2 2 2\n")
    refused = check(gt=gt)["files"][0]["refused"]
    assert refused["n"] == 5  # lines 1 to 3 of the first, both of the second, of which the last has two faults
    assert [text.partition("labels/")[2].partition(" ")[0] for text in refused["first"]] == [
        "0.txt:1:",
        "0.txt:3:",
        "4.txt:1:",
        "4.txt:2:",
        "0.txt:2:",
    ]


def test_every_bad_object_and_file_of_other_formats_is_counted(tmp_path):
    size = "<size><width>90</width><height>90</height></size>"
    box = "<bndbox><xmin>{}</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox>"
    objects = "".join(f"<object><name>cone</name>{box.format(x)}</object>" for x in ("1", "a", "b"))
    (tmp_path / "a.xml").write_text(f"<annotation><filename>a.jpg</filename>{size}{objects}</annotation>")
    (tmp_path / "b.xml").write_text("<annotation>")
    found = check(gt=tmp_path)
    assert found["files"][0]["kind"] == "folder of Pascal VOC"
    assert found["files"][0]["refused"]["n"] == 3  # two boxes, and a file that is no XML


def test_right_yolo_classes_raise_no_alarm(tmp_path):
    gt, pred = yolo_folders(tmp_path, [0, 1] * 3)
    found = check(gt=gt, pred=pred)
    assert found["ok"]
    assert found["comparisons"][0]["score"] == 1.0
    assert likely(found) == []
