"""The numbers of a detection artifact against each other."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from calipers.core.arithmetic import CLOSE, Tree, at_most, check_intervals, check_mean, equal, expect, harmonic
from calipers.core.cause_arithmetic import check_causes, check_confusion
from calipers.core.json_schema import Mismatch
from calipers.core.record_arithmetic import check_records
from calipers.core.slice_arithmetic import check_slices
from calipers.core.sweep_arithmetic import check_drawn, check_numbers_of_objects, check_sums, check_sweep
from calipers.files.answers.arithmetic import check_answers
from calipers.suites.coco.score_arithmetic import check_scores

STEPS = 101  # of recall, from 0 to 1


def check_coco(tree: Tree) -> None:
    """Images, objects, classes, the sweep, causes, curves and replicates of the detection suite."""
    check_records(tree["images"], ("images",), "total")
    if "answers" in tree:
        check_answers(tree["answers"], tree["images"]["total"], "images.total")
    params, primary = tree["params"], tree["sweep"]["primary"]
    check_sweep(tree["sweep"], ("sweep",), params)
    for side in ("gt", "pred"):
        at_most(primary[side], tree["objects"][side], ("sweep", "primary", side), f"objects.{side}")
    check_numbers_of_objects(tree["counts"], tree["images"]["evaluated"])
    _check_objects(tree)
    _check_classes(tree)
    _check_confusion(tree)
    _check_curves(tree)
    check_scores(tree)
    check_intervals(tree["intervals"], ("intervals",))
    check_drawn(tree, ("bootstrap",))
    check_sums(tree["bootstrap"]["sums"], [""], params)
    check_slices(tree, tree["images"]["evaluated"])


def _check_objects(tree: Tree) -> None:
    primary, errors, objects = tree["sweep"]["primary"], tree["errors"], tree["objects"]
    check_causes(tree, primary["gt"], primary["pred"], ())
    check_confusion(tree["confusion"], errors, primary, ("confusion",))
    equal(errors["matched"], primary["matched"], ("errors", "matched"), "matched of sweep.primary")
    equal(errors["in_crowd"], objects["in_crowd"], ("errors", "in_crowd"), "objects.in_crowd")
    reasons = sum(tree["invalid_reasons"].values())
    equal(objects["invalid_pred"], reasons, ("objects", "invalid_pred"), "the sum of invalid_reasons")
    absent = sum(row["pred"] for row in tree["absent_classes"])
    equal(objects["absent_class_pred"], absent, ("objects", "absent_class_pred"), "the sum of absent_classes")
    counted = objects["gt"] - objects["crowd"] - objects["unlabelled"]
    equal(primary["gt"], counted, ("sweep", "primary", "gt"), "gt - crowd - unlabelled of objects")


def _check_classes(tree: Tree) -> None:
    """Check that counts of classes add up to all objects, and means over classes."""
    rows, params = tree["per_class"], tree["params"]
    equal(sum(row["gt"] for row in rows), tree["sweep"]["primary"]["gt"], ("per_class",), "sweep.primary.gt", "all gt")
    at_most(sum(row["pred"] for row in rows), tree["objects"]["pred"], ("per_class",), "objects.pred")
    equal(tree["map_50"], tree["coco"]["AP_50"], ("map_50",), "coco.AP_50")
    for name in ("AP", "AP_50"):
        check_mean(tree["coco"][name], [row[name] for row in rows], ("coco", name))
    recall = _check_lines(tree["coco"], params)
    if all("AR" in row for row in rows):  # older artifacts have none
        check_mean(tree["coco"][recall], [row["AR"] for row in rows], ("coco", recall))
    for name in ("precision_at_recall", "precision_at_target"):
        check_mean(tree[name], [row[name] for row in rows], (name,))


def _check_lines(lines: Tree, params: Tree) -> str:
    """All lines of COCO are there whose names the parameters give. Returns the name of the recall over all sizes."""
    is_keypoints = params["iou_type"] == "keypoints"
    recalls = ["AR_50", "AR_75", "AR"] if is_keypoints else [f"AR_{most}" for most in params["max_dets"]]
    areas = ("medium", "large") if is_keypoints else ("small", "medium", "large")
    for name in (*(f"{rate}_{area}" for rate in ("AP", "AR") for area in areas), *recalls):
        if name not in lines:
            raise Mismatch("", "coco", missing=name)
    return recalls[-1]


def _check_confusion(tree: Tree) -> None:
    """Pairs of classes and what is left of each are all objects of the class, where classes are told by their names."""
    confusion, rows = tree["confusion"], tree["per_class"]
    times = Counter(row["name"] for row in rows)
    if any(count > 1 for count in times.values()):
        return
    for number, row in enumerate(rows):
        name = row["name"]
        objects = sum(confusion["matched"].get(name, {}).values()) + confusion["missed"].get(name, 0)
        equal(row["gt"], objects, ("per_class", number, "gt"), "what confusion has of the class")
        false = sum(counts.get(name, 0) for counts in confusion["matched"].values()) + confusion["background"].get(
            name, 0
        )
        at_most(false, row["pred"], ("confusion",), "pred of the class")


def _check_curves(tree: Tree) -> None:
    """Precision at every step of recall, which falls; its mean is AP_50, and no F1 of the class is above it."""
    known = {row["name"]: (number, row) for number, row in enumerate(tree["per_class"])}
    twice = len(known) < len(tree["per_class"])
    for name, curve in tree["curves"].items():
        recall, precision = curve["recall"], curve["precision"]
        equal(len(precision), len(recall), ("curves", name), "recall", "steps of precision")
        rising = recall == [step / (STEPS - 1) for step in range(STEPS)]
        expect(rising, ("curves", name, "recall"), recall, "the steps from 0 to 1")
        fine = None not in precision and all(later <= before + CLOSE for before, later in pairwise(precision))
        expect(fine, ("curves", name, "precision"), precision, "numbers that never rise")
        if name in known and not twice:
            number, row = known[name]
            check_mean(row["AP_50"], precision, ("per_class", number, "AP_50"))
            most = max(harmonic(best, min(1.0, (step + 1) / (STEPS - 1))) or 0 for step, best in enumerate(precision))
            at_most(row["best_f1"] or 0, most + CLOSE, ("per_class", number, "best_f1"), "its curve has")
