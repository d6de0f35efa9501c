"""Families that write JSON, each with a frame or an order of coordinates of its own: Gemini, Qwen 2.5 and Qwen 3.

- Gemini: `{"box_2d": [y0, x0, y1, x1], "label": …}` and `{"point": [y, x], …}`, in 0 to 1000; masks are left out.
- Qwen 2.5: `{"bbox_2d": [x0, y0, x1, y1], "label": …}` in pixels of the image as the model was given it.
- Qwen 3: the same in 0 to 1000.
"""

from __future__ import annotations

from collections.abc import Callable

from calipers.core.errors import InputError
from calipers.files.answers.model_text import ParsedText, normalised, read_json, scored

MASKS = "masks are left out"
Ratio = tuple[float, float]  # above and below the line


def read_gemini(text: str) -> ParsedText:
    """Boxes and points whose y comes first."""
    parsed = read_json(text, from_gemini)
    return parsed.with_note(MASKS) if '"mask"' in text else parsed


def from_gemini(value: object) -> object:
    """An object with x before y; what has no `box_2d` or `point` is no object of Gemini, and stays as it is.

    >>> from_gemini({"box_2d": [1, 2, 3, 4], "label": "a"}), from_gemini({"bbox_2d": [1, 2, 3, 4]})
    ({'type': 'bbox_2d', 'points': [2, 1, 4, 3], 'desc': 'a'}, {'bbox_2d': [1, 2, 3, 4]})
    """
    if not isinstance(value, dict) or ("box_2d" in value) == ("point" in value):
        return value
    points = value["box_2d"] if "box_2d" in value else value["point"]
    desc = value.get("label", value.get("desc", ""))
    if "point" in value:
        points = [*points, *points] if isinstance(points, list) and len(points) == 2 else None
    if isinstance(points, list) and len(points) == 4:
        points = [points[1], points[0], points[3], points[2]]
    return {"type": "bbox_2d", "points": points, "desc": desc, **scored(value)}


def from_pixels(width: float | None, height: float | None) -> Callable[[object], object]:
    """Takes objects in pixels of an image of this size to norm1000."""
    if width is None or height is None:
        raise InputError("qwen2.5: width and height missing, expected those of the image as the model was given it")

    def shape(value: object) -> object:
        item = normalised(value)
        if item is value or not isinstance(item, dict):
            return item
        return {**item, "points": scaled(item["points"], (1000, width), (1000, height))}

    return shape


def scaled(points: object, x: Ratio, y: Ratio) -> object:
    """Flat or nested numbers times a ratio, x and y in turn; what is no number stays, and makes the object invalid."""
    if not isinstance(points, list):
        return points
    if points and all(isinstance(point, list) for point in points):
        return [scaled(point, x, y) for point in points]
    return [_times(value, y if at % 2 else x) for at, value in enumerate(points)]


def _times(value: object, ratio: Ratio) -> object:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    try:
        return value * ratio[0] / ratio[1]
    except OverflowError:  # a whole number that no float holds
        return float("inf")
