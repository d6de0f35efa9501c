"""Filled-area overlap of regions on a plane.

A region is a box or a polygon, in any mix. IoU is the area both share over the area either covers, exact for convex
and for any other simple polygon. A polygon whose edges properly cross is repaired by ordering its vertices by angle
around their mean; one that touches itself is what its outline winds around, each point once. A region without area
overlaps nothing.
"""

from __future__ import annotations

from calipers.kernels.shape.plane import MAX_WORK, region_paired, region_pairs
from calipers.rulers.effort import limited

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from calipers.core.shapes import Objects
    from calipers.kernels.scan.column import Column
    from calipers.rulers.source_types import Shapes


def region_overlaps(
    truth: Objects, pred: Objects, *, min_overlap: float = 0.0, max_work: int = MAX_WORK
) -> tuple[Column, Column, Column]:
    """Every truth/pred pair of one record that shares area, with its overlap.

    Pairs surely below `min_overlap` may be left out: an upper bound costs less than an area. WorkError names the
    records that take more than `max_work` steps for each number of their shapes.
    """
    with limited():
        return region_pairs(truth, pred, min_overlap, max_work)


def region_iou(gt: Shapes, pred: Shapes, *, paired: bool = False, max_work: int = MAX_WORK) -> Any:
    """IoU of regions on a plane: the area that both fill over the area that either fills.

    Args:
        gt: One region or several. A region is four numbers (two corners of a box, in any order), or at least three
            points, flat or as [x, y].
        pred: The same.
        paired: Compare the first with the first and so on, instead of all with all.
        max_work: Steps that may be taken for each number of the shapes.

    Returns:
        A number for one region on each side; else an array (n, m) of all with all, or (n,) if `paired`.

    Raises:
        InputError: Something is no region, the sides have different lengths though `paired`, or the shapes take more
            steps than `max_work` allows.

    Examples:
        >>> region_iou([0, 0, 10, 10], [0, 0, 10, 5])
        0.5
        >>> region_iou([0, 0, 10, 10], [[5, 0], [10, 5], [5, 10], [0, 5]])
        0.5
        >>> region_iou([[0, 0, 10, 10], [0, 0, 2, 2]], [[0, 0, 10, 5]]).tolist()
        [[0.5], [0.08]]
        >>> region_iou(gt=[3, 3, 3, 9], pred=[3, 3, 3, 9])     # without area
        0.0
    """
    from calipers.rulers.shapes import compare

    with limited():
        return compare(
            gt,
            pred,
            "region",
            paired,
            lambda s, t: region_pairs(s, t, 0.0, max_work),
            lambda s, t: region_paired(s, t, max_work),
        )
