"""What is wrong with annotations, in words: which field, what was found, what was expected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from calipers.files.json_checks import RepeatedKeyDict
from calipers.files.problems import BadAnnotation, shown
from calipers.suites.coco.formats.rows import AREA, BOX, CATEGORY, IDENTITY, IMAGE, VISIBLE, RowColumns

EXPECTED = {
    "": "an object",
    "image_id": "the id of an image",
    "category_id": "the id of a category",
    "id": "a whole number",
    "bbox": "[x, y, width, height], finite, width and height not negative",
    "area": "a finite number, not negative",
    "iscrowd": "0 or 1",
    "segmentation": "polygons [[x, y, x, y, x, y, …], …] or an RLE {size, counts} of the image's size",
    "keypoints": "[x, y, visibility, …] of every point",
    "num_keypoints": "a whole number, not negative",
}


class Faults:
    """Rows at fault, each with the first problem that was found in it."""

    def __init__(self, rows: RowColumns) -> None:
        self.rows = rows
        self.problem_by_row: dict[int, str] = {}

    def add(self, field: str, mask: Any = ()) -> None:
        """Rows in which a field is wrong: where it could not be read, and where the mask says so."""
        unread = [row for row, fields in self.rows.wrong.items() if field in fields]
        for row in [*unread, *np.flatnonzero(mask).tolist()]:
            self.add_row(row, field, _value(self.rows, row, field))

    def add_row(self, row: int, field: str, value: Any, why: str = "") -> None:
        """One row, and what it has for a field."""
        problem = "missing" if value is None else f"found {shown(value)}"
        problem = "is there twice" if isinstance(value, RepeatedKeyDict) else problem
        because = f" ({why})" if why else ""
        text = f"{field}: {problem}, expected {EXPECTED[field]}{because}"
        self.problem_by_row.setdefault(row, text.removeprefix(": "))

    def bad(self, images: Mapping[int, str]) -> list[BadAnnotation]:
        """The annotations at fault, in the order they were given; `images` are the names of theirs, by row."""
        rows, origin = self.rows, self.rows.origin
        named = ~rows.lacks(IDENTITY)
        return [
            BadAnnotation(
                origin.path, origin.name(row), int(rows.ids[row]) if named[row] else None, problem, images.get(row)
            )
            for row, problem in sorted(self.problem_by_row.items())
        ]


def _value(rows: RowColumns, row: int, field: str) -> Any:
    """The value of a field of a row; None if it has none."""
    if field in rows.wrong.get(row, {}):
        return rows.wrong[row][field]
    bit, column = {
        "image_id": (IMAGE, rows.image),
        "category_id": (CATEGORY, rows.category),
        "bbox": (BOX, rows.box),
        "area": (AREA, rows.area),
        "num_keypoints": (VISIBLE, rows.visible),
    }[field]
    return _plain(column[row].tolist()) if rows.has[row] & bit else None


def _plain(value: Any) -> Any:
    """Numbers as people write them: 3, not 3.0."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else value
