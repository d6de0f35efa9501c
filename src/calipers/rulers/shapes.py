"""Shapes as a caller writes them (numbers, points, arrays; one or many) for the rulers' library functions."""

from __future__ import annotations

from calipers.core.errors import InputError
from calipers.core.matching import UNIT
from calipers.core.shapes import Objects
from calipers.kernels.scan.flatten import ObjectColumns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from calipers.kernels.scan.column import Column

EXPECTED = {
    "region": "a box of 4 numbers or a polygon of at least 3 points, numbers up to 1e100",
    "line": "at least 2 points on [0, 1000], all finite",
}


def compare(
    a: Any,
    b: Any,
    family: str,
    paired: bool,
    all_pairs: Callable[[Objects, Objects], tuple[Column, Column, Column]],
    each_pair: Callable[[Objects, Objects], Column],
) -> Any:
    """One number for one shape each; an array for several."""
    a, b = _plain(a), _plain(b)
    if _is_one(a) and _is_one(b):
        return each_pair(as_objects([a], family), as_objects([b], family))[0] / UNIT
    left, right = as_objects([a] if _is_one(a) else a, family), as_objects([b] if _is_one(b) else b, family)
    if paired:
        return _paired(left, right, each_pair)
    return _matrix(left, right, all_pairs(left, right))


def one_line(value: Any) -> Objects:
    """A single line as columns."""
    return as_objects([_plain(value)], "line")


def _paired(left: Objects, right: Objects, each_pair: Callable[[Objects, Objects], Column]) -> Any:
    import numpy as np

    if len(left) != len(right):
        raise InputError(f"paired: found {len(left)} and {len(right)} shapes, expected as many on both sides")
    return np.asarray(each_pair(left, right)) / UNIT


def _matrix(left: Objects, right: Objects, pairs: tuple[Column, Column, Column]) -> Any:
    import numpy as np

    matrix = np.zeros((len(left), len(right)))
    matrix[np.asarray(pairs[0]), np.asarray(pairs[1])] = np.asarray(pairs[2]) / UNIT
    return matrix


def _plain(value: Any) -> Any:
    """Arrays and tuples as lists; the caller's own data is left alone."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(item) if not isinstance(item, (int, float)) else item for item in value]
    return value


def _is_one(value: Any) -> bool:
    """Numbers, or points of two numbers, are one shape; anything else is a list of shapes."""
    if not isinstance(value, list) or not value:
        return not isinstance(value, list)
    return all(not isinstance(item, list) or _is_point(item) for item in value)


def _is_point(value: list[Any]) -> bool:
    return len(value) == 2 and not any(isinstance(item, list) for item in value)


def as_objects(shapes: list[Any], family: str) -> Objects:
    """Shapes as one record of columns; InputError names the first value that is no shape."""
    raw = ObjectColumns({}, framed=family == "line")
    for index, points in enumerate(shapes):
        kind = "line" if family == "line" else _region_kind(points)
        if raw.add_record([{"type": kind, "points": points, "desc": ""}], True) >= 0:
            raise InputError(f"shape {index}: found {points!r:.200}, expected {EXPECTED[family]}")
    return Objects(_as_one_record(raw))


def _as_one_record(raw: ObjectColumns) -> ObjectColumns:
    raw.join_records()
    return raw


def _region_kind(points: Any) -> str:
    flat = isinstance(points, list) and len(points) == 4 and not any(isinstance(item, list) for item in points)
    return "bbox_2d" if flat else "poly"
