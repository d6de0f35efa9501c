"""Average precision of boxes in scenes, as pycocotools accumulates it: by class, at several ways of being close.

Predictions of a class come by score (ties by scene, then index), each to the closest object of its class still free. A
box that could not be read matches nothing and keeps its place by score. Without scores for all predictions with a
class, or with all scores equal, there is no order and no AP.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum
from typing import Any

import numpy as np

from calipers.matching import Labels, Pairs, by_confidence
from calipers.metrics.detections import ByClass, Ranked, average_precision, has_order, tied_share
from calipers.metrics.scene_counts import Side


def ap_tree(
    truth: Side, pred: Side, scores: Any, rulers: Mapping[str, tuple[Pairs, int]], names: list[str]
) -> dict[str, Any] | None:
    """For each ruler (its pairs, the least closeness) the mean over classes; then each class, and the share of ties."""
    sure = np.asarray(scores, dtype=np.float64)
    unmatched = _ranked(truth, pred, sure, np.zeros(len(sure), dtype=bool), names)
    if not any(each.scores for each in unmatched.values()) or not has_order(unmatched):
        return None
    labels = Labels(truth.classes, np.where(pred.counted, pred.classes, -1).astype(np.int32))
    by_class: dict[str, dict[str, float | None]] = {}
    for ruler, (pairs, least) in rulers.items():
        matching = by_confidence(
            pairs,
            truth.scene,
            np.nan_to_num(sure),
            least=least,
            labels=labels,
            last_of_equals=True,  # as pycocotools
        )
        found = np.zeros(len(sure), dtype=bool)
        found[np.asarray(matching.pred)] = True
        ranked = _ranked(truth, pred, sure, found, names)
        by_class[ruler] = {name: average_precision(each) for name, each in ranked.items()}
    means: dict[str, Any] = {ruler: _mean(classes) for ruler, classes in by_class.items()}
    return means | {"by_class": by_class, "tied_score_share": tied_share(unmatched)}


def _ranked(truth: Side, pred: Side, scores: Any, found: Any, names: list[str]) -> ByClass:
    """The predictions of each class, scene by scene; a score that is not there is None."""
    classes: ByClass = {}
    for code, name in enumerate(names):
        some = pred.counted & (pred.classes == code)
        ranked = classes[name] = Ranked()
        ranked.scores = [None if score != score else score for score in scores[some].tolist()]
        ranked.found = found[some].tolist()
        ranked.objects = int((truth.classes == code).sum())
    return classes


def _mean(values: Mapping[str, float | None]) -> float | None:
    known = [value for value in values.values() if value is not None]
    return fsum(known) / len(known) if known else None
