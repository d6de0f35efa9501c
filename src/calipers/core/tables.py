"""Tables of a result: columns, and rows that have exactly these keys. An undefined value is None."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from calipers.core.sweep_figures import RATES

Tree = Mapping[str, Any]
Table = tuple[list[str], list[dict[str, Any]]]
Named = tuple[str, float | None]


def make_table(columns: list[str], lines: Iterable[Iterable[Any]]) -> Table:
    """A table from lines of cells."""
    return columns, [dict(zip(columns, line, strict=True)) for line in lines]


def sweep_columns(first: str) -> list[str]:
    """The columns of a table of a sweep: what a row is about, counts, rates."""
    return [first, "gt", "pred", "matched", *RATES]


def cause_table(tree: Tree) -> Table:
    """One row for each outcome: how often, and what it is worth in F1 where it is an error."""
    worth = tree["worth"]["f1"]
    rows = ((name, n, *_gain(worth.get(name))) for name, n in tree["errors"].items())
    return make_table(["cause", "n", "worth", "low", "high"], rows)


def _gain(entry: Tree | None) -> tuple[float | None, float | None, float | None]:
    low, high = (entry and entry["interval"]) or (None, None)
    return entry["gain"] if entry else None, low, high


def label_cause_table(tree: Tree) -> Table:
    """One row for each label that has an error: how often each cause."""
    rows = tree["errors_by_label"]
    return list(rows[0]) if rows else ["label"], [dict(row) for row in rows]


def named(place: str, numbers: Mapping[str, float | None]) -> Iterator[Named]:
    """Numbers of a part of the artifact by a path, for an experiment tracker."""
    yield from ((f"{place}/{name}", value) for name, value in numbers.items())


def confusion_table(tree: Tree) -> Table:
    """One row for each pair of classes that met; missed objects have no `pred`, detections of nothing no `gt`.

    >>> confusion = {"matched": {"car": {"car": 9, "bus": 2}}, "missed": {"car": 1}, "background": {"bus": 3}}
    >>> for row in confusion_table({"confusion": confusion})[1]:
    ...     print(*row.values())
    car car 9 matched
    car bus 2 confused
    car None 1 missed
    None bus 3 background
    """
    columns = ["gt", "pred", "n", "kind"]
    return columns, [dict(zip(columns, cells, strict=True)) for cells in _cells(tree["confusion"])]


def _cells(confusion: Tree) -> Iterator[tuple[str | None, str | None, int, str]]:
    for gt, row in confusion["matched"].items():
        for pred, n in row.items():
            yield gt, pred, n, "matched" if gt == pred else "confused"
    for gt, n in confusion["missed"].items():
        yield gt, None, n, "missed"
    for pred, n in confusion["background"].items():
        yield None, pred, n, "background"
