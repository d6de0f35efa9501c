"""Inputs that ask for more work than anybody meant to give: measured in proportion to their size, or refused.

Limits are lowered here, so that a small input stands for a large one. Work is counted, never timed.
"""

import gzip
from types import SimpleNamespace

import orjson
import pytest

import calipers
from calipers.core.survey import nearest_labels
from calipers.suites.coco.annotations import shapes as coco_shapes
from calipers.suites.coco.formats import coco_json
from calipers.suites.scene.labels.canonical import Resolver
from calipers.suites.scene.labels.spelling import Spelling


def boxes_in_a_heap(count):
    return [{"label": "a", "center": [0, 0, k / 1000], "size": [1, 1, 1], "score": k / count} for k in range(count)]


def tiny_boxes(count):
    return [box | {"size": [1e-6] * 3, "center": [k / count, 0, 0]} for k, box in enumerate(boxes_in_a_heap(count))]


def refusal(call):
    with pytest.raises(calipers.InputError) as error:
        call()
    return str(error.value)


# Scenes


def test_boxes_that_all_overlap_are_refused_with_the_limit_and_its_option():
    heap = boxes_in_a_heap(60)  # 3,600 pairs, and 50 for each of 120 boxes would be 6,000
    assert calipers.scene(heap, heap, max_pairs=1)["counts"]["tp"] == 60
    message = refusal(lambda: calipers.scene(boxes_in_a_heap(120), boxes_in_a_heap(120), max_pairs=1))
    assert message == "pred: more than 12,000 pairs of boxes that overlap; `max_pairs=…` lifts this limit"
    assert calipers.scene(boxes_in_a_heap(120), boxes_in_a_heap(120), max_pairs=20_000)["counts"]["tp"] == 120


def test_boxes_near_each_other_are_refused_for_ap_by_distance():
    message = refusal(lambda: calipers.scene(tiny_boxes(120), tiny_boxes(120), max_pairs=1))
    assert "within 2 m of each other, for AP by distance; `max_pairs=…`" in message


def test_methods_are_counted_before_every_two_are_compared(tmp_path):
    seat = str(tmp_path / "seat.json")
    (tmp_path / "seat.json").write_bytes(orjson.dumps({"objects": boxes_in_a_heap(1)}))
    assert "more than 2 methods; `max_methods=…`" in refusal(
        lambda: calipers.scene(seat, dict.fromkeys("abc", seat), max_methods=2)
    )


def test_suggestions_end_after_so_many_comparisons_with_a_warning():
    truth = [{"label": f"chair{k}", "center": [3 * k, 0, 0], "size": [1, 1, 1]} for k in range(30)]
    pred = [box | {"label": box["label"] + "s"} for box in truth]
    plain = calipers.scene(truth, pred)
    assert all(each["suggestions"] for each in plain["unresolved_labels"])
    assert not plain["warnings"]
    few = calipers.scene(truth, pred, max_comparisons=200)
    assert [bool(each["suggestions"]) for each in few["unresolved_labels"]].count(True) == 3  # 60 comparisons each
    [warning] = few["warnings"]
    assert warning.startswith("unresolved_labels: 27 labels have no suggestions, as 200 comparisons were made; ")
    assert warning.endswith("`max_comparisons=…` lifts this limit")


def test_a_word_that_was_compared_is_not_compared_again():
    spelling = Spelling([f"chair {k}" for k in range(100)])
    first = spelling.work("chairs red")
    spelling.similar_names("chairs red")
    assert (first, spelling.work("chairs red")) == (100 + 2 * 101, 100)  # the names, and each word with 101 words


def test_rules_are_found_by_the_words_of_a_label_and_not_one_by_one():
    looked_up = []

    class Counting(dict):
        def get(self, key, default=None):
            looked_up.append(key)
            return super().get(key, default)

    resolver = Resolver(["a"], {"contains_rules": {f"word{k}": "a" for k in range(5000)}})
    resolver._rule_tree = Counting(resolver._rule_tree)
    assert resolver.resolve("a red word4999").how == "contains"
    assert looked_up == ["a", "red", "word4999"]


# Timelines


def video(**extras):
    states = {"inside": [[0, 99]]}
    truth = {"a.mp4": states | {name: given[0] for name, given in extras.items()}}
    return truth, {"a.mp4": {"fps": 30, "states": states} | {name: given[1] for name, given in extras.items()}}


def test_signs_of_one_moment_are_refused():
    signs = [{"frame": 3, "text": f"sign {k}"} for k in range(120)]
    truth, pred = video(ocr=(signs, signs))
    assert calipers.timeline(truth, pred)["pooled"]["ocr_exact_accuracy"] == 1
    message = refusal(lambda: calipers.timeline(truth, pred, max_pairs=1))
    assert message.startswith("a.mp4: more than 12,000 pairs of signs within the window")
    assert message.endswith("; `max_pairs=…` lifts this limit")


