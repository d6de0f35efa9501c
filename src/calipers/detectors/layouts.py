"""How the numbers a model puts out are laid out, and what they say.

    yolov8    (1, 4 + classes, boxes), or with the last two axes swapped: centre x, centre y, width, height, then a
              score for each class
    yolov5    (1, boxes, 5 + classes): the same four, how sure it is that there is anything, then a share for each
              class; a score is the product of the two
    end2end   (1, boxes, 6): left, top, right, bottom, score, class; suppressed by the model itself
    rtdetr    (1, boxes, 6): centre x, centre y, width, height, score, class; or (1, boxes, 4 + classes): the same four,
              then a score for each class. Coordinates are shares of the input's sides, nothing has to be suppressed,
              and images are stretched to the input

A box with a score for each class has one class, the one with the highest score; of equal ones the first. Coordinates
are in pixels of the input; where the numbers show that they are shares of its sides, they are taken as such.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.errors import ConfigError, InputError, keyword
from calipers.detectors.model import BoxesFound, Floats

LAYOUTS = ("auto", "yolov8", "yolov5", "end2end", "rtdetr")
STRIDES = ((8, 16, 32), (8, 16, 32, 64))  # the grids of cells that models have, in pixels of the input
BOXES_A_CELL = {"yolov8": 1, "yolov5": 3}
LARGEST_SHARE = 2.0  # a box may reach outside of its input; in pixels, all boxes would lie in one corner of 2 x 2
SUPPRESSED = ("end2end", "rtdetr")


class OutputLayout(NamedTuple):
    """A layout, and which of its forms an output has."""

    name: str
    boxes_last: bool = False  # boxes are along the last axis
    shares: bool = False  # coordinates are shares of the input's sides, not pixels
    by_class: bool = False  # of rtdetr: a score for each class in place of a score and a class


class Content(NamedTuple):
    """Properties of the numbers of an output that, besides its shape, hint at its layout."""

    shares: bool = False  # coordinates are shares of the input's sides
    corners: bool = True  # the third and fourth number of a box are never less than the first and second
    coded: bool = True  # the last number of a box is a whole number, as that of a class is


def content_of(output: NDArray[np.floating], classes: int) -> Content | None:
    """The properties of an output; None if all coordinates are 0, as for an image without detections.

    >>> content_of(np.array([[[0.5, 0.5, 0.25, 0.125, 0.9, 3.0]]]), 80)
    Content(shares=True, corners=False, coded=True)
    >>> content_of(np.zeros((1, 300, 6)), 80) is None
    True
    """
    if output.ndim != 3 or output.shape[0] != 1:
        return None
    is_turned = output.shape[1] == 4 + classes and output.shape[2] != 6
    rows = output[0].T if is_turned else output[0]  # (boxes, numbers)
    rows = rows[np.isfinite(rows[:, :4]).all(axis=1) & (rows[:, :4] != 0).any(axis=1)]
    if not len(rows) or rows.shape[1] < 5:
        return None
    return Content(
        shares=bool((np.abs(rows[:, :4]) <= LARGEST_SHARE).all()),
        corners=bool((rows[:, 2:4] >= rows[:, :2]).all()),
        coded=bool((rows[:, -1] == np.floor(rows[:, -1])).all()),
    )


def choose_layout(
    shape: tuple[int, ...],
    classes: int,
    size: tuple[int, int],
    *,
    asked: str = "auto",
    suppresses: bool = False,
    content: Content | None = None,
) -> OutputLayout:
    """The layout that an output of this shape has, of a model with so many classes and an input of this size.

    `suppresses` is what the model says of itself: that it is end to end, which is in pixels. Where two layouts have the
    same shape, the number of boxes that a model of such an input has decides, and whether coordinates are shares; if
    that does not, it is an error.

    >>> choose_layout((1, 84, 8400), 80, (640, 640))
    OutputLayout(name='yolov8', boxes_last=True, shares=False, by_class=False)
    >>> choose_layout((1, 300, 6), 80, (640, 640)).name, choose_layout((1, 25200, 6), 1, (640, 640)).name
    ('end2end', 'yolov5')
    >>> choose_layout((1, 300, 6), 80, (640, 640), content=Content(shares=True, corners=False)).name
    'rtdetr'
    """
    if suppresses and asked in ("auto", "end2end") and OutputLayout("end2end") in _fitting(shape, classes, Content()):
        return OutputLayout("end2end")
    content = content or Content()
    fitting = [layout for layout in _fitting(shape, classes, content) if asked in ("auto", layout.name)]
    if asked == "auto":
        fitting = [layout for layout in fitting if _is_plausible(layout, shape, size, content)]
    if len(fitting) > 1:
        fitting = [layout for layout in fitting if _is_grid(layout, shape, size)] or fitting
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise ConfigError(_unknown(shape, classes, asked))
    raise ConfigError(_ambiguous(shape, classes, fitting, content))


def _fitting(shape: tuple[int, ...], classes: int, content: Content) -> list[OutputLayout]:
    """Layouts that have such a shape."""
    if len(shape) != 3 or shape[0] != 1:
        return []
    is_six, is_by_class, shares = shape[2] == 6, shape[2] == 4 + classes, content.shares
    is_coded = is_six and (content.coded or not is_by_class)
    fits = {
        OutputLayout("yolov8", boxes_last=True, shares=shares): shape[1] == 4 + classes,
        OutputLayout("yolov8", shares=shares): is_by_class,
        OutputLayout("yolov5", shares=shares): shape[2] == 5 + classes,
        OutputLayout("end2end", shares=shares): is_six,
        OutputLayout("rtdetr", shares=True): is_coded,
        OutputLayout("rtdetr", shares=True, by_class=True): is_by_class and not is_coded,
    }
    return [layout for layout, fit in fits.items() if fit]


def _is_plausible(layout: OutputLayout, shape: tuple[int, ...], size: tuple[int, int], content: Content) -> bool:
    """Whether a layout that fits the shape is one that models are known to have with such numbers."""
    if not content.shares:
        return layout.name != "rtdetr"
    if layout.name == "end2end":
        return content.corners
    return layout.name == "rtdetr" or layout.boxes_last or _is_grid(layout, shape, size)


def _is_grid(layout: OutputLayout, shape: tuple[int, ...], size: tuple[int, int]) -> bool:
    """Whether there are as many boxes as a model of that layout has for such an input."""
    boxes = shape[2] if layout.boxes_last else shape[1]
    cells = [sum((size[0] // stride) * (size[1] // stride) for stride in strides) for strides in STRIDES]
    return layout.name in BOXES_A_CELL and boxes in [BOXES_A_CELL[layout.name] * count for count in cells]


def _ambiguous(shape: tuple[int, ...], classes: int, fitting: list[OutputLayout], content: Content) -> str:
    names = " or ".join(dict.fromkeys(layout.name for layout in fitting))
    range_seen = " and coordinates from 0 to 1" if content.shares else ""
    seen = f"the model's output has the shape {list(shape)}{range_seen}, which with {_count(classes)}"
    return f"{seen} may be {names}: say which by {keyword('layout')}"


def _unknown(shape: tuple[int, ...], classes: int, asked: str) -> str:
    n = classes
    layouts = {
        "yolov8": f"yolov8 [1, {4 + n}, boxes] or [1, boxes, {4 + n}]",
        "yolov5": f"yolov5 [1, boxes, {5 + n}]",
        "end2end": "end2end [1, boxes, 6]",
        "rtdetr": f"rtdetr [1, boxes, 6] or [1, boxes, {4 + n}]",
    }
    expected = ", ".join(layouts.values() if asked == "auto" else [layouts[asked]])
    return f"the model's output has the shape {list(shape)}; with {_count(n)}, expected {expected}"


def _count(classes: int) -> str:
    return f"{classes} class name{'' if classes == 1 else 's'}"


def decode(output: NDArray[np.floating], layout: OutputLayout, classes: int, conf: float) -> BoxesFound:
    """Boxes with scores above `conf`, in pixels of the model's input or shares of its sides, in the output's order."""
    rows = (output[0].T if layout.boxes_last else output[0]).astype(np.float32)  # (boxes, numbers)
    if layout.name in SUPPRESSED and not layout.by_class:
        boxes = _decode_coded(rows, classes, conf)
        return boxes if layout.name == "end2end" else boxes._replace(boxes=_corners(boxes.boxes))
    shares = rows[:, 5:] * rows[:, 4:5] if layout.name == "yolov5" else rows[:, 4:]  # (boxes, classes)
    best = shares.argmax(axis=1)
    scores = shares[np.arange(len(rows)), best]
    good = scores > np.float32(conf)
    return BoxesFound(_corners(rows[good, :4].astype(np.float64)), scores[good].astype(np.float64), best[good])


def _corners(boxes: Floats) -> Floats:
    """Centres and sizes as corners."""
    half = boxes[:, 2:] / 2
    return np.hstack([boxes[:, :2] - half, boxes[:, :2] + half])


def _decode_coded(rows: NDArray[np.float32], classes: int, conf: float) -> BoxesFound:
    """Rows of four coordinates, a score and a class."""
    rows = rows[rows[:, 4] > np.float32(conf)]
    is_class = (rows[:, 5] >= 0) & (rows[:, 5] < classes) & (rows[:, 5] == np.floor(rows[:, 5]))
    if not is_class.all():
        raise InputError(f"the model found the class {rows[~is_class][0, 5]:g}, expected one from 0 to {classes - 1}")
    return BoxesFound(rows[:, :4].astype(np.float64), rows[:, 4].astype(np.float64), rows[:, 5].astype(np.int64))
