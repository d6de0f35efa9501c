"""One verdict a case: a payload from a host goes in, one plain dict that every generation of hosts accepts comes out.

    calipers.judge.boxes(payload, threshold=0.5, match="greedy")["score"]

Options are those of `calipers judge`; they win over the payload's own `config`. Whatever is wrong with the payload is a
verdict with score 0 and the reason. Only an option that does not exist is an error of the caller.
"""

from __future__ import annotations

from calipers.judge.command import judge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["box3d", "boxes", "intervals", "iou", "line", "map", "point", "polygon", "rotated"]


def iou(payload: Any, **options: Any) -> dict[str, Any]:
    """One box against one box: the score is their IoU.

    >>> verdict = iou({"candidate_answer": {"bbox": [0, 0, 10, 10]}, "reference_answer": {"bbox": [0, 0, 10, 5]}})
    >>> verdict["pass"], verdict["score"], verdict["reason"]
    (True, 0.5, 'IoU 0.500, at least 0.5')
    """
    return judge("iou", payload, options)


def boxes(payload: Any, **options: Any) -> dict[str, Any]:
    """Boxes against boxes, matched one to one: the score is F1."""
    return judge("boxes", payload, options)


def polygon(payload: Any, **options: Any) -> dict[str, Any]:
    """Filled polygons: IoU of one, F1 of several."""
    return judge("polygon", payload, options)


def rotated(payload: Any, **options: Any) -> dict[str, Any]:
    """Boxes at an angle, [cx, cy, w, h, degrees]: IoU of one, F1 of several."""
    return judge("rotated", payload, options)


def line(payload: Any, **options: Any) -> dict[str, Any]:
    """Lines as tubes of a tolerance: IoU of one, F1 of several."""
    return judge("line", payload, options)


def point(payload: Any, **options: Any) -> dict[str, Any]:
    """One point against one point, by their distance."""
    return judge("point", payload, options)


def box3d(payload: Any, **options: Any) -> dict[str, Any]:
    """Boxes in space: IoU of one, F1 of several."""
    return judge("box3d", payload, options)


def intervals(payload: Any, **options: Any) -> dict[str, Any]:
    """Intervals of frames, both ends included, matched one to one: the score is F1."""
    return judge("intervals", payload, options)


def map(payload: Any, **options: Any) -> dict[str, Any]:  # noqa: A001  named as hosts name the ruler
    """Boxes with scores: the score is their average precision."""
    return judge("map", payload, options)
