"""Drawings of shapes on an image: matching, the sweep, causes, and the rulers."""

from __future__ import annotations

import math
from typing import Any

import calipers

from .canvas import Canvas, Frame, Point

Box = tuple[float, float, float, float]  # left, top, right, bottom
KIND_TEXTS = {
    "matched": "overlap ≥ 0.5, same label",
    "wrong_label": "overlap ≥ 0.5, other label",
    "misplaced": "same label, 0.1 to 0.5",
    "wrong_label_and_place": "other label, 0.1 to 0.5",
    "duplicate": "on what is found already",
    "spurious": "on nothing",
    "missed": "a truth without a partner",
}


def _box(canvas: Canvas, box: Box, look: str, at: Point = (0, 0), scale: float = 1) -> None:
    left, top, right, bottom = (value * scale for value in box)
    canvas.box(at[0] + left, at[1] + top, right - left, bottom - top, look)


def _object(box: Box, label: str = "cone") -> dict[str, Any]:
    return {"type": "bbox_2d", "points": list(box), "desc": label}


def matching() -> Canvas:
    """Pairs by overlap, the closest first; each object has one partner at most."""
    truth: list[Box] = [(20, 40, 120, 140), (150, 40, 250, 140)]
    pred: list[Box] = [(30, 50, 130, 150), (62, 40, 162, 140), (154, 46, 254, 146)]
    overlaps = calipers.region_iou([list(box) for box in truth], [list(box) for box in pred])
    found = {(pair.gt, pair.pred) for pair in calipers.match(overlaps).pairs}
    canvas = Canvas(640, 200, "Matching one to one, the closest pair first")
    for box, name in zip(truth, "AB", strict=True):
        _box(canvas, box, "truth")
        canvas.text(box[0] + 6, box[1] - 6, name, "truth strong")
    matched = {pred for _, pred in found}
    for place, box in enumerate(pred):
        _box(canvas, box, "pred" if place in matched else "wrong")
        canvas.text(box[2] - 14, box[3] + 16, str(place + 1), ("pred" if place in matched else "wrong") + " strong")
    canvas.text(300, 34, "pairs that overlap, closest first", "quiet")
    rows = sorted((-overlaps[t, p], t, p) for t in range(2) for p in range(3) if overlaps[t, p] > 0)
    for line, (overlap, t, p) in enumerate(rows):
        outcome = "partners" if (t, p) in found else "below 0.5" if -overlap < 0.5 else f"{'AB'[t]} has a partner"
        canvas.text(300, 62 + 24 * line, f"{'AB'[t]} – {p + 1}   IoU {-overlap:.3f}", "strong")
        canvas.text(440, 62 + 24 * line, outcome, "both" if (t, p) in found else "quiet")
    canvas.text(300, 62 + 24 * len(rows) + 10, "2 is left over: a prediction without a partner", "wrong")
    return canvas


def sweep() -> Canvas:
    """F1 at each threshold, and its mean."""
    shifts = (0, 4, 8, 12, 16, 22, 26, 40)
    truth = [_object((120 * k, 0, 120 * k + 100, 100)) for k in range(len(shifts))]
    pred = [_object((120 * k + shift, 0, 120 * k + 100 + shift, 100)) for k, shift in enumerate(shifts)]
    report = calipers.dense([{"id": "a", "gt_norm1000": truth, "pred": pred}], bootstrap=0)
    mode = report["modes"]["category"]
    canvas = Canvas(640, 250, "F1 over the sweep of overlap thresholds, and its mean")
    frame = Frame(canvas, 60, 40, 380, 150, (0.45, 1.0))
    frame.axes("overlap that a match must reach (IoU)", "F1", (0.5, 0.6, 0.7, 0.8, 0.9), (0, 0.5, 1))
    points = [(row["iou"], row["f1"]) for row in mode["thresholds"]]
    mean = mode["mean_f1"]
    canvas.line([frame.at(0.45, mean), frame.at(1.0, mean)], "dash")
    canvas.line([frame.at(*point) for point in points], "truth")
    for point in points:
        canvas.dot(*frame.at(*point))
    canvas.text(456, frame.at(1, mean)[1] + 4, f"mean F1 {mean:.3f}", "strong")
    canvas.text(456, frame.at(1, points[0][1])[1] + 4, f"F1 at 0.50: {points[0][1]:.3f}", "truth")
    canvas.text(456, frame.at(1, points[-1][1])[1] + 4, f"F1 at 0.95: {points[-1][1]:.3f}", "truth")
    canvas.text(60, 242, f"{len(shifts)} objects, each predicted a little further off than the one before", "quiet")
    return canvas


