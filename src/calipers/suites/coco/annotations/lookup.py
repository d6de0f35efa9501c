"""Images and categories of detections, by the ids that the ground truth gave them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from calipers.core.errors import InputError
from calipers.files.json_checks import RepeatedKeyDict
from calipers.files.problems import shown
from calipers.suites.coco.annotations.images import find_ids
from calipers.suites.coco.columns import Codes, Whole
from calipers.suites.coco.formats.rows import CATEGORY, IMAGE, RowColumns

SHOWN_IDS = 3
OTHERWISE = " (calipers check tells whether they fit when read otherwise)"


def look_up(rows: RowColumns, field: str, known: Whole, owner: str) -> Codes:
    """(rows,) where the id of each is among the known ones; one that is not there is an error."""
    ids, bit = (rows.image, IMAGE) if field == "image_id" else (rows.category, CATEGORY)
    unread = sorted(row for row, fields in rows.wrong.items() if field in fields or "" in fields)
    if unread:
        _refuse_unread(rows, unread[0], field, owner)
    if (missing := rows.lacks(bit)).any():
        row = int(missing.argmax())
        raise InputError(f"{rows.origin.name(row)}: {field}: missing, expected the id of {owner}")
    at, fine = find_ids(known, ids)
    if not fine.all():
        _refuse_unknown(rows, field, ids, fine, known, owner)
    return at


def _refuse_unread(rows: RowColumns, row: int, field: str, owner: str) -> None:
    place = rows.origin.name(row)
    value = next(iter(rows.wrong[row].values())) if "" in rows.wrong[row] else rows.wrong[row][field]
    if "" in rows.wrong[row]:
        raise InputError(f"{place}: found {shown(value)}, expected an object")
    if isinstance(value, RepeatedKeyDict):
        raise InputError(f"{place}: {field}: is there twice, expected it once")
    hint = ' (ids that are texts are not supported: an id is 7, not a name or "7")' if isinstance(value, str) else ""
    hint += OTHERWISE if isinstance(value, str) else ""
    raise InputError(f"{place}: {field}: found {shown(value)}, expected the id of {owner}, a whole number{hint}")


def _refuse_unknown(
    rows: RowColumns, field: str, ids: Whole, fine: NDArray[np.bool_], known: Whole, owner: str
) -> None:
    row, others = int((~fine).argmax()), int((~fine).sum()) - 1
    text = f"{rows.origin.name(row)}: {field}: found {ids[row]}, expected the id of {owner}: {_listed_ids(known)}"
    if not fine.any():
        text += f"; none of the detections has one of these: they have {_listed_ids(np.unique(ids))}"
    elif others:
        text += f"; of the others, {others} have none of these either"
    raise InputError(text + (_shifted(ids, known) or (OTHERWISE if others else "")))


def _shifted(ids: Whole, known: Whole) -> str:
    """A hint where all ids are off by one in the same direction."""
    for step, words in ((1, "one too small"), (-1, "one too large")):
        if find_ids(known, ids + step)[1].all():
            return f" (all of them seem to be {words}: were they counted from another number?)"
    return ""


def _listed_ids(ids: Whole) -> str:
    """The first few of several ids and the last, for a message.

    >>> _listed_ids(np.array([1, 2, 3, 4, 9])), _listed_ids(np.array([1, 2])), _listed_ids(np.array([]))
    ('1, 2, 3, … 9', '1, 2', 'none')
    """
    first: list[Any] = ids[:SHOWN_IDS].tolist()
    rest = f", … {ids[-1]}" if len(ids) > SHOWN_IDS else ""
    return ", ".join(map(str, first)) + rest if len(ids) else "none"
