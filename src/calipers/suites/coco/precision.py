"""What scores tell, for the artifact: the lines of COCO with their intervals, classes, curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calipers.core.best_scores import best_cut
from calipers.core.bootstrap import around, ragged_bias
from calipers.core.tally import count_codes
from calipers.suites.coco.curves import (
    AT_75,
    class_precisions,
    coco_lines,
    curve_means,
    curves,
    line_names,
    mean_of,
    precision_at_recall,
    scored_class,
)
from calipers.suites.coco.engine import THRESHOLDS
from calipers.suites.coco.matches import rows_by_class
from calipers.suites.coco.replicates import excess, replicate_values

if TYPE_CHECKING:
    from calipers.suites.coco.config import Config
    from calipers.suites.coco.measure import MeasuredImages


class Replicated(NamedTuple):
    """The headline numbers in every replicate, NaN where undefined, and how much too high each number is."""

    values: dict[str, Any]
    bias: dict[str, float]


def precision_tree(measured: MeasuredImages, replicates: Replicated) -> dict[str, Any]:
    """The lines of COCO, their intervals, and the reason when there are none."""
    curves, config = measured.accumulated, measured.config
    lines: dict[str, float | None] = dict.fromkeys(line_names(config.iou_type, config.limits))
    high: dict[str, float | None] = {"precision_at_recall": None, "precision_at_target": None}
    if curves is not None:
        lines = coco_lines(curves, config.iou_type, config.limits)
        high["precision_at_recall"] = precision_at_recall(curves, config.recall_target)
        high["precision_at_target"] = mean_of(measured.at_target)
    return {
        "coco": lines,
        "intervals": intervals(measured, lines | high, replicates),
        "map_50": lines["AP_50"],
        **high,
        "tie_mass": measured.tie_mass,
        "ap_undefined_reason": measured.no_ap,
    }


def replicated(measured: MeasuredImages) -> Replicated:
    """The headline numbers in every replicate: of objects of all sizes, with the last of max_dets."""
    config, names, curves = measured.config, measured.detections.images.names, measured.accumulated
    if curves is None or not config.bootstrap:
        return Replicated({}, {})
    held = np.array([len(ranked.objects) > 0 for ranked in measured.ranked], dtype=bool)
    values = replicate_values(
        names,
        measured.ranked_columns.of_classes(held),
        thresholds=len(THRESHOLDS),
        recall_target=config.recall_target,
        seed=config.seed,
        replicates=config.bootstrap,
    )
    columns = (
        values.mean_average.mean(axis=0),
        values.mean_average[0],
        values.mean_average[AT_75],
        values.mean_recall.mean(axis=0),
        values.mean_beyond,
        values.mean_at_target,
    )
    named = dict(zip(_headlines(config), columns, strict=True))
    whole = curve_means(curves, config.recall_target, len(measured.ranked))
    whole["precision_at_target"] = np.array([value or 0.0 for value in measured.at_target])
    bias = {name: ragged_bias(excess(named[name], means[held], values.present)) for name, means in whole.items()}
    return Replicated(named, {name: bias.get(name, 0.0) for name in named})  # recall takes no best of a curve


def _headlines(config: Config) -> tuple[str, ...]:
    """The numbers that have intervals."""
    recall = "AR" if config.iou_type == "keypoints" else f"AR_{config.limits[-1]}"
    return "AP", "AP_50", "AP_75", recall, "precision_at_recall", "precision_at_target"


def intervals(
    measured: MeasuredImages, numbers: dict[str, float | None], replicates: Replicated
) -> dict[str, list[float] | None]:
    """The 95 % intervals of the headline numbers."""
    named: dict[str, list[float] | None] = dict.fromkeys(_headlines(measured.config))
    return named | {
        name: around(numbers[name], values, records=measured.busy_images, bias=replicates.bias[name])
        for name, values in replicates.values.items()
    }


def class_rows(measured: MeasuredImages) -> list[dict[str, Any]]:
    """Every class of the data set, in the order of ids."""
    detections, classes = measured.detections, len(measured.detections.categories)
    figures = _class_figures(measured)
    gt, pred = (count_codes(side.category, classes) for side in (measured.matched.truth, detections.pred))
    best = _best_cuts(measured)
    return [
        {
            "category_id": int(detections.categories.ids[k]),
            "name": detections.categories.names[k],
            "gt": int(gt[k]),
            "pred": int(pred[k]),
            **{name: values[k] for name, values in figures.items()},
            "best_score": best[k][0],
            "best_f1": best[k][1],
        }
        for k in range(classes)
    ]


def _class_figures(measured: MeasuredImages) -> dict[str, list[float | None]]:
    """The figures of every class that depend on scores, undefined for those without ground truth."""
    classes, target = len(measured.detections.categories), measured.config.recall_target
    names = ("AP", "AP_50", "AR", "precision_at_recall", "precision_at_target")
    figures: dict[str, list[float | None]] = {name: [None] * classes for name in names}
    if measured.accumulated is not None:
        for name, values in class_precisions(measured.accumulated, target).items():
            for k, value in zip(measured.accumulated.held.tolist(), values, strict=True):
                figures[name][k] = value
        figures["precision_at_target"] = list(measured.at_target)
    return figures


def _best_cuts(measured: MeasuredImages) -> list[tuple[float | None, float | None]]:
    """For each class the score to cut at, and its F1."""
    detections, matches = measured.detections, measured.matches
    if matches is None:
        return [(None, None)] * len(detections.categories)
    rows = rows_by_class(detections.pred, matches, len(detections.categories))
    return [
        best_cut(scored_class(ranked, detections.pred.score[mine]))
        for ranked, mine in zip(measured.ranked, rows, strict=True)
    ]


def curves_tree(measured: MeasuredImages) -> dict[str, dict[str, list[float]]]:
    """The precision-recall curve of every class with ground truth, at IoU 0.50."""
    if measured.accumulated is None:
        return {}
    names, held = measured.detections.categories.names, measured.accumulated.held.tolist()
    named = zip((names[k] for k in held), curves(measured.accumulated), strict=True)
    return {name: ranked for name, ranked in named if ranked is not None}
