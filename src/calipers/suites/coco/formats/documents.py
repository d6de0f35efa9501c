"""Formats with a document for each image, as Pascal VOC and LabelMe have, or with many in a file, as CVAT has.

The image is the one that a document names, by a path that counts from its own folder, else the one that is called like
the document. Classes go by name.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from calipers.core.errors import InputError
from calipers.core.text import whole_text
from calipers.files.folders import files_below
from calipers.files.inputs import parse_json
from calipers.files.json_checks import is_finite_number
from calipers.files.problems import shown
from calipers.suites.coco.formats.conversion import ClassNames, Conversion, known_images
from calipers.suites.coco.formats.converted import Converted, ImagesAndCategories
from calipers.suites.coco.formats.image_names import plain_name
from calipers.suites.coco.formats.pieces import (
    Fields,
    FileOf,
    FileRead,
    FileShard,
    MalformedError,
    Piece,
    Row,
    cut,
    read_files,
)

SCORE_NOTE = "objects of the ground truth have scores: are the sides swapped?"


class DocumentObject(NamedTuple):
    """An annotated or detected object in a document."""

    place: str  # in the document, as it follows the file in messages: ": object 1"
    label: str
    parts: list[Fields]  # functions that return its score and its shape as fields of COCO, in this order


class Document(NamedTuple):
    """The annotations of an image."""

    name: str  # of the image, as the document gives it; "" if it does not
    size: Fields  # width and height; nothing if the document does not tell them
    objects: list[DocumentObject]
    notes: list[str]  # about the document; equal ones are counted over all documents
    classes: Iterable[str] = ()  # that its file lists, whether there are objects of them or not


def score_field(score: Any, name: str = "score") -> Row:
    """The score of a predicted object as a field of COCO, nothing without one; MalformedError if it is no number.

    >>> score_field(1), score_field(None)
    ({'score': 1.0}, {})
    """
    if score is None:
        return {}
    if not is_finite_number(score):
        raise MalformedError(f"{name}: found {shown(score)}, expected a number", "score: not a number")
    return {"score": float(score)}


def documents_in_list(
    data: bytes, path: str, expected: str, name: str, document: Callable[[Any, str], Document]
) -> list[Document]:
    """The documents of a file that is a JSON list, each read by `document` from its entry and its place.

    Messages call the list `name`. InputError where the file is no list of `expected`, or an entry cannot be read.
    """
    entries = parse_json(data, path, expected).tree  # NaN only spoils the shape it is in
    if not isinstance(entries, list) or not entries:
        raise InputError(f"{path}: found {shown(entries)}, expected {expected}")
    try:
        return [document(entry, f"{name}[{at}]") for at, entry in enumerate(entries)]
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


class Reader(NamedTuple):
    """A format: how its files end, the folder they may be in, and how one is read."""

    format: str
    ending: str
    folder: str
    document: Callable[[bytes, str, bool], Document | list[Document]]  # of data, path and whether it is ground truth

    def open_folder(self, path: str, known: ImagesAndCategories | None, _images: str | None) -> DocumentFolder:
        """A file or a folder of them, before anything is read."""
        return DocumentFolder(path, self, truth=known is None)

    def read_shard(self, shard: FileShard) -> Piece:
        """Read the documents of one shard of files."""
        return read_files(shard, self._read_file)

    def _read_file(self, piece: Piece, file: FileOf, data: bytes) -> None:
        documents = self.document(data, file.path, piece.truth)
        for document in documents if isinstance(documents, list) else [documents]:
            _add_document(piece, file, data, document)


def _add_document(piece: Piece, file: FileOf, data: bytes, document: Document) -> None:
    piece.open(file, data, document.name)
    if piece.truth:
        piece.set_size(_size(document, file.path))
        piece.list_classes(document.classes)
    for item in document.objects:
        piece.add(item.place, whole_text(item.label), *item.parts)
    piece.notes.update(document.notes)


class DocumentFolder:
    """The documents of a format: one file, or all below a folder."""

    def __init__(
        self,
        path: str,
        reader: Reader,
        *,
        truth: bool,
        warnings: Iterable[str] = (),
        is_wanted: Callable[[str], bool] | None = None,
        find_classes: Callable[[Conversion], Iterable[str]] | None = None,
    ) -> None:
        self._path, self._reader, self._truth, self._warnings = path, reader, truth, list(warnings)
        self._find_classes = find_classes  # those of the ground truth that stand beside the documents
        self.images: list[Row] = []  # nobody knows before documents are read
        self._root, self._files = _files(path, reader)
        if is_wanted and os.path.isdir(path):
            self._files = [file for file in self._files if is_wanted(file)]
        if not self._files and truth:
            raise InputError(f"{path}: no annotations in this folder, expected files that end in {reader.ending}")

    def shards(self, most_bytes: int) -> list[FileShard]:
        """The files of this side, in shards."""
        files = (FileOf(os.path.join(self._root, file), file) for file in self._files)
        return cut("gt" if self._truth else "pred", self._reader.format, self._path, files, most_bytes)

    def converted(self, pieces: Iterable[Piece], known: ImagesAndCategories | None) -> Converted:
        """The annotations of all documents in COCO's shape."""
        conversion = Conversion(self._path, truth=self._truth)
        conversion.warnings += self._warnings
        if not self._files:
            note = f"no *{self._reader.ending} in this folder, so there are no predictions"
            conversion.warnings.append(f"{self._path}: {note}")
        listed = self._find_classes(conversion) if self._find_classes and known is None else ()
        documents = _Truth(conversion, listed) if known is None else _Predictions(conversion, known)
        for piece in pieces:
            documents.add(piece)
        counts = sorted(conversion.notes.items())
        conversion.warnings += [f"{self._path}: {note} ({count})" for note, count in counts]
        return documents.converted()


