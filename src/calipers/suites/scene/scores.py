"""What scores of boxes in scenes are worth: calibration, in all and by class, and operating points.

Predictions of a class come by score, each to the closest object of its class still free, at an IoU of 0.50 whatever
the threshold of the run. Boxes that could not be read, ignored ones, those without a class, and those without a score
beside others that have one are left out. See `calipers.core.scores` for what is made of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.core.best_scores import ScoredClass
from calipers.core.calibration import ScoredHits
from calipers.core.matching import UNIT, confidence_order
from calipers.core.scores import ScoredDetections, scores_tree
from calipers.files.problems import shown
from calipers.suites.scene.config import Config
from calipers.suites.scene.measure import HALF, MethodFigures

UNSCORED = "no prediction with a class has a score"


def method_scores_tree(method: MethodFigures, scenes: list[str], classes: list[str], config: Config) -> dict[str, Any]:
    """Calibration and operating points of a method, or the reason why there are none."""
    scores, usable = np.asarray(method.boxes.scores), _usable(method)
    scored = usable & ~np.isnan(scores)
    reason = UNSCORED if usable.any() and not scored.any() else _why_none(method, scenes, scores, scored)
    ranked = None if reason else _ranked(method, scores, scored, len(scenes), classes, config)
    return scores_tree(ranked, reason, scenes, seed=config.seed, replicates=config.bootstrap)


def _ranked(
    method: MethodFigures, scores: Any, scored: Any, scenes: int, classes: list[str], config: Config
) -> ScoredDetections:
    """The predictions that have a score, together and for each class that is there."""
    rows, right = _matched(method, scores, scored, config)
    hits = ScoredHits(scores[rows], right)
    by_class = _by_class(method, hits, rows, len(classes))
    some = [code for code, one in enumerate(by_class) if len(one.score) or len(one.objects)]
    fit = method.fits(config)[rows] / UNIT if len(rows) else np.empty(0)
    place = _split(method.pred.classes[rows], len(classes))
    return ScoredDetections(
        hits,
        int((method.truth.classes >= 0).sum()),
        scenes,
        "scene",
        [classes[code] for code in some],
        [by_class[code] for code in some],
        lambda at: fit[place[some[at]]],
    )


def _usable(method: MethodFigures) -> Any:
    """(predictions,) those that count, have a class and could be read."""
    return method.pred.counted & (method.pred.classes >= 0) & (np.asarray(method.boxes.reason) == 0)


def _why_none(method: MethodFigures, scenes: list[str], scores: Any, scored: Any) -> str | None:
    """Why scores are no probabilities, if one is not from 0 to 1."""
    outside = np.flatnonzero(scored & ((scores < 0) | (scores > 1)))
    if not len(outside):
        return None
    first = int(outside[0])
    place = f"{shown(scenes[int(method.pred.scene[first])])}, box {int(np.asarray(method.boxes.index)[first])}"
    problem = f"{len(outside):,} of {int(scored.sum()):,} predictions have a score outside 0 to 1"
    return f"{problem} (the first is {place}, with {float(scores[first])!r})"


def _matched(method: MethodFigures, scores: Any, scored: Any, config: Config) -> tuple[Any, Any]:
    """The predictions that count, the surest first, and which of them found an object."""
    order = np.asarray(confidence_order(np.where(scored, scores, -np.inf)))
    rows = order[scored[order]]
    return rows, method.found_by(config)[HALF][rows] if len(rows) else np.zeros(0, dtype=bool)


def _by_class(method: MethodFigures, hits: ScoredHits, rows: Any, classes: int) -> list[ScoredClass]:
    """The predictions and objects of each class, with their scenes."""
    truth, pred = method.truth, method.pred
    place, objects = _split(pred.classes[rows], classes), _split(truth.classes, classes)
    return [
        ScoredClass(
            hits.score[pred_rows],
            hits.hit[pred_rows],
            pred.scene[rows[pred_rows]].astype(np.int32),
            truth.scene[truth_rows].astype(np.int32),
        )
        for pred_rows, truth_rows in zip(place, objects, strict=True)
    ]


def _split(codes: Any, classes: int) -> list[Any]:
    """The places of each class, in order; those without a class are left out."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.searchsorted(codes[order], np.arange(classes + 1)))[1:-1]
