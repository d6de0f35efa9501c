"""Drawings of boxes in rooms: from above, the open set, and average precision by distance."""

from __future__ import annotations

from typing import Any

import calipers

from .canvas import Canvas

METRE = 56  # in pixels


def _box(label: str, x: float, y: float = 0, size: float = 1, **more: Any) -> dict[str, Any]:
    return {"label": label, "center": [x, y, 0.5], "size": [size, size, 1], **more}


def _draw(canvas: Canvas, item: dict[str, Any], look: str, left: float, top: float) -> tuple[float, float]:
    """The box from above; returns its centre."""
    x, y = left + METRE * item["center"][0], top + METRE * item["center"][1]
    wide = METRE * item["size"][0]
    canvas.box(x - wide / 2, y - wide / 2, wide, wide, look)
    return x, y


def footprints() -> Canvas:
    """Boxes from above: found, off, missed and false, with the centres that accuracy asks for."""
    truth = [_box("chair", 1), _box("table", 4, size=1.6), _box("door", 7)]
    pred = [_box("chair", 1.1, 0.1), _box("table", 4.5, 0.2), _box("lamp", 9)]
    report = calipers.scene(truth, pred, bootstrap=0)
    found = report["matches"]
    canvas = Canvas(660, 220, "Boxes from above")
    for item in truth:
        is_found = truth.index(item) in {pair["gt_index"] for pair in found}
        x, y = _draw(canvas, item, "truth" if is_found else "missed", 40, 80)
        canvas.text(x, y - METRE * item["size"][0] / 2 - 6, item["label"], "truth", "middle")
    for item in pred:
        is_found = pred.index(item) in {pair["pred_index"] for pair in found}
        x, y = _draw(canvas, item, "pred" if is_found else "wrong", 40, 80)
        canvas.dot(x, y, "inkdot", 3)
    for pair in found:
        x = 40 + METRE * truth[pair["gt_index"]]["center"][0]
        words = f"IoU {pair['iou']:.2f} · {pair['centroid_error_m']:.2f} m"
        canvas.text(x, 150, words, "strong", "middle")
        canvas.text(x, 168, "strict" if pair["strict"] else "relaxed", "quiet", "middle")
    canvas.text(40 + METRE * 7, 150, "missed", "wrong strong", "middle")
    canvas.text(40 + METRE * 9, 150, "false", "wrong strong", "middle")
    canvas.text(40, 204, "strict: both centres lie in the other box; relaxed: one does. Metres on the ground.", "quiet")
    return canvas


def open_set() -> Canvas:
    """What each task takes, and what is relevant to it."""
    truth = [_box("seat", 0.8), _box("seat", 2.8), _box("table", 5.6)]
    pred = [_box("seat", 0.8), _box("seat", 1.05), _box("seat", 5.6)]
    figures = calipers.scene(truth, pred, bootstrap=0)["benchmark_compat"]
    canvas = Canvas(660, 240, "Open set: each class asks for as many predictions as it has objects")
    for item in truth:
        x, y = _draw(canvas, item, "truth", 30, 80)
        canvas.text(x, y - 36, item["label"], "truth", "middle")
    for number, item in enumerate(pred):
        x, y = _draw(canvas, item, "wrong" if number else "pred", 30, 80)
        side = (-18, 24, 0)[number]
        canvas.text(x + side, y + 50, f"{number + 1}: {item['label']}", "wrong" if number else "pred", "middle")
    canvas.text(420, 60, "seat has 2 objects: takes 1 and 2", "")
    canvas.text(420, 80, "  1 is right, 2 is on the same seat", "quiet")
    canvas.text(420, 104, "table has 1 object: nothing is like it", "")
    canvas.text(30, 180, f"osR = right / objects = 1 / 3 = {figures['osR_relaxed']:.3f}", "strong")
    canvas.text(30, 204, f"osP = right / relevant predictions = 1 / 3 = {figures['osP_relaxed']:.3f}", "strong")
    canvas.text(30, 228, f"F1_os = {figures['F1_os']:.3f}", "strong")
    return canvas


def distance() -> Canvas:
    """Average precision where centres are near enough, whatever the boxes overlap."""
    truth = [_box("chair", 2, 1.2), _box("chair", 6, 1.2)]
    pred = [_box("chair", 2.4, 1.2, score=0.9), _box("chair", 7.2, 1.2, score=0.8)]
    ap = calipers.scene(truth, pred, bootstrap=0)["ap"]
    canvas = Canvas(660, 280, "Average precision by distance of centres")
    for item in truth:
        x, y = _draw(canvas, item, "truth", 20, 60)
        for metres in (0.5, 1.0, 2.0):
            canvas.dot(x, y, "dash", METRE * metres)
    for item, near in zip(pred, (0.4, 1.2), strict=True):
        x, y = _draw(canvas, item, "pred", 20, 60)
        canvas.dot(x, y, "inkdot", 3)
        canvas.text(x + 6, y - 6, f"{near} m", "strong")
    canvas.text(20, 268, "circles: 0.5, 1 and 2 m around the true centre", "quiet")
    for line, name in enumerate(("distance_0.5", "distance_1.0", "distance_2.0", "iou_0.25", "iou_0.50")):
        canvas.text(516, 60 + 26 * line, f"{name}  {ap[name]:.2f}", "strong" if "distance" in name else "")
    return canvas


DRAWINGS = {"scene_footprints": footprints, "scene_open_set": open_set, "scene_distance": distance}
