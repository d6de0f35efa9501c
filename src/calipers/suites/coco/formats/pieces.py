"""Files of annotations in shards, and what the files of a shard hold before anything is known of the others.

A piece keeps its rows as the text of JSON, without images and classes: which file a row is from and what its class is
called stand beside it, and become ids when all pieces are put together. What is wrong with a file ends the piece and is
kept in it, so that it is told in its turn: other files, and other rules, may come first.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
import orjson

from calipers.core.errors import InputError
from calipers.core.parts import Packed
from calipers.core.text import whole_text
from calipers.files.inputs import read_bytes

SHARD_BYTES = 1 << 20  # at most: a file takes long to read for its size, and all cores are to have some of them
MAX_FILES = 250  # of which a small folder of labels still has some for every core
SMALL_SHARDS = 4  # each twice as large as the one before
Row = dict[str, Any]
Fields = Callable[[], Row]  # some of a row, or `MalformedError`


class MalformedError(InputError):
    """An object cannot be used. `words` are the same for the same problem, so that they can be counted."""

    def __init__(self, message: str, words: str) -> None:
        super().__init__(message)
        self.words = words


class FileOf(NamedTuple):
    """A file that is to be read, and what is known of its image where that matters."""

    path: str
    name: str  # within the folder of all of them
    bytes: int = 0
    changed_ns: int = 0
    pixels: tuple[float, float] | None = None  # width and height of the image
    image: str = ""  # the image itself, if only it can tell them
    image_changed_ns: int = 0
    refused: str = ""  # why the file belongs to no image
    unsized: str = ""  # why nobody knows the size of the image, which matters if there is an object


class FileShard(NamedTuple):
    """Files of one side that are read together."""

    side: str  # gt or pred
    format: str
    folder: str  # as it was given
    files: list[FileOf]
    collects: bool = False  # everything that is wrong with annotations, where a run ends at the first

    def __str__(self) -> str:
        return f"{self.files[0].path} and {len(self.files) - 1} more" if len(self.files) > 1 else self.files[0].path

    @property
    def truth(self) -> bool:
        """Whether these are annotations."""
        return self.side == "gt"

    @property
    def bytes(self) -> int:
        """The size of all files in bytes."""
        return sum(file.bytes for file in self.files)

    def identity(self) -> str:
        """A text that changes if a file of the shard, or what is known of its image, has changed."""
        digest = sha256(repr(tuple(self[:4])).encode("utf-8", "surrogatepass")).hexdigest()
        return f"{whole_text(str(self))}:{digest}"


class FileRead(NamedTuple):
    """A file that was read."""

    path: str
    name: str
    sha256: str
    image: str  # as the file names it, "" if it does not
    first: int  # of its rows, in the piece
    size: list[float] | None = None  # width and height of the image, where the file tells them


class Piece:
    """What the files of a shard hold."""

    def __init__(self, side: str, *, collects: bool = False) -> None:
        self.side = side
        self.faults: list[str] = []  # with annotations and files, if all of them are collected
        self._collects = collects
        self.files: list[FileRead] = []
        self.labels: list[tuple[str, int, str]] = []  # what a class is called, and the file and place that say so first
        self.classes: Any = np.empty(0, np.int32)  # (rows,) into labels
        self.places: list[str] = []  # (rows,) within their files
        self.problems: dict[int, str] = {}  # row -> what is wrong with it, of predictions
        self.text = b""  # of the rows, with commas between
        self.notes = Counter[str]()
        self.beyond = 0  # objects that are far outside of their images
        self.error: str | None = None
        self._rows: list[Row] = []
        self._classes: list[int] = []
        self._code_by_label: dict[str | bytes, int] = {}  # labels, and where they are among all

    def __len__(self) -> int:
        return len(self.places)

    @property
    def truth(self) -> bool:
        """Whether these are annotations."""
        return self.side == "gt"

    def open(self, file: FileOf, data: bytes, image: str = "") -> None:
        """Go on with a file, or with the next image of the same one."""
        is_same = bool(self.files) and self.files[-1].path == file.path
        digest = self.files[-1].sha256 if is_same else sha256(data).hexdigest()
        self.files.append(FileRead(file.path, file.name, digest, image, len(self._rows)))

    def set_size(self, size: Row) -> None:
        """Set the size of the image of the file, if the file has it."""
        if size:
            self.files[-1] = self.files[-1]._replace(size=[float(size["width"]), float(size["height"])])

    def add(self, place: str, label: str | bytes, *fields: Fields) -> None:
        """Add an object at a place in the file: its label, and functions that return its fields."""
        code, row = self._code(label, place), Row()
        try:
            for field in fields:
                row |= field()
        except MalformedError as problem:
            if self.truth:
                self.refuse(f"{self.files[-1].path}{place}: {problem}")
            row["bbox"] = None
            self.problems[len(self._rows)] = problem.words
        self._rows.append({"iscrowd": 0} | row if self.truth else row)
        self._classes.append(code)
        self.places.append(place)

    def list_classes(self, names: Iterable[str]) -> None:
        """Add classes that a file lists, with or without objects."""
        for name in names:
            self._code(whole_text(name), "")

    def refuse(self, message: str) -> None:
        """An annotation or a file that cannot be used, which is an error unless all of them are collected."""
        if not self._collects:
            raise InputError(message) from None
        self.faults.append(message)

    def _code(self, label: str | bytes, place: str) -> int:
        """Where a label is among all of the piece. Bytes are carried as they are."""
        if label not in self._code_by_label:
            self._code_by_label[label] = len(self.labels)
            text = label if isinstance(label, str) else label.decode("latin-1")
            self.labels.append((text, len(self.files) - 1, place))
        return self._code_by_label[label]

    def close(self) -> Piece:
        """Note that all files were read."""
        self.classes, self.text = np.array(self._classes, np.int32), _written(self._rows)
        self._rows, self._classes = [], []
        return self

    def pack(self) -> Packed:
        """The piece as plain values and arrays. An error is not kept: the run ends with it."""
        if self.error is not None:
            raise InputError(self.error)
        names = "\0".join(text for file in self.files for text in (file.path, file.name))
        plain = {
            "side": self.side,
            "files": [file[2:] for file in self.files],
            "labels": self.labels,
            "places": "\n".join(self.places),
            "problems": list(self.problems.items()),
            "notes": list(self.notes.items()),
            "beyond": self.beyond,
        }
        arrays = {"names": os.fsencode(names), "text": self.text}
        return Packed(plain, {"classes": self.classes} | {key: np.frombuffer(b, np.uint8) for key, b in arrays.items()})

    @classmethod
    def unpack(cls, packed: Packed) -> Piece:
        """The piece that was packed."""
        plain, arrays = packed
        piece, names = cls(plain["side"]), os.fsdecode(arrays["names"].tobytes()).split("\0")
        pairs = zip(names[::2], names[1::2], strict=False)
        piece.files = [FileRead(*pair, *rest) for pair, rest in zip(pairs, plain["files"], strict=False)]
        piece.labels = [(name, file, place) for name, file, place in plain["labels"]]
        piece.places = plain["places"].split("\n") if len(arrays["classes"]) else []
        piece.problems, piece.notes = dict(plain["problems"]), Counter(dict(plain["notes"]))
        piece.beyond = plain["beyond"]
        piece.classes, piece.text = arrays["classes"], arrays["text"].tobytes()
        return piece


def _written(rows: list[Row]) -> bytes:
    """Rows as JSON with commas between; a number that is not finite is written so that it can be told from nothing."""
    text = orjson.dumps(rows)
    if b"null" in text:
        text = json.dumps(rows).encode()
    return text[1:-1]


def cut(side: str, kind: str, folder: str, files: Iterable[FileOf], most_bytes: int) -> list[FileShard]:
    """Files in shards of about so many bytes. The first ones are smaller: by them it is seen whether to share."""
    shards: list[FileShard] = []
    room = free = 0
    for one_file in files:
        file = _with_state(one_file)
        if not shards or room < file.bytes or not free:
            halvings = max(SMALL_SHARDS - len(shards), 0)
            room, free = min(most_bytes, SHARD_BYTES) >> halvings, MAX_FILES >> halvings
            shards.append(FileShard(side, kind, folder, []))
        shards[-1].files.append(file)
        room, free = room - file.bytes, free - 1
    return shards


def _with_state(file: FileOf) -> FileOf:
    """A file as it is now, and so the image that has to be asked."""
    size, changed_ns = _state(file.path)
    return file._replace(bytes=size, changed_ns=changed_ns, image_changed_ns=_state(file.image)[1] if file.image else 0)


def _state(path: str) -> tuple[int, int]:
    """How large a file is, and when it was changed."""
    try:
        state = os.stat(path)
    except OSError:  # said when it is read
        return 0, 0
    return state.st_size, state.st_mtime_ns


def read_files(shard: FileShard, read: Callable[[Piece, FileOf, bytes], None]) -> Piece:
    """A shard to its piece, up to the first file that cannot be read."""
    piece = Piece(shard.side, collects=shard.collects)
    for file in shard.files:
        try:
            if file.refused:
                raise InputError(file.refused)
            read(piece, file, read_bytes(file.path))
        except InputError as error:
            if not shard.collects:
                piece.error = str(error)
                break
            piece.faults.append(str(error))
    return piece.close()


def until_error(shards: Iterable[FileShard], read: Callable[[FileShard], Piece]) -> Iterator[Piece]:
    """The pieces of shards, read here and now, up to the first that has an error in it."""
    for shard in shards:
        piece = read(shard)
        yield piece
        if piece.error is not None:
            return
