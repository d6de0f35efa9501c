"""Annotations of COCO: ids are looked up, values are judged, and what is missing is derived where that can be done."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.errors import InputError
from calipers.files.problems import BadAnnotation
from calipers.suites.coco.annotations.faults import Faults
from calipers.suites.coco.annotations.images import Dataset, find_ids
from calipers.suites.coco.annotations.shapes import (
    Canvas,
    UnusableError,
    count_points,
    draw,
    point_boxes,
    read_keypoints,
    read_mask,
)
from calipers.suites.coco.columns import Codes, Floats, Whole
from calipers.suites.coco.formats.rows import AREA, BOX, CATEGORY, IDENTITY, IMAGE, LARGEST, VISIBLE, RowColumns

Chosen = NDArray[np.bool_]
ENDLESS = 1e100  # what is larger is as good as infinite, for its area may be


class Checked(NamedTuple):
    """Rows in the order they were given; those at fault mean nothing, nor do those with a problem."""

    rows: RowColumns
    image: Codes  # (rows,) -1 where it is not known
    category: Codes
    area: Floats | None = None  # (rows,) of the masks of detections that came without a box, else NaN
    masks: list[Any] | None = None
    keypoints: Floats | None = None  # (rows, points, 3)
    visible: Whole | None = None


class Truth(NamedTuple):
    """Annotations, those of them that are bad, and (images,) which images hold none of these."""

    checked: Checked
    bad: list[BadAnnotation]
    kept: Chosen
    points: int  # keypoints of a row
    bad_rows: list[int]


def check_truth(rows: RowColumns, data: Dataset, iou_type: str) -> Truth:
    """Check all annotations of a ground truth."""
    image, image_known = find_ids(data.images.ids, rows.image)
    image_known &= ~rows.lacks(IMAGE)
    category, category_known = find_ids(data.categories.ids, rows.category)
    faults = Faults(rows)
    faults.add("")
    faults.add("image_id", ~image_known)
    faults.add("category_id", rows.lacks(CATEGORY) | ~category_known)
    for field in ("bbox", "area", "iscrowd", "segmentation", "keypoints", "num_keypoints", "id"):
        faults.add(field)
    checked, points = Checked(rows, image, category), 0
    if iou_type == "segm":
        checked = checked._replace(masks=_masks(checked, data, faults))
    if iou_type == "keypoints":
        points = count_points(data, rows.shapes or [])
        checked = _with_keypoints(checked, points, faults)
    unfit = unfit_boxes(rows.box)
    faults.add("bbox", unfit)
    rows.box[unfit] = np.nan
    _derive_areas(checked, data, faults)
    faults.add("area", ~((rows.area >= 0) & (rows.area < np.inf)))
    _complete_ids(rows)
    kept = np.ones(len(data.images.ids), np.bool_)
    kept[[image[row] for row in faults.problem_by_row if image_known[row]]] = False
    image[~image_known] = -1
    images = {row: data.images.names[image[row]] for row in faults.problem_by_row if image_known[row]}
    return Truth(checked, faults.bad(images), kept, points, sorted(faults.problem_by_row))


def unfit_boxes(box: Floats) -> Chosen:
    """(rows,) whether a box is missing, is not finite or has a negative size."""
    if not len(box) or (box.min() > -ENDLESS and box.max() < ENDLESS and box[:, 2:].min() >= 0):  # the quick question
        return np.zeros(len(box), np.bool_)
    return ~(are_finite(box) & (box[:, 2] >= 0) & (box[:, 3] >= 0))


def are_finite(box: Floats) -> Chosen:
    """(rows,) whether all of a box is finite."""
    return np.asarray((np.abs(box) < ENDLESS).all(axis=1))


def _masks(checked: Checked, data: Dataset, faults: Faults) -> list[Any]:
    """(rows,) the masks; where a box or an area is missing it is that of the mask."""
    rows, canvas = checked.rows, Canvas(data.images, data.path)
    wanting = (rows.lacks(AREA) | rows.lacks(BOX)).tolist()
    images, masks = checked.image.tolist(), [None] * rows.count
    for row, shape in enumerate(rows.shapes or []):
        if row in faults.problem_by_row:
            continue
        try:
            mask = read_mask(shape, images[row], canvas)
        except UnusableError as problem:
            faults.add_row(row, "segmentation", shape, str(problem) if shape is not None else "")
            continue
        masks[row] = mask.segmentation
        if wanting[row]:
            _complete(rows, row, *draw(mask, images[row], canvas))
    return masks


def _complete(rows: RowColumns, row: int, area: float, box: tuple[float, ...]) -> None:
    """The box and the area of a row, where it has none."""
    if not rows.has[row] & AREA:
        rows.area[row] = area
    if not rows.has[row] & BOX:
        rows.box[row] = box


def _with_keypoints(checked: Checked, points: int, faults: Faults) -> Checked:
    """The keypoints; where a box is missing it is that around the labelled ones."""
    rows = checked.rows
    flat = np.zeros((rows.count, 3 * points))
    for row, shape in enumerate(rows.shapes or []):
        if row not in faults.problem_by_row:
            try:
                flat[row] = read_keypoints(shape, points)
            except UnusableError as problem:
                faults.add_row(row, "keypoints", shape, f"{problem}, {points} points" if shape is not None else "")
    keypoints = flat.reshape(rows.count, points, 3)
    labelled = keypoints[..., 2] > 0
    visible = np.where(rows.lacks(VISIBLE), labelled.sum(axis=1), rows.visible)
    faults.add("num_keypoints", visible < 0)
    boxless = rows.lacks(BOX)
    if boxless.any():
        rows.box[boxless] = point_boxes(keypoints[boxless], labelled[boxless])
    return checked._replace(keypoints=keypoints, visible=visible)


def _derive_areas(checked: Checked, data: Dataset, faults: Faults) -> None:
    """Set missing areas to that of the mask, or else of the box."""
    rows, canvas = checked.rows, Canvas(data.images, data.path)
    for row, fields in rows.odd.items():  # a row with a mask and without an area is one
        if row in faults.problem_by_row or rows.has[row] & AREA or not np.isnan(rows.area[row]):
            continue
        try:
            image = int(checked.image[row])
            rows.area[row] = draw(read_mask(fields.get("segmentation"), image, canvas), image, canvas)[0]
        except UnusableError:  # which is nobody's fault where boxes are measured
            continue
    bare = np.flatnonzero(rows.lacks(AREA) & np.isnan(rows.area))
    rows.area[bare] = rows.box[bare, 2] * rows.box[bare, 3]


def _complete_ids(rows: RowColumns) -> None:
    """Check that ids of annotations are unique; those without one get ids after the largest."""
    bare = rows.lacks(IDENTITY)
    if not bare.any() and (rows.ids[1:] > rows.ids[:-1]).all():
        return
    with_id = np.flatnonzero(~bare)
    order = with_id[np.argsort(rows.ids[with_id], kind="stable")]
    again = np.flatnonzero(np.diff(rows.ids[order]) == 0)
    if len(again):
        first, second = sorted((int(order[again[0]]), int(order[again[0] + 1])))
        names = f"{rows.origin.name(first)} and {rows.origin.place(second)}"
        raise InputError(f"{names}: both have the id {rows.ids[first]}, expected each id once")
    wanted, last = int(bare.sum()), int(rows.ids[order[-1]]) if len(order) else 0
    free = np.arange(last + 1, last + 1 + wanted) if last + wanted < LARGEST else _unused(rows.ids[with_id], rows.count)
    rows.ids[bare] = free[:wanted]


def _unused(ids: Whole, rows: int) -> Whole:
    """Numbers that are no ids, from 1 on: enough for all rows without one."""
    return np.setdiff1d(np.arange(1, rows + 1), ids)
