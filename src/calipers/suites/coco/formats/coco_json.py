"""COCO files: JSON, also compressed with gzip or zstandard, to rows as columns and lists of images and categories.

A file is read and digested beside the scan of its bytes. What the scan leaves alone a JSON library reads, which also
says what is wrong with a file that is no JSON.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Mapping
from hashlib import sha256
from io import BytesIO
from threading import Event, Thread
from typing import IO, Any, NamedTuple

import numpy as np
import orjson
import zstandard

from calipers.core.errors import CalipersError, InputError
from calipers.files.answers.missing_field import ONE_LIST, is_coco_result
from calipers.files.compressed import GZIP, ZSTANDARD
from calipers.files.inputs import find_doubled, parse_json
from calipers.files.json_checks import RepeatedKeyDict
from calipers.files.lines import reading
from calipers.files.places import is_remote, open_place
from calipers.files.problems import shown
from calipers.kernels.scan.cocojson import CocoScan, scan_coco
from calipers.suites.coco.formats.converted import Columns
from calipers.suites.coco.formats.rows import (
    CATEGORY,
    IDENTITY,
    IMAGE,
    SHAPES,
    Origin,
    RowColumns,
    lacks_boxes,
    rows_in_memory,
    rows_of,
)

MAX_BYTES = 4 << 30  # out of a compressed file
FEW_BYTES, MAX_TIMES = 32 << 20, 30  # a compressed file that grows beyond both was made to fill memory
PIECE = 1 << 20
LISTS = ("images", "annotations", "categories")
BESIDE = ("images", "categories")
DATASET = '{"images": […], "annotations": […], "categories": […]}'
RESULTS = '[{"image_id", "category_id", "bbox", "score"}, …]'


class CocoSide(NamedTuple):
    """One side as it was given: rows, and what stands beside them."""

    rows: RowColumns
    lists: dict[str, Any]  # "images" and "categories", where they are there


class Loading:
    """A file that is read, and then digested, by a thread of its own, once that is started."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._stored, self._digest = memoryview(b"\0"), ""
        self._error: CalipersError | None = None
        self._ready = Event()
        self._thread: Thread | None = None

    def start(self) -> Thread:
        """Begin to read, unless that was done."""
        if self._thread is None:
            self._thread = Thread(target=self._load, name=f"calipers reads {self.path}", daemon=True)
            self._thread.start()
        return self._thread

    def _load(self) -> None:
        try:
            self._stored = read_text(self.path)
        except CalipersError as error:
            self._error = error
        except (MemoryError, ValueError) as error:  # more than there is room for, or no path: it has a NUL in it
            self._error = InputError(f"{self.path}: cannot be read: {error}")
        finally:
            self._ready.set()  # or somebody waits for ever
        self._digest = sha256(self._stored[:-1]).hexdigest()

    def text(self) -> memoryview:
        """What the file holds, decompressed, and a NUL."""
        self.start()
        self._ready.wait()
        if self._error:
            raise self._error
        return decompressed(self._stored, self.path)

    def size(self) -> int:
        """Bytes as stored."""
        self.start()
        self._ready.wait()
        return len(self._stored) - 1

    def digest(self) -> str:
        """The SHA-256 of the bytes as stored."""
        self.start().join()
        return self._digest


def read_text(path: str) -> memoryview:
    """What a file holds, and a NUL. The memory is numpy's, which is quicker to fill than that of a bytes object."""
    if is_remote(path):
        with reading(path), open_place(path) as stream:
            return memoryview(stream.read() + b"\0")
    with reading(path), open(path, "rb", buffering=0) as file:
        room = np.empty(os.fstat(file.fileno()).st_size + 1, np.uint8).data
        room[-1], filled = 0, 0
        while count := file.readinto(room[filled:-1]):
            filled += count
        rest = file.readall()  # of what is no plain file, or has grown
    return memoryview(b"".join([room[:filled], rest, b"\0"])) if rest or filled < len(room) - 1 else room


