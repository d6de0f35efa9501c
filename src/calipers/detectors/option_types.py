"""Options of a run of a detector as types, for editors and type checkers.

Made from `calipers.detectors.options.DetectConfig` by tests/generated/regenerate.py; not to be changed by hand.
"""

from __future__ import annotations

import os
from typing import TypedDict


class DetectOptions(TypedDict, total=False):
    """Every option of a run of a detector, by keyword.

    Attributes:
        imgsz: Side of the square an image is fitted into, else the model's own, else 1280.
        rect: Of that square use only what the image needs, if the model takes any size [default: False].
        conf: Keep detections with a score above this [default: 0.25].
        iou: Of two boxes of a class that overlap by more, keep the one with the higher score [default: 0.45].
        device: Where the model runs: cpu, cuda[:N], coreml or … [default: cpu].
        max_det: Keep at most so many detections of an image, those with the highest scores [default: 300].
        agnostic_nms: Boxes of different classes suppress each other too [default: False].
        class_names: Names of the model's classes, one per line.
        layout: How the model's output is laid out: auto, yolov8, yolov5, end2end or rtdetr [default: auto].
        restart: Do not go on with an interrupted run, begin anew [default: False].
    """

    imgsz: int | None
    rect: bool
    conf: float
    iou: float
    device: str
    max_det: int
    agnostic_nms: bool
    class_names: str | os.PathLike[str] | None
    layout: str
    restart: bool
