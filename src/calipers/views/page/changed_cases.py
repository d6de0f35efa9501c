"""What two results differ in, drawn: records with an object that one of them found and the other did not.

A broken object is drawn as it is in the new result, where it is missed; a fixed one as it was in the old. Both are
looked up in the folders that the results came from, and only if the results there are still the ones compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from calipers.views.page import coco, dense, scene
from calipers.views.page import sections as part
from calipers.views.page.build import ARTIFACT, CASES, read_artifact
from calipers.views.page.cases import Case, Limit, drawn_cases
from calipers.views.page.heads import Tree
from calipers.views.page.sections import Part

DRAWERS = {"dense": dense.draw_case, "coco": coco.draw_case, "scene": scene.draw_case}
KEY = re.compile(rb'\{"key":("(?:[^"\\]|\\.)*")')
FIRST = 1_000_000  # what broke comes before what was fixed


class Kept:
    """A result with the folder its cases are in."""

    def __init__(self, folder: Path, tree: Tree) -> None:
        self.tree, self._cases = tree, folder / CASES

    def cases(self, keys: Iterable[str]) -> Iterator[Case]:
        """The cases of some records."""
        wanted = {orjson.dumps(key) for key in keys}
        with open(self._cases, "rb") as file:
            for line in file:
                found = KEY.match(line)
                if found and found[1] in wanted:
                    yield orjson.loads(line)


def kept(source: Mapping[str, Any]) -> Kept | None:
    """The folder of a result that was compared, if it is one and its cases are there."""
    folder = Path(source["name"])
    folder = folder if folder.is_dir() else folder.parent
    if not (folder / ARTIFACT).is_file() or not (folder / CASES).is_file():
        return None
    tree = read_artifact(folder / ARTIFACT)
    same = all(tree.get(name) == source[name] for name in ("calipers", "inputs"))
    return Kept(folder, tree) if same else None


def changed_cases(comparison: Tree, old: Kept | None, new: Kept | None, limit: Limit) -> list[Part]:
    """Records with objects that broke, then records with objects that were fixed."""
    objects = comparison["objects"]
    broken = _marked(objects["broken_objects"], new, "broken") if new else []
    fixed = _marked(objects["fixed_objects"], old, "fixed") if old else []
    half = Limit(limit.cases // 2, None if limit.bytes is None else limit.bytes // 2)
    return [
        *(drawn_cases(broken, half, _word, lambda case: _draw(new, case, "broken")) if new else []),
        *(drawn_cases(fixed, half, _word, lambda case: _draw(old, case, "fixed")) if old else []),
    ]


def _word(case: Case) -> list[str]:
    return []


def _marked(listed: list[Tree], kept: Kept, word: str) -> list[Case]:
    """The cases of the listed objects, in which these objects have the word as their cause; most objects first."""
    places = {(each.get("method"), each["record"], each["index"]) for each in listed}
    found = [(_mark(case, places, word), case) for case in kept.cases(each["record"] for each in listed)]
    ordered = sorted(found, key=lambda each: (-each[0], each[1]["key"]))
    return [case | {"unmatched": count} for count, case in ordered if count]


def _mark(case: Case, places: set[tuple[Any, str, int]], word: str) -> int:
    method, count = case.get("method"), 0
    for entry in case["gt"] if method is not None else case["unmatched_gt"]:
        if (method, case["key"], entry["index"]) in places:
            entry["state" if method is not None else "cause"] = word
            count += 1
    return count


def _draw(kept: Kept | None, case: Case, word: str) -> Part:
    if kept is None:
        raise ValueError("nothing can be drawn of a result that was not kept")
    drawn = DRAWERS[kept.tree["suite"]](kept.tree, case)
    changed = [shape for shape in drawn["shapes"] if shape.get("cause") == word]
    for shape in drawn["shapes"]:
        _look(shape, word)
    said = f"{case['unmatched']:,} {word}, as in the {'new' if word == 'broken' else 'old'} result"
    tags = list(dict.fromkeys([word, case["key"], *(shape["label"] for shape in changed)]))
    drawn |= {"key": f"{word} · {drawn['key']}", "title": f"{drawn['title']} · {word}", "note": said, "tags": tags}
    return drawn | {"score": case["unmatched"] + (FIRST if word == "broken" else 0)}


def _look(shape: Part, word: str) -> None:
    """What did not change steps back, whether right or wrong."""
    shape["tags"] = [word] if shape.get("cause") == word else []
    if shape.get("cause") != word:
        shape["state"] = "right" if shape.get("state") != "wrong" and "partner" in shape else "aside"
    elif word == "fixed":
        shape["state"] = "right"


def changed_videos(comparison: Tree, old: Kept | None, new: Kept | None, limit: Limit) -> list[Part]:
    """Videos with events that broke or were fixed: the ground truth over both predictions."""
    if old is None or new is None:
        return []
    tags: dict[str, list[str]] = {}
    for word in ("broken", "fixed"):
        for each in comparison["objects"][f"{word}_objects"]:
            tags.setdefault(each["record"], [])
            tags[each["record"]] += [word] if word not in tags[each["record"]] else []
    chosen = list(tags)[: limit.cases]
    before, after = ({case["key"]: case for case in side.cases(chosen)} for side in (old, new))
    return [_video(before[name], after[name], tags[name]) for name in chosen if name in before and name in after]


def _video(old: Case, new: Case, tags: list[str]) -> Part:
    lanes = {"ground truth": old["gt"], "old prediction": old["pred"], "new prediction": new["pred"]}
    frames = max((run[2] + 1 for runs in lanes.values() for run in runs), default=0)
    note = f"{old['unmatched']:,} frames in error, now {new['unmatched']:,} · {', '.join(tags)}"
    return part.video(old["key"], frames, lanes, note=note, tags=tags)
