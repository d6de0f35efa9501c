"""CreateML's JSON, as Roboflow exports it: a list of images, each with its annotations.

An image is `{"image": name, "annotations": [{"label", "coordinates": {"x", "y", "width", "height"}}]}`, where x and y
are the middle of the box, in pixels. Predictions add `confidence` or `score` to an annotation. Sizes of images are not
told.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from calipers.core.errors import InputError
from calipers.files.json_checks import is_finite_number
from calipers.files.problems import shown
from calipers.suites.coco.formats.conversion import peek_below
from calipers.suites.coco.formats.converted import ImagesAndCategories
from calipers.suites.coco.formats.documents import (
    SCORE_NOTE,
    Document,
    DocumentFolder,
    DocumentObject,
    Reader,
    documents_in_list,
    score_field,
)
from calipers.suites.coco.formats.pieces import MalformedError, Row
from calipers.suites.coco.formats.roboflow import find_export

FILE = "_annotations.createml.json"
EXPECTED = "a CreateML file, [{image, annotations}, …]"
MARK = b'"coordinates"'
SIDES = ("x", "y", "width", "height")
SCORES = ("confidence", "score")


def open_folder(path: str, known: ImagesAndCategories | None, _images: str | None) -> DocumentFolder:
    """A CreateML file, a folder of them or an export of Roboflow, before anything is read."""
    file, warnings = find_export(path, FILE) or (path, [])
    return DocumentFolder(file, READER, truth=known is None, warnings=warnings)


def looks_like(path: str) -> bool:
    """Whether this is a file of CreateML, or a folder with one."""
    if find_export(path, FILE):
        return True
    text = peek_below(path, ".json")
    return all(mark in text for mark in (MARK, b'"image"', b'"annotations"'))


def _documents(data: bytes, path: str, truth: bool) -> list[Document]:
    return documents_in_list(data, path, EXPECTED, "", partial(_document, truth=truth))


def _document(image: Any, place: str, truth: bool) -> Document:
    name = image.get("image") if isinstance(image, dict) else None
    if not isinstance(name, str) or not name:
        problem = f".image: found {shown(name)}" if isinstance(image, dict) else f": found {shown(image)}"
        raise InputError(f"{place}{problem}, expected the name of an image")
    entries = image.get("annotations")
    if not isinstance(entries, list):
        raise InputError(f"{place}.annotations: found {shown(entries)}, expected a list")
    objects = [_object(entry, f"{place}.annotations[{at}]", truth) for at, entry in enumerate(entries)]
    notes = [SCORE_NOTE for entry in entries if truth and _find_score(entry) is not None]
    return Document(name, dict, objects, notes)


def _object(entry: Any, place: str, truth: bool) -> DocumentObject:
    label = entry.get("label") if isinstance(entry, dict) else None
    if not isinstance(label, str) or not label.strip():
        problem = f".label: found {shown(label)}" if isinstance(entry, dict) else f": found {shown(entry)}"
        raise InputError(f"{place}{problem}, expected the name of its class")
    shaped = partial(_box, entry)
    return DocumentObject(f": {place}", label.strip(), [shaped] if truth else [partial(_score, entry), shaped])


def _box(entry: Row) -> Row:
    sides = entry.get("coordinates")
    numbers: list[Any] = [sides.get(name) for name in SIDES] if isinstance(sides, dict) else []
    if not numbers or not all(map(is_finite_number, numbers)):
        expected = "expected {x, y, width, height}"
        raise MalformedError(f"coordinates: found {shown(sides)}, {expected}", "bbox: not 4 numbers")
    x, y, width, height = map(float, numbers)
    if width < 0 or height < 0:
        words = "bbox: negative width or height"
        raise MalformedError(f"coordinates: found {shown(sides)}, expected no negative width or height", words)
    return {"bbox": [x - width / 2, y - height / 2, width, height]}


def _find_score(entry: Any) -> Any:
    return next((entry[name] for name in SCORES if isinstance(entry, dict) and entry.get(name) is not None), None)


def _score(entry: Row) -> Row:
    return score_field(_find_score(entry))


READER = Reader("createml", ".json", "", _documents)
read_shard = READER.read_shard
