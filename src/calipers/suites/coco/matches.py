"""Detections matched as COCO matches them: by score, class by class, crowd regions ignored, in every range of area.

In an image, the detections of a class come by score (ties as they were given); the best `max_dets` of them take part.
Each takes the closest object still free that is close enough, of equally close ones the last. One that finds none may
lie in a crowd region, or on an object that does not have to be found, such as one too small for the range; it is
then left out: neither right nor wrong. So is one of another size that finds nothing. All of this is pycocotools'
`evaluateImg`, and gives its numbers; it is local to an image.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.kernels.count.detections import match_in_areas
from calipers.suites.coco.columns import Instances
from calipers.suites.coco.engine import AREA_RANGES, AREAS, THRESHOLDS, RankedRows, usable
from calipers.suites.coco.replicates import RankedClass

Bits = NDArray[np.uint16]
Overlaps = tuple[Any, Any, Any]  # (pairs,) truth row, pred row, overlap
NEARLY_ONE = 1 - 1e-10  # no threshold asks for more


class CocoMatches(NamedTuple):
    """For each detection what became of it at every threshold: bit t is threshold t."""

    hits: Bits  # (preds,) an object
    ignored: Bits  # (preds,) neither right nor wrong
    kept: NDArray[np.bool_]  # (preds,) usable, and not cut by max_dets
    order: NDArray[np.int32]  # (preds,) rows by score
    wanted: NDArray[np.bool_]  # (truths,) objects that have to be found
    partner: NDArray[np.int32]  # (preds,) the object that each takes at IoU 0.50, -1 without
    overlap: NDArray[np.float64]  # (preds,) how close it is, 0 without
    area_hits: Bits  # (preds, areas) as hits, in each range of area; the first is every size
    area_ignored: Bits  # (preds, areas)
    area_wanted: NDArray[np.bool_]  # (truths, areas)


def match_by_score(
    truth: Instances, pred: Instances, close: Overlaps, *, max_dets: int, iou_type: str = "bbox"
) -> CocoMatches:
    """Match all classes at all thresholds. `close` holds pairs of one class with an overlap of 0.5 or more."""
    order = np.argsort(-pred.score, kind="stable").astype(np.int32)  # the surest first, ties in the order of images
    kept, areas = usable(pred) & ~_cut(pred, order, max_dets), AREAS[iou_type]
    wanted = objects_to_find(truth)[:, None] & ~_outside(truth.area, areas)
    excused = _outside(pred.area, areas) | pred.crowd[:, None]
    rows, columns, overlap = close
    by_pred = np.lexsort((rows, columns))
    columns_found = match_in_areas(
        order[kept[order]],
        np.searchsorted(columns[by_pred], np.arange(len(pred) + 1)).astype(np.int64),
        rows[by_pred].astype(np.int32),
        overlap[by_pred],
        _bits(~wanted),
        truth.crowd.view(np.uint8),
        _bits(excused),
        np.minimum(THRESHOLDS, NEARLY_ONE),
        len(areas),
    )
    hits, ignored = (np.asarray(column).view(np.uint16).reshape(-1, len(areas)) for column in columns_found[:2])
    partner, fit = (np.asarray(column) for column in columns_found[2:])
    return CocoMatches(hits[:, 0], ignored[:, 0], kept, order, wanted[:, 0], partner, fit, hits, ignored, wanted)


def _outside(area: Any, names: tuple[str, ...]) -> NDArray[np.bool_]:
    """(rows, areas) whether a size is outside of each range."""
    ranges = [AREA_RANGES[name] for name in names]
    return np.stack([(area < low) | (area > high) for low, high in ranges], axis=1)


def _bits(flags: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """(rows,) the flags of each row as bits, the first the lowest."""
    return np.packbits(flags, axis=1, bitorder="little").reshape(-1) if len(flags) else np.empty(0, np.uint8)


def objects_to_find(truth: Instances) -> NDArray[np.bool_]:
    """Ground truth that has to be found: no crowd, and of objects with keypoints those with a labelled one."""
    return ~truth.crowd if truth.visible is None else ~truth.crowd & (truth.visible > 0)


def _cut(pred: Instances, order: NDArray[np.int32], max_dets: int) -> NDArray[np.bool_]:
    """Detections beyond the best `max_dets` of their class on their image."""
    cut = np.zeros(len(pred), dtype=bool)
    crowded = np.diff(pred.offsets) > max_dets
    if not crowded.any():
        return cut
    able = order[(crowded[pred.image] & usable(pred))[order]]
    cut[able[ranks_on_images(pred.image[able], pred.category[able]) >= max_dets]] = True
    return cut


def ranked_classes(truth: Instances, pred: Instances, matches: CocoMatches, classes: int) -> list[RankedClass]:
    """The detections that take part, class by class and best first, and the images of the objects."""
    rows = rows_by_class(pred, matches, classes)
    wanted = np.flatnonzero(matches.wanted)
    objects = by_class(wanted, truth.category, classes)
    return [
        RankedClass(pred.image[mine], matches.hits[mine], matches.ignored[mine], truth.image[theirs])
        for mine, theirs in zip(rows, objects, strict=True)
    ]


def rows_by_class(pred: Instances, matches: CocoMatches, classes: int) -> list[Any]:
    """The detections that take part, class by class and best first."""
    return by_class(matches.order[matches.kept[matches.order]], pred.category, classes)


def by_class(rows: Any, category: Any, classes: int) -> list[Any]:
    """Some rows split by class, in their order."""
    ordered, ends = in_class_order(rows, category, classes)
    return [ordered[start:end] for start, end in pairwise([0, *ends.tolist()])]


def in_class_order(rows: Any, category: Any, classes: int) -> tuple[Any, NDArray[np.int64]]:
    """Some rows class by class, in their order within each, and where each class ends."""
    kind = np.uint16 if classes < 2**16 else np.int32  # small numbers are sorted by their digits
    ordered = rows[np.argsort(category[rows].astype(kind), kind="stable")]
    return ordered, np.searchsorted(category[ordered], np.arange(1, classes + 1)).astype(np.int64)


def ranked_rows(truth: Instances, pred: Instances, matches: CocoMatches, held: NDArray[np.int64]) -> RankedRows:
    """The detections of classes with ground truth, as curves are made from them."""
    surest = matches.order[matches.kept[matches.order] & np.isin(pred.category, held)[matches.order]]
    rows = surest[np.argsort(pred.category[surest], kind="stable")]
    objects = np.zeros((len(held), matches.area_wanted.shape[1]), np.int64)
    np.add.at(objects, np.searchsorted(held, truth.category), matches.area_wanted)
    ends = np.searchsorted(pred.category[rows], held, side="right").astype(np.int64)
    ranks = ranks_on_images(pred.image[rows], pred.category[rows])
    return RankedRows(ends, matches.area_hits[rows], matches.area_ignored[rows], ranks, objects)


def ranks_on_images(image: Any, category: Any) -> NDArray[np.int32]:
    """(rows,) of rows that stand by score which of its class on its image each is, from 0."""
    order = np.lexsort((category, image))  # stable: the surest of each group first
    first = np.flatnonzero(np.diff(image[order], prepend=-1) | np.diff(category[order], prepend=-1))
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order)) - np.repeat(first, np.diff(first, append=len(order)))
    return ranks
