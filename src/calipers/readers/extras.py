"""What a video may carry beside its states: fps, detections, signs that were read, and how long it took.

`"detections": [{"frame", "label", "box": [x1, y1, x2, y2], "score"?}]`, `"ocr": [{"frame", "text", "box"?}]`,
`"runtime": {"frames", "seconds"}`; null is the same as not there. Malformed ground truth is refused. A predicted
detection whose box cannot be read stays, as one that matches nothing; anything else malformed is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, TypeVar

from calipers.errors import InputError
from calipers.kernels.intervals import LARGEST_FRAME
from calipers.readers.problems import shown
from calipers.records import Box, Extras, Sign

Corners = tuple[float, float, float, float]
T = TypeVar("T")


def has_extras(entry: Any) -> bool:
    """Whether there is anything beside states and fps."""
    return isinstance(entry, dict) and (
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
    """Detections and signs of the ground truth."""
    extras.truth_boxes = _list(entry, "detections", _truth_box)
    extras.truth_signs = _list(entry, "ocr", _sign)


def read_pred_extras(entry: Mapping[str, Any], extras: Extras) -> None:
    """Detections, signs and runtime of a prediction."""
    extras.pred_boxes = _list(entry, "detections", _pred_box)
    extras.pred_signs = _list(entry, "ocr", _sign)
    runtime = entry.get("runtime")
    if runtime is not None:
        extras.runtime = _runtime(runtime)


def _list(entry: Mapping[str, Any], name: str, read: Callable[[Mapping[str, Any], str], T]) -> list[T] | None:
    items = entry.get(name)
    if items is None:
        return None
    _require(isinstance(items, (list, tuple)), name, items, "a list")
    for index, item in enumerate(items):
        _require(isinstance(item, Mapping), f"{name}[{index}]", item, "an object")
    return [read(item, f"{name}[{index}]") for index, item in enumerate(items)]


def _truth_box(item: Mapping[str, Any], place: str) -> Box:
    corners = _corners(item.get("box"))
    _require(corners is not None, f"{place}.box", item.get("box"), "[x1, y1, x2, y2]")
    return Box(_frame(item, place), _text(item, "label", place), corners, None)


def _pred_box(item: Mapping[str, Any], place: str) -> Box:
    score = item.get("score")
    _require(score is None or _is_number(score), f"{place}.score", score, "a number")
    label = _text(item, "label", place)
    return Box(_frame(item, place), label, _corners(item.get("box")), None if score is None else float(score))


def _sign(item: Mapping[str, Any], place: str) -> Sign:
    box = item.get("box")
    corners = _corners(box)
    _require(box is None or corners is not None, f"{place}.box", box, "[x1, y1, x2, y2]")
    return Sign(_frame(item, place), _text(item, "text", place), corners)


def _runtime(runtime: Any) -> tuple[float, float]:
    """Frames and the seconds they took."""
    _require(isinstance(runtime, Mapping), "runtime", runtime, "{frames, seconds}")
    for name in ("frames", "seconds"):
        value = runtime.get(name)
        _require(_is_number(value) and value >= 0, f"runtime.{name}", value, "a number of at least 0")
    return float(runtime["frames"]), float(runtime["seconds"])


def _frame(item: Mapping[str, Any], place: str) -> int:
    frame = item.get("frame")
    good = isinstance(frame, int) and not isinstance(frame, bool) and 0 <= frame <= LARGEST_FRAME
    _require(good, f"{place}.frame", frame, "a whole frame")
    return int(frame)  # type: ignore[arg-type]


def _text(item: Mapping[str, Any], name: str, place: str) -> str:
    _require(isinstance(item.get(name), str), f"{place}.{name}", item.get(name), "a text")
    return str(item[name])


def _corners(box: Any) -> Corners | None:
    if not isinstance(box, (list, tuple)) or len(box) != 4 or not all(_is_number(value) for value in box):
        return None
    x1, y1, x2, y2 = (float(value) for value in box)
    return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, (int, float)) and not isinstance(value, bool) and -1e100 <= value <= 1e100 and isfinite(value)
    )


def _require(condition: bool, place: str, found: Any, expected: str) -> None:
    if not condition:
        raise InputError(f"{place}: found {shown(found)}, expected {expected}")
