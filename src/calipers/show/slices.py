"""Slices in words, for summaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from calipers.core.slice_views import surely_worse
from calipers.show.numbers import aligned, cut, spoken
from calipers.show.text import INDENT, SEPARATOR, between, named_line, printable, rate

Tree = Mapping[str, Any]
SHOWN = 3
MAX_ROWS = 8  # of a field


def slices_lines(slices: list[Tree], headline: str, of: str = "") -> Iterator[str]:
    """The three worst slices that are sure, and the worst of each field; `of` says whose they are."""
    yield named_line("worst slices", of + worst_slices(slices, headline))
    for field, parts in groupby(slices, key=lambda part: str(part["field"])):
        yield from _field_lines(f"{of}{spoken(headline)} by {cut(printable(field))}", list(parts), headline)


def _field_lines(title: str, parts: list[Tree], headline: str) -> Iterator[str]:
    """The headline of each group of a field with its interval and number of records, the worst first.

    >>> figure = {"value": 0.6, "interval": [0.5, 0.7]}
    >>> night = {"field": "light", "value": "night", "records": 40, "figures": {"f1": figure}}
    >>> day = night | {"value": "day", "records": 1, "figures": {"f1": {"value": 0.8, "interval": None}}}
    >>> print(*_field_lines("f1 by light", [night, day], "f1"), sep="\\n")
     slices               f1 by light, the worst first
                          night  0.600 (0.500–0.700)  n 40
                          day    0.800                n 1
    """
    yield named_line("slices", f"{title}, the worst {'first' if len(parts) <= MAX_ROWS else MAX_ROWS}")
    rows = [_row(part, part["figures"][headline]) for part in parts[:MAX_ROWS]]
    yield from (" " * (INDENT - 1) + line for line in aligned(rows, left=(0, 1, 2)))
    if len(parts) > MAX_ROWS:
        yield named_line("", f"{len(parts) - MAX_ROWS:,} more in the artifact")


def _row(part: Tree, figure: Tree) -> tuple[str, ...]:
    return cut(printable(part["value"])), rate(figure["value"]) + between(figure["interval"]), f"n {part['records']:,}"


def worst_slices(slices: list[Tree], headline: str) -> str:
    """The three worst slices that are surely worse than the rest.

    >>> figure = {"value": 0.6, "rest": 0.8, "difference": -0.2}
    >>> night = {"field": "light", "value": "night", "figures": {"f1": figure}, "sure": True, "worth": 0.05}
    >>> worst_slices([night], "f1")
    'light = night 0.600, the rest 0.800, worth +0.050'
    >>> worst_slices([night | {"sure": False}], "f1")
    'none is surely worse than the rest'
    """
    worse = surely_worse(slices, headline)
    shown = [_said(part, part["figures"][headline]) for part in worse[:SHOWN]]
    if len(worse) > SHOWN:
        left = len(worse) - SHOWN
        shown.append(f"{left:,} more {'is' if left == 1 else 'are'} surely worse than the rest")
    return SEPARATOR.join(shown) or "none is surely worse than the rest"


def _said(part: Tree, figure: Tree) -> str:
    name = slice_name(part)
    return f"{name} {rate(figure['value'])}, the rest {rate(figure['rest'])}, worth {part['worth']:+.3f}"


def slice_name(part: Tree) -> str:
    """A slice as it is read."""
    return f"{printable(part['field'])} = {printable(part['value'])}"
