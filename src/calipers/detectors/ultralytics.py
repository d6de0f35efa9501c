"""Weights of Ultralytics (`.pt`), run by the package `ultralytics` where it is installed.

Everything between the pixels and the boxes is theirs: fitting, suppression, thresholds. Such a file is a program as
well as numbers: loading it runs what is in it. The package is kept from installing what such a file asks for.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from pickle import UnpicklingError
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from calipers.core.errors import ConfigError, InputError, keyword
from calipers.detectors.model import BoxesFound
from calipers.detectors.names import read_names
from calipers.detectors.options import DetectConfig

if TYPE_CHECKING:
    from PIL.Image import Image

FAILURES = (  # that a file which holds anything can lead to
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    ImportError,
    LookupError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    UnpicklingError,
    ValueError,
    BadZipFile,
)
AUTOINSTALL = "YOLO_AUTOINSTALL"
ALL = 30_000  # detections of an image, more than ultralytics looks at


class UltralyticsModel:
    """A model of Ultralytics, ready to run."""

    def __init__(self, weights: str, config: DetectConfig) -> None:
        with redirect_stdout(sys.stderr):  # standard output is for the result
            package = _ultralytics(weights)
            try:
                # a bare name of one of their own models would be fetched anew where the file is damaged
                self._model = package.YOLO(os.path.abspath(weights))
            except FAILURES as error:
                raise InputError(f"{weights}: ultralytics cannot load it: {_reason(error)}") from error
        _check_file(weights, getattr(self._model, "ckpt_path", None))
        task = getattr(self._model, "task", "detect")
        if task != "detect":
            raise ConfigError(f"{weights}: is a model for the task {task!r}, expected 'detect'")
        self._weights, self._options, self._max_boxes = weights, _options(config), config.max_det
        self.engine = f"ultralytics {getattr(package, '__version__', '')}".strip()
        self.warnings: list[str] = []
        self.notes: list[str] = []
        self.names = _names(self._model.names, config.class_names)

    def __call__(self, image: Image, wanted: NDArray[np.bool_]) -> BoxesFound:
        """The boxes on an image. The package counts all classes; where some are unwanted, the limit is applied here."""
        max_boxes = self._max_boxes if wanted.all() else max(self._max_boxes, ALL)
        pixels = np.ascontiguousarray(np.asarray(image)[:, :, ::-1])  # BGR, as that package takes arrays
        try:
            with redirect_stdout(sys.stderr):
                [result] = self._model.predict(pixels, max_det=max_boxes, **self._options)
        except FAILURES as error:
            raise ConfigError(f"{self._weights}: ultralytics cannot run it: {_reason(error)}") from error
        boxes = result.boxes
        rows = BoxesFound(_array(boxes.xyxy).reshape(-1, 4), _array(boxes.conf), _array(boxes.cls).astype(np.int64))
        return rows.best(self._max_boxes, wanted)


def _ultralytics(weights: str) -> Any:
    try:
        with _no_installing():
            return import_module("ultralytics")
    except ImportError as error:
        is_missing = error.name in (None, "ultralytics")
        missing = "is missing (pip install ultralytics)" if is_missing else f"cannot be imported: {error}"
        raise ConfigError(
            f"{weights}: is run by the package ultralytics, which {missing}; or export the weights to ONNX"
        ) from error


@contextmanager
def _no_installing() -> Iterator[None]:
    """While it is imported, the package looks whether it may install packages that a file of weights asks for."""
    if AUTOINSTALL in os.environ:
        yield
        return
    os.environ[AUTOINSTALL] = "false"
    try:
        yield
    finally:
        del os.environ[AUTOINSTALL]


def _reason(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name:
        return f"it needs the module {error.name!r}, which is not installed; or export the weights to ONNX"
    return str(error) or type(error).__name__


def _check_file(weights: str, loaded: Any) -> None:
    """Refuse a model of another file: the package loads yolov5nu.pt where yolov5n.pt was asked for."""
    if not isinstance(loaded, (str, os.PathLike)):
        return
    if not os.path.exists(loaded) or not os.path.samefile(weights, loaded):
        raise InputError(
            f"{weights}: ultralytics loaded {os.fspath(loaded)} in its place: "
            f"give that file as {keyword('weights')}, or give this one another name"
        )


def _options(config: DetectConfig) -> dict[str, Any]:
    """Options as `predict` takes them; without a size it uses the one the weights were trained for."""
    names = ("conf", "iou", "device", "agnostic_nms")
    size = {} if config.imgsz is None else {"imgsz": config.imgsz}
    return {**size, **{name: getattr(config, name) for name in names}, "verbose": False}


def _names(own: Any, file: str | None) -> list[str]:
    names = [str(own[number]) for number in range(len(own))]
    if file is None:
        return names
    names_in_file = read_names(file)
    if len(names_in_file) != len(names):
        raise ConfigError(f"{file}: has {len(names_in_file)} names, expected {len(names)} as the model has")
    return names_in_file


def _array(tensor: Any) -> NDArray[np.float64]:
    """A tensor, wherever it is, as an array."""
    plain = tensor.cpu().numpy() if hasattr(tensor, "cpu") else tensor
    return np.asarray(plain, dtype=np.float64)
