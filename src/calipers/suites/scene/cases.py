"""The scenes of every method as lines of JSON: all boxes from above, with partners and causes.

A line holds one scene of one method, as the page draws it: outlines in metres, labels and classes, what became of each
box, the cause of its error and whom it shares that error with, and, always last, how many boxes have no partner.
Partners are places in the list of the other side. Beside what
is drawn, a box has what it measures (centre, size, axes), its score, its outcome by labels (see `core.causes`), and the
other object of an error of two, by its index.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from calipers.core.causes import MATCHED, OUTCOMES
from calipers.core.cuboids import Boxes
from calipers.core.matching import UNIT
from calipers.files.output import json_line
from calipers.suites.scene.footprints import Footprint, window, within_reach
from calipers.suites.scene.measure import MeasuredMethods, Method
from calipers.suites.scene.views import scene_views

PAIRED = ("found", "matched")


def scene_case_lines(measured: MeasuredMethods) -> Iterator[bytes]:
    """Lines of JSON, scene by scene, with all methods of a scene one after the other."""
    methods = [_Scenes(method, measured) for method in measured.methods]
    for place, name in enumerate(measured.reading.names):
        for scenes in methods:
            yield json_line({"key": name, "method": scenes.method} | scenes.scene(place))


class _Scenes:
    """All scenes of one method."""

    def __init__(self, method: Method, measured: MeasuredMethods) -> None:
        self.method = method.name
        self._views = scene_views(method, measured.reading.names)
        self._names = [*measured.naming.classes, None]  # the last is none, at -1
        self._sides = {"gt": (method.truth_boxes, method.truth), "pred": (method.boxes, method.pred)}
        matches = method.counts.matches
        iou = [round(score / UNIT, 3) for score in matches.score.tolist()]
        places = {"gt": matches.truth.tolist(), "pred": matches.pred.tolist()}
        self._iou = {side: dict(zip(rows, iou, strict=True)) for side, rows in places.items()}
        causes = method.causes
        self._outcomes = {"gt": causes.truth.tolist(), "pred": causes.pred.tolist()}
        self._errors = {"gt": (causes.places[0], causes.pairs.pred), "pred": (causes.places[1], causes.pairs.truth)}
        self._overlaps = causes.pairs.score

    def scene(self, place: int) -> dict[str, Any]:
        """One scene as a case: its window and the boxes of both sides."""
        view = within_reach(self._views[place])
        seen = window(view)
        boxes = {"gt": view.truth, "pred": view.pred}
        return {
            "window": [round(edge, 3) for edge in (seen.left, seen.low, seen.right, seen.high)],
            **{side: self._boxes(side, place, boxes[side]) for side in self._sides},
            "unplaced": view.unplaced,
            "unplaced_pred": [self._unplaced(row) for row in self._rows("pred", place, placed=False)],
            "unmatched": sum(footprint.state not in PAIRED for footprint in (*view.truth, *view.pred)) + view.unplaced,
        }

    def _boxes(self, side: str, place: int, drawn: list[Footprint]) -> list[dict[str, Any]]:
        rows = self._rows(side, place)
        others = self._rows("pred" if side == "gt" else "gt", place)
        boxes, counted_side = self._sides[side]
        return [
            {
                "index": int(boxes.index[row]),
                "label": footprint.label,
                "class": self._names[counted_side.classes[row]],
                "state": footprint.state,
                "partner": footprint.partner,
                "iou": self._iou[side].get(row),
                **self._error(side, row, others),
                "outline": [round(value, 3) for corner in footprint.corners for value in corner],
                **_measures(boxes, row),
            }
            for row, footprint in zip(rows, drawn, strict=True)
        ]

    def _error(self, side: str, row: int, others: list[int]) -> dict[str, Any]:
        """The cause of a box that is wrong by its class and place, and the box it is wrong together with."""
        outcome = self._outcomes[side][row]
        if outcome == MATCHED:
            return {}
        places, partners = self._errors[side]
        pair = int(places[row])
        other = -1 if pair < 0 else int(partners[pair])
        if other not in others:
            return {"cause": OUTCOMES[outcome]}
        overlap = int(self._overlaps[pair]) / UNIT
        return {"cause": OUTCOMES[outcome], "error_with": others.index(other), "error_overlap": overlap}

    def _unplaced(self, row: int) -> dict[str, Any]:
        """The entry of a prediction whose box could not be read."""
        boxes, counted_side = self._sides["pred"]
        label = boxes.labels[row] or "(no label)"
        return {"index": int(boxes.index[row]), "label": label, "class": self._names[counted_side.classes[row]]} | {
            "cause": OUTCOMES[self._outcomes["pred"][row]]
        }

    def _rows(self, side: str, place: int, *, placed: bool = True) -> list[int]:
        """The boxes that a view has of this scene: those that count and have a size; or else those without."""
        boxes, counted_side = self._sides[side]
        begin, end = (int(edge) for edge in np.asarray(boxes.offsets)[place : place + 2])
        return [row for row in range(begin, end) if counted_side.counted[row] and placed == (not boxes.reason[row])]


def _measures(boxes: Boxes, row: int) -> dict[str, Any]:
    """Score, centre, size and axes of a box, in the frame that it was compared in."""
    center, half, axes = (
        np.asarray(column)[width * row : width * (row + 1)]
        for column, width in ((boxes.center, 3), (boxes.half, 3), (boxes.axes, 9))
    )
    score = float(boxes.scores[row])
    size = (2 * half).tolist()
    return {"score": None if score != score else score, "center": center.tolist(), "size": size, "axes": axes.tolist()}
