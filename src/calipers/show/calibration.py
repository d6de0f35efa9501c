"""What scores are worth, in words: how far they are from precision, and where to cut."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calipers.show.text import SEPARATOR, rate

Tree = Mapping[str, Any]
MEANINGS = {
    "ece": "expected calibration error: mean over detections of |mean score − precision| of their bin of ten",
    "ece_equal_mass": "the expected calibration error over ten bins between the deciles of all scores",
    "mce": "the largest |mean score − precision| of a bin",
    "brier": "mean over detections of (score − y)², y = 1 for a right one, else 0",
    "best_f1": "the largest 2 · right / (objects + kept) of all scores that detections can be cut at",
    "best_score": "the highest score to cut detections at that gives best_f1",
}


def calibration_line(tree: Tree) -> str:
    """How far scores are from precision, and the best of the operating points; nothing where that is undefined."""
    calibration, points = tree.get("calibration"), tree.get("operating_points")
    if not calibration or not points or calibration["ece"] is None:
        return ""
    best = best_point(points)
    tried = f"the best of {len(points)} scores from {points[0]['score']:.2f} to {points[-1]['score']:.2f}"
    at = [f"F1 {rate(best['f1'])} at score {best['score']:.2f}, {tried}"] if best else []
    return SEPARATOR.join([f"ECE {rate(calibration['ece'])}", *at])


def best_point(points: list[Any]) -> Any:
    """The operating point with the best F1, of equally good ones the highest score; none without a right detection.

    >>> best_point([{"score": 0.5, "f1": 0.25}, {"score": 0.6, "f1": 0.25}, {"score": 0.7, "f1": None}])
    {'score': 0.6, 'f1': 0.25}
    """
    right = (point for point in points if point["f1"])
    return max(right, key=lambda point: (point["f1"], point["score"]), default=None)
