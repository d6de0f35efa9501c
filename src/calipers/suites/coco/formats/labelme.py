"""LabelMe: a JSON file for each image.

A file holds `imagePath`, `imageWidth`, `imageHeight` and `shapes`, each with a `label`, `points` in pixels and a
`shape_type`. A rectangle is the bounds of its corners, two in any order or all four. A polygon keeps its outline, and
its box is the bounds of that. A circle is given by its centre and a point of its rim; its outline has 32 corners. A
mask is read as its box. Points and lines have no area and are left out. Shapes labelled `__ignore__` are left out, as
LabelMe's own conversion to COCO does. Shapes of one group stay apart. Predictions add a `score` or `confidence`, in the
shape or in its flags. A file without a path is of the image called like it. Width and height may be missing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from calipers.core.errors import InputError
from calipers.files.inputs import find_doubled, parse_json
from calipers.files.json_checks import is_finite_number
from calipers.files.problems import shown
from calipers.suites.coco.formats.conversion import peek_below
from calipers.suites.coco.formats.documents import SCORE_NOTE, Document, DocumentObject, Reader, score_field
from calipers.suites.coco.formats.pieces import Fields, MalformedError, Row

CORNERS = 32  # of a circle's outline
EXPECTED = "a LabelMe file, {imagePath, imageWidth, imageHeight, shapes}"
KEYS = (b'"shapes"', b'"imagePath"', b'"imageData"', b'"imageHeight"', b'"imageWidth"', b'"shape_type"', b'"points"')
WITHOUT_AREA = ("point", "points", "line", "linestrip")
MASK_NOTE = "shapes of the type mask were read as their boxes"
IGNORED = "__ignore__"  # the label of what LabelMe's conversion scripts pass over
IGNORED_NOTE = f"shapes labelled {IGNORED} were left out, as LabelMe's conversion to COCO does"

Points = list[list[float]]


def looks_like(path: str) -> bool:
    """Whether this is a file of LabelMe, or a folder with one."""
    text = peek_below(path, ".json")  # shapes or an embedded image may hide any one of the keys
    return sum(key in text for key in KEYS) >= 2


def _document(data: bytes, path: str, truth: bool) -> Document:
    tree, _, has_doubles = parse_json(data, path, EXPECTED)  # NaN only spoils the shape it is in
    if has_doubles:
        raise InputError(f"{path}: {_doubled(tree)}, expected each once")
    try:
        return _read_document(tree, truth)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _read_document(tree: Any, truth: bool) -> Document:
    if not isinstance(tree, dict) or "shapes" not in tree:
        raise InputError(f"found {shown(tree)}, expected {EXPECTED}")
    name, shapes = tree.get("imagePath") or "", tree["shapes"]
    if not isinstance(name, str):
        raise InputError(f"imagePath: found {shown(name)}, expected the name of an image")
    if not isinstance(shapes, list):
        raise InputError(f"shapes: found {shown(shapes)}, expected a list")
    kinds = [_kind(shape) for shape in shapes]
    notes = [f"shapes of the type {kind} have no area and were left out" for kind in kinds if kind in WITHOUT_AREA]
    notes += [MASK_NOTE for kind in kinds if kind == "mask"]
    notes += [SCORE_NOTE for shape in shapes if truth and _find_score(shape)]
    notes += [IGNORED_NOTE for shape in shapes if _is_ignored(shape)]
    pairs = [pair for pair in enumerate(shapes) if _kind(pair[1]) not in WITHOUT_AREA and not _is_ignored(pair[1])]
    objects = [_object(shape, f"shapes[{place}]", truth) for place, shape in pairs]
    return Document(name, lambda: _size(tree), objects, notes)


def _doubled(tree: Any) -> str:
    try:
        place, key = find_doubled(tree) or ("", "")
    except RecursionError:
        return "a key is there twice, and something is nested too deeply"
    return f"{place}{': ' if place else ''}the key {shown(key)} is there twice"


def _kind(shape: Any) -> Any:
    """The type of a shape; the first files had none, and only polygons."""
    return (shape.get("shape_type") or "polygon") if isinstance(shape, dict) else None


def _is_ignored(shape: Any) -> bool:
    return isinstance(shape, dict) and shape.get("label") == IGNORED


def _object(shape: Any, place: str, truth: bool) -> DocumentObject:
    label = shape.get("label") if isinstance(shape, dict) else None
    if not isinstance(label, str) or not label.strip():
        problem = f".label: found {shown(label)}" if isinstance(shape, dict) else f": found {shown(shape)}"
        raise InputError(f"{place}{problem}, expected the name of its class")
    parts: list[Fields] = [lambda: {} if truth else _score(shape), lambda: _outline(shape)]
    return DocumentObject(f": {place}", label.strip(), parts)


def _size(tree: Row) -> Row:
    """Width and height, or nothing where one is missing or null: boxes need neither."""
    sides = {name: tree.get(name) for name in ("imageWidth", "imageHeight")}
    for name, value in sides.items():
        if value is not None and (not is_finite_number(value) or value <= 0):
            raise InputError(f"{name}: found {shown(value)}, expected a positive number of pixels")
    width, height = sides.values()
    return {} if width is None or height is None else {"width": width, "height": height}


def _score(shape: Row) -> Row:
    name, score = next(iter(_find_score(shape)), ("score", None))
    return score_field(score, name)


def _find_score(shape: Any) -> list[tuple[str, Any]]:
    """Scores of a shape by field name; the first one counts."""
    homes = [shape, shape.get("flags")] if isinstance(shape, dict) else []
    pairs = [(name, home.get(name)) for home in homes if isinstance(home, dict) for name in ("score", "confidence")]
    return [(name, score) for name, score in pairs if score is not None]


def _outline(shape: Row) -> Row:
    """Box and outline of a shape."""
    kind = _kind(shape)
    if not isinstance(kind, str) or kind not in SHAPES:
        raise MalformedError(
            f"shape_type: found {shown(kind)}, expected one of {', '.join(SHAPES)}", "shape_type: unknown"
        )
    return SHAPES[kind](_points(shape))


def _points(shape: Row) -> Points:
    points = shape.get("points")
    if not isinstance(points, list) or not all(_is_point(point) for point in points):
        problem = f"found {shown(points)}" if "points" in shape else "missing"
        raise MalformedError(f"points: {problem}, expected [[x, y], …]", "points: not pairs of numbers")
    return [[float(x), float(y)] for x, y in points]


def _rectangle(points: Points) -> Row:
    _require(len(points) in (2, 4), points, "2 corners of a rectangle, or 4")
    return {"bbox": _bounds(points)}


def _polygon(points: Points) -> Row:
    _require(len(points) >= 3, points, "at least 3 of a polygon")
    return {"bbox": _bounds(points), "segmentation": [[number for point in points for number in point]]}


def _circle(points: Points) -> Row:
    _require(len(points) == 2, points, "2 of a circle, its centre and one of its rim")
    [[x, y], rim] = points
    radius = math.dist([x, y], rim)
    turns = [math.tau * corner / CORNERS for corner in range(CORNERS)]
    outline = [number for turn in turns for number in (x + radius * math.cos(turn), y + radius * math.sin(turn))]
    return {"bbox": [x - radius, y - radius, 2 * radius, 2 * radius], "segmentation": [outline]}


SHAPES: dict[str, Callable[[Points], Row]] = {
    "rectangle": _rectangle,
    "polygon": _polygon,
    "circle": _circle,
    "rotation": _polygon,  # a box that is turned, by its corners
    "oriented_rectangle": _polygon,
    "mask": _rectangle,
}


def _bounds(points: Points) -> list[float]:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return [min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)]


def _require(condition: bool, points: Points, expected: str) -> None:
    if not condition:
        raise MalformedError(f"points: found {len(points)}, expected {expected}", "points: too few or too many")


def _is_point(point: Any) -> bool:
    return isinstance(point, list) and len(point) == 2 and all(map(is_finite_number, point))


READER = Reader("labelme", ".json", "", _document)
open_folder, read_shard = READER.open_folder, READER.read_shard
