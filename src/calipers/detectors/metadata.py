"""What an ONNX model says of itself: the metadata that Ultralytics writes into its exports, read as data, never run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from calipers.detectors.names import literal, names_in

RTDETR_HEAD = "RTDETRDecoder"
USUAL_STRIDE = 32
MAX_SIDE = 16384


class Metadata(NamedTuple):
    """Metadata of a model; entries that are missing or cannot be read have their defaults."""

    task: str
    names: list[str] | None  # of its classes
    sides: tuple[int, int] | None  # height and width that it was exported for
    stride: int
    has_nms: bool  # exported with nms=True: boxes are suppressed inside, with thresholds of its own
    is_end2end: bool  # no box has to be suppressed
    is_rtdetr: bool


def read_metadata(entries: Mapping[str, str], where: str) -> Metadata:
    """The metadata of a model; names that cannot be read are an error.

    >>> read_metadata({"names": "{0: 'cone'}", "imgsz": "[640, 480]", "args": "{'nms': True}"}, "model.onnx")
    Metadata(task='detect', names=['cone'], sides=(640, 480), stride=32, has_nms=True, is_end2end=False, \
is_rtdetr=False)
    """
    exported = literal(entries.get("args", ""))
    names = entries.get("names")
    return Metadata(
        task=entries.get("task", "detect"),
        names=None if names is None else names_in(names, where),
        sides=_sides(entries.get("imgsz", "")),
        stride=_stride(entries.get("stride", "")),
        has_nms=isinstance(exported, dict) and exported.get("nms") is True,
        is_end2end=entries.get("end2end") == "True",
        is_rtdetr=entries.get("head") == RTDETR_HEAD,
    )


def _sides(text: str) -> tuple[int, int] | None:
    sides = literal(text)
    sides = [sides, sides] if isinstance(sides, int) else sides
    good = isinstance(sides, (list, tuple)) and len(sides) == 2
    if good and all(type(side) is int and 0 < side <= MAX_SIDE for side in sides):
        return sides[0], sides[1]
    return None


def _stride(text: str) -> int:
    stride = literal(text)
    return stride if type(stride) is int and 0 < stride <= 1024 else USUAL_STRIDE
