"""Weights of Ultralytics, run by a stand-in that has the interface of their package (which is too heavy for tests)."""

import os
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import calipers
from calipers.core.errors import ConfigError, InputError

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
        name = os.path.basename(weights)
        if name == "damaged.pt":
            raise RuntimeError("invalid magic number")
        if name == "foreign.pt":
            raise ModuleNotFoundError("No module named 'secretlab'", name="secretlab")
        print("loading", name)
        self.names = {0: "Cone", 1: "person"}
        self.ckpt_path = weights.replace("yolov5n.pt", "yolov5nu.pt")

    def predict(self, source, **options):
        self.calls.append((source, options))
        if options["device"] == "warp":
            raise ValueError("Invalid CUDA 'device=warp' requested.")
        print("0: 640x640")
        ys, xs = np.nonzero(source[:, :, 2] > 128)  # red, of BGR
        box = [xs.min(), ys.min(), xs.max() + 1, ys.max() + 1]
        rows = [[1, 1, 5, 5, 0.5, 1], [*box, 0.75, 0], [70, 0, 90, 9, 0.6, 0]]
        rows = np.array(sorted(rows, key=lambda row: -row[4])[: options["max_det"]])
        boxes = SimpleNamespace(xyxy=Tensor(rows[:, :4]), conf=Tensor(rows[:, 4]), cls=Tensor(rows[:, 5]))
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
    for name in ("model.pt", "damaged.pt", "foreign.pt", "yolov5n.pt", "yolov5nu.pt"):
        (tmp_path / name).write_bytes(b"weights")


@pytest.mark.usefixtures("ultralytics")
def test_what_it_finds_goes_the_same_way():
    assert calipers.detect("model.pt", ".", GT) == [
        {"image_id": 4, "category_id": 1, "bbox": [10.0, 5.0, 20.0, 20.0], "score": 0.75}
    ]


@pytest.mark.usefixtures("ultralytics")
def test_it_is_given_the_pixels_in_its_order_and_the_options():
    gt = GT | {"categories": [{"id": 1, "name": "cone"}, {"id": 2, "name": "person"}]}
    calipers.detect("model.pt", ".", gt, imgsz=1280, conf=0.1, iou=0.6, device="mps", max_det=7, agnostic_nms=True)
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
def test_weights_that_need_a_module_that_is_not_there_are_an_error():
    needs = "it needs the module 'secretlab', which is not installed; or export the weights to ONNX"
    with pytest.raises(InputError, match=rf"^foreign\.pt: ultralytics cannot load it: {needs}$"):
        calipers.detect("foreign.pt", ".", GT)


@pytest.mark.usefixtures("ultralytics")
def test_another_file_in_place_of_the_one_given_is_an_error():
    with pytest.raises(
        InputError, match=r"^yolov5n\.pt: ultralytics loaded .*yolov5nu\.pt in its place: give that file"
    ):
        calipers.detect("yolov5n.pt", ".", GT)
    assert calipers.detect("yolov5nu.pt", ".", GT)
    os.remove("yolov5nu.pt")
    with pytest.raises(InputError, match="in its place"):
        calipers.detect("yolov5n.pt", ".", GT)


@pytest.mark.usefixtures("ultralytics")
def test_the_same_file_by_another_path_is_that_file():
    os.symlink("yolov5nu.pt", "link-to-yolov5n.pt")  # for which the package loads link-to-yolov5nu.pt
    os.symlink("yolov5nu.pt", "link-to-yolov5nu.pt")
    assert calipers.detect("link-to-yolov5n.pt", ".", GT)


@pytest.mark.usefixtures("ultralytics")
def test_classes_without_a_category_take_nobodys_place():
    """The best is a cone, and there is no category for cones."""
    gt = GT | {"categories": [{"id": 2, "name": "person"}]}
    [row] = calipers.detect("model.pt", ".", gt, max_det=1)
    assert (row["category_id"], row["score"]) == (2, 0.5)


def write_package(folder, monkeypatch, text):
    """A package called ultralytics, which is imported as such."""
    (folder / "packages" / "ultralytics").mkdir(parents=True)
    (folder / "packages" / "ultralytics" / "__init__.py").write_text(text)
    monkeypatch.syspath_prepend(folder / "packages")
    monkeypatch.delitem(sys.modules, "ultralytics", raising=False)


@pytest.mark.parametrize(("own", "seen"), [(None, "false"), ("true", "true")])
def test_it_may_not_install_packages_unless_somebody_said_so(tmp_path, monkeypatch, own, seen):
    monkeypatch.delenv("YOLO_AUTOINSTALL", raising=False)
    if own is not None:
        monkeypatch.setenv("YOLO_AUTOINSTALL", own)
    text = "import os\ndef YOLO(weights):\n    raise ValueError(ALLOWED)\nALLOWED = os.environ['YOLO_AUTOINSTALL']\n"
    write_package(tmp_path, monkeypatch, text)
    with pytest.raises(InputError, match=f"cannot load it: {seen}$"):
        calipers.detect("model.pt", ".", GT)
    assert os.environ.get("YOLO_AUTOINSTALL") == own
    sys.modules.pop("ultralytics")


def test_a_package_that_lacks_one_of_its_own_is_an_error_that_names_that(tmp_path, monkeypatch):
    write_package(tmp_path, monkeypatch, "import torch_that_is_not_there\n")
    with pytest.raises(
        ConfigError, match="which cannot be imported: No module named 'torch_that_is_not_there'; or export"
    ):
        calipers.detect("model.pt", ".", GT)


def test_it_is_given_a_whole_path(ultralytics, monkeypatch):
    """A damaged file that is called only yolov8n.pt, as one of its own models, it would delete and fetch anew."""
    given = []
    monkeypatch.setattr(ultralytics, "YOLO", lambda weights: given.append(weights) or YOLO(weights))
    calipers.detect("model.pt", ".", GT)
    assert given == [os.path.abspath("model.pt")]


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
