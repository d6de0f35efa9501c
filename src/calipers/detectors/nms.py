"""Non-maximum suppression: of boxes that show the same thing, the one with the highest score stays.

Boxes are taken by descending score; of equal scores, in the order given. A box that is taken removes every later one
of its class whose IoU with it, rounded to 12 decimals, is greater than the threshold: an IoU equal to the threshold
removes nothing, and a threshold of 1 removes nothing at all. A box without area overlaps nothing.
"""

from __future__ import annotations

import numpy as np

from calipers.detectors.found import Floats, Found, Whole

DECIMALS = 12


def suppress(found: Found, *, iou: float, most: int, agnostic: bool) -> Whole:
    """Rows that stay, by descending score, at most so many; `agnostic` takes all boxes as of one class.

    >>> boxes = np.array([[0.0, 0, 10, 10], [0, 0, 10, 9], [0, 0, 10, 9]])
    >>> suppress(Found(boxes, np.array([0.5, 0.9, 0.9]), np.array([0, 0, 1])), iou=0.8, most=9, agnostic=False).tolist()
    [1, 2]
    """
    rest = np.argsort(-found.scores, kind="stable")  # (rows left,)
    areas = _areas(found.boxes)
    kept: list[np.int64] = []
    while len(rest) and len(kept) < most:
        best, rest = rest[0], rest[1:]
        kept.append(best)
        removed = _ious(found.boxes, areas, best, rest) > iou
        if not agnostic:
            removed &= found.classes[rest] == found.classes[best]
        rest = rest[~removed]
    return np.array(kept, dtype=np.int64)


def _areas(boxes: Floats) -> Floats:
    with np.errstate(invalid="ignore"):  # boxes of infinities or NaN overlap nothing
        sides = np.maximum(boxes[:, 2:] - boxes[:, :2], 0.0)
        areas: Floats = sides[:, 0] * sides[:, 1]
    return areas


def _ious(boxes: Floats, areas: Floats, best: np.int64, rest: Whole) -> Floats:
    """IoU of one box with others, rounded."""
    low = np.maximum(boxes[best, :2], boxes[rest, :2])
    high = np.minimum(boxes[best, 2:], boxes[rest, 2:])
    with np.errstate(invalid="ignore"):
        sides = np.maximum(high - low, 0.0)
        shared = sides[:, 0] * sides[:, 1]
        union = areas[best] + areas[rest] - shared
        ious: Floats = np.divide(shared, union, out=np.zeros_like(shared), where=shared > 0)
    return np.round(ious, DECIMALS)
