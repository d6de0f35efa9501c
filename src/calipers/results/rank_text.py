"""A ranking as the console shows it: a table for each figure, best first, and notes below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from calipers.show.numbers import aligned, cut, decimals, number, signed, span, spoken
from calipers.show.text import SEPARATOR, UNDEFINED, named_line, printable

if TYPE_CHECKING:
    from calipers.results.rank import RankFacts

Tree = Mapping[str, Any]
LONGEST_GROUP = 26
FEW = 10  # records, of which an interval says little
COLUMNS = ("#", "result", "value", "95 %", "group", "best")
AGAINST = ("Δ", "95 % of Δ", "verdict")


def table(tree: Tree, facts: RankFacts) -> str:
    """The whole ranking, without a line break at the end."""
    lines = [facts_line(tree, facts)]
    for name in tree["figures"]:
        lines += ["", *figure_lines(tree, name, facts)]
    below = [named_line(word, printable(text)) for word, text in notes(tree, facts)]
    return "\n".join([*lines, *([""] if below else []), *below])


def facts_line(tree: Tree, facts: RankFacts) -> str:
    """How many results, of what, and how they were told apart."""
    count, records = len(facts.results), facts.records
    pairs = count * (count - 1) // 2
    return f"{count} results   " + SEPARATOR.join(
        (
            tree["suite"],
            f"{records:,} {facts.record}{'' if records == 1 else 's'}",
            f"paired, {facts.replicates:,} replicates",
            f"{pairs:,} pair{'' if pairs == 1 else 's'}, Holm at 5 %",
        )
    )


def figure_lines(tree: Tree, figure: str, facts: RankFacts) -> Iterator[str]:
    """The name of a figure, and its table."""
    rows = ordered_rows(tree, figure)
    heads = COLUMNS + (AGAINST if "verdict" in rows[0] else ())
    down = " ↓" if figure in facts.lower_is_better else ""
    yield f" {spoken(figure)}{down}"
    left = (1, 4, -1) if "verdict" in rows[0] else (1, 4)
    yield from aligned([heads, *(cells(row) for row in rows)], left=left)


def ordered_rows(tree: Tree, figure: str) -> list[Tree]:
    """The rows of a figure: in the order of the history, if there is one, else best first."""
    rows: list[Tree] = tree["figures"][figure]
    if "history" not in tree:
        return rows
    places = {name: place for place, name in enumerate(tree["history"]["results"])}
    return sorted(rows, key=lambda row: places[row["name"]])


def cells(row: Tree) -> tuple[str, ...]:
    """A row of the table as texts."""
    digits = decimals(row["value"], None, row["interval"])
    ends = row["interval"]
    interval = UNDEFINED if ends is None else f"{number(ends[0], digits)} … {number(ends[1], digits)}"
    place = UNDEFINED if row["position"] is None else str(row["position"])
    name, group = cut(printable(row["name"])), _short(row["group"] or UNDEFINED)
    own = (place, name, number(row["value"], digits), interval, group, percent(row["best_probability"]))
    if "verdict" not in row:
        return own
    digits = decimals(row["value"], None, row["difference_interval"])
    verdict = row["verdict"] or UNDEFINED
    return (*own, signed(row["difference"], digits), span(row["difference_interval"], digits), verdict)


def _short(group: str) -> str:
    """The letters of a group, cut to the width of the column."""
    return group if len(group) <= LONGEST_GROUP else f"{group[: LONGEST_GROUP - 1]}…"


def percent(share: float | None) -> str:
    """A share in percent; only 0 and 1 are shown as 0 % and 100 %.

    >>> percent(0.417), percent(0.0004), percent(0.9996), percent(1.0), percent(None)
    ('42 %', '<1 %', '>99 %', '100 %', '—')
    """
    if share is None:
        return UNDEFINED
    if 0 < share < 0.005 or 0.995 < share < 1:
        return "<1 %" if share < 0.5 else ">99 %"
    return f"{share:.0%}".replace("%", " %")


def notes(tree: Tree, facts: RankFacts) -> Iterator[tuple[str, str]]:
    """Notes under the tables: a word, and its explanation."""
    yield "group", "results that share a letter cannot be told apart"
    yield "best", "share of replicates in which it is the best of all"
    if facts.lower_is_better:
        yield "↓", "lower is better"
    if facts.baseline is not None:
        yield "Δ", f"difference to {facts.baseline}"
    if 1 < facts.records < FEW:
        yield "few", f"{facts.records} {facts.record}s are so few that intervals come out too narrow"
    if "history" in tree:
        yield from (("first sure change", sentence) for sentence in first_changes(tree))
    yield from facts.notes


def first_changes(tree: Tree) -> list[str]:
    """Of each figure the first change of a history that is sure, in words; those without one together."""
    changes = tree["history"]["first_change"]
    sentences = [f"{spoken(name)}: {_change(change)}" for name, change in changes.items() if change]
    none = SEPARATOR.join(spoken(name) for name, change in changes.items() if not change)
    return [*sentences, f"none: {none}"] if none else sentences


def _change(change: Tree) -> str:
    digits = decimals(change["difference"], None, change["difference_interval"])
    size = f"{signed(change['difference'], digits)} ({span(change['difference_interval'], digits)})"
    return f"{change['to']} is {change['verdict']} than {change['from']}, {size}"
