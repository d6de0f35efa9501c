"""Detections of COCO: what cannot be used keeps its row, with a problem in words that are alike for the same problem.

Problems are counted by these words, so they name no values. A detection without a score is no problem.
"""

from __future__ import annotations

import numpy as np

from calipers.readers.coco_images import Dataset
from calipers.readers.coco_lookup import look_up
from calipers.readers.coco_rows import BOX, SCORE, Rows
from calipers.readers.coco_shapes import (
    Canvas,
    UnusableError,
    count_points,
    draw,
    point_boxes,
    read_keypoints,
    read_mask,
)
from calipers.readers.coco_truth import Checked, Chosen, are_finite, unfit_boxes
from calipers.readers.files import Doubled

UNREAD = {
    "bbox": "bbox: not 4 numbers",
    "score": "score: not a number",
}


class Problems(dict[int, str]):
    """Rows that cannot be used, each with the first that is wrong with it."""

    def add(self, chosen: Chosen, words: str) -> None:
        """The rows chosen."""
        for row in np.flatnonzero(chosen).tolist():
            self.setdefault(row, words)


def check_pred(
    rows: Rows, data: Dataset, iou_type: str, points: int, known: dict[int, str] | None = None
) -> tuple[Checked, Problems]:
    """All detections, and what is wrong with those that cannot be used; of some that may be known."""
    image = look_up(rows, "image_id", data.images.ids, f"an image of {data.path}")
    category = look_up(rows, "category_id", data.categories.ids, f"a category of {data.path}")
    problems = Problems(known or {})
    for row, fields in rows.wrong.items():
        field, value = next(iter(fields.items()))
        problems.setdefault(row, f"{field}: given twice" if isinstance(value, Doubled) else UNREAD[field])
    checked = Checked(rows, image, category)
    if iou_type == "segm":
        checked = _with_masks(checked, data, problems)
    if iou_type == "keypoints":
        checked = _with_keypoints(checked, points or count_points(data, rows.shapes or []), problems)
    _judge_numbers(rows, problems)
    return checked, problems


def _judge_numbers(rows: Rows, problems: Problems) -> None:
    unfit = unfit_boxes(rows.box)
    if unfit.any():
        given, finite = ~rows.lacks(BOX), are_finite(rows.box)
        problems.add(given & ~finite, "bbox: not finite")
        problems.add(~given & ~finite, "bbox: missing")
        problems.add(unfit, "bbox: negative width or height")
    endless = ~np.isfinite(rows.score)
    if endless.any():
        problems.add(endless & ~rows.lacks(SCORE), "score: not finite")
        rows.score[endless] = np.nan


def _with_masks(checked: Checked, data: Dataset, problems: Problems) -> Checked:
    """The masks, with their boxes and areas where there is no box: with one, that says how large a detection is."""
    rows, canvas = checked.rows, Canvas(data.images)
    images, masks, boxless = checked.image.tolist(), [None] * rows.count, rows.lacks(BOX).tolist()
    areas = np.full(rows.count, np.nan)
    for row, given in enumerate(rows.shapes or []):
        if given is None:
            problems.setdefault(row, "segmentation: missing")
            continue
        try:
            mask = read_mask(given, images[row], canvas)
        except UnusableError as problem:
            problems.setdefault(row, f"segmentation: {problem}")
            continue
        masks[row] = mask.given
        if boxless[row]:
            areas[row], rows.box[row] = draw(mask, images[row], canvas)
    return checked._replace(masks=masks, area=areas)


def _with_keypoints(checked: Checked, points: int, problems: Problems) -> Checked:
    """The keypoints, with their boxes where there is none."""
    rows = checked.rows
    found = np.zeros((rows.count, 3 * points))
    for row, given in enumerate(rows.shapes or []):
        try:
            found[row] = read_keypoints(given, points)
        except UnusableError as problem:
            problems.setdefault(row, "keypoints: missing" if given is None else f"keypoints: {problem}")
    keypoints = found.reshape(rows.count, points, 3)
    boxless = rows.lacks(BOX)
    if boxless.any() and points:
        rows.box[boxless] = point_boxes(keypoints[boxless], np.ones((int(boxless.sum()), points), np.bool_))
    return checked._replace(keypoints=keypoints)
