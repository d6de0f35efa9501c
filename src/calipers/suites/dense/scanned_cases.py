"""Cases listed and drawn from their lines by a kernel that knows how calipers writes them; other lines are parsed."""

from __future__ import annotations

from typing import Any, NamedTuple

import orjson

from calipers.core.causes import OUTCOMES
from calipers.kernels.scan.casescan import CaseScanner
from calipers.show.page import sections as part
from calipers.show.page.cases import CaseViews, ListedCase
from calipers.show.page.folded import KINDS, Folded, TextTable, fold, said_in, without_end
from calipers.show.page.heads import Tree, short_name
from calipers.show.page.images import Pictures
from calipers.show.page.listing import ErrorCounts, ErrorTable, listed
from calipers.show.page.outlines import said_of
from calipers.show.page.sections import Part
from calipers.suites.dense.case_labels import CaseLabel, label_of
from calipers.suites.dense.case_parts import (
    FORMS,
    LONGEST_NOTE,
    OTHER,
    CaseCanvas,
    canvas_size,
    known_facets,
    look_of,
    tooltip,
)

SIDES = list(OTHER)
TYPES = list(FORMS)
KIND_NAMES: list[Any] = list(KINDS)  # side and form
Shape = list[Any]  # as it is folded, but with a label instead of the place of its text
Wrong = tuple[Shape, int, str | None, str | None]  # a shape, the place of its error, description, why it is invalid


class Drawing(NamedTuple):
    """What the line of a case draws."""

    canvas: CaseCanvas
    note: str
    paired: list[Shape]
    wrong: list[Wrong]


class ScannedCases:
    """Lists and draws cases for one page."""

    def __init__(self, tree: Tree, pictures: Pictures | None, parsed: CaseViews) -> None:
        """`parsed` are the views of any other line."""
        self._tree, self._pictures, self._parsed = tree, pictures, parsed
        self._errors = ErrorTable()
        causes, types = (list(map(orjson.dumps, words)) for words in (OUTCOMES, TYPES))
        self._scanner = CaseScanner(causes, types, _label, self._code, orjson.loads)

    def views(self) -> CaseViews:
        """How a page shows the cases."""
        return CaseViews(self._listed, self._drawn, self._folded)

    def _code(
        self, side: int, cause: int, label: CaseLabel, partner: CaseLabel | None, kind: int, invalid: bool
    ) -> int:
        other, type_name = partner.category if partner else None, None if kind < 0 else TYPES[kind]
        return self._errors.place(known_facets(SIDES[side], OUTCOMES[cause], label, other, type_name, invalid))

    def _listed(self, line: bytes) -> ListedCase:
        scanned = self._scanner.listed(line)
        if scanned is None:
            return self._parsed.list_line(line)
        unmatched, key, places, counts = scanned
        errors = ErrorCounts(self._errors, places, counts)
        return ListedCase((-unmatched, key), listed(key, key, unmatched, errors))

    def _drawing(self, line: bytes, pictures: Pictures | None) -> Drawing | None:
        """The drawing of a line; None if it has to be parsed."""
        scanned = self._scanner.drawn(line)
        if scanned is None:
            return None
        key, path, number, written, (right, bottom), undrawn, paired, wrong = scanned
        fields = orjson.loads(written)
        width, height = canvas_size(self._tree, fields)
        if right > width or bottom > height:
            return None
        canvas = CaseCanvas.of(self._tree, key, fields, pictures)
        return Drawing(canvas, said_of(f"{short_name(path)}:{number}", undrawn), paired, wrong)

    def _drawn(self, line: bytes) -> Part:
        drawing = self._drawing(line, self._pictures)
        if drawing is None:
            return self._parsed.draw(line)
        canvas, note, paired, wrong = drawing
        shapes = [_part(shape, {}) for shape in paired]
        for shape, place, desc, reason in wrong:
            shapes.append(_part(shape, look_of(self._errors.errors[place], tooltip(desc, reason))))
        more: Any = {"note": note, "image": canvas.picture, "aspect": canvas.aspect}
        return part.drawn_case(self._listed(line).part | {"note": note}, shapes, canvas.size, **more)

    def _folded(self, line: bytes, table: TextTable) -> Folded:
        drawing = self._drawing(line, None)
        if drawing is None:
            return self._parsed.fold(line, table)
        canvas, note, paired, wrong = drawing
        row = fold(part.case("", "", [], canvas.size, note=note, aspect=canvas.aspect), table)
        for shape in paired:
            shape[1] = table[shape[1].category]
        row[-1] += paired
        row[-1] += [self._row(table, *entry) for entry in wrong]
        return Folded.of(row, table)

    def _row(self, table: TextTable, shape: Shape, place: int, desc: str | None, reason: str | None) -> Shape:
        label, error = shape[1].category, self._errors.errors[place]
        shape[1] = table[label]
        note = desc[:LONGEST_NOTE] if desc and not reason else tooltip(desc, reason)
        under = None if error.label == label else error.label
        shape += said_in(table, error.cause, note or None, "wrong", error.tags, under)
        return without_end(shape)


def _part(shape: Shape, look: Tree) -> Part:
    """A shape as a page draws it unfolded."""
    kind, label, points, partner, overlap = shape[:5]
    side, form = KIND_NAMES[kind]
    return part.shape(side, form, points, label.category, partner=partner, overlap=overlap, **look)


def _label(name: bytes) -> CaseLabel:
    return label_of(orjson.loads(name))
