"""What scores are worth, for the artifact: calibration, in all and by class, and operating points.

A class also has its localisation recall precision (LRP), and the score that makes it best (Oksuz et al., ECCV 2018).
With detections of a score of s or more, matched by score within the class at IoU 0.50,

    LRP(s) = (sum over right ones of (1 - IoU) / (1 - 0.50) + wrong ones + objects not found)
             / (right ones + wrong ones + objects not found)

It is 0 for boxes that all fit exactly, and 1 where nothing is found. Other than F1 it also asks how well right boxes
fit. The optimal LRP is the smallest over all scores that one could cut at, of equally good ones the highest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.core.best_scores import ScoredClass, class_scores_tree
from calipers.core.calibration import ScoredHits, calibration_tree, operating_points
from calipers.suites.coco.curves import scored_class
from calipers.suites.coco.engine import THRESHOLDS
from calipers.suites.coco.matches import CocoMatches, fits_of, ranked_classes, rows_by_class
from calipers.suites.coco.replicates import RankedClass

if TYPE_CHECKING:
    from calipers.suites.coco.measure import MeasuredImages

WORST_FIT = 1 - float(THRESHOLDS[0])


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
        score, lrp = optimal_lrp(one, pred.score[mine], fits_of(matches, mine))
        entries[name] |= {"optimal_lrp": lrp, "lrp_optimal_score": score}
    return entries


def optimal_lrp(ranked: RankedClass, scores: Any, overlap: Any) -> tuple[float | None, float | None]:
    """The score from which on a class has the smallest LRP, and that; `scores` and `overlap` are of its detections.

    There is no score where LRP is 1 at best, as it is without detections. Both are undefined without objects.

    >>> hits, nobody = np.array([1, 0, 1], np.uint16), np.zeros(3, np.uint16)
    >>> ranked = RankedClass(np.zeros(3, np.int32), hits, nobody, np.zeros(2, np.int32))
    >>> optimal_lrp(ranked, np.array([0.9, 0.7, 0.5]), np.array([0.8, 0.0, 0.6]))  # (0.4 + 0 + 1) / (1 + 0 + 1)
    (0.9, 0.7)
    """
    objects = len(ranked.objects)
    if not objects:
        return None, None
    counted = ranked.ignored & 1 == 0
    sure, hit, fit = scores[counted], (ranked.hits & 1)[counted] > 0, np.minimum(overlap[counted], 1.0)
    ends = np.flatnonzero(np.append(sure[1:] != sure[:-1], True)[: len(sure)])  # one cannot cut between equal scores
    right = np.cumsum(hit)[ends]
    misfit = np.cumsum(np.where(hit, (1 - fit) / WORST_FIT, 0.0))[ends]
    wrong, not_found = ends + 1 - right, objects - right
    lrp = (misfit + wrong + not_found) / (objects + wrong)
    if not len(ends) or lrp.min() >= 1:
        return None, 1.0
    best = int(np.argmin(lrp))
    return float(sure[ends[best]]), float(lrp[best])
