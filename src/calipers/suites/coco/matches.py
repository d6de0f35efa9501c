"""Detections matched as COCO matches them: by score, class by class, crowd regions aside.

In an image, the detections of a class come by score (ties as they were given); the best `max_dets` of them take part.
Each takes the closest object still free that is close enough, of equally close ones the last. One that finds none may
lie in a crowd region, or on an object that does not have to be found; it is then left out: neither right nor wrong.
All of this is pycocotools' `evaluateImg` for objects of any size, and gives its numbers; here it is needed per image,
for the score that serves a class best and for the replicates of AP.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.matching import Pairs, in_order
from calipers.suites.coco.columns import Instances
from calipers.suites.coco.engine import THRESHOLDS, usable
from calipers.suites.coco.replicates import RankedClass

Bits = NDArray[np.uint16]
Overlaps = tuple[Any, Any, Any]  # (pairs,) truth row, pred row, overlap
LARGEST_AREA = 1e10  # objects beyond it are left out, as pycocotools does
EVERY = np.uint16(2 ** len(THRESHOLDS) - 1)
NEARLY_ONE = 1 - 1e-10  # no threshold asks for more


class CocoMatches(NamedTuple):
    """For each detection what became of it at every threshold: bit t is threshold t."""

    found: Bits  # (preds,) an object
    ignored: Bits  # (preds,) neither right nor wrong
    kept: NDArray[np.bool_]  # (preds,) usable, and not cut by max_dets
    order: NDArray[np.int32]  # (preds,) rows by score
    wanted: NDArray[np.bool_]  # (truths,) objects that have to be found


def match_by_score(truth: Instances, pred: Instances, close: Overlaps, *, max_dets: int) -> CocoMatches:
    """Match all classes at all thresholds. `close` holds pairs of one class with an overlap of 0.5 or more."""
    order = np.argsort(-pred.score, kind="stable").astype(np.int32)  # the surest first, ties in the order of images
    kept = usable(pred) & ~_cut(pred, order, max_dets)
    wanted = objects_to_find(truth) & (truth.area <= LARGEST_AREA)
    there = kept[close[1]]
    rows, columns, overlap = (each[there] for each in close)
    found, sure = np.zeros(len(pred), dtype=np.uint16), wanted[rows]
    _match(truth, (rows[sure], columns[sure], overlap[sure]), order, found)
    ignored = np.zeros(len(pred), dtype=np.uint16)
    _leave_out(truth, (rows[~sure], columns[~sure], overlap[~sure]), order, found, ignored)
    vast = pred.area > LARGEST_AREA
    ignored[vast] |= ~found[vast] & EVERY
    ignored[pred.crowd] |= ~found[pred.crowd] & EVERY
    return CocoMatches(found, ignored, kept, order, wanted)


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
    by_group = able[np.lexsort((pred.category[able], pred.image[able]))]  # stable: best first in each group
    first = np.flatnonzero(np.diff(pred.image[by_group], prepend=-1) | np.diff(pred.category[by_group], prepend=-1))
    rank = np.arange(len(by_group)) - np.repeat(first, np.diff(first, append=len(by_group)))
    cut[by_group[rank >= max_dets]] = True
    return cut


def _match(truth: Instances, close: Overlaps, order: Any, hits: Bits) -> None:
    """Set the bits of detections that take one of these truths, each at most once."""
    rows, columns, overlap = close
    as_units = np.ascontiguousarray(overlap).view(np.int64)  # doubles above 0 compare like the whole numbers they are
    pairs = Pairs.sorted(truth, (rows, columns, as_units))
    for bit, threshold in enumerate(THRESHOLDS):
        least = int(np.array(min(threshold, NEARLY_ONE)).view(np.int64))
        taken = in_order(pairs, truth, order, least=least, last_of_equals=True)
        hits[np.asarray(taken.pred)] |= np.uint16(1 << bit)


def _leave_out(truth: Instances, close: Overlaps, order: Any, found: Bits, ignored: Bits) -> None:
    """Set the bits of detections without an object that lie in a crowd, or on an object that need not be found."""
    rows, columns, overlap = close
    crowd = truth.crowd[rows]
    reach = np.zeros(len(found))  # (preds,) the most of it that lies in a crowd
    np.maximum.at(reach, columns[crowd], overlap[crowd])
    for bit, threshold in enumerate(THRESHOLDS):
        ignored[reach >= min(threshold, NEARLY_ONE)] |= np.uint16(1 << bit)
    if not crowd.all():
        _take_unwanted(truth, close, reach, order, found, ignored)
    ignored &= ~found


def _take_unwanted(truth: Instances, close: Overlaps, reach: Any, order: Any, found: Bits, ignored: Bits) -> None:
    """Objects that need not be found can be taken once each; who lies better in a crowd takes none."""
    rows, columns, overlap = close
    better = ~truth.crowd[rows] & (overlap >= reach[columns])
    for bit, threshold in enumerate(THRESHOLDS):
        free = better & (found[columns] & (1 << bit) == 0) & (overlap >= min(threshold, NEARLY_ONE))
        hits = np.zeros(len(found), dtype=np.uint16)
        _match(truth, (rows[free], columns[free], overlap[free]), order, hits)
        ignored |= hits & np.uint16(1 << bit)


def ranked_classes(truth: Instances, pred: Instances, matches: CocoMatches, classes: int) -> list[RankedClass]:
    """The detections that take part, class by class and best first, and the images of the objects."""
    rows = rows_by_class(pred, matches, classes)
    wanted = np.flatnonzero(matches.wanted)
    objects = by_class(wanted, truth.category, classes)
    return [
        RankedClass(pred.image[mine], matches.found[mine], matches.ignored[mine], truth.image[theirs])
        for mine, theirs in zip(rows, objects, strict=True)
    ]


def rows_by_class(pred: Instances, matches: CocoMatches, classes: int) -> list[Any]:
    """The detections that take part, class by class and best first."""
    return by_class(matches.order[matches.kept[matches.order]], pred.category, classes)


def by_class(rows: Any, category: Any, classes: int) -> list[Any]:
    """Some rows split by class, in their order."""
    kind = np.uint16 if classes < 2**16 else np.int32  # small numbers are sorted by their digits
    ordered = rows[np.argsort(category[rows].astype(kind), kind="stable")]
    return np.split(ordered, np.searchsorted(category[ordered], np.arange(1, classes)))
