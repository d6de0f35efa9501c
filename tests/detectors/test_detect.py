"""From a model and a folder of images to results in COCO's form."""

import json
import os
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import calipers
from calipers.core.errors import ConfigError, InputError, OutputError
from calipers.detectors.detect import as_rows, run_detector, to_bytes
from calipers.detectors.model import BoxesFound
from calipers.detectors.options import DetectConfig, params

pytest.importorskip("onnx", reason="onnx is not installed, and the models are built with it")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed, and it runs the models")
Images = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

from . import toy  # noqa: E402  needs onnx


@pytest.fixture(autouse=True)
def _scenes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    toy.write_scenes(tmp_path)
    toy.write_model("model.onnx")


def detect(**options):
    return calipers.detect("model.onnx", "images", "gt.json", **options)


def test_results_are_in_the_order_of_the_images_and_by_score():
    rows = detect()
    assert [(row["image_id"], row["category_id"], row["score"]) for row in rows] == [
        (10, 8, 0.980392),  # 250 / 255
        (10, 3, 0.901961),  # 230 / 255
        (11, 5, 0.901961),
        (11, 3, 0.784314),  # 200 / 255
        (12, 8, 0.901961),
        (14, 5, 0.901961),
        (14, 8, 0.823529),  # 210 / 255
    ]
    assert all(list(row) == ["image_id", "category_id", "bbox", "score"] for row in rows)
    assert rows[0]["bbox"] == [400.0, 200.0, 200.0, 140.0]


def test_the_order_is_that_of_the_ground_truth_not_of_ids():
    tree = toy.ground_truth()
    tree["images"].reverse()
    rows = calipers.detect("model.onnx", "images", tree)
    assert list(dict.fromkeys(row["image_id"] for row in rows)) == [14, 12, 11, 10]


def test_the_file_holds_what_is_returned_a_detection_a_line():
    rows = detect(output="results.json")
    text = Path("results.json").read_text(encoding="utf-8")
    assert json.loads(text) == rows
    assert text.splitlines()[1] == (
        '{"image_id":10,"category_id":8,"bbox":[400.0,200.0,200.0,140.0],"score":0.980392},'
    )
    assert sorted(os.listdir()) == ["gt.json", "images", "model.onnx", "results.json"]


def test_nothing_found_is_an_empty_list():
    assert detect(conf=1.0, output="results.json") == []
    assert Path("results.json").read_text(encoding="utf-8") == "[]\n"


def test_the_same_inputs_give_the_same_bytes():
    contents = []
    for _ in range(2):
        detect(output="results.json")
        contents.append(Path("results.json").read_bytes())
    assert contents[0] == contents[1]


def test_what_was_found_can_be_measured():
    report = calipers.coco("gt.json", detect(), bootstrap=0)
    assert report["coco"]["AP_50"] == 1.0
    assert report["coco"]["AP"] > 0.99


def test_paths_may_be_path_objects(tmp_path):
    rows = calipers.detect(tmp_path / "model.onnx", tmp_path / "images", tmp_path / "gt.json", tmp_path / "out.json")
    assert len(rows) == 7
    assert (tmp_path / "out.json").exists()


def test_progress_is_in_images():
    seen = []
    run_detector(
        "model.onnx", "images", "gt.json", None, DetectConfig(), progress=lambda *amounts: seen.append(amounts)
    )
    assert seen == [(done, 5) for done in range(1, 6)]


# Boxes and classes


def found(*boxes, scores=None, classes=None):
    count = len(boxes)
    return BoxesFound(
        np.array(boxes, dtype=np.float64).reshape(-1, 4),
        np.array(scores or [0.5] * count),
        np.array(classes or [0] * count, dtype=np.int64),
    )


def test_boxes_are_clipped_to_the_image_and_rounded():
    rows, counts = as_rows(found([-5, -0.0001, 30.12345, 70]), (100, 60), [1])
    assert rows == [{"category_id": 1, "bbox": [0.0, 0.0, 30.123, 60.0], "score": 0.5}]
    assert str(rows[0]["bbox"]) == "[0.0, 0.0, 30.123, 60.0]"  # no -0.0
    assert counts == {"left_out": 0, "dropped": 0, "beyond": 0}


def test_a_rounded_box_does_not_reach_outside():
    # 10.0006 to 20.0004 is 9.9998 wide; corners are rounded first, 10.001 to 20
    rows, _ = as_rows(found([10.0006, 0, 20.0004, 20]), (20, 20), [1])
    assert rows[0]["bbox"] == [10.001, 0.0, 9.999, 20.0]


