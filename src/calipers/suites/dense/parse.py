"""A line of a dump to its record, by a JSON library; and a record to the objects of both sides."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import orjson

from calipers.core.errors import keyword
from calipers.files.answers.missing_field import listed_fields
from calipers.files.json_checks import REPEATED_TOO_DEEP, as_object, check_memory, repeats_keys
from calipers.files.problems import json_problem, shown

MAX_IMAGE_SIDE = 1e9
LONGEST_INT = 4000  # digits; more take Python too long, and no float holds them


class Refusal(NamedTuple):
    """Why a record is refused, and the value at fault as a message shows it."""

    problem: str
    value: str = ""


class RecordSides(NamedTuple):
    """The objects of a record as they were written, and the size of the frame that they are in."""

    truth_name: str  # of the field
    truth: list[Any]
    pred: list[Any]
    width: float
    height: float


def record_of(text: bytes) -> Any:
    """The value of a line; None if it is not JSON."""
    check_memory(text)
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return _parse_with_nan(text.strip())


def parse_line(text: bytes) -> tuple[Any, str]:
    """A line that is JSON, objects that give a key twice as `RepeatedKeyDict`; or what is wrong with it."""
    check_memory(text)
    try:
        record = orjson.loads(text)
    except orjson.JSONDecodeError:
        record = _parse_with_nan(text)
        return record, json_problem(text) if record is None else ""
    if not repeats_keys(text, record):
        return record, ""
    record = _parse_with_nan(text)
    return record, REPEATED_TOO_DEEP if record is None else ""


def _parse_with_nan(text: bytes) -> Any:
    """A line that is JSON but for NaN, Infinity or numbers beyond floats, which only spoil the object they are in.

    Objects that give a key twice are `RepeatedKeyDict`.
    """
    try:
        record = json.loads(text.decode("utf-8"), parse_int=_int, object_pairs_hook=as_object)
        json.dumps(record, ensure_ascii=False).encode("utf-8")  # half of a surrogate pair is not text
    except (ValueError, RecursionError):
        return None
    return record


def _int(digits: str) -> int | float:
    return int(digits) if len(digits) < LONGEST_INT else float(digits)


def side_names(record: dict[str, Any], frame: str) -> tuple[str, str, str]:
    """The names of ground truth and predictions, or what is wrong."""
    if frame == "pixel":
        truth, pred = "gt", "pred"
    else:
        if "coord_mode" in record and record["coord_mode"] == "pixel":
            return "", "", f'coord_mode: found "pixel", expected norm1000 coordinates ({_in_pixels()})'
        truth = "gt_norm1000" if "gt_norm1000" in record else "gt_norm"
        pred = "pred_norm1000" if "pred_norm1000" in record else "pred"
    if truth not in record:
        return "", "", _missing_truth(record, frame)
    if pred not in record:
        expected = "pred" if frame == "pixel" else "pred_norm1000 or pred"
        return "", "", f"no predictions: expected {expected}, a list (empty when nothing was predicted){_found(record)}"
    return truth, pred, ""


def _missing_truth(record: dict[str, Any], frame: str) -> str:
    if frame == "pixel":
        return f"no ground truth: expected gt, a list of objects in pixels{_found(record)}"
    if "gt" in record:
        return f"only gt in pixels, expected gt_norm1000 ({_in_pixels()} of width and height)"
    return f"no ground truth: expected gt_norm1000 (or gt_norm), a list of objects{_found(record)}"


def _found(record: dict[str, Any]) -> str:
    return f"; {listed_fields(list(record))}" if record else ""


def image_size(record: dict[str, Any]) -> tuple[float, float, str]:
    """Width and height of the image of a record, or what is wrong."""
    sizes = []
    for name in ("width", "height"):
        value = record.get(name)
        if name not in record:
            return 0.0, 0.0, f"{name}: missing, expected a positive number, to read pixels"
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= MAX_IMAGE_SIDE:
            return 0.0, 0.0, f"{name}: found {shown(value)}, expected a positive number, to read pixels"
        sizes.append(float(value))
    return sizes[0], sizes[1], ""


def _in_pixels() -> str:
    return f"{keyword('frame', 'pixel')} reads gt and pred as pixels"


def record_sides(record: dict[str, Any], frame: str) -> RecordSides | Refusal:
    """The lists of objects of a record and the frame that they are in, or what is wrong with them."""
    truth_name, pred_name, problem = side_names(record, frame)
    width = height = 1000.0
    if not problem and frame == "pixel":
        width, height, problem = image_size(record)
    if problem:
        return Refusal(problem)
    truth, pred = record[truth_name], record[pred_name]
    if isinstance(truth, list) and isinstance(pred, list):
        return RecordSides(truth_name, truth, pred, width, height)
    name = pred_name if isinstance(truth, list) else truth_name
    is_answer = name == pred_name and isinstance(pred, str)
    hint = f", which {keyword('answers', 'auto')} reads as the answer of a model" if is_answer else ""
    return Refusal(f"{name}: not a list, expected a list of objects", shown(record[name]) + hint)
