"""Predictions as a whole data set, joined to the ground truth by names.

Such a data set says which image and which class each of its ids means. Where these are the same as in the ground truth,
ids are ids. Otherwise those of the predictions become those that the ground truth has for the same names. Where one of
the sides lacks names, all there is are ids; but ids that were given to files of other formats are known to nobody else,
so by these alone nothing is joined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from calipers.core.errors import InputError
from calipers.files.problems import shown
from calipers.suites.coco.annotations.images import by_id
from calipers.suites.coco.annotations.lookup import look_up
from calipers.suites.coco.formats.coco_json import CocoSide
from calipers.suites.coco.formats.conversion import ClassNames
from calipers.suites.coco.formats.image_names import ImageNames

NAMED = {"images": "file_name", "categories": "name"}
Names = dict[int, str]
Find = Callable[[str, str], int]  # name and place -> the id in the ground truth


def join_by_names(pred: CocoSide, truth: CocoSide, *, numbered: bool) -> None:
    """Give predictions the ids of the ground truth by name; `numbered` says that the ground truth got its ids here."""
    for part in NAMED:
        names = _names(pred, part)
        if not names and numbered and pred.rows.count:
            raise InputError(_only_ids(pred, truth))
        truth_names = _names(truth, part) if names else {}
        if names and (truth_names or numbered) and not names.items() <= truth_names.items():
            _rename(pred, part, names, truth_names)


def _names(side: CocoSide, part: str) -> Names:
    """Names by id, if all of a list have one."""
    entries, key = side.lists.get(part), NAMED[part]
    if not isinstance(entries, (list, tuple)):
        return {}
    if not all(isinstance(entry, Mapping) and isinstance(entry.get(key), str) and entry[key] for entry in entries):
        return {}
    return {ident: fields[key] for ident, fields in by_id(entries, f"{side.rows.origin.path}: {part}", "one").items()}


def _rename(pred: CocoSide, part: str, names: Names, truth_names: Names) -> None:
    rows, path, own = pred.rows, pred.rows.origin.path, np.array(list(names), np.int64)
    if part == "images":
        column, at = rows.image, look_up(rows, "image_id", own, f"an image of {path}")
    else:
        column, at = rows.category, look_up(rows, "category_id", own, f"a category of {path}")
    used = {place: int(own[place]) for place in np.unique(at).tolist()}
    if all(truth_names.get(ident) == names[ident] for ident in used.values()):
        return
    find, ids = _finder(part, truth_names), np.zeros(len(own), np.int64)
    for place, ident in used.items():
        ids[place] = find(names[ident], f"{path}: {part} (id {ident})")
    column[:] = ids[at]


def _finder(part: str, truth_names: Names) -> Find:
    if part == "categories":
        return ClassNames([{"id": ident, "name": name} for ident, name in truth_names.items()]).find
    ids, names = list(truth_names), ImageNames(list(truth_names.values()), "the ground truth")
    return lambda name, place: ids[names.claim(place, name)]


def _only_ids(pred: CocoSide, truth: CocoSide) -> str:
    """The message that refuses a list of results beside files that have no ids."""
    first = [f"{entry['id']} = {shown(entry[key])}" for part, key in NAMED.items() for entry in truth.lists[part][:1]]
    return (
        f"{pred.rows.origin.path}: found ids of images and categories, which mean nothing here: the ids of "
        f"{truth.rows.origin.path} are our own ({', '.join(first)}). Expected predictions as a folder, or as a COCO "
        "data set with images and categories, which is joined by names; or the ground truth as COCO"
    )
