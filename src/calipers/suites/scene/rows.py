"""Objects of scenes and their partners, as rows: in the artifact, and as a table of every object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.core.cuboids import Boxes
from calipers.core.matching import UNIT
from calipers.files.problems import shown
from calipers.suites.scene.counts import FALSE_POSITIVE_CAUSES, CountedSide
from calipers.suites.scene.read import SceneReading

if TYPE_CHECKING:
    from calipers.suites.scene.measure import MeasuredMethods, Method, MethodFigures

COLUMNS = (
    "method",
    "scene",
    "side",
    "index",
    "id",
    "label",
    "class",
    "obb_dimensions",
    "partner",
    "iou",
    "strict",
    "relaxed",
    "centroid_error_m",
    "cause",
)
Rows = list[dict[str, Any]]


def object_rows(method: MethodFigures, reading: SceneReading) -> dict[str, Rows]:
    """Every match, and everything without a partner, by the places objects have in their files."""
    matches, names = method.counts.matches, np.array(reading.names, dtype=object)
    truth_at, pred_at = np.asarray(method.truth_boxes.index), np.asarray(method.boxes.index)
    order = np.argsort(matches.truth, kind="stable")
    truth, pred = matches.truth[order], matches.pred[order]
    columns = {
        "scene": names[method.truth.scene[truth]],
        "gt_index": truth_at[truth],
        "pred_index": pred_at[pred],
        "iou": matches.score[order] / UNIT,
        "strict": matches.strict[order],
        "relaxed": matches.relaxed[order],
        "centroid_error_m": matches.error[order],
    }
    free = np.ones(len(method.truth.scene), dtype=bool)
    free[truth] = False
    missed = np.flatnonzero(free)
    spurious = {
        "scene": names[method.pred.scene[method.spurious]],
        "index": pred_at[method.spurious],
        "cause": np.array(FALSE_POSITIVE_CAUSES, dtype=object)[method.fp_causes],
    }
    reasons = {(fault["scene"], fault["index"]): fault["reason"] for fault in reading.invalid[method.name]}
    unmatched = _rows(spurious)
    for row in unmatched if reasons else ():
        if (row["scene"], row["index"]) in reasons:
            row["reason"] = reasons[row["scene"], row["index"]]
    return {
        "matches": _rows(columns),
        "unmatched_gt": _rows({"scene": names[method.truth.scene[missed]], "index": truth_at[missed]}),
        "unmatched_pred": unmatched,
    }


def _rows(columns: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*(c.tolist() for c in columns.values()), strict=True)]


def match_rows(measured: MeasuredMethods) -> Rows:
    """A row for every object of every method, with its partner and what was measured of the two."""
    return [row for method in measured.methods for row in _table(method, measured)]


def _table(method: Method, measured: MeasuredMethods) -> Rows:
    """Ground truth first, then predictions; those left out by their labels have the cause `ignored`."""
    matches, causes = method.counts.matches, dict(zip(method.spurious.tolist(), method.fp_causes.tolist(), strict=True))
    rows = _side("gt", method.truth_boxes, method.truth, measured)
    others = _side("pred", method.boxes, method.pred, measured)
    for place, (truth, pred) in enumerate(zip(matches.truth.tolist(), matches.pred.tolist(), strict=True)):
        pair = {
            "iou": matches.score[place].item() / UNIT,
            "strict": bool(matches.strict[place]),
            "relaxed": bool(matches.relaxed[place]),
            "centroid_error_m": matches.error[place].item(),
        }
        rows[truth] |= {"partner": others[pred]["index"]} | pair
        others[pred] |= {"partner": rows[truth]["index"]} | pair
    for place, row in enumerate(others):
        other = None if method.pred.counted[place] else "ignored"
        row["cause"] = FALSE_POSITIVE_CAUSES[causes[place]] if place in causes else other
    return [row | {"method": method.name} for row in (*rows, *others)]


def _side(side: str, boxes: Boxes, counted: CountedSide, measured: MeasuredMethods) -> Rows:
    classes = [*measured.naming.classes, None]  # the last is none, at -1
    names = measured.reading.names
    columns = (
        (names[scene] for scene in counted.scene.tolist()),
        np.asarray(boxes.index).tolist(),
        map(_cell, boxes.ids),
        boxes.labels,
        (classes[code] for code in counted.classes.tolist()),
        _sizes(boxes),
    )
    fields = ("scene", "index", "id", "label", "class", "obb_dimensions")
    rows = (dict(zip(fields, row, strict=True)) for row in zip(*columns, strict=True))
    return [dict.fromkeys(COLUMNS) | row | {"side": side} for row in rows]


def _sizes(boxes: Boxes) -> Iterator[list[float] | None]:
    """Sizes along the axes of each box, of which the third is the one nearest to world Z; none without a box."""
    sizes = (2 * np.asarray(boxes.half)).reshape(-1, 3).tolist()
    return (None if reason else size for size, reason in zip(sizes, boxes.reason, strict=True))


def _cell(key: Any) -> Any:
    """An id as a cell of a table; a nested one is shortened."""
    return shown(key) if isinstance(key, (dict, list, tuple)) else key


def match_columns(params: object) -> list[str]:
    """The columns of the table of every object."""
    return list(COLUMNS)
