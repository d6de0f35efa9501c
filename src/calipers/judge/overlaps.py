"""Overlaps of everything that is not a straight box: polygons, boxes at an angle, lines, boxes in space, intervals."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from itertools import accumulate
from math import cos, radians, sin

from calipers.core.errors import InputError, WorkError
from calipers.core.matching import round_overlap
from calipers.judge.options import MAX_WORK

CUBOID_STEPS, PAIR_STEPS = 50, 40  # to compare two boxes in space, two intervals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from calipers.judge.options import Options


def overlaps_of(ruler: str, truth: list[Any], pred: list[Any], options: Options) -> Any:
    """Every pair that overlaps: columns of truth, pred and overlap in units of 1e-12."""
    work = options.max_work
    if ruler == "intervals":
        return interval_pairs(truth, pred, max_work=work, unit=options.unit)
    if ruler == "box3d":
        from calipers.kernels.shape.cuboids import cuboid_pairs
        from calipers.rulers.cuboid import as_boxes

        _limit(CUBOID_STEPS * len(truth) * len(pred), 7 * (len(truth) + len(pred)), work)
        return cuboid_pairs(as_boxes(truth), as_boxes(pred), False)
    from calipers.rulers.shapes import as_objects

    if ruler == "line":
        from calipers.rulers.tube import stroke_width, tube_overlaps

        sides = as_objects(truth, "line"), as_objects(pred, "line")
        return tube_overlaps(*sides, stroke=stroke_width(options.tolerance), max_work=work)
    from calipers.rulers.region import region_overlaps

    if ruler == "rotated":
        truth, pred = [corners(*shape) for shape in truth], [corners(*shape) for shape in pred]
    return region_overlaps(as_objects(truth, "region"), as_objects(pred, "region"), max_work=work)


def problem_with(ruler: str, shape: Any) -> str | None:
    """Why a shape cannot be measured."""
    try:
        if ruler == "box3d":
            from calipers.rulers.cuboid import as_boxes

            as_boxes([shape])
        else:
            from calipers.rulers.shapes import as_objects

            polygon = corners(*shape) if ruler == "rotated" else shape
            as_objects([polygon], "line" if ruler == "line" else "region")
    except InputError as error:
        return str(error).partition(": ")[2] or str(error)
    return None


def corners(cx: float, cy: float, width: float, height: float, degrees: float) -> list[float]:
    """The corners of a box at an angle.

    >>> corners(5, 5, 4, 2, 0)
    [3.0, 4.0, 7.0, 4.0, 7.0, 6.0, 3.0, 6.0]
    """
    angle = radians(degrees)
    ux, uy, vx, vy = (
        half * side
        for half, side in (
            (width / 2, cos(angle)),
            (width / 2, sin(angle)),
            (height / 2, -sin(angle)),
            (height / 2, cos(angle)),
        )
    )
    signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return [place for a, b in signs for place in (cx + a * ux + b * vx, cy + a * uy + b * vy)]


def interval_pairs(
    truth: list[list[float]], pred: list[list[float]], *, max_work: int = MAX_WORK, unit: str = "frames"
) -> Any:
    """Intervals of whole frames, both ends included, or of seconds, which last from start to end.

    Predictions are put in the order of their starts, so that those which reach into a true one stand side by side.

    >>> [column.tolist() for column in interval_pairs([[0, 9]], [[5, 14], [10, 19]])]
    [[0], [0], [333333333333]]
    >>> [column.tolist() for column in interval_pairs([[0, 10]], [[5, 15], [10, 20]], unit="seconds")]
    [[0], [0], [333333333333]]
    """
    last_frame = 0 if unit == "seconds" else 1
    order = sorted(range(len(pred)), key=lambda j: pred[j])
    starts = [pred[j][0] for j in order]
    reach = list(accumulate((pred[j][1] for j in order), max))  # the last end up to here
    columns = array("i"), array("i"), array("q")
    steps = 0
    for i, (start, end) in enumerate(truth):
        near = sorted(order[bisect_left(reach, start) : bisect_right(starts, end)])
        steps += PAIR_STEPS * len(near)
        _limit(steps, 2 * (len(truth) + len(pred)), max_work)
        for j in near:
            first, last = pred[j]
            shared = min(end, last) - max(start, first) + last_frame
            if shared > 0:
                union = (end - start) + (last - first) + 2 * last_frame - shared
                for column, value in zip(columns, (i, j, round_overlap(shared / union)), strict=True):
                    column.append(value)
    return columns


def _limit(steps: int, numbers: int, max_work: int) -> None:
    """Refuse what takes more work than is allowed for so many numbers; see `kernels/shape/work.pxi`."""
    from calipers.kernels.shape.plane import LARGE, SMALL

    if steps > max_work * min(max(numbers, SMALL), LARGE):
        raise WorkError([0], max_work)
