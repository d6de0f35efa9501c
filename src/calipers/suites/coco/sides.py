"""What of a detection data set is counted without scores, as the core of the dense suite counts it.

On the side of truth that is every object that has to be found (no crowd, and for keypoints one with a labelled point);
on the other every detection (of at least `min_score`, if one is given), but for those that match nothing and lie, by
half or more, in a crowd region of their class or on an object that need not be found, or are of a class that is not
annotated exhaustively on their image: they are neither right nor wrong. Overlaps are whole numbers of 1e-12, so that
thresholds are met exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from calipers.core.matching import UNIT, Labels, Pairs, greedy
from calipers.core.sweep import above
from calipers.kernels.count.assign import first_pairs
from calipers.suites.coco.columns import Detections, first_rows
from calipers.suites.coco.config import Config
from calipers.suites.coco.matches import objects_to_find

KIND = {"bbox": 0, "segm": 1, "keypoints": 0}  # of the dense suite's types


class SideRows:
    """Some rows of one side, image by image."""

    __slots__ = ("category", "kind", "offsets", "rows")

    def __init__(self, rows: Any, image: Any, category: Any, images: int, kind: int) -> None:
        all_of_them = len(rows) == len(image)
        self.rows = rows  # (objects,) of the Instances
        self.category = category if all_of_them else category[rows]
        self.kind = np.full(len(rows), kind, dtype=np.uint8)
        self.offsets = first_rows(image if all_of_them else image[rows], images)

    def __len__(self) -> int:
        return len(self.rows)


class MatchedSides:
    """Both sides, the pairs between them, and their class-aware matching."""

    __slots__ = ("ignored", "keys", "labels", "matching", "pairs", "pred", "truth")

    def __init__(self, detections: Detections, overlaps: tuple[Any, Any, Any], config: Config) -> None:
        self.keys: Sequence[str] = detections.images.names
        wanted = objects_to_find(detections.truth)
        self.truth = self._side(detections.truth, wanted, config)
        sure = ~(detections.pred.score < (-np.inf if config.min_score is None else config.min_score))
        everyone = self._side(detections.pred, sure, config)
        pairs, matching = self._match(overlaps, everyone, len(detections.pred), wanted, config)
        self.ignored = _ignored(detections, overlaps, wanted, everyone.rows[np.asarray(matching.pred)], sure)
        self.pred, self.pairs, self.matching = everyone, pairs, matching
        if self.ignored.any():
            self.pred = self._side(detections.pred, sure & ~self.ignored, config)
            gone = self.ignored[everyone.rows]
            self.pairs, self.matching = _without(pairs, gone), _without(matching, gone)
        self.labels = Labels(self.truth.category, self.pred.category)

    def _side(self, instances: Any, keep: Any, config: Config) -> SideRows:
        kind = KIND[config.iou_type]
        return SideRows(np.flatnonzero(keep), instances.image, instances.category, len(self.keys), kind)

    def _match(
        self, overlaps: tuple[Any, Any, Any], pred: SideRows, preds: int, wanted: Any, config: Config
    ) -> tuple[Pairs, Pairs]:
        rows, columns, overlap = overlaps
        place = np.full(preds, -1, dtype=np.int32)
        place[pred.rows] = np.arange(len(pred), dtype=np.int32)
        keep = wanted[rows] & (place[columns] >= 0)
        truth = (np.cumsum(wanted, dtype=np.int32) - np.int32(1))[rows[keep]]
        pairs = Pairs.sorted(self.truth, (truth, place[columns[keep]], _rounded(overlap[keep])))
        labels = Labels(self.truth.category, pred.category)
        return pairs, greedy(pairs, self.truth, pred, min_overlap=config.levels.min_overlap, labels=labels)

    def __len__(self) -> int:
        return len(self.keys)

    def at_primary(self, config: Config) -> Pairs:
        """The matching at the primary threshold."""
        return above(self.matching, config.levels.primary_unit)

    def best_of(self, side: int) -> Any:
        """For each object of a side (0 truth, 1 pred) the position of its closest pair, -1 without one."""
        index, objects = (self.pairs.pred, self.pred) if side else (self.pairs.truth, self.truth)
        return np.asarray(first_pairs(index, len(objects)))


def _ignored(detections: Detections, overlaps: tuple[Any, Any, Any], wanted: Any, partnered: Any, sure: Any) -> Any:
    """Detections that are neither right nor wrong."""
    rows, columns, overlap = overlaps
    same = detections.truth.category[rows] == detections.pred.category[columns]
    half = ~wanted[rows] & same & (_rounded(overlap) * 2 >= UNIT)
    ignored = detections.pred.crowd.copy()
    ignored[columns[half]] = True
    ignored[partnered] = False
    return ignored & sure


def _rounded(overlap: Any) -> Any:
    """In units of 1e-12. So far out that floats hold no whole pixels, shared areas come out too large."""
    return np.floor(np.minimum(overlap, 1.0) * UNIT + 0.5).astype(np.int64)


def _without(pairs: Pairs, gone: Any) -> Pairs:
    """Pairs of the predictions that stay, which move together."""
    truth, pred, score = (np.asarray(column) for column in (pairs.truth, pairs.pred, pairs.score))
    keep, place = ~gone[pred], (np.cumsum(~gone, dtype=np.int32) - np.int32(1))
    return Pairs(truth[keep], place[pred[keep]], score[keep])
