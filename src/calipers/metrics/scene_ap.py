"""Average precision of boxes in scenes, as pycocotools accumulates it: by class, at several ways of being close.

Predictions of a class come by score (ties by scene, then index), each to the closest object of its class still free. A
box that could not be read matches nothing and keeps its place by score. Without scores for all predictions with a
class, or with all scores equal, there is no order and no AP. A class without objects has none either.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum
from typing import Any

import numpy as np

from calipers.matching import Labels, Pairs, confidence_order, in_order
from calipers.metrics.detections import curve_of, tied_share
from calipers.metrics.scene_counts import Side


def ap_tree(
    truth: Side, pred: Side, scores: Any, rulers: Mapping[str, tuple[Pairs, int]], names: list[str]
) -> dict[str, Any] | None:
    """For each ruler (its pairs, the least closeness) the mean over classes; then each class, and the share of ties."""
    sure = np.asarray(scores, dtype=np.float64)
    named = pred.counted & (pred.classes >= 0)
    given = sure[named]
    if not len(given) or np.isnan(given).any() or (len(given) > 1 and (given == given[0]).all()):
        return None
    order = confidence_order(np.where(named, sure, -np.inf))
    labels = Labels(truth.classes, np.where(pred.counted, pred.classes, -1).astype(np.int32))
    ranked = _by_class(np.asarray(order), pred.classes, named, names)
    objects = np.bincount(truth.classes[truth.classes >= 0], None, len(names))
    by_class: dict[str, dict[str, float | None]] = {}
    for ruler, (pairs, least) in rulers.items():
        # Of equally close objects the last, as in pycocotools
        matching = in_order(pairs, truth.scene, order, least=least, labels=labels, last_of_equals=True)
        found = np.zeros(len(sure), dtype=bool)
        found[np.asarray(matching.pred)] = True
        by_class[ruler] = {
            name: _mean(curve_of(found[ranked[code]], int(objects[code])).tolist()) if objects[code] else None
            for code, name in enumerate(names)
        }
    means: dict[str, Any] = {ruler: _mean(classes.values()) for ruler, classes in by_class.items()}
    return means | {"by_class": by_class, "tied_score_share": tied_share(sure[some] for some in ranked)}


def _by_class(order: Any, classes: Any, named: Any, names: list[str]) -> list[Any]:
    """The predictions of each class, in order."""
    kept = order[named[order]]
    by_code = kept[np.argsort(classes[kept], kind="stable")]
    return np.split(by_code, np.searchsorted(classes[by_code], np.arange(1, len(names))))


def _mean(values: Any) -> float | None:
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None
