"""What scores are worth, for the artifact: calibration, in all and by class, and operating points.

A class also has its localisation recall precision and the score that makes it best, see `calipers.core.lrp`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.core.best_scores import ScoredClass, class_scores_tree
from calipers.core.calibration import ScoredHits, calibration_tree, operating_points
from calipers.core.lrp import lrp_entry
from calipers.suites.coco.curves import scored_class
from calipers.suites.coco.matches import CocoMatches, fits_of, ranked_classes, rows_by_class
from calipers.suites.coco.replicates import RankedClass

if TYPE_CHECKING:
    from calipers.suites.coco.measure import MeasuredImages


def scores_tree(measured: MeasuredImages) -> dict[str, Any]:
    """Calibration and operating points, or the reason why there are none."""
    matches, reason = measured.scored, measured.no_probabilities
    calibration: dict[str, Any] | None = None
    points: list[dict[str, float | None]] | None = None
    if matches is not None:
        calibration, points = _of_all_classes(measured, matches)
        calibration["per_class"] = _class_entries(measured, matches)
    return {
        "calibration": calibration,
        "calibration_undefined_reason": reason,
        "operating_points": points,
        "operating_points_undefined_reason": reason,
    }


def _of_all_classes(
    measured: MeasuredImages, matches: CocoMatches
) -> tuple[dict[str, Any], list[dict[str, float | None]]]:
    """Calibration and operating points of all detections together."""
    counted = matches.kept & (matches.ignored & 1 == 0)  # right or wrong at IoU 0.50
    score, right = measured.detections.pred.score, matches.hits & 1 > 0
    hits = ScoredHits(score, right) if counted.all() else ScoredHits(score[counted], right[counted])
    objects, images = int(np.count_nonzero(matches.wanted)), len(measured.detections.images)
    return calibration_tree(hits), operating_points(hits, objects, images)


class ScoredClasses(Sequence[ScoredClass]):
    """The detections of every class with their scores, made when they are asked for."""

    def __init__(self, ranked: Sequence[RankedClass], rows: Sequence[Any], score: Any) -> None:
        self._ranked, self._rows, self._score = ranked, rows, score

    def __len__(self) -> int:
        return len(self._ranked)

    def __getitem__(self, at: Any) -> Any:
        return scored_class(self._ranked[at], self._score[self._rows[at]])


def _class_entries(measured: MeasuredImages, matches: CocoMatches) -> dict[str, Any]:
    """Of every class its error, and the scores that serve it best, that of F1 with an interval."""
    detections, config = measured.detections, measured.config
    pred, names = detections.pred, detections.categories.names
    known = matches is measured.matches
    ranked = measured.ranked if known else ranked_classes(detections.truth, pred, matches, len(names))
    rows = rows_by_class(pred, matches, len(names))
    scored = ScoredClasses(ranked, rows, pred.score)
    entries = class_scores_tree(detections.images.names, names, scored, seed=config.seed, replicates=config.bootstrap)
    for name, one, mine in zip(names, ranked, rows, strict=True):
        entries[name] |= class_lrp(one, pred.score[mine], fits_of(matches, mine))
    return entries


def class_lrp(ranked: RankedClass, scores: Any, overlap: Any) -> dict[str, float | None]:
    """LRP of a class; `scores` and `overlap` are of its detections, of which those in crowd regions do not count."""
    counted = ranked.ignored & 1 == 0
    hit = (ranked.hits & 1)[counted] > 0
    return lrp_entry(scores[counted], hit, overlap[counted], len(ranked.objects))
