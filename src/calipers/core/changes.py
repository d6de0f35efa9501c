"""Objects that one result found and another did not: how a suite names them, and where it finds them.

Objects are named by the places they have in the ground truth. Predictions have no identity across results, so false
positives are counted by record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from math import inf, isfinite
from typing import Any, NamedTuple, Protocol

from calipers.core.text import FORMULA_STARTS

Tree = Mapping[str, Any]
Cells = tuple[Any, ...]
Place = tuple[Any, ...]
NOTHING = ("", None)  # an empty cell of CSV, of Parquet


class BadCellError(Exception):
    """A cell of a table is not what its column holds."""


class Failures:
    """The objects without a partner, and the predictions without one."""

    def __init__(self) -> None:
        self.missed: Counter[Place] = Counter()
        self.false: Counter[Place] = Counter()  # by record


class MatchRows(Protocol):
    """Reads columns of the table of every object, where a result has one."""

    def __call__(self, *columns: str, may_skip: str = "") -> Iterable[Cells] | None:
        """Rows of these columns; those whose last cell is `may_skip` may be left out."""


class ChangedObjects(NamedTuple):
    """How a suite tells which objects were fixed and broken between two results."""

    fields: tuple[str, ...]  # what names an object
    record_fields: tuple[str, ...]  # what names a record, for false positives
    failures: Callable[[Tree, MatchRows, Mapping[str, str]], Failures | None]  # groups by name, as the new result says
    index_means: str = ""  # what the index of an object counts


def number_in(cell: Any) -> int:
    """A cell that counts something; a table may have been written or changed by others."""
    try:
        return int(cell)
    except (TypeError, ValueError):
        raise BadCellError(f"found {cell!r:.80}, expected a whole number") from None


def text_in(cell: Any) -> str:
    """A cell without the apostrophe that keeps a spreadsheet from running it."""
    text = "" if cell is None else str(cell)
    return text[1:] if text[:1] == "'" and text[1:2] in FORMULA_STARTS else text


def decimal_in(cell: Any) -> float | None:
    """A cell with a number, or nothing; one that is not finite is no number."""
    if cell in NOTHING:
        return None
    try:
        value = float(text_in(cell))
    except ValueError:
        value = inf
    if not isfinite(value):
        raise BadCellError(f"found {cell!r:.80}, expected a number")
    return value
