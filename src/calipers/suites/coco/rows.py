"""Every annotation and detection as a row: who its partner is and, for those without one, why.

Rows: image, side, place in its file, id, class, score, box, what is wrong with it, the partner and overlap of the
class-aware matching at IoU 0.50, and the cause (see `metrics.coco_errors`). What is not counted is said so: `crowd`,
`in_crowd`, `below_min_score`. Cases: each image with a miss or a false positive, with its unmatched objects, its pairs
and, always last, how many are unmatched: whoever looks for the worst need not read the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from calipers.core.causes import MATCHED
from calipers.core.matching import UNIT
from calipers.files.output import json_line
from calipers.suites.coco.errors import WORDS
from calipers.suites.coco.measure import Measured

Rows = list[dict[str, Any]]
BOX = ("x", "y", "width", "height")
COLUMNS = (
    "image",
    "image_id",
    "side",
    "index",
    "id",
    "category_id",
    "category",
    "score",
    *BOX,
    "invalid",
    "partner",
    "overlap",
    "cause",
)


def match_rows(measured: Measured) -> Rows:
    """Every object on every image, ground truth first."""
    sides = [_side_rows(measured, side) for side in (0, 1)]
    offsets = [measured.found.truth.offsets, measured.found.pred.offsets]
    rows: Rows = []
    for image in range(len(measured.found.images)):
        for side, ends in zip(sides, offsets, strict=True):
            rows += side[ends[image] : ends[image + 1]]
    return rows


def _side_rows(measured: Measured, side: int) -> Rows:
    found = measured.found
    objects = found.pred if side else found.truth
    partners, causes = _partners(measured, side), _causes(measured, side)
    ids = objects.place if side else objects.ids
    columns = (objects.image, objects.category, objects.place, ids, objects.score, objects.box)
    rows = []
    for at, (image, category, place, own, score, box) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
        row: dict[str, Any] = {"image": found.images.names[image], "image_id": int(found.images.ids[image])}
        row |= {"side": "pred" if side else "gt", "index": place, "id": None if side else own}
        row |= {"category_id": int(found.categories.ids[category]), "category": found.categories.names[category]}
        row["score"] = _known(score) if side else None
        row |= dict(zip(BOX, map(_known, box), strict=True))
        row["invalid"] = objects.problems.get(at)
        row["partner"], row["overlap"] = partners.get(at, (None, None))
        rows.append(row | {"cause": causes[at]})
    return rows


def _known(number: float) -> float | None:
    return None if number != number else number  # NaN


def _partners(measured: Measured, side: int) -> dict[int, tuple[int, float]]:
    """For each row with a partner the partner's place in its file, and the overlap."""
    sides, found = measured.matched, measured.found
    matching = sides.at_primary(measured.config)
    rows = (sides.truth.rows[np.asarray(matching.truth)], sides.pred.rows[np.asarray(matching.pred)])
    own, place = rows[side], (found.truth.place[rows[0]] if side else found.pred.place[rows[1]])
    overlap = np.asarray(matching.score) / UNIT
    return dict(zip(own.tolist(), zip(place.tolist(), overlap.tolist(), strict=True), strict=True))


def _causes(measured: Measured, side: int) -> list[str]:
    """For each row what became of it."""
    sides, objects = measured.matched, measured.found.pred if side else measured.found.truth
    words = np.full(len(objects), "below_min_score" if side else "crowd", dtype=object)
    if side:
        words[sides.aside] = "in_crowd"
    elif objects.visible is not None:
        words[~objects.crowd] = "not_labelled"
    counted = (sides.pred if side else sides.truth).rows
    words[counted] = [WORDS[code] for code in measured.causes[side].tolist()]
    return [str(word) for word in words]


def case_lines(measured: Measured) -> Iterator[bytes]:
    """Every image on which an object is without a partner, as a line of JSON."""
    sides, found = measured.matched, measured.found
    rows = [_side_rows(measured, side) for side in (0, 1)]
    best = [sides.best_of(side) for side in (0, 1)]
    matching = sides.at_primary(measured.config)
    partners = dict(zip(np.asarray(matching.truth).tolist(), np.asarray(matching.pred).tolist(), strict=True))
    for image in range(len(found.images)):
        unmatched = [_unmatched(measured, image, side, rows[side], best[side]) for side in (0, 1)]
        if any(unmatched):
            size = (_known(float(each[image])) for each in (found.images.width, found.images.height))
            head = {"key": found.images.names[image], "image_id": int(found.images.ids[image])}
            head |= dict(zip(("width", "height"), size, strict=True))
            head |= {"unmatched_gt": unmatched[0], "unmatched_pred": unmatched[1]}
            head["matched"] = _matched(measured, image, rows, partners)
            yield json_line(head | {"unmatched": len(unmatched[0]) + len(unmatched[1])})


def _matched(measured: Measured, image: int, rows: list[Rows], partners: dict[int, int]) -> Rows:
    """The pairs of an image, so that it can be drawn whole."""
    truth, pred = measured.matched.truth, measured.matched.pred
    begin, end = truth.offsets[image : image + 2].tolist()
    found = []
    for at in range(begin, end):
        if at in partners:
            pair = rows[0][truth.rows[at]], rows[1][pred.rows[partners[at]]]
            found.append({"gt": _object(pair[0]), "pred": _object(pair[1]), "overlap": pair[0]["overlap"]})
    return found


def _object(row: dict[str, Any]) -> dict[str, Any]:
    entry = {name: row[name] for name in ("index", "id", "category", "score")}
    return entry | {"bbox": [row[name] for name in BOX]}


def _unmatched(measured: Measured, image: int, side: int, rows: Rows, best: Any) -> Rows:
    counted = measured.matched.pred if side else measured.matched.truth
    begin, end = counted.offsets[image : image + 2].tolist()
    entries = []
    for at in range(begin, end):
        if measured.causes[side][at] == MATCHED:
            continue
        row = rows[counted.rows[at]]
        entry = {name: row[name] for name in ("index", "id", "category", "score", "cause", "invalid")}
        entry["bbox"] = [row[name] for name in BOX]
        entries.append(entry | {"best": _candidate(measured, side, int(best[at]))})
    return entries


def _candidate(measured: Measured, side: int, position: int) -> dict[str, Any] | None:
    """The closest object of the other side, whatever its class."""
    if position < 0:
        return None
    sides, found = measured.matched, measured.found
    if side:
        row, other = sides.truth.rows[sides.pairs.truth[position]], found.truth
    else:
        row, other = sides.pred.rows[sides.pairs.pred[position]], found.pred
    category = found.categories.names[other.category[row]]
    return {"index": int(other.place[row]), "category": category, "overlap": int(sides.pairs.score[position]) / UNIT}


def match_columns(params: object) -> list[str]:
    """The columns of the table of every object."""
    return list(COLUMNS)
