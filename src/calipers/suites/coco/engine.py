"""COCO's accumulated curves, by hotcoco: the one place that knows the engine.

What goes in was checked and is counted from 0; ids of our own making (from 1) go to the engine, so that no id of a
user can mean anything to it. What comes out are pycocotools' arrays, undefined as NaN instead of -1.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.suites.coco.columns import Detections, Instances
from calipers.suites.coco.forked import call_engine

AREAS = {"bbox": ("all", "small", "medium", "large"), "keypoints": ("all", "medium", "large")}
AREAS["segm"] = AREAS["bbox"]
CLASSES_AT_ONCE = 500  # the engine takes a tenth of a megabyte and more for each
THRESHOLDS = np.linspace(0.5, 0.95, 10)  # as pycocotools has them, to the bit


class Accumulated(NamedTuple):
    """pycocotools' `eval`: axes are thresholds, recall steps, classes, areas, numbers of detections.

    Only classes with ground truth have curves, and precision is that of the most detections only: the curves of a class
    take 32 kilobytes, and a data set may name thousands that it has nothing of.
    """

    precision: NDArray[np.float64]  # (10, 101, held, areas, 1)
    recall: NDArray[np.float64]  # (10, held, areas, max_dets)
    held: NDArray[np.int64]  # (held,) which of all classes these are, ascending


def accumulate(
    found: Detections, *, iou_type: str, max_dets: tuple[int, ...], sigmas: tuple[float, ...] | None = None
) -> Accumulated:
    """Match and accumulate; a detection with a problem takes no part."""
    return call_engine(partial(_accumulate, iou_type=iou_type, max_dets=max_dets, sigmas=sigmas), found)


def _accumulate(
    found: Detections, *, iou_type: str, max_dets: tuple[int, ...], sigmas: tuple[float, ...] | None
) -> Accumulated:
    """A few classes at a time, as the engine takes a tenth of a megabyte and more for each."""
    held = np.unique(found.truth.category).astype(np.int64)
    curves = no_curves(iou_type, max_dets, held)
    for first in range(0, len(held), CLASSES_AT_ONCE):
        some = held[first : first + CLASSES_AT_ONCE]
        part = found if len(some) == len(held) else _of_classes(found, some)
        precision, recall = _accumulate_some(part, some, iou_type, max_dets, sigmas)
        place = slice(first, first + len(some))
        curves.precision[:, :, place] = _cells(precision[..., -1:])
        curves.recall[:, place] = _cells(recall)
    return curves


def _accumulate_some(
    found: Detections,
    held: NDArray[np.int64],
    iou_type: str,
    max_dets: tuple[int, ...],
    sigmas: tuple[float, ...] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The engine's own arrays for some classes, which are all that the annotations have."""
    import hotcoco

    truth = _truth(found, iou_type, held)
    federated = bool(found.pred.crowd.any())
    engine = hotcoco.COCOeval(truth, _results(truth, found, iou_type, held), iou_type, lvis_style=federated)
    engine.params.max_dets = list(max_dets)
    if sigmas is not None:
        engine.params.kpt_oks_sigmas = list(sigmas)
    engine.evaluate()
    engine.accumulate()
    arrays = engine.eval
    if arrays is None:
        raise AssertionError("hotcoco accumulated nothing")
    return arrays["precision"], arrays["recall"]


def _of_classes(found: Detections, classes: NDArray[np.int64]) -> Detections:
    """The annotations and the usable detections of some classes."""
    truth, pred = found.truth, found.pred
    return found._replace(
        truth=_some(truth, np.isin(truth.category, classes), len(found.images)),
        pred=_some(pred, usable(pred) & np.isin(pred.category, classes), len(found.images)),
    )


def _some(rows: Instances, keep: NDArray[np.bool_], images: int) -> Instances:
    names = ("image", "category", "box", "area", "crowd", "score", "ids", "place", "keypoints", "visible")
    columns: dict[str, Any] = {name: getattr(rows, name) for name in names}
    columns = {name: None if column is None else column[keep] for name, column in columns.items()}
    masks = rows.masks and [mask for mask, kept in zip(rows.masks, keep.tolist(), strict=True) if kept]
    return Instances(**columns, masks=masks, problems={}, images=images)


def no_curves(iou_type: str, max_dets: tuple[int, ...], held: NDArray[np.int64] | None = None) -> Accumulated:
    """Curves of some classes, yet to be filled; of no class at all, if none is given."""
    classes = np.empty(0, np.int64) if held is None else held
    areas = len(AREAS[iou_type])
    return Accumulated(
        np.empty((10, 101, len(classes), areas, 1)), np.empty((10, len(classes), areas, len(max_dets))), classes
    )