@pytest.mark.parametrize(
    "box",
    [
        [5, 5, 5, 9],
        [9, 5, 5, 9],
        [-9, 0, 0, 9],
        [100, 0, 120, 9],
        [5, 5, 5.0004, 9],
        [np.nan, 0, 9, 9],
        [0, 0, np.inf, 9],
    ],
)
def test_boxes_without_area_inside_the_image_are_dropped_and_counted(box):
    assert as_rows(found(box), (100, 60), [1]) == ([], {"left_out": 0, "dropped": 1, "beyond": 0})


def test_boxes_of_classes_without_a_category_are_left_out_and_counted():
    boxes = found([0, 0, 9, 9], [0, 0, 8, 8], [0, 0, 7, 7], scores=[0.9, 0.8, 0.7000004], classes=[1, 0, 1])
    rows, counts = as_rows(boxes, (100, 60), [None, 4])
    assert [(row["category_id"], row["score"]) for row in rows] == [(4, 0.9), (4, 0.7)]
    assert counts == {"left_out": 1, "dropped": 0, "beyond": 0}


def test_rows_are_written_one_a_line():
    assert to_bytes([]) == b"[]\n"
    assert to_bytes([{"a": 1}, {"a": 2}]) == b'[\n{"a":1},\n{"a":2}\n]\n'


# A model that was misread


def corners(*boxes):
    """A model that finds these boxes, with the score 0.9, on every image."""
    toy.write_constant_model("model.onnx", [[[*box, 0.9, 0] for box in boxes]], metadata=toy.METADATA)


GOOD, BAD = (100, 100, 200, 200), (200, 200, 100, 100)


@pytest.mark.parametrize(("good", "bad"), [(0, 1), (0, 40), (1, 20), (2, 39)])
def test_boxes_that_are_nearly_all_without_area_are_an_error(good, bad):
    corners(*[GOOD] * good, *[BAD] * bad)
    seen = f"of {5 * (good + bad):,} boxes that the model found, {5 * good} have area inside their image"
    with pytest.raises(InputError, match=rf"^model\.onnx: {seen}, expected nearly all"):
        detect(output="results.json")
    assert not {"results.json", "results.json.part"} & set(os.listdir())


@pytest.mark.parametrize(("good", "bad"), [(1, 19), (2, 38), (1, 0)])
def test_some_boxes_without_area_are_a_warning(good, bad):
    corners(*[GOOD] * good, *[BAD] * bad)
    detected = run_detector("model.onnx", "images", "gt.json", None, DetectConfig())
    assert len(detected.results) == 5 * good
    warning = f"boxes without area inside their image, dropped: {5 * bad}"
    assert detected.warnings == ([warning] if bad else [])


def test_good_boxes_of_classes_that_are_left_out_are_good():
    corners(GOOD, *[BAD] * 5)
    tree = toy.ground_truth()
    tree["categories"] = [{"id": 5, "name": "green"}]
    assert calipers.detect("model.onnx", "images", tree) == []


def test_a_misread_model_is_not_run_over_thousands_of_images(monkeypatch):
    corners(*[BAD] * 500)
    looked = watch(monkeypatch)
    with pytest.raises(InputError, match="of 1,000 boxes"):
        detect(max_det=500)
    assert len(looked) == 2


# Going on


def test_an_image_that_cannot_be_read_stops_the_run_and_the_next_one_goes_on(tmp_path, monkeypatch):
    whole = to_bytes(detect())
    path = tmp_path / "images" / "small.png"
    content = path.read_bytes()
    path.write_bytes(content[:50])
    with pytest.raises(InputError, match=r"small\.png: is not an image that can be read"):
        detect(output="results.json")
    assert len(Path("results.json.part").read_bytes().splitlines()) == 3  # two images came before
    assert not os.path.exists("results.json")
    path.write_bytes(content)
    looked = watch(monkeypatch)
    assert to_bytes(detect(output="results.json")) == whole == Path("results.json").read_bytes()
    assert looked == ["small.png", "empty.png", "square.png"]
    assert not os.path.exists("results.json.part")


def watch(monkeypatch):
    """Names of the images that are opened from now on."""
    from calipers.detectors import detect as module

    looked, open_image = [], module.open_image

    def watched(file):
        looked.append(file.name)
        return open_image(file)

    monkeypatch.setattr(module, "open_image", watched)
    return looked


def stop_after(monkeypatch, count):
    """A run that is interrupted in the middle."""
    looked = watch(monkeypatch)
    from calipers.detectors import detect as module

    watched = module.open_image

    def stopped(file):
        if len(looked) == count:
            raise KeyboardInterrupt
        return watched(file)

    monkeypatch.setattr(module, "open_image", stopped)


