"""Videos as columns: what the timeline suite works on. What exists here is valid.

`Videos` holds the states of some videos as intervals: those of video v are `offsets[v]:offsets[v + 1]` of each side.
"""

from __future__ import annotations

from typing import NamedTuple

from calipers.kernels.scan.intervals import IntervalColumns


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
