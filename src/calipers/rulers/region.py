"""Filled-area overlap of regions on a plane.

A region is a box or a polygon, in any mix. IoU is the area both share over the area either covers, exact for convex
and for any other simple polygon. A polygon whose edges properly cross is repaired by ordering its vertices by angle
around their mean; one that touches itself is what its outline winds around, each point once. A region without area
overlaps nothing.
"""

from __future__ import annotations

from calipers.kernels.regions import region_paired, region_pairs
from calipers.kernels.work import MAX_WORK
from calipers.rulers.effort import limited

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from calipers.core.shapes import Objects
    from calipers.kernels.column import Column


def region_overlaps(
    truth: Objects, pred: Objects, *, least: float = 0.0, max_work: int = MAX_WORK
) -> tuple[Column, Column, Column]:
    """Every truth/pred pair of one record that shares area, with its overlap.

    Pairs surely below `least` may be left out: an upper bound costs less than an area. WorkError names the records that
    take more than `max_work` steps for each number of their shapes.
    """
    with limited():
        return region_pairs(truth, pred, least, max_work)


def region_iou(a: Any, b: Any, *, paired: bool = False, max_work: int = MAX_WORK) -> Any:
    """IoU of two regions, or of all of `a` with all of `b` (n, m), or of a[i] with b[i] when `paired`.

    A region is four numbers (two corners of a box, in any order) or at least three points, flat or as [x, y]. What
    takes more than `max_work` steps for each number is an InputError.

    >>> region_iou([0, 0, 10, 10], [0, 0, 10, 5])
    0.5
    >>> region_iou([0, 0, 10, 10], [[5, 0], [10, 5], [5, 10], [0, 5]])
    0.5
    >>> region_iou([[0, 0, 10, 10], [0, 0, 2, 2]], [[0, 0, 10, 5]]).tolist()
    [[0.5], [0.08]]
    >>> region_iou([3, 3, 3, 9], [3, 3, 3, 9])
    0.0
    """
    from calipers.rulers.shapes import compare

    with limited():
        return compare(
            a,
            b,
            "region",
            paired,
            lambda s, t: region_pairs(s, t, 0.0, max_work),
            lambda s, t: region_paired(s, t, max_work),
        )
