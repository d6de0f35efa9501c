"""Slices of an artifact as they are shown: as a table, and the worst that are sure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Tree = Mapping[str, Any]
Table = tuple[list[str], list[dict[str, Any]]]
COLUMNS = [
    "field",
    "value",
    "records",
    "objects",
    "figure",
    "figure_value",
    "low",
    "high",
    "rest",
    "difference",
    "difference_low",
    "difference_high",
    "p",
    "sure",
    "worth",
]


def has_slices(tree: Tree) -> bool:
    """Whether a result was sliced."""
    return "slices" in tree


def slices_table(tree: Tree, headline: str) -> Table:
    """One row for each figure of each slice; `sure` and `worth` stand in the rows of the headline they are about."""
    return COLUMNS, [row for part in tree["slices"] for row in slice_lines(part, headline)]


def slice_lines(part: Tree, headline: str) -> Iterator[dict[str, Any]]:
    """The rows of one slice."""
    for name, figure in part["figures"].items():
        ends, apart = (figure[key] or (None, None) for key in ("interval", "difference_interval"))
        cells = (
            *(part[key] for key in ("field", "value", "records", "objects")),
            *(name, figure["value"], *ends, figure["rest"], figure["difference"], *apart, figure["p"]),
            *((part["sure"], part["worth"]) if name == headline else (None, None)),
        )
        yield dict(zip(COLUMNS, cells, strict=True))


def surely_worse(slices: list[Tree], headline: str) -> list[Tree]:
    """The slices that are surely worse than the rest, the worst first."""
    sure = [part for part in slices if part["sure"] and part["figures"][headline]["difference"] < 0]
    return sorted(sure, key=lambda part: part["figures"][headline]["value"])
