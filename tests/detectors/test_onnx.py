"""ONNX models: what they say of themselves, what they take, and what is refused."""

import sys

import numpy as np
import pytest

import calipers
from calipers.core.errors import ConfigError, InputError
from calipers.detectors.detect import run_detector
from calipers.detectors.devices import providers
from calipers.detectors.options import DetectConfig

pytest.importorskip("onnx", reason="onnx is not installed, and the models are built with it")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed, and it runs the models")
Images = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

from ..profiles import share  # noqa: E402
from . import toy  # noqa: E402  needs onnx

METADATA = toy.METADATA


@pytest.fixture(autouse=True)
def _scenes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    toy.write_scenes(tmp_path)


def run(weights="model.onnx", **options):
    return run_detector(weights, "images", "gt.json", None, DetectConfig(**options))


def hits(results):
    """How many rectangles were found where they were drawn, and how many detections are none."""
    truth = toy.ground_truth()["annotations"]
    same = [
        (row, each)
        for row in results
        for each in truth
        if (row["image_id"], row["category_id"]) == (each["image_id"], each["category_id"])
        and toy.iou(row["bbox"], each["bbox"]) > 0.9
    ]
    return len(same), len(results) - len(same)


# What they find


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("layout", toy.LAYOUTS)
def test_every_layout_finds_what_was_drawn(layout, half):
    windows = (160,) if layout in toy.SUPPRESSED else (160, 320)
    toy.write_model("model.onnx", layout, windows=windows, half=half)
    results = run().results
    assert hits(results) == (7, 0)
    brightness = [rectangle.brightness for _, drawn in toy.SCENES.values() for rectangle in drawn]
    assert sorted(row["score"] for row in results) == pytest.approx(
        sorted(value / 255 for value in brightness), abs=1e-3 if half else 1e-6
    )


def test_layouts_of_one_model_agree_to_the_last_digit():
    found = []
    for layout in ("yolov8", "yolov8 rows", "yolov5"):
        toy.write_model("model.onnx", layout)
        found.append(run().results)
    assert found[0] == found[1] == found[2] != []


def test_the_same_thing_seen_twice_is_found_once():
    """Each rectangle is seen through a small window and through the large one; 1 keeps both."""
    toy.write_model("model.onnx")
    assert (len(run().results), len(run(iou=1.0).results)) == (7, 14)


def test_a_model_with_suppression_inside_is_left_alone():
    toy.write_model("model.onnx", "end2end", windows=(160, 320))
    assert len(run(iou=0.1).results) == 14


@pytest.mark.parametrize("layout", ["yolov8", "end2end", "rtdetr"])
def test_the_best_of_an_image_are_kept(layout):
    toy.write_model("model.onnx", layout, windows=(160,))
    rows = run(max_det=1).results
    assert [(row["image_id"], row["score"]) for row in rows] == [
        (10, 0.980392),
        (11, 0.901961),
        (12, 0.901961),
        (14, 0.901961),
    ]


@pytest.mark.parametrize("layout", ["yolov8", "end2end", "rtdetr"])
def test_classes_without_a_category_take_nobodys_place(layout):
    """Green and blue are better than red on each image; of those two there is no category."""
    toy.write_model("model.onnx", layout, windows=(160,))
    tree = toy.ground_truth()
    tree["categories"] = [category for category in tree["categories"] if category["name"] == "red"]
    detected = run_detector("model.onnx", "images", tree, None, DetectConfig(max_det=1))
    assert [(row["image_id"], row["score"]) for row in detected.results] == [(10, 0.901961), (11, 0.784314)]
    assert detected.counts["left_out"] == 4  # the best of each image but the empty one


def test_a_higher_threshold_keeps_fewer():
    toy.write_model("model.onnx")
    assert [row["score"] for row in run(conf=0.9).results] == [0.980392, 0.901961, 0.901961, 0.901961, 0.901961]


def test_boxes_of_other_classes_count_where_it_is_asked_for():
    toy.write_constant_model("model.onnx", one_box_twice())
    for agnostic, count in ((False, 2), (True, 1)):
        assert len(run(agnostic_nms=agnostic).results) == count * len(toy.SCENES)


def one_box_twice():
    output = np.zeros((1, 7, 9), np.float32)
    output[0, :4, :2] = [[160], [160], [40], [40]]
    output[0, 4, 0], output[0, 6, 1] = 0.9, 0.8
    return output


def test_inner_grids_beside_the_answer_do_not_matter():
    toy.write_model("model.onnx", extra=True)
    assert hits(run().results) == (7, 0)


