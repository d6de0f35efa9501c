"""From pairs to partners: at most one each. The only matcher.

Three rules, all deterministic:

- `greedy`: the closest pair first; ties by truth index, then pred index. The part of it above a threshold is the
  greedy matching at that threshold, so one pass serves a whole sweep.
- `optimal`: as many pairs as possible, and of those the largest total overlap.
- `by_confidence`: predictions in the order of their confidence, each to the closest truth still free (as in COCO).

Overlaps are integers in units of 1e-12 (see `round_overlap`), so equal overlaps are equal and thresholds are met
exactly.

Kernels are loaded by what calls them: a verdict on one pair of boxes rounds its overlap here, and matches nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence, Sized
    from typing import Any, Protocol

    from calipers.kernels.scan.column import Column

    class Recorded(Protocol):
        """Objects in records: those of record r are `offsets[r]:offsets[r + 1]`."""

        @property
        def offsets(self) -> Any:
            """(records + 1,) into objects."""


UNIT = 1_000_000_000_000
SWEEP = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)  # written out: computed ones would miss by a bit


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

    def __init__(self, truth: Any, pred: Any, score: Any) -> None:
        self.truth, self.pred, self.score = truth, pred, score

    @classmethod
    def sorted(cls, truth: Recorded, *parts: tuple[Any, Any, Any]) -> Pairs:
        """All parts together, in the order the matcher needs."""
        from calipers.kernels.count.assign import sort_by_overlap

        return cls(*sort_by_overlap(truth.offsets, *parts))

    def __len__(self) -> int:
        return len(self.score)


class Labels:
    """Labels of the objects of both sides, as codes; -1 is no label and agrees with nothing."""

    __slots__ = ("pred", "truth")

    def __init__(self, truth: Any, pred: Any) -> None:  # lists, or columns of int32
        self.truth, self.pred = truth, pred


def greedy(pairs: Pairs, truth: Sized, pred: Sized, *, min_overlap: int, labels: Labels | None = None) -> Pairs:
    """The matching that takes the closest pair first, among pairs of `min_overlap` overlap and equal labels."""
    from calipers.kernels.count.assign import greedy as kernel

    return Pairs(*kernel(pairs, len(truth), len(pred), min_overlap, *_sides(labels)))


def _sides(labels: Labels | None) -> tuple[Any, Any]:
    return (None, None) if labels is None else (_codes(labels.truth), _codes(labels.pred))


def _codes(labels: Any) -> Any:
    if not isinstance(labels, (list, tuple)):
        return labels
    from calipers.kernels.scan.column import int_column

    return int_column(labels)


def optimal(pairs: Pairs, *, min_overlap: int, labels: Labels | None = None) -> Pairs:
    """The matching of most pairs, and among those of the largest total overlap, exact for overlaps of any size.

    Ties: truths come in by index, and each leaves those before it as they are unless the matching gains by a change;
    of preds that are equally good for it and free, it takes the first. Groups that share no pair do not matter to each
    other, and in a group with a single object on one side, that object takes the closest, ties by index.
    """
    from calipers.kernels.count.optimal import optimal as kernel

    return Pairs(*kernel(pairs, min_overlap, *_sides(labels)))


def by_confidence(
    pairs: Pairs,
    truth: Sized,
    confidence: Any,  # a list, or a column of floats
    *,
    min_overlap: int,
    labels: Labels | None = None,
    last_of_equals: bool = False,
) -> Pairs:
    """Predictions by confidence (ties by index), each to the closest truth still free.

    Of equally close truths the first by index, or the last, as pycocotools has it.
    """
    order = confidence_order(confidence)
    return in_order(pairs, truth, order, min_overlap=min_overlap, labels=labels, last_of_equals=last_of_equals)


def confidence_order(confidence: Any) -> Column:
    """Predictions by confidence, ties by index."""
    from calipers.kernels.count.assign import confidence_order as kernel

    return kernel(confidence if hasattr(confidence, "__array__") else _doubles(confidence))


def in_order(
    pairs: Pairs,
    truth: Sized,
    order: Column,
    *,
    min_overlap: int,
    labels: Labels | None = None,
    last_of_equals: bool = False,
) -> Pairs:
    """Greedy matching of pairs whose order is known already, so that several matchings share one sort."""
    from calipers.kernels.count.assign import in_order as kernel

    return Pairs(*kernel(pairs, len(truth), order, min_overlap, *_sides(labels), last_of_equals))


def _doubles(values: Sequence[float]) -> Any:
    from array import array

    return array("d", values)
