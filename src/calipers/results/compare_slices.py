"""What a comparison says of slices: a table, and a warning where the whole improved and a slice surely got worse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from calipers.show.numbers import cut, decimals, number, signed, span, spoken
from calipers.show.slices import slice_name

Tree = Mapping[str, Any]
COLUMNS = ("slice", "old", "new", "Δ", "95 % of Δ", "sure")
SHOWN = 12


def warnings(tree: Tree) -> Iterator[str]:
    """A line for each group of figures whose headline improved while slices surely got worse."""
    metrics = {row["metric"]: row for row in tree["metrics"]}
    groups = dict.fromkeys((row.get("group", ""), row["metric"]) for row in tree.get("slices", ()))
    for group, metric in groups:
        whole = metrics.get(f"{group}.{metric}" if group else metric)
        worse = [row for row in tree["slices"] if row.get("group", "") == group and is_worse(row) and row["sure"]]
        if whole is not None and worse and _gain(whole) > 0:
            named = ", ".join(f"{slice_name(row)} ({signed(row['difference'], 3)})" for row in worse[:3])
            more = f" and {len(worse) - 3:,} more" if len(worse) > 3 else ""
            improved = f"{spoken(whole['metric'])} improved ({signed(whole['difference'], 3)})"
            yield f"{improved}, but slices surely got worse: {named}{more}"


def _gain(row: Tree) -> float:
    difference = row["difference"] or 0.0
    return difference if row["higher_is_better"] else -difference


def is_worse(row: Tree) -> bool:
    """Whether a slice got worse, for sure or not."""
    return _gain(row) < 0


def shown(tree: Tree) -> list[Tree]:
    """The slices of the table: those that surely changed, then those that lost most."""
    rows = tree.get("slices", [])
    return sorted(rows, key=lambda row: (not row["sure"], _gain(row)))[:SHOWN]


def cells(row: Tree) -> tuple[str, ...]:
    """A slice as texts."""
    digits = decimals(row["old"], row["new"], row["interval"])
    values = (number(row["old"], digits), number(row["new"], digits), signed(row["difference"], digits))
    sure = ("worse" if is_worse(row) else "better") if row["sure"] else "cannot tell"
    group = f"{row['group']}: " if "group" in row else ""
    return (cut(f"{group}{slice_name(row)}"), *values, span(row["interval"], digits), sure)


def more(tree: Tree) -> Iterator[tuple[str, str]]:
    """A line about slices that the table leaves out."""
    left = len(tree.get("slices", ())) - SHOWN
    if left > 0:
        yield "more", f"{left:,} further {'slice is' if left == 1 else 'slices are'} in the JSON"