# Sizes


def test_a_size_fixed_in_the_model_wins_and_that_is_said():
    toy.write_model("model.onnx")
    assert run(imgsz=320).warnings == run().warnings == []
    other = run(imgsz=640)
    assert other.warnings == ["imgsz 640 is not used: the model's input is fixed to 320 x 320"]
    assert other.results == run().results


def test_an_input_need_not_be_square():
    scene = {
        "wide.png": ((1280, 640), [toy.Drawn("red", (30, 30, 300, 300)), toy.Drawn("blue", (1000, 400, 1200, 600))])
    }
    toy.write_scenes(".", scene)
    toy.write_model("model.onnx", side=(320, 640))
    rows = run().results
    assert sorted(row["bbox"] for row in rows) == [[30.0, 30.0, 270.0, 270.0], [1000.0, 400.0, 200.0, 200.0]]


def test_a_model_of_any_size_takes_the_one_asked_for():
    toy.write_model("model.onnx", side=None, metadata=METADATA | {"imgsz": "[640, 640]"})
    assert hits(run(imgsz=320).results) == (7, 0)


@pytest.mark.parametrize(
    ("metadata", "window"),
    [({"imgsz": "[640, 640]"}, 640), ({"imgsz": "320"}, 320), ({}, 1280), ({"imgsz": "big"}, 1280)],
)
def test_else_the_size_it_was_exported_for_else_1280(metadata, window):
    scenes = toy.SCENES if share() == 1 else {"wide.png": toy.SCENES["wide.png"]}  # an image is as large as its window
    toy.write_scenes(".", scenes)
    toy.write_model("model.onnx", side=None, windows=(window,), metadata=METADATA | metadata)
    drawn = sum(len(rectangles) for _, rectangles in scenes.values())
    assert hits(run().results) == (drawn, 0)  # the only window covers the whole input


@pytest.mark.parametrize(("stride", "nearest"), [("32", 352), ("64", 384), ("odd", 352)])
def test_a_size_has_to_be_a_multiple_of_the_stride(stride, nearest):
    toy.write_model("model.onnx", side=None, metadata=METADATA | {"stride": stride})
    with pytest.raises(
        ConfigError, match=rf"imgsz: found 330, expected a multiple of .* stride \d+, such as {nearest}$"
    ):
        run(imgsz=330)


def test_one_side_that_is_fixed_and_one_that_is_not_is_an_error():
    toy.write_model("model.onnx", side=("height", 320))
    with pytest.raises(ConfigError, match="one side of its input is fixed"):
        run()


# Squares and rectangles


def sides_seen(**options):
    """Width and height of what the model was shown, of each image."""
    toy.write_size_model("model.onnx", METADATA | {"imgsz": "[320, 320]", "end2end": "True"})
    detected = run(**options)
    scores = {(row["image_id"], row["category_id"]): row["score"] for row in detected.results}
    return [(round(1000 * scores[number, 3]), round(1000 * scores[number, 5])) for number in range(10, 15)], detected


def test_a_model_of_any_size_is_shown_squares():
    sides, detected = sides_seen(conf=0.1)
    assert sides == [(320, 320)] * 5
    [note] = detected.notes
    assert note.startswith(
        "the model takes any size, images were fitted into 320 x 320; `rect=True` leaves out the grey"
    )


def test_or_rectangles_of_whole_strides_where_it_is_asked_for():
    sides, detected = sides_seen(conf=0.1, rect=True)
    # 640 x 360 is 320 x 180 there, 300 x 500 is 192 x 320, 97 x 101 is 307 x 320
    assert sides == [(320, 192), (192, 320), (320, 320), (320, 320), (320, 320)]
    assert (detected.notes, detected.warnings) == ([], [])
    wide = detected.results[0]
    assert wide["bbox"] == [310.0, 170.0, 20.0, 20.0]  # 10 x 10 around the middle, by 2


def test_rectangles_find_what_was_drawn():
    scene = {
        "wide.png": ((1280, 640), [toy.Drawn("red", (40, 40, 300, 300)), toy.Drawn("blue", (1000, 400, 1200, 600))])
    }
    toy.write_scenes(".", scene)
    toy.write_model("model.onnx", side=None, windows=(160,))
    rows = run(imgsz=320, rect=True, layout="yolov8").results
    assert sorted(row["bbox"] for row in rows) == [[40.0, 40.0, 260.0, 260.0], [1000.0, 400.0, 200.0, 200.0]]


