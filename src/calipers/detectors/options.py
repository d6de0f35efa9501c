"""The options of a run of a detector, brought to one form and checked."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from calipers.core.config import option
from calipers.core.errors import require
from calipers.core.option_values import number, path, whole, word
from calipers.detectors.layouts import LAYOUTS

USUAL_SIZE = 1280  # where neither the model nor anybody else says


@dataclass(frozen=True, kw_only=True)
class DetectConfig:
    """Every option of a run of a detector."""

    imgsz: int | None = option(
        None, f"side of the square an image is fitted into, else the model's own, else {USUAL_SIZE}", metavar="PIXELS"
    )
    rect: bool = option(False, "of that square use only what the image needs, if the model takes any size")
    conf: float = option(0.25, "keep detections with a score above this")
    iou: float = option(0.45, "of two boxes of a class that overlap by more, keep the one with the higher score")
    device: str = option("cpu", "where the model runs", metavar="cpu|cuda[:N]|coreml|…")
    max_det: int = option(300, "keep at most so many detections of an image, those with the highest scores")
    agnostic_nms: bool = option(False, "boxes of different classes suppress each other too")
    class_names: str | None = option(None, "names of the model's classes, one per line", metavar="FILE")
    layout: str = option("auto", "how the model's output is laid out", metavar="|".join(LAYOUTS))
    restart: bool = option(False, "do not go on with an interrupted run, begin anew", artifact=False)

    def __post_init__(self) -> None:
        for name, value in _checked(self).items():
            object.__setattr__(self, name, value)


def _checked(config: DetectConfig) -> dict[str, Any]:
    return {
        "imgsz": None if config.imgsz is None else whole("imgsz", config.imgsz, 32, 16384),
        "rect": _yes_or_no("rect", config.rect),
        "conf": number("conf", config.conf, minimum=0.0, maximum=1.0, expected="a number from 0 to 1"),
        "iou": number("iou", config.iou, minimum=0.0, maximum=1.0, expected="a number from 0 to 1"),
        "device": word("device", str(config.device) if isinstance(config.device, int) else config.device),
        "max_det": whole("max_det", config.max_det, 1),
        "agnostic_nms": _yes_or_no("agnostic_nms", config.agnostic_nms),
        "class_names": path("class_names", config.class_names),
        "layout": word("layout", config.layout, LAYOUTS),
        "restart": _yes_or_no("restart", config.restart),
    }


def _yes_or_no(name: str, value: Any) -> bool:
    require(isinstance(value, bool), name, value, "true or false")
    return bool(value)


def params(config: DetectConfig) -> dict[str, Any]:
    """Every option that can change a detection; names of classes apart, which count by what they say."""
    plain = {item.name: getattr(config, item.name) for item in fields(config) if item.metadata["artifact"]}
    del plain["class_names"]
    return plain