@pytest.mark.parametrize("count", [1, 3, 4])
def test_an_interrupted_run_gives_the_same_bytes_in_the_end(monkeypatch, count):
    whole = to_bytes(detect())
    with monkeypatch.context() as patch:
        stop_after(patch, count)
        with pytest.raises(KeyboardInterrupt):
            detect(output="results.json")
    assert detect(output="results.json")
    assert Path("results.json").read_bytes() == whole


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"conf": 0.3}, "conf"),
        ({"iou": 0.5}, "iou"),
        ({"max_det": 5}, "max_det"),
        ({"agnostic_nms": True}, "agnostic_nms"),
        ({"layout": "yolov8"}, "layout"),
        ({"imgsz": 320}, "imgsz"),
        ({"rect": True}, "rect"),
    ],
)
def test_other_options_are_not_mixed_in(monkeypatch, change, name):
    with monkeypatch.context() as patch:
        stop_after(patch, 2)
        with pytest.raises(KeyboardInterrupt):
            detect(output="results.json")
    with pytest.raises(ConfigError, match=rf"results\.json\.part: was left by a run that differs\n{name}: it had "):
        detect(output="results.json", **change)
    assert detect(output="results.json", restart=True, **change) == detect(**change)


def test_other_weights_and_other_categories_are_not_mixed_in(monkeypatch):
    stop_after(monkeypatch, 2)
    with pytest.raises(KeyboardInterrupt):
        detect(output="results.json")
    tree = toy.ground_truth()
    tree["categories"][0]["id"] = 99
    with pytest.raises(ConfigError, match="differs\ncategories: it had"):
        calipers.detect("model.onnx", "images", tree, "results.json")
    toy.write_model("model.onnx", windows=(320,))
    with pytest.raises(ConfigError, match="differs\nweights: it had"):
        detect(output="results.json")


# Outputs


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("images", "is a folder, expected a file"),
        ("gt.json", "is an input"),
        ("model.onnx", "is an input"),
    ],
)
def test_a_place_that_cannot_take_the_results_is_found_out_first(output, message):
    before = Path("gt.json").read_bytes(), Path("model.onnx").read_bytes()
    with pytest.raises(OutputError, match=message):
        detect(output=output)
    assert before == (Path("gt.json").read_bytes(), Path("model.onnx").read_bytes())


# Options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"imgsz": 31}, "imgsz: found 31, expected a whole number from 32 to 16384"),
        ({"imgsz": 640.0}, "imgsz: found 640.0"),
        ({"conf": 1.5}, "conf: found 1.5, expected a number from 0 to 1"),
        ({"conf": float("nan")}, "conf: found nan"),
        ({"iou": -0.1}, "iou: found -0.1"),
        ({"max_det": 0}, "max_det: found 0"),
        ({"device": ""}, "device: found ''"),
        ({"device": None}, "device: found None"),
        ({"agnostic_nms": 1}, "agnostic_nms: found 1, expected true or false"),
        ({"restart": "yes"}, "restart: found 'yes'"),
        ({"rect": "no"}, "rect: found 'no'"),
        ({"layout": "yolo"}, "layout: found 'yolo', expected auto or yolov8 or yolov5 or end2end or rtdetr"),
        ({"class_names": ""}, "class_names: found ''"),
        ({"confidence": 0.5}, "'confidence' is not an option, did you mean 'conf'"),
    ],
)
def test_a_wrong_option_is_an_error(options, message):
    with pytest.raises(ConfigError, match=message):
        detect(**options)


def test_the_first_gpu_may_be_called_0():
    assert DetectConfig(device=0).device == "0"


def test_options_that_change_no_detection_stay_out_of_the_comparison():
    assert params(DetectConfig(restart=True, class_names="a.txt")) == params(DetectConfig())
    assert list(params(DetectConfig())) == [
        "imgsz",
        "rect",
        "conf",
        "iou",
        "device",
        "max_det",
        "agnostic_nms",
        "layout",
    ]


def test_the_options_in_the_manual_are_those_there_are():
    page = Path(__file__).parents[2].joinpath("docs", "detect.md").read_text(encoding="utf-8")
    table = page.partition("| option | default | meaning |")[2].partition("\n\n")[0]
    documented = re.findall(r"^\| `(\w+)` \| `?(.+?)`? \| \S", table, flags=re.MULTILINE)
    defaults = [(item.name, item.default) for item in fields(DetectConfig)]
    assert documented == [(name, "none" if value is None else str(value).lower()) for name, value in defaults]