def test_images_that_fill_the_square_need_no_note():
    toy.write_scenes(".", {"square.png": toy.SCENES["square.png"]})
    toy.write_model("model.onnx", side=None)
    assert run(imgsz=320).notes == []


def test_a_model_of_one_size_has_no_rectangles_and_that_is_said():
    toy.write_model("model.onnx")
    assert run(rect=True).warnings == ["rect is not used: the model's input is fixed to 320 x 320"]
    assert run().notes == []


@pytest.mark.parametrize("says", [{}, {"head": "RTDETRDecoder"}])
def test_images_for_rtdetr_are_stretched_also_if_rectangles_are_asked_for(says):
    toy.write_model("model.onnx", "rtdetr", side=None, windows=(160,), metadata=METADATA | says)
    detected = run(imgsz=320, rect=True)
    assert hits(detected.results) == (7, 0)
    assert detected.warnings == [
        "rect is not used: images are stretched to the input of a model with the layout rtdetr"
    ]


# Names


def test_names_come_from_a_file_where_the_model_has_none(tmp_path):
    toy.write_model("model.onnx", metadata={})
    with pytest.raises(
        ConfigError, match=r"model\.onnx: has no names of classes in its metadata: .* `class_names=FILE`"
    ):
        run()
    (tmp_path / "names.txt").write_text("RED\ngreen\nblue\n")
    assert hits(run(class_names="names.txt").results) == (7, 0)


def test_a_file_of_names_wins_over_those_of_the_model(tmp_path):
    toy.write_model("model.onnx", metadata={"names": "['c0', 'c1', 'c2']"})
    (tmp_path / "names.txt").write_text("red\ngreen\nblue\n")
    assert hits(run(class_names="names.txt").results) == (7, 0)
    (tmp_path / "names.txt").write_text("red\ngreen\n")
    with pytest.raises(ConfigError, match=r"names\.txt: has 2 names, expected 3 as the model has"):
        run(class_names="names.txt")


def test_names_that_cannot_be_read_are_an_error():
    toy.write_model("model.onnx", metadata={"names": "red, green, blue"})
    with pytest.raises(InputError, match=r"model\.onnx: names in the metadata are 'red, green, blue', expected"):
        run()


# Layouts that have the same shape


TWO = {"names": "{0: 'red', 1: 'green'}"}


def ambiguous(layout):
    """A red box from (100, 100) to (200, 200), of a model of two classes, in six numbers."""
    row = [150, 150, 100, 100, 0.9, 0] if layout == "yolov8" else [100, 100, 200, 200, 0.9, 0]
    return np.array([[row, *[[0] * 6] * 9]], np.float32)


def test_what_may_be_two_layouts_is_refused_until_one_is_named():
    toy.write_constant_model("model.onnx", ambiguous("yolov8"), metadata=TWO)
    with pytest.raises(
        ConfigError, match=r"model\.onnx: .* \[1, 10, 6\], which with 2 class names may be yolov8 or end2end"
    ):
        run()
    [first, *_] = run(layout="yolov8").results
    assert (first["bbox"], first["score"]) == ([200.0, 60.0, 200.0, 200.0], 0.9)  # 640 x 360, by 2, 70 rows of grey


@pytest.mark.parametrize("says", [{"end2end": "True"}, {"args": "{'batch': 1, 'nms': True}"}])
def test_a_model_that_says_that_it_suppresses_boxes_is_believed(says):
    toy.write_constant_model("model.onnx", ambiguous("end2end"), metadata=TWO | says)
    assert run().results[0]["bbox"] == [200.0, 60.0, 200.0, 200.0]


@pytest.mark.parametrize("says", [{"end2end": "False"}, {"args": "{'batch': 1, 'nms': False}"}, {"args": "broken"}])
def test_a_model_that_says_otherwise_is_still_ambiguous(says):
    toy.write_constant_model("model.onnx", ambiguous("end2end"), metadata=TWO | says)
    with pytest.raises(ConfigError, match="may be yolov8 or end2end"):
        run()


# Layouts that only the numbers tell apart


def test_boxes_from_0_to_1_are_told_by_their_numbers_and_that_is_said():
    toy.write_model("model.onnx", "rtdetr", windows=(160,))
    assert run().notes == ["boxes of the model are from 0 to 1: taken as shares of its input, in the layout rtdetr"]
    assert run(layout="rtdetr").notes == []
    assert run(layout="rtdetr").results == run().results


