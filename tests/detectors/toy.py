"""A detector that really detects, and images for it: red, green and blue rectangles on grey.

The model looks through square windows that tile its input. Through each it sees, for each colour, the extent of the
pixels of that colour, and how bright they are, which is its score. Nothing of it is learned, so what it has to answer
can be worked out from what was drawn.
"""

import io
import json
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from PIL import Image, ImageDraw

from ..profiles import share

NAMES = ["red", "green", "blue"]
BACKGROUND = (90, 90, 90)
FAR = 10_000.0
METADATA = {"names": "{0: 'red', 1: 'green', 2: 'blue'}", "stride": "32", "task": "detect"}


def rest_between_images():
    """Models in this process rest while there is nothing to do: onnxruntime's threads would turn in circles."""
    runtime = import_module("onnxruntime")

    class Resting(runtime.SessionOptions):
        def __init__(self):
            super().__init__()
            self.add_session_config_entry("session.intra_op.allow_spinning", "0")

    runtime.SessionOptions = Resting


if share() < 1 and find_spec("onnxruntime"):
    rest_between_images()


class Drawn(NamedTuple):
    """A rectangle on an image."""

    colour: str
    box: tuple[int, int, int, int]  # left, top, right, bottom
    brightness: int = 230


SCENES = {  # sides of images, and what is drawn; each colour once, within a quarter of the square it is fitted into
    "wide.png": ((640, 360), [Drawn("red", (40, 30, 150, 120)), Drawn("blue", (400, 200, 600, 340), 250)]),
    "deep/tall.png": ((300, 500), [Drawn("green", (160, 260, 280, 480)), Drawn("red", (10, 20, 100, 200), 200)]),
    "small.png": ((97, 101), [Drawn("blue", (5, 55, 40, 95))]),
    "empty.png": ((320, 320), []),
    "square.png": ((800, 800), [Drawn("green", (420, 30, 780, 360)), Drawn("blue", (30, 430, 390, 790), 210)]),
}


def draw(size, rectangles):
    image = Image.new("RGB", size, BACKGROUND)
    pen = ImageDraw.Draw(image)
    for colour, (left, top, right, bottom), brightness in rectangles:
        fill = tuple(brightness if name == colour else 20 for name in NAMES)
        pen.rectangle((left, top, right - 1, bottom - 1), fill=fill)
    return image


@cache
def png(size, rectangles):
    """The bytes of an image, which takes longer to compress than to detect anything on."""
    file = io.BytesIO()
    draw(size, rectangles).save(file, format="PNG")
    return file.getvalue()


def write_scenes(folder, scenes=None):
    """The images in a folder, and their ground truth."""
    scenes = SCENES if scenes is None else scenes
    for name, (size, rectangles) in scenes.items():
        path = Path(folder, "images", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png(size, tuple(rectangles)))
    Path(folder, "gt.json").write_text(json.dumps(ground_truth(scenes)))


def ground_truth(scenes=None):
    scenes = SCENES if scenes is None else scenes
    tree = {
        "images": [
            {"id": 10 + number, "file_name": name, "width": size[0], "height": size[1]}
            for number, (name, (size, _)) in enumerate(scenes.items())
        ],
        "categories": [{"id": 3, "name": "red"}, {"id": 5, "name": "green"}, {"id": 8, "name": "blue"}],
        "annotations": [],
    }
    ids = {category["name"]: category["id"] for category in tree["categories"]}
    for image, (_, rectangles) in zip(tree["images"], scenes.values(), strict=True):
        for colour, (left, top, right, bottom), _ in rectangles:
            tree["annotations"].append(
                {
                    "id": len(tree["annotations"]) + 1,
                    "image_id": image["id"],
                    "category_id": ids[colour],
                    "bbox": [left, top, right - left, bottom - top],
                    "area": (right - left) * (bottom - top),
                    "iscrowd": 0,
                }
            )
    return tree


