"""Whether boxes in space contain each other's centres: the strict and relaxed containment of the scene suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from calipers.core.errors import require
from calipers.kernels.cuboids import placements
from calipers.rulers.cuboid import IOU_MODES, box_side, require_same_count

if TYPE_CHECKING:
    from calipers.core.cuboids import Boxes
    from calipers.kernels.box_rows import BoxRows


class Containment(NamedTuple):
    """Whether both centres lie in the box of the other (`strict`), and whether at least one does (`relaxed`)."""

    strict: Any
    relaxed: Any


def containment(truth: Any, pred: Any, *, paired: bool = False, mode: str = "aabb") -> Containment:
    """Strict and relaxed containment of two boxes' centres, as the scene suite has it.

    Boxes are written as for `cuboid_iou`. For two single boxes both answers are true or false; for lists they are
    arrays (n, m) of all of `truth` with all of `pred`, or (n,) of truth[i] with pred[i] when `paired`. `mode` says
    what a centre has to be in: the axis-aligned bounds of a box (`aabb`), or the turned box itself (`obb`). A centre on
    a face is inside. Raises `InputError` for what is no box, `ConfigError` for another mode.

    >>> containment([0, 0, 0, 2, 2, 2], [0.8, 0, 0, 1, 1, 1])       # its centre is in the large box, not the other way
    Containment(strict=False, relaxed=True)
    >>> containment([[0, 0, 0, 2, 2, 2]], [[0, 0, 0, 1, 1, 1], [5, 0, 0, 1, 1, 1]]).strict.tolist()
    [[True, False]]
    """
    require(mode in IOU_MODES, "mode", mode, "aabb or obb")
    (left, left_is_one), (right, right_is_one) = box_side(truth), box_side(pred)
    one = left_is_one and right_is_one
    if paired or one:
        require_same_count(left, right)
        rows = columns = np.arange(len(left))
    else:
        rows, columns = np.indices((len(left), len(right)))
    found = _centers(left, right, rows, columns, mode)
    return Containment(*(map(bool, found))) if one else Containment(*found)


def _centers(left: Boxes | BoxRows, right: Boxes | BoxRows, rows: Any, columns: Any, mode: str) -> Any:
    """Whether both centres are inside, and whether one is, for each pair of a row and a column."""
    left_at, right_at = (cast(Any, np.ravel(part).astype(np.int32)) for part in (rows, columns))
    inside, holds, _ = placements(left, right, left_at, right_at, mode == "obb")
    both = np.asarray(inside, bool).reshape(rows.shape), np.asarray(holds, bool).reshape(rows.shape)
    return both[0] & both[1], both[0] | both[1]
