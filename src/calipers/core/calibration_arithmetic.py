"""Checks that calibration and operating points of an artifact agree with each other."""

from __future__ import annotations

from itertools import pairwise
from math import fsum

from calipers.core.arithmetic import (
    CLOSE,
    Place,
    Tree,
    at_most,
    check_close,
    check_interval,
    equal,
    expect,
    harmonic,
)
from calipers.core.calibration import CUTS, EDGES

NAMES = ("calibration", "operating_points")


def check_calibration(tree: Tree, most: int | None, place: Place, unit: str) -> None:
    """There are numbers or a reason; bins hold all detections of classes; recall falls with the score.

    There are at most `most` detections, if that is known; `unit` is what false positives are counted for.
    """
    for name in NAMES:
        reason = f"{name}_undefined_reason"
        fine = (tree[name] is None) == (tree[reason] is not None)
        expect(fine, (*place, reason), tree[reason], f"a reason where {name} is null, and else none")
    if tree["calibration"] is not None:
        _check_bins(tree["calibration"], most, (*place, "calibration"))
        _check_classes(tree["calibration"], (*place, "calibration", "per_class"))
    if tree["operating_points"] is not None:
        _check_points(tree["operating_points"], (*place, "operating_points"), unit)


def _check_bins(calibration: Tree, most: int | None, place: Place) -> None:
    bins = calibration["bins"]
    edges = [(row["from"], row["to"]) for row in bins]
    expect(edges == list(pairwise(EDGES)), (*place, "bins"), edges, "ten bins of equal width from 0 to 1")
    total = sum(row["n"] for row in bins)
    at_most(total, total if most is None else most, (*place, "bins"), "detections that AP counts")
    for number, row in enumerate(bins):
        _check_bin(row, (*place, "bins", number))
    gaps = [(row["n"], abs(row["score"] - row["precision"])) for row in bins if row["n"]]
    ece = fsum(n * gap for n, gap in gaps) / total if total else None
    check_close(calibration["ece"], ece, (*place, "ece"), "what follows from bins")
    largest = max((gap for _, gap in gaps), default=None)
    check_close(calibration["mce"], largest, (*place, "mce"), "the largest gap of a bin")
    for name in ("ece_equal_mass", "brier"):
        defined = (calibration[name] is not None) == (total > 0)
        expect(defined, (*place, name), calibration[name], "a number where there are detections, else null")


def _check_bin(row: Tree, place: Place) -> None:
    for name in ("score", "precision"):
        defined = (row[name] is None) == (row["n"] == 0)
        expect(defined, (*place, name), row[name], "null in an empty bin only")
    if row["n"]:
        inside = row["from"] - CLOSE <= row["score"] <= row["to"] + CLOSE
        expect(inside, (*place, "score"), row["score"], "a score of the bin")


def _check_classes(calibration: Tree, place: Place) -> None:
    """Detections of classes are those of all bins; intervals begin with the lower end."""
    classes, total = calibration["per_class"], sum(row["n"] for row in calibration["bins"])
    equal(sum(entry["n"] for entry in classes.values()), total, place, "n of all bins", "detections")
    for name, entry in classes.items():
        check_interval(entry["best_score_interval"], (*place, name, "best_score_interval"))
        _check_lrp(entry, (*place, name))


def _check_lrp(entry: Tree, place: Place) -> None:
    """LRP has a score if it is below 1; it is least where every right box fits exactly."""
    lrp, score, f1 = entry["optimal_lrp"], entry["lrp_optimal_score"], entry["best_f1"] or 0.0
    has_score = lrp is not None and lrp < 1
    expect((score is not None) == has_score, (*place, "lrp_optimal_score"), score, "a score where LRP is below 1")
    least = 1 - f1 / (2 - f1)  # (wrong + not found) / (right + wrong + not found)
    expect(lrp is None or lrp >= least - CLOSE, (*place, "optimal_lrp"), lrp, f"no less than best_f1 allows, {least}")


def _check_points(points: list[Tree], place: Place, unit: str) -> None:
    scores = [point["score"] for point in points]
    expect(scores == list(CUTS), place, scores, "the scores 0.05, 0.1 … 0.95")
    for number, point in enumerate(points):
        if point["precision"] is not None and point["recall"] is not None:
            f1 = harmonic(point["precision"], point["recall"])
            check_close(point["f1"], f1, (*place, number, "f1"), "that of precision and recall")
    for name in ("recall", f"false_positives_per_{unit}"):
        values = [point[name] for point in points]
        one_kind = len({value is None for value in values}) == 1
        expect(one_kind, place, values, f"{name} at all scores or at none")
        falling = values[0] is None or all(later <= before for before, later in pairwise(values))
        expect(falling, place, values, f"a {name} that never rises with the score")
