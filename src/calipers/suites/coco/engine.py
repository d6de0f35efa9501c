"""COCO's accumulated curves: matched detections to pycocotools' arrays, to the bit, undefined as NaN instead of -1."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.ranking import RECALL_STEPS
from calipers.kernels.count.detections import accumulate_classes
from calipers.suites.coco.class_curves import ClassCurves, DistinctCurves
from calipers.suites.coco.columns import Instances

AREAS = {"bbox": ("all", "small", "medium", "large"), "keypoints": ("all", "medium", "large")}
AREAS["segm"] = AREAS["bbox"]
MAX_AREA = 1e10  # objects beyond it are left out, as pycocotools does
AREA_RANGES = {
    "all": (0.0, MAX_AREA),
    "small": (0.0, 32.0**2),
    "medium": (32.0**2, 96.0**2),
    "large": (96.0**2, MAX_AREA),
}  # both ends belong to each
THRESHOLDS = np.linspace(0.5, 0.95, 10)  # as pycocotools has them, to the bit


class Accumulated(NamedTuple):
    """pycocotools' `eval`: axes are thresholds, classes, areas, numbers of detections.

    Only classes with ground truth have curves, and precision is that of the most detections only: the curves of a class
    take 32 kilobytes, and a data set may name thousands that it has nothing of.
    """

    precision: ClassCurves  # of classes and areas
    recall: NDArray[np.float64]  # (10, held, areas, max_dets)
    held: NDArray[np.int64]  # (held,) which of all classes these are, ascending


class RankedRows(NamedTuple):
    """The detections of some classes that take part, class by class and the surest first, and their objects."""

    ends: NDArray[np.int64]  # (classes,) where each class ends
    hits: NDArray[np.uint16]  # (rows, areas) bit t: right at threshold t
    ignored: NDArray[np.uint16]  # (rows, areas) bit t: neither right nor wrong
    rank: NDArray[np.int32]  # (rows,) among those of its class on its image, from 0
    objects: NDArray[np.int64]  # (classes, areas) that have to be found


def accumulate(
    ranked: Iterable[tuple[slice, RankedRows]], held: NDArray[np.int64], iou_type: str, max_dets: tuple[int, ...]
) -> Accumulated:
    """The curves of the classes that have ground truth, some of which come at a time, in order, with their places."""
    areas, thresholds = len(AREAS[iou_type]), len(THRESHOLDS)
    precision = DistinctCurves((len(held), areas), (thresholds, len(RECALL_STEPS)))
    recall = np.empty((thresholds, len(held), areas, len(max_dets)))
    for classes, rows in ranked:
        curves, recall[:, classes] = _curves(rows, areas, max_dets)
        precision.add(curves)
    return Accumulated(precision.finished(), recall, held)


def _curves(ranked: RankedRows, areas: int, max_dets: tuple[int, ...]) -> tuple[Any, Any]:
    """Precision (classes * areas, thresholds * steps) and recall of some classes, its axes as in `Accumulated`."""
    limits, thresholds = np.array(max_dets, np.int64), len(THRESHOLDS)
    precision, recall = accumulate_classes(
        ranked.ends,
        np.ascontiguousarray(ranked.hits).reshape(-1),
        np.ascontiguousarray(ranked.ignored).reshape(-1),
        ranked.rank,
        np.ascontiguousarray(ranked.objects).reshape(-1),
        limits,
        RECALL_STEPS,
        areas,
        thresholds,
    )
    shape = (len(ranked.ends), areas, thresholds)
    return (
        _cells(np.asarray(precision).reshape(len(ranked.ends) * areas, -1)),
        _cells(np.asarray(recall).reshape(*shape, len(limits)).transpose(2, 0, 1, 3)),
    )


def no_curves(iou_type: str, max_dets: tuple[int, ...]) -> Accumulated:
    """Curves of no class at all."""
    areas, steps = len(AREAS[iou_type]), (len(THRESHOLDS), len(RECALL_STEPS))
    recall = np.empty((len(THRESHOLDS), 0, areas, len(max_dets)))
    return Accumulated(DistinctCurves((0, areas), steps).finished(), recall, np.empty(0, np.int64))


def _cells(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 as 1: pycocotools divides by a hair more than the detections there are. The array is overwritten."""
    values[values > 1 - 1e-12] = 1.0
    return values


def usable_scores(pred: Instances) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Scores of detections without a problem, and their places in the list; copies only where some have one."""
    if not pred.problems:
        return pred.score, pred.place
    good = usable(pred)
    return pred.score[good], pred.place[good]


def usable(pred: Instances) -> NDArray[np.bool_]:
    """Detections without a problem."""
    good = np.ones(len(pred), dtype=bool)
    good[list(pred.problems)] = False
    return good
