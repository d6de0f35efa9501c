"""Annotations and results of COCO as columns, row by row what was given: nothing is looked up yet.

Most rows come out of a scan of their bytes; rows in memory are written as bytes first, which is the quicker way. A row
that is not written plainly is read here, field by field: a field that is there and is not what it has to be is kept as
it was found. Null is as good as absent. Whole numbers may be written as 7.0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from calipers.files.json_checks import RepeatedKeyDict
from calipers.kernels.scan.cocojson import FIELDS, CocoScan, scan_coco

IMAGE, CATEGORY, IDENTITY, BOX = FIELDS["image_id"], FIELDS["category_id"], FIELDS["id"], FIELDS["bbox"]
SCORE, AREA, CROWD, VISIBLE = FIELDS["score"], FIELDS["area"], FIELDS["iscrowd"], FIELDS["num_keypoints"]
SHAPES = {"bbox": "", "segm": "segmentation", "keypoints": "keypoints"}
IN_TRUTH = ("image_id", "category_id", "id", "bbox", "area", "iscrowd", "num_keypoints")
IN_PRED = ("image_id", "category_id", "bbox", "score")
LARGEST = 2**63  # beyond ids


class Origin(NamedTuple):
    """Where rows come from, for messages."""

    path: str
    list_name: str  # "annotations", or "" for rows that are the whole file
    places: list[str] | None = None  # of rows that were converted
    numbers: NDArray[np.int64] | None = None  # of rows that are some of a list: which, ascending

    def name(self, row: int) -> str:
        """How messages name a row, with its file.

        >>> Origin("a.json", "annotations").name(2), Origin("b.json", "").name(0)
        ('a.json: annotations[2]', 'b.json: [0]')
        """
        return self.place(row) if self.places is not None else f"{self.path}: {self.place(row)}"

    def place(self, row: int) -> str:
        """How messages name a row where the file is clear from the context."""
        if self.places is not None:
            return self.places[row]
        return f"{self.list_name}[{row if self.numbers is None else self.numbers[row]}]"


class RowColumns:
    """One list as columns. `wrong` says of a row which fields are there and cannot be used, and what they hold."""

    def __init__(self, scan: CocoScan, origin: Origin) -> None:
        self.origin, self.count = origin, len(scan)
        self.has = _array(scan.has, np.int16)  # (rows,) bits of FIELDS
        self.image = _array(scan.image, np.int64)  # (rows,) ids as given, wherever `has` says so
        self.category = _array(scan.category, np.int64)
        self.box = _array(scan.box, np.float64).reshape(-1, 4)  # (rows, 4) may be NaN or infinite
        self.score = _array(scan.score, np.float64)  # (rows,) of predictions
        self.ids = _array(scan.ids, np.int64)  # (rows,) of ground truth
        self.area = _array(scan.area, np.float64)  # (rows,) the same
        self.crowd = _array(scan.crowd, np.uint8).view(np.bool_)  # (rows,) the same
        self.visible = _array(scan.visible, np.int64)
        self.wrong: dict[int, dict[str, Any]] = {}
        self.odd: dict[int, Mapping[str, Any]] = {}  # rows that were read one by one
        self.shapes: list[Any] | None = None  # (rows,) segmentations or keypoints, None where there is none

    def clear_absent(self) -> None:
        """Set absent fields to NaN, and to no crowd."""
        columns = ((AREA, self.area), (CROWD, self.crowd)) if len(self.area) else ((SCORE, self.score),)
        for field, column in ((BOX, self.box), *columns):
            if (absent := self.lacks(field)).any():
                column[absent] = False if field == CROWD else np.nan

    def lacks(self, field: int) -> NDArray[np.bool_]:
        """(rows,) where a field is not given at all."""
        absent: NDArray[np.bool_] = (self.has & field) == 0
        return absent


def _array(column: Any, kind: Any) -> NDArray[Any]:
    return np.frombuffer(column, kind) if len(column) else np.empty(0, kind)


def rows_in_memory(
    rows: list[Any], origin: Origin, iou_type: str, *, truth: bool, has_doubles: bool = False
) -> RowColumns:
    """Rows as Python has them. Where boxes are wanted and a detection has none, `shapes` are the masks."""
    scan = None if has_doubles else _scan(rows, iou_type, truth)
    if scan is None:
        scan = scan_coco(b"[" + b",".join([b"0"] * len(rows)) + b"]", truth=truth, shape=SHAPES[iou_type])
    if scan is None:
        raise AssertionError("a list of zeros is JSON")
    columns = rows_of(scan, rows.__getitem__, origin, truth)
    if iou_type == "bbox" and not truth and lacks_boxes(columns):
        return rows_in_memory(rows, origin, "segm", truth=truth, has_doubles=has_doubles)
    if shape := SHAPES[iou_type]:
        columns.shapes = [row.get(shape) if isinstance(row, Mapping) else None for row in rows]
    return columns


def lacks_boxes(rows: RowColumns) -> bool:
    """Whether a row has no box at all, so that its mask has to tell where it is."""
    return any(row not in rows.wrong for row in np.flatnonzero(rows.lacks(BOX)).tolist())


def _scan(rows: list[Any], iou_type: str, truth: bool) -> CocoScan | None:
    """The columns of rows that are as JSON would have them; what JSON has no word for becomes null, so that the row is
    odd. None if that cannot be done."""
    try:
        data = orjson.dumps(rows, default=_nothing)
    except orjson.JSONEncodeError:  # too deep, a name that is no text, a number beyond 64 bits
        return None
    return scan_coco(data, truth=truth, shape=SHAPES[iou_type])


def _nothing(value: Any) -> None:
    return None


def rows_of(scan: CocoScan, find: Callable[[int], Any], origin: Origin, truth: bool) -> RowColumns:
    """The columns of a scan, in which the odd rows are read one by one; `find` has them as Python does."""
    rows = RowColumns(scan, origin)
    names = IN_TRUTH if truth else IN_PRED
    for index in scan.odd.tolist()[::3]:
        _read_odd(rows, index, find(index), names)
    rows.clear_absent()
    return rows


def _read_odd(rows: RowColumns, index: int, row: Any, names: tuple[str, ...]) -> None:
    """Read one row field by field."""
    rows.has[index] = 0
    if not isinstance(row, Mapping):
        rows.wrong[index] = {"": row}
        return
    rows.odd[index] = row
    for name in names:
        value = plain(row.get(name))
        if value is None:
            continue
        try:
            _SETTERS[name](rows, index, value)
            rows.has[index] |= FIELDS[name]
        except _UnfitError:
            rows.wrong.setdefault(index, {})[name] = value
    if isinstance(row, RepeatedKeyDict):
        for name in row.repeated:
            if name in FIELDS:
                rows.wrong.setdefault(index, {})[name] = row


def plain(value: Any) -> Any:
    """Numbers and lists of them, where numpy or a tensor has them."""
    return value.tolist() if hasattr(value, "tolist") else value


class _UnfitError(Exception):
    """A value is not what it has to be."""


def _whole(value: Any) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not -LARGEST <= value < LARGEST:
        raise _UnfitError
    return value


def _number(value: Any) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise _UnfitError
    try:
        return float(value) + 0.0
    except OverflowError:
        raise _UnfitError from None


def _set_image(rows: RowColumns, index: int, value: Any) -> None:
    rows.image[index] = _whole(value)


def _set_category(rows: RowColumns, index: int, value: Any) -> None:
    rows.category[index] = _whole(value)


def _set_id(rows: RowColumns, index: int, value: Any) -> None:
    rows.ids[index] = _whole(value)


def _set_box(rows: RowColumns, index: int, value: Any) -> None:
    if not isinstance(value, (list, tuple)) or len(value) != 4:
        raise _UnfitError
    rows.box[index] = [_number(plain(number)) for number in value]


def _set_score(rows: RowColumns, index: int, value: Any) -> None:
    rows.score[index] = _number(value)


def _set_area(rows: RowColumns, index: int, value: Any) -> None:
    rows.area[index] = _number(value)


def _set_crowd(rows: RowColumns, index: int, value: Any) -> None:
    if not isinstance(value, (int, float)) or value not in (0, 1):
        raise _UnfitError
    rows.crowd[index] = value == 1


def _set_visible(rows: RowColumns, index: int, value: Any) -> None:
    if len(rows.visible):
        rows.visible[index] = _whole(value)


_SETTERS: dict[str, Callable[[RowColumns, int, Any], None]] = {
    "image_id": _set_image,
    "category_id": _set_category,
    "id": _set_id,
    "bbox": _set_box,
    "score": _set_score,
    "area": _set_area,
    "iscrowd": _set_crowd,
    "num_keypoints": _set_visible,
}
