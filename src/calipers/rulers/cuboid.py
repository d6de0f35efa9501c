"""Shared volume of boxes in space.

A box has a centre, a size along each of its three axes, and a rotation. IoU is the volume both boxes fill over the
volume either fills: exact, at any angle of the boxes to each other (`obb`), or that of their axis-aligned bounds
(`aabb`). Boxes that only touch share nothing.
"""

from __future__ import annotations

import sys

from calipers.core.errors import InputError, require
from calipers.core.matching import UNIT
from calipers.kernels.shape.cuboids import cuboid_paired, cuboid_pairs, near_pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from calipers.core.cuboids import Boxes
    from calipers.kernels.scan.boxes import BoxRows
    from calipers.kernels.scan.column import Column
    from calipers.rulers.source_types import Cuboids

IOU_MODES = ("obb", "aabb")
SHAPE = {"center", "size", "rotation"}
OTHERS = {"id", "label", "score", "similarity"}  # of an object in the plain form; any other key may be a misspelt one
BOX = '{"center", "size", "rotation"}, 6 numbers (center, size) or 7 (and yaw)'
EXPECTED = {
    "center": "three numbers up to 1e100",
    "size": "three numbers from 1e-100 to 1e100",
    "rotation": 'a quaternion [x, y, z, w], {"yaw": radians} or a 3 by 3 rotation matrix',
}


def cuboid_overlaps(
    truth: Boxes, pred: Boxes, *, iou_mode: str = "obb", max_pairs: int = sys.maxsize
) -> tuple[Column, Column, Column]:
    """Every truth/pred pair of one scene that shares volume, with its overlap.

    OverflowError beyond `max_pairs` pairs.
    """
    return cuboid_pairs(truth, pred, _is_aabb(iou_mode), max_pairs)


def near_centers(
    truth: Boxes, pred: Boxes, limit: float, max_pairs: int = sys.maxsize
) -> tuple[Column, Column, Column]:
    """Every truth/pred pair of one scene with centres at most `limit` apart, with 1 - distance / (2 * limit).

    OverflowError beyond `max_pairs` pairs.
    """
    require(0 < limit < 1e100, "limit", limit, "a distance above 0")
    return near_pairs(truth, pred, limit, max_pairs)


def cuboid_iou(gt: Cuboids, pred: Cuboids, *, paired: bool = False, iou_mode: str = "obb") -> Any:
    """IoU of boxes in space: the volume that both fill over the volume that either fills.

    Args:
        gt: One box or several. A box is `{"center": [x, y, z], "size": [dx, dy, dz], "rotation": …}`, or 6 numbers
            (center, size), or 7 (and yaw, the angle about the z axis in radians). A rotation is nothing, a quaternion
            [x, y, z, w], `{"yaw": angle}` or a matrix whose columns are the axes of the box.
        pred: The same.
        paired: Compare the first with the first and so on, instead of all with all.
        iou_mode: The turned boxes (`obb`), or their axis-aligned bounds (`aabb`).

    Returns:
        A number for one box on each side; else an array (n, m) of all with all, or (n,) if `paired`.

    Raises:
        InputError: Something is no box, or the sides have different lengths though `paired`.
        ConfigError: `iou_mode` is another one.

    Examples:
        >>> cuboid_iou([0, 0, 0, 1, 1, 1], [0.5, 0, 0, 1, 1, 1])        # half of each: 0.5 / 1.5
        0.333333333333
        >>> cuboid_iou([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1, 0.7853981633974483])      # turned by 45 degrees
        0.707106781187
        >>> cuboid_iou([[0, 0, 0, 2, 2, 2], [0, 0, 0, 1, 1, 1]], [[1, 0, 0, 2, 2, 2]]).tolist()
        [[0.333333333333], [0.058823529412]]
        >>> cuboid_iou([0, 0, 0, 1, 1, 1], [1, 0, 0, 1, 1, 1])          # they touch
        0.0
    """
    aabb = _is_aabb(iou_mode)
    (left, left_is_one), (right, right_is_one) = box_side(gt), box_side(pred)
    if left_is_one and right_is_one:
        return cuboid_paired(left, right, aabb)[0] / UNIT
    return _paired(left, right, aabb) if paired else _matrix(left, right, aabb)