def causes() -> Canvas:
    """The six causes and a match: one small panel each."""
    one: Box = (20, 20, 80, 80)
    panels: dict[str, tuple[list[Any], list[Any]]] = {
        "matched": ([(one, "cone")], [((26, 24, 86, 84), "cone")]),
        "wrong_label": ([(one, "cone")], [((26, 24, 86, 84), "sign")]),
        "misplaced": ([(one, "cone")], [((52, 40, 112, 100), "cone")]),
        "wrong_label_and_place": ([(one, "cone")], [((52, 40, 112, 100), "sign")]),
        "duplicate": ([(one, "cone")], [((22, 20, 82, 80), "cone"), ((30, 26, 90, 86), "cone")]),
        "spurious": ([], [(one, "cone")]),
        "missed": ([(one, "cone")], []),
    }
    canvas = Canvas(790, 330, "Causes of errors")
    for place, (cause, (truth, pred)) in enumerate(panels.items()):
        record = {"id": cause, "gt_norm1000": [_object(*item) for item in truth], "pred": [_object(*i) for i in pred]}
        found = calipers.dense([record], bootstrap=0)["errors"]
        assert found[cause] == 1, (cause, found)
        left, top = 20 + 185 * (place % 4), 20 + 158 * (place // 4)
        _panel(canvas, (left, top), cause, truth, pred)
    canvas.text(20 + 185 * 3, 20 + 158 + 40, "outline: ground truth", "truth")
    canvas.text(20 + 185 * 3, 20 + 158 + 62, "filled: prediction", "pred")
    canvas.text(20 + 185 * 3, 20 + 158 + 84, "red: what is wrong", "wrong")
    return canvas


def _panel(canvas: Canvas, at: Point, cause: str, truth: list[Any], pred: list[Any]) -> None:
    for box, label in truth:
        _box(canvas, box, "missed" if cause == "missed" else "truth", at)
        canvas.text(at[0] + box[0], at[1] + box[1] - 5, label, "truth")
    for number, (box, label) in enumerate(pred):
        is_right = cause == "matched" or (cause == "duplicate" and number == 0)
        _box(canvas, box, "pred" if is_right else "wrong", at)
        if cause != "duplicate" or number:
            canvas.text(at[0] + box[2] + 5, at[1] + box[3] - 4, label, "pred" if is_right else "wrong")
    canvas.text(at[0] + 20, at[1] + 122, cause.replace("_", " "), "strong")
    canvas.text(at[0] + 20, at[1] + 138, KIND_TEXTS[cause], "quiet")


# Rulers


def region() -> Canvas:
    """Overlap of two boxes, and of a box and a polygon."""
    canvas = Canvas(640, 190, "IoU of regions: shared area over the area of both")
    a, b = (20, 30, 140, 130), (60, 50, 180, 150)
    _box(canvas, a, "truth")
    _box(canvas, b, "pred")
    canvas.area([(60, 50), (140, 50), (140, 130), (60, 130)], "both")
    canvas.text(20, 178, f"IoU = 64 / (120 + 120 − 64) = {calipers.region_iou(a, b):.3f}", "strong")
    square, polygon = (360, 30, 480, 150), [(360, 30), (480, 30), (420, 90), (480, 150), (360, 150)]
    canvas.area(polygon, "pred")
    canvas.area(polygon, "both")
    _box(canvas, square, "truth")
    canvas.text(360, 178, f"IoU = 108 / 144 = {calipers.region_iou(square, polygon):.3f}", "strong")
    canvas.text(500, 84, "a polygon counts by", "quiet")
    canvas.text(500, 102, "the area it encloses", "quiet")
    return canvas


def tube() -> Canvas:
    """Two lines, each as a tube around it."""
    truth, pred, tolerance = [100, 40, 500, 40], [140, 46, 540, 46], 8
    canvas = Canvas(640, 180, "IoU of lines, each as a tube around it")
    iou = calipers.tube_iou(truth, pred, tolerance=tolerance)
    canvas.box(*_tube(truth), "truth")
    canvas.box(*_tube(pred), "pred")
    left, right = _tube(pred)[0], _tube(truth)[0] + _tube(truth)[2]
    top, foot = _tube(pred)[1], _tube(truth)[1] + _tube(truth)[3]
    canvas.box(left, top, right - left, foot - top, "both")
    for points, look in ((truth, "truth"), (pred, "predline")):
        canvas.line([(points[0], 2 * points[1]), (points[2], 2 * points[3])], look)
    canvas.line([(88, 64), (88, 80)], "axis")
    canvas.text(80, 76, "8", "quiet", "end")
    canvas.text(100, 140, f"tube IoU = cells of both tubes / cells of either = {iou:.3f}", "strong")
    canvas.text(
        100, 162, "a tube reaches 8 units (the tolerance) to each side; heights are drawn twice as large", "quiet"
    )
    return canvas


def _tube(line: list[int]) -> tuple[float, float, float, float]:
    """Left, top, width and height of the tube of a level line, heights doubled."""
    return line[0] - 8, 2 * (line[1] - 8), line[2] - line[0] + 16, 32


def coverage() -> Canvas:
    """How far two lines run along each other."""
    truth, pred, tolerance = [40, 80, 440, 80], [200, 84, 560, 84], 20
    recall, precision, f1 = calipers.line_coverage(truth, pred, tolerance=tolerance)
    canvas = Canvas(640, 205, "Coverage: how far two lines run along each other")
    canvas.text(40, 40, "ground truth", "truth")
    canvas.line([(40, 60), (440, 60)], "truth")
    canvas.line([(180, 60), (440, 60)], "bothline")
    canvas.text(560, 130, "prediction", "pred", "end")
    canvas.line([(200, 104), (560, 104)], "predline")
    canvas.line([(200, 104), (460, 104)], "bothline")
    for x in (180, 200, 440, 460):
        canvas.line([(x, 52), (x, 112)], "dash")
    canvas.text(40, 166, f"recall: the share of the truth that is near the prediction = {recall:.3f}", "")
    canvas.text(
        40, 184, f"precision: the share of the prediction that is near the truth = {precision:.3f} · F1 {f1:.3f}"
    )
    return canvas


def cuboid() -> Canvas:
    """Two boxes in space, one turned."""
    truth, pred = [0, 0, 0.5, 2, 1.2, 1], [0.35, 0.1, 0.6, 2, 1.2, 1, math.radians(20)]
    iou, bounds = calipers.cuboid_iou(truth, pred), calipers.cuboid_iou(truth, pred, iou_mode="aabb")
    canvas = Canvas(640, 215, "IoU of boxes in space: shared volume over the volume of both")
    for box, look in ((truth, "truth"), (pred, "predline")):
        foot, top = (_corners(box, z) for z in (box[2] - box[5] / 2, box[2] + box[5] / 2))
        for ring in (foot, top):
            canvas.area(ring, look)
        for low, high in zip(foot, top, strict=True):
            canvas.line([low, high], look)
    canvas.text(400, 70, f"IoU of the boxes (obb) = {iou:.3f}", "strong")
    canvas.text(400, 96, f"IoU of their bounds (aabb) = {bounds:.3f}")
    canvas.text(400, 130, "blue: ground truth", "truth")
    canvas.text(400, 150, "yellow: prediction, turned by 20°", "pred")
    return canvas


def _corners(box: list[float], z: float) -> list[Point]:
    """The four corners at a height, seen at an angle from above."""
    yaw = box[6] if len(box) > 6 else 0.0
    places = []
    for along, across in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        dx, dy = along * box[3] / 2, across * box[4] / 2
        x = box[0] + dx * math.cos(yaw) - dy * math.sin(yaw)
        y = box[1] + dx * math.sin(yaw) + dy * math.cos(yaw)
        places.append((180 + 95 * x + 45 * y, 115 + 18 * x - 45 * y - 85 * (z - 0.5)))
    return places


DRAWINGS = {
    "dense_matching": matching,
    "dense_sweep": sweep,
    "causes": causes,
    "ruler_region": region,
    "ruler_tube": tube,
    "line_coverage": coverage,
    "ruler_cuboid": cuboid,
}
