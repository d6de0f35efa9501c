"""Drawings of scores and intervals: average precision, calibration, what a fix is worth, the bootstrap."""

from __future__ import annotations

from collections import Counter
from typing import Any

import calipers

from .canvas import Canvas, Frame

SIDE = 20  # of a square object in the data below, in pixels


def _data(hits: str, scores: list[float]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """One image with as many objects as `hits` has letters x and o; a detection for every x (right) and - (wrong)."""
    boxes = [[40 * place, 0, SIDE, SIDE] for place in range(len(hits))]
    truth = [box for box, letter in zip(boxes, hits, strict=True) if letter in "xo"]
    found = [box for box, letter in zip(boxes, hits, strict=True) if letter in "x-"]
    annotations = [
        {"id": place + 1, "image_id": 1, "category_id": 1, "bbox": box, "area": SIDE**2, "iscrowd": 0}
        for place, box in enumerate(truth)
    ]
    images = [{"id": 1, "file_name": "a.jpg", "width": 2000, "height": 100}]
    gt = {"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "cone"}]}
    scored = zip(found, scores, strict=True)
    return gt, [{"image_id": 1, "category_id": 1, "bbox": box, "score": score} for box, score in scored]


def precision_recall() -> Canvas:
    """Six detections by score, the curve they make, and its mean."""
    hits, scores = "xx-x-xoo", [0.95, 0.9, 0.8, 0.7, 0.5, 0.4]
    report = calipers.coco(*_data(hits, scores), bootstrap=0)
    canvas = Canvas(660, 250, "Precision over recall, and average precision")
    frame = Frame(canvas, 60, 40, 260, 160)
    frame.axes("recall", "precision", (0, 0.5, 1), (0, 0.5, 1))
    right, points = 0, []
    for seen, hit in enumerate(hits.replace("o", ""), start=1):
        right += hit == "x"
        points.append((right / 6, right / seen))
    rows = report.table("curves")
    envelope = [(row["recall"], row["precision"]) for row in rows]
    canvas.area([frame.at(0, 0), *(frame.at(*point) for point in envelope), frame.at(1, 0)], "band")
    canvas.line([frame.at(*point) for point in points], "dash")
    canvas.line([frame.at(*point) for point in envelope], "truth")
    for point, hit in zip(points, hits.replace("o", ""), strict=True):
        canvas.dot(*frame.at(*point), "dot" if hit == "x" else "reddot")
    for x, name in ((390, "score"), (440, "right?"), (490, "recall"), (560, "precision")):
        canvas.text(x, 30, name, "quiet", "end")
    for line, ((recall, precision), hit, score) in enumerate(zip(points, hits.replace("o", ""), scores, strict=True)):
        row = 52 + 20 * line
        canvas.text(390, row, f"{score:.2f}", "", "end")
        canvas.text(424, row, "✓" if hit == "x" else "✗", "both strong" if hit == "x" else "wrong strong", "middle")
        canvas.text(490, row, f"{recall:.2f}", "", "end")
        canvas.text(560, row, f"{precision:.2f}", "", "end")
    canvas.text(360, 196, f"AP_50 = shaded area = {report['coco']['AP_50']:.3f}", "strong")
    canvas.text(360, 218, "6 objects, 2 of them never found", "quiet")
    return canvas


def calibration() -> Canvas:
    """Scores against how often they are right."""
    scores, hits = [], ""
    for score, right in ((0.25, 2), (0.45, 3), (0.65, 5), (0.85, 7)):
        scores += [score + 0.001 * k for k in range(10)]
        hits += "x" * right + "-" * (10 - right)
    report = calipers.coco(*_data(hits, scores), max_dets=[1, 10, 100], bootstrap=0)
    tree = report["calibration"]
    canvas = Canvas(660, 250, "Calibration: precision over score")
    frame = Frame(canvas, 60, 40, 200, 160)
    frame.axes("score", "precision", (0, 0.5, 1), (0, 0.5, 1))
    canvas.line([frame.at(0, 0), frame.at(1, 1)], "dash")
    filled = [row for row in tree["bins"] if row["n"]]
    for row in filled:
        (left, top), (right, foot) = frame.at(row["from"], row["precision"]), frame.at(row["to"], 0)
        canvas.box(left + 1, top, right - left - 2, foot - top, "band")
        canvas.line([frame.at(row["score"], row["score"]), frame.at(row["score"], row["precision"])], "wrongline")
        canvas.dot(*frame.at(row["score"], row["precision"]))
    canvas.text(300, 60, "dashed: scores that are probabilities", "quiet")
    canvas.text(300, 84, "red: how far each bin is from that", "wrong")
    canvas.text(300, 118, f"ECE, the mean of the red lines = {tree['ece']:.3f}", "strong")
    canvas.text(300, 142, f"MCE, the longest = {tree['mce']:.3f}")
    canvas.text(300, 166, f"{sum(row['n'] for row in filled)} detections, 10 in each bin", "quiet")
    return canvas


def worth() -> Canvas:
    """What F1 would gain if one cause of errors were gone."""
    names = ["cone"] * 10
    truth = [{"type": "bbox_2d", "points": [90 * k, 0, 90 * k + 50, 50], "desc": name} for k, name in enumerate(names)]
    pred = [dict(item) for item in truth[:8]]
    for item in pred[4:7]:
        item["desc"] = "sign"
    pred.append({"type": "bbox_2d", "points": [0, 500, 50, 550], "desc": "cone"})
    report = calipers.dense([{"id": "a", "gt_norm1000": truth, "pred": pred}], bootstrap=0)
    f1 = report["modes"]["category"]["primary"]["f1"]
    canvas = Canvas(700, 200, "What each cause of errors is worth")
    causes = [(cause, row["gain"]) for cause, row in report["worth"]["f1"].items() if row["gain"]]
    canvas.text(20, 30, f"F1 now {f1:.3f}", "strong")
    for line, (cause, gain) in enumerate(sorted(causes, key=lambda item: -item[1])):
        row = 60 + 34 * line
        canvas.text(20, row + 14, f"{cause.replace('_', ' ')} ({report['errors'][cause]})")
        canvas.box(150, row, 380 * f1, 20, "light")
        canvas.box(150 + 380 * f1, row, 380 * gain, 20, "both")
        canvas.text(545, row + 14, f"+{gain:.3f} → {f1 + gain:.3f}", "strong")
    canvas.line([(150, 50), (150, 165)], "axis")
    canvas.line([(150 + 380, 50), (150 + 380, 165)], "dash")
    canvas.text(530, 182, "F1 = 1", "quiet", "middle")
    return canvas


def bootstrap() -> Canvas:
    """A figure in 1,000 replicates, and the middle 95 % of them."""
    box = {"type": "bbox_2d", "points": [0, 0, 100, 100], "desc": "cone"}
    records = [{"id": f"{k}.jpg", "gt_norm1000": [box], "pred": [box] * (k % 4 > 0)} for k in range(60)]
    report = calipers.dense(records)
    sums, mode = report["bootstrap"]["sums"], report["modes"]["category"]["primary"]
    recalls = [matched / gt for matched, gt in zip(sums["category.matched"], sums["gt"], strict=True)]
    low, high = mode["interval"]["recall"]
    canvas = Canvas(660, 250, "The bootstrap: one figure in 1,000 replicates")
    frame = Frame(canvas, 60, 50, 400, 140, (0.5, 1.0), (0, 220))
    frame.axes("recall", "replicates", (0.5, 0.6, 0.7, 0.8, 0.9, 1.0), (0, 100, 200))
    (left, _), (right, _) = frame.at(low, 0), frame.at(high, 0)
    canvas.box(left, 50, right - left, 140, "band")
    for place, count in sorted(Counter(round(value * 50) for value in recalls).items()):
        x, top = frame.at(place / 50 - 0.008, count)
        canvas.box(x, top, frame.at(0.516, 0)[0] - frame.at(0.5, 0)[0], 190 - top, "bar")
    value = mode["recall"]
    canvas.line([frame.at(value, 0), frame.at(value, 220)], "dash")
    canvas.text(480, 80, f"recall {value:.3f}", "strong")
    canvas.text(480, 104, f"95 % interval {low:.3f}–{high:.3f}")
    canvas.text(480, 128, "shaded: the middle 95 %", "truth")
    canvas.text(60, 240, "60 records, drawn anew 1,000 times: each counts 0, 1, 2 … times", "quiet")
    return canvas


DRAWINGS = {
    "coco_average_precision": precision_recall,
    "coco_calibration": calibration,
    "worth": worth,
    "bootstrap": bootstrap,
}
