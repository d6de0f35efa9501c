"""Detections with scores: average precision as pycocotools has it, precision at high recall, false positives.

Detections of a class stand in the order of their scores, ties in the order of images. Precision at a recall is the best
precision at that recall or beyond; AP is its mean at recalls 0, 0.01, … 1, and precision at a target recall is its mean
at those of the target and beyond. Without scores, or with all of them equal, there is no order and both are undefined;
so they are for a class without ground truth.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
            total.setdefault(label, Ranked())
            total[label] += ranked
    return total


def has_order(classes: ByClass) -> bool:
    """Whether scores tell any detection from another."""
    scores = [score for ranked in classes.values() for score in ranked.scores]
    return None not in scores and (len(scores) < 2 or len(set(scores)) > 1)


def precision_curve(ranked: Ranked) -> Curve:
    """Interpolated precision at each recall step."""
    order = np.argsort([-score for score in ranked.scores if score is not None], kind="stable")
    found = np.asarray(ranked.found, dtype=bool)[order]
    hits = np.cumsum(found)
    precision = np.append(hits / np.arange(1, len(hits) + 1), 0.0)
    best = np.maximum.accumulate(precision[::-1])[::-1]  # at this many detections or more
    at = np.searchsorted(hits / ranked.objects, RECALL_STEPS, side="left")
    return np.asarray(best[at], dtype=np.float64)


def detection_tree(classes: ByClass, recall_target: float) -> dict[str, Any]:
    """AP at IoU 0.5 and precision at the target recall: the mean over classes, and each class."""
    ordered = has_order(classes)
    curves = {
        label: precision_curve(classes[label]) if ordered else None
        for label in sorted(classes)
        if classes[label].objects
    }
    first = int(np.searchsorted(RECALL_STEPS, recall_target - 1e-9))
    average = {label: None if curve is None else float(curve.mean()) for label, curve in curves.items()}
    beyond = {label: None if curve is None else float(curve[first:].mean()) for label, curve in curves.items()}
    return {
        "map_50": _mean(average),
        "precision_at_recall": _mean(beyond),
        "map_50_by_class": average,
        "precision_at_recall_by_class": beyond,
    }


def _mean(values: dict[str, float | None]) -> float | None:
    known = [value for value in values.values() if value is not None]
    return float(np.mean(known)) if known else None
