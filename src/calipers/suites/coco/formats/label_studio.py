"""Label Studio's JSON: a list of tasks, one for each image.

A task has `data` with the place of its image, `annotations` and `predictions`; each of these has a `result`, a list of
shapes: `rectanglelabels` with `x`, `y`, `width`, `height` and `rotation`, or `polygonlabels` with `points`, all in
percent of `original_width` and `original_height`. A rectangle is turned clockwise around its upper left corner, and
then read as the outline that it has. Other shapes are left out with a note.

Ground truth is the annotation of a task that is marked as ground truth, else the first that was not cancelled; a note
counts the others. Predictions are the first of `predictions`, or annotations of a file that has none; the score is that
of the shape, else that of the prediction. An uploaded image is named without the eight digits that are put before it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from calipers.core.errors import InputError
from calipers.files.json_checks import is_finite_number
from calipers.files.label_studio_tasks import choose_annotation, results_of, stored_name
from calipers.files.problems import shown
from calipers.suites.coco.formats.conversion import peek_below
from calipers.suites.coco.formats.documents import Document, DocumentObject, Reader, documents_in_list, score_field
from calipers.suites.coco.formats.outlines import Points, bounds, outline, turned
from calipers.suites.coco.formats.pieces import Fields, MalformedError, Row

EXPECTED = "a Label Studio export, [{data, annotations}, …]"
MARKS = (b'"original_width"', b'"rectanglelabels"', b'"polygonlabels"', b'"completed_by"')
KINDS = ("rectanglelabels", "polygonlabels")


def looks_like(path: str) -> bool:
    """Whether this is an export of Label Studio, or a folder with one."""
    text = peek_below(path, ".json")
    return b'"data"' in text and any(mark in text for mark in MARKS)


def _documents(data: bytes, path: str, truth: bool) -> list[Document]:
    return documents_in_list(data, path, EXPECTED, "tasks", partial(_document, truth=truth))


def _document(task: Any, place: str, truth: bool) -> Document:
    if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
        raise InputError(f"{place}: found {shown(task)}, expected a task with data and annotations")
    chosen, notes = choose_annotation(task, place, truth)
    shapes = results_of(chosen, place)
    notes += [
        f"results of the type {shown(shape.get('type'))} were left out" for shape in shapes if not _is_read(shape)
    ]
    pairs = [(number, shape) for number, shape in enumerate(shapes) if _is_read(shape)]
    objects = [_object(shape, f"{place}.result[{number}]", chosen, truth) for number, shape in pairs]
    return Document(stored_name(task["data"], place, ("image",)), lambda: _size(pairs, place), objects, notes)


def _is_read(shape: Row) -> bool:
    return shape.get("type") in KINDS


def _size(pairs: list[tuple[int, Row]], place: str) -> Row:
    """Width and height as the first shape says them; nobody knows those of an image without shapes."""
    if not pairs:
        return {}
    number, shape = pairs[0]
    width, height = _pixels(shape, f"{place}.result[{number}].")
    return {"width": width, "height": height}


def _pixels(shape: Row, place: str = "") -> tuple[float, float]:
    for name in ("original_width", "original_height"):
        if not is_finite_number(shape.get(name)) or shape[name] <= 0:
            problem = f"found {shown(shape[name])}" if name in shape else "missing"
            message = f"{place}{name}: {problem}, expected a positive number of pixels"
            raise MalformedError(message, f"{name}: not known")
    return float(shape["original_width"]), float(shape["original_height"])


def _object(shape: Row, place: str, chosen: Row, truth: bool) -> DocumentObject:
    value, kind = shape.get("value"), shape["type"]
    labels = value.get(kind) if isinstance(value, dict) else None
    if not isinstance(labels, list) or len(labels) != 1 or not isinstance(labels[0], str) or not labels[0].strip():
        raise InputError(f"{place}: value.{kind}: found {shown(labels)}, expected a list of one class")
    shaped = partial(_rectangle if kind == "rectanglelabels" else _polygon, shape)
    parts: list[Fields] = [shaped] if truth else [partial(_score, shape, chosen), shaped]
    return DocumentObject(f": {place}", labels[0].strip(), parts)


def _score(shape: Row, chosen: Row) -> Row:
    return score_field(shape["score"] if shape.get("score") is not None else chosen.get("score"))


def _rectangle(shape: Row) -> Row:
    (width, height), value = _pixels(shape), shape["value"]
    x, y, wide, high = (_share(value, name) for name in ("x", "y", "width", "height"))
    left, top, right, bottom = x * width, y * height, (x + wide) * width, (y + high) * height
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    angle = 100 * _share(value, "rotation") % 360 if value.get("rotation") else 0.0
    return outline(turned(corners, corners[0], angle)) if angle else {"bbox": bounds(corners)}


def _polygon(shape: Row) -> Row:
    (width, height), points = _pixels(shape), shape["value"].get("points")
    if not isinstance(points, list) or len(points) < 3 or not all(map(_is_point, points)):
        words = "points: not pairs of numbers"
        raise MalformedError(f"value.points: found {shown(points)}, expected at least 3 of [x, y] in percent", words)
    pixels: Points = [(x / 100 * width, y / 100 * height) for x, y in points]
    return outline(pixels)


def _share(value: Row, name: str) -> float:
    """A number of percent as a share of 1."""
    number = value.get(name)
    if not is_finite_number(number):
        problem = f"found {shown(number)}" if name in value else "missing"
        raise MalformedError(f"value.{name}: {problem}, expected a number of percent", "bbox: not 4 numbers")
    return float(number) / 100


def _is_point(point: Any) -> bool:
    return isinstance(point, list) and len(point) == 2 and all(map(is_finite_number, point))


READER = Reader("label_studio", ".json", "", _documents)
open_folder, read_shard = READER.open_folder, READER.read_shard