def decompressed(stored: memoryview, path: str) -> memoryview:
    """What compressed bytes hold, and a NUL; other bytes as they are."""
    stream: IO[bytes]
    first = bytes(stored[:4])
    if path.endswith(".gz") or first.startswith(GZIP):
        stream = gzip.GzipFile(fileobj=BytesIO(stored[:-1]))  # type: ignore[assignment]
    elif path.endswith(".zst") or first.startswith(ZSTANDARD):
        frames = zstandard.ZstdDecompressor(max_window_size=1 << 27)
        stream = frames.stream_reader(stored[:-1], read_across_frames=True)
    else:
        return stored
    pieces, size = [], 0
    with reading(path):
        while piece := stream.read(PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > MAX_BYTES:
                raise InputError(f"{path}: holds more than {MAX_BYTES >> 30} GiB when decompressed")
            if size > max(FEW_BYTES, MAX_TIMES * len(stored)):
                raise InputError(
                    f"{path}: holds more than {MAX_TIMES} times its {len(stored) - 1:,} bytes when decompressed, as "
                    "no COCO file does; decompress it to lift this limit"
                )
    return memoryview(b"".join([*pieces, b"\0"]))


def read_coco(file: Loading, iou_type: str, *, truth: bool) -> CocoSide:
    """Ground truth or predictions out of a file. Where boxes are wanted and a detection has none, masks are read."""
    text, path = file.text(), file.path
    scan = scan_coco(text, truth=truth, shape=SHAPES[iou_type])
    if scan is None or not scan.is_list:
        _refuse_lines(text, path)
    if scan is None:
        parsed = parse_json(bytes(text[:-1]), path, DATASET if truth else RESULTS)
        return coco_in_memory(parsed.tree, path, iou_type, truth=truth, has_doubles=parsed.has_doubles)
    check_lists([] if scan.is_list else scan.parts, path, truth)
    origin = Origin(path, "" if scan.is_list else "annotations")
    rows = rows_of(scan, odd_row_finder(scan, text, path), origin, truth)
    if iou_type == "bbox" and not truth and lacks_boxes(rows):
        return read_coco(file, "segm", truth=truth)
    _add_shapes(rows, scan, text, SHAPES[iou_type])
    return CocoSide(rows, {name: _part(scan, text, path, name) for name in BESIDE if name in scan.parts})


def _refuse_lines(text: memoryview, path: str) -> None:
    """Tell results that stand one on each line, and not in a list."""
    first = bytes(text[:PIECE]).rstrip(b"\0").lstrip().partition(b"\n")[0]
    try:
        row = orjson.loads(first)
    except orjson.JSONDecodeError:
        return
    if isinstance(row, dict) and is_coco_result(row):
        raise InputError(f"{path}: {ONE_LIST}")


def piece_rows(text: bytes, origin: Origin, *, truth: bool) -> RowColumns | None:
    """Rows that were cut out of a file, as a list, where boxes are wanted; None if it is none any more."""
    scan = scan_coco(text, truth=truth)
    return None if scan is None else rows_of(scan, odd_row_finder(scan, text, origin.path), origin, truth)


def converted_rows(columns: Columns, origin: Origin, iou_type: str) -> RowColumns:
    """Rows that were converted. Where boxes are wanted and a detection has none, `shapes` are the masks."""
    text, truth = memoryview(columns.text + b"\0"), columns.truth
    scan = scan_coco(text, truth=truth, shape=SHAPES[iou_type])
    if scan is None:
        raise AssertionError("rows that were converted are JSON")
    rows = rows_of(scan, odd_row_finder(scan, text, origin.path), origin, truth)
    rows.image, rows.category = columns.image.copy(), columns.category.copy()
    rows.has |= IMAGE | CATEGORY
    if truth:
        rows.ids = np.arange(1, rows.count + 1)
        rows.has |= IDENTITY
    if iou_type == "bbox" and not truth and lacks_boxes(rows):
        return converted_rows(columns, origin, "segm")
    _add_shapes(rows, scan, text, SHAPES[iou_type])
    return rows


def coco_in_memory(tree: Any, path: str, iou_type: str, *, truth: bool, has_doubles: bool = False) -> CocoSide:
    """Ground truth or predictions as Python has them."""
    check_lists(tree, path, truth)
    lists: Mapping[str, Any] = tree if isinstance(tree, Mapping) else {}
    if has_doubles:
        refuse_doubles(lists, path)
    rows, name = (tree["annotations"], "annotations") if lists else (tree, "")
    if not isinstance(rows, (list, tuple)):
        raise InputError(f"{path}: annotations: found {shown(rows)}, expected a list")
    columns = rows_in_memory(list(rows), Origin(path, name), iou_type, truth=truth, has_doubles=has_doubles)
    return CocoSide(columns, {name: lists[name] for name in BESIDE if name in lists})


def check_lists(tree: Any, path: str, truth: bool) -> None:
    """Whether a data set, or a list of results, stands where it belongs; of a data set only the names are looked at."""
    expected = DATASET if truth else RESULTS
    if isinstance(tree, (list, tuple)) and truth:
        raise InputError(f"{path}: found a list, as predictions are; expected ground truth, {expected}")
    if isinstance(tree, (list, tuple)):
        return
    if not isinstance(tree, Mapping):
        raise InputError(f"{path}: found {shown(tree)}, expected {expected}")
    missing = [name for name in (LISTS if truth else ("annotations",)) if name not in tree]
    if missing:
        names = ", ".join(map(shown, list(tree)[:8])) or "nothing in it"
        raise InputError(f"{path}: no {' and no '.join(missing)}: found an object with {names}, expected {expected}")


def _part(scan: CocoScan, text: memoryview, path: str, name: str) -> Any:
    begin, end = scan.parts[name]
    parsed = parse_json(bytes(text[begin:end]), f"{path}: {name}", "a list")
    if parsed.has_doubles:
        refuse_doubles({name: parsed.tree}, path)
    return parsed.tree


def refuse_doubles(tree: Mapping[str, Any], path: str) -> None:
    """A key given twice matters in the whole, in images and in categories; in a row it is that row's problem."""
    try:
        twice = find_doubled({name: tree[name] for name in BESIDE if name in tree})
    except RecursionError as error:
        raise InputError(f"{path}: a key is there twice, and something is nested too deeply") from error
    if isinstance(tree, RepeatedKeyDict):
        twice = "", tree.twice
    if twice is not None:
        place = f"{twice[0]}: " if twice[0] else ""
        raise InputError(f"{path}: {place}{shown(twice[1])} is there twice, expected each key once")


def odd_row_finder(scan: CocoScan, text: memoryview | bytes, path: str) -> Callable[[int], Any]:
    """How odd rows are found: by their place in the text."""
    odd = scan.odd.tolist()
    spans = dict(zip(odd[::3], zip(odd[1::3], odd[2::3], strict=True), strict=True))

    def find(row: int) -> Any:
        begin, end = spans[row]
        return parse_json(bytes(text[begin:end]), path, "an object").tree

    return find


def _add_shapes(rows: RowColumns, scan: CocoScan, text: memoryview, shape: str) -> None:
    """The segmentations or keypoints of rows, if they are wanted."""
    if shape:
        rows.shapes = _shapes(scan, text)
        for index, row in rows.odd.items():
            rows.shapes[index] = row.get(shape)


def _shapes(scan: CocoScan, text: memoryview) -> list[Any]:
    """(rows,) the segmentations or keypoints, parsed together."""
    spans = scan.shapes.tolist()
    pieces = [bytes(text[begin:end]) or b"null" for begin, end in zip(spans[::2], spans[1::2], strict=True)]
    try:
        shapes: list[Any] = orjson.loads(b"[" + b",".join(pieces) + b"]")
    except orjson.JSONDecodeError:  # NaN, which belongs to one row
        return [parse_json(piece, "", "").tree for piece in pieces]
    return shapes
