"""The boxes of a method from above: what was found, missed and made up, scene by scene."""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.core.cuboids import Boxes
from calipers.core.matching import UNIT
from calipers.suites.scene.counts import FALSE_POSITIVE_CAUSES
from calipers.suites.scene.footprints import Footprint, SceneView, footprint
from calipers.suites.scene.measure import Method


def scene_views(method: Method, names: list[str]) -> list[SceneView]:
    """The first scenes of a method, by these names.

    Predictions without a box are only counted; those left out by their labels are not there.
    """
    look = _Look(method)
    ends = [np.asarray(boxes.offsets).tolist() for boxes in (method.truth_boxes, method.boxes)]
    counted = method.pred.counted.tolist()
    reasons = np.asarray(method.boxes.reason).tolist()
    views = []
    for k, name in enumerate(names):
        truth, predictions = (range(*side[k : k + 2]) for side in ends)
        counting = [j for j in predictions if counted[j]]
        pred = [j for j in counting if not reasons[j]]
        at_truth, at_pred = ({box: place for place, box in enumerate(side)} for side in (truth, pred))
        truth_boxes = [look.truth(i, at_pred) for i in truth]
        views.append(SceneView(name, truth_boxes, [look.pred(j, at_truth) for j in pred], len(counting) - len(pred)))
    return views


def state_counts(method: Method) -> dict[str, int]:
    """How many boxes of all scenes are in each state."""
    tp, boxed = len(method.counts.matches), np.asarray(method.boxes.reason)[method.spurious] == 0
    causes = {cause: int((method.fp_causes[boxed] == code).sum()) for code, cause in enumerate(FALSE_POSITIVE_CAUSES)}
    return {"found": tp, "missed": len(method.truth.scene) - tp, "matched": tp, **causes}


class _Look:
    """How each box of a method looks."""

    def __init__(self, method: Method) -> None:
        matches = method.counts.matches
        rows = list(zip(matches.truth.tolist(), matches.pred.tolist(), (matches.score / UNIT).tolist(), strict=True))
        self._of_truth = {i: (j, iou) for i, j, iou in rows}
        self._of_pred = {j: (i, iou) for i, j, iou in rows}
        self._causes = dict(zip(method.spurious.tolist(), method.fp_causes.tolist(), strict=True))
        self._truth_boxes, self._pred_boxes = method.truth_boxes, method.boxes

    def truth(self, i: int, places: dict[int, int]) -> Footprint:
        """A box of the ground truth."""
        if i not in self._of_truth:
            return _footprint(self._truth_boxes, i, None, "missed", "missed")
        partner, iou = self._of_truth[i]
        return _footprint(self._truth_boxes, i, places[partner], "found", f"found, IoU {iou:.3f}")

    def pred(self, j: int, places: dict[int, int]) -> Footprint:
        """A predicted box."""
        if j not in self._of_pred:
            cause = FALSE_POSITIVE_CAUSES[self._causes[j]]
            return _footprint(self._pred_boxes, j, None, cause, cause)
        partner, iou = self._of_pred[j]
        return _footprint(self._pred_boxes, j, places[partner], "matched", f"matched, IoU {iou:.3f}")


def _footprint(boxes: Boxes, k: int, partner: int | None, state: str, tooltip: str) -> Footprint:
    center, half, axes = (_part(column, k, n) for column, n in ((boxes.center, 3), (boxes.half, 3), (boxes.axes, 9)))
    label = boxes.labels[k] or "(no label)"
    corners = footprint(center, half, axes)
    return Footprint(corners, label, (center[0], center[1]), partner, state, f"{label} · {tooltip}")


def _part(column: Any, k: int, n: int) -> list[float]:
    return list(memoryview(column)[n * k : n * (k + 1)])
