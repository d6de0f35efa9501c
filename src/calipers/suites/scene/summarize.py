"""The scene suite: partners and counts to the artifact, method by method."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from calipers.core.bootstrap import middle, short
from calipers.core.causes import errors_tree, label_errors_tree
from calipers.core.text import whole_text
from calipers.core.versions import artifact_head
from calipers.suites.scene.ap import ap_tree
from calipers.suites.scene.config import PROTOCOL, Config, params
from calipers.suites.scene.counts import (
    FALSE_POSITIVE_CAUSES,
    class_table,
    range_table,
    scene_table,
)
from calipers.suites.scene.labels.resolve import label_tree
from calipers.suites.scene.measure import GROUND_PLANE, MeasuredMethods, MethodFigures, ap_distances
from calipers.suites.scene.options import file_digest
from calipers.suites.scene.rates import DETECTION, GEOMETRY, MACRO, OPEN_SET, Floats
from calipers.suites.scene.read import SceneReading
from calipers.suites.scene.rows import object_rows
from calipers.suites.scene.scores import method_scores_tree

KEPT = (  # rates whose replicates go into the artifact
    *(*DETECTION, "mean_iou_3d", "mean_centroid_error_m", "strict_accuracy", "relaxed_accuracy", "f1_relaxed"),
    *("osR_relaxed", "osP_relaxed", "F1_os"),
)


def summarize(measured: MeasuredMethods, config: Config) -> dict[str, Any]:
    """Counts to the artifact, but for its inputs."""
    keys, reading = measured.reading.names, measured.reading
    draws = {method.name: method.replicates(keys, config) for method in measured.methods}
    trees = {method.name: _method_tree(method, measured, draws, config) for method in measured.methods}
    head = artifact_head("scene", PROTOCOL, measured.naming.engines(), params(config, measured.naming.classes))
    records = {"read": len(keys) + len(reading.bad), "evaluated": len(keys), "skipped": 0, "rejected": len(reading.bad)}
    methods = {name: head | {"method": name, "records": records} | tree for name, tree in trees.items()}
    return {
        **head,
        "records": records,
        "methods": methods,
        "comparison": _comparison(measured.methods, draws, len(keys)),
        "warnings": [
            *reading.warnings,
            *reading.disjoint_methods(),
            *(*measured.naming.warnings, *measured.naming.unsuggested(config)),
            *_unscored(measured),
            *_without_order(measured, trees),
            *_empty_sides(measured),
        ],
        "rejected": [bad.entry() for bad in reading.bad],
    }


def _empty_sides(measured: MeasuredMethods) -> list[str]:
    """Files without a single box may be of another kind than they seem."""
    reading = measured.reading
    sides = {entry.path: side.boxes for side in reading.sides for entry in side.inputs}
    return [f"{path}: no boxes were found in it" for path, boxes in sides.items() if reading.names and not len(boxes)]


def with_inputs(tree: dict[str, Any], reading: SceneReading, beside: list[dict[str, Any]]) -> dict[str, Any]:
    """The artifact with its inputs: the ground truth, each method, and the files `beside` that options came from."""
    truth = [entry._asdict() for entry in reading.truth_inputs]
    preds = {name: [entry._asdict() for entry in inputs] for name, inputs in reading.inputs.items()}
    tree["inputs"] = [*truth, *(entry for entries in preds.values() for entry in entries), *beside]
    for name, method in tree["methods"].items():
        method["inputs"] = [*truth, *preds[name], *beside]
    return tree


def option_inputs(files: Iterable[str]) -> list[dict[str, Any]]:
    """The files that options came from, as the artifact names them."""
    return [{"path": whole_text(path), "sha256": file_digest(path), "records": None} for path in files]


def _method_tree(
    method: MethodFigures, measured: MeasuredMethods, draws: dict[str, Any], config: Config
) -> dict[str, Any]:
    rates, records = method.rates(), len(measured.reading.names)
    intervals = {name: _interval(values, records) for name, values in draws[method.name].items()}
    opened = OPEN_SET if config.open_set else ()
    general = {name: rates[name] for name in (*DETECTION, *GEOMETRY, *MACRO, *opened)}
    spans = {f"{name}_interval": intervals[name] for name in (*MACRO, *opened)}
    reading, name = measured.reading, method.name
    return {
        "counts": _counts(method),
        "detection_metrics": _with_intervals(DETECTION, rates, intervals),
        "geometry_metrics": _with_intervals(GEOMETRY, rates, intervals),
        "per_class": class_table(method.counts, measured.naming.classes),
        "fp_breakdown": {
            cause: int((method.fp_causes == code).sum()) for code, cause in enumerate(FALSE_POSITIVE_CAUSES)
        },
        **_errors(method, measured.naming.classes),
        "worth": method.worth(reading.names, config),
        "range": range_table(method.range_counts(reading, config), config.range_buckets),
        "ap": _ap(method, measured.naming.classes, config),
        **method_scores_tree(method, reading.names, measured.naming.classes, config),
        "benchmark_compat": general | spans,
        **label_tree(measured.naming, method.truth_boxes, method.boxes, method.pred.counted),
        "scenes_without_predictions": reading.without_pred[name],
        "scenes_without_ground_truth": reading.without_truth[name],
        "scenes": scene_table(method.counts, reading.names),
        **object_rows(method, reading),
        "bootstrap": _bootstrap_tree(draws[name], config),
    }


def _bootstrap_tree(draws: dict[str, Floats], config: Config) -> dict[str, Any]:
    """The headline rates in every replicate, so that two results over the same scenes can be compared in pairs."""
    columns = {name: draws[name].tolist() for name in KEPT if name in draws}
    values = {name: [None if value != value else value for value in column] for name, column in columns.items()}  # NaN
    return {"replicates": config.bootstrap, "seed": config.seed, "values": values}


def _errors(method: MethodFigures, classes: list[str]) -> dict[str, Any]:
    """What became of all objects, and the causes of errors for each class."""
    counted = method.pred.counted
    table = method.causes.by_label(method.labels, len(classes), counted)
    rows = dict(zip(classes, table, strict=False))  # the last row is of objects without a class
    return {
        "errors": errors_tree(method.causes.counts(counted)),
        "errors_by_label": label_errors_tree(rows, table[-1]),
    }


def _counts(method: MethodFigures) -> dict[str, int]:
    tp, counted = len(method.counts.matches), method.pred.counted
    gt, pred = len(method.truth_boxes), int(counted.sum())
    invalid = int((counted & (np.asarray(method.boxes.reason) != 0)).sum())
    return {
        "gt": gt,
        "pred": pred,
        "tp": tp,
        "fp": pred - tp,
        "fn": gt - tp,
        "invalid_pred": invalid,
        "ignored": len(counted) - pred,
    }


def _with_intervals(names: tuple[str, ...], rates: dict[str, Any], intervals: dict[str, Any]) -> dict[str, Any]:
    return {name: rates[name] for name in names} | {f"{name}_interval": intervals[name] for name in names}


def _ap(method: MethodFigures, classes: list[str], config: Config) -> dict[str, Any] | None:
    """At several overlaps, and at several distances of centres. Without any score there is no order."""
    counted = method.pred.counted
    if counted.any() and np.isnan(method.boxes.scores)[counted].all():
        return None
    nuscenes = ap_distances(config) if config.ap_distance == GROUND_PLANE else ()
    return ap_tree(method.truth, method.pred, method.boxes.scores, method.found_by(config), nuscenes, classes)


def _unscored(measured: MeasuredMethods) -> list[str]:
    """Predictions without a score beside others that have one, which AP cannot rank."""
    missing = {method.name: np.isnan(method.boxes.scores)[method.pred.counted] for method in measured.methods}
    return [
        f"{name}: {int(rows.sum())} of {len(rows)} predictions have no score and are left out of AP"
        for name, rows in missing.items()
        if rows.any() and not rows.all()
    ]


def _without_order(measured: MeasuredMethods, trees: dict[str, Any]) -> list[str]:
    """Scores that are all equal where order matters, so that AP is undefined."""
    scores = {method.name: np.asarray(method.boxes.scores)[method.pred.counted] for method in measured.methods}
    return [
        f"{name}: all scores are {rows[0]:g}, so there is no order to rank predictions in, and no AP"
        for name, rows in scores.items()
        if trees[name]["ap"] is None and len(rows) and len(np.unique(rows)) == 1 and not np.isnan(rows[0])
    ]


def _comparison(
    methods: Sequence[MethodFigures], draws: dict[str, dict[str, Floats]], records: int
) -> list[dict[str, Any]]:
    """Every two methods: the difference of each rate, second minus first, with its interval over the same scenes."""
    rates = {method.name: method.rates() for method in methods}
    return [
        {"a": a, "b": b, "metrics": {name: _difference(name, a, b, rates, draws, records) for name in rates[a]}}
        for a, b in combinations(rates, 2)
    ]


def _difference(name: str, a: str, b: str, rates: Any, draws: Any, records: int) -> dict[str, Any]:
    first, second = rates[a][name], rates[b][name]
    return {
        "a": first,
        "b": second,
        "difference": None if first is None or second is None else second - first,
        "interval": _interval(draws[b][name] - draws[a][name], records),
    }


def _interval(values: Floats, records: int) -> list[float] | None:
    """To as many digits as resampled values carry."""
    ends = middle(values, records=records)
    return ends and [short(end) for end in ends]
