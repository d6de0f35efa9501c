"""What a reader can ask of the cases of a page: facets of a record, and of each object that is wrong in it.

Every case lists its errors, drawn or not, so that a filter looks through all of them. Errors that are alike stand once
in a table of the page, and a case holds their places in it and how many of each it has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

Part = dict[str, Any]


class ErrorFacets(NamedTuple):
    """An object that is wrong, by what it can be asked for."""

    cause: str  # as it is read
    label: str  # under which it counts: in an error of two objects that of the ground truth
    tags: tuple[str, ...] = ()
    said: str = ""  # its own label, if that is another


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

    >>> listing("a.jpg", "a.jpg", [ErrorFacets("missed", "screw")] * 2)["errors"]
    [[ErrorFacets(cause='missed', label='screw', tags=(), said=''), 2]]
    """
    counts = list(map(list, Counter(errors).items()))
    fields: Part = {"key": key, "title": title, "tags": [], "score": score, "errors": counts}
    if known := {name: list(values) for name, values in facets.items() if values} if facets else None:
        fields["facets"] = known
    if note:
        fields["note"] = note
    return fields


def slice_facets(case: Mapping[str, Any]) -> dict[str, list[str]]:
    """The slices that a record belongs to, where its case names them: by field, or as a list.

    >>> slice_facets({"slices": {"light": "night"}}), slice_facets({"slices": ["light=night"]}), slice_facets({})
    ({'slice': ['light=night']}, {'slice': ['light=night']}, {})
    """
    slices = case.get("slices") or []
    names = [f"{field}={value}" for field, value in slices.items()] if isinstance(slices, Mapping) else list(slices)
    return {"slice": [str(name) for name in names]} if names else {}


def kinds_of(part: Part) -> list[tuple[str, ...]]:
    """The kinds of errors in a case that should each have one drawn: labels with their cause, and tags; some twice."""
    return list(chain.from_iterable([_kinds(error) for error, _ in part["errors"]]))


@lru_cache(maxsize=1 << 16)
def _kinds(error: ErrorFacets) -> tuple[tuple[str, ...], ...]:
    return (error.cause, error.label), *((tag,) for tag in error.tags)


def with_error_table(cases: Iterable[Part]) -> tuple[list[Any], list[Part]]:
    """Cases that name their errors by places in a table, and the table; those without a drawing are written short."""
    places: dict[ErrorFacets, int] = {}
    named = []
    for case in cases:
        if "errors" in case:
            numbers: list[int] = []
            for error, count in case["errors"]:
                numbers += places.setdefault(error, len(places)), count
            case = case | {"errors": numbers}
        named.append(case if "shapes" in case else _short(case))
    return named, [_entry(error) for error in places]


def _short(case: Part) -> list[Any]:
    """A listed case as a row: key, errors, and only where they say more, title, facets and its drawing, folded."""
    title = case["title"] if case["title"] != case["key"] else ""
    row = [case["key"], case["errors"], title, case.get("facets") or 0, case["folded"].row if "folded" in case else 0]
    while not row[-1] and len(row) > 2:
        row.pop()
    return row


def _entry(error: ErrorFacets) -> Part:
    more = {"tags": list(error.tags), "said": error.said}
    return {"cause": error.cause, "label": error.label} | {name: value for name, value in more.items() if value}
