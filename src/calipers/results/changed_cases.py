"""What two results differ in, drawn: records with an object that one of them found and the other did not, and records
with more or fewer false positives.

A broken object is drawn as it is in the new result, where it is missed; a fixed one as it was in the old. Predictions
have no identity across results, so of a record with more false positives than before all are drawn. Records are looked
up in the folders that the results came from, and only if the results there are still the ones compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from calipers.artifact import ARTIFACT, read_artifact
from calipers.show.page.cases import CASES, Case, Limit, drawn_cases
from calipers.show.page.heads import Tree
from calipers.show.page.sections import Part
from calipers.suite import suite_of_tree

PAIRED = ("found", "matched")  # states of objects that have a partner
KEY = re.compile(rb'\{"key":("(?:[^"\\]|\\.)*")')
FIRST = 1_000_000  # a kind of change comes before the next
BROKEN, FIXED, NEW, GONE = "broken", "fixed", "false positives, new", "false positives, gone"


class ChangeKind(NamedTuple):
    """A kind of change: what is clicked, what its objects are called, where they are listed and drawn from."""

    word: str
    cause: str
    listed: str
    side: str
    note: str


CHANGES = (
    ChangeKind(BROKEN, BROKEN, "broken_objects", "new", "as in the new result"),
    ChangeKind(FIXED, FIXED, "fixed_objects", "old", "{n:,} fixed, as in the old result"),
    ChangeKind(NEW, "unmatched", "false_positives_new_records", "new", "{n:,} more than before, as in the new result"),
    ChangeKind(GONE, "unmatched", "false_positives_gone_records", "old", "{n:,} fewer by now, as in the old result"),
)


class ResultFolder:
    """A result with the folder its cases are in."""

    def __init__(self, folder: Path, tree: Tree) -> None:
        self.tree, self._cases = tree, folder / CASES

    def cases(self, keys: Iterable[str]) -> Iterator[Case]:
        """The cases of some records."""
        wanted = {orjson.dumps(key) for key in keys}
        with open(self._cases, "rb") as file:
            for line in file:
                match = KEY.match(line)
                if match and match[1] in wanted:
                    yield orjson.loads(line)


def result_folder(source: Mapping[str, Any]) -> ResultFolder | None:
    """The folder of a result that was compared, if it is one and its cases are there."""
    folder = Path(source["name"])
    folder = folder if folder.is_dir() else folder.parent
    if not (folder / ARTIFACT).is_file() or not (folder / CASES).is_file():
        return None
    tree = read_artifact(folder)
    same = all(tree.get(name) == source[name] for name in ("calipers", "inputs"))
    return ResultFolder(folder, tree) if same else None


def changed_cases(comparison: Tree, old: ResultFolder | None, new: ResultFolder | None, limit: Limit) -> list[Part]:
    """Records with objects that broke, then with objects that were fixed, then with other false positives."""
    sides = {"old": old, "new": new}
    drawn = [
        (change, folder, cases)
        for change in CHANGES
        if (folder := sides[change.side]) and (cases := _marked(comparison["objects"][change.listed], folder, change))
    ]
    share = Limit(limit.cases // max(1, len(drawn)), limit.bytes and limit.bytes // max(1, len(drawn)))
    parts = []
    for change, folder, cases in drawn:
        parts += drawn_cases(cases, share, partial(_draw, folder, change))
    return parts


def _marked(listed: list[Tree], folder: ResultFolder, change: ChangeKind) -> list[Case]:
    """The cases of what is listed, with its objects under the cause of the change; most objects first."""
    wanted: dict[tuple[Any, str], list[Tree]] = {}
    for entry in listed:
        wanted.setdefault((entry.get("method"), entry["record"]), []).append(entry)
    marked = []
    for case in folder.cases(entry["record"] for entry in listed):
        rows = wanted.get((case.get("method"), case["key"]), [])
        if count := _mark(case, rows, change):
            marked.append(case | {"unmatched": count})
    return sorted(marked, key=lambda case: (-case["unmatched"], case["key"]))


def _mark(case: Case, rows: list[Tree], change: ChangeKind) -> int:
    """Mark changed objects with the cause of the change, and return how many there are."""
    in_scene = case.get("method") is not None
    by_record = change.word in (NEW, GONE)
    places, count = {row.get("index") for row in rows}, 0
    for entry in _failures(case, "pred" if by_record else "gt"):
        if rows and (by_record or entry["index"] in places):
            entry |= {"cause": change.cause} | ({"state": change.cause} if in_scene else {})
            count += 1
    return sum(row["n"] for row in rows) if by_record and count else count


def _failures(case: Case, side: str) -> list[Tree]:
    """The objects of a side without a partner."""
    if case.get("method") is not None:
        return [box for box in case[side] if box["state"] not in PAIRED]
    return list(case[f"unmatched_{side}"])


def _draw(folder: ResultFolder, change: ChangeKind, case: Case) -> Part:
    draw = suite_of_tree(folder.tree).draw_case
    drawn: Part = draw(folder.tree, case) if draw else {}
    for shape in drawn["shapes"]:
        _restyle(shape, change)
    labels = [shape["label"] for shape in drawn["shapes"] if change.word in shape["tags"]]
    drawn.pop("errors", None)  # of the one result, which would be read as changes
    drawn["tags"] = list(dict.fromkeys([change.word, case["key"], *labels]))
    drawn["facets"] = drawn.get("facets", {}) | {"key": [case["key"]]}
    drawn |= {"key": f"{change.word} · {drawn['key']}", "title": f"{drawn['title']} · {change.word}"}
    drawn["note"] = change.note.format(n=case["unmatched"])
    return drawn | {"score": case["unmatched"] + FIRST * (len(CHANGES) - CHANGES.index(change))}


def _restyle(shape: Part, change: ChangeKind) -> None:
    """Draw objects that did not change in the background, right or wrong."""
    own = shape.get("cause") == change.cause
    shape["tags"] = [change.word] if own else []
    if not own:
        shape["state"] = "right" if shape.get("state") != "wrong" and "partner" in shape else "aside"
    elif change.word == FIXED:
        shape["state"] = "right"


def changed_together(comparison: Tree, old: ResultFolder | None, new: ResultFolder | None, limit: Limit) -> list[Part]:
    """Sections of records that changed, of a suite that draws both results in one picture."""
    draw = suite_of_tree(comparison).draw_changed
    if old is None or new is None or draw is None:
        return []
    tags: dict[str, dict[str, None]] = {}
    for change in CHANGES:
        for row in comparison["objects"][change.listed]:
            tags.setdefault(row["record"], {})[change.word] = None
    chosen = list(tags)[: limit.cases]
    before, after = ({case["key"]: case for case in side.cases(chosen)} for side in (old, new))
    both = [(before[name], after[name], list(tags[name])) for name in chosen if name in before and name in after]
    sections: list[Part] = draw(both)
    return sections
