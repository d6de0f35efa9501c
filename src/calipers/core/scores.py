"""What scores are worth, for the artifact: calibration, in all and by class, and operating points.

Detections were matched by score within their class at an IoU of 0.50. A class also has its localisation recall
precision and the scores that serve it best. See `calipers.core.calibration`, `calipers.core.best_scores` and
`calipers.core.lrp`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from calipers.core.best_scores import FitOf, ScoredClass, class_scores_tree
from calipers.core.calibration import ScoredHits, calibration_tree, operating_points


class ScoredDetections(NamedTuple):
    """The detections of a result that count, together and class by class."""

    hits: ScoredHits
    objects: int  # that could be found
    amount: float | None  # of images, or of another unit, that false positives are counted for
    unit: str
    names: Sequence[str]  # of classes
    classes: Sequence[ScoredClass]
    fit_of: FitOf


def scores_tree(
    scored: ScoredDetections | None, reason: str | None, keys: Sequence[str], *, seed: int, replicates: int
) -> dict[str, Any]:
    """Calibration and operating points, or the reason why there are none; `keys` are those of the records."""
    calibration: dict[str, Any] | None = None
    points: list[dict[str, float | None]] | None = None
    if scored is not None:
        hits, names, classes, fit_of = scored.hits, scored.names, scored.classes, scored.fit_of
        calibration = calibration_tree(hits)
        points = operating_points(hits, scored.objects, scored.amount, scored.unit)
        calibration["per_class"] = class_scores_tree(keys, names, classes, fit_of, seed=seed, replicates=replicates)
    return {
        "calibration": calibration,
        "calibration_undefined_reason": reason,
        "operating_points": points,
        "operating_points_undefined_reason": reason,
    }
