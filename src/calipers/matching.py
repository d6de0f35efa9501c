"""From pairs to partners: at most one each. The only matcher.

Three rules, all deterministic:

- `greedy`: the closest pair first; ties by truth index, then pred index. The part of it above a threshold is the
  greedy matching at that threshold, so one pass serves a whole sweep.
- `optimal`: as many pairs as possible, and of those the largest total overlap.
- `by_confidence`: predictions in the order of their confidence, each to the closest truth still free (as in COCO).

Overlaps are integers in units of 1e-12 (see `round_overlap`), so equal overlaps are equal and thresholds are met
exactly.
"""

from __future__ import annotations

from calipers.kernels import assign

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from calipers.kernels.column import Column
    from calipers.records import Objects

UNIT = 1_000_000_000_000


def round_overlap(overlap: float) -> int:
    """An overlap or a threshold in units of 1e-12.

    >>> round_overlap(0.55)
    550000000000
    """
    return round(overlap * UNIT)


class Pairs:
    """Pairs of truth and pred with their overlap, best first within each record."""

    __slots__ = ("pred", "score", "truth")

    truth: Column  # (pairs,) index of the object
    pred: Column  # (pairs,)
    score: Column  # (pairs,) overlap in units of 1e-12, positive

    def __init__(self, truth: Column, pred: Column, score: Column) -> None:
        self.truth, self.pred, self.score = truth, pred, score

    @classmethod
    def sorted(cls, truth: Objects, *parts: tuple[Column, Column, Column]) -> Pairs:
        """All parts together, in the order the matcher needs."""
        return cls(*assign.sort_by_overlap(truth.offsets, *parts))

    def __len__(self) -> int:
        return len(self.score)


class Labels:
    """What the two sides are called, as codes; -1 is no label and agrees with nothing."""

    __slots__ = ("pred", "truth")

    def __init__(self, truth: Sequence[int] | Column, pred: Sequence[int] | Column) -> None:
        self.truth, self.pred = truth, pred


def greedy(pairs: Pairs, truth: Objects, pred: Objects, *, least: int, labels: Labels | None = None) -> Pairs:
    """The matching that takes the closest pair first, among pairs of `least` overlap and equal labels."""
    sides = (None, None) if labels is None else (labels.truth, labels.pred)
    return Pairs(*assign.greedy(pairs, len(truth), len(pred), least, *sides))