def require_same_count(left: Boxes | BoxRows, right: Boxes | BoxRows) -> None:
    """Refuse to pair two lists of different lengths."""
    if len(left) != len(right):
        raise InputError(f"paired: found {len(left)} and {len(right)} boxes, expected as many on both sides")


def _is_aabb(iou_mode: str) -> bool:
    require(iou_mode in IOU_MODES, "iou_mode", iou_mode, "obb or aabb")
    return iou_mode == "aabb"


def _paired(left: Boxes | BoxRows, right: Boxes | BoxRows, aabb: bool) -> Any:
    import numpy as np

    require_same_count(left, right)
    return np.asarray(cuboid_paired(left, right, aabb)) / UNIT


def _matrix(left: Boxes | BoxRows, right: Boxes | BoxRows, aabb: bool) -> Any:
    import numpy as np

    rows, columns, score = (np.asarray(column) for column in cuboid_pairs(left, right, aabb))
    matrix = np.zeros((len(left), len(right)))
    matrix[rows, columns] = score / UNIT
    return matrix


# Boxes as a caller writes them


def box_side(boxes: Any) -> tuple[Boxes | BoxRows, bool]:
    """The boxes as one scene, and whether it is a single one that is not in a list."""
    rows = _rows(boxes)
    if rows is not None and rows.first_bad < 0:
        return rows, False
    plain = _plain(boxes)
    return (as_boxes([plain]), True) if _is_one(plain) else (as_boxes(plain), False)


def _rows(boxes: Any) -> BoxRows | None:
    """An array of numbers with a box in each row, without a detour by way of lists."""
    if not hasattr(boxes, "__array_interface__") or boxes.ndim != 2 or boxes.shape[1] not in (6, 7):
        return None
    import numpy as np

    from calipers.kernels.scan.boxes import BoxRows

    return BoxRows(np.ascontiguousarray(boxes, dtype=np.float64)) if boxes.dtype.kind in "fiu" else None


def _plain(value: Any) -> Any:
    """Arrays and tuples as lists; the caller's own data is left alone."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _is_one(value: Any) -> bool:
    """Numbers are one box; a list of anything else, or of nothing, is a list of boxes."""
    return not isinstance(value, list) or (bool(value) and not any(isinstance(item, (list, dict)) for item in value))


def as_boxes(values: list[Any]) -> Boxes:
    """Boxes as one scene of columns; InputError names the first value that is no box."""
    from calipers.core.cuboids import Boxes
    from calipers.kernels.scan.boxes import REASONS, BoxColumns

    raw, objects = BoxColumns(), [_object(value, index) for index, value in enumerate(values)]
    index = raw.add_scene(objects, True)
    if index >= 0:
        field = REASONS[raw.last_reason]
        value = objects[index].get(field)
        raise InputError(f"box {index}, {field}: found {value!r:.200}, expected {EXPECTED[field]}")
    return Boxes(raw)


def _object(value: Any, index: int) -> dict[str, Any]:
    """One box in the plain form, with nothing but what matters to its shape."""
    if isinstance(value, dict) and value.keys() <= SHAPE:
        return value
    if isinstance(value, dict) and value.keys() <= SHAPE | OTHERS:
        return {key: value[key] for key in SHAPE & value.keys()}
    if isinstance(value, list) and len(value) in (6, 7):
        return {"center": value[:3], "size": value[3:6], "rotation": {"yaw": value[6]} if len(value) == 7 else None}
    raise InputError(f"box {index}: found {value!r:.200}, expected {BOX}")
