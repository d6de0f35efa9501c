"""Calibration and operating points of a detection artifact against its other numbers."""

from __future__ import annotations

from typing import Any

from calipers.core.arithmetic import CLOSE, Tree, at_most, equal, expect
from calipers.core.calibration_arithmetic import check_calibration

REMOVED = ("wrong_label_and_place", "duplicate", "spurious")  # causes whose detections an oracle takes away


def check_scores(tree: Tree) -> None:
    """Calibration and operating points, classes among them, and what causes are worth in AP."""
    objects = tree["objects"]
    most = objects["pred"] - objects["invalid_pred"] - objects["cut_by_max_dets"]
    check_calibration(tree, most, (), "image")
    if tree["calibration"] is not None:
        _check_classes(tree)
    _check_ap_worth(tree)


def _check_ap_worth(tree: Tree) -> None:
    """AP_50 and a gain are no more than 1; taking away all that is wrong gains no less than taking away some of it."""
    gains, reason, place = tree["worth"]["ap_50"], tree["worth_ap_50_undefined_reason"], ("worth", "ap_50")
    fine = (gains is None) == (reason is not None)
    expect(fine, ("worth_ap_50_undefined_reason",), reason, "a reason where worth.ap_50 is null, and else none")
    if gains is None:
        return
    average = tree["coco"]["AP_50"]
    for cause, entry in gains.items():
        gain = entry["gain"]
        expect(gain is None or average is not None, (*place, cause, "gain"), gain, "null, as there is no AP_50")
        expect(gain is None or gain >= 0, (*place, cause, "gain"), gain, "a gain that is not below 0")
        at_most((gain or 0) + (average or 0), 1 + CLOSE, (*place, cause, "gain"), "what is missing to 1")
    for part, whole in [*((cause, "false_positives") for cause in REMOVED), ("missed", "misses")]:
        least, most = (gains[name]["gain"] for name in (part, whole))
        if least is not None and most is not None:
            at_most(least, most + CLOSE, (*place, part, "gain"), f"{whole} gains")


def _check_classes(tree: Tree) -> None:
    """All classes; the best scores are those of `per_class`."""
    classes: dict[str, Any] = tree["calibration"]["per_class"]
    names = [row["name"] for row in tree["per_class"]]
    place = ("calibration", "per_class")
    expect(sorted(classes) == sorted(set(names)), place, list(classes), "the classes of per_class")
    for row in tree["per_class"]:
        entry, where = classes[row["name"]], (*place, row["name"])
        at_most(entry["n"], row["pred"], (*where, "n"), "pred of the class")
        lrp = entry["optimal_lrp"]
        expect(lrp is None or row["gt"] > 0, (*where, "optimal_lrp"), lrp, "null, as there are no objects")
        for name in () if tree["ap_undefined_reason"] else ("best_f1", "best_score"):
            equal(entry[name], row[name], (*where, name), f"{name} of per_class")
