"""An ONNX model, run by onnxruntime.

The model takes one RGB image as (1, 3, height, width), float32 or float16. What it says of itself is in its metadata,
as Ultralytics writes them: `names`, `imgsz`, `stride`, `task`, and whether it suppresses boxes itself.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calipers.detectors.devices import providers
from calipers.detectors.found import Found
from calipers.detectors.layouts import Layout, choose_layout, decode
from calipers.detectors.letterbox import as_tensor, fit
from calipers.detectors.names import literal, names_in, read_names
from calipers.detectors.nms import suppress
from calipers.detectors.options import USUAL_SIZE, Config
from calipers.errors import ConfigError, InputError, require

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


class OnnxModel:
    """A model, ready to run."""

    def __init__(self, weights: str, config: Config) -> None:
        runtime = _onnxruntime()
        self.engine = f"onnxruntime {runtime.__version__}"
        self.warnings: list[str] = []
        self._weights, self._config, self._errors = weights, config, _errors()
        self._session = self._open(runtime)
        self._metadata: dict[str, str] = self._session.get_modelmeta().custom_metadata_map
        self._check_task()
        self.names = self._names()
        self._input, self._kind, self._size = self._look_at_input()
        self._layout: Layout | None = None

    def __call__(self, image: Image) -> Found:
        """What it finds, after suppression."""
        box = fit(image.size, self._size)
        output = self._run(as_tensor(image, box, self._kind))
        if self._layout is None:
            self._layout = self._choose(output.shape)
        found = decode(output, self._layout, len(self.names), self._config.conf)
        found = found.take(self._kept(found, self._layout))
        return found._replace(boxes=box.back(found.boxes))

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

    def _check_task(self) -> None:
        task = self._metadata.get("task", "detect")
        if task != "detect":
            raise ConfigError(f"{self._weights}: is a model for the task {task!r}, expected 'detect'")

    def _names(self) -> list[str]:
        """From the file that was given, else the model's own; both must be equally many."""
        text, file = self._metadata.get("names"), self._config.class_names
        own = None if text is None else names_in(text, self._weights)
        if file is None and own is None:
            raise ConfigError(
                f"{self._weights}: has no names of classes in its metadata: give them by --class-names FILE"
            )
        names = own if file is None else read_names(file)
        if own is not None and names is not None and len(names) != len(own):
            raise ConfigError(f"{file}: has {len(names)} names, expected {len(own)} as the model has")
        return list(names or [])

    def _look_at_input(self) -> tuple[str, type[np.floating], tuple[int, int]]:
        """Its name, the kind of its numbers, and its width and height."""
        inputs = self._session.get_inputs()
        shape = inputs[0].shape
        good = len(inputs) == 1 and len(shape) == 4 and inputs[0].type in KINDS
        free = [isinstance(side, str) or side is None for side in shape]
        if not (good and (free[0] or shape[0] == 1) and (free[1] or shape[1] == 3)):
            seen = ", ".join(f"{each.name} {each.type} {each.shape}" for each in inputs)
            expected = "one of float or float16 and the shape [1, 3, height, width]"
            raise ConfigError(f"{self._weights}: takes the input {seen}, expected {expected}")
        height, width = self._sides(shape[2:])
        return inputs[0].name, KINDS[inputs[0].type], (width, height)

    def _sides(self, shape: list[Any]) -> tuple[int, int]:
        """Height and width: as they are fixed in the model, else as asked for, else as the model was exported for."""
        asked = self._config.imgsz
        if all(isinstance(side, int) for side in shape):
            if asked is not None and [asked, asked] != list(shape):
                self.warnings.append(
                    f"imgsz {asked} is not used: the model's input is fixed to {shape[1]} x {shape[0]}"
                )
            return shape[0], shape[1]
        if any(isinstance(side, int) for side in shape):
            raise ConfigError(f"{self._weights}: one side of its input is fixed, {shape}, expected both or none")
        height, width = (asked, asked) if asked is not None else self._exported_sides()
        stride = _stride(self._metadata)
        for side in {height, width}:
            nearest = -(-side // stride) * stride
            require(side == nearest, "imgsz", side, f"a multiple of the model's stride {stride}, such as {nearest}")
        return height, width

    def _exported_sides(self) -> tuple[int, int]:
        sides = literal(self._metadata.get("imgsz", ""))
        sides = [sides, sides] if isinstance(sides, int) else sides
        good = isinstance(sides, (list, tuple)) and len(sides) == 2
        if good and all(type(side) is int and 0 < side <= 16384 for side in sides):
            return sides[0], sides[1]
        return USUAL_SIZE, USUAL_SIZE

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

    def _choose(self, shape: tuple[int, ...]) -> Layout:
        exported = literal(self._metadata.get("args", ""))
        suppresses = self._metadata.get("end2end") == "True" or (
            isinstance(exported, dict) and exported.get("nms") is True
        )
        asked = self._config.layout
        try:
            return choose_layout(shape, len(self.names), self._size, asked=asked, suppresses=suppresses)
        except ConfigError as error:
            raise ConfigError(f"{self._weights}: {error}") from error

    def _kept(self, found: Found, layout: Layout) -> NDArray[np.int64]:
        config = self._config
        if layout.name == "end2end":
            return np.argsort(-found.scores, kind="stable")[: config.max_det]
        return suppress(found, iou=config.iou, most=config.max_det, agnostic=config.agnostic_nms)


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


def _stride(metadata: dict[str, str]) -> int:
    stride = literal(metadata.get("stride", ""))
    return stride if type(stride) is int and 0 < stride <= 1024 else 32
