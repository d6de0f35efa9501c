"""Overlap of lines, as tubes of cells.

A line has no area, so it is given a thickness: on the grid of 1000 by 1000 cells, a cell belongs to a line when its
centre lies at most half the stroke width from it. The stroke width is twice the tolerance, rounded to a whole number
(halves to even) and at least 1. IoU is the number of cells both have over the number either has; the direction in
which a line is drawn does not matter.

Coverage tells missing from invented: the share of the truth's length that runs within tolerance of the prediction
(recall), the share of the prediction's that runs within tolerance of the truth (precision), and their harmonic mean.
"""

from __future__ import annotations

from calipers.core.errors import require
from calipers.kernels.shape.plane import MAX_WORK, tube_paired, tube_pairs
from calipers.rulers.effort import limited

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from calipers.core.shapes import Objects
    from calipers.kernels.scan.column import Column
    from calipers.rulers.source_types import Shapes


WIDEST = 8000  # covers every cell from anywhere
THIN = 3  # of two lines within a radius of 1.5, each is within 1.5 of the cell nearest to the middle between them


def stroke_width(tolerance: float, name: str = "tolerance") -> int:
    """Cells across a tube; `name` is what the caller calls the tolerance.

    >>> [stroke_width(t) for t in (8, 0.25, 1.25, 0)]
    [16, 1, 2, 1]
    """
    good = isinstance(tolerance, (int, float)) and not isinstance(tolerance, bool) and 0 <= tolerance <= 1e6
    require(good, name, tolerance, "a number from 0 to 1000000")
    return max(1, round(2 * tolerance))


def tube_overlaps(
    truth: Objects, pred: Objects, *, stroke: int, max_work: int = MAX_WORK
) -> tuple[Column, Column, Column]:
    """Every truth/pred pair of lines of one record that share cells, with its overlap.

    WorkError names the records that take more than `max_work` steps for each number of their shapes.
    """
    with limited():
        return tube_pairs(truth, pred, min(stroke, WIDEST), max_work)


def tube_iou(gt: Shapes, pred: Shapes, *, tolerance: float = 8, paired: bool = False, max_work: int = MAX_WORK) -> Any:
    """IoU of lines, each as a tube of cells around it.

    Args:
        gt: One line or several. A line is at least two points on [0, 1000], flat or as [x, y].
        pred: The same.
        tolerance: How far from a line its tube reaches.
        paired: Compare the first with the first and so on, instead of all with all.
        max_work: Steps that may be taken for each number of the shapes.

    Returns:
        A number for one line on each side; else an array (n, m) of all with all, or (n,) if `paired`.

    Raises:
        InputError: Something is no line, the sides have different lengths though `paired`, or the shapes take more
            steps than `max_work` allows.
        ConfigError: `tolerance` is not a number from 0 to 1000000.

    Examples:
        >>> tube_iou([100, 500, 900, 500], [900, 500, 100, 500])
        1.0
        >>> tube_iou([0, 500, 1000, 500], [0, 508, 1000, 508], tolerance=8)     # 8 of 24 rows are shared
        0.333333333333
    """
    from calipers.rulers.shapes import compare

    stroke = min(stroke_width(tolerance), WIDEST)
    with limited():
        return compare(
            gt,
            pred,
            "line",
            paired,
            lambda s, t: tube_pairs(s, t, stroke, max_work),
            lambda s, t: tube_paired(s, t, stroke, max_work),
        )


def line_coverage(
    gt: Shapes, pred: Shapes, *, tolerance: float = 8, max_work: int = MAX_WORK
) -> tuple[float, float, float]:
    """How far two lines run along each other, by samples one unit apart.

    Args:
        gt: A line: at least two points on [0, 1000], flat or as [x, y].
        pred: The same.
        tolerance: How far from a line a sample may be to be covered by it.
        max_work: Steps that may be taken for each number of the shapes.

    Returns:
        The share of the truth that the prediction covers (recall), the share of the prediction that the truth covers
            (precision), and their harmonic mean (F1).

    Raises:
        InputError: Something is no line, or the lines take more steps than `max_work` allows.
        ConfigError: `tolerance` is not a number from 0 to 1000000.

    Examples:
        >>> line_coverage([0, 0, 99, 0], [0, 0, 41, 0], tolerance=8)     # samples 0 … 49 of 100 are within 8
        (0.5, 1.0, 0.6666666666666666)
    """
    from calipers.kernels.scan.column import int_column
    from calipers.kernels.shape.plane import coverage_of, near_lines
    from calipers.rulers.shapes import one_line

    stroke_width(tolerance)  # refuses what is no tolerance
    first = int_column([0])
    sides = one_line(gt), one_line(pred)
    with limited():
        near_lines(*sides, tolerance, max_work)  # refuses what takes too long
    recall, precision, f1 = coverage_of(*sides, first, first, tolerance)
    return recall[0], precision[0], f1[0]


def nearby_lines(
    truth: Objects, pred: Objects, tubes: tuple[Column, Column, Column], *, tolerance: float, max_work: int = MAX_WORK
) -> tuple[Column, Column]:
    """Columns (truth index, pred index) of all pairs of lines that may cover something of each other.

    Lines within tolerance of each other have cells in common, so the pairs of tubes will do, unless tubes are so thin
    that they may hold no cell just there.
    """
    from calipers.kernels.shape.plane import near_lines

    if stroke_width(tolerance) >= THIN:
        return tubes[:2]
    with limited():
        return near_lines(truth, pred, tolerance, max_work)


def covered_lines(truth: Objects, pred: Objects, near: tuple[Column, Column], *, tolerance: float) -> tuple[Any, ...]:
    """Columns (truth index, pred index, recall, precision, f1) of pairs of lines."""
    from calipers.kernels.shape.plane import coverage_of

    return (*near, *coverage_of(truth, pred, *near, tolerance))
