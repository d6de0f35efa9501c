"""The page of a comparison: differences with their intervals, what was fixed, and what broke."""

from __future__ import annotations

import os
from typing import Any

from calipers.views.comparison import below, place, shown, spoken
from calipers.views.page import sections as part
from calipers.views.page.cases import Limit
from calipers.views.page.changed_cases import Kept, changed_cases, changed_videos, kept
from calipers.views.page.heads import MOST_ROWS, Tree, more_rows
from calipers.views.page.sections import Part
from calipers.views.page.shell import page

MOST_CARDS = 12


def comparison_page(tree: Tree) -> bytes:
    """One HTML file; what changed is drawn where the results that were compared are folders with cases."""
    old, new = (kept(tree[side]) if tree["objects"] else None for side in ("old", "new"))
    return page(page_data(tree, old, new))


def page_data(tree: Tree, old: Kept | None = None, new: Kept | None = None) -> Part:
    """Everything the page shows."""
    cases: list[Part] = []
    strips: list[Part] = []
    if tree["objects"] and tree["suite"] == "timeline":
        strips = _strips(changed_videos(tree, old, new, Limit()))
    elif tree["objects"]:
        cases = changed_cases(tree, old, new, Limit())
    sections = [_cards(tree), *_objects(tree), *strips, *_drawn(tree, cases), *_listed(tree), _table(tree)]
    names = _names(*(tree[side]["name"] for side in ("old", "new")))
    paired = f"paired, {tree['replicates']:,} replicates" if tree["paired"] else "not paired"
    return part.page_data(
        " → ".join(names),
        f"compare · {tree['suite']}",
        sections,
        subtitle=f"{tree['records']:,} records · {paired}",
        facts=_facts(tree),
        cases=cases,
        notes=[f"{name}: {said}" for name, said in below(tree) if name not in ("objects", "fixed", "broken")],
    )


def _names(old: str, new: str) -> tuple[str, str]:
    """Two paths as short as they can be told apart.

    >>> _names("runs/monday", "runs/today"), _names("a/result.json", "b/result.json")
    (('monday', 'today'), ('a/result.json', 'b/result.json'))
    """
    short = os.path.basename(old.rstrip("/")), os.path.basename(new.rstrip("/"))
    return short if short[0] != short[1] and all(short) else (old, new)


def _facts(tree: Tree) -> list[tuple[str, str]]:
    found = [("protocol", tree["protocol"])]
    for side in ("old", "new"):
        inputs = ", ".join(entry["path"] for entry in tree[side]["inputs"][:4])
        found.append((side, f"{tree[side]['name']} · {inputs} · calipers {tree[side]['calipers']}"))
    return found


def _cards(tree: Tree) -> Part:
    found = []
    for row in shown(tree)[:MOST_CARDS]:
        note = f"{_number(row['old'])} → {_number(row['new'])} · {row['verdict']}"
        better: Any = "high" if row["higher_is_better"] else "low"
        name = spoken(row["metric"])
        found.append(part.card(name, row["difference"], row["interval"], kind="difference", note=note, better=better))
    about = "New minus old, with the 95 % interval of the difference."
    return part.cards("What changed", found, about=about)


def _number(value: float | None) -> str:
    return "—" if value is None else f"{value:.3f}"


def _objects(tree: Tree) -> list[Part]:
    """How many objects were fixed and broken."""
    found = tree["objects"]
    if not found:
        lines = ["Which objects were fixed and broken is told of two folders that a suite wrote with -o."]
        return [part.text("Objects", lines)]
    bars = [
        part.bar("broken", found["broken"], note="found before, missed now", tone="wrong", goto="broken"),
        part.bar("fixed", found["fixed"], note="missed before, found now", tone="right", goto="fixed"),
        part.bar("false positives, new", found["false_positives_new"], note="by record", tone="wrong"),
        part.bar("false positives, gone", found["false_positives_gone"], note="by record", tone="right"),
    ]
    return [part.bars("Objects", bars)]


def _drawn(tree: Tree, cases: list[Part]) -> list[Part]:
    if not cases:
        return []
    about = "What broke as it is in the new result, what was fixed as it was in the old."
    return [part.cases("Fixed and broken, drawn", len(cases), len(cases), about=about)]


def _strips(videos: list[Part]) -> list[Part]:
    states = sorted({run[0] for each in videos for lane in each["rows"] for run in lane["runs"]})
    return [part.strips("Videos with events that broke or were fixed", videos, states)] if videos else []


def _listed(tree: Tree) -> list[Part]:
    """The objects one by one."""
    found = []
    for word in ("broken", "fixed") if tree["objects"] else ():
        listed, total = tree["objects"][f"{word}_objects"], tree["objects"][word]
        rows = [[each["record"], place(each)] for each in listed]
        more = f"{total - len(listed):,} more" if total > len(listed) else ""
        if rows:
            columns = [part.column("record"), part.column("object")]
            found.append(part.table(f"Objects {word}", columns, rows, goto=[row[0] for row in rows], cut=more))
    return found


def _table(tree: Tree) -> Part:
    columns = [part.column("metric"), part.column("old", "rate"), part.column("new", "rate")]
    columns += [part.column("difference", "difference"), part.column("95 % interval", "interval")]
    columns += [part.column("verdict", "verdict"), part.column("records", "number")]
    names = ("old", "new", "difference", "interval", "verdict", "n")
    rows = [[spoken(row["metric"]), *(row[name] for name in names)] for row in tree["metrics"]]
    return part.table("All figures", columns, rows[:MOST_ROWS], cut=more_rows(len(rows)))
