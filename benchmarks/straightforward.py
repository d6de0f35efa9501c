"""The evaluator a team would write first: json, shapely per pair, Pillow strokes, matching per threshold and mode.

    python benchmarks/straightforward.py DUMP.jsonl

The yardstick for the suite's speed. It is not slowed down on purpose: shapes and labels are made once per object,
overlaps once per record, and both are shared by all thresholds and modes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageDraw
from shapely.geometry import Polygon, box

THRESHOLDS = (0.50, 0.55, 0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90, 0.95)
MODES = ("localization", "phase", "category")
UMBRELLA = "螺丝、光纤插头"
TOLERANCE = 8

Pair = tuple[float, int, int]  # overlap, truth index, prediction index
Scores = dict[str, dict[float, tuple[float, float, float]]]  # mode -> threshold -> precision, recall, f1


class Thing(NamedTuple):
    geometry: Any  # a shapely polygon, or a list of (x, y) for a line
    is_line: bool
    labels: dict[str, str]  # mode -> label that has to agree


def evaluate(path: str | Path) -> Scores:
    """Precision, recall and F1 per mode and threshold."""
    matched = {(mode, threshold): 0 for mode in MODES for threshold in THRESHOLDS}
    truths = preds = 0
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            truth, pred = things(record["gt_norm1000"]), things(record["pred"])
            truths, preds = truths + len(truth), preds + len(pred)
            pairs = overlaps(truth, pred)
            for mode, threshold in matched:
                matched[mode, threshold] += count_matches(pairs, truth, pred, mode, threshold)
    return {mode: {t: scores(matched[mode, t], truths, preds) for t in THRESHOLDS} for mode in MODES}


def things(objects: list[dict[str, Any]]) -> list[Thing]:
    return [Thing(geometry(found), found["type"] == "line", labels(found["desc"])) for found in objects]


def geometry(found: dict[str, Any]) -> Any:
    points = found["points"]
    if found["type"] == "bbox_2d":
        return box(*points)
    corners = list(zip(points[0::2], points[1::2], strict=True))
    return corners if found["type"] == "line" else Polygon(corners)


def labels(desc: str) -> dict[str, str]:
    """Phase and category of a desc, in key=value or slash form; localization asks for no label."""
    if "=" in desc.split("/")[0]:
        fields = dict(field.split("=", 1) for field in desc.split(",") if "=" in field)
        phase = category = fields.get("类别", "")
    else:
        phase, _, rest = desc.partition("/")
        category = rest.split(",")[0] if phase == UMBRELLA else phase
    return {"localization": "any", "phase": phase, "category": category}


def overlaps(truth: list[Thing], pred: list[Thing]) -> list[Pair]:
    """Every pair of one family that overlaps enough for the lowest threshold, best first."""
    pairs = []
    for i, a in enumerate(truth):
        for j, b in enumerate(pred):
            if a.is_line == b.is_line:
                score = tube_iou(a.geometry, b.geometry) if a.is_line else region_iou(a.geometry, b.geometry)
                if score >= THRESHOLDS[0]:
                    pairs.append((score, i, j))
    return sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2]))


def region_iou(a: Polygon, b: Polygon) -> float:
    shared = a.intersection(b).area
    return float(shared / (a.area + b.area - shared))


def tube_iou(a: list[tuple[int, int]], b: list[tuple[int, int]], tolerance: float = TOLERANCE) -> float:
    """Mask IoU of two strokes, drawn in a window just large enough for both."""
    xs, ys = zip(*a, *b, strict=True)
    margin = round(tolerance) + 1
    left, top = min(xs) - margin, min(ys) - margin
    size = (max(xs) + margin - left + 1, max(ys) + margin - top + 1)
    mask_a, mask_b = (stroke(line, left, top, size, round(2 * tolerance)) for line in (a, b))
    either = np.count_nonzero(mask_a | mask_b)
    return np.count_nonzero(mask_a & mask_b) / either if either else 0.0


def stroke(line: list[tuple[int, int]], left: int, top: int, size: tuple[int, int], width: int) -> np.ndarray:
    image = Image.new("1", size)
    ImageDraw.Draw(image).line([(x - left, y - top) for x, y in line], fill=1, width=width)
    return np.asarray(image)


def count_matches(pairs: list[Pair], truth: list[Thing], pred: list[Thing], mode: str, threshold: float) -> int:
    """Greedy, one to one, best pair first."""
    used_truth: set[int] = set()
    used_pred: set[int] = set()
    for score, i, j in pairs:
        if score < threshold:
            break
        agree = truth[i].labels[mode] == pred[j].labels[mode] != ""
        if agree and i not in used_truth and j not in used_pred:
            used_truth.add(i)
            used_pred.add(j)
    return len(used_truth)


def scores(matched: int, truths: int, preds: int) -> tuple[float, float, float]:
    """Precision, recall, F1."""
    return matched / max(preds, 1), matched / max(truths, 1), 2 * matched / max(truths + preds, 1)


def main() -> None:
    for mode, sweep in evaluate(sys.argv[1]).items():
        for threshold, (precision, recall, f1) in sweep.items():
            print(f"{mode:12}  {threshold:.2f}  P {precision:.4f}  R {recall:.4f}  F1 {f1:.4f}")


if __name__ == "__main__":
    main()
