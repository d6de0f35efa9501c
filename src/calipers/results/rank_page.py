"""The page of a ranking: for each figure a dot chart with intervals and groups, then every number in one table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from calipers.results.compare import BETTER
from calipers.results.rank_letters import split_letters
from calipers.results.rank_text import first_changes, notes, ordered_rows, percent, table
from calipers.show.numbers import spoken
from calipers.show.page import sections as part
from calipers.show.page.heads import MAX_ROWS, more_rows
from calipers.show.page.sections import Part, Tone
from calipers.show.page.shell import page

if TYPE_CHECKING:
    from calipers.results.rank import RankFacts

Tree = Mapping[str, Any]
NAMED = 3  # results in the title
SHARING = "Dots are values, lines their 95 % intervals. Results that share a letter cannot be told apart; those that"
SHARING += " share one with the best are filled."


def ranking_page(tree: Tree, facts: RankFacts) -> bytes:
    """One HTML file."""
    return page(page_data(tree, facts), table(tree, facts))


def page_data(tree: Tree, facts: RankFacts) -> Part:
    """The data of the page."""
    names = facts.results
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    charts = [_chart(tree, name, facts, first=not place) for place, name in enumerate(tree["figures"])]
    records = f"{facts.records:,} {facts.record}{'' if facts.records == 1 else 's'}"
    return part.page_data(
        f"{', '.join(names[:NAMED])}{more}",
        f"rank · {tree['suite']}",
        [*charts, *_history(tree), _table(tree)],
        subtitle=f"{len(names)} results · {records} · paired, {facts.replicates:,} replicates",
        facts=[("protocol", facts.protocol), ("pairs", "told apart by Holm's procedure at 5 %"), *_baseline(facts)],
        notes=[f"{word}: {text}" for word, text in notes(tree, facts) if word != "first sure change"],
    )


def _baseline(facts: RankFacts) -> list[tuple[str, str]]:
    return [] if facts.baseline is None else [("baseline", facts.baseline)]


def _chart(tree: Tree, figure: str, facts: RankFacts, *, first: bool) -> Part:
    standing = tree["figures"][figure]
    shares = split_letters([row["group"] for row in standing])
    top = {row["name"] for row, own in zip(standing, shares, strict=True) if own & shares[0]}
    change = tree["history"]["first_change"][figure] if "history" in tree else None
    rows = [_dot(row, row["name"] in top, change) for row in ordered_rows(tree, figure)]
    down = "Lower is better." if figure in facts.lower_is_better else ""
    return part.dots(spoken(figure), rows, about=" ".join(([SHARING] if first else []) + ([down] if down else [])))


def _dot(row: Tree, top: bool, change: Tree | None) -> Part:
    """A result; one that cannot be told from the best stands out, and so does the first sure change of a history."""
    note = "" if row["best_probability"] is None else f"best in {percent(row['best_probability'])} of replicates"
    own = change if change and change["to"] == row["name"] else None
    mark = f"{own['verdict']} than {own['from']}" if own else ""
    tone: Tone | None = None if own is None else "right" if own["verdict"] == BETTER else "wrong"
    look: dict[str, Any] = {"group": row["group"], "top": top, "note": note, "mark": mark, "tone": tone}
    return part.dot(row["name"], row["value"], row["interval"], **look)


def _history(tree: Tree) -> list[Part]:
    if "history" not in tree:
        return []
    return [part.text("First change that is sure", first_changes(tree))]


def _table(tree: Tree) -> Part:
    columns = [part.column("figure"), part.column("#", "number", "position"), part.column("result")]
    columns += [part.column("value", "rate"), part.column("95 % interval", "interval"), part.column("group")]
    columns += [part.column("best", "rate", "share of replicates in which it is the best of all")]
    rows = [[spoken(name), *_cells(row)] for name in tree["figures"] for row in ordered_rows(tree, name)]
    if len(rows[0]) > len(columns):
        columns += [part.column("difference", "difference"), part.column("95 % of it", "differences")]
        columns += [part.column("verdict", "verdict")]
    return part.table("All numbers", columns, rows[:MAX_ROWS], cut=more_rows(len(rows)))


def _cells(row: Tree) -> list[Any]:
    own = [row[name] for name in ("position", "name", "value", "interval", "group", "best_probability")]
    against = [row[name] for name in ("difference", "difference_interval", "verdict")] if "verdict" in row else []
    return own + against
