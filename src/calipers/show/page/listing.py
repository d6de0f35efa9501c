"""What a reader can ask of the cases of a page: facets of a record, and of each object that is wrong in it.

Every case lists its errors, drawn or not, so that a filter looks through all of them. Errors that are alike stand once
in a table of the page, and a case holds their places in it and how many of each it has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

Part = dict[str, Any]


class ErrorFacets(NamedTuple):
    """An object that is wrong, by what it can be asked for."""

    cause: str  # as it is read
    label: str  # under which it counts: in an error of two objects that of the ground truth
    tags: tuple[str, ...] = ()
    said: str = ""  # its own label, if that is another


class ErrorTable:
    """Errors by their place, each once."""

    def __init__(self, errors: Iterable[ErrorFacets] = ()) -> None:
        self.errors = list(errors)
        self._places = {error: place for place, error in enumerate(self.errors)}

    def place(self, error: ErrorFacets) -> int:
        """Where an error stands."""
        place = self._places.setdefault(error, len(self.errors))
        if place == len(self.errors):
            self.errors.append(error)
        return place


class ErrorCounts(NamedTuple):
    """The errors of a case: their places in a table, each once, and how many there are of each."""

    table: ErrorTable
    places: Sequence[int]
    counts: list[int]

    @classmethod
    def of(cls, errors: Iterable[ErrorFacets]) -> ErrorCounts:
        """Count errors, into a table of their own."""
        counts = Counter(errors)
        return cls(ErrorTable(counts), range(len(counts)), list(counts.values()))

    def kinds(self) -> set[tuple[str, ...]]:
        """The kinds of errors that should each have one drawn: labels with their cause, and tags."""
        return {kind for place in self.places for kind in _kinds(self.table.errors[place])}


def listing(
    key: str,
    title: str,
    errors: Iterable[ErrorFacets],
    *,
    facets: Mapping[str, Sequence[str]] | None = None,
    score: float = 0.0,
    note: str = "",
) -> Part:
    """A case as it is listed: everything about it but its drawing.

    >>> errors = listing("a.jpg", "a.jpg", [ErrorFacets("missed", "screw")] * 2)["errors"]
    >>> errors.table.errors, errors.counts
    ([ErrorFacets(cause='missed', label='screw', tags=(), said='')], [2])
    """
    fields = listed(key, title, score, ErrorCounts.of(errors))
    if known := {name: list(values) for name, values in facets.items() if values} if facets else None:
        fields["facets"] = known
    if note:
        fields["note"] = note
    return fields


def listed(key: str, title: str, score: float, errors: ErrorCounts) -> Part:
    """A case as it is listed without facets of its own."""
    return {"key": key, "title": title, "tags": [], "score": score, "errors": errors}


def slice_facets(case: Mapping[str, Any]) -> dict[str, list[str]]:
    """The slices that a record belongs to, where its case names them: by field, or as a list.

    >>> slice_facets({"slices": {"light": "night"}}), slice_facets({"slices": ["light=night"]}), slice_facets({})
    ({'slice': ['light=night']}, {'slice': ['light=night']}, {})
    """
    slices = case.get("slices") or []
    names = [f"{field}={value}" for field, value in slices.items()] if isinstance(slices, Mapping) else list(slices)
    return {"slice": [str(name) for name in names]} if names else {}


@lru_cache(maxsize=1 << 16)
def _kinds(error: ErrorFacets) -> tuple[tuple[str, ...], ...]:
    return (error.cause, error.label), *((tag,) for tag in error.tags)


def with_error_table(cases: Iterable[Part]) -> tuple[list[Any], list[Part]]:
    """Cases that name their errors by places in a table, and the table; those without a drawing are written short."""
    written, known = ErrorTable(), dict[ErrorTable, _PlacesIn]()
    named: list[Any] = []
    for case in cases:
        if "errors" not in case:
            named.append(case)
            continue
        own, places, counts = case["errors"]
        table = known.get(own) or known.setdefault(own, _PlacesIn(own, written))
        numbers = [0] * (2 * len(counts))
        numbers[::2], numbers[1::2] = [table[place] for place in places], counts
        named.append(case | {"errors": numbers} if "shapes" in case else _short(case, numbers))
    return named, [_entry(error) for error in written.errors]


class _PlacesIn(dict[int, int]):
    """Places of the errors of one table in another, where each gets one when it is asked for."""

    def __init__(self, own: ErrorTable, other: ErrorTable) -> None:
        super().__init__()
        self._own, self._other = own, other

    def __missing__(self, place: int) -> int:
        other = self[place] = self._other.place(self._own.errors[place])
        return other


def _short(case: Part, errors: list[int]) -> list[Any]:
    """A listed case as a row: key, errors, and only where they say more, title, facets and its drawing, folded."""
    title = case["title"] if case["title"] != case["key"] else ""
    row = [case["key"], errors, title, case.get("facets") or 0, case["folded"].json if "folded" in case else 0]
    while not row[-1] and len(row) > 2:
        row.pop()
    return row


def _entry(error: ErrorFacets) -> Part:
    more = {"tags": list(error.tags), "said": error.said}
    return {"cause": error.cause, "label": error.label} | {name: value for name, value in more.items() if value}
