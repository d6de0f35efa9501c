"""The scenes of every method as lines of JSON: all boxes from above, with partners and causes.

A line holds one scene of one method, as the page draws it: outlines in metres, labels and classes, what became of each
box, and, always last, how many boxes have no partner. A partner is a place in the list of the other side.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from calipers.core.matching import UNIT
from calipers.files.output import json_line
from calipers.suites.scene.footprints import Footprint, window, within_reach
from calipers.suites.scene.measure import Measured, Method
from calipers.suites.scene.views import scene_views

PAIRED = ("found", "matched")


def scene_case_lines(measured: Measured) -> Iterator[bytes]:
    """Scene by scene, the methods side by side."""
    methods = [_Scenes(method, measured) for method in measured.methods]
    for place, name in enumerate(measured.reading.names):
        for scenes in methods:
            yield json_line({"key": name, "method": scenes.method} | scenes.scene(place))


class _Scenes:
    """All scenes of one method."""

    def __init__(self, method: Method, measured: Measured) -> None:
        self.method = method.name
        self._views = scene_views(method, measured.reading.names)
        self._names = [*measured.naming.classes, None]  # the last is none, at -1
        self._sides = {"gt": (method.truth_boxes, method.truth), "pred": (method.boxes, method.pred)}
        matches = method.counts.matches
        iou = [round(score / UNIT, 3) for score in matches.score.tolist()]
        places = {"gt": matches.truth.tolist(), "pred": matches.pred.tolist()}
        self._iou = {side: dict(zip(rows, iou, strict=True)) for side, rows in places.items()}

    def scene(self, place: int) -> dict[str, Any]:
        """One of them."""
        view = within_reach(self._views[place])
        seen = window(view)
        boxes = {"gt": view.truth, "pred": view.pred}
        return {
            "window": [round(edge, 3) for edge in (seen.left, seen.low, seen.right, seen.high)],
            **{side: self._boxes(side, place, boxes[side]) for side in self._sides},
            "unplaced": view.unplaced,
            "unmatched": sum(each.state not in PAIRED for each in (*view.truth, *view.pred)) + view.unplaced,
        }

    def _boxes(self, side: str, place: int, drawn: list[Footprint]) -> list[dict[str, Any]]:
        rows = self._rows(side, place)
        boxes, known = self._sides[side]
        return [
            {
                "index": int(boxes.index[row]),
                "label": each.label,
                "class": self._names[known.classes[row]],
                "state": each.state,
                "partner": each.partner,
                "iou": self._iou[side].get(row),
                "outline": [round(value, 3) for corner in each.corners for value in corner],
            }
            for row, each in zip(rows, drawn, strict=True)
        ]

    def _rows(self, side: str, place: int) -> list[int]:
        """The boxes that a view has of this scene: those that count and have a size."""
        boxes, known = self._sides[side]
        begin, end = (int(edge) for edge in np.asarray(boxes.offsets)[place : place + 2])
        return [row for row in range(begin, end) if known.counted[row] and not boxes.reason[row]]
