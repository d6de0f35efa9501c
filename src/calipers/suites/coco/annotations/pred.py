"""Detections of COCO: what cannot be used keeps its row, with a problem in words that are alike for the same problem.

Problems are counted by these words, so they name no values. A detection without a score has a problem if others have
one; where none has, they cannot be ranked, and that is said elsewhere. Where boxes are measured, one that has only a
mask has the box and the area of that; where masks are, one that has only a box has this for its mask.
"""

from __future__ import annotations

import numpy as np

from calipers.files.json_checks import RepeatedKeyDict
from calipers.suites.coco.annotations.images import Dataset
from calipers.suites.coco.annotations.lookup import look_up
from calipers.suites.coco.annotations.shapes import (
    Canvas,
    UnusableError,
    count_points,
    draw,
    point_boxes,
    read_keypoints,
    read_mask,
)
from calipers.suites.coco.annotations.truth import Checked, Chosen, are_finite, unfit_boxes
from calipers.suites.coco.formats.rows import BOX, SCORE, RowColumns

UNREAD = {
    "bbox": "bbox: not 4 numbers",
    "score": "score: not a number",
}


class Problems(dict[int, str]):
    """Rows that cannot be used, each with the first problem that was found in it."""

    def add(self, chosen: Chosen, words: str) -> None:
        """Note a problem of the chosen rows, where they have none yet."""
        for row in np.flatnonzero(chosen).tolist():
            self.setdefault(row, words)


def check_pred(
    rows: RowColumns,
    data: Dataset,
    iou_type: str,
    points: int,
    known: dict[int, str] | None = None,
    *,
    has_scores: bool = False,
) -> tuple[Checked, Problems]:
    """All detections, and what is wrong with those that cannot be used; of some that may be known. `has_scores` is
    whether others that are not among these rows have scores."""
    image = look_up(rows, "image_id", data.images.ids, f"an image of {data.path}")
    category = look_up(rows, "category_id", data.categories.ids, f"a category of {data.path}")
    problems = Problems(known or {})
    unread_fields(rows, problems)
    checked = Checked(rows, image, category)
    if iou_type == "segm":
        checked = _with_masks(checked, data, problems)
    if iou_type == "bbox" and rows.shapes is not None:
        checked = _with_boxes_of_masks(checked, data, problems)
    if iou_type == "keypoints":
        checked = _with_keypoints(checked, points or count_points(data, rows.shapes or []), problems)
    judge_numbers(rows, problems, has_scores=has_scores)
    return checked, problems


def unread_fields(rows: RowColumns, problems: Problems) -> None:
    """Add problems of rows whose box or score could not be read; unreadable ids are errors elsewhere."""
    for row, fields in rows.wrong.items():
        for field, value in fields.items():
            if field in UNREAD:
                problems.setdefault(
                    row, f"{field}: given twice" if isinstance(value, RepeatedKeyDict) else UNREAD[field]
                )


def judge_numbers(rows: RowColumns, problems: Problems, *, has_scores: bool = False) -> None:
    """Add problems of rows whose box or score is missing or out of range."""
    unfit = unfit_boxes(rows.box)
    if unfit.any():
        has_box, finite = ~rows.lacks(BOX), are_finite(rows.box)
        problems.add(has_box & ~finite, "bbox: not finite")
        problems.add(~has_box & ~finite, "bbox: missing")
        problems.add(unfit, "bbox: negative width or height")
    endless = ~np.isfinite(rows.score)
    if endless.any():
        problems.add(endless & ~rows.lacks(SCORE), "score: not finite")
        if has_scores or not endless.all():  # beside detections that have one
            problems.add(rows.lacks(SCORE), "score: missing")
        rows.score[endless] = np.nan


def _with_masks(checked: Checked, data: Dataset, problems: Problems) -> Checked:
    """The masks, with their boxes and areas where there is no box: with one, that says how large a detection is."""
    rows, canvas = checked.rows, Canvas(data.images, data.path)
    images, masks, boxless = checked.image.tolist(), [None] * rows.count, rows.lacks(BOX).tolist()
    areas, unfit = np.full(rows.count, np.nan), unfit_boxes(rows.box).tolist()
    for row, shape in enumerate(rows.shapes or []):
        if shape is None and boxless[row]:
            problems.setdefault(row, "segmentation: missing")
        if shape is None and unfit[row]:
            continue
        shape = _outline(rows.box[row].tolist()) if shape is None else shape
        try:
            mask = read_mask(shape, images[row], canvas)
        except UnusableError as problem:
            problems.setdefault(row, f"segmentation: {problem}")
            continue
        masks[row] = mask.segmentation
        if boxless[row]:
            areas[row], rows.box[row] = draw(mask, images[row], canvas)
    return checked._replace(masks=masks, area=areas)


def _outline(box: list[float]) -> list[list[float]]:
    """A box as polygons.

    >>> _outline([1, 2, 10, 20])
    [[1, 2, 1, 22, 11, 22, 11, 2]]
    """
    x, y, width, height = box
    return [[x, y, x, y + height, x + width, y + height, x + width, y]]


def _with_boxes_of_masks(checked: Checked, data: Dataset, problems: Problems) -> Checked:
    """Boxes and areas of the masks where there is no box."""
    rows, canvas, areas = checked.rows, Canvas(data.images, data.path), np.full(checked.rows.count, np.nan)
    shapes = rows.shapes or []
    for row in np.flatnonzero(rows.lacks(BOX)).tolist():
        if shapes[row] is None or row in problems:
            continue
        image = int(checked.image[row])
        try:
            areas[row], rows.box[row] = draw(read_mask(shapes[row], image, canvas), image, canvas)
        except UnusableError as problem:
            problems[row] = f"segmentation: {problem}"
    return checked._replace(area=areas)


def _with_keypoints(checked: Checked, points: int, problems: Problems) -> Checked:
    """The keypoints, with their boxes where there is none."""
    rows = checked.rows
    flat = np.zeros((rows.count, 3 * points))
    for row, shape in enumerate(rows.shapes or []):
        try:
            flat[row] = read_keypoints(shape, points)
        except UnusableError as problem:
            problems.setdefault(row, "keypoints: missing" if shape is None else f"keypoints: {problem}")
    keypoints = flat.reshape(rows.count, points, 3)
    boxless = rows.lacks(BOX)
    if boxless.any() and points:
        rows.box[boxless] = point_boxes(keypoints[boxless], np.ones((int(boxless.sum()), points), np.bool_))
    return checked._replace(keypoints=keypoints)