class Graph:
    """Nodes of a model, added one after the other."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def add(self, operator, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        names = [each if isinstance(each, str) else self.constant(each) for each in inputs]
        self.nodes.append(helper.make_node(operator, names, [name], **attributes))
        return name

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name


def number(value):
    return np.array(value, dtype=np.float32)


def whole(*values):
    return np.array(values, dtype=np.int64)


def write_model(
    path, layout="yolov8", *, side=320, windows=(160, 320), half=False, metadata=METADATA, batch=1, extra=False
):
    """The detector with one of the layouts; `side` is None for an input of any size."""
    graph = Graph()
    pixels = graph.add("Cast", "images", to=TensorProto.FLOAT)
    parts = [seen_through(graph, pixels, window) for window in windows]
    left, top, right, bottom, score = (
        graph.add("Concat", *values, axis=2) if len(windows) > 1 else values[0] for values in zip(*parts, strict=True)
    )  # each (1, 3, windows)
    output = LAYOUTS[layout](graph, left, top, right, bottom, score)
    kind = TensorProto.FLOAT16 if half else TensorProto.FLOAT
    graph.nodes.append(helper.make_node("Cast", [output], ["output0"], to=kind))
    outputs = [helper.make_tensor_value_info("output0", kind, [1, "a", "b"])]
    if extra:  # an inner grid, as some exports have beside the answer
        graph.nodes.append(helper.make_node("Identity", [pixels], ["grid"]))
        outputs.append(helper.make_tensor_value_info("grid", TensorProto.FLOAT, [1, 3, "c", "d"]))
    sides = ["height", "width"] if side is None else [side, side] if isinstance(side, int) else list(side)
    inputs = [helper.make_tensor_value_info("images", kind, [batch, 3, *sides])]
    made = helper.make_graph(graph.nodes, "toy", inputs, outputs, graph.constants)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(model, metadata)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    return path


def seen_through(graph, pixels, window):
    """The extent and brightness of each colour through each window: five of (1, 3, windows)."""
    purity = graph.add("Conv", pixels, number(2 * np.eye(3) - 1).reshape(3, 3, 1, 1))  # red - green - blue, …
    mask = graph.add("Cast", graph.add("Greater", purity, number(0.196)), to=TensorProto.FLOAT)
    ones = graph.add("Add", graph.add("Mul", pixels, number(0)), number(1))
    extents = []
    for axis in (3, 2):
        end = graph.add("CumSum", ones, whole(axis))  # 1, 2, 3, … along the axis: where pixels end
        start = graph.add("Sub", number(FAR + 1), end)  # how far from FAR they start
        low = graph.add("Sub", number(FAR), through(graph, graph.add("Mul", mask, start), window))
        extents.append((low, through(graph, graph.add("Mul", mask, end), window)))
    (left, right), (top, bottom) = extents
    return left, top, right, bottom, through(graph, graph.add("Mul", mask, pixels), window)


def through(graph, values, window):
    most = graph.add("MaxPool", values, kernel_shape=[window, window], strides=[window, window])
    return graph.add("Reshape", most, whole(1, 3, -1))


def one_row(graph, values):
    return graph.add("Reshape", values, whole(1, 1, -1))


def centred(graph, left, top, right, bottom):
    half = number(0.5)
    middles = [graph.add("Mul", graph.add("Add", *ends), half) for ends in ((left, right), (top, bottom))]
    sides = [graph.add("Sub", *ends) for ends in ((right, left), (bottom, top))]
    return [one_row(graph, values) for values in (*middles, *sides)]


def by_class(graph, values):
    """A row for each class, with its values where the class's own boxes are and 0 elsewhere."""
    spread = graph.add("Mul", graph.add("Unsqueeze", values, whole(1)), number(np.eye(3)).reshape(1, 3, 3, 1))
    return graph.add("Reshape", spread, whole(1, 3, -1))


def yolov8(graph, left, top, right, bottom, score):
    return graph.add("Concat", *centred(graph, left, top, right, bottom), by_class(graph, score), axis=1)


def yolov8_rows(graph, *values):
    return graph.add("Transpose", yolov8(graph, *values), perm=[0, 2, 1])


def yolov5(graph, left, top, right, bottom, score):
    shares = by_class(graph, graph.add("Add", graph.add("Mul", score, number(0)), number(1)))
    rows = graph.add("Concat", *centred(graph, left, top, right, bottom), one_row(graph, score), shares, axis=1)
    return graph.add("Transpose", rows, perm=[0, 2, 1])


def end2end(graph, left, top, right, bottom, score):
    codes = graph.add("Add", graph.add("Mul", score, number(0)), number([0, 1, 2]).reshape(1, 3, 1))
    rows = graph.add("Concat", *(one_row(graph, each) for each in (left, top, right, bottom, score, codes)), axis=1)
    return graph.add("Transpose", rows, perm=[0, 2, 1])


