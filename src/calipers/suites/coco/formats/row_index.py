"""Where the rows of a COCO file lie, image by image, found in one pass over a file that is never held whole.

Rows are told by runs: neighbours that are on one image, with where the first of them begins and which row it is. A file
that lists its detections image by image has one run for each. The pass also gives the digest of the file, and what has
to be known of all rows before some of them can be read. A file that is compressed, is no plain JSON, or has rows whose
meaning depends on others is left alone: it is read whole, which also says what is wrong with it.
"""

from __future__ import annotations

import re
from contextlib import suppress
from hashlib import sha256
from typing import IO, NamedTuple

import numpy as np

from calipers.core.stopping import check_stop
from calipers.files.compressed import GZIP, ZSTANDARD
from calipers.files.lines import reading
from calipers.files.places import open_place
from calipers.kernels.scan.cocojson import CocoScan, scan_piece, value_end
from calipers.suites.coco.columns import Whole
from calipers.suites.coco.formats.coco_json import BESIDE, odd_row_finder
from calipers.suites.coco.formats.rows import (
    AREA,
    CATEGORY,
    IDENTITY,
    IMAGE,
    Origin,
    RowColumns,
    lacks_boxes,
    rows_of,
)

WINDOW = 4 << 20  # bytes that are looked at together, at least
LONGEST_NAME = 1 << 16  # bytes
NO_IMAGE = -(2**63)  # stands for the id of a row without one
NAME = re.compile(rb'[ \n\r\t]*"([^"\\]*)"[ \n\r\t]*:[ \n\r\t]*')
NEXT = re.compile(rb"[ \n\r\t]*([,}])")
BLANKS = re.compile(rb"[ \n\r\t]*")


class IndexedFile(NamedTuple):
    """A file to be indexed: ground truth or predictions."""

    path: str
    truth: bool

    def __str__(self) -> str:
        return self.path


class RowIndex(NamedTuple):
    """The rows of a file by runs, and what is known of all of them."""

    sha256: str
    size: int  # bytes
    rows: int
    image: Whole  # (runs,) id as given
    row: Whole  # (runs,) the first
    begin: Whole  # (runs + 1,) bytes; the last is where the list ends
    categories: Whole  # ids that rows have, ascending
    has_scores: bool  # whether a row has a score that is a number
    beside: dict[str, bytes]  # "images" and "categories" of a data set, as they are written


class LeftAloneError(Exception):
    """A file that is better read whole."""


def index_rows(file: IndexedFile) -> RowIndex | None:
    """Find the rows of a file; None if it has to be read whole."""
    with reading(file.path), open_place(file.path) as stream:
        try:
            text, runs = _TextWindow(stream), _Runs(file)
            beside = _read_parts(text, runs) if file.truth else _read_list(text, runs)
            return runs.index(text, beside)
        except LeftAloneError:
            return None


