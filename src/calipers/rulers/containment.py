"""Whether boxes in space contain each other's centres: the strict and relaxed containment of the scene suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from calipers.core.errors import require
from calipers.kernels.shape.cuboids import placements
from calipers.rulers.cuboid import IOU_MODES, box_side, require_same_count

if TYPE_CHECKING:
    from calipers.core.cuboids import Boxes
    from calipers.kernels.scan.boxes import BoxRows
    from calipers.rulers.source_types import Cuboids


class Containment(NamedTuple):
    """Whether both centres lie in the box of the other (`strict`), and whether at least one does (`relaxed`)."""

    strict: Any
    relaxed: Any


def containment(gt: Cuboids, pred: Cuboids, *, paired: bool = False, mode: str = "aabb") -> Containment:
    """Whether the centres of two boxes lie in each other's box, as the scene suite has it.

    Args:
        gt: One box or several, as for `cuboid_iou`.
        pred: The same.
        paired: Compare the first with the first and so on, instead of all with all.
        mode: What a centre has to be in: the axis-aligned bounds of a box (`aabb`), or the turned box (`obb`). A centre
            on a face is inside.

    Returns:
        `strict`, both centres are inside, and `relaxed`, at least one is. Each is true or false for one box on each
            side; else an array (n, m) of all with all, or (n,) if `paired`.

    Raises:
        InputError: Something is no box, or the sides have different lengths though `paired`.
        ConfigError: `mode` is another one.

    Examples:
        >>> containment([0, 0, 0, 2, 2, 2], [0.8, 0, 0, 1, 1, 1])       # its centre is in the large box alone
        Containment(strict=False, relaxed=True)
        >>> containment([[0, 0, 0, 2, 2, 2]], [[0, 0, 0, 1, 1, 1], [5, 0, 0, 1, 1, 1]]).strict.tolist()
        [[True, False]]
    """
    require(mode in IOU_MODES, "mode", mode, "aabb or obb")
    (left, left_is_one), (right, right_is_one) = box_side(gt), box_side(pred)
    is_single = left_is_one and right_is_one
    if paired or is_single:
        require_same_count(left, right)
        rows = columns = np.arange(len(left))
    else:
        rows, columns = np.indices((len(left), len(right)))
    contained = _centers(left, right, rows, columns, mode)
    return Containment(*(map(bool, contained))) if is_single else Containment(*contained)


def _centers(left: Boxes | BoxRows, right: Boxes | BoxRows, rows: Any, columns: Any, mode: str) -> Any:
    """Whether both centres are inside, and whether one is, for each pair of a row and a column."""
    left_at, right_at = (cast(Any, np.ravel(part).astype(np.int32)) for part in (rows, columns))
    inside, holds, _ = placements(left, right, left_at, right_at, mode == "obb")
    both = np.asarray(inside, bool).reshape(rows.shape), np.asarray(holds, bool).reshape(rows.shape)
    return both[0] & both[1], both[0] | both[1]
