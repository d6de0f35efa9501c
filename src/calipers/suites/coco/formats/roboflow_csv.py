"""Roboflow's CSV, that of TensorFlow's object detection: a row for each box, of many images.

The header names `filename`, `width`, `height`, `class`, `xmin`, `ymin`, `xmax` and `ymax` in any order, in pixels;
predictions add `score` or `confidence`. An image without boxes has no row, so that nobody knows of it.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from calipers.core.errors import InputError
from calipers.files.encodings import decoded
from calipers.files.problems import shown
from calipers.suites.coco.formats.conversion import peek
from calipers.suites.coco.formats.converted import ImagesAndCategories
from calipers.suites.coco.formats.documents import SCORE_NOTE, Document, DocumentFolder, DocumentObject, Reader
from calipers.suites.coco.formats.pieces import MalformedError, Row
from calipers.suites.coco.formats.roboflow import find_export

FILE = "_annotations.csv"
CORNERS = ("xmin", "ymin", "xmax", "ymax")
NEEDED = ("filename", "class", *CORNERS)
SIZE = ("width", "height")
SCORES = ("score", "confidence")
LONGEST_NUMBER = 100  # characters


class BoxRow(NamedTuple):
    """A row by the names of its columns, and its line."""

    line: int
    cells: dict[str, str]


def open_folder(path: str, known: ImagesAndCategories | None, _images: str | None) -> DocumentFolder:
    """A table of boxes, or the export that it is in, before anything is read."""
    export = find_export(path, FILE)
    if export is None and os.path.isdir(path):
        raise InputError(f"{path}: found a folder, expected {FILE} in it")
    file, warnings = export or (path, [])
    return DocumentFolder(file, READER, truth=known is None, warnings=warnings)


def looks_like(path: str) -> bool:
    """Whether this is a table of boxes, or an export with one."""
    export = find_export(path, FILE)
    file = export.path if export else path
    first = peek(file).lstrip(b"\xef\xbb\xbf").partition(b"\n")[0] if file.lower().endswith(".csv") else b""
    return set(NEEDED) <= {cell.strip().strip('"').lower() for cell in first.decode("utf-8", "replace").split(",")}


def _documents(data: bytes, path: str, truth: bool) -> list[Document]:
    images: dict[str, list[BoxRow]] = {}
    for row in _rows(decoded(data, path), path):
        name = row.cells["filename"]
        if not name:
            raise InputError(f"{path}:{row.line}: filename: found nothing, expected the name of an image")
        images.setdefault(name, []).append(row)
    return [_document(name, rows, path, truth) for name, rows in images.items()]


def _rows(text: str, path: str) -> Iterator[BoxRow]:
    """Rows that hold something, each with the line it ends in."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        names = [cell.strip().lower() for cell in next(reader, [])]
        if missing := [name for name in NEEDED if names.count(name) != 1]:
            raise InputError(f"{path}:1: found the columns {shown(names)}, expected {', '.join(missing)}, each once")
        for row in reader:
            if len(row) != len(names) and any(cell.strip() for cell in row):
                raise InputError(f"{path}:{reader.line_num}: found {len(row)} cells, expected {len(names)}")
            if any(cell.strip() for cell in row):
                yield BoxRow(reader.line_num, dict(zip(names, (cell.strip() for cell in row), strict=True)))
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: not CSV: {error}") from None


def _document(name: str, rows: list[BoxRow], path: str, truth: bool) -> Document:
    objects = [_object(row, path, truth) for row in rows]
    notes = [SCORE_NOTE for row in rows if truth and _score_of(row)]
    return Document(name, partial(_size, rows[0]), objects, notes)


def _object(row: BoxRow, path: str, truth: bool) -> DocumentObject:
    if not row.cells["class"]:
        raise InputError(f"{path}:{row.line}: class: found nothing, expected the name of its class")
    shaped = partial(_box, row)
    return DocumentObject(f":{row.line}", row.cells["class"], [shaped] if truth else [partial(_score, row), shaped])


def _size(row: BoxRow) -> Row:
    """Width and height as the first row of an image has them, or nothing where they are missing."""
    if not all(row.cells.get(name) for name in SIZE):
        return {}
    size = {name: _number(row.cells[name], name, "") for name in SIZE}
    if min(size.values()) <= 0:
        pixels = f"{size['width']:g} x {size['height']:g}"
        raise InputError(f"line {row.line}: found {pixels}, expected positive numbers of pixels")
    return dict(size)


def _box(row: BoxRow) -> Row:
    left, top, right, bottom = (_number(row.cells[name], name, "bbox: not 4 numbers") for name in CORNERS)
    if right < left or bottom < top:
        name = "xmax" if right < left else "ymax"
        raise MalformedError(
            f"{name}: found {shown(row.cells[name])}, expected no less than {name.replace('max', 'min')}",
            "bbox: negative width or height",
        )
    return {"bbox": [left, top, right - left, bottom - top]}


def _score_of(row: BoxRow) -> str:
    return next((row.cells[name] for name in SCORES if row.cells.get(name)), "")


def _score(row: BoxRow) -> Row:
    text = _score_of(row)
    return {"score": _number(text, "score", "score: not a number")} if text else {}


def _number(text: str, field: str, words: str) -> float:
    try:
        number = float(text) if len(text) <= LONGEST_NUMBER and "_" not in text else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise MalformedError(f"{field}: found {shown(text)}, expected a number", words)
    return number


READER = Reader("roboflow_csv", ".csv", "", _documents)
read_shard = READER.read_shard
