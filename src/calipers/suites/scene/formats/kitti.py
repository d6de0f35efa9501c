"""KITTI's labels: a text file for each frame, a line for each object.

A line is `type truncated occluded alpha left top right bottom h w l x y z ry`, of predictions with a score at the end.
Location and turn are in the frame of the camera: x to the right, y down, z forward; x, y, z is the middle of the
bottom face, and ry turns about y, with the length along x where it is 0. Here z points up, so x is forward (z of the
camera), y is left (-x) and z is up (-y), as in KITTI's frame of the laser scanner but with the origin of the camera;
the middle of the box is half its height above the bottom, and its yaw is -ry - 90 degrees. What a line says beside the
box stays with the object. DontCare regions have no box in space and are left out with a note.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from calipers.core.errors import InputError
from calipers.files.problems import shown
from calipers.suites.scene.formats.plain import ObjectWithoutBox, PlainScene

FIELDS = (
    *("truncated", "occluded", "alpha", "left", "top", "right", "bottom"),
    *("h", "w", "l", "x", "y", "z", "ry", "score"),
)
EXPECTED = "type, 14 numbers, and of predictions a score"
IGNORED = "DontCare"
WHERE = {"center": "x, y, z", "size": "h, w, l", "rotation": "ry"}
LONGEST_NUMBER = 100  # characters
MAX_FILE_BYTES = 100_000_000  # bytes; a frame has some thousand


class KittiLine(NamedTuple):
    """A line that holds something."""

    number: int
    words: list[str]


def looks_like(head: bytes) -> bool:
    """Whether the first line is a type and 14 or 15 numbers.

    >>> looks_like(b"Car 0.00 0 -1.58 587 173 614 200 1.65 1.67 3.64 -0.65 1.71 46.70 -1.59\\n"), looks_like(b"1 2 3")
    (True, False)
    """
    first = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    name, *numbers = first.decode("utf-8", "replace").split() or [""]
    return len(numbers) in (14, 15) and math.isnan(_number(name)) and not any(map(math.isnan, map(_number, numbers)))


def plain_objects(data: bytes) -> PlainScene:
    """The objects of a frame in the order of their lines.

    >>> scene = plain_objects(b"Car 0 0 0 0 0 1 1 2 1 4 3 1.5 10 0.5\\n")
    >>> scene.objects[0]["center"], scene.objects[0]["size"], round(scene.objects[0]["rotation"]["yaw"], 4)
    ([10.0, -3.0, -0.5], [4.0, 1.0, 2.0], -2.0708)
    >>> scene.where(0, "size")
    'line 1: h, w, l'
    """
    lines = [line for line in _lines(data) if line.words[0] != IGNORED]

    def where(index: int, field: str) -> str:
        place = f"line {lines[index].number}"
        return f"{place}: {WHERE.get(field, field)}" if field else place

    return PlainScene([_object(line.words) for line in lines], where)


def left_out(data: bytes) -> str:
    """A note on regions that are not judged."""
    ignored = sum(line.words[0] == IGNORED for line in _lines(data))
    return f"{IGNORED} regions have no box in space and were left out ({ignored})" if ignored else ""


def _lines(data: bytes) -> list[KittiLine]:
    if len(data) > MAX_FILE_BYTES:
        raise InputError(f"found {len(data):,} bytes, expected at most {MAX_FILE_BYTES:,} for a frame")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"found byte 0x{data[error.start]:02x} at position {error.start}, expected text") from None
    lines = (KittiLine(number, line.split()) for number, line in enumerate(text.split("\n"), 1))
    return [line for line in lines if line.words]


def _object(words: list[str]) -> dict[str, Any]:
    label, *texts = words
    if len(texts) not in (14, 15):
        return ObjectWithoutBox(f"found {len(words)} fields, expected {EXPECTED}", label=label)
    values = dict(zip(FIELDS, map(_number, texts), strict=False))
    for name, text in zip(FIELDS, texts, strict=False):
        if math.isnan(values[name]):
            return ObjectWithoutBox(f"{name}: found {shown(text)}, expected a number", label=label)
    return {"label": label, **_box(values), **_other_fields(values)}


def _box(values: dict[str, float]) -> dict[str, Any]:
    """The box with z up, out of that in the frame of the camera."""
    height = values["h"]
    return {
        "center": [values["z"], 0.0 - values["x"], height / 2 - values["y"]],
        "size": [values["l"], values["w"], height],
        "rotation": {"yaw": -values["ry"] - math.pi / 2},
    }


def _other_fields(values: dict[str, float]) -> dict[str, Any]:
    """Fields of an object other than its box in space."""
    score = {"score": values["score"]} if "score" in values else {}
    box = [values[name] for name in ("left", "top", "right", "bottom")]
    return {**score, **{name: values[name] for name in ("truncated", "occluded", "alpha")}, "bbox_2d": box}


def _number(text: str) -> float:
    """A finite number, or NaN."""
    try:
        number = float(text) if len(text) <= LONGEST_NUMBER and "_" not in text else math.nan
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan
