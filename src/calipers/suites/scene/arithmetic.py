"""The numbers of a scene artifact against each other: of every method, and of every two."""

from __future__ import annotations

from collections.abc import Iterable

from calipers.core.arithmetic import (
    Place,
    Tree,
    check_close,
    check_interval,
    check_intervals,
    check_mean,
    check_ratio,
    equal,
    harmonic,
)
from calipers.core.calibration_arithmetic import check_calibration
from calipers.core.cause_arithmetic import check_causes
from calipers.core.record_arithmetic import check_records
from calipers.core.slice_arithmetic import check_slices
from calipers.core.sweep_arithmetic import check_drawn

PER_CLASS = {
    "mean_strict_accuracy_per_class": "strict_accuracy",
    "mean_relaxed_accuracy_per_class": "relaxed_accuracy",
    "mean_iou_3d_per_class": "mean_iou_3d",
    "mean_centroid_error_m_per_class": "mean_centroid_error_m",
}
ROWS = (("tp", "matches"), ("fn", "unmatched_gt"), ("fp", "unmatched_pred"))


def check_scene(tree: Tree) -> None:
    """Check the counts of records, every method, and the differences of every two methods."""
    if "methods" not in tree:
        _check_method(tree, (), tree["method"])
        return
    check_records(tree["records"], ("records",), "read")
    for name, method in tree["methods"].items():
        _check_method(method, ("methods", name), name)
    for number, pair in enumerate(tree["comparison"]):
        for name, row in pair["metrics"].items():
            _check_difference(row, ("comparison", number, "metrics", name))
            for side in ("a", "b"):
                rates = tree["methods"].get(pair[side], {}).get("benchmark_compat", {})
                if name in rates:
                    equal(
                        row[side], rates[name], ("comparison", number, "metrics", name, side), f"that of {pair[side]}"
                    )


def _check_difference(row: Tree, place: Place) -> None:
    check_interval(row["interval"], (*place, "interval"))
    are_defined = row["a"] is not None and row["b"] is not None
    check_close(row["difference"], row["b"] - row["a"] if are_defined else None, (*place, "difference"), "b - a")


def _check_method(method: Tree, place: Place, name: str) -> None:
    """Check counts, rates, objects, classes, scenes and replicates of one method."""
    equal(method["method"], name, (*place, "method"), "its name")
    check_records(method["records"], (*place, "records"), "read")
    check_slices(method, method["records"]["evaluated"], place)
    counts = method["counts"]
    _check_detection(counts, (*place, "counts"))
    sides = {key: counts[key] for key in ("tp", "fp", "fn")}
    for part in ("detection_metrics", "benchmark_compat"):
        rates = {key: method[part][key] for key in ("precision", "recall", "f1")}
        _check_detection(sides | rates, (*place, part))
    equal(sum(method["fp_breakdown"].values()), counts["fp"], (*place, "fp_breakdown"), "counts.fp", "the sum")
    check_causes(method, counts["gt"], counts["pred"], place)
    for key, rows in ROWS:
        equal(len(method[rows]), counts[key], (*place, rows), f"counts.{key}", "rows")
        equal(sum(scene[key] for scene in method["scenes"].values()), counts[key], (*place, "scenes"), f"counts.{key}")
    for part in ("per_class", "scenes"):
        for key, row in method[part].items():
            _check_detection(row, (*place, part, key))
    for number, row in enumerate(method["range"]):
        _check_detection(row, (*place, "range", number))
    _check_geometry(method, place)
    _check_classes(method, (*place, "benchmark_compat"))
    _check_ap(method["ap"], (*place, "ap"))
    check_calibration(method, counts["pred"] - counts["invalid_pred"], place, "scene")
    check_drawn(method, (*place, "bootstrap"))


def _check_detection(row: Tree, place: Place) -> None:
    """Check that counts of true and false positives agree with rates, and with objects of both sides where listed."""
    tp, fp, fn = row["tp"], row["fp"], row["fn"]
    if "gt" in row:
        equal(row["gt"], tp + fn, (*place, "gt"), "tp + fn")
        equal(row["pred"], tp + fp, (*place, "pred"), "tp + fp")
    ratios = (("precision", tp, tp + fp), ("recall", tp, tp + fn), ("f1", 2 * tp, 2 * tp + fp + fn))
    for name, part, whole in ratios:
        if name in row:
            check_ratio(row[name], part, whole, (*place, name))


def _check_geometry(method: Tree, place: Place) -> None:
    """Check the geometry of matched pairs, of all scenes and of each."""
    geometry, matches, pred = method["geometry_metrics"], method["matches"], method["counts"]["pred"]
    where = (*place, "geometry_metrics")
    for part in ("detection_metrics", "geometry_metrics", "benchmark_compat"):
        ends = {key: value for key, value in method[part].items() if key.endswith("_interval")}
        check_intervals(ends, (*place, part))
    for key, value in geometry.items():
        if key in method["benchmark_compat"]:
            equal(value, method["benchmark_compat"][key], (*where, key), "benchmark_compat")
    _check_pair_means(geometry, matches, where)
    for key in ("strict", "relaxed"):
        held = sum(row[key] for row in matches)
        check_ratio(geometry[f"{key}_accuracy"], held, len(matches), (*where, f"{key}_accuracy"))
        check_ratio(geometry[f"{key}_precision"], held, pred, (*where, f"{key}_precision"))
    both = harmonic(geometry["relaxed_accuracy"], geometry["mean_iou_3d"])
    check_close(geometry["f1_relaxed"], both, (*where, "f1_relaxed"), "the mean of relaxed_accuracy and mean_iou_3d")
    for name, scene in method["scenes"].items():
        _check_pair_means(scene, (row for row in matches if row["scene"] == name), (*place, "scenes", name))


def _check_classes(method: Tree, place: Place) -> None:
    """Check means over classes, and figures of the open set."""
    rates, rows = method["benchmark_compat"], method["per_class"].values()
    for name, part in PER_CLASS.items():
        check_mean(rates[name], [row[part] for row in rows], (*place, name))
    if rates.keys() >= {"F1_os", "osR_relaxed", "osP_relaxed"}:
        both = harmonic(rates["osR_relaxed"], rates["osP_relaxed"])
        check_close(rates["F1_os"], both, (*place, "F1_os"), "the mean of osR_relaxed and osP_relaxed")


def _check_pair_means(row: Tree, matches: Iterable[Tree], place: Place) -> None:
    pairs = list(matches)
    check_mean(row["mean_iou_3d"], [pair["iou"] for pair in pairs], (*place, "mean_iou_3d"))
    errors = [pair["centroid_error_m"] for pair in pairs]
    check_mean(row["mean_centroid_error_m"], errors, (*place, "mean_centroid_error_m"))


def _check_ap(ap: Tree | None, place: Place) -> None:
    """Check that AP is the mean over classes."""
    for name, rates in (ap or {}).get("by_class", {}).items():
        if ap is not None and name in ap:
            check_mean(ap[name], rates.values(), (*place, name))
