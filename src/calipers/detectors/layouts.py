"""How the numbers a model puts out are laid out, and what they say.

    yolov8    (1, 4 + classes, boxes), or with the last two axes swapped: centre x, centre y, width, height, then a
              score for each class
    yolov5    (1, boxes, 5 + classes): the same four, how sure it is that there is anything, then a share for each
              class; a score is the product of the two
    end2end   (1, boxes, 6): left, top, right, bottom, score, class; suppressed by the model itself

A box of the first two has one class, the one with the highest score; of equal ones the first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.detectors.found import Floats, Found
from calipers.errors import ConfigError, InputError

LAYOUTS = ("auto", "yolov8", "yolov5", "end2end")
STRIDES = ((8, 16, 32), (8, 16, 32, 64))  # the grids of cells that models have, in pixels of the input
BOXES_A_CELL = {"yolov8": 1, "yolov5": 3}


class Layout(NamedTuple):
    """A layout, and whether boxes are along the last axis."""

    name: str
    boxes_last: bool = False


def choose_layout(
    shape: tuple[int, ...], classes: int, size: tuple[int, int], *, asked: str = "auto", suppresses: bool = False
) -> Layout:
    """The layout that an output of this shape has, of a model with so many classes and an input of this size.

    `suppresses` is what the model says of itself: that it is end to end. Where two layouts have the same shape, the
    number of boxes that a model of such an input has decides; if it cannot, that is an error.

    >>> choose_layout((1, 84, 8400), 80, (640, 640))
    Layout(name='yolov8', boxes_last=True)
    >>> choose_layout((1, 300, 6), 80, (640, 640)).name, choose_layout((1, 25200, 6), 1, (640, 640)).name
    ('end2end', 'yolov5')
    """
    fitting = [layout for layout in _fitting(shape, classes) if asked in ("auto", layout.name)]
    if suppresses and Layout("end2end") in fitting:
        return Layout("end2end")
    if len(fitting) > 1:
        fitting = [layout for layout in fitting if _is_grid(layout, shape, size)] or fitting
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise ConfigError(_unknown(shape, classes, asked))
    names = " or ".join(dict.fromkeys(layout.name for layout in fitting))
    seen = f"the model's output has the shape {list(shape)}, which with {_count(classes)}"
    raise ConfigError(f"{seen} may be {names}: say which by --layout")


def _fitting(shape: tuple[int, ...], classes: int) -> list[Layout]:
    if len(shape) != 3 or shape[0] != 1:
        return []
    fits = {
        Layout("yolov8", boxes_last=True): shape[1] == 4 + classes,
        Layout("yolov8"): shape[2] == 4 + classes,
        Layout("yolov5"): shape[2] == 5 + classes,
        Layout("end2end"): shape[2] == 6,
    }
    return [layout for layout, fit in fits.items() if fit]


def _is_grid(layout: Layout, shape: tuple[int, ...], size: tuple[int, int]) -> bool:
    """Whether there are as many boxes as a model of that layout has for such an input."""
    boxes = shape[2] if layout.boxes_last else shape[1]
    cells = [sum((size[0] // stride) * (size[1] // stride) for stride in strides) for strides in STRIDES]
    return layout.name in BOXES_A_CELL and boxes in [BOXES_A_CELL[layout.name] * count for count in cells]


def _unknown(shape: tuple[int, ...], classes: int, asked: str) -> str:
    n = classes
    known = {
        "yolov8": f"yolov8 [1, {4 + n}, boxes] or [1, boxes, {4 + n}]",
        "yolov5": f"yolov5 [1, boxes, {5 + n}]",
        "end2end": "end2end [1, boxes, 6]",
    }
    expected = ", ".join(known.values() if asked == "auto" else [known[asked]])
    return f"the model's output has the shape {list(shape)}; with {_count(n)}, expected {expected}"


def _count(classes: int) -> str:
    return f"{classes} class name{'' if classes == 1 else 's'}"


def decode(output: NDArray[np.floating], layout: Layout, classes: int, conf: float) -> Found:
    """Boxes with scores above `conf`, in pixels of the model's input, in the order of the output."""
    rows = (output[0].T if layout.boxes_last else output[0]).astype(np.float32)  # (boxes, numbers)
    if layout.name == "end2end":
        return _decode_suppressed(rows, classes, conf)
    shares = rows[:, 4:] if layout.name == "yolov8" else rows[:, 5:] * rows[:, 4:5]  # (boxes, classes)
    best = shares.argmax(axis=1)
    scores = shares[np.arange(len(rows)), best]
    good = scores > np.float32(conf)
    return Found(_corners(rows[good, :4].astype(np.float64)), scores[good].astype(np.float64), best[good])


def _corners(boxes: Floats) -> Floats:
    """Centres and sizes as corners."""
    half = boxes[:, 2:] / 2
    return np.hstack([boxes[:, :2] - half, boxes[:, :2] + half])


def _decode_suppressed(rows: NDArray[np.float32], classes: int, conf: float) -> Found:
    rows = rows[rows[:, 4] > np.float32(conf)]
    known = (rows[:, 5] >= 0) & (rows[:, 5] < classes) & (rows[:, 5] == np.floor(rows[:, 5]))
    if not known.all():
        raise InputError(f"the model found the class {rows[~known][0, 5]:g}, expected one from 0 to {classes - 1}")
    return Found(rows[:, :4].astype(np.float64), rows[:, 4].astype(np.float64), rows[:, 5].astype(np.int64))