def _files(path: str, reader: Reader) -> tuple[str, list[str]]:
    """A folder and the documents below it."""
    if not os.path.isdir(path):
        return os.path.split(path)[0], [os.path.basename(path)]
    inner = os.path.join(path, reader.folder)
    root = inner if reader.folder and os.path.isdir(inner) else path
    return root, files_below(root, (reader.ending,))


class _Truth:
    """Documents that say which images and classes there are."""

    def __init__(self, conversion: Conversion, classes: Iterable[str]) -> None:
        self._conversion, self._classes = conversion, set(classes)
        self._images: dict[str, Row] = {}
        self._files: dict[str, str] = {}  # by the name of the image

    def add(self, piece: Piece) -> None:
        """Add the annotations of some documents."""
        self._conversion.add(piece, self._name, lambda label, path, place: label)
        self._classes.update(label for label, _, _ in piece.labels)

    def _name(self, file: FileRead) -> str:
        """The name of the image that a document is about."""
        name = whole_text(plain_name(_image_path(file.name, file.image)) or _stem(file.name))
        if name in self._files:
            raise InputError(f"{self._files[name]} and {file.path}: two files for the image {shown(name)}")
        self._files[name] = file.path
        size = {} if file.size is None else dict(zip(("width", "height"), map(_whole, file.size), strict=True))
        self._images[name] = {"file_name": name} | size
        return name

    def converted(self) -> Converted:
        """Images and classes are numbered in the order of their names, now that all are known."""
        images, classes = _numbered(self._images), _numbered(self._classes)
        described = [{"id": number} | self._images[name] for name, number in images.items()]
        categories = [{"id": number, "name": name} for name, number in classes.items()]
        number = images.__getitem__, classes.__getitem__
        return self._conversion.converted(described, categories, len(images), number)


class _Predictions:
    """Documents on images and classes that are known."""

    def __init__(self, conversion: Conversion, known: ImagesAndCategories) -> None:
        self._conversion, self._known = conversion, known
        self._classes = ClassNames(known.categories)
        self._names = known_images(known)

    def add(self, piece: Piece) -> None:
        """Add the annotations of some documents."""
        self._conversion.add(piece, self._image, lambda label, path, place: self._classes.find(label, path + place))

    def _image(self, file: FileRead) -> int:
        """The id of the image that a document is about."""
        place = self._names.claim(file.path, _image_path(file.name, file.image), _stem(file.name))
        return self._known.images[place]["id"]  # type: ignore[no-any-return]

    def converted(self) -> Converted:
        """The rows, with the images and categories of the ground truth."""
        return self._conversion.converted(self._known.images, self._known.categories, self._conversion.files)


def _image_path(file: str, name: str) -> str:
    r"""The path of an image that a document names, within the folder of all documents.

    >>> _image_path("day1/a.xml", "a.jpg"), _image_path("day1/a.xml", "")
    ('day1/a.jpg', '')
    >>> _image_path("json/a.json", "..\\images\\a.jpg")
    'json/../images/a.jpg'
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


def _whole(pixels: float) -> float:
    """A length of an image, as a whole number if it is one.

    >>> _whole(100.0), _whole(0.5)
    (100, 0.5)
    """
    return int(pixels) if pixels.is_integer() else pixels


def _numbered(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(sorted(names), 1)}
