"""An ONNX model, run by onnxruntime.

The model takes one RGB image as (1, 3, height, width), float32 or float16.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calipers.core.errors import ConfigError, InputError, keyword, require
from calipers.detectors.devices import providers
from calipers.detectors.layouts import SUPPRESSED, OutputLayout, choose_layout, content_of, decode
from calipers.detectors.letterbox import Letterbox, as_tensor, fit, stretch
from calipers.detectors.metadata import read_metadata
from calipers.detectors.model import BoxesFound
from calipers.detectors.names import read_names
from calipers.detectors.nms import suppress
from calipers.detectors.options import USUAL_SIZE, DetectConfig

if TYPE_CHECKING:
    from PIL.Image import Image

KINDS: dict[str, type[np.floating]] = {"tensor(float)": np.float32, "tensor(float16)": np.float16}
ERRORS = (  # of onnxruntime, which have no class in common
    "EPFail",
    "EngineError",
    "Fail",
    "InvalidArgument",
    "InvalidGraph",
    "InvalidProtobuf",
    "NoModel",
    "NoSuchFile",
    "NotImplemented",
    "RuntimeException",
)
USUAL_SIDES = (USUAL_SIZE, USUAL_SIZE)
OWN_THRESHOLDS = "0.25, 0.7 and 300 unless others were given there"  # of exports with nms=True


class OnnxModel:
    """An ONNX model, ready to run."""

    def __init__(self, weights: str, config: DetectConfig) -> None:
        runtime = _onnxruntime()
        self.engine = f"onnxruntime {runtime.__version__}"
        self.warnings: list[str] = []
        self.notes: list[str] = []
        self._weights, self._config, self._errors = weights, config, _errors()
        self._session = self._open(runtime)
        self._metadata = read_metadata(self._session.get_modelmeta().custom_metadata_map, weights)
        if self._metadata.task != "detect":
            raise ConfigError(f"{weights}: is a model for the task {self._metadata.task!r}, expected 'detect'")
        self.names = self._names()
        self._input, self._kind, self._is_fixed, self._size = self._look_at_input()
        self._layout: OutputLayout | None = None  # until boxes were seen
        self._stretches = False
        self._prepare()

    def __call__(self, image: Image, wanted: NDArray[np.bool_]) -> BoxesFound:
        """The boxes on an image, after non-maximum suppression."""
        box = self._fit(image.size)
        output = self._run(as_tensor(image, box, self._kind))
        layout = self._layout or self._choose(output, box.outer)
        if layout.name == "rtdetr" and not self._stretches:
            self._stretch()
            return self(image, wanted)
        self._look_for_padding(output, layout)
        self._look_for_squares(box)
        boxes = self._best_boxes(decode(output, layout, len(self.names), self._config.conf), layout, wanted)
        pixels = boxes.boxes * (np.tile(box.outer, 2) if layout.shares else 1.0)
        return boxes._replace(boxes=box.back(pixels))

    def _open(self, runtime: Any) -> Any:
        wanted = providers(self._config.device, runtime.get_available_providers())
        options = runtime.SessionOptions()
        options.log_severity_level = 3  # errors
        options.use_deterministic_compute = True
        try:
            session = runtime.InferenceSession(self._weights, options, providers=wanted)
        except self._errors as error:
            raise InputError(f"{self._weights}: {self.engine} cannot load it: {_first_line(error)}") from error
        first = wanted[0] if isinstance(wanted[0], str) else wanted[0][0]
        if first not in session.get_providers():  # onnxruntime goes on without it
            raise ConfigError(
                f"device: {self._config.device!r} cannot be used here: onnxruntime could not load {first}"
            )
        return session

    def _names(self) -> list[str]:
        """Names of classes, from the file that was given or else from the model; both must be equally many."""
        own, file = self._metadata.names, self._config.class_names
        if file is None and own is None:
            by = keyword("class_names", "FILE")
            raise ConfigError(f"{self._weights}: has no names of classes in its metadata: give them by {by}")
        names = own if file is None else read_names(file)
        if own is not None and names is not None and len(names) != len(own):
            raise ConfigError(f"{file}: has {len(names)} names, expected {len(own)} as the model has")
        return list(names or [])

    def _look_at_input(self) -> tuple[str, type[np.floating], bool, tuple[int, int]]:
        """Name and number type of a model's input, whether its size is fixed, and its width and height."""
        inputs = self._session.get_inputs()
        shape = inputs[0].shape
        good = len(inputs) == 1 and len(shape) == 4 and inputs[0].type in KINDS
        free = [isinstance(side, str) or side is None for side in shape]
        if not (good and (free[0] or shape[0] == 1) and (free[1] or shape[1] == 3)):
            seen = ", ".join(f"{entry.name} {entry.type} {entry.shape}" for entry in inputs)
            expected = "one of float or float16 and the shape [1, 3, height, width]"
            hint = ": export it with batch=1" if good and not free[0] and shape[0] > 1 else ""
            raise ConfigError(f"{self._weights}: takes the input {seen}, expected {expected}{hint}")
        height, width = self._sides(shape[2:])
        return inputs[0].name, KINDS[inputs[0].type], not any(free[2:]), (width, height)

    def _sides(self, shape: list[Any]) -> tuple[int, int]:
        """Height and width of the input: fixed in the model, else as asked for, else as the model was exported for."""
        asked = self._config.imgsz
        if all(isinstance(side, int) for side in shape):
            if asked is not None and [asked, asked] != list(shape):
                self.warnings.append(
                    f"imgsz {asked} is not used: the model's input is fixed to {shape[1]} x {shape[0]}"
                )
            return shape[0], shape[1]
        if any(isinstance(side, int) for side in shape):
            raise ConfigError(f"{self._weights}: one side of its input is fixed, {shape}, expected both or none")
        height, width = (asked, asked) if asked is not None else self._metadata.sides or USUAL_SIDES
        stride = self._metadata.stride
        for side in {height, width}:
            nearest = -(-side // stride) * stride
            require(side == nearest, "imgsz", side, f"a multiple of the model's stride {stride}, such as {nearest}")
        return height, width

    def _prepare(self) -> None:
        """Warn of options that have no effect on this model, and stretch images for the layout rtdetr."""
        if self._metadata.has_nms:
            self._warn_of_own_thresholds("was exported with nms=True")
        if self._config.rect and self._is_fixed:
            width, height = self._size
            self.warnings.append(f"rect is not used: the model's input is fixed to {width} x {height}")
        if self._asked_layout == "rtdetr":
            self._stretch()

    @property
    def _asked_layout(self) -> str:
        """The layout that was asked for, else the one that the model says it has."""
        is_rtdetr = self._config.layout == "auto" and self._metadata.is_rtdetr
        return "rtdetr" if is_rtdetr else self._config.layout

    def _stretch(self) -> None:
        """Stretch images to the input from now on, as models with the layout rtdetr expect."""
        self._stretches = True
        if self._config.rect and not self._is_fixed:
            self.warnings.append(
                "rect is not used: images are stretched to the input of a model with the layout rtdetr"
            )

    def _fit(self, image: tuple[int, int]) -> Letterbox:
        """How an image of this size is shown to the model."""
        if self._stretches:
            return stretch(image, self._size)
        use_rectangle = self._config.rect and not self._is_fixed
        return fit(image, self._size, self._metadata.stride if use_rectangle else None)

    def _run(self, tensor: NDArray[np.floating]) -> NDArray[np.floating]:
        """The one output of three axes; a model may put out its inner grids beside it."""
        try:
            outputs = self._session.run(None, {self._input: tensor})
        except self._errors as error:
            raise InputError(f"{self._weights}: {self.engine} cannot run it: {_first_line(error)}") from error
        flat: list[NDArray[np.floating]] = [output for output in outputs if output.ndim == 3]
        if len(flat) != 1:
            shapes = ", ".join(str(list(output.shape)) for output in outputs)
            raise ConfigError(f"{self._weights}: puts out {shapes}, expected one output of three axes")
        return flat[0]

    def _choose(self, output: NDArray[np.floating], size: tuple[int, int]) -> OutputLayout:
        """The layout of an output; it is that of all to come, if this one holds boxes to tell it by."""
        classes, content = len(self.names), content_of(output, len(self.names))
        asked, suppresses = self._asked_layout, self._metadata.has_nms or self._metadata.is_end2end
        try:
            layout = choose_layout(output.shape, classes, size, asked=asked, suppresses=suppresses, content=content)
        except ConfigError as error:
            raise ConfigError(f"{self._weights}: {error}") from error
        if content is not None:
            self._layout = layout
        if layout.shares and asked == "auto":
            self._note(f"boxes of the model are from 0 to 1: taken as shares of its input, in the layout {layout.name}")
        return layout

    def _look_for_padding(self, output: NDArray[np.floating], layout: OutputLayout) -> None:
        """A model that fills up its boxes with zeros has removed others, also if it does not say so."""
        if layout.name == "end2end" and not self._metadata.has_nms and (output[0] == 0).all(axis=1).any():
            self._warn_of_own_thresholds("fills up its boxes with zeros, so it removes some itself")

    def _warn_of_own_thresholds(self, reason: str) -> None:
        config = self._config
        message = (
            f"the model {reason}: the conf, iou and max_det of its export hold ({OWN_THRESHOLDS}), so conf "
            f"{config.conf:g} can only remove more, and iou {config.iou:g} is not used; for AP export it without nms"
        )
        if message not in self.warnings:
            self.warnings.append(message)

    def _look_for_squares(self, box: Letterbox) -> None:
        """Add a note where ultralytics would pad less than is done here, which changes scores a little."""
        is_free = not (self._is_fixed or self._stretches or self._config.rect)
        if is_free and fit(box.image, self._size, self._metadata.stride).outer != box.outer:
            width, height = self._size
            self._note(
                f"the model takes any size, images were fitted into {width} x {height}; "
                f"{keyword('rect', True)} leaves out the grey that an image does not need, as ultralytics does"
            )

    def _note(self, message: str) -> None:
        if message not in self.notes:
            self.notes.append(message)

    def _best_boxes(self, boxes: BoxesFound, layout: OutputLayout, wanted: NDArray[np.bool_]) -> BoxesFound:
        config = self._config
        if layout.name in SUPPRESSED:
            return boxes.best(config.max_det, wanted)
        rows = suppress(boxes, iou=config.iou, max_boxes=config.max_det, agnostic=config.agnostic_nms, wanted=wanted)
        return boxes.take(rows)


def _onnxruntime() -> Any:
    try:
        return import_module("onnxruntime")
    except ImportError as error:
        raise ConfigError(
            'ONNX models are run by onnxruntime, which is missing: pip install "calipers[detect]"'
        ) from error


def _errors() -> tuple[type[Exception], ...]:
    state = import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    return (RuntimeError, ValueError, *(getattr(state, name) for name in ERRORS if hasattr(state, name)))


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
