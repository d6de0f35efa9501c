"""Where annotations of the detection suite may be wrong: its objects, by class, as its folders have them.

Objects are compared by their boxes, also where masks or keypoints were measured; only the overlap of a wrong label is
that of the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from calipers.core.causes import OUTCOMES
from calipers.core.changes import decimal_in, number_in, text_in
from calipers.core.suspect_objects import LabelPair, Measure, ObjectReader, ObjectRow
from calipers.core.suspect_search import find_object_suspects
from calipers.core.suspects import Case, SuspectRun, SuspectSearch, Tree
from calipers.rulers.plane_shapes import PlaneShapes

COLUMNS = ("image", "image_id", "side", "index", "category", "score", "x", "y", "width", "height", "cause")
Box = tuple[float, float, float, float]


def find_suspects(runs: list[SuspectRun]) -> SuspectSearch:
    """Suspects among the objects on images."""
    return find_object_suspects(runs, READER)


def object_rows(run: SuspectRun) -> Iterator[ObjectRow]:
    """Every annotation and detection that is counted, from the table; an index counts all of its image."""
    last, index = None, -1
    for image, image_id, side, place, category, score, *box, cause in run.rows(*COLUMNS) or ():
        index = index + 1 if (image_id, side) == last else 0
        last = image_id, side
        if cause in OUTCOMES:
            label, shape = text_in(category) or None, _shape([decimal_in(cell) for cell in box])
            key = text_in(image)
            yield ObjectRow(key, side, index, number_in(place), label, decimal_in(score), cause, shape)


def _shape(box: list[float | None]) -> dict[str, Any] | None:
    x, y, width, height = box
    if x is None or y is None or width is None or height is None:
        return None
    return {"type": "bbox_2d", "points": [x, y, x + width, y + height]}


def label_pairs(run: SuspectRun) -> Iterator[LabelPair]:
    """Annotations with a detection of another class in their place, from the cases."""
    for case in run.cases():
        scores = {entry["index"]: entry["score"] for entry in case["unmatched_pred"]}
        for entry in case["unmatched_gt"]:
            if entry["cause"] == "wrong_label":
                other = entry["partner"]
                score = scores[other["index"]]
                yield LabelPair(case["key"], entry["index"], other["category"], other["overlap"], score)


def measure(tree: Tree) -> Measure:
    """Measures boxes."""
    return PlaneShapes


def truth_case(key: str, rows: list[ObjectRow]) -> Case:
    """An image with its annotations alone, as a case."""
    known: Case = {"id": None, "score": None, "invalid": None, "partner": None, "best": None}
    entries = [
        known | {"index": row.place, "category": row.label, "cause": row.outcome, "bbox": _box(row.shape)}
        for row in rows
    ]
    case = {"key": key, "image_id": 0, "width": None, "height": None, "unmatched_gt": entries, "unmatched_pred": []}
    return case | {"matched": [], "unmatched": 0}


def _box(shape: dict[str, Any] | None) -> list[float | None]:
    if shape is None:
        return [None] * 4
    left, top, right, bottom = shape["points"]
    return [left, top, right - left, bottom - top]


READER = ObjectReader(object_rows, label_pairs, measure)