def test_an_image_without_boxes_does_not_decide():
    """A black image first, of which all numbers are 0, then a white one."""
    for name, value in (("black.png", 0), ("white.png", 255)):
        Images.new("RGB", (320, 320), (value,) * 3).save(f"images/{name}")
    tree = toy.ground_truth({name: ((320, 320), []) for name in ("black.png", "white.png")})
    toy.write_constant_model("model.onnx", [[[0.5, 0.5, 0.25, 0.5, 0.9, 0]]], dims=True)
    [row] = calipers.detect("model.onnx", "images", tree)
    assert (row["image_id"], row["bbox"]) == (11, [120.0, 80.0, 80.0, 160.0])


def test_a_model_that_says_it_is_rtdetr_is_believed():
    """Numbers alone could be corners as well: its one box is as wide as its centre is far."""
    toy.write_constant_model("model.onnx", [[[0.5, 0.5, 0.5, 0.5, 0.9, 0]]])
    with pytest.raises(ConfigError, match=r"coordinates from 0 to 1, .* may be end2end or rtdetr"):
        run()
    toy.write_constant_model(
        "model.onnx", [[[0.5, 0.5, 0.5, 0.5, 0.9, 0]]], metadata=METADATA | {"head": "RTDETRDecoder"}
    )
    detected = run()
    assert detected.results[0]["bbox"] == [160.0, 90.0, 320.0, 180.0]  # the middle half of 640 x 360
    assert detected.notes == []


def test_grids_from_0_to_1_are_suppressed_as_those_in_pixels_are():
    """84 cells of 8 pixels and more in 64 x 64: the first two are the same box."""
    output = np.zeros((1, 7, 84), np.float32)
    output[0, :4] = [[0.5], [0.5], [0.25], [0.25]]
    output[0, 4, :2] = 0.9, 0.8
    toy.write_constant_model("model.onnx", output, side=64)
    first, *rest = run().results
    assert (first["bbox"], len(rest)) == ([240.0, 100.0, 160.0, 160.0], 4)  # 16 of 64 pixels, by 10


# Thresholds inside

OWN = (
    "the conf, iou and max_det of its export hold (0.25, 0.7 and 300 unless others were given there), "
    "so conf 0.001 can only remove more, and iou 0.45 is not used; for AP export it without nms"
)


def test_a_model_with_thresholds_of_its_own_is_told_by_what_it_says():
    toy.write_model("model.onnx", "end2end", windows=(160,), metadata=METADATA | {"args": "{'nms': True}"})
    assert run(conf=0.001).warnings == [f"the model was exported with nms=True: {OWN}"]


def test_or_by_boxes_that_it_fills_up():
    output = ambiguous("end2end")
    toy.write_constant_model("model.onnx", output)
    assert run(conf=0.001).warnings == [f"the model fills up its boxes with zeros, so it removes some itself: {OWN}"]
    toy.write_constant_model("model.onnx", output[:, :1])
    assert run(conf=0.001).warnings == []


# What is refused


def test_an_output_of_another_shape_is_an_error_that_says_what_was_seen():
    toy.write_constant_model("model.onnx", np.zeros((1, 39, 40)))
    with pytest.raises(
        ConfigError, match=r"model\.onnx: the model's output has the shape \[1, 39, 40\]; with 3 class names"
    ):
        run()


def test_an_output_without_three_axes_is_an_error():
    toy.write_constant_model("model.onnx", np.zeros((40, 7)))
    with pytest.raises(ConfigError, match=r"model\.onnx: puts out \[40, 7\], expected one output of three axes"):
        run()


@pytest.mark.parametrize("shape", [[1, 320, 320, 3], [4, 3, 320, 320], [1, 1, 320, 320], [3, 320, 320]])
def test_an_input_of_another_shape_is_an_error(shape):
    toy.write_constant_model("model.onnx", np.zeros((1, 7, 5)), layout_input=shape)
    with pytest.raises(ConfigError, match=r"takes the input images tensor\(float\) \[.*\], expected one of float"):
        run()


@pytest.mark.parametrize(("batch", "is_said"), [(4, True), (1, False)])
def test_an_export_for_batches_is_an_error_that_says_how_to_export(batch, is_said):
    channels = 3 if is_said else 1
    toy.write_constant_model("model.onnx", np.zeros((batch, 7, 5)), layout_input=[batch, channels, 320, 320])
    with pytest.raises(ConfigError) as caught:
        run()
    assert str(caught.value).endswith("[1, 3, height, width]: export it with batch=1") == is_said


