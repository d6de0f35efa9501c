"""Supervisely's image exports: `meta.json`, and for each data set `ann/` with a JSON file for each image.

A file is called like its image, `a.jpg.json`, and holds `size` and `objects`, each with a `classTitle` and a
`geometryType`: a `rectangle` has two corners and a `polygon` its outline as `points.exterior`; a `bitmap` is a PNG,
packed as base64 of zlib, and its `origin`, and is read as its box. Holes of polygons are filled, with a note. Other
geometry is left out with a note. Predictions have a tag `confidence` or `score`. Classes of `meta.json` are classes,
also without objects.
"""

from __future__ import annotations

import base64
import binascii
import os
import struct
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

from calipers.core.errors import InputError
from calipers.files.folders import few_files_below
from calipers.files.inputs import parse_json
from calipers.files.json_checks import is_finite_number
from calipers.files.problems import shown
from calipers.suites.coco.formats.conversion import Conversion, peek
from calipers.suites.coco.formats.converted import ImagesAndCategories
from calipers.suites.coco.formats.documents import (
    SCORE_NOTE,
    Document,
    DocumentFolder,
    DocumentObject,
    Reader,
    score_field,
)
from calipers.suites.coco.formats.outlines import Points, bounds, outline
from calipers.suites.coco.formats.pieces import MalformedError, Row

META, FOLDER = "meta.json", "ann"
EXPECTED = "a Supervisely annotation of an image, {size, objects}"
PEEKED_FILES = 50
SCORES = ("confidence", "score")
BITMAP_NOTE = "objects of the geometryType bitmap were read as their boxes"
HOLES_NOTE = "holes of polygons were filled"
PNG = b"\x89PNG\r\n\x1a\n"
HEADER = 24  # bytes of a PNG up to its height
PACKED = 400  # characters of base64 that surely hold these


def open_folder(path: str, known: ImagesAndCategories | None, _images: str | None) -> DocumentFolder:
    """A project, a data set or a file, before anything is read."""
    listed = partial(_listed_classes, os.path.join(path, META))
    return DocumentFolder(path, READER, truth=known is None, is_wanted=_is_annotation, find_classes=listed)


def _listed_classes(path: str, conversion: Conversion) -> list[str]:
    """The classes of a project that can be drawn as boxes or outlines, also those without objects."""
    if not os.path.isfile(path):
        return []
    tree = parse_json(conversion.read(path), path, "a Supervisely meta.json, {classes, tags}").tree
    classes = tree.get("classes") if isinstance(tree, dict) else None
    entries = [entry for entry in classes if isinstance(entry, dict)] if isinstance(classes, list) else []
    titles = [entry.get("title") for entry in entries if entry.get("shape", "any") in (*SHAPES, "any")]
    return [title.strip() for title in titles if isinstance(title, str) and title.strip()]


def _is_annotation(name: str) -> bool:
    """Whether a file in a project is one of annotations: others describe classes and keys."""
    folder, _, file = name.rpartition("/")
    return folder.rpartition("/")[2] == FOLDER or (not folder and file != META)


def looks_like(path: str) -> bool:
    """Whether this is an annotation of an image, or a project with one."""
    if os.path.isdir(path):
        names = (
            os.path.relpath(file, path).replace(os.sep, "/") for file in few_files_below(path, ".json", PEEKED_FILES)
        )
        file = next((os.path.join(path, name) for name in names if _is_annotation(name)), "")
    else:
        file = path
    text = peek(file) if file.lower().endswith(".json") else b""
    return b'"size"' in text and b'"objects"' in text and (b'"geometryType"' in text or is_empty(text))


def is_empty(text: bytes) -> bool:
    """Whether the annotation of an image has no objects, as Supervisely writes it."""
    return b'"objects":[]' in text.replace(b" ", b"") and b'"height"' in text and b'"tags"' in text


def _document(data: bytes, path: str, truth: bool) -> Document:
    tree = parse_json(data, path, EXPECTED).tree  # NaN only spoils the object it is in
    try:
        return _read_document(tree, os.path.basename(path), truth)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _read_document(tree: Any, file: str, truth: bool) -> Document:
    if not isinstance(tree, dict) or "objects" not in tree:
        raise InputError(f"found {shown(tree)}, expected {EXPECTED}")
    objects = tree["objects"]
    if not isinstance(objects, list) or not all(isinstance(item, dict) for item in objects):
        raise InputError(f"objects: found {shown(objects)}, expected a list of objects")
    kinds = [_kind(item) for item in objects]
    notes = [f"objects of the geometryType {kind} were left out" for kind in kinds if kind not in SHAPES]
    notes += [BITMAP_NOTE for kind in kinds if kind == "bitmap"]
    notes += [HOLES_NOTE for item in objects if _kind(item) == "polygon" and _interior(item)]
    notes += [SCORE_NOTE for item in objects if truth and _find_score(item) is not None]
    pairs = [pair for pair in enumerate(objects) if _kind(pair[1]) in SHAPES]
    read = [_object(item, f"objects[{place}]", truth) for place, item in pairs]
    image = file.removesuffix(".json")
    return Document(f"../img/{image}", partial(_size, tree), read, notes)


