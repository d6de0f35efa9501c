"""Rows of many parts as one side, in columns that are as long as all of them from the beginning.

Parts are put in one after another, so that each can be let go of: what is joined and what it is made of are not both
there at any time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from calipers.suites.coco.columns import FewRows
from calipers.suites.coco.kept import KeptSide

Column = NDArray[Any]


class JoinedSide:
    """A side of so many rows, to be filled."""

    def __init__(self, rows: int) -> None:
        self.filled = 0
        self._image, self._category = np.empty(rows, np.int32), np.empty(rows, np.int32)
        self._columns: dict[str, JoinedColumn] | None = None  # those that all parts have
        self._few: dict[str, list[FewRows]] = {}

    def add(self, part: KeptSide, images: int) -> None:
        """Put in the rows that follow, on images before which there are so many others."""
        here = slice(self.filled, self.filled + len(part))
        np.add(part.image, np.int32(images), out=self._image[here])
        self._category[here] = part.category
        if self._columns is None:
            self._columns = {name: JoinedColumn(len(self._image)) for name in part.columns}
        self._columns = {name: column for name, column in self._columns.items() if name in part.columns}
        for name, column in self._columns.items():
            column.add(part.columns[name], here)
        for name, few in part.few.items():
            self._few.setdefault(name, []).append(FewRows(few.rows + np.int32(self.filled), few.values))
        self.filled = here.stop

    def side(self) -> KeptSide:
        """All rows."""
        columns = {name: column.whole() for name, column in (self._columns or {}).items()}
        few = {name: _join_few(self._few.pop(name)) for name in list(self._few)}
        return KeptSide(self._image, self._category, columns, few)


class JoinedColumn:
    """A column of so many rows; one number for all of them takes the room of one."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._same: Column | None = None  # what is in every row so far
        self._column: Column | None = None

    def add(self, part: Column, here: slice) -> None:
        """Put in some rows."""
        if self._column is None and self._still_same(part):
            return
        if self._column is None:
            self._column = np.empty((self._rows, *part.shape[1:]), part.dtype)
            if self._same is not None:
                self._column[: here.start] = self._same[:1]
        self._column[here] = part

    def _still_same(self, part: Column) -> bool:
        is_one = not len(part) or part.strides == (0,)
        if is_one and (self._same is None or not len(self._same)):
            self._same = part
            return True
        return is_one and (not len(part) or part[0] == self._same[0])  # type: ignore[index]

    def whole(self) -> Column:
        """All rows."""
        if self._column is not None:
            return self._column
        if self._same is None or not len(self._same):
            return np.empty(0) if self._same is None else self._same
        return np.broadcast_to(self._same[0], self._rows)


def _join_few(parts: list[FewRows]) -> FewRows:
    return FewRows(np.concatenate([part.rows for part in parts]), np.concatenate([part.values for part in parts]))
