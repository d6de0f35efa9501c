"""Formats with a document for each image: Pascal VOC and LabelMe.

The image is the one that a document names, by a path that counts from its own folder, else the one that is called like
the document. Classes go by name.
"""

from __future__ import annotations

import os
import posixpath
from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from calipers.errors import InputError
from calipers.readers.conversion import ClassNames, Conversion, Part, Row, known_images
from calipers.readers.converted import Converted, Known
from calipers.readers.image_names import files_below, plain_name
from calipers.readers.problems import shown
from calipers.text import whole_text

SCORE_NOTE = "objects of the ground truth have scores: are the sides swapped?"


class Thing(NamedTuple):
    """An object in a document."""

    place: str  # in the document, as it follows the file in messages: ": object 1"
    label: str
    parts: list[Part]


class Document(NamedTuple):
    """The annotations of an image."""

    name: str  # of the image, as the document gives it; "" if it does not
    size: Part  # width and height
    things: list[Thing]
    notes: list[str]  # what has to be said of it; equal ones are counted over all documents


class Reader(NamedTuple):
    """A format: how its files end, the folder they may be in, and how one is read."""

    ending: str
    folder: str
    document: Callable[[bytes, str, bool], Document]  # of data, path and whether it is ground truth


def read_documents(path: str, known: Known | None, reader: Reader) -> Converted:
    """All documents of a format below a folder, or the one in a file."""
    conversion = Conversion(path, known)
    documents = _Truth(conversion) if known is None else _Predictions(conversion, known)
    root, files = _files(path, reader)
    if not files and known is None:
        raise InputError(f"{path}: no annotations in this folder, expected files that end in {reader.ending}")
    if not files:
        conversion.warnings.append(f"{path}: no *{reader.ending} in this folder, so there are no predictions")
    notes = Counter[str]()
    for file in files:
        place = os.path.join(root, file)
        document = reader.document(conversion.read(place), place, known is None)
        documents.add(file, place, document)
        notes.update(document.notes)
    conversion.warnings += [f"{path}: {note} ({count})" for note, count in sorted(notes.items())]
    return documents.converted(len(files))


def _files(path: str, reader: Reader) -> tuple[str, list[str]]:
    """A folder and the documents below it."""
    if not os.path.isdir(path):
        return os.path.split(path)[0], [os.path.basename(path)]
    inner = os.path.join(path, reader.folder)
    root = inner if reader.folder and os.path.isdir(inner) else path
    return root, files_below(root, (reader.ending,))


class _Truth:
    """Documents that say which images and classes there are."""

    def __init__(self, conversion: Conversion) -> None:
        self._conversion = conversion
        self._images: dict[str, Row] = {}
        self._files: dict[str, str] = {}  # by the name of the image

    def add(self, file: str, path: str, document: Document) -> None:
        """One document; `file` is its path within the folder."""
        name = whole_text(plain_name(_beside(file, document.name)) or _stem(file))
        if name in self._files:
            raise InputError(f"{self._files[name]} and {path}: two files for the image {shown(name)}")
        self._files[name] = path
        self._images[name] = {"file_name": name} | _size(document, path)
        for thing in document.things:
            row = {"image_id": name, "category_id": whole_text(thing.label)}
            self._conversion.add(path, thing.place, row, *thing.parts)

    def converted(self, _: int) -> Converted:
        """Images and classes are numbered in the order of their names, now that all are known."""
        rows = self._conversion.rows
        images = _numbered(self._images)
        classes = _numbered({row["category_id"] for row in rows})
        for row in rows:
            row["image_id"], row["category_id"] = images[row["image_id"]], classes[row["category_id"]]
        described = [{"id": number} | self._images[name] for name, number in images.items()]
        categories = [{"id": number, "name": name} for name, number in classes.items()]
        return self._conversion.converted(described, categories, len(images))


class _Predictions:
    """Documents on images and classes that are known."""

    def __init__(self, conversion: Conversion, known: Known) -> None:
        self._conversion, self._known = conversion, known
        self._classes = ClassNames(known.categories)
        self._names = known_images(known)

    def add(self, file: str, path: str, document: Document) -> None:
        """One document; `file` is its path within the folder."""
        image = self._known.images[self._names.claim(path, _beside(file, document.name), _stem(file))]
        for thing in document.things:
            category = self._classes.find(whole_text(thing.label), path + thing.place)
            self._conversion.add(path, thing.place, {"image_id": image["id"], "category_id": category}, *thing.parts)

    def converted(self, files: int) -> Converted:
        """What the ground truth knows, and the rows."""
        return self._conversion.converted(self._known.images, self._known.categories, files)


def _beside(file: str, name: str) -> str:
    r"""The path of an image that a document names, within the folder of all documents.

    >>> _beside("day1/a.xml", "a.jpg"), _beside("json/a.json", "..\\images\\a.jpg"), _beside("day1/a.xml", "")
    ('day1/a.jpg', 'json/../images/a.jpg', '')
    """
    name = name.replace("\\", "/")
    return posixpath.join(posixpath.dirname(file), name) if name and name[1:2] != ":" else name


def _stem(file: str) -> str:
    return posixpath.splitext(file)[0]


def _size(document: Document, path: str) -> Row:
    try:
        return document.size()
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _numbered(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(sorted(names), 1)}