def test_long_texts_count_by_their_length():
    truth, pred = video(ocr=([{"frame": 3, "text": "a" * 64_000}], [{"frame": 3, "text": "b" * 64_000}]))
    assert calipers.timeline(truth, pred)["pooled"]["ocr_similarity"] == 0
    assert "pairs of signs" in refusal(lambda: calipers.timeline(truth, pred, max_pairs=1_000_000))  # 1,001 · 1,001


def test_detections_of_one_class_on_a_frame_are_refused_and_those_of_many_are_not():
    found = [{"frame": 0, "label": "cone", "box": [0, 0, 9, 9], "score": k / 120} for k in range(120)]
    truth, pred = video(detections=(found, found))
    assert "pairs of detections of one class on a frame" in refusal(lambda: calipers.timeline(truth, pred, max_pairs=1))
    apart = [each | {"label": f"class {k}"} for k, each in enumerate(found)]
    truth, pred = video(detections=(apart, apart))
    assert calipers.timeline(truth, pred, max_pairs=1)["pooled"]["map_50"] == 1


# Detections


def dataset(boxes, classes=1, **image):
    rows = [
        {"id": k + 1, "image_id": 1, "category_id": k % classes + 1, "area": 100, "iscrowd": 0} | each
        for k, each in enumerate(boxes)
    ]
    names = [{"id": k + 1, "name": f"class {k}"} for k in range(classes)]
    truth = {"images": [{"id": 1, "width": 100, "height": 100} | image], "categories": names, "annotations": rows}
    return truth, [row | {"score": 0.9 - k / 1000} for k, row in enumerate(rows)]


def test_boxes_on_one_place_are_refused_and_the_image_is_named():
    truth, pred = dataset([{"bbox": [0, 0, 10, 10 + k / 100]} for k in range(120)])
    message = refusal(lambda: calipers.coco(truth, pred, max_pairs=1))
    assert 'image "1": more than 12,000 pairs of annotations and detections; `max_pairs=…`' in message
    assert calipers.coco(truth, pred, max_pairs=20_000)["objects"]["pred"] == 120


def test_classes_beyond_the_limit_are_refused():
    truth, pred = dataset([{"bbox": [10 * k, 0, 9, 9]} for k in range(5)], classes=5)
    assert "more than 4 classes with ground truth; `max_classes=…`" in refusal(
        lambda: calipers.coco(truth, pred, max_classes=4)
    )


def test_outlines_too_long_to_draw_are_refused_before_they_are_drawn(monkeypatch):
    zigzag = [value for k in range(400) for value in (1_000_000 * (k % 2), k)]  # 400 times across the image
    truth, pred = dataset([{"segmentation": [zigzag], "bbox": [0, 0, 9, 9]}], width=1_000_000, height=1000)
    message = refusal(lambda: calipers.coco(truth, pred, iou_type="segm"))
    assert "annotations[0] (id 1)" in message
    assert "more than 4,000,000 pixels of outline" in message
    square = [0, 0, 90, 0, 90, 90, 0, 90]
    good, _ = dataset([{"segmentation": [square], "bbox": [0, 0, 90, 90]}] * 3, width=1_000_000, height=1000)
    report = calipers.coco(good, pred, iou_type="segm")
    assert report["objects"]["invalid_pred"] == 1
    monkeypatch.setattr(coco_shapes, "MAX_OUTLINES", 1000)
    monkeypatch.setattr(coco_shapes, "OUTLINE_OF_EACH", 300)
    message = refusal(lambda: calipers.coco(good, [], iou_type="segm"))
    assert "more than 1,000 pixels of outline" in message
    assert "no option lifts this limit, but masks written as RLE, which are not drawn, have none" in message


def test_a_compressed_file_that_grows_beyond_reason_is_refused(tmp_path, monkeypatch):
    truth, pred = dataset([{"bbox": [0, 0, 9, 9]}])
    path = tmp_path / "gt.json.gz"
    path.write_bytes(gzip.compress(orjson.dumps(truth) + b" " * 100_000))
    assert calipers.coco(str(path), pred)["objects"]["gt"] == 1
    monkeypatch.setattr(coco_json, "FEW_BYTES", 50_000)
    monkeypatch.setattr(coco_json, "PIECE", 1000)
    assert "decompress it to lift this limit" in refusal(lambda: calipers.coco(str(path), pred))


