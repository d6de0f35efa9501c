"""Warnings about what is allowed and yet suspicious: one per kind, with the number and the first of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from calipers.core.errors import keyword
from calipers.kernels.shape.cocoboxes import outside, repeated
from calipers.suites.coco.annotations.rows import AREA, BOX, CROWD, IDENTITY, SCORE, Origin, RowColumns
from calipers.suites.coco.columns import Images, Instances, Whole
from calipers.suites.coco.formats.coco_json import CocoSide

AREA_SLACK = 1.01
ALL_INVALID = "all detections are invalid and match nothing"
DERIVED = {
    "bbox": "detections without bbox, which is that of their mask",
    "segm": "detections without segmentation, whose mask is their box",
}
BY_BOX, BY_MASK, BY_KEYPOINTS = (keyword("iou_type", kind) for kind in ("bbox", "segm", "keypoints"))
OTHER_TYPES = {
    "bbox: missing": f"; keypoints are measured by {BY_KEYPOINTS}",
    "segmentation: missing": f"; keypoints are measured by {BY_KEYPOINTS}",
    "keypoints: missing": f"; boxes are measured by {BY_BOX}, masks by {BY_MASK}",
}
Chosen = NDArray[np.bool_]


def absent_fields(rows: RowColumns, truth: Instances) -> Iterator[str]:
    """Fields that annotations lack, and what is taken instead; nothing of formats that never have them."""
    if rows.origin.places is not None:
        return
    for field, words in (
        (AREA, "annotations without area, which is that of the mask or of the box"),
        (CROWD, "annotations without iscrowd, which is 0"),
        (IDENTITY, "annotations without id, which were numbered"),
    ):
        yield from _said(rows.origin, truth.place[rows.lacks(field)[truth.place]], words)


def truth_warnings(truth: Instances, images: Images, origin: Origin, iou_type: str) -> Iterator[str]:
    """Warnings about annotations."""
    size = truth.box[:, 2] * truth.box[:, 3]
    larger = (size > 0) & (truth.area > size * AREA_SLACK) & (iou_type == "bbox")
    for chosen, words in (
        (_repeated(truth), "annotations given twice, with the same image, category and box"),
        (size == 0, "annotations with a box of no area, which nothing can match"),
        (_outside(truth, images), "annotations completely outside of their images"),
        (larger, "annotations with more area than their boxes"),
    ):
        yield from _said(origin, truth.place[chosen], words)


def pred_warnings(pred: Instances, images: Images, origin: Origin) -> Iterator[str]:
    """Warnings about detections that can be used."""
    for chosen, words in (
        (_repeated(pred), "detections given twice, with the same image, category, box and score"),
        (_outside(pred, images), "detections completely outside of their images"),
    ):
        yield from _said(origin, pred.place[chosen], words)


def derived_shapes(rows: RowColumns, pred: Instances, iou_type: str) -> Iterator[str]:
    """Detections with a box where masks are measured, or the other way round."""
    if rows.shapes is None or iou_type not in DERIVED:
        return
    absent = rows.lacks(BOX) if iou_type == "bbox" else np.array([shape is None for shape in rows.shapes], np.bool_)
    derived = absent[pred.place]
    derived[list(pred.problems)] = False
    yield from _said(rows.origin, pred.place[derived], DERIVED[iou_type])


def none_usable(pred: Instances, origin: Origin) -> Iterator[str]:
    """Detections that are all invalid."""
    if len(pred) and len(pred.problems) == len(pred):
        first = min(pred.problems, key=lambda row: int(pred.place[row]))
        words = pred.problems[first]
        hint = OTHER_TYPES.get(words, "") if origin.places is None else ""
        where = f"first {origin.place(int(pred.place[first]))}"
        yield f"{origin.path}: {ALL_INVALID}: {words} ({where} of {len(pred):,}; calipers check tells more){hint}"


def mistaken_file(side: CocoSide) -> Iterator[str]:
    """Predictions that look like ground truth."""
    rows = side.rows
    if "images" in side.lists and rows.origin.places is None and rows.count and rows.lacks(SCORE).all():
        yield f"{rows.origin.path}: a data set without scores was given as predictions: is it the ground truth?"


def _said(origin: Origin, places: Whole, words: str) -> Iterator[str]:
    if len(places):
        yield f"{origin.path}: {words}: {len(places)} (first {origin.place(int(places.min()))})"


def _repeated(rows: Instances) -> Chosen:
    """(rows,) whether one before it is the same."""
    is_repeated = repeated(rows.offsets, rows.category, rows.box.reshape(-1), rows.score)
    return np.asarray(is_repeated).view(np.bool_)


def _outside(rows: Instances, images: Images) -> Chosen:
    """(rows,) whether a box shares nothing with its image."""
    return np.asarray(outside(rows.image, rows.box.reshape(-1), images.width, images.height)).view(np.bool_)
