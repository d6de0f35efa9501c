"""Options of a verdict as types, for editors and type checkers.

Made from `calipers.judge.options.Options` by tests/generated/regenerate.py; not to be changed by hand.
"""

from __future__ import annotations

from typing import TypedDict


class JudgeOptions(TypedDict, total=False):
    """Every option of a verdict, by keyword.

    Attributes:
        threshold: Least IoU of a pass or a match [default: 0.5]; farthest point [10; cosine 0.5], click or count [0].
        match: Greedy, optimal or gt-order [default: greedy].
        labels: Ignore, with a note if they differ, or exact: only equal ones match [default: ignore].
        metric: Of points: euclidean, manhattan, chebyshev or cosine [default: euclidean].
        format: Of boxes: xyxy, xywh or cxcywh [default: xyxy].
        unit: Of intervals: frames, both ends included, or seconds [default: frames].
        at: Where the shapes are, such as result.boxes [default: found by their names].
        tolerance: Of lines: half the width of their tubes [default: 8].
        pass_at: Score from which matched shapes pass [default: 0.5].
        max_work: Refuse shapes that take more steps to compare for each of their numbers [default: 1000].
    """

    threshold: float
    match: str
    labels: str
    metric: str
    format: str
    unit: str
    at: str | None
    tolerance: float
    pass_at: float
    max_work: int
