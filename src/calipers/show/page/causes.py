"""What to fix first, on a page: causes by what they are worth, labels by their causes, labels taken for others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from calipers.show.causes import MEANINGS, cause_words
from calipers.show.page import sections as part
from calipers.show.page.listing import ErrorFacets
from calipers.show.page.sections import Goto, Part

Tree = dict[str, Any]
MAX_LABELS = 30
NO_LABEL = "(none)"
AXES = {"row_title": "label", "column_title": "cause, in errors"}


def fix_first_part(
    trees: dict[str, Tree], goto: Callable[[str, str], Goto], *, figure: str = "f1", words: str = "F1"
) -> list[Part]:
    """A bar for each cause of each result (by name, "" for the only one): what it is worth, and how often it is."""
    bars = []
    for name, tree in trees.items():
        prefix = f"{name}: " if name else ""
        for cause, entry in sorted(tree["worth"][figure].items(), key=lambda item: -(item[1]["gain"] or 0)):
            if count := tree["errors"][cause]:
                tone: Any = "gt" if cause == "missed" else "wrong"
                note = f"{count:,} · {MEANINGS[cause]}"
                link = goto(name, cause)
                bar = part.bar(
                    f"{prefix}{cause_words(cause)}",
                    entry["gain"],
                    kind="difference",
                    interval=entry["interval"],
                    note=note,
                    tone=tone,
                    goto=link,
                )
                bars.append(bar)
    about = f"What {words} would gain if every error of a cause were right, with its 95 % interval, and how many."
    return [part.bars("Fix first", bars, about=about)] if bars else []


def label_causes_part(
    tree: Tree, title: str = "Labels by cause", facets: Mapping[str, str] | None = None
) -> list[Part]:
    """A heat map of causes for the labels with most errors; `facets` are those of all its cases, such as a method."""
    rows = tree["errors_by_label"][:MAX_LABELS]
    if not rows:
        return []
    causes, names = list(MEANINGS), [NO_LABEL if row["label"] is None else row["label"] for row in rows]
    cells = [(at, place, row[cause]) for at, row in enumerate(rows) for place, cause in enumerate(causes) if row[cause]]
    links = [{"label": names[at], "cause": cause_words(causes[place])} | dict(facets or {}) for at, place, _ in cells]
    more = len(tree["errors_by_label"]) - len(rows)
    about = "An error of two objects counts under the label of the ground truth."
    about += f" The {len(rows)} labels with most errors; errors_by_label.csv has {more:,} more." if more else ""
    columns = [cause_words(cause) for cause in causes]
    return [part.matrix(title, names, columns, cells, goto=links, about=about, **AXES)]


def taken_for(truth: str, pred: str) -> str:
    """The tag of objects of one label that were predicted as another."""
    return f"{truth} taken for {pred}"


def error_facets(side: str, cause: str, label: str, other: str | None, tags: Sequence[str] = ()) -> ErrorFacets:
    """What an object that is wrong can be asked for: its cause, the label it counts under, its cell of the confusion.

    `other` is the label of its partner in an error of two objects, None where there is none.
    """
    own, partner = label or NO_LABEL, (other or NO_LABEL) if other is not None else None
    truth, pred = (own, partner) if side == "gt" else (partner, own)
    cell = f"{'missed' if side == 'gt' else 'background'} {own}"
    if cause == "wrong_label" and truth is not None and pred is not None:
        cell = taken_for(truth, pred)
    counted = truth or own
    return ErrorFacets(cause_words(cause), counted, (cell, *tags), "" if own == counted else own)


def confusion_part(confusion: Tree, names: list[str], about: str, predicted: str = "predicted as") -> list[Part]:
    """A heat map of labels taken for others. Rows are what is there, columns what was said; the last is nothing."""
    if not names:
        return []
    at = {name: place for place, name in enumerate(names)}
    cells: list[tuple[int, int, int]] = []
    tags: list[str | None] = []
    for truth, row in confusion["matched"].items():
        for pred, count in row.items():
            if truth in at and pred in at:
                cells.append((at[truth], at[pred], count))
                tags.append(None if truth == pred else taken_for(truth, pred))
    for key in ("missed", "background"):
        for name, count in confusion[key].items():
            if name in at:
                cells.append((at[name], len(names), count) if key == "missed" else (len(names), at[name], count))
                tags.append(f"{key} {name}")
    rows, columns = [*names, "(nothing there)"], [*names, "(not found)"]
    titles = {"row_title": "ground truth", "column_title": predicted}
    return [part.matrix("Confusion", rows, columns, cells, goto=tags, about=about, **titles)]