def _kind(item: Row) -> str:
    kind = item.get("geometryType")
    return kind if isinstance(kind, str) and kind in SHAPES else shown(kind)


def _object(item: Row, place: str, truth: bool) -> DocumentObject:
    label = item.get("classTitle")
    if not isinstance(label, str) or not label.strip():
        raise InputError(f"{place}.classTitle: found {shown(label)}, expected the name of its class")
    shaped = partial(SHAPES[item["geometryType"]], item)
    return DocumentObject(f": {place}", label.strip(), [shaped] if truth else [partial(_score, item), shaped])


def _size(tree: Row) -> Row:
    size = tree.get("size")
    sides: list[Any] = [size.get(name) for name in ("width", "height")] if isinstance(size, dict) else []
    if not sides or not all(is_finite_number(side) and side > 0 for side in sides):
        raise InputError(f"size: found {shown(size)}, expected {{width, height}} in pixels")
    return dict(zip(("width", "height"), map(float, sides), strict=True))


def _find_score(item: Row) -> Any:
    """The value of a tag that is a score, or a field of the object."""
    tags: Any = item.get("tags")
    tag_objects = [tag for tag in tags if isinstance(tag, dict)] if isinstance(tags, list) else []
    values = [tag.get("value") for name in SCORES for tag in tag_objects if tag.get("name") == name]
    values += [item.get(name) for name in SCORES]
    return next((value for value in values if value is not None), None)


def _score(item: Row) -> Row:
    return score_field(_find_score(item), "confidence")


def _rectangle(item: Row) -> Row:
    points = _exterior(item)
    if len(points) != 2:
        words = "points: too few or too many"
        raise MalformedError(f"points.exterior: found {len(points)}, expected 2 corners", words)
    return {"bbox": bounds(points)}


def _polygon(item: Row) -> Row:
    points = _exterior(item)
    if len(points) < 3:
        words = "points: too few or too many"
        raise MalformedError(f"points.exterior: found {len(points)}, expected at least 3", words)
    return outline(points)


def _exterior(item: Row) -> Points:
    points = item.get("points")
    exterior = points.get("exterior") if isinstance(points, dict) else None
    if not isinstance(exterior, list) or not all(map(_is_point, exterior)):
        words = "points: not pairs of numbers"
        raise MalformedError(f"points.exterior: found {shown(exterior)}, expected [[x, y], …]", words)
    return [(float(x), float(y)) for x, y in exterior]


def _interior(item: Row) -> Any:
    points = item.get("points")
    return points.get("interior") if isinstance(points, dict) else None


def _bitmap(item: Row) -> Row:
    """The box of a bitmap: its origin, and the size that the header of its PNG says. No more of it is unpacked."""
    bitmap = item.get("bitmap")
    origin, data = (bitmap.get(name) if isinstance(bitmap, dict) else None for name in ("origin", "data"))
    if not isinstance(origin, list) or not _is_point(origin):
        raise MalformedError(f"bitmap.origin: found {shown(origin)}, expected [x, y]", "bitmap: no origin")
    try:
        packed = base64.b64decode(data[:PACKED] if isinstance(data, str) else "", validate=True)
        header = zlib.decompressobj().decompress(packed, HEADER)
    except (binascii.Error, zlib.error, ValueError):
        header = b""
    if len(header) < HEADER or not header.startswith(PNG):
        raise MalformedError(f"bitmap.data: found {shown(data)}, expected a PNG as base64 of zlib", "bitmap: no PNG")
    width, height = struct.unpack(">II", header[16:24])
    return {"bbox": [float(origin[0]), float(origin[1]), float(width), float(height)]}


SHAPES: dict[Any, Callable[[Row], Row]] = {"rectangle": _rectangle, "polygon": _polygon, "bitmap": _bitmap}


def _is_point(point: Any) -> bool:
    return isinstance(point, list) and len(point) == 2 and all(map(is_finite_number, point))


READER = Reader("supervisely", ".json", "", _document)
read_shard = READER.read_shard
