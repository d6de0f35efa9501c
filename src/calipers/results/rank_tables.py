"""A ranking as CSV, Markdown and LaTeX: one row for each result, figure by figure.

With an order the rows lie in it, else the best comes first. Differences are there where a baseline is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from calipers.core.tables import Table, make_table
from calipers.results.rank_text import facts_line, notes, ordered_rows
from calipers.show.latex import latex_table, tex_text
from calipers.show.markdown import escaped, markdown_table
from calipers.show.numbers import spoken
from calipers.show.tables import csv_table

if TYPE_CHECKING:
    from calipers.results.rank import RankFacts

Tree = Mapping[str, Any]
COLUMNS = ["position", "name", "value", "low", "high", "group", "best_probability"]
AGAINST = ["difference", "difference_low", "difference_high", "verdict"]


def csv(tree: Tree) -> str:
    """All figures in one table."""
    columns: list[str] = []
    rows: list[dict[str, Any]] = []
    for name in tree["figures"]:
        columns, own = figure_table(tree, name)
        rows += [{"figure": name, **row} for row in own]
    return csv_table(["figure", *columns], rows).decode()


def markdown(tree: Tree, facts: RankFacts) -> str:
    """A heading and a table for each figure, and the notes under them."""
    parts = [f"{escaped(facts_line(tree, facts))}\n"]
    for name in tree["figures"]:
        down = " ↓" if name in facts.lower_is_better else ""
        parts.append(f"### {escaped(spoken(name))}{down}\n\n{markdown_table(*figure_table(tree, name))}")
    listed = "".join(f"- {word}: {escaped(text)}\n" for word, text in notes(tree, facts))
    return "\n".join([*parts, listed]) if listed else "\n".join(parts)


def latex(tree: Tree) -> str:
    """A tabular for each figure under a comment with its name."""
    tabulars = (latex_table(*figure_table(tree, name)) for name in tree["figures"])
    return "\n".join(f"% {tex_text(name)}\n{text}" for name, text in zip(tree["figures"], tabulars, strict=True))


def figure_table(tree: Tree, figure: str) -> Table:
    """One figure: a row for each result."""
    rows = ordered_rows(tree, figure)
    against = "verdict" in rows[0]
    return make_table([*COLUMNS, *(AGAINST if against else [])], (_cells(row, against=against) for row in rows))


def _cells(row: Tree, *, against: bool) -> Iterator[Any]:
    yield from (row["position"], row["name"], row["value"], *(row["interval"] or (None, None)))
    yield from (row["group"], row["best_probability"])
    if against:
        yield from (row["difference"], *(row["difference_interval"] or (None, None)), row["verdict"])
