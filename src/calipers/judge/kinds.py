"""What each kind of shape is called, and what its numbers have to be.

A reader takes a row of values and gives back the shape, or `Unread` with the reason. Numbers are ints and floats of at
most 1e100; texts, true and NaN are none.
"""

from __future__ import annotations

from sys import intern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

NAMES = {  # without case and separators: boundingBox, BoundingBox, bounding-box and bounding_box are one
    "box": {"bbox", "boundingbox", "box", "bbox2d", "boxes", "bboxes", "boundingboxes"},
    "polygon": {"polygon", "polygons"},
    "rotated": {"rotated"},
    "line": {"line", "lines"},
    "point": {"coordinate", "coordinates", "point", "points"},
    "cuboid": {"cuboid", "cuboids"},
    "interval": {"interval", "intervals"},
}
SHARED_NAMES = {"box": {"coordinates"}, "polygon": {"points", "coordinates"}, "line": {"points", "coordinates"}}
PARTS: dict[str, dict[tuple[str, ...], str]] = {  # the numbers of a shape by their names, and the format that these say
    "box": {
        ("x1", "y1", "x2", "y2"): "xyxy",
        ("xmin", "ymin", "xmax", "ymax"): "xyxy",
        ("left", "top", "right", "bottom"): "xyxy",
        ("left", "top", "width", "height"): "xywh",
        ("x", "y", "width", "height"): "",  # the centre if the format is cxcywh, else the corner
        ("x", "y", "w", "h"): "",
        ("cx", "cy", "width", "height"): "cxcywh",
        ("cx", "cy", "w", "h"): "cxcywh",
    },
    "rotated": {("cx", "cy", "w", "h", "degrees"): "", ("cx", "cy", "width", "height", "degrees"): ""},
    "point": {("x", "y", "z"): "", ("x", "y"): ""},
    "cuboid": {("center", "size", "rotation"): "", ("center", "size"): ""},
    "interval": {("start", "end"): ""},
}
TELLING_NAMES = {  # an object with none of these neither holds a shape nor is one
    kind: frozenset(own | SHARED_NAMES.get(kind, set()) | {names[0] for names in PARTS.get(kind, ())})
    for kind, own in NAMES.items()
}
FORMATS = {"xyxy": "x1, y1, x2, y2", "xywh": "x, y, width, height", "cxcywh": "cx, cy, width, height"}
LARGEST = 1e100  # so that areas and volumes are finite
_NUMBERS = {int, float}
_NOT_NEGATIVE = "a width and height that are not negative"
_ROTATION = 'a quaternion [x, y, z, w], {"yaw": radians} or a 3 by 3 matrix'


