"""What a video may carry beside its states: fps, detections, signs that were read, and how long it took.

`"detections": [{"frame", "label", "box": [x1, y1, x2, y2], "score"?}]`, `"ocr": [{"frame", "text", "box"?}]`,
`"runtime": {"frames", "seconds"}`; null is the same as not there. Corners of a box may come in any order. Malformed
ground truth is refused. A predicted detection whose box cannot be read stays, as one that matches nothing; anything
else malformed is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any, TypeVar

from calipers.core.errors import InputError
from calipers.files.problems import shown
from calipers.kernels.scan.intervals import LARGEST_FRAME
from calipers.suites.timeline.columns import Box, Extras, Sign

MIN_SECONDS = 1e-9  # a shorter runtime is no measurement, and would make a rate that is not finite
Corners = tuple[float, float, float, float]
T = TypeVar("T")


def has_extras(entry: Any) -> bool:
    """Whether there is anything beside states and fps."""
    return isinstance(entry, (dict, Mapping)) and (
        entry.get("detections") is not None or entry.get("ocr") is not None or entry.get("runtime") is not None
    )


def read_fps(entry: Mapping[str, Any]) -> float | None:
    """Frames a second; zero and less is not known."""
    fps = entry.get("fps")
    if fps is None:
        return None
    good = _is_number(fps) and (fps <= 0 or 0.001 <= fps <= 1_000_000)
    _require(good, "fps", fps, "a number from 0.001 to 1000000, or 0 where it is not known")
    return float(fps) if fps > 0 else None


def read_truth_extras(entry: Mapping[str, Any], extras: Extras) -> None:
    """Detections and signs of the ground truth; a runtime there means nothing, but has to be one."""
    extras.truth_boxes = _list(entry, "detections", _truth_box)
    extras.truth_signs = _list(entry, "ocr", _sign)
    _runtime(entry.get("runtime"))


def read_pred_extras(entry: Mapping[str, Any], extras: Extras) -> None:
    """Detections, signs and runtime of a prediction."""
    extras.pred_boxes = _list(entry, "detections", _pred_box)
    extras.pred_signs = _list(entry, "ocr", _sign)
    extras.runtime = _runtime(entry.get("runtime"))


def _list(entry: Mapping[str, Any], name: str, read: Callable[[Mapping[str, Any]], T]) -> list[T] | None:
    items = entry.get(name)
    if items is None:
        return None
    _require(isinstance(items, (list, tuple)), name, items, "a list")
    checked = []
    for index, item in enumerate(items):
        _require(isinstance(item, (dict, Mapping)), f"{name}[{index}]", item, "an object")
        try:
            checked.append(read(item))
        except InputError as error:
            raise InputError(f"{name}[{index}].{error}") from None
    return checked


def _truth_box(item: Mapping[str, Any]) -> Box:
    corners = _corners(item.get("box"))
    _require(corners is not None, "box", item.get("box"), "[x1, y1, x2, y2]")
    return Box(_frame(item), _text(item, "label"), corners, None)


def _pred_box(item: Mapping[str, Any]) -> Box:
    score = item.get("score")
    _require(score is None or _is_number(score), "score", score, "a number")
    return Box(_frame(item), _text(item, "label"), _corners(item.get("box")), None if score is None else float(score))


def _sign(item: Mapping[str, Any]) -> Sign:
    box = item.get("box")
    corners = _corners(box)
    _require(box is None or corners is not None, "box", box, "[x1, y1, x2, y2]")
    return Sign(_frame(item), _text(item, "text"), corners)


def _runtime(runtime: Any) -> tuple[float, float] | None:
    """Frames and the seconds they took; no time at all was not measured."""
    if runtime is None:
        return None
    _require(isinstance(runtime, Mapping), "runtime", runtime, "{frames, seconds}")
    for name in ("frames", "seconds"):
        value = runtime.get(name)
        _require(_is_number(value) and value >= 0, f"runtime.{name}", value, "a number of at least 0")
    frames, seconds = float(runtime["frames"]), float(runtime["seconds"])
    return (frames, seconds) if seconds >= MIN_SECONDS else None


def _frame(item: Mapping[str, Any]) -> int:
    frame: Any = item.get("frame")
    whole = isinstance(frame, (int, Integral)) and not isinstance(frame, bool)
    _require(whole and 0 <= int(frame) <= LARGEST_FRAME, "frame", frame, "a whole frame")
    return int(frame)


def _text(item: Mapping[str, Any], name: str) -> str:
    text = item.get(name)
    _require(isinstance(text, str), name, text, "a text")
    return str(text)


def _corners(box: Any) -> Corners | None:
    if not isinstance(box, (list, tuple)):
        box = box.tolist() if hasattr(box, "tolist") else ()  # an array
    if not isinstance(box, (list, tuple)) or len(box) != 4 or not all(map(_is_number, box)):
        return None
    x1, y1, x2, y2 = map(float, box)
    return x1, y1, x2, y2


def _is_number(value: Any) -> bool:
    """Finite, also as squared."""
    if isinstance(value, bool) or not isinstance(value, (float, int, Real)):
        return False
    return -1e100 <= (value if isinstance(value, int) else float(value)) <= 1e100


def _require(condition: bool, place: str, value: Any, expected: str) -> None:
    if not condition:
        raise InputError(f"{place}: found {shown(value)}, expected {expected}")
