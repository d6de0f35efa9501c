"""The page of suspects: how many of each reason, the whole list, and the places drawn in their records.

A place is drawn as the page of its suite draws records: a prediction in the result that it is of, an annotation in the
first result that has the record among its cases, else with the annotations alone. What is suspect stands out, all else
is in the background.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from calipers.core.survey import counted
from calipers.core.suspects import REASONS, Case, Suspect, SuspectRun
from calipers.results.suspects_text import NAMED, table, words
from calipers.show.page import sections as part
from calipers.show.page.cases import Limit, drawn_cases
from calipers.show.page.heads import MAX_ROWS, more_rows
from calipers.show.page.sections import Part
from calipers.show.page.shell import page

if TYPE_CHECKING:
    from calipers.results.suspect_inputs import SuspectInputs
    from calipers.results.suspects import SuspectFacts

Tree = Mapping[str, Any]
Places = list[Suspect]
MEANINGS = {
    "wrong_label": "a prediction lies on the object, and says another label",
    "not_annotated": "predictions of every result, or one with a score among the top 1 %, lie where no object is",
    "never_found": "no result finds the object, though each finds its neighbours",
    "near_duplicate": "another object of the same label lies in the same place",
    "odd_size": "far larger or smaller than others of its label",
    "shifted_boundary": "every result puts the boundary elsewhere, by the same offset",
}
ABOUT = "The most likely place comes first. These are proposals: nothing was changed."


def suspects_page(tree: Tree, facts: SuspectFacts, listed: Places, inputs: SuspectInputs) -> bytes:
    """One HTML file."""
    return page(page_data(tree, facts, listed, inputs), table(tree, facts))


def page_data(tree: Tree, facts: SuspectFacts, listed: Places, inputs: SuspectInputs) -> Part:
    """The data of the page."""
    limit = Limit()
    strips, cases = _drawings(listed, inputs, limit)
    names = tree["results"]
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    drawn = [part.cases("Places", len(cases), len(_by_record(listed)))] if cases else []
    return part.page_data(
        f"{', '.join(names[:NAMED])}{more}",
        f"suspects · {tree['suite']}",
        [*_reasons(listed, cases), *strips, *drawn, *_table(tree, cases, strips)],
        subtitle=f"{counted(facts.found, 'place')} to look at · {counted(facts.records, facts.record)} · "
        f"{counted(len(names), 'result')}",
        cases=cases,
        notes=facts.notes,
    )


def _reasons(listed: Places, cases: list[Part]) -> list[Part]:
    counts = Counter(suspect.reason for suspect in listed)
    tags = {tag for case in cases for tag in case["tags"]}
    bars = [
        part.bar(
            words(reason),
            counts[reason],
            kind="number",
            note=MEANINGS[reason],
            tone="wrong",
            goto=_doubt(reason) if _doubt(reason) in tags else None,
        )
        for reason in REASONS
        if counts[reason]
    ]
    return [part.bars("Reasons", bars, about=ABOUT)] if bars else [part.text("Reasons", ["No place stands out."])]


def _table(tree: Tree, cases: list[Part], strips: list[Part]) -> list[Part]:
    columns = [part.column("score", "bar"), part.column("reason"), part.column("key"), part.column("side")]
    columns += [part.column("#", "number", "in its record, from 0"), part.column("label"), part.column("suggested")]
    columns += [part.column("result", title="whose prediction it is")]
    rows = [_cells(row) for row in tree["rows"][:MAX_ROWS]]
    links: dict[str, part.Goto] = {key: {"key": key} for case in cases for key in case["facets"]["key"]}
    links |= {video["name"]: video["name"] for section in strips for video in section["videos"]}
    leading = [links.get(row["key"]) for row in tree["rows"][:MAX_ROWS]]
    cut = more_rows(len(tree["rows"]))
    return [part.table("All places", columns, rows, goto=leading, cut=cut, sort=(0, "down"))] if rows else []


def _cells(row: Tree) -> list[Any]:
    texts = ["—" if row[name] is None else str(row[name]) for name in ("label", "suggested", "result")]
    return [row["score"], words(row["reason"]), row["key"], row["side"], row["index"], *texts]


# Drawings


def _drawings(listed: Places, inputs: SuspectInputs, limit: Limit) -> tuple[list[Part], list[Part]]:
    """Sections of strips, or cases: whatever the suite draws."""
    runs = sorted(inputs.runs, key=lambda run: run.name)
    if inputs.spec.draw:
        return _strips(listed, inputs, runs, limit), []
    if not inputs.suite.draw_case:
        return [], []
    chosen = list(_by_record(listed).items())[: limit.cases]
    by_drawing = _cases(chosen, inputs, runs)
    cases = [by_drawing[name, key] | {"suspects": own} for (name, key), own in chosen if (name, key) in by_drawing]
    trees = {run.name: run.tree for run in runs}

    def draw(case: Case) -> Part:
        return _draw(case, inputs.suite.draw_case, trees)

    return [], drawn_cases(cases, limit, draw)


def _strips(listed: Places, inputs: SuspectInputs, runs: list[SuspectRun], limit: Limit) -> list[Part]:
    notes: dict[str, list[str]] = {}
    for suspect in listed:
        if suspect.key in notes or len(notes) < limit.cases:
            notes.setdefault(suspect.key, []).append(f"{suspect.label}: suggested {suspect.suggested}")
    cases: dict[str, dict[str, Case]] = {name: {} for name in notes}
    for run in runs:
        for case in run.cases():
            if case["key"] in cases:
                cases[case["key"]][run.name] = case
    sections: list[Part] = inputs.spec.draw(cases, notes) if inputs.spec.draw else []
    return sections


def _by_record(listed: Places) -> dict[tuple[str, str], Places]:
    """The places of each drawing, by the result that is drawn ("" for whichever has the record) and the record.

    Annotations are drawn with the predictions of their record that are listed, if there are any.
    """
    shown = {suspect.key: suspect.result for suspect in reversed(listed) if suspect.result is not None}
    drawings: dict[tuple[str, str], Places] = {}
    for suspect in listed:
        result = suspect.result or shown.get(suspect.key) or ""
        drawings.setdefault((result, suspect.key), []).append(suspect)
    return drawings


def _cases(chosen: list[Any], inputs: SuspectInputs, runs: list[SuspectRun]) -> dict[tuple[str, str], Case]:
    """The case of each drawing, with the result it is of."""
    wanted, by_drawing = {drawing for drawing, _ in chosen}, {}
    for run in runs:
        for case in run.cases():
            for name in (run.name, ""):
                if (name, case["key"]) in wanted and (name, case["key"]) not in by_drawing:
                    by_drawing[name, case["key"]] = case | {"result": run.name}
    left = {key for name, key in wanted if not name and (name, key) not in by_drawing}
    for key, case in _truth_cases(left, inputs, runs[0]):
        by_drawing["", key] = case | {"result": runs[0].name}
    return by_drawing


def _truth_cases(keys: set[str], inputs: SuspectInputs, run: SuspectRun) -> Iterator[tuple[str, Case]]:
    """Cases of records without a failure, which have annotations alone."""
    spec = inputs.spec
    if not keys or spec.truth_case is None or spec.truth_rows is None:
        return
    rows: dict[str, list[Any]] = {}
    for row in spec.truth_rows(run):
        if row.side == "gt" and row.key in keys:
            rows.setdefault(row.key, []).append(row)
    for key, own in rows.items():
        yield key, spec.truth_case(key, own)


def _draw(case: Case, draw_case: Any, trees: dict[str, Tree]) -> Part:
    """A record with its suspects marked."""
    places: Places = case["suspects"]
    for place in places:
        _mark(case, place)
    drawn: Part = draw_case(trees[case["result"]], case)
    reasons = list(dict.fromkeys(_doubt(place.reason) for place in places))
    for shape in drawn["shapes"]:
        _restyle(shape, reasons)
    drawn.pop("errors", None)  # of the one result, which would be read as suspects
    drawn |= {"tags": reasons, "facets": drawn.get("facets", {}) | {"key": [case["key"]]}}
    title, result = drawn["title"], case["result"]
    drawn |= {"key": f"{result} · {case['key']}", "title": title if result in title else f"{title} · {result}"}
    drawn["note"] = " · ".join(_caption(place) for place in places)
    return drawn | {"score": places[0].score}


def _doubt(reason: str) -> str:
    """A reason as the cause of a suspect, which tells it from errors of the same name."""
    return f"{words(reason)}?"


def _caption(place: Suspect) -> str:
    suggested = "" if place.suggested in (None, place.label) else f" → {place.suggested}"
    return f"{words(place.reason)}: {place.label or '(no label)'}{suggested} ({place.score:.3f})"


def _mark(case: Case, place: Suspect) -> None:
    """Give the object of a place its reason, in place of its cause."""
    word = _doubt(place.reason)
    if case.get("method") is not None:
        for box in case[place.side]:
            if box["index"] == place.place:
                box |= {"state": word, "cause": word, "partner": None, "iou": None}
                box.pop("error_with", None)
        return
    listed = case[f"unmatched_{place.side}"]
    if place.side == "gt":
        _take_apart(case, place.place)
    for entry in listed:
        if entry["index"] == place.place:
            entry["cause"] = word


def _take_apart(case: Case, index: int) -> None:
    """Where the annotation has a partner, list both as objects of their own, so that it can have a cause."""
    for pair in [pair for pair in case["matched"] if pair["gt"]["index"] == index]:
        case["matched"].remove(pair)
        for side, other in (("gt", "pred"), ("pred", "gt")):
            best = {"index": pair[other]["index"], "overlap": pair["overlap"]}
            entry = {"index": pair[side]["index"], "object": pair[side], "cause": "matched", "partner": best}
            entry |= {"best": best} if "bbox" not in pair[side] else _box_entry(pair[side], best)
            case[f"unmatched_{side}"].append(entry)


def _box_entry(box: Tree, best: dict[str, Any]) -> dict[str, Any]:
    fields = {name: box[name] for name in ("id", "category", "score", "bbox")}
    return fields | {"invalid": None, "best": best}


def _restyle(shape: Part, reasons: list[str]) -> None:
    """Draw objects that are no suspects in the background."""
    own = shape.get("cause") in reasons
    shape["tags"] = [shape["cause"]] if own else []
    if own:
        shape["state"] = "wrong"
        return
    shape["state"] = "right" if shape.get("state") != "wrong" and "partner" in shape else "aside"
