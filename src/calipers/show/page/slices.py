"""Slices on a page: a dot chart for each field, worst first, whose dots lead to the cases of a slice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from calipers.core.survey import counted
from calipers.show.numbers import decimals, number, signed, span
from calipers.show.page import sections as part
from calipers.show.page.cases import SlicesOf, WorstCases
from calipers.show.page.sections import Part
from calipers.suite import suite_of_tree

Tree = dict[str, Any]
MAX_DOTS = 52
FIRST = ("bars", "cards")  # sections that a page begins with: what to fix first, and the headline
ABOUT = "Its 95 % interval beside it; those that surely differ from all other records stand out."


def add_slices(data: Part, tree: Tree, cases: WorstCases | None) -> None:
    """Put charts of slices behind what to fix first and the headline, and on each case the slices it is in."""
    suite = suite_of_tree(tree)
    if suite.slice_headline is None:
        return
    headline, whole = suite.slice_headline(tree), suite.in_usual_form(tree)
    parts = suite.slice_parts(whole)
    groups = [group for group, _ in parts]
    charts = [chart for group, sliced in parts for chart in _charts(group, sliced, headline, len(parts) > 1)]
    first = next(
        (at for at, section in enumerate(data["sections"]) if section["kind"] not in FIRST), len(data["sections"])
    )
    data["sections"][first:first] = charts
    if charts and cases is not None and cases.slices_of is not None:
        _tag_cases(data, cases.slices_of, groups)


def _charts(group: str, tree: Any, headline: str, several: bool) -> Iterator[Part]:
    for field, rows in groupby(tree.get("slices", ()), key=lambda row: str(row["field"])):
        shown = list(rows)
        cut = f" The worst {MAX_DOTS} of {len(shown):,}; slices.csv has all." if len(shown) > MAX_DOTS else ""
        title = f"{group}: slices by {field}" if several else f"Slices by {field}"
        own = {"method": group} if several else {}
        dots = [_dot(row, row["figures"][headline], own) for row in shown[:MAX_DOTS]]
        yield part.dots(title, dots, about=f"{headline} of each group. {ABOUT}{cut}")


def _dot(row: Tree, figure: Tree, own: dict[str, str]) -> Part:
    digits = decimals(figure["value"], figure["rest"], figure["difference_interval"])
    notes = [counted(row["records"], "record"), f"the rest {number(figure['rest'], digits)}"]
    notes.append(f"difference {signed(figure['difference'], digits)} ({span(figure['difference_interval'], digits)})")
    notes += ["sure"] if row["sure"] else []
    notes += [f"worth {signed(row['worth'], 3)}"] if row["worth"] is not None else []
    words = " · ".join(notes)
    options: Any = {"group": "", "top": row["sure"], "note": words, "goto": own | {"slice": _facet(row)}}
    return part.dot(row["value"], figure["value"], figure["interval"], **options)


def _facet(row: Tree) -> str:
    """A slice as cases carry it and the filter takes it."""
    return f"{row['field']}={row['value']}"


def _tag_cases(data: Part, slices_of: SlicesOf, groups: list[str]) -> None:
    """Each case says the slices of its record, those of its own method, and can be found by them."""
    videos = [video for section in data["sections"] for video in section.get("videos", ())]
    named = [_record(case[0] if isinstance(case, list) else case["key"], groups) for case in data["cases"]]
    members = slices_of(sorted({*(name for _, name in named), *(video["name"] for video in videos)}))
    for case, (group, name) in zip(data["cases"], named, strict=True):
        if slices := members[group].get(name):
            _add_facet(case, slices)
    for video in videos:
        if slices := members[0].get(video["name"]):
            video["slices"] = slices


def _add_facet(case: Any, slices: list[str]) -> None:
    """Let a case carry slices; one that is only listed is a row of key, errors, title and facets."""
    if isinstance(case, list):
        case += ["", 0][len(case) - 2 :]
        case[3] = (case[3] or {}) | {"slice": slices}
    else:
        case["facets"] = case.get("facets", {}) | {"slice": slices}


def _record(key: str, groups: list[str]) -> tuple[int, str]:
    """The place of its method and the record of a case, whose key begins with the method where there are some."""
    own = next((at for at, group in enumerate(groups) if group and key.startswith(f"{group} · ")), None)
    return (0, key) if own is None else (own, key.removeprefix(f"{groups[own]} · "))
