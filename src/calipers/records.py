"""Records as columns: what the rest of the house works on. What exists here is valid.

`Objects` holds one side of many records. Objects of record r are `offsets[r]:offsets[r + 1]`; numbers of object i are
`points[starts[i]:starts[i + 1]]`. An object that could not be read keeps its place, with a `reason` and no points, so
that it can count as a prediction that matches nothing.

`Videos` holds the states of some videos as intervals: those of video v are `offsets[v]:offsets[v + 1]` of each side.

This module and the kernels import no numpy; columns are buffers that numpy reads without a copy.
"""

from __future__ import annotations

from typing import NamedTuple

from calipers.kernels.flatten import KINDS, ObjectColumns
from calipers.kernels.intervals import IntervalColumns
from calipers.kernels.shapes import FLAGS, Shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from calipers.kernels.column import Column

__all__ = ["FLAGS", "KINDS", "Batch", "Box", "Extras", "Objects", "Sign", "Videos"]


class Objects:
    """One side of many records, in columns."""

    __slots__ = ("area", "bounds", "desc", "descs", "flags", "kind", "offsets", "points", "reason", "starts")

    offsets: Column  # (records + 1,) into objects
    kind: Column  # (objects,) index into KINDS; 3 is a type that could not be read
    reason: Column  # (objects,) 0 is valid, else what is wrong with it
    flags: Column  # (objects,) bits of FLAGS
    starts: Column  # (objects + 1,) into points
    points: Column  # x, y, x, y, …
    area: Column  # (objects,)
    bounds: Column  # (objects * 4,) x1, y1, x2, y2
    desc: Column  # (objects,) code of the text
    descs: dict[str, int]  # text -> code, shared by both sides

    def __init__(self, raw: ObjectColumns) -> None:
        shapes = Shapes(raw)
        self.offsets, self.kind, self.reason = raw.offsets, raw.kind, raw.reason
        self.desc, self.descs = raw.desc, raw.descs
        self.starts, self.points, self.flags = shapes.starts, shapes.points, shapes.flags
        self.area, self.bounds = shapes.area, shapes.bounds

    def __len__(self) -> int:
        return len(self.kind)


class Batch:
    """Some thousand records: their keys and both sides, aligned."""

    __slots__ = ("keys", "lines", "path", "pred", "raw", "truth")

    def __init__(
        self,
        truth: Objects,
        pred: Objects,
        *,
        keys: Sequence[str],
        path: str = "",
        lines: Sequence[int] = (),
        raw: Sequence[dict[str, Any]] = (),
    ) -> None:
        self.truth, self.pred = truth, pred
        self.keys = keys
        self.path = path
        self.lines = lines
        self.raw = raw  # the records as read, when someone wants to write them out again

    def __len__(self) -> int:
        return len(self.keys)


class Box(NamedTuple):
    """A detection: a predicted one may have a score; one that could not be read has no corners."""

    frame: int
    label: str
    corners: tuple[float, float, float, float] | None
    score: float | None


class Sign(NamedTuple):
    """A text that was seen, and where."""

    frame: int
    text: str
    corners: tuple[float, float, float, float] | None


class Extras:
    """What a video may carry beside its states; None is not given."""

    __slots__ = ("pred_boxes", "pred_signs", "runtime", "truth_boxes", "truth_signs")

    def __init__(self) -> None:
        self.truth_boxes: list[Box] | None = None
        self.pred_boxes: list[Box] | None = None
        self.truth_signs: list[Sign] | None = None
        self.pred_signs: list[Sign] | None = None
        self.runtime: tuple[float, float] | None = None  # frames, seconds


class Videos:
    """Some videos: the intervals of both sides, aligned, and what else is known of them."""

    __slots__ = ("extras", "fps", "names", "pred", "states", "truth")

    def __init__(self) -> None:
        self.names: list[str] = []
        self.states: dict[str, int] = {}  # name -> code, shared by both sides
        self.truth, self.pred = IntervalColumns(self.states), IntervalColumns(self.states)
        self.fps: list[float | None] = []  # (videos,) as read or measured, positive
        self.extras: dict[str, Extras] = {}  # by name, of those that have any

    def __len__(self) -> int:
        return len(self.names)
