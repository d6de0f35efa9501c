"""Detections with scores: average precision as pycocotools has it, precision at high recall, false positives.

Detections of a class stand in the order of their scores, ties in the order of images. Precision at a recall is the best
precision at that recall or beyond; AP is its mean at recalls 0, 0.01, … 1, and precision at a target recall is its mean
at those of the target and beyond. Without scores, or with all of them equal, there is no order and both are undefined;
so they are for a class without ground truth. Classes that only predictions name do not show in either, and are listed.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calipers.tally import ratio

RECALL_STEPS = np.linspace(0.0, 1.0, 101)  # as pycocotools, to the bit
Curve = NDArray[np.float64]


class Ranked:
    """The detections of one class, image by image: scores, whether each found its object, and how many objects."""

    __slots__ = ("found", "objects", "scores")

    def __init__(self) -> None:
        self.scores: list[float | None] = []
        self.found: list[bool] = []
        self.objects = 0

    def __iadd__(self, other: Ranked) -> Ranked:
        self.scores += other.scores
        self.found += other.found
        self.objects += other.objects
        return self


ByClass = dict[str, Ranked]


def join(parts: Iterable[ByClass]) -> ByClass:
    """Several videos together, in their order."""
    total: ByClass = {}
    for part in parts:
        for label, ranked in part.items():
            if label not in total:
                total[label] = Ranked()
            total[label] += ranked
    return total


def count_false_positives(classes: ByClass, least: float) -> int:
    """Detections that found nothing, of this score or more; one without a score is taken for certain."""
    return sum(
        not found and (score is None or score >= least)
        for ranked in classes.values()
        for score, found in zip(ranked.scores, ranked.found, strict=True)
    )


def has_order(classes: ByClass) -> bool:
    """Whether scores tell any detection from another."""
    scores = [score for ranked in classes.values() for score in ranked.scores]
    return None not in scores and (len(scores) < 2 or len(set(scores)) > 1)


def precision_curve(ranked: Ranked) -> Curve:
    """Interpolated precision at each recall step."""
    order = np.argsort(-np.array(ranked.scores, dtype=np.float64), kind="stable")
    return curve_of(np.array(ranked.found, dtype=bool)[order], ranked.objects)


def curve_of(found: NDArray[np.bool_], objects: int) -> Curve:
    """The same of detections that are in order: which of them found one of so many objects."""
    hits = np.cumsum(found)
    precision = np.append(hits / np.arange(1, len(hits) + 1), 0.0)  # 0 where a recall is never reached
    best = np.maximum.accumulate(precision[::-1])[::-1]  # at this many detections or more
    at = np.searchsorted(hits / objects, RECALL_STEPS, side="left")
    return np.asarray(best[at], dtype=np.float64)


def first_step(recall_target: float) -> int:
    """The first recall step of at least the target.

    >>> first_step(0.9), first_step(0.35), first_step(0.355)
    (90, 35, 36)
    """
    return int(np.searchsorted(RECALL_STEPS, recall_target))


def detection_tree(classes: ByClass, recall_target: float) -> dict[str, Any]:
    """AP at IoU 0.5 and precision at the target recall: the mean over classes, and each class. Then what both hide."""
    ordered = has_order(classes)
    known = [label for label in sorted(classes) if classes[label].objects]
    first = first_step(recall_target)
    average: dict[str, float | None] = dict.fromkeys(known)
    beyond: dict[str, float | None] = dict.fromkeys(known)
    for label in known if ordered else ():
        curve = precision_curve(classes[label]).tolist()
        average[label], beyond[label] = _mean(curve), _mean(curve[first:])
    return {
        "map_50": _mean(average.values()),
        "precision_at_recall": _mean(beyond.values()),
        "map_50_by_class": average,
        "precision_at_recall_by_class": beyond,
        "classes_without_ground_truth": {
            label: len(classes[label].found) for label in sorted(classes) if not classes[label].objects
        },
        "tied_score_share": tied_share(ranked.scores for ranked in classes.values()) if ordered else None,
    }


def tied_share(classes: Iterable[Any]) -> float | None:
    """The share of detections whose score another of their class has, so that the order of images decides.

    >>> tied_share([[0.9, 0.5, 0.5], [0.9]])
    0.5
    """
    times = [np.unique(np.asarray(scores, dtype=np.float64), return_counts=True)[1] for scores in classes]
    return ratio(sum(each[each > 1].sum() for each in times), sum(each.sum() for each in times))


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None