def test_check_of_very_many_classes_is_scored_without_ap_and_tries_no_reading_of_a_crowded_image(tmp_path, monkeypatch):
    names = [f"class {k}" for k in range(30)]
    truth = {
        "images": [{"id": 1, "width": 100, "height": 100}],
        "categories": [{"id": k, "name": name} for k, name in enumerate(names)],
        "annotations": [
            {"id": k + 1, "image_id": 1, "category_id": k, "bbox": [k, k, 5, 6], "area": 30, "iscrowd": 0}
            for k in range(30)
        ],
    }
    found = [{"image_id": 1, "category_id": k, "bbox": [k, k, 6, 5], "score": k / 50} for k in range(30)]
    for name, content in (("gt.json", truth), ("pred.json", found)):
        (tmp_path / name).write_bytes(orjson.dumps(content))
    paths = [str(tmp_path / name) for name in ("gt.json", "pred.json")]
    (sides,) = calipers.check(*paths).tree["comparisons"]
    assert (sides["metric"], sides["warnings"]) == ("AP_50", [])
    monkeypatch.setattr("calipers.suites.coco.interpretations.MAX_CLASSES", 29)
    monkeypatch.setattr("calipers.suites.coco.check.MAX_PAIRS", 899)
    (sides,) = calipers.check(*paths).tree["comparisons"]
    assert (sides["metric"], sides["readings"]) == ("F1 at IoU 0.50", [])
    assert (sides["score"], sides["overlap"]) == (None, None)
    said = "images too crowded to compare: more than 899 pairs of annotations and detections on them"
    assert sides["warnings"] == [f"{said}; calipers coco `max_pairs=N` compares them"]


def crowd(folder, count, image_id=1):
    """Paths of ground truth on image 1, and of as many detections that say they are on another."""
    truth, pred = dataset([{"bbox": [k % 90, k % 80, 5, 6]} for k in range(count)])
    for name, content in (("gt.json", truth), ("pred.json", [row | {"image_id": image_id} for row in pred])):
        (folder / name).write_bytes(orjson.dumps(content))
    return [str(folder / name) for name in ("gt.json", "pred.json")]


@pytest.mark.parametrize("image_id", [1, 0])
def test_check_looks_how_crowded_images_are_before_it_compares_anything(tmp_path, monkeypatch, image_id):
    paths, compared = crowd(tmp_path, 40, image_id), []  # read as an index, 0 is the first image: 1,600 pairs as well
    monkeypatch.setattr("calipers.suites.coco.check.MAX_PAIRS", 1599)
    monkeypatch.setattr("calipers.suites.coco.check.coco_trial", lambda *given: compared.append(given))
    (sides,) = calipers.check(*paths).tree["comparisons"]
    assert "images too crowded to compare: more than 1,599 pairs" in sides["warnings"][-1]
    assert (compared, sides["readings"]) == ([], [])


def test_check_does_not_read_a_heap_otherwise(tmp_path, monkeypatch):
    paths = crowd(tmp_path, 40)  # boxes of 5 by 6 that begin one further down and to the right: each meets 9 others
    assert "images too crowded" not in str(calipers.check(*paths).tree["comparisons"][0]["warnings"])
    monkeypatch.setattr("calipers.suites.coco.interpretations.MAX_OVERLAPS", 300)
    (sides,) = calipers.check(*paths).tree["comparisons"]
    assert (
        "too crowded to compare: more than 300 pairs of annotations and detections that overlap"
        in sides["warnings"][-1]
    )
    assert (sides["score"], sides["readings"]) == (None, [])


# Labels


def counting(monkeypatch, module):
    """Pairs of texts that a module compares, as lengths."""
    seen = []

    class Process:
        @staticmethod
        def extract(text, names, **options):
            seen.extend((len(text), len(name)) for name in names)
            return []

        @staticmethod
        def extractOne(text, names, **options):  # noqa: N802  as rapidfuzz has it
            seen.extend((len(text), len(name)) for name in names.values())

    fake = SimpleNamespace(process=Process, fuzz=SimpleNamespace(ratio=None))
    monkeypatch.setattr(f"{module}.rapidfuzz", lambda: fake)
    return seen


def test_labels_longer_than_any_label_are_compared_with_nothing_and_told(monkeypatch):
    seen = counting(monkeypatch, "calipers.suites.scene.labels.spelling")
    truth = [
        {"label": label, "center": [3 * k, 0, 0], "size": [1, 1, 1]} for k, label in enumerate(["chair", "x" * 201])
    ]
    pred = [box | {"label": label} for box, label in zip(truth, ["chairs", "y" * 201], strict=True)]
    report = calipers.scene(truth, pred)
    assert {each["label"] for each in report["unresolved_labels"]} == {"chairs", "y" * 201}
    assert seen == [(6, 5), (6, 5)]  # the name, and its word
    assert report["warnings"] == [
        "unresolved_labels: 1 labels of more than 200 characters have no suggestions; `aliases=…` can name them"
    ]


def test_check_names_no_nearest_label_of_very_long_ones(monkeypatch):
    seen = counting(monkeypatch, "calipers.core.survey")
    nearest_labels(["Chairs", "x" * 201], ["chair", "y" * 201])
    assert seen == [(6, 5)]


def test_check_renames_no_state_that_is_very_long(monkeypatch):
    asked = []
    monkeypatch.setattr(
        "calipers.suites.timeline.interpretations._meant", lambda state, known: asked.append((state, known))
    )
    truth = {"a.mp4": {"inside": [[0, 9]], "x" * 201: [[20, 29]]}}
    pred = {"a.mp4": {"fps": 30, "states": {"indoors": [[0, 9]], "y" * 201: [[20, 29]]}}}
    calipers.check(truth, pred)
    assert {(state, *known) for state, known in asked} <= {("indoors", "inside")}