class Unread:
    """Stands in the place of a malformed shape, with the reason."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = intern(reason)  # an answer may have millions of the same

    def __repr__(self) -> str:
        return f"Unread({self.reason!r})"


class AnswerShapes:
    """Shapes in order of appearance, the `path` to them, and `missing` if there is no place.

    `scores` are there if each shape has one, `labels` if any has one; a shape without a label has None.
    """

    __slots__ = ("labels", "missing", "notes", "path", "scores", "shapes")

    def __init__(
        self,
        shapes: list[Any],
        notes: list[str],
        path: str | None,
        scores: list[float] | None = None,
        labels: list[str | None] | None = None,
    ) -> None:
        self.shapes, self.notes, self.scores, self.labels = shapes, notes, scores, labels
        self.path, self.missing = path or "", path is None

    def holds(self) -> bool:
        """Whether there is something to measure, or a key that says there is nothing."""
        return any(type(shape) is not Unread for shape in self.shapes) or (not self.shapes and self.path != "")


def plain(key: str) -> str:
    """A key without case and separators."""
    if key.islower() and key.isalnum():
        return key
    return key.replace("_", "").replace("-", "").replace(" ", "").lower()


def by_plain_name(node: dict[Any, Any]) -> dict[str, Any]:
    """The values of an object by their keys without case and separators; of equal ones the last counts."""
    return {plain(key): value for key, value in node.items() if isinstance(key, str)}


# Readers


def read_box(row: Any, form: str) -> Any:
    """A box as x1 <= x2, y1 <= y2.

    >>> read_box([10, 20, 4, 6], "xywh"), read_box([10, 20, 4, 6], "cxcywh"), read_box([9, 9, 0, 0], "xyxy")
    ([10, 20, 14, 26], [8.0, 17.0, 12.0, 23.0], [0, 0, 9, 9])
    """
    if len(row) != 4:
        return _misfit(row, FORMATS[form])
    a, b, c, d = row
    exact = type(a) in _NUMBERS and type(b) in _NUMBERS and type(c) in _NUMBERS and type(d) in _NUMBERS
    if exact and form == "xyxy" and -LARGEST <= a <= c <= LARGEST and -LARGEST <= b <= d <= LARGEST:
        return [a, b, c, d]  # the usual case without a call
    if not all(map(is_number, row)):
        return _misfit(row, FORMATS[form])
    if form == "xyxy":
        return [min(a, c), min(b, d), max(a, c), max(b, d)]
    if c < 0 or d < 0:
        return Unread(f"found {shown(min(c, d))}, expected {_NOT_NEGATIVE}")
    return [a, b, a + c, b + d] if form == "xywh" else [a - c / 2, b - d / 2, a + c / 2, b + d / 2]


def read_rotated(row: Any, _: str) -> Any:
    """A box at an angle: cx, cy, w, h, degrees."""
    if len(row) != 5 or not all(map(is_number, row)):
        return _misfit(row, "cx, cy, w, h, degrees")
    if row[2] < 0 or row[3] < 0:
        return Unread(f"found {shown(min(row[2:4]))}, expected {_NOT_NEGATIVE}")
    return list(row)


def read_point(row: Any, _: str) -> Any:
    """A point of any dimension."""
    return list(row) if row and all(map(is_number, row)) else _misfit(row, "those of a point")


def read_interval(row: Any, unit: str) -> Any:
    """An interval that does not end before it starts; of whole frames, unless the unit is seconds.

    >>> read_interval([1, 2.5], "frames"), read_interval([1, 2.5], "seconds")
    (Unread('found 2.5, expected whole frames; in seconds with unit=seconds'), [1, 2.5])
    """
    if len(row) != 2 or not all(map(is_number, row)):
        return _misfit(row, "start, end")
    if unit != "seconds" and not all(number == int(number) for number in row):
        odd = next(number for number in row if number != int(number))
        return Unread(f"found {shown(odd)}, expected whole frames; in seconds with unit=seconds")
    if row[1] < row[0]:
        return Unread(f"found an end of {shown(row[1])}, expected at least the start, {shown(row[0])}")
    return list(row)


def read_polygon(row: Any, _: str) -> Any:
    """A polygon as x, y, x, y, …, given like that or as points.

    >>> read_polygon([[0, 0], [9, 0], {"x": 9, "y": 9}], "")
    [0, 0, 9, 0, 9, 9]
    """
    return _vertices(row, 3)


def read_line(row: Any, _: str) -> Any:
    """A line as x, y, x, y, …, given like that or as points."""
    return _vertices(row, 2)


def _vertices(row: Any, min_points: int) -> Any:
    expected = f"at least {min_points} points"
    flat: list[Any] = []
    if not any(isinstance(item, (list, tuple, dict)) for item in row):
        flat += row
    else:
        for place, item in enumerate(row):
            point = point_in(item)
            if point is None or len(point) != 2 or not all(map(is_number, point)):
                return Unread(f"point {place}: {_misfit(() if point is None else point, 'x, y').reason}")
            flat += point
    if len(flat) % 2 or not all(map(is_number, flat)):
        return _misfit(flat, f"x, y of {expected}")
    return flat if len(flat) >= 2 * min_points else Unread(f"found {len(flat) // 2} points, expected {expected}")


def point_in(value: Any) -> Any:
    """The numbers of what may be a point of a polygon or a line: a short list, or an object with x and y."""
    if isinstance(value, dict):
        named = by_plain_name(value)
        return [named["x"], named["y"]] if "x" in named and "y" in named else None
    short = isinstance(value, (list, tuple)) and len(value) < 4  # four numbers may be a line themselves
    return value if short and not any(isinstance(item, (list, tuple, dict)) for item in value) else None


def read_cuboid(row: Any, _: str) -> Any:
    """A box in space as 6 or 7 numbers or, from center, size and maybe rotation, as an object of these three.

    >>> read_cuboid([[0, 0, 1], [1, 1, 2]], "")
    {'center': [0, 0, 1], 'size': [1, 1, 2], 'rotation': None}
    """
    if len(row) in (6, 7) and all(map(is_number, row)):
        return list(row) if min(row[3:6]) > 0 else Unread(f"size: found {shown(min(row[3:6]))}, expected above 0")
    if len(row) not in (2, 3) or not isinstance(row[0], (list, tuple)):
        return _misfit(row, "6 or 7")
    center, size, rotation = (*row, None)[:3]
    for name, part in (("center", center), ("size", size)):
        if not isinstance(part, (list, tuple)) or len(part) != 3 or not all(map(is_number, part)):
            return Unread(f"{name}: found {shown(part)}, expected 3 numbers")
    if min(size) <= 0:
        return Unread(f"size: found {shown(min(size))}, expected above 0")
    if not _is_rotation(rotation):
        return Unread(f"rotation: found {shown(rotation)}, expected {_ROTATION}")
    return {"center": list(center), "size": list(size), "rotation": rotation}


def _is_rotation(value: Any) -> bool:
    """Whether the parts of a rotation are there; whether they make one is for the ruler to say."""
    if value is None or isinstance(value, dict):
        return value is None or (value.keys() == {"yaw"} and is_number(value["yaw"]))
    if not isinstance(value, (list, tuple)) or len(value) not in (3, 4):
        return False
    if len(value) == 4:
        return all(map(is_number, value))
    return all(isinstance(row, (list, tuple)) and len(row) == 3 and all(map(is_number, row)) for row in value)


READERS: dict[str, Callable[[Any, str], Any]] = {
    "box": read_box,
    "polygon": read_polygon,
    "rotated": read_rotated,
    "line": read_line,
    "point": read_point,
    "cuboid": read_cuboid,
    "interval": read_interval,
}


def is_number(value: Any) -> bool:
    """Whether a value can be measured with."""
    if type(value) in _NUMBERS or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        return bool(-LARGEST <= value <= LARGEST)  # NaN is not
    return False


def _misfit(row: Any, expected: str) -> Unread:
    """What is wrong with a row of values."""
    for value in row:
        if not is_number(value):
            return Unread(f"found {shown(value)}, expected a number")
    return Unread(f"found {len(row)} number{'s' * (len(row) != 1)}, expected {expected}")


def shown(value: Any) -> str:
    """A value in a few words, however large it is.

    >>> shown("12"), shown(True), shown([1, 2]), shown(10**400)
    ("the text '12'", 'true', 'a list', 'a number beyond 1e+100')
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return f"the text {value[:40]!r}{'…' * (len(value) > 40)}"
    if isinstance(value, (int, float)):
        return "NaN" if value != value else f"{value}" if is_number(value) else f"a number beyond {LARGEST:g}"
    if isinstance(value, (list, tuple, dict)):
        return "an object" if isinstance(value, dict) else "a list"
    return "nothing" if type(value) is object else f"a {type(value).__name__}"