def _cells(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Undefined as NaN, and 1 as 1: pycocotools divides by a hair more than the detections there are.

    The engine's own array is overwritten.
    """
    values[values > 1 - 1e-12] = 1.0
    values[values < 0] = np.nan
    return values


def usable(pred: Instances) -> NDArray[np.bool_]:
    """Detections without a problem."""
    good = np.ones(len(pred), dtype=bool)
    good[list(pred.problems)] = False
    return good


def _truth(found: Detections, iou_type: str, held: NDArray[np.int64]) -> Any:
    """The ground truth as the engine has it, which counts the classes with ground truth."""
    import hotcoco

    truth, images, category = found.truth, _images(found, held), np.searchsorted(held, found.truth.category)
    categories = [{"id": k, "name": str(k)} for k in range(1, len(held) + 1)]
    if iou_type == "keypoints":
        rows = _annotations(truth, category)
        return hotcoco.COCO({"images": images, "categories": categories, "annotations": rows})
    return hotcoco.COCO.from_arrays(
        images,
        categories,
        truth.image.astype(np.int64) + 1,
        category.astype(np.int64) + 1,
        truth.box,
        ids=np.arange(1, len(truth) + 1),
        area=truth.area,
        iscrowd=truth.crowd,
        segmentation=truth.masks if iou_type == "segm" else None,
    )


def _images(found: Detections, held: NDArray[np.int64]) -> list[dict[str, Any]]:
    width, height = (
        np.nan_to_num(each).astype(np.int64).tolist() for each in (found.images.width, found.images.height)
    )
    images = [{"id": k, "width": w, "height": h} for k, (w, h) in enumerate(zip(width, height, strict=True), 1)]
    return _federated(found, images, held) if found.pred.crowd.any() else images


def _federated(found: Detections, images: list[dict[str, Any]], held: NDArray[np.int64]) -> list[dict[str, Any]]:
    """Images with LVIS's lists: every class that is left on an image was looked for, some are not fully annotated."""
    for name, rows in (
        ("neg_category_ids", np.arange(len(found.pred))),
        ("not_exhaustive_category_ids", np.flatnonzero(found.pred.crowd)),
    ):
        rows = rows[np.isin(found.pred.category[rows], held)]
        pairs = np.unique(np.column_stack([found.pred.image[rows], found.pred.category[rows]]), axis=0)
        ids = np.split(np.searchsorted(held, pairs[:, 1]) + 1, np.searchsorted(pairs[:, 0], np.arange(1, len(images))))
        images = [image | {name: each.tolist()} for image, each in zip(images, ids, strict=True)]
    return images


def _annotations(truth: Instances, category: NDArray[np.intp]) -> list[dict[str, Any]]:
    if truth.keypoints is None or truth.visible is None:
        raise AssertionError("keypoints were not read")
    columns = (truth.image, category, truth.box, truth.area, truth.crowd, truth.keypoints, truth.visible)
    names = ("image_id", "category_id", "bbox", "area", "iscrowd", "keypoints", "num_keypoints")
    rows = []
    for k, values in enumerate(zip(*(_plain(column) for column in columns), strict=True)):
        row = dict(zip(names, values, strict=True))
        rows.append(row | {"id": k + 1, "image_id": row["image_id"] + 1, "category_id": row["category_id"] + 1})
    return rows


def _plain(column: Any) -> list[Any]:
    """A row's values as JSON would have them; points in one flat list."""
    flat = column.reshape(len(column), int(np.prod(column.shape[1:]))) if column.ndim > 2 else column
    return (flat.astype(np.int64) if flat.dtype == bool else flat).tolist()  # type: ignore[no-any-return]


def _results(truth: Any, found: Detections, iou_type: str, held: NDArray[np.int64]) -> Any:
    """The detections of classes with ground truth."""
    pred, good = found.pred, usable(found.pred) & np.isin(found.pred.category, held)
    image, score = pred.image[good] + 1, pred.score[good]
    category = np.searchsorted(held, pred.category[good]) + 1
    if iou_type == "keypoints" and pred.keypoints is not None and len(score):
        columns = (image, category, pred.box[good], pred.keypoints[good], score)
        names = ("image_id", "category_id", "bbox", "keypoints", "score")
        rows = zip(*(_plain(column) for column in columns), strict=True)
        return truth.load_res([dict(zip(names, row, strict=True)) for row in rows])
    table = np.column_stack([image, np.nan_to_num(pred.box[good]), score, category])
    if iou_type == "segm" and pred.masks is not None:
        masks = [mask for mask, use in zip(pred.masks, good.tolist(), strict=True) if use]
        results = truth.load_res(table, segmentation=masks)
        results.update_anns(ids=np.arange(1, len(table) + 1), area=pred.area[good])
        return results
    results = truth.load_res(table)
    if (pred.area != pred.box[:, 2] * pred.box[:, 3])[good].any():  # boxes of masks
        results.update_anns(ids=np.arange(1, len(table) + 1), area=pred.area[good])
    return results
