"""Detections matched as COCO matches them: by score, class by class, crowd regions ignored, in every range of area.

In an image, the detections of a class come by score (ties as they were given); the best `max_dets` of them take part.
Each takes the closest object still free that is close enough, of equally close ones the last. One that finds none may
lie in a crowd region, or on an object that does not have to be found, such as one too small for the range; it is
then left out: neither right nor wrong. So is one of another size that finds nothing. All of this is pycocotools'
`evaluateImg`, and gives its numbers; it is local to an image.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.files.ranges import groups_of_size
from calipers.kernels.count.detections import match_in_areas
from calipers.kernels.count.detections import rows_by_class as class_order
from calipers.suites.coco.columns import FewRows, Instances
from calipers.suites.coco.engine import AREA_RANGES, AREAS, THRESHOLDS, RankedRows, usable
from calipers.suites.coco.replicates import RankedClass, RankedColumns

Bits = NDArray[np.uint16]
Overlaps = tuple[Any, Any, Any]  # (pairs,) truth row, pred row, overlap
NEARLY_ONE = 1 - 1e-10  # no threshold asks for more
SORTED_AT_ONCE = 1 << 20  # scores, of more than which some are sorted at a time
SAMPLED = 64  # scores for each such part, from which it is told where to cut
RANKED_AT_ONCE = 1 << 19  # detections, of more than which curves are made of some classes at a time
MAX_CLASSES_AT_ONCE = 32  # whose curves are made at once: a megabyte


class CocoMatches(NamedTuple):
    """For each detection what became of it at every threshold: bit t is threshold t."""

    hits: Bits  # (preds,) an object
    ignored: Bits  # (preds,) neither right nor wrong
    kept: NDArray[np.bool_]  # (preds,) usable, and not cut by max_dets
    order: NDArray[np.int32]  # (preds,) rows by score
    wanted: NDArray[np.bool_]  # (truths,) objects that have to be found
    partner: NDArray[np.int32]  # (preds,) the object that each takes at IoU 0.50, -1 without
    overlap: NDArray[np.float64] | FewRows  # (preds,) how close it is, 0 without; or of those that take one
    area_hits: Bits  # (preds, areas) as hits, in each range of area; the first is every size
    area_ignored: Bits  # (preds, areas)
    area_wanted: NDArray[np.bool_]  # (truths, areas)

    def without_areas(self) -> CocoMatches:
        """What became of detections without regard to their size, in columns that hold nothing else."""
        hits, ignored, wanted = self.hits.copy(), self.ignored.copy(), self.wanted.copy()
        one_area = self._replace(area_hits=hits[:, None], area_ignored=ignored[:, None], area_wanted=wanted[:, None])
        return one_area._replace(hits=hits, ignored=ignored, wanted=wanted)


def match_by_score(
    truth: Instances, pred: Instances, close: Overlaps, *, max_dets: int, iou_type: str = "bbox"
) -> CocoMatches:
    """Match all classes at all thresholds. `close` holds pairs of one class with an overlap of 0.5 or more."""
    order = surest_first(pred.score)
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


def surest_first(score: NDArray[np.float64]) -> NDArray[np.int32]:
    """Rows by score, the surest first, ties in their order, and those without a score last.

    Many are sorted in parts, each of the scores between two of them, which takes a fraction of the memory.

    >>> surest_first(np.array([0.5, np.nan, 0.9, 0.5])).tolist()
    [2, 0, 3, 1]
    """
    parts = -(-len(score) // SORTED_AT_ONCE)
    if parts < 2:
        return np.argsort(-score, kind="stable").astype(np.int32)
    sample = np.sort(-score[:: max(len(score) // (SAMPLED * parts), 1)], kind="stable")
    edges = np.unique(sample[:: max(len(sample) // parts, 1)])
    part = np.empty(len(score), np.int16)
    for some in _blocks(len(score)):
        part[some] = np.searchsorted(edges, -score[some], side="right")
    order, begin = np.empty(len(score), np.int32), 0
    for at in range(len(edges) + 1):
        rows = np.flatnonzero(part == at)
        order[begin : begin + len(rows)] = rows[np.argsort(-score[rows], kind="stable")]
        begin += len(rows)
    return order


def _blocks(rows: int) -> Iterator[slice]:
    return (slice(first, first + SORTED_AT_ONCE) for first in range(0, rows, SORTED_AT_ONCE))


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
    return ranked_columns(truth, pred, matches, classes).classes()


def ranked_columns(truth: Instances, pred: Instances, matches: CocoMatches, classes: int) -> RankedColumns:
    """The detections that take part, all classes one after another, and the images of the objects."""
    rows, ends = _taking_part(pred, matches, classes)
    objects, object_ends = in_class_order(rows_of(matches.wanted), truth.category, classes)
    return RankedColumns(
        ends, pred.image[rows], matches.hits[rows], matches.ignored[rows], object_ends, truth.image[objects]
    )


def fits_of(matches: CocoMatches, rows: Any) -> NDArray[np.float64]:
    """How close the object is that each of some detections takes at IoU 0.50, 0 without."""
    if not isinstance(matches.overlap, FewRows):
        return np.asarray(matches.overlap[rows])
    fits, right = np.zeros(len(rows)), np.flatnonzero(matches.hits[rows] & 1)
    fits[right] = matches.overlap.of(rows[right])
    return fits


def rows_by_class(pred: Instances, matches: CocoMatches, classes: int) -> list[Any]:
    """The detections that take part, class by class and best first."""
    return _split(*_taking_part(pred, matches, classes))


def _taking_part(pred: Instances, matches: CocoMatches, classes: int) -> tuple[Any, NDArray[np.int64]]:
    """The detections that take part, class by class and best first, and where each class ends."""
    return in_class_order(chosen(matches.order, matches.kept), pred.category, classes)


def by_class(rows: Any, category: Any, classes: int) -> list[Any]:
    """Some rows split by class, in their order."""
    return _split(*in_class_order(rows, category, classes))


def _split(rows: Any, ends: NDArray[np.int64]) -> list[Any]:
    return [rows[begin:end] for begin, end in pairwise([0, *ends.tolist()])]


def in_class_order(rows: Any, category: Any, classes: int) -> tuple[Any, NDArray[np.int64]]:
    """Some rows class by class, in their order within each, and where each class ends."""
    ordered, ends = class_order(np.ascontiguousarray(rows, np.int32), np.ascontiguousarray(category, np.int32), classes)
    return np.asarray(ordered), np.asarray(ends)


def rows_of(flags: NDArray[np.bool_]) -> NDArray[np.int32]:
    """The rows whose flags are set."""
    rows, filled = np.empty(int(np.count_nonzero(flags)), np.int32), 0
    for some in _blocks(len(flags)):  # numpy's own rows are of 64 bits
        places = np.flatnonzero(flags[some])
        np.add(places, some.start, out=rows[filled : filled + len(places)], casting="unsafe")
        filled += len(places)
    return rows


def chosen(rows: NDArray[np.int32], flags: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Rows whose flags are set, in their order; what was given if all flags are."""
    return rows if flags.all() else rows[flags[rows]]


