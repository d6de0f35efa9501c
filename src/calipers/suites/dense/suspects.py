"""Where annotations of the dense suite may be wrong: its objects, by category, as its folders have them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import inf, isfinite
from typing import Any

from calipers.core.changes import BadCellError, number_in, text_in
from calipers.core.sums import add_in_order
from calipers.core.suspect_objects import LabelPair, Measure, ObjectReader, ObjectRow
from calipers.core.suspect_search import find_object_suspects
from calipers.core.suspects import Case, SuspectRun, SuspectSearch, Tree
from calipers.rulers.plane_shapes import PlaneShapes
from calipers.rulers.tube import stroke_width
from calipers.suites.dense.case_labels import CaseLabel, coded_labels, side_labels

COLUMNS = ("key", "side", "index", "type", "category", "points", "cause")


def find_suspects(runs: list[SuspectRun]) -> SuspectSearch:
    """Suspects among the objects of records."""
    return find_object_suspects(runs, READER)


def object_rows(run: SuspectRun) -> Iterator[ObjectRow]:
    """Every object of a result, from its table."""
    for key, side, index, kind, category, points, cause in run.rows(*COLUMNS) or ():
        place, label = number_in(index), text_in(category) or None
        yield ObjectRow(text_in(key), side, place, place, label, None, cause, _shape(kind, points))


def _shape(kind: str, cell: Any) -> dict[str, Any] | None:
    text = text_in(cell)
    try:
        points = list(map(float, text.split()))
    except ValueError:
        points = [inf]
    if not isfinite(add_in_order(points)):
        raise BadCellError(f"found {text!r:.80}, expected numbers")
    return {"type": kind, "points": points} if points else None


def label_pairs(run: SuspectRun) -> Iterator[LabelPair]:
    """Annotations with a prediction of another label in their place, from the cases."""
    for case in run.cases():
        labels = side_labels(case, "pred")
        for entry in case["unmatched_gt"]:
            if entry["cause"] == "wrong_label":
                label = labels[entry["partner"]["index"]].category or None
                yield LabelPair(case["key"], entry["index"], label, entry["partner"]["overlap"], None)


def measure(tree: Tree) -> Measure:
    """Measures shapes as the result did."""
    return partial(PlaneShapes, stroke=stroke_width(tree["params"]["tube_tolerance"]))


def truth_case(key: str, rows: list[ObjectRow]) -> Case:
    """A record with its annotations alone, as a case."""
    labels = [CaseLabel(row.label or "", row.label or "") for row in rows]
    entries = [
        {"index": index, "object": row.shape, "cause": row.outcome, "partner": None, "best": None}
        for index, row in enumerate(rows)
    ]
    case = {"key": key, "path": "", "line": 0, "fields": {}, "unmatched_gt": entries, "unmatched_pred": []}
    return case | {"matched": [], "labels": coded_labels(labels, []), "unmatched": 0}


READER = ObjectReader(object_rows, label_pairs, measure)
