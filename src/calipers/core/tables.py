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
    """One row for each cause of errors."""
    return make_table(["cause", "n"], tree["errors"].items())


def named(place: str, numbers: Mapping[str, float | None]) -> Iterator[Named]:
    """Numbers of a part of the artifact by a path, for an experiment tracker."""
    yield from ((f"{place}/{name}", value) for name, value in numbers.items())