def shares(graph, left, top, right, bottom):
    """Centres and sizes as shares of the input's sides, from 0 to 1."""
    sides = graph.add(
        "Cast", graph.add("Gather", graph.add("Shape", "images"), whole(3, 2, 3, 2)), to=TensorProto.FLOAT
    )
    rows = graph.add("Concat", *centred(graph, left, top, right, bottom), axis=1)  # (1, 4, boxes)
    share = graph.add("Div", rows, graph.add("Reshape", sides, whole(1, 4, 1)))
    return graph.add("Clip", share, number(0), number(1))


def rtdetr(graph, left, top, right, bottom, score):
    codes = graph.add("Add", graph.add("Mul", score, number(0)), number([0, 1, 2]).reshape(1, 3, 1))
    boxes = shares(graph, left, top, right, bottom)
    rows = graph.add("Concat", boxes, one_row(graph, score), one_row(graph, codes), axis=1)
    return graph.add("Transpose", rows, perm=[0, 2, 1])


def rtdetr_by_class(graph, left, top, right, bottom, score):
    rows = graph.add("Concat", shares(graph, left, top, right, bottom), by_class(graph, score), axis=1)
    return graph.add("Transpose", rows, perm=[0, 2, 1])


LAYOUTS = {
    "yolov8": yolov8,
    "yolov8 rows": yolov8_rows,
    "yolov5": yolov5,
    "end2end": end2end,
    "rtdetr": rtdetr,
    "rtdetr by class": rtdetr_by_class,
}
SUPPRESSED = ("end2end", "rtdetr", "rtdetr by class")  # the answers of which are not suppressed any more


def write_size_model(path, metadata=METADATA):
    """A model of any size that finds a red box in the middle of its input, and says how large that is by scores.

    The score of red is a thousandth of the width, that of a green box at the same place a thousandth of the height.
    """
    graph = Graph()
    sides = graph.add("Cast", graph.add("Gather", graph.add("Shape", "images"), whole(3, 2)), to=TensorProto.FLOAT)
    middle = graph.add("Mul", sides, number(0.5))
    corners = [graph.add("Add", middle, number(offset)) for offset in (-5, 5)]
    rows = []
    for code in (0, 1):
        score = graph.add("Mul", graph.add("Gather", sides, whole(code)), number(0.001))
        rows.append(graph.add("Concat", *corners, score, number([code]), axis=0))
    values = graph.add("Reshape", graph.add("Concat", *rows, axis=0), whole(1, 2, 6))
    graph.nodes.append(helper.make_node("Identity", [values], ["output0"]))
    inputs = [helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, "height", "width"])]
    outputs = [helper.make_tensor_value_info("output0", TensorProto.FLOAT, [1, 2, 6])]
    made = helper.make_graph(graph.nodes, "size", inputs, outputs, graph.constants)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(model, metadata)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    return path


def write_constant_model(path, output, *, side=320, metadata=METADATA, layout_input=None, only=None, dims=False):
    """A model that puts out the same numbers whatever it sees, of a size that it works with.

    With `dims` they are multiplied by the brightest value it sees, so that all are 0 for a black image.
    """
    shape = [1, 3, side, side] if layout_input is None else layout_input
    graph = Graph()
    pixels = "images" if only is None else graph.add("Add", "images", np.zeros((1, 3, only, only), np.float32))
    brightest = graph.add("ReduceMax", pixels, keepdims=0)
    factor = brightest if dims else graph.add("Add", graph.add("Mul", brightest, number(0)), number(1))
    values = graph.add("Mul", np.asarray(output, dtype=np.float32), factor)
    graph.nodes.append(helper.make_node("Identity", [values], ["output0"]))
    inputs = [helper.make_tensor_value_info("images", TensorProto.FLOAT, shape)]
    outputs = [helper.make_tensor_value_info("output0", TensorProto.FLOAT, list(np.shape(output)))]
    made = helper.make_graph(graph.nodes, "constant", inputs, outputs, graph.constants)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(model, metadata)
    onnx.save(model, str(path))
    return path


def iou(a, b):
    """Of two boxes as COCO has them."""
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    shared = max(0, width) * max(0, height)
    return shared / (a[2] * a[3] + b[2] * b[3] - shared)
