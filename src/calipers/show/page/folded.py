"""Drawings that a page holds folded: short rows of numbers, which the script unfolds when a case comes into sight.

Texts stand once in a table of the page, and rows have their places in it. A drawing is [canvas, note, aspect, y_up,
shapes], a shape [kind, label, points, partner, overlap, score, cause, note, state, tags, under], where the kind says
side and form, and what is not given at the end is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

from calipers.files.output import WrittenJson, json_text

Part = dict[str, Any]
Tags = Sequence[str] | None
FORMS = ("box", "poly", "line")
SIDES = ("gt", "pred")
KINDS = {(side, form): place for place, (side, form) in enumerate(product(SIDES, FORMS))}
NUMBERS = ("partner", "overlap", "score")  # of a shape, as are the texts
TEXTS = ("cause", "note", "state")
SAID = {*TEXTS, "tags", "under"}  # of shapes that are not simply right


class TextTable(dict[str, int]):
    """Texts by their place, which each gets when it is first asked for, and about how many bytes they take."""

    size = 0

    def __missing__(self, text: str) -> int:
        self.size += len(text.encode("utf-8", "surrogatepass")) + 3
        return self.setdefault(text, len(self))


class Folded(NamedTuple):
    """A drawing as the JSON of a row, and the table that its texts are in."""

    json: WrittenJson
    table: TextTable

    @classmethod
    def of(cls, row: list[Any], table: TextTable) -> Folded:
        """The JSON of a row takes a tenth of its memory, and is written once."""
        return cls(WrittenJson(json_text(row)), table)

    @property
    def size(self) -> int:
        """About how many bytes the row takes."""
        return len(self.json.text) + 1


def fold(drawn: Part, table: TextTable) -> list[Any]:
    """The drawing of a case in short; a picture is left out.

    >>> box = {"side": "pred", "form": "box", "points": [0, 0, 5, 5], "label": "screw", "cause": "spurious"}
    >>> fold({"canvas": [9, 9], "note": "", "shapes": [box]}, TextTable())
    [[9, 9], 0, 0, 0, [[3, 1, [0, 0, 5, 5], None, None, None, 2]]]
    """
    note = table[drawn.get("note", "")]
    shapes = [_shape_row(shape, table) for shape in drawn["shapes"]]
    return [drawn["canvas"], note, drawn.get("aspect", 0), int(drawn.get("y_up", False)), shapes]


def _shape_row(shape: Part, table: TextTable) -> list[Any]:
    kind = KINDS[shape["side"], shape["form"]]
    row = [kind, table[shape["label"]], shape["points"], *[shape.get(name) for name in NUMBERS]]
    if not shape.keys().isdisjoint(SAID):
        row += said_in(table, *[shape.get(name) for name in (*TEXTS, "tags", "under")])
    return without_end(row)


def said_in(
    table: TextTable, cause: str | None, note: str | None, state: str | None, tags: Tags, under: str | None
) -> list[Any]:
    """What is said of a shape that is not simply right, as places in the table."""
    return [
        None if cause is None else table[cause],
        None if note is None else table[note],
        None if state is None else table[state],
        None if tags is None else [table[tag] for tag in tags],
        None if under is None else table[under],
    ]


def without_end(row: list[Any]) -> list[Any]:
    """A row without the last cells that are not given."""
    while row[-1] is None:
        row.pop()
    return row