class _TextWindow:
    """Some bytes of a file that is read, and digested, from its beginning to its end."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self.digest = stream, sha256()
        self.data, self.at, self.before = b"", 0, 0  # `before` is how many bytes of the file lie before `data`
        self.more()
        if self.data.startswith((GZIP, ZSTANDARD)):
            raise LeftAloneError

    def more(self) -> None:
        """Look at what follows as well, and no longer at what was read; a file that has ended is left alone."""
        check_stop()
        rest = self.data[self.at :]
        piece = self._stream.read(max(WINDOW, len(rest)))
        if not piece:
            raise LeftAloneError
        self.digest.update(piece)
        self.before += self.at
        self.data, self.at = rest + piece, 0

    def next_byte(self) -> bytes:
        """The next byte that is no blank."""
        while not (byte := self.data[(at := self._behind_blanks()) : at + 1]):
            self.at = at
            self.more()
        self.at = at
        return byte

    def _behind_blanks(self) -> int:
        blanks = BLANKS.match(self.data, self.at)
        return self.at if blanks is None else blanks.end()

    def match(self, pattern: re.Pattern[bytes]) -> bytes:
        """The match of a pattern at the current place."""
        with suppress(LeftAloneError):  # which is the end of the file
            while not self._finds(pattern) and len(self.data) - self.at < LONGEST_NAME:
                self.more()
        match = pattern.match(self.data, self.at)
        if match is None:
            raise LeftAloneError
        self.at = match.end()
        return match[1]

    def _finds(self, pattern: re.Pattern[bytes]) -> bool:
        """Whether a pattern finds something that surely ends here."""
        match = pattern.match(self.data, self.at)
        return match is not None and match.end() < len(self.data)

    def value(self) -> bytes:
        """The bytes of the JSON value that begins here."""
        while True:
            end = value_end(self.data, self.at)
            if end is not None and end < len(self.data):
                begin, self.at = self.at, end
                return self.data[begin:end]
            self.more()

    def check_end(self) -> int:
        """Check that nothing but blanks follows; returns the size of the file."""
        try:
            self.next_byte()
        except LeftAloneError:
            return self.before + len(self.data)
        raise LeftAloneError


def _read_list(text: _TextWindow, runs: _Runs) -> dict[str, bytes]:
    """A file that is one list."""
    runs.read(text)
    return {}


def _read_parts(text: _TextWindow, runs: _Runs) -> dict[str, bytes]:
    """A data set, and the lists beside its rows."""
    if text.next_byte() != b"{":
        raise LeftAloneError
    text.at += 1
    names: set[bytes] = set()
    beside: dict[str, bytes] = {}
    separator = b","
    while separator == b",":
        name = text.match(NAME)
        if name in names:
            raise LeftAloneError
        names.add(name)
        if name == b"annotations":
            runs.read(text)
        elif name in (b"images", b"categories"):
            beside[name.decode()] = text.value()
        else:
            text.value()
        separator = text.match(NEXT)
    if b"annotations" not in names or len(beside) < len(BESIDE):
        raise LeftAloneError
    return beside


class _Runs:
    """Rows of a file, as they are found."""

    def __init__(self, file: IndexedFile) -> None:
        self.file, self.rows, self.end = file, 0, 0
        self.origin = Origin(file.path, "")
        self.runs: list[tuple[Whole, Whole, Whole]] = []  # ids of images, rows, bytes
        self.categories: set[int] = set()
        self.ids: list[Whole] = []
        self.has_scores = False

    def read(self, text: _TextWindow) -> None:
        """All rows of the list that begins here."""
        if text.next_byte() != b"[":
            raise LeftAloneError
        text.at += 1
        while True:
            scan = scan_piece(text.data, text.at, truth=self.file.truth)
            if len(scan):
                self._add(scan, text)
            if scan.is_closed:
                self.end = text.before + scan.behind - 1
                text.at = scan.behind
                return
            text.at = scan.behind
            text.more()

    def _add(self, scan: CocoScan, text: _TextWindow) -> None:
        rows = rows_of(scan, odd_row_finder(scan, text.data, self.file.path), self.origin, self.file.truth)
        self._check(rows)
        image = np.where(rows.lacks(IMAGE), NO_IMAGE, rows.image)
        first = np.flatnonzero(np.diff(image, prepend=image[0] + 1 if image[0] < 0 else image[0] - 1))
        begins = np.asarray(scan.begins)
        self.runs.append((image[first], first + self.rows, begins[first] + text.before))
        self.categories.update(np.unique(rows.category[~rows.lacks(CATEGORY)]).tolist())
        if self.file.truth:
            self.ids.append(rows.ids[~rows.lacks(IDENTITY)])
        else:
            self.has_scores = self.has_scores or bool(np.isfinite(rows.score).any())
        self.rows += rows.count

    def _check(self, rows: RowColumns) -> None:
        """Whether each row can be read by itself: shapes are drawn, and ids told, where all of them are at hand."""
        if self.file.truth:
            drawn = any(not rows.has[row] & AREA and fields.get("segmentation") for row, fields in rows.odd.items())
        else:
            drawn = lacks_boxes(rows) or bool((rows.lacks(IMAGE) | rows.lacks(CATEGORY)).any())
        if drawn:
            raise LeftAloneError

    def index(self, text: _TextWindow, beside: dict[str, bytes]) -> RowIndex:
        """The index of the file, after its end was checked."""
        size = text.check_end()
        ids = np.concatenate([np.empty(0, np.int64), *self.ids])
        if len(ids) and not (ids[1:] > ids[:-1]).all() and len(np.unique(ids)) < len(ids):
            raise LeftAloneError  # an id that two annotations have
        nothing = (np.empty(0, np.int64),) * 3
        image, row, begin = (np.concatenate(columns) for columns in zip(nothing, *self.runs, strict=True))
        return RowIndex(
            text.digest.hexdigest(),
            size,
            self.rows,
            image,
            row,
            np.append(begin, self.end),
            np.array(sorted(self.categories), np.int64),
            self.has_scores,
            beside,
        )
