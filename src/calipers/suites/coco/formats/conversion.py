"""From files of annotations to rows of COCO: what the converters of all formats share.

Without `known` a converter reads ground truth, where whatever is wrong is an error; with it predictions, where an
object that cannot be read stays a row with its problem. An image or a class that the ground truth does not know is an
error on both sides, for such an object belongs nowhere.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any, Protocol

import numpy as np

from calipers.core.errors import InputError
from calipers.core.text import whole_text
from calipers.files.folders import few_files_below
from calipers.files.inputs import InputFile, folder_digest, read_bytes
from calipers.files.problems import shown
from calipers.suites.coco.columns import Whole
from calipers.suites.coco.formats.converted import Columns, Converted, ImagesAndCategories
from calipers.suites.coco.formats.image_names import ImageNames
from calipers.suites.coco.formats.pieces import FileRead, FileShard, Piece, Row
from calipers.suites.coco.formats.rows import plain

PEEKED = 4096  # bytes
Number = Callable[[Any], Any]  # an image or a class, as it was noted -> its id
FindImage = Callable[[FileRead], Any]
FindClass = Callable[[str, str, str], Any]  # label, path and place


class Folder(Protocol):
    """One side in some format, before its files are read."""

    images: list[Row]  # those that are known before

    def shards(self, most_bytes: int) -> list[FileShard]:
        """The files of this side, in shards."""

    def converted(self, pieces: Iterable[Piece], known: ImagesAndCategories | None) -> Converted:
        """The rows, images and categories of all files, from their pieces in order."""


def peek(path: str) -> bytes:
    """The beginning and the end of a file, to tell its format; nothing of one that cannot be read."""
    try:
        with open(path, "rb") as file:
            head = file.read(PEEKED)
            file.seek(max(os.path.getsize(path) - PEEKED, len(head)))
            return head + file.read(PEEKED)
    except OSError:
        return b""


def peek_below(path: str, ending: str) -> bytes:
    """The beginning and the end of a file with this ending, or of the first below a folder; nothing without one."""
    [file] = (few_files_below(path, ending) or [""]) if os.path.isdir(path) else [path]
    return peek(file) if file.lower().endswith(ending) else b""


class Conversion:
    """Rows of one side, as its pieces come."""

    def __init__(self, path: str, *, truth: bool) -> None:
        self.path, self.truth = path, truth
        self.warnings: list[str] = []
        self.files = self.beyond = 0
        self.notes = Counter[str]()
        self._images: list[Any] = []  # (rows,) as they were noted
        self._classes: list[Any] = []
        self._texts: list[bytes] = []
        self._places: list[str] = []
        self._problems: dict[int, str] = {}
        self._digests: list[tuple[str, str]] = []
        self._folders: dict[str, str] = {}  # of files, as what names of files within what was given begin with

    def read(self, path: str) -> bytes:
        """What a file beside the annotations holds, which is then part of the digest."""
        data = read_bytes(path)
        self._digests.append((self._relative(path), sha256(data).hexdigest()))
        return data

    def add(self, piece: Piece, image: FindImage, find: FindClass) -> None:
        """A piece: the image of each file and the class of each label are looked up in the order they were met."""
        images, classes, labels = [], [], _by_file(piece)
        for number, file in enumerate(piece.files):
            images.append(image(file))
            classes += [find(label, file.path, place) for label, place in labels.get(number, ())]
        if piece.error is not None:
            raise InputError(piece.error)
        first = len(self._places)
        for (begin, end), file, image_id in zip(_spans(piece), piece.files, images, strict=True):
            self._images += [image_id] * (end - begin)
            name = self._relative(file.path)
            if self._digests[-1:] != [(name, file.sha256)]:  # a file may hold several images
                self._digests.append((name, file.sha256))
            inside = piece.places[begin:end]
            single = file.path == self.path
            self._places += [place.lstrip(": ") for place in inside] if single else [name + place for place in inside]
        self._classes += [classes[code] for code in piece.classes.tolist()]
        self._problems |= {first + row: words for row, words in piece.problems.items()}
        self._texts += [piece.text] if len(piece) else []
        self.notes.update(piece.notes)
        self.files, self.beyond = self.files + len(piece.files), self.beyond + piece.beyond

    def _relative(self, path: str) -> str:
        """A file as it is called within what was given; paths of folders are made once."""
        folder, name = os.path.split(path)
        if path == self.path or not name:
            return whole_text(os.path.relpath(path, self.path).replace(os.sep, "/"))
        if folder not in self._folders:
            below = os.path.relpath(folder or os.curdir, self.path).replace(os.sep, "/")
            self._folders[folder] = "" if below == os.curdir else f"{below}/"
        return whole_text(self._folders[folder] + name)

    def classes(self) -> set[Any]:
        """The names of the classes noted so far."""
        return set(self._classes)

    def converted(
        self, images: list[Row], categories: list[Row], records: int, number: tuple[Number, Number] | None = None
    ) -> Converted:
        """All rows that were read, from `records` files or images; `number` gives ids to images and classes."""
        single = not os.path.isdir(self.path) and len(self._digests) == 1
        digest = self._digests[0][1] if single else folder_digest(self._digests)
        source = InputFile(whole_text(self.path), digest, records)
        image, category = number or (_id, _id)
        text = b"".join([b"[", b",".join(self._texts), b"]"])
        columns = Columns(text, _ids(self._images, image), _ids(self._classes, category), self.truth)
        return Converted(images, categories, columns, self._places, self._problems, [source], self.warnings)


def _by_file(piece: Piece) -> dict[int, list[tuple[str, str]]]:
    """Labels and their places, by the file in which they occur first."""
    by_file: dict[int, list[tuple[str, str]]] = {}
    for label, file, place in piece.labels:
        by_file.setdefault(file, []).append((label, place))
    return by_file


def _spans(piece: Piece) -> Iterator[tuple[int, int]]:
    """Where the rows of each file begin and end."""
    firsts = [file.first for file in piece.files]
    return zip(firsts, [*firsts[1:], len(piece)], strict=True)


def _id(value: Any) -> int:
    return int(plain(value))


def _ids(noted: list[Any], number: Number) -> Whole:
    ids = {name: number(name) for name in set(noted)}
    return np.array([ids[name] for name in noted], np.int64)


class ClassNames:
    """The classes of the ground truth by name."""

    def __init__(self, categories: list[Row]) -> None:
        self._ids: dict[str, list[Any]] = {}
        for category in categories:
            self._ids.setdefault(category["name"], []).append(category["id"])

    def find(self, name: str, place: str) -> Any:
        """The id of the class with this name."""
        ids = self._ids.get(name, ())
        if len(ids) == 1:
            return ids[0]
        if ids:
            raise InputError(f"{place}: {shown(name)} names the categories {ids[0]} and {ids[1]}, expected one")
        names = ", ".join(shown(id_) for id_ in list(self._ids)[:5]) + (", …" if len(self._ids) > 5 else "")
        raise InputError(
            f"{place}: found the class {shown(name)}, expected one of the ground truth's: {names or 'none'}"
            "; one without objects can be added to the categories of COCO, which calipers convert writes"
        )


def known_images(known: ImagesAndCategories) -> ImageNames:
    """The images of the ground truth by name; one without a file is named by its id."""
    return ImageNames([str(image.get("file_name") or image["id"]) for image in known.images], "the ground truth")
