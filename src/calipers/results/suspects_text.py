"""Suspects as the console shows them: how many of each reason, the first ones as a table, and notes below."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from calipers.core.suspects import REASONS
from calipers.show.numbers import aligned, cut
from calipers.show.text import SEPARATOR, UNDEFINED, named_line, printable

if TYPE_CHECKING:
    from calipers.results.suspects import SuspectFacts

Tree = Mapping[str, Any]
MAX_ROWS = 20  # of the table
HEADS = ("score", "reason", "key", "side", "#", "label", "suggested", "result")
NAMED = 3  # results in the first line


def table(tree: Tree, facts: SuspectFacts) -> str:
    """The whole list, without a line break at the end."""
    rows = tree["rows"][:MAX_ROWS]
    lines = [first_line(tree, facts)]
    if rows:
        lines += ["", *aligned([HEADS, *map(_cells, rows)], left=(1, 2, 3, 5, 6, 7))]
    below = [named_line(word, text) for word, text in notes(tree, facts)]
    return "\n".join([*lines, *([""] if below else []), *below])


def first_line(tree: Tree, facts: SuspectFacts) -> str:
    """How many places, of what, and which results say so."""
    count, names = facts.found, tree["results"]
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    records = f"{facts.records:,} {facts.record}{'' if facts.records == 1 else 's'}"
    results = f"{len(names):,} result{'' if len(names) == 1 else 's'}: {', '.join(map(printable, names[:NAMED]))}{more}"
    places = f"{count:,} place{'' if count == 1 else 's'} to look at"
    return f"{places}   " + SEPARATOR.join((tree["suite"], records, results))


def notes(tree: Tree, facts: SuspectFacts) -> Iterator[tuple[str, str]]:
    """Notes below the table: a word, and its explanation."""
    counts = Counter(row["reason"] for row in tree["rows"])
    if counts:
        yield "reasons", SEPARATOR.join(f"{counts[name]:,} {words(name)}" for name in REASONS if counts[name])
    hidden = facts.found - min(len(tree["rows"]), MAX_ROWS)
    if hidden:
        yield "more", f"{hidden:,} not shown here"
    for note in facts.notes:
        yield "note", printable(note)


def words(reason: str) -> str:
    """A reason as it is read."""
    return reason.replace("_", " ")


def _cells(row: Tree) -> tuple[str, ...]:
    texts = [row["key"], row["side"], row["index"], row["label"], row["suggested"], row["result"]]
    shown = [UNDEFINED if text is None else cut(printable(str(text))) for text in texts]
    return f"{row['score']:.3f}", words(row["reason"]), *shown
