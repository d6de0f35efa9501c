"""Non-maximum suppression: of boxes that show the same thing, the one with the highest score stays.

Boxes are taken by descending score; of equal scores, in the order given. A box that is taken removes every later one
of its class whose IoU with it, rounded to 12 decimals, is greater than the threshold: an IoU equal to the threshold
removes nothing, and a threshold of 1 removes nothing at all. A box without area overlaps nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calipers.detectors.model import BoxesFound, Floats, Whole

DECIMALS = 12


def suppress(
    rows: BoxesFound, *, iou: float, max_boxes: int, agnostic: bool, wanted: NDArray[np.bool_] | None = None
) -> Whole:
    """At most `max_boxes` rows that stay, by descending score; `agnostic` takes all boxes as of one class.

    `wanted` says of each class whether its rows count towards `max_boxes`. Rows of other classes stay as well, as far
    as they are among the best `max_boxes` of all.

    >>> boxes = np.array([[0.0, 0, 10, 10], [0, 0, 10, 9], [0, 0, 10, 9]])
    >>> rows = BoxesFound(boxes, np.array([0.5, 0.9, 0.9]), np.array([0, 0, 1]))
    >>> suppress(rows, iou=0.8, max_boxes=9, agnostic=False).tolist()
    [1, 2]
    """
    classes = np.zeros_like(rows.classes) if agnostic else rows.classes
    order = np.lexsort((-rows.scores, classes))  # (rows,) class by class, so that rivals stand together
    ends = np.searchsorted(classes[order], classes[order], side="right").tolist()  # (rows,) of each one's class
    corners = np.ascontiguousarray(rows.boxes[order].T)  # (4, rows)
    stays = np.ones(len(order), np.bool_)
    counts = [True] * len(order) if wanted is None else wanted[rows.classes[order]].tolist()  # (rows,)
    staying: list[int] = []
    left = max_boxes
    for place in _by_score(rows.scores, order):
        if not left:
            break
        if stays[place] and (counts[place] or agnostic or len(staying) < max_boxes):
            if counts[place] or len(staying) < max_boxes:
                staying.append(place)
            left -= counts[place]
            stays[place + 1 + _overlapping(corners[:, place : ends[place]], iou)] = False
    return order[np.array(staying, dtype=np.int64)]


def _by_score(scores: Floats, order: Whole) -> list[int]:
    """Places in an order, by descending score; of equal scores by row."""
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    by_score: list[int] = places[np.argsort(-scores, kind="stable")].tolist()
    return by_score


def _overlapping(corners: Floats, iou: float) -> Whole:
    """Which boxes after the first one overlap it by more; boxes of infinities or NaN overlap nothing."""
    (left, top, right, bottom), others = corners[:, 0], corners[:, 1:]
    with np.errstate(invalid="ignore"):
        widths = np.minimum(right, others[2]) - np.maximum(left, others[0])
        heights = np.minimum(bottom, others[3]) - np.maximum(top, others[1])
        near = np.flatnonzero((widths > 0) & (heights > 0))
        shared = widths[near] * heights[near]
        areas = np.prod(others[2:, near] - others[:2, near], axis=0)
        ious = shared / ((right - left) * (bottom - top) + areas - shared)
    over: Whole = near[np.round(ious, DECIMALS) > iou]
    return over
