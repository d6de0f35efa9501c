"""Detections with scores: average precision as pycocotools has it, precision at high recall, false positives.

Detections of a class stand in the order of their scores, ties in the order of images. Precision at a recall is the best
precision at that recall or beyond; AP is its mean at recalls 0, 0.01, … 1. `precision_at_recall` is its mean at those
of the target and beyond, `precision_at_target` the precision at the target itself, 0 where it is never reached. Without
scores there is no order and all are undefined, and with equal ones too if that could matter: if a class has both right
and wrong detections. So they are for a class without ground truth. Classes that only predictions name do not show in
any of them, and are listed.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calipers.core.tally import ratio

RECALL_ROUNDING = 1e-9  # rounding error of a target recall times a number of objects
RECALL_STEPS = np.linspace(0.0, 1.0, 101)  # as pycocotools, to the bit
Curve = NDArray[np.float64]


class Ranked:
    """The detections of one class, image by image: scores, whether each found its object and could be read at all, and
    how much it overlaps what it found, where that is known; and how many objects there are."""

    __slots__ = ("fits", "hits", "objects", "scores", "valid")

    def __init__(self) -> None:
        self.scores: list[float | None] = []
        self.hits: list[bool] = []
        self.valid: list[bool] = []
        self.fits: list[float] = []
        self.objects = 0

    def add(self, score: float | None, hit: bool, valid: bool = True, fit: float = 0.0) -> None:
        """Add a detection."""
        self.scores.append(score)
        self.hits.append(hit)
        self.valid.append(valid)
        self.fits.append(fit)

    def __iadd__(self, other: Ranked) -> Ranked:
        self.scores += other.scores
        self.hits += other.hits
        self.valid += other.valid
        self.fits += other.fits
        self.objects += other.objects
        return self


ByClass = dict[str, Ranked]


def join(parts: Iterable[ByClass]) -> ByClass:
    """The detections of several parts, class by class, in the order of the parts."""
    total: ByClass = {}
    for part in parts:
        for label, ranked in part.items():
            if label not in total:
                total[label] = Ranked()
            total[label] += ranked
    return total


def count_false_positives(classes: ByClass, min_score: float) -> int:
    """How many detections with a score of `min_score` or more found nothing; a missing score counts as high enough."""
    return sum(
        not hit and (score is None or score >= min_score)
        for ranked in classes.values()
        for score, hit in zip(ranked.scores, ranked.hits, strict=True)
    )


def has_order(classes: ByClass) -> bool:
    """Whether scores rank detections, or any order would do."""
    scores = {score for ranked in classes.values() for score in ranked.scores}
    if None in scores:
        return False
    return len(scores) > 1 or not any(len(set(ranked.hits)) > 1 for ranked in classes.values() if ranked.objects)


def precision_curve(ranked: Ranked) -> Curve:
    """Interpolated precision at each recall step."""
    return curve_of(hits_in_order(ranked), ranked.objects)


def hits_in_order(ranked: Ranked) -> NDArray[np.bool_]:
    """Whether each detection found its object, the surest first."""
    order = np.argsort(-np.array(ranked.scores, dtype=np.float64), kind="stable")
    return np.array(ranked.hits, dtype=bool)[order]


def curve_of(is_hit: NDArray[np.bool_], objects: int) -> Curve:
    """Interpolated precision at each recall step, of detections sorted by score: which of them are hits."""
    hits = np.cumsum(is_hit)
    precision = np.append(hits / np.arange(1, len(hits) + 1), 0.0)  # 0 where a recall is never reached
    best = np.maximum.accumulate(precision[::-1])[::-1]  # at this many detections or more
    at = np.searchsorted(hits / objects, RECALL_STEPS, side="left")
    return np.asarray(best[at], dtype=np.float64)


def precision_at(is_hit: NDArray[np.bool_], objects: int, recall_target: float) -> float:
    """The best precision at the target recall or beyond, of detections in order; 0 where that is never reached.

    >>> nine_of_ten = np.ones(9, dtype=bool)
    >>> precision_at(nine_of_ten, 10, 0.9), precision_at(nine_of_ten, 10, 0.91)
    (1.0, 0.0)
    """
    hits = np.cumsum(is_hit)
    reached = hits >= recall_target * objects - RECALL_ROUNDING
    return float(np.max(hits[reached] / (np.flatnonzero(reached) + 1))) if reached.any() else 0.0


def first_step(recall_target: float) -> int:
    """The first recall step of at least the target.

    >>> first_step(0.9), first_step(0.35), first_step(0.355)
    (90, 35, 36)
    """
    return int(np.searchsorted(RECALL_STEPS, recall_target))


def detection_tree(classes: ByClass, recall_target: float) -> dict[str, Any]:
    """AP at IoU 0.5 and precision at high recall, as a mean over classes and by class.

    Beside them what these figures leave out: detections of classes without ground truth, and the share of tied scores.
    """
    ordered = has_order(classes)
    known = [label for label in sorted(classes) if classes[label].objects]
    first = first_step(recall_target)
    average: dict[str, float | None] = dict.fromkeys(known)
    beyond: dict[str, float | None] = dict.fromkeys(known)
    at_target: dict[str, float | None] = dict.fromkeys(known)
    for label in known if ordered else ():
        curve = precision_curve(classes[label]).tolist()
        average[label], beyond[label] = _mean(curve), _mean(curve[first:])
        at_target[label] = precision_at(hits_in_order(classes[label]), classes[label].objects, recall_target)
    return {
        "map_50": _mean(average.values()),
        "precision_at_recall": _mean(beyond.values()),
        "precision_at_target": _mean(at_target.values()),
        "map_50_by_class": average,
        "precision_at_recall_by_class": beyond,
        "precision_at_target_by_class": at_target,
        "classes_without_ground_truth": {
            label: len(classes[label].hits) for label in sorted(classes) if not classes[label].objects
        },
        "tied_score_share": tied_share(ranked.scores for ranked in classes.values()) if ordered else None,
    }


def tied_share(classes: Iterable[Any]) -> float | None:
    """The share of detections with the score of another one of their class: the order of images ranks these.

    >>> tied_share([[0.9, 0.5, 0.5], [0.9]])
    0.5
    """
    total = tied = 0
    for scores in classes:
        total += len(scores)
        if len(scores) > 1:
            times = np.unique(np.asarray(scores, dtype=np.float64), return_counts=True)[1]
            tied += int(times[times > 1].sum())
    return ratio(tied, total)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None
