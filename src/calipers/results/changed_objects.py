"""Objects that one result found and the other did not, by the places they have in the ground truth.

An object is fixed when only the new result has a partner for it, and broken when only the old one has. Predictions have
no identity across results, so false positives are counted by record: what a record has fewer of is gone, what it has
more of is new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from calipers.core.errors import InputError
from calipers.results.artifacts import Cells, Result
from calipers.results.figures import scene_methods, shared_methods
from calipers.show.tables import FORMULA_STARTS

Place = tuple[Any, ...]
MOST_LISTED = 200
NOTHING = ("", None)  # an empty cell of CSV, of Parquet
NOT_COUNTED = ("crowd", "not_labelled", "in_crowd", "below_min_score")


class BadCellError(Exception):
    """A cell of a table is not what its column holds."""


class Failures:
    """The objects without a partner, and the predictions without one."""

    def __init__(self) -> None:
        self.missed: Counter[Place] = Counter()
        self.false: Counter[Place] = Counter()  # by record


def changed_objects(old: Result, new: Result) -> dict[str, Any] | None:
    """Counts and the first of what was fixed and broken; nothing when a result does not know its objects."""
    before, after = _of_scenes(old, new) if new.tree["suite"] == "scene" else (_of_table(old), _of_table(new))
    if before is None or after is None:
        return None
    fixed, broken = before.missed - after.missed, after.missed - before.missed
    gone, more = before.false - after.false, after.false - before.false
    suite = new.tree["suite"]
    return {
        "fixed": fixed.total(),
        "broken": broken.total(),
        "false_positives_gone": gone.total(),
        "false_positives_new": more.total(),
        "fixed_objects": _listed(fixed, suite),
        "broken_objects": _listed(broken, suite),
        "false_positives_gone_records": _most(gone, suite),
        "false_positives_new_records": _most(more, suite),
    }


def _listed(places: Counter[Place], suite: str) -> list[dict[str, Any]]:
    names = FIELDS[suite]
    return [dict(zip(names, place, strict=True)) for place in sorted(places.elements())[:MOST_LISTED]]


def _most(records: Counter[Place], suite: str) -> list[dict[str, Any]]:
    """Records with how many of their false positives came or went, most first."""
    ordered = sorted(records.items(), key=lambda each: (-each[1], each[0]))[:MOST_LISTED]
    return [dict(zip(RECORD_FIELDS[suite], place, strict=True)) | {"n": n} for place, n in ordered]


FIELDS = {
    "dense": ("record", "index", "type", "label"),
    "coco": ("record", "index", "label"),
    "timeline": ("record", "kind", "state", "start", "end"),
    "scene": ("method", "record", "index"),
}
RECORD_FIELDS = {
    "dense": ("record",),
    "coco": ("record",),
    "timeline": ("record", "kind"),
    "scene": ("method", "record"),
}


def _of_scenes(old: Result, new: Result) -> tuple[Failures, Failures]:
    """The artifacts have them all; methods are called by their new names."""
    shared = shared_methods(old.tree, new.tree)
    return _of_methods(old, {shared[name]: name for name in shared}), _of_methods(new, {name: name for name in shared})


def _of_methods(result: Result, names: Mapping[str, str]) -> Failures:
    found = Failures()
    for name, said in names.items():
        method = scene_methods(result.tree)[name]
        found.missed.update((said, row["scene"], row["index"]) for row in method["unmatched_gt"])
        found.false.update((said, row["scene"]) for row in method["unmatched_pred"])
    return found


def _of_table(result: Result) -> Failures | None:
    suite = result.tree["suite"]
    columns = COLUMNS.get(suite) or _dense_columns(result.tree)
    rows = result.rows(*columns, may_skip="matched" if columns[0] in ("category_partner", "partner") else "")
    try:
        return None if rows is None else {"dense": _of_records, "coco": _of_images, "timeline": _of_videos}[suite](rows)
    except BadCellError as error:
        raise InputError(f"{result.name}: the table of matches: {error}") from None


COLUMNS = {
    "coco": ("partner", "cause", "side", "image", "index", "category"),
    "timeline": ("gt_start", "pred_start", "video", "kind", "state", "gt_end"),
}


def _dense_columns(tree: Mapping[str, Any]) -> tuple[str, ...]:
    """In category mode, else in the last one reported."""
    modes = tree["params"]["modes"]
    mode = "category" if "category" in modes else modes[-1]
    return (f"{mode}_partner", "side", "key", "index", "type", "category")


def _of_records(rows: Iterable[Cells]) -> Failures:
    found = Failures()
    for partner, side, key, index, kind, label in rows:
        if partner not in NOTHING:
            continue
        if side == "gt":
            found.missed[_text(key), _number(index), _text(kind), _text(label)] += 1
        else:
            found.false[_text(key),] += 1
    return found


def _of_images(rows: Iterable[Cells]) -> Failures:
    found = Failures()
    for partner, cause, side, image, index, label in rows:
        if partner not in NOTHING or cause in NOT_COUNTED:
            continue
        if side == "gt":
            found.missed[_text(image), _number(index), _text(label)] += 1
        else:
            found.false[_text(image),] += 1
    return found


def _of_videos(rows: Iterable[Cells]) -> Failures:
    """Events; transitions come and go with a frame."""
    found = Failures()
    for start, predicted, video, kind, state, end in rows:
        if kind == "transition":
            continue
        if start in NOTHING:
            found.false[_text(video), kind] += 1
        elif predicted in NOTHING:
            found.missed[_text(video), kind, _text(state), _number(start), _number(end)] += 1
    return found


def _number(cell: Any) -> int:
    """A cell that counts something; a table may have been written or changed by others."""
    try:
        return int(cell)
    except (TypeError, ValueError):
        raise BadCellError(f"found {cell!r:.80}, expected a whole number") from None


def _text(cell: Any) -> str:
    """A cell without the apostrophe that keeps a spreadsheet from running it."""
    text = "" if cell is None else str(cell)
    return text[1:] if text[:1] == "'" and text[1:2] in FORMULA_STARTS else text
