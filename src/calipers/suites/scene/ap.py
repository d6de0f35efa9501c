"""Average precision of boxes in scenes, by class, at several ways of being close.

Predictions of a class come by score (ties by scene, then index), each to the closest object of its class still free. A
box that could not be read matches nothing and keeps its place by score. Precision is accumulated as pycocotools does,
or as nuScenes does: interpolated between the points of the curve, without recalls up to 0.1, and only what precision
exceeds 0.1 by, as a share of 0.9. There, of equal scores the last comes first.

Without scores for all predictions with a class there is no order and no AP, and with equal ones neither if that could
matter: if a class has both right and wrong predictions. Without any prediction AP is 0. A class without objects has
none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import fsum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.matching import Labels, Pairs, confidence_order, in_order
from calipers.core.ranking import RECALL_STEPS, curve_of, tied_share
from calipers.suites.scene.counts import CountedSide

Found = NDArray[np.bool_]
FoundBy = Mapping[str, Found]  # by ruler
Closeness = NDArray[np.int64]  # of each prediction to the object it finds, 0 where it finds none
MIN_STEP, MIN_PRECISION = 10, 0.1  # what nuScenes leaves out: the recall steps up to this one, precision below


class ApRuler(NamedTuple):
    """When a prediction is close to an object, and how precision is accumulated."""

    pairs: Pairs
    min_overlap: int  # closeness
    nuscenes: bool = False


def find_objects(
    truth: CountedSide, pred: CountedSide, scores: Any, rulers: Mapping[str, ApRuler]
) -> dict[str, Closeness]:
    """For each ruler how close predictions are to their objects; of equally close ones pycocotools takes the last.

    Predictions that do not count, or have no class or no score, find none. All of this is local to a scene.
    """
    sure = np.asarray(scores, dtype=np.float64)
    named = _named(pred, sure)
    labels = Labels(truth.classes, np.where(named, pred.classes, -1).astype(np.int32))
    orders = {kind: _order(sure, named, kind) for kind in {ruler.nuscenes for ruler in rulers.values()}}
    return {name: _find(truth, ruler, orders[ruler.nuscenes], labels, len(sure)) for name, ruler in rulers.items()}


def ap_tree(
    truth: CountedSide, pred: CountedSide, scores: Any, found_by: FoundBy, nuscenes: Collection[str], names: list[str]
) -> dict[str, Any] | None:
    """For each ruler the mean over classes; then each class, and the share of ties.

    `nuscenes` names the rulers with which precision is accumulated as nuScenes does.
    """
    sure = np.asarray(scores, dtype=np.float64)
    named = _named(pred, sure)
    objects = np.bincount(truth.classes[truth.classes >= 0], None, len(names))
    if not (named.any() or objects.any()):
        return None
    kinds = {name in nuscenes for name in found_by}
    ranks = {kind: _by_class(_order(sure, named, kind), pred.classes, named, names) for kind in kinds}
    right_by_ruler = {name: [right[rows] for rows in ranks[name in nuscenes]] for name, right in found_by.items()}
    if len(np.unique(sure[named])) == 1 and any(map(_is_mixed, right_by_ruler.values())):
        return None
    by_class = {
        name: dict(zip(names, _averages(classes, objects.tolist(), name in nuscenes), strict=True))
        for name, classes in right_by_ruler.items()
    }
    means: dict[str, Any] = {ruler: _mean(classes.values()) for ruler, classes in by_class.items()}
    ranked = _by_class(np.arange(len(sure)), pred.classes, named, names)
    return means | {"by_class": by_class, "tied_score_share": tied_share(sure[rows] for rows in ranked)}


def _named(pred: CountedSide, sure: Any) -> Found:
    """(predictions,) whether each prediction is ranked."""
    return np.asarray(pred.counted & (pred.classes >= 0) & ~np.isnan(sure))


def _order(sure: Any, named: Found, nuscenes: bool) -> Any:
    """Predictions by score, ties by index, or the other way round; those that are not ranked last."""
    ranked = np.where(named, sure, -np.inf)
    if not nuscenes:
        return np.asarray(confidence_order(ranked))
    return np.lexsort((-np.arange(len(ranked)), -ranked)).astype(np.int32)


def _find(truth: CountedSide, ruler: ApRuler, order: Any, labels: Labels, preds: int) -> Closeness:
    last = not ruler.nuscenes
    matching = in_order(
        ruler.pairs, truth.scene, order, min_overlap=ruler.min_overlap, labels=labels, last_of_equals=last
    )
    closeness = np.zeros(preds, dtype=np.int64)
    closeness[np.asarray(matching.pred)] = matching.score
    return closeness


def _is_mixed(classes: list[Found]) -> bool:
    return any(ranked.any() and not ranked.all() for ranked in classes)


def _averages(classes: list[Found], objects: list[int], nuscenes: bool) -> list[float | None]:
    """The AP of each class that has objects."""
    average = clipped_average if nuscenes else _average
    return [average(ranked, count) if count else None for ranked, count in zip(classes, objects, strict=True)]


def _average(ranked: Found, objects: int) -> float:
    return fsum(curve_of(ranked, objects).tolist()) / len(RECALL_STEPS)


def clipped_average(ranked: Found, objects: int) -> float:
    """AP as nuScenes defines it, of predictions in order.

    >>> clipped_average(np.array([True, True]), 2), clipped_average(np.array([False]), 1)
    (1.0, 0.0)
    """
    hits = np.cumsum(ranked)
    if not len(hits) or not hits[-1]:
        return 0.0
    precision = np.interp(RECALL_STEPS, hits / objects, hits / np.arange(1, len(hits) + 1), right=0)
    above = np.maximum(precision[MIN_STEP + 1 :] - MIN_PRECISION, 0)
    return min(fsum(above.tolist()) / len(above) / (1 - MIN_PRECISION), 1.0)


def _by_class(order: Any, classes: Any, named: Any, names: list[str]) -> list[Any]:
    """The predictions of each class, in order."""
    with_class = order[named[order]]
    by_code = with_class[np.argsort(classes[with_class], kind="stable")]
    return np.split(by_code, np.searchsorted(classes[by_code], np.arange(1, len(names))))[: len(names)]


def _mean(values: Any) -> float | None:
    defined = [value for value in values if value is not None]
    return fsum(defined) / len(defined) if defined else None
