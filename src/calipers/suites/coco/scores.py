"""Detections with their scores, in all and by class, for what these are worth (`calipers.core.scores`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.core.best_scores import ScoredClass
from calipers.core.calibration import ScoredHits
from calipers.core.scores import ScoredDetections, scores_tree
from calipers.suites.coco.curves import scored_class
from calipers.suites.coco.matches import CocoMatches, fits_of, ranked_classes, rows_by_class
from calipers.suites.coco.replicates import RankedClass

if TYPE_CHECKING:
    from calipers.suites.coco.measure import MeasuredImages


def image_scores_tree(measured: MeasuredImages) -> dict[str, Any]:
    """Calibration and operating points of all images, or the reason why there are none."""
    config, keys = measured.config, measured.detections.images.names
    scored = None if measured.scored is None else _scored(measured, measured.scored)
    return scores_tree(scored, measured.no_probabilities, keys, seed=config.seed, replicates=config.bootstrap)


def _scored(measured: MeasuredImages, matches: CocoMatches) -> ScoredDetections:
    """Detections that are right or wrong at IoU 0.50, together and by class."""
    detections, known = measured.detections, matches is measured.matches
    pred, names = detections.pred, detections.categories.names
    ranked = measured.ranked if known else ranked_classes(detections.truth, pred, matches, len(names))
    rows = rows_by_class(pred, matches, len(names))

    def fit_of(at: int) -> Any:
        return fits_of(matches, rows[at])[ranked[at].ignored & 1 == 0]

    return ScoredDetections(
        _hits(pred.score, matches),
        int(np.count_nonzero(matches.wanted)),
        len(detections.images),
        "image",
        names,
        ScoredClasses(ranked, rows, pred.score),
        fit_of,
    )


def _hits(score: Any, matches: CocoMatches) -> ScoredHits:
    counted, right = matches.kept & (matches.ignored & 1 == 0), matches.hits & 1 > 0
    return ScoredHits(score, right) if counted.all() else ScoredHits(score[counted], right[counted])


class ScoredClasses(Sequence[ScoredClass]):
    """The detections of every class with their scores, made when they are asked for."""

    def __init__(self, ranked: Sequence[RankedClass], rows: Sequence[Any], score: Any) -> None:
        self._ranked, self._rows, self._score = ranked, rows, score

    def __len__(self) -> int:
        return len(self._ranked)

    def __getitem__(self, at: Any) -> Any:
        return scored_class(self._ranked[at], self._score[self._rows[at]])
