"""The objects of a case as shapes: pairs first, then what is left on both sides, each with whom it belongs to."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from calipers.show.page.cases import Case
from calipers.show.page.sections import Part, shape

Side = Literal["gt", "pred"]
SIDES: tuple[tuple[Side, Side], ...] = (("gt", "pred"), ("pred", "gt"))  # own, other


class Outline(NamedTuple):
    """What of an object is drawn."""

    form: Literal["box", "poly", "line"]
    points: list[float]


class Entry(NamedTuple):
    """An object of a case: the place in its list, what it is, and what is said of it if nobody is its partner."""

    side: Side
    place: int
    object: Any
    to: tuple[Side, int] | None  # its partner, or else the closest of the other side
    overlap: float | None
    unmatched: dict[str, Any] | None


def entries_of(case: Case) -> list[Entry]:
    """Every object of a case."""
    entries = []
    for pair in case["matched"]:
        for side, other in SIDES:
            to = (other, pair[other]["index"])
            entries.append(Entry(side, pair[side]["index"], pair[side], to, pair["overlap"], None))
    for side, other in SIDES:
        for entry in case[f"unmatched_{side}"]:
            best = entry.get("partner") or entry["best"] or {}
            near = (other, best["index"]) if best else None
            entries.append(Entry(side, entry["index"], entry.get("object", entry), near, best.get("overlap"), entry))
    return entries


class OutlineCollector:
    """Collects shapes whose partners are known by their side and index."""

    def __init__(self) -> None:
        self.undrawn = 0
        self._found: list[tuple[Entry, Outline, dict[str, Any]]] = []

    def add(self, entry: Entry, outline: Outline | None, look: dict[str, Any]) -> None:
        """One object, with its label and what else a shape shows; without an outline it is only counted."""
        if outline is None:
            self.undrawn += 1
        else:
            self._found.append((entry, outline, look))

    def parts(self) -> list[Part]:
        """All shapes that have an outline."""
        places = {(entry.side, entry.place): place for place, (entry, _, _) in enumerate(self._found)}
        return [
            shape(
                entry.side,
                outline.form,
                outline.points,
                partner=None if entry.to is None else places.get(entry.to),
                overlap=None if entry.overlap is None else round(entry.overlap, 3),
                **look,
            )
            for entry, outline, look in self._found
        ]


def said_of(place: str, undrawn: int) -> str:
    """Notes about a case besides its causes: its place, and what is missing from the drawing.

    >>> said_of("dump.jsonl:17", 1), said_of("image 4", 0)
    ('dump.jsonl:17 · 1 cannot be drawn', 'image 4')
    """
    return f"{place} · {undrawn:,} cannot be drawn" if undrawn else place
