"""The page of a comparison: differences with their intervals, what was fixed, and what broke.

Headline figures are cards, all figures a table; a count leads to the records behind it where these are drawn.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from calipers.results import compare_slices as slices
from calipers.results.changed_cases import (
    BROKEN,
    FIXED,
    GONE,
    NEW,
    ResultFolder,
    changed_cases,
    changed_together,
    result_folder,
)
from calipers.results.compare_text import below, main_rows, place_words, records_of, shown_verdict, table
from calipers.show.numbers import decimals, number, spoken
from calipers.show.page import sections as part
from calipers.show.page.cases import Limit
from calipers.show.page.heads import MAX_INPUTS, MAX_ROWS, Tree, more_rows, short_name
from calipers.show.page.sections import Part
from calipers.show.page.shell import page
from calipers.suite import suite_of_tree

MAX_CARDS = 8
HEADS = {"index": "#", "method": "method", "kind": "kind", "state": "state", "type": "type", "label": "label"}
HEADS |= {"start": "first frame", "end": "last frame"}
COUNTED = ("index", "start", "end")


def comparison_page(tree: Tree) -> bytes:
    """One HTML file; what changed is drawn where the results that were compared are folders with cases."""
    old, new = (result_folder(tree[side]) if tree["objects"] else None for side in ("old", "new"))
    return page(page_data(tree, old, new), table(tree))


def page_data(tree: Tree, old: ResultFolder | None = None, new: ResultFolder | None = None) -> Part:
    """The data of all sections of the page."""
    cases: list[Part] = []
    strips: list[Part] = []
    if tree["objects"] and suite_of_tree(tree).draw_changed:
        strips = changed_together(tree, old, new, Limit())
    elif tree["objects"] and suite_of_tree(tree).draw_case:
        cases = changed_cases(tree, old, new, Limit())
    tags = {tag for case in cases for tag in case["tags"]}
    tags |= {tag for strip in strips for video in strip["videos"] for tag in (video["name"], *video.get("tags", ()))}
    sections = [
        *_warned(tree),
        _cards(tree, tags),
        _table(tree),
        *_slices(tree),
        *_objects(tree, tags),
        *strips,
        *_drawn(cases),
        *_listed(tree, tags),
    ]
    names = _names(*(tree[side]["name"] for side in ("old", "new")))
    paired = f"paired, {tree['replicates']:,} replicates" if tree["paired"] else "not paired"
    return part.page_data(
        " → ".join(names),
        f"compare · {tree['suite']}",
        sections,
        subtitle=f"{records_of(tree)} · {paired}",
        facts=_facts(tree),
        cases=cases,
        notes=[
            f"{name}: {text}" for name, text in below(tree) if name not in ("objects", "fixed", "broken", "#", "more")
        ],
    )


def _warned(tree: Tree) -> list[Part]:
    """A section with a warning where the whole improved and a slice surely got worse; else none."""
    lines = list(slices.warnings(tree))
    return [part.text("Not better everywhere", lines)] if lines else []


def _names(old: str, new: str) -> tuple[str, str]:
    """Two paths, shortened as far as they still differ.

    >>> _names("runs/monday", "runs/today"), _names("a/result.json", "b/result.json")
    (('monday', 'today'), ('a/result.json', 'b/result.json'))
    """
    short = os.path.basename(old.rstrip("/")), os.path.basename(new.rstrip("/"))
    return short if short[0] != short[1] and all(short) else (old, new)


def _facts(tree: Tree) -> list[tuple[str, str]]:
    facts = [("protocol", tree["protocol"])]
    for side in ("old", "new"):
        inputs = ", ".join(short_name(entry["path"]) for entry in tree[side]["inputs"][:MAX_INPUTS])
        facts.append((side, f"{tree[side]['name']} · {inputs} · calipers {tree[side]['calipers']}"))
    return facts


def _cards(tree: Tree, tags: set[str]) -> Part:
    cards = []
    for row in main_rows(tree)[:MAX_CARDS]:
        digits = decimals(row["old"], row["new"], row["interval"])
        note = f"{number(row['old'], digits)} → {number(row['new'], digits)} · {shown_verdict(row)}"
        better = part.better_end(row["higher_is_better"])
        look: Any = {"kind": "difference", "note": note, "better": better, "goto": _records_behind(row, tags)}
        cards.append(part.card(spoken(row["metric"]), row["difference"], row["interval"], **look))
    clicks = " A click on a number shows the objects behind it." if any("goto" in card for card in cards) else ""
    return part.cards("What changed", cards, about=f"New minus old, with the 95 % interval of the difference.{clicks}")


def _records_behind(row: Mapping[str, Any], tags: set[str]) -> str | None:
    """The filter for drawn records that changed a figure: objects, false positives, or the first of both."""
    if not row["difference"] or not row["higher_is_better"]:
        return None
    changes = (BROKEN, NEW) if row["difference"] < 0 else (FIXED, GONE)
    kinds = {"recall": changes[:1], "precision": changes[1:]}
    wanted = next((count for name, count in kinds.items() if row["metric"].endswith(name)), changes)
    return next((tag for tag in wanted if tag in tags), None)


def _drawn_tag(tag: str, tags: set[str]) -> str | None:
    return tag if tag in tags else None


def _objects(tree: Tree, tags: set[str]) -> list[Part]:
    """How many objects were fixed and broken."""
    objects = tree["objects"]
    if not objects:
        lines = ["Objects that were fixed or broken are listed where both results are folders written with -o."]
        return [part.text("Objects", lines)]
    rows: list[tuple[str, int, str, Any]] = [
        (BROKEN, objects["broken"], "found before, missed now", "wrong"),
        (FIXED, objects["fixed"], "missed before, found now", "right"),
        (NEW, objects["false_positives_new"], "more in a record than before", "wrong"),
        (GONE, objects["false_positives_gone"], "fewer in a record than before", "right"),
    ]
    bars = [part.bar(name, n, note=note, tone=tone, goto=_drawn_tag(name, tags)) for name, n, note, tone in rows]
    return [part.bars("Objects", bars)]


def _drawn(cases: list[Part]) -> list[Part]:
    if not cases:
        return []
    about = (
        "Broken objects and new false positives are drawn as in the new result,"
        " fixed objects and false positives that are gone as in the old one."
    )
    return [part.cases("Objects that changed, drawn", len(cases), len(cases), about=about)]


def _listed(tree: Tree, tags: set[str]) -> list[Part]:
    """A table of the objects that were fixed or broken."""
    tables = []
    for word in (BROKEN, FIXED) if tree["objects"] else ():
        listed, total = tree["objects"][f"{word}_objects"], tree["objects"][word]
        if not listed:
            continue
        names = [name for name in HEADS if name in listed[0]]
        columns = [part.column("record"), *(_column(name, tree) for name in names)]
        rows = [[entry["record"], *(entry[name] for name in names)] for entry in listed]
        goto = [_drawn_tag(row[0], tags) for row in rows]
        more = f"{total - len(listed):,} more" if total > len(listed) else ""
        tables.append(
            part.table(f"Objects {word}", columns, rows, goto=goto, cut=more, about=_place_words(tree, names))
        )
    return tables


def _column(name: str, tree: Tree) -> Part:
    title = place_words(tree) if name == "index" else ""
    return part.column(HEADS[name], "number" if name in COUNTED else "text", title)


def _place_words(tree: Tree, names: list[str]) -> str:
    return f"# is {place_words(tree)}." if "index" in names else ""


def _slices(tree: Tree) -> list[Part]:
    """What changed in each slice."""
    if not tree.get("slices"):
        return []
    columns = [part.column("slice"), part.column("old", "rate"), part.column("new", "rate")]
    columns += [part.column("difference", "difference"), part.column("95 % interval", "differences")]
    columns += [part.column("sure", "verdict"), part.column("records", "number")]
    rows = []
    for row in tree["slices"]:
        name, *_, verdict = slices.cells(row)
        rows.append([name, *(row[key] for key in ("old", "new", "difference", "interval")), verdict, row["records"]])
    return [part.table("Slices", columns, rows[:MAX_ROWS], cut=more_rows(len(rows)))]


def _table(tree: Tree) -> Part:
    columns = [part.column("metric"), part.column("old", "rate"), part.column("new", "rate")]
    columns += [part.column("difference", "difference"), part.column("95 % interval", "differences")]
    columns += [part.column("verdict", "verdict"), part.column("records", "number")]
    rows = []
    for row in tree["metrics"]:
        verdict = (
            None if row["higher_is_better"] is None else shown_verdict(row)
        )  # a description is neither good nor bad
        numbers = [row[name] for name in ("old", "new", "difference", "interval")]
        rows.append([spoken(row["metric"]), *numbers, verdict, row["n"]])
    return part.table("All figures", columns, rows[:MAX_ROWS], cut=more_rows(len(rows)))
