"""Overlaps of everything that is not a straight box: polygons, boxes at an angle, lines, boxes in space, intervals."""

from __future__ import annotations

from math import cos, radians, sin

from calipers.errors import InputError
from calipers.kernels.assign import int_column
from calipers.kernels.column import long_column
from calipers.matching import round_overlap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from calipers.judge.options import Options


def overlaps_of(ruler: str, truth: list[Any], pred: list[Any], options: Options) -> Any:
    """Every pair that overlaps: columns of truth, pred and overlap in units of 1e-12."""
    if ruler == "intervals":
        return interval_pairs(truth, pred)
    if ruler == "box3d":
        from calipers.kernels.cuboids import cuboid_pairs
        from calipers.rulers.cuboid import as_boxes

        return cuboid_pairs(as_boxes(truth), as_boxes(pred), False)
    from calipers.rulers.shapes import as_objects

    if ruler == "line":
        from calipers.rulers.tube import stroke_width, tube_overlaps

        sides = as_objects(truth, "line"), as_objects(pred, "line")
        return tube_overlaps(*sides, stroke=stroke_width(options.tolerance))
    from calipers.rulers.region import region_overlaps

    if ruler == "rotated":
        truth, pred = [corners(*shape) for shape in truth], [corners(*shape) for shape in pred]
    return region_overlaps(as_objects(truth, "region"), as_objects(pred, "region"))


def problem_with(ruler: str, shape: Any) -> str | None:
    """Why a shape cannot be measured."""
    try:
        if ruler == "box3d":
            from calipers.rulers.cuboid import as_boxes

            as_boxes([shape])
        else:
            from calipers.rulers.shapes import as_objects

            given = corners(*shape) if ruler == "rotated" else shape
            as_objects([given], "line" if ruler == "line" else "region")
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


def interval_pairs(truth: list[list[int]], pred: list[list[int]]) -> Any:
    """Intervals of whole frames, both ends included.

    >>> [column.tolist() for column in interval_pairs([[0, 9]], [[5, 14], [10, 19]])]
    [[0], [0], [333333333333]]
    """
    rows = []
    for i, (start, end) in enumerate(truth):
        for j, (first, last) in enumerate(pred):
            shared = min(end, last) - max(start, first) + 1
            if shared > 0:
                union = (end - start) + (last - first) + 2 - shared
                rows.append((i, j, round_overlap(shared / union)))
    return int_column([i for i, _, _ in rows]), int_column([j for _, j, _ in rows]), long_column(s for _, _, s in rows)
