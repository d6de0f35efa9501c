"""What scores are worth, on a page: precision over score beside the diagonal, and what a cut at each score gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calipers.show.calibration import best_point
from calipers.show.page import sections as part
from calipers.show.page.sections import Part
from calipers.show.text import rate

CUT_RATES = {"f1": "F1", "precision": "precision", "recall": "recall"}


def calibration_parts(tree: Mapping[str, Any], of: str = "") -> list[Part]:
    """Two sections for the detections of a tree, with whose they are in the title; none where scores are none."""
    calibration, points = tree.get("calibration"), tree.get("operating_points")
    if not calibration or not points or calibration["ece"] is None:
        return []
    bins = [row for row in calibration["bins"] if row["n"]]
    lines = [
        part.series("detections", [row["score"] for row in bins], [row["precision"] for row in bins], bold=True),
        part.series("scores that are probabilities", [0, 1], [0, 1]),
    ]
    errors = f"expected calibration error {rate(calibration['ece'])}, {rate(calibration['mce'])} in the worst bin"
    about = f"Precision at overlap 0.50 of ten bins of scores: {errors}."
    cuts = [part.series(word, *_by_score(points, name), bold=name == "f1") for name, word in CUT_RATES.items()]
    best = best_point(points)
    marks = [part.mark(best["score"], f"best of these: F1 {rate(best['f1'])}")] if best else []
    kept = "Detections with a score of so much or more, all classes together, at overlap 0.50."
    behind = f", {of}" if of else ""
    return [
        part.curves(f"Calibration{behind}", "score", "precision", lines, about=about),
        part.curves(f"Cutting at a score{behind}", "score", "share", cuts, marks=marks, about=kept),
    ]


def _by_score(points: list[dict[str, Any]], name: str) -> tuple[list[float], list[float | None]]:
    return [point["score"] for point in points], [point[name] for point in points]
