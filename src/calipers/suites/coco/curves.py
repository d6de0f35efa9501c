"""COCO's lines and what stands behind them: from accumulated curves to numbers. Undefined is None.

AP              mean over thresholds 0.50 … 0.95, recall steps and classes with ground truth
AP_50, AP_75    the same at one threshold; AP_small, … of objects of that size
AR_n            mean over thresholds and classes of the recall with at most n detections a class and image
precision at recall >= target: mean at IoU 0.50 over the recall steps from the target on, then over classes
precision at the target: the best at IoU 0.50 at that recall or beyond, 0 where it is never reached; mean over classes
best F1 of a class: at IoU 0.50, over all scores one could cut at, 2 found / (objects + detections that count)
tie mass: the share of detections whose score another of their class has, so that the order of images decides
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import fsum

import numpy as np
from numpy.typing import NDArray

from calipers.core.best_scores import NO_DETECTIONS, ScoredClass
from calipers.core.ranking import first_step, precision_at
from calipers.suites.coco.class_curves import mean_of_defined
from calipers.suites.coco.engine import AREAS, THRESHOLDS, Accumulated, no_curves
from calipers.suites.coco.replicates import RankedClass

EVERY = 2 ** len(THRESHOLDS) - 1  # bits
AT_50, AT_75 = slice(0, 1), 5  # of the thresholds
RECALLS = [step / 100 for step in range(101)]
ALL, LAST = 0, -1  # of the areas, of max_dets


def coco_lines(accumulated: Accumulated, iou_type: str, max_dets: tuple[int, ...]) -> dict[str, float | None]:
    """The twelve numbers of COCO, or the ten of its keypoints, by name."""
    precision, recall, areas = accumulated.precision, accumulated.recall, AREAS[iou_type]
    lines: dict[str, float | None] = {
        "AP": precision.mean(ALL),
        "AP_50": precision.mean(ALL, AT_50),
        "AP_75": precision.mean(ALL, slice(AT_75, AT_75 + 1)),
    }
    for at, name in enumerate(areas[1:], 1):
        lines[f"AP_{name}"] = precision.mean(at)
    if iou_type == "keypoints":
        lines["AR"] = mean_of_defined(recall[:, :, ALL, LAST])
        lines["AR_50"] = mean_of_defined(recall[0, :, ALL, LAST])
        lines["AR_75"] = mean_of_defined(recall[AT_75, :, ALL, LAST])
    else:
        lines |= {f"AR_{most}": mean_of_defined(recall[:, :, ALL, at]) for at, most in enumerate(max_dets)}
    for at, name in enumerate(areas[1:], 1):
        lines[f"AR_{name}"] = mean_of_defined(recall[:, :, at, LAST])
    return lines


def line_names(iou_type: str, max_dets: tuple[int, ...]) -> list[str]:
    """What the lines are called.

    >>> line_names("keypoints", (20,))[:5]
    ['AP', 'AP_50', 'AP_75', 'AP_medium', 'AP_large']
    """
    return list(coco_lines(no_curves(iou_type, max_dets), iou_type, max_dets))


def class_precisions(accumulated: Accumulated, recall_target: float) -> dict[str, list[float | None]]:
    """For each class with ground truth AP, AP at 0.50, AR, and precision from the target recall on."""
    precision, recall, first = accumulated.precision, accumulated.recall[:, :, ALL, LAST], first_step(recall_target)
    return {
        "AP": precision.class_means(ALL),
        "AP_50": precision.class_means(ALL, AT_50),
        "AR": [mean_of_defined(recall[:, k]) for k in range(recall.shape[1])],
        "precision_at_recall": precision.class_means(ALL, AT_50, slice(first, None)),
    }


def curve_means(accumulated: Accumulated, recall_target: float, classes: int) -> dict[str, NDArray[np.float64]]:
    """Of each of so many classes the figures that are means over its curves; 0 without ground truth."""
    precision, which = accumulated.precision.some_columns(ALL)
    first = first_step(recall_target)
    parts = {
        "AP": precision.mean(axis=(0, 1)),
        "AP_50": precision[0].mean(axis=0),
        "AP_75": precision[AT_75].mean(axis=0),
        "precision_at_recall": precision[0, first:].mean(axis=0),
    }
    means = {name: np.zeros(classes) for name in parts}
    for name, values in parts.items():
        means[name][accumulated.held] = np.nan_to_num(values)[which]
    return means


def precision_at_recall(accumulated: Accumulated, recall_target: float) -> float | None:
    """The mean over recall steps from the target on, and over all classes."""
    return accumulated.precision.mean(ALL, AT_50, slice(first_step(recall_target), None))


def precisions_at_target(ranked: Sequence[RankedClass], recall_target: float) -> list[float | None]:
    """For each class the precision at the target recall; none without objects."""
    return [
        precision_at(_hits(one_class), len(one_class.objects), recall_target) if len(one_class.objects) else None
        for one_class in ranked
    ]


def _hits(ranked: RankedClass) -> NDArray[np.bool_]:
    """Which of the detections that count at IoU 0.50 found an object, the surest first."""
    return np.asarray((ranked.hits & 1)[ranked.ignored & 1 == 0] > 0)


def mean_of(values: Iterable[float | None]) -> float | None:
    """The mean of those that are defined."""
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None


def curves(accumulated: Accumulated) -> Iterator[dict[str, list[float]] | None]:
    """The precision-recall curve of each class at IoU 0.50; none without ground truth."""
    distinct = accumulated.precision.distinct[:, 0]
    known: dict[int, list[float]] = {}  # the numbers of curves that are alike are in memory once
    for at in accumulated.precision.which[:, ALL].tolist():
        if np.isnan(distinct[at, 0]):
            yield None
        else:
            precision = known[at] if at in known else known.setdefault(at, distinct[at].tolist())
            yield {"recall": list(RECALLS), "precision": list(precision)}


def scored_class(ranked: RankedClass, scores: NDArray[np.float64]) -> ScoredClass:
    """The detections of a class that count at IoU 0.50, with their scores."""
    if not len(ranked.image) and not len(ranked.objects):
        return NO_DETECTIONS
    counted = ranked.ignored & 1 == 0
    return ScoredClass(scores[counted], _hits(ranked), ranked.image[counted], ranked.objects)


def why_no_scores(scores: NDArray[np.float64], place: NDArray[np.int64]) -> str | None:
    """Why detections cannot be ranked, if one has no score; `place` is that of each in its list."""
    missing = np.isnan(scores)
    if not missing.any():
        return None
    count, first = np.count_nonzero(missing), int(place[missing].min())
    problem = f"{count:,} of {len(scores):,} detections have no score (the first is [{first}])"
    return f"{problem}, so there is no order to rank them in"


def why_no_order(scores: NDArray[np.float64], ranked: Sequence[RankedClass]) -> str | None:
    """Why scores that are all equal do not rank detections: a class has both right and wrong ones, so order matters."""
    if not any(map(_is_mixed, ranked)):
        return None
    return f"all {len(scores):,} scores are {scores[0]:g}, so there is no order to rank detections in"


def _is_mixed(ranked: RankedClass) -> bool:
    """Whether a class with objects has at some threshold detections that are right and some that are wrong."""
    if not len(ranked.objects):
        return False
    right, wrong = ranked.hits & ~ranked.ignored, ~ranked.hits & ~ranked.ignored & EVERY
    return bool(np.bitwise_or.reduce(right) & np.bitwise_or.reduce(wrong))
