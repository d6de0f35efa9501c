"""Weights of Ultralytics, run by a stand-in that has the interface of their package (which is too heavy for tests)."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import calipers
from calipers.errors import ConfigError, InputError

Images = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

GT = {
    "images": [{"id": 4, "file_name": "a.png", "width": 60, "height": 40}],
    "categories": [{"id": 1, "name": "cone"}, {"id": 2, "name": "sign"}],
}


class Tensor:
    """Numbers on a device, which have to be fetched."""

    def __init__(self, values):
        self._values = np.array(values, dtype=np.float32)

    def cpu(self):
        return SimpleNamespace(numpy=lambda: self._values)


class YOLO:
    """Finds a bright rectangle, and two things outside."""

    calls: list = []  # noqa: RUF012
    task = "detect"

    def __init__(self, weights):
        if weights.endswith("damaged.pt"):
            raise RuntimeError("invalid magic number")
        print("loading", weights)
        self.names = {0: "Cone", 1: "person"}

    def predict(self, source, **options):
        self.calls.append((source, options))
        if options["device"] == "warp":
            raise ValueError("Invalid CUDA 'device=warp' requested.")
        print("0: 640x640")
        ys, xs = np.nonzero(source[:, :, 2] > 128)  # red, of BGR
        box = [xs.min(), ys.min(), xs.max() + 1, ys.max() + 1]
        boxes = SimpleNamespace(
            xyxy=Tensor([[1, 1, 5, 5], box, [70, 0, 90, 9]]), conf=Tensor([0.5, 0.75, 0.6]), cls=Tensor([1, 0, 0])
        )
        return [SimpleNamespace(boxes=boxes)]


@pytest.fixture
def ultralytics(monkeypatch):
    module = ModuleType("ultralytics")
    module.__version__, module.YOLO = "8.4.0", YOLO
    monkeypatch.setattr(YOLO, "calls", [])
    monkeypatch.setitem(sys.modules, "ultralytics", module)
    return module


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    image = Images.new("RGB", (60, 40), (90, 90, 90))
    image.paste((250, 0, 30), (10, 5, 30, 25))
    image.save("a.png")
    for name in ("model.pt", "damaged.pt"):
        (tmp_path / name).write_bytes(b"weights")


@pytest.mark.usefixtures("ultralytics")
def test_what_it_finds_goes_the_same_way():
    assert calipers.detect("model.pt", ".", GT) == [
        {"image_id": 4, "category_id": 1, "bbox": [10.0, 5.0, 20.0, 20.0], "score": 0.75}
    ]


@pytest.mark.usefixtures("ultralytics")
def test_it_is_given_the_pixels_in_its_order_and_the_options():
    calipers.detect("model.pt", ".", GT, imgsz=1280, conf=0.1, iou=0.6, device="mps", max_det=7, agnostic_nms=True)
    [(source, options)] = YOLO.calls
    assert (source.shape, source[10, 15].tolist()) == ((40, 60, 3), [30, 0, 250])
    assert options == {
        "imgsz": 1280,
        "conf": 0.1,
        "iou": 0.6,
        "device": "mps",
        "max_det": 7,
        "agnostic_nms": True,
        "verbose": False,
    }


@pytest.mark.usefixtures("ultralytics")
def test_without_a_size_the_weights_decide():
    calipers.detect("model.pt", ".", GT)
    assert "imgsz" not in YOLO.calls[0][1]


@pytest.mark.usefixtures("ultralytics")
def test_what_it_prints_does_not_reach_standard_output(capsys):
    calipers.detect("model.pt", ".", GT)
    out, err = capsys.readouterr()
    assert (out, err) == ("", "loading model.pt\n0: 640x640\n")


@pytest.mark.usefixtures("ultralytics")
def test_names_may_come_from_a_file(tmp_path):
    (tmp_path / "names.txt").write_text("person\nsign\n")
    [row] = calipers.detect("model.pt", ".", GT, class_names="names.txt")
    assert (row["category_id"], row["bbox"]) == (2, [1.0, 1.0, 4.0, 4.0])
    (tmp_path / "names.txt").write_text("person\n")
    with pytest.raises(ConfigError, match=r"names\.txt: has 1 names, expected 2 as the model has"):
        calipers.detect("model.pt", ".", GT, class_names="names.txt")


@pytest.mark.usefixtures("ultralytics")
def test_weights_that_cannot_be_loaded_are_an_error():
    with pytest.raises(InputError, match=r"damaged\.pt: ultralytics cannot load it: invalid magic number"):
        calipers.detect("damaged.pt", ".", GT)


@pytest.mark.usefixtures("ultralytics")
def test_weights_that_are_not_there_are_never_fetched():
    with pytest.raises(InputError, match=r"yolov8n\.pt: cannot be read: No such file"):
        calipers.detect("yolov8n.pt", ".", GT)


@pytest.mark.usefixtures("ultralytics")
def test_a_device_it_does_not_have_is_an_error():
    with pytest.raises(ConfigError, match=r"model\.pt: ultralytics cannot run it: Invalid CUDA"):
        calipers.detect("model.pt", ".", GT, device="warp")


@pytest.mark.usefixtures("ultralytics")
def test_a_model_for_another_task_is_an_error(monkeypatch):
    monkeypatch.setattr(YOLO, "task", "segment")
    with pytest.raises(ConfigError, match=r"model\.pt: is a model for the task 'segment', expected 'detect'"):
        calipers.detect("model.pt", ".", GT)


def test_without_the_package_it_is_an_error_that_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ultralytics", None)
    with pytest.raises(ConfigError, match=r"is run by the package ultralytics, .*pip install ultralytics\); or export"):
        calipers.detect("model.pt", ".", GT)
