"""The detection suite: everything that was found out about a data set, to the artifact."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import numpy as np

from calipers.core import sweep, worth
from calipers.core.bootstrap import resample
from calipers.core.causes import (
    MATCHED,
    WRONG_LABEL,
    counts_tree,
    errors_tree,
    label_errors_tree,
)
from calipers.core.freed_memory import return_memory_of_many
from calipers.core.matched_objects import LabelMode, MatchedObjects, count_matched
from calipers.core.tally import Tally, count_codes
from calipers.core.versions import artifact_head
from calipers.suites.coco.ap_worth import ap_worth_tree
from calipers.suites.coco.columns import Detections, Instances
from calipers.suites.coco.config import PROTOCOL, Config, params
from calipers.suites.coco.measure import (
    MeasuredImages,
)
from calipers.suites.coco.precision import Replicated, class_rows, curves_tree, precision_tree, replicated
from calipers.suites.coco.scores import image_scores_tree
from calipers.suites.coco.sides import MatchedSides

MODE = "category"  # the sweep is that mode of the dense suite


def summarize(measured: MeasuredImages) -> dict[str, Any]:
    """The artifact, but for its inputs."""
    detections, config = measured.detections, measured.config
    tally, replicates = _count(measured), replicated(measured)
    return_memory_of_many(len(detections.pred))
    ap_worth, no_ap_worth = ap_worth_tree(measured)
    measured.let_go_of_causes()
    return {
        **artifact_head("coco", PROTOCOL, measured.engines, params(config)),
        "images": _images_tree(detections),
        **({} if detections.answers is None else {"answers": detections.answers}),
        "objects": _objects_tree(measured),
        **precision_tree(measured, replicates),
        "per_class": class_rows(measured),
        "curves": curves_tree(measured),
        **image_scores_tree(measured),
        "confusion": _confusion(measured),
        "errors": errors_tree(tally.counts["errors"]) | {"in_crowd": int(np.count_nonzero(measured.matched.ignored))},
        "errors_by_label": label_errors_tree(tally.tables.get("errors", {}), tally.counts["errors.unlabelled"]),
        "worth": worth.worth_tree(tally) | {"ap_50": ap_worth},
        "worth_ap_50_undefined_reason": no_ap_worth,
        "sweep": sweep.mode_tree(MODE, tally, config.levels, labelled=True),
        "counts": counts_tree(tally),
        "invalid_reasons": _reasons(detections.pred),
        "absent_classes": _absent_classes(detections, measured.matched),
        "warnings": list(detections.warnings),
        "bootstrap": _bootstrap_tree(tally, replicates, config),
    }


def _count(measured: MeasuredImages) -> Tally:
    """The sweep, as the dense suite counts it."""
    sides, config, images = measured.matched, measured.config, _images_tree(measured.detections)
    names, labels = measured.detections.categories.names, sides.labels
    causes, cause_rows = measured.causes, measured.cause_table()
    tally = Tally()
    tally.count("records", list(images.values())[:4])
    tally.count("per_record", [0, 0, 0, -images["skipped_empty"]])  # nothing on both sides is not counted right
    modes = {MODE: LabelMode(sweep.Swept(sides.matching, sides, config.levels), labels, names)}
    objects = MatchedObjects(sides, modes, causes, labels, names, cause_rows)
    count_matched(objects, tally, partial(resample, sides.keys, seed=config.seed, replicates=config.bootstrap))
    return tally


def _images_tree(detections: Detections) -> dict[str, int]:
    busy = np.diff(detections.truth.offsets) + np.diff(detections.pred.offsets) > 0
    total, evaluated = detections.total, int(np.count_nonzero(busy))
    empty = len(busy) - evaluated
    silent = (np.diff(detections.truth.offsets) > 0) & (np.diff(detections.pred.offsets) == 0)
    return {
        "total": total,
        "evaluated": evaluated,
        "skipped_empty": empty,
        "rejected": total - len(busy),
        "without_pred": int(np.count_nonzero(silent)),
    }


def _objects_tree(measured: MeasuredImages) -> dict[str, int]:
    truth, pred, matches = measured.detections.truth, measured.detections.pred, measured.matches
    cut = 0 if matches is None else len(pred) - len(pred.problems) - int(np.count_nonzero(matches.kept))
    return {
        "gt": len(truth),
        "crowd": int(np.count_nonzero(truth.crowd)),
        "pred": len(pred),
        "invalid_pred": len(pred.problems),
        "cut_by_max_dets": cut,
        "absent_class_pred": sum(row["pred"] for row in _absent_classes(measured.detections, measured.matched)),
        "in_crowd": int(np.count_nonzero(measured.matched.ignored)),
        "unlabelled": len(truth) - int(np.count_nonzero(truth.crowd)) - len(measured.matched.truth),
    }


def _absent_classes(detections: Detections, sides: MatchedSides) -> list[dict[str, Any]]:
    """Classes that are predicted and have nothing to be found."""
    classes = len(detections.categories)
    gt, pred = (count_codes(side.category, classes) for side in (sides.truth, detections.pred))
    return [
        {"category_id": int(detections.categories.ids[k]), "name": detections.categories.names[k], "pred": int(pred[k])}
        for k in np.flatnonzero((gt == 0) & (pred > 0)).tolist()
    ]


def _confusion(measured: MeasuredImages) -> dict[str, Any]:
    """Which classes are taken for which: pairs by their two classes, and all other objects of each class on both sides.

    A pair is a match, or an error of two objects whose place is right (`wrong_label` of `calipers.core.causes`).
    """
    causes, labels, names = measured.causes, measured.matched.labels, measured.detections.categories.names
    truth_codes, pred_codes = np.asarray(labels.truth), np.asarray(labels.pred)
    truth, pred = causes.pairs_of(MATCHED, WRONG_LABEL)
    met = truth_codes[truth].astype(np.int64) * len(names) + pred_codes[pred]  # a table of all pairs can be vast
    return {
        "matched": _by_names(met, names),
        "missed": _by_name(truth_codes[_left(causes.truth)], names),
        "background": _by_name(pred_codes[_left(causes.pred)], names),
    }


def _left(outcomes: Any) -> Any:
    return (outcomes != MATCHED) & (outcomes != WRONG_LABEL)


def _by_names(codes: Any, names: list[str]) -> dict[str, dict[str, int]]:
    """How often each pair of classes met, in the order of classes."""
    counts: dict[str, dict[str, int]] = {}
    for code, count in zip(*(values.tolist() for values in np.unique(codes, return_counts=True)), strict=True):
        truth, pred = divmod(code, len(names))
        counts.setdefault(names[truth], {})[names[pred]] = count
    return counts


def _by_name(codes: Any, names: list[str]) -> dict[str, int]:
    counts = count_codes(codes, len(names))
    return {names[code]: int(counts[code]) for code in np.flatnonzero(counts).tolist()}


def _reasons(pred: Instances) -> dict[str, int]:
    counts = Counter(pred.problems.values())
    return {words: counts[words] for words in sorted(counts)}


def _bootstrap_tree(tally: Tally, replicates: Replicated, config: Config) -> dict[str, Any]:
    """Values and sums of every replicate, so that two results over the same images can be compared in pairs."""
    columns = np.concatenate([tally.counts["resampled"], tally.counts[f"resampled.{MODE}"]], axis=1)
    names = ("gt", "pred", "matched", "matched_over_sweep")
    return {
        "replicates": config.bootstrap,
        "seed": config.seed,
        "values": {name: [_defined(value) for value in values.tolist()] for name, values in replicates.values.items()},
        "bias": replicates.bias,
        "sums": dict(zip(names, columns.T.tolist(), strict=True)),
    }


def _defined(value: float) -> float | None:
    return None if value != value else value  # NaN
