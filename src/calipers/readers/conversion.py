"""From files of annotations to rows of COCO: what the converters of all formats share.

Without `known` a converter reads ground truth, where whatever is wrong is an error; with it predictions, where an
object that cannot be read stays a row with its problem. An image or a class that the ground truth does not know is an
error on both sides, for such an object belongs nowhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from calipers.errors import InputError
from calipers.readers.converted import Converted, Known
from calipers.readers.files import Input, folder_digest, read_bytes
from calipers.readers.image_names import ImageNames
from calipers.readers.problems import shown
from calipers.text import whole_text

PEEKED = 4096  # bytes
Row = dict[str, Any]
Part = Callable[[], Row]  # some of a row, or `MalformedError`


class MalformedError(InputError):
    """An object cannot be used. `words` are the same for the same problem, so that they can be counted."""

    def __init__(self, message: str, words: str) -> None:
        super().__init__(message)
        self.words = words


def peek(path: str) -> bytes:
    """The beginning and the end of a file, to tell its format; nothing of one that cannot be read."""
    try:
        with open(path, "rb") as file:
            head = file.read(PEEKED)
            file.seek(max(os.path.getsize(path) - PEEKED, len(head)))
            return head + file.read(PEEKED)
    except OSError:
        return b""


class Conversion:
    """Rows of one side, as they are read."""

    def __init__(self, path: str, known: Known | None) -> None:
        self.path, self.known = path, known
        self.rows: list[Row] = []
        self.warnings: list[str] = []
        self._places: list[str] = []
        self._problems: dict[int, str] = {}
        self._digests: list[tuple[str, str]] = []
        self._file = ("", "")  # the last one, and what it is called within the folder

    def read(self, path: str) -> bytes:
        """What a file holds, which is then part of the digest."""
        data = read_bytes(path)
        self._digests.append((self._relative(path), sha256(data).hexdigest()))
        return data

    def add(self, path: str, place: str, row: Row, *parts: Part) -> None:
        """An object at a place in a file: what is known of it, and parts that may turn out to be malformed."""
        try:
            for part in parts:
                row |= part()
        except MalformedError as problem:
            if self.known is None:
                raise InputError(f"{path}{place}: {problem}") from None
            row["bbox"] = None
            self._problems[len(self.rows)] = problem.words
        if self.known is None:
            row = {"id": len(self.rows) + 1, "iscrowd": 0} | row
        self.rows.append(row)
        self._places.append(self._within(path, place))

    def _within(self, path: str, place: str) -> str:
        """A place as it is called within what was given."""
        return place.lstrip(": ") if path == self.path else self._relative(path) + place

    def _relative(self, path: str) -> str:
        if path != self._file[0]:
            self._file = path, whole_text(os.path.relpath(path, self.path).replace(os.sep, "/"))
        return self._file[1]

    def converted(self, images: list[Row], categories: list[Row], records: int) -> Converted:
        """All that was read, from so many files or images."""
        single = not os.path.isdir(self.path) and len(self._digests) == 1
        digest = self._digests[0][1] if single else folder_digest(self._digests)
        source = Input(whole_text(self.path), digest, records)
        return Converted(images, categories, self.rows, self._places, self._problems, [source], self.warnings)


class ClassNames:
    """The classes of the ground truth by name."""

    def __init__(self, categories: list[Row]) -> None:
        self._ids: dict[str, list[Any]] = {}
        for category in categories:
            self._ids.setdefault(category["name"], []).append(category["id"])

    def find(self, name: str, place: str) -> Any:
        """The id of the class with this name."""
        found = self._ids.get(name, ())
        if len(found) == 1:
            return found[0]
        if found:
            raise InputError(f"{place}: {shown(name)} names the categories {found[0]} and {found[1]}, expected one")
        some = ", ".join(shown(each) for each in list(self._ids)[:5]) + (", …" if len(self._ids) > 5 else "")
        raise InputError(
            f"{place}: found the class {shown(name)}, expected one of the ground truth's: {some or 'none'}"
        )


def known_images(known: Known) -> ImageNames:
    """The images of the ground truth by name; one without a file is named by its id."""
    return ImageNames([str(image.get("file_name") or image["id"]) for image in known.images], "the ground truth")