def test_a_batch_of_any_size_is_a_batch_of_one():
    toy.write_model("model.onnx", batch="batch")
    assert hits(run().results) == (7, 0)


@pytest.mark.parametrize("task", ["segment", "obb", "pose"])
def test_a_model_for_another_task_is_an_error(task):
    toy.write_model("model.onnx", metadata=METADATA | {"task": task})
    with pytest.raises(ConfigError, match=f"is a model for the task '{task}', expected 'detect'"):
        run()


@pytest.mark.parametrize("content", [b"", b"not a model", b"\x08" * 200])
def test_a_file_that_is_no_model_is_an_error(tmp_path, content):
    (tmp_path / "model.onnx").write_bytes(content)
    with pytest.raises(InputError, match=r"model\.onnx: onnxruntime .* cannot load it: "):
        run()


def test_a_model_that_fails_while_it_runs_is_an_error():
    toy.write_constant_model("model.onnx", np.zeros((1, 7, 5)), layout_input=[1, 3, "h", "w"], only=64)
    with pytest.raises(InputError, match=r"model\.onnx: onnxruntime .* cannot run it: "):
        run(imgsz=320)


def test_numbers_that_are_none_are_no_boxes():
    output = np.zeros((1, 7, 5), np.float32)
    output[0, 4] = 0.9
    output[0, :4] = [[np.nan, np.inf, 160, 160, 160], [160] * 5, [20, 20, 0, 40, 40], [20, 20, 40, -40, 40]]
    toy.write_constant_model("model.onnx", output)
    detected = run()
    assert (len(detected.results), detected.counts["dropped"]) == (len(toy.SCENES), 4 * len(toy.SCENES))
    assert "boxes without area inside their image, dropped: 20" in detected.warnings


def test_without_onnxruntime_it_is_an_error_that_names_the_extra(monkeypatch):
    toy.write_model("model.onnx")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ConfigError, match=r'onnxruntime, which is missing: pip install "calipers\[detect\]"'):
        run()


def test_without_pillow_it_is_an_error_that_names_the_extra(monkeypatch):
    toy.write_model("model.onnx")
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(ConfigError, match=r'Pillow, which is missing: pip install "calipers\[detect\]"'):
        run()


@pytest.mark.parametrize("name", ["model.engine", "model.safetensors", "model"])
def test_other_weights_are_an_error(tmp_path, name):
    (tmp_path / name).write_bytes(b"weights")
    with pytest.raises(ConfigError, match=rf"weights: found '{name}', expected a file that ends in \.onnx"):
        calipers.detect(name, "images", "gt.json")


# Devices

ALL = ["CUDAExecutionProvider", "CoreMLExecutionProvider", "CPUExecutionProvider"]


@pytest.mark.parametrize(
    ("device", "asked"),
    [
        ("cpu", ["CPUExecutionProvider"]),
        ("CPU", ["CPUExecutionProvider"]),
        ("cuda", ["CUDAExecutionProvider", "CPUExecutionProvider"]),
        ("cuda:1", [("CUDAExecutionProvider", {"device_id": 1}), "CPUExecutionProvider"]),
        ("2", [("CUDAExecutionProvider", {"device_id": 2}), "CPUExecutionProvider"]),
        ("coreml", ["CoreMLExecutionProvider", "CPUExecutionProvider"]),
    ],
)
def test_devices_are_providers(device, asked):
    assert providers(device, ALL) == asked


@pytest.mark.parametrize("device", ["rocm", "mps", "cpu:1", "cuda:x", "cuda:", "coreml:0", "gpu", "0,1"])
def test_a_device_that_is_not_there_is_an_error_that_lists_those_that_are(device):
    with pytest.raises(ConfigError) as caught:
        providers(device, ALL)
    assert (
        str(caught.value) == f"device: found {device!r}, expected one that onnxruntime has here: cpu, cuda[:N], coreml"
    )


def test_a_device_that_onnxruntime_gives_up_on_is_an_error(monkeypatch):
    """It is there, but its libraries are not: onnxruntime would go on with the processor."""
    import onnxruntime

    toy.write_model("model.onnx")
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ALL)
    monkeypatch.setattr(onnxruntime, "InferenceSession", only_cpu(onnxruntime.InferenceSession))
    with pytest.raises(
        ConfigError, match=r"device: 'cuda' cannot be used here: .* could not load CUDAExecutionProvider"
    ):
        run(device="cuda")


def only_cpu(session):
    return lambda path, options, providers: session(path, options, providers=["CPUExecutionProvider"])
