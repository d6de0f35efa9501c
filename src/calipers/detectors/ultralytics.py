"""Weights of Ultralytics (`.pt`), run by the package `ultralytics` where it is installed.

Everything between the pixels and the boxes is theirs: fitting, suppression, thresholds. Such a file is a program as
well as numbers: loading it runs what is in it.
"""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from importlib import import_module
from pickle import UnpicklingError
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calipers.detectors.found import Found
from calipers.detectors.names import read_names
from calipers.detectors.options import Config
from calipers.errors import ConfigError, InputError

if TYPE_CHECKING:
    from PIL.Image import Image

UNREADABLE = (OSError, EOFError, RuntimeError, ValueError, TypeError, LookupError, AttributeError, UnpicklingError)


class UltralyticsModel:
    """A model, ready to run."""

    def __init__(self, weights: str, config: Config) -> None:
        with redirect_stdout(sys.stderr):  # standard output is for the result
            package = _ultralytics(weights)
            try:
                self._model = package.YOLO(weights)
            except UNREADABLE as error:
                raise InputError(f"{weights}: ultralytics cannot load it: {error}") from error
        task = getattr(self._model, "task", "detect")
        if task != "detect":
            raise ConfigError(f"{weights}: is a model for the task {task!r}, expected 'detect'")
        self._weights, self._options = weights, _options(config)
        self.engine = f"ultralytics {getattr(package, '__version__', '')}".strip()
        self.warnings: list[str] = []
        self.names = _names(self._model.names, config.class_names)

    def __call__(self, image: Image) -> Found:
        """What it finds."""
        pixels = np.ascontiguousarray(np.asarray(image)[:, :, ::-1])  # BGR, as that package takes arrays
        try:
            with redirect_stdout(sys.stderr):
                [result] = self._model.predict(pixels, **self._options)
        except (RuntimeError, ValueError) as error:
            raise ConfigError(f"{self._weights}: ultralytics cannot run it: {error}") from error
        boxes = result.boxes
        found = Found(_array(boxes.xyxy).reshape(-1, 4), _array(boxes.conf), _array(boxes.cls).astype(np.int64))
        return found.take(np.argsort(-found.scores, kind="stable"))


def _ultralytics(weights: str) -> Any:
    try:
        return import_module("ultralytics")
    except ImportError as error:
        missing = "which is missing (pip install ultralytics); or export the weights to ONNX"
        raise ConfigError(f"{weights}: is run by the package ultralytics, {missing}") from error


def _options(config: Config) -> dict[str, Any]:
    """As `predict` takes them; without a size it uses the one the weights were trained for."""
    names = ("conf", "iou", "device", "max_det", "agnostic_nms")
    size = {} if config.imgsz is None else {"imgsz": config.imgsz}
    return {**size, **{name: getattr(config, name) for name in names}, "verbose": False}


def _names(own: Any, file: str | None) -> list[str]:
    names = [str(own[number]) for number in range(len(own))]
    if file is None:
        return names
    given = read_names(file)
    if len(given) != len(names):
        raise ConfigError(f"{file}: has {len(given)} names, expected {len(names)} as the model has")
    return given


def _array(tensor: Any) -> NDArray[np.float64]:
    """A tensor, wherever it is, as an array."""
    plain = tensor.cpu().numpy() if hasattr(tensor, "cpu") else tensor
    return np.asarray(plain, dtype=np.float64)
