"""Scenes as columns: what the scene suite works on. What exists here is valid.

`Boxes` holds one side of some scenes: those of scene s are `offsets[s]:offsets[s + 1]`. A predicted box that could not
be read keeps its place, with a `reason` and no size, so that it can count as a prediction that matches nothing.
"""

from __future__ import annotations

from calipers.kernels.scan.boxes import REASONS, BoxColumns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from calipers.kernels.scan.column import Column

__all__ = ["REASONS", "Boxes", "join_boxes"]

WIDTHS = {  # numbers a box has in each column
    "center": 3,
    "half": 3,
    "axes": 9,
    "bounds": 6,
    "upright": 1,
    "reason": 1,
    "scores": 1,
    "index": 1,
}


class Boxes:
    """One side of some scenes, in columns."""

    __slots__ = (
        "axes",
        "bounds",
        "center",
        "half",
        "ids",
        "index",
        "labels",
        "offsets",
        "reason",
        "scores",
        "similarity",
        "upright",
    )

    offsets: Column  # (scenes + 1,) into boxes
    center: Column  # (boxes * 3,)
    half: Column  # (boxes * 3,) half the size along each axis
    axes: Column  # (boxes * 9,) three unit vectors, right-handed; the third is the one nearest to world Z
    bounds: Column  # (boxes * 6,) least x, y, z, then largest
    upright: Column  # (boxes,) 1 where the third axis is exactly world Z
    reason: Column  # (boxes,) index into REASONS; 0 is valid
    scores: Column  # (boxes,) NaN where none was given
    index: Column  # (boxes,) place in the list of the file
    labels: list[str]  # (boxes,) as written; "" is none
    ids: list[Any]  # (boxes,) as written; None is none
    similarity: dict[int, dict[str, float]]  # box -> task -> similarity, of those that have any

    def __init__(self, raw: BoxColumns) -> None:
        self.offsets, self.center, self.half, self.axes = raw.offsets, raw.center, raw.half, raw.axes
        self.bounds, self.upright, self.reason = raw.bounds, raw.upright, raw.reason
        self.scores, self.index = raw.scores, raw.index
        self.labels, self.ids, self.similarity = raw.labels, raw.ids, raw.similarity

    def __len__(self) -> int:
        return len(self.reason)

    def replace(self, **columns: Any) -> Boxes:
        """A copy of the boxes with some columns replaced."""
        copy = Boxes.__new__(Boxes)
        for name in Boxes.__slots__:
            setattr(copy, name, columns.get(name, getattr(self, name)))
        return copy


def join_boxes(parts: Sequence[Boxes], order: Sequence[int] | None) -> Boxes:
    """The boxes of several parts as one, its scenes in an order over the scenes of all parts; None is as they come."""
    import numpy as np

    starts = np.concatenate([[0], *(np.diff(part.offsets) for part in parts)]).cumsum()
    columns: dict[str, Any] = {}
    for name in WIDTHS:
        columns[name] = np.concatenate([np.asarray(getattr(part, name)) for part in parts])
    for name in ("labels", "ids"):
        columns[name] = [item for part in parts for item in getattr(part, name)]
    firsts = np.cumsum([0, *(len(part) for part in parts)]).tolist()
    columns["similarity"] = {
        first + box: row for first, part in zip(firsts, parts, strict=False) for box, row in part.similarity.items()
    }
    joined = parts[0].replace(**columns, offsets=starts)
    return joined if order is None else _picked(joined, order)


def _picked(boxes: Boxes, order: Sequence[int]) -> Boxes:
    """The boxes of some scenes, in the order that those are given in."""
    import numpy as np

    starts = np.asarray(boxes.offsets)
    sizes = np.diff(starts)[list(order)]
    rows = [row for scene in order for row in range(int(starts[scene]), int(starts[scene + 1]))]
    columns: dict[str, Any] = {}
    for name, width in WIDTHS.items():
        columns[name] = np.asarray(getattr(boxes, name)).reshape(-1, width)[rows].reshape(-1)
    for name in ("labels", "ids"):
        everything = getattr(boxes, name)
        columns[name] = [everything[row] for row in rows]
    similarity = boxes.similarity
    columns["similarity"] = {place: similarity[row] for place, row in enumerate(rows) if row in similarity}
    return boxes.replace(**columns, offsets=np.concatenate([[0], sizes]).cumsum())