def ranked_rows(
    truth: Instances, pred: Instances, matches: CocoMatches, held: NDArray[np.int64]
) -> Iterator[tuple[slice, RankedRows]]:
    """The detections of classes with ground truth as curves are made from them, of some of these at a time."""
    if not len(held):
        return
    objects = np.zeros((len(held), matches.area_wanted.shape[1]), np.int64)
    np.add.at(objects, np.searchsorted(held, truth.category), matches.area_wanted)
    classes = int(max(held[-1], pred.category.max(initial=0))) + 1
    rows, ends = _taking_part(pred, matches, classes)
    begins, ends = np.append(0, ends)[held], ends[held]
    for some in _class_groups(ends - begins):
        mine = np.concatenate([rows[begin:end] for begin, end in zip(begins[some], ends[some], strict=True)])
        hits, ignored = matches.area_hits[mine], matches.area_ignored[mine]
        ranks = ranks_on_images(pred.image[mine], pred.category[mine])
        yield some, RankedRows(np.cumsum(ends[some] - begins[some]), hits, ignored, ranks, objects[some])


def _class_groups(sizes: NDArray[np.int64]) -> Iterator[slice]:
    """Neighbours that are few enough, and have few enough detections."""
    for group, _ in groups_of_size(np.maximum(sizes, RANKED_AT_ONCE // MAX_CLASSES_AT_ONCE), RANKED_AT_ONCE):
        yield group


def ranks_on_images(image: Any, category: Any) -> NDArray[np.int32]:
    """(rows,) of rows that stand by score which of its class on its image each is, from 0."""
    order = np.lexsort((category, image))  # stable: the surest of each group first
    first = np.flatnonzero(np.diff(image[order], prepend=-1) | np.diff(category[order], prepend=-1))
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order)) - np.repeat(first, np.diff(first, append=len(order)))
    return ranks
