"""How close annotations and detections on an image are: by box, by mask, or by keypoints, as COCO has it.

- bbox: IoU of upright boxes.
- segm: IoU of masks, cell by cell on the image's grid.
- keypoints: object keypoint similarity. Each labelled point counts exp(-d² / (2 s² k²)), with d the distance, s² the
  area of the object and k twice the point's sigma; the similarity is the mean. Of an object without labelled points the
  distance is that to its box, grown by its own size on every side.

With a crowd region, boxes and masks overlap by the share of the prediction that lies in it. Pairs are those of one
image with an overlap of at least `least`, to the bit as pycocotools computes them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calipers.kernels.shape.cocoboxes import box_pairs
from calipers.suites.coco.columns import Detections, Images, Instances
from calipers.suites.coco.forked import call_engine

# Of the 17 points of COCO's person: the nose, then left and right of each other
SIGMAS = (0.026, *(sigma for sigma in (0.025, 0.035, 0.079, 0.072, 0.062, 0.107, 0.087, 0.089) for _ in range(2)))

Overlaps = tuple[Any, Any, Any]  # (pairs,) truth row, pred row, overlap
Matrix = NDArray[np.float64]


def hotcoco_version() -> dict[str, str]:
    """The version of hotcoco, which draws and compares masks, as an entry of `engines`."""
    import hotcoco

    return {"hotcoco": str(hotcoco.__version__)}


def overlaps(
    detections: Detections,
    iou_type: str,
    *,
    min_overlap: float,
    sigmas: tuple[float, ...] | None = None,
    most: int = sys.maxsize,
) -> Overlaps:
    """Every pair of one image that is this close, in the order of images, truths, preds.

    More than `most` of them (of masks and keypoints: more that are compared) raise an OverflowError with the image.
    """
    truth, pred = detections.truth, detections.pred
    if iou_type != "bbox":
        _check_pairs(truth, pred, most)
    if iou_type == "bbox":
        columns = box_pairs(
            truth.box.reshape(-1),
            truth.offsets,
            truth.crowd.view(np.uint8),
            pred.box.reshape(-1),
            pred.offsets,
            min_overlap,
            most,
        )
        return tuple(np.asarray(column) for column in columns)  # type: ignore[return-value]
    if iou_type == "segm":
        return call_engine(partial(_close_masks, min_overlap=min_overlap), detections)
    return _close_pairs(_keypoint_matrices(truth, pred, np.array(sigmas or SIGMAS)), min_overlap)


def _close_masks(detections: Detections, *, min_overlap: float) -> Overlaps:
    return _close_pairs(_mask_matrices(detections.truth, detections.pred, detections.images), min_overlap)


def _check_pairs(truth: Instances, pred: Instances, most: int) -> None:
    pairs = np.cumsum(np.diff(truth.offsets) * np.diff(pred.offsets))
    if len(pairs) and pairs[-1] > most:
        raise OverflowError(int(np.searchsorted(pairs, most, side="right")))


def _close_pairs(matrices: Iterator[tuple[Any, Any, Matrix]], min_overlap: float) -> Overlaps:
    """The pairs of some matrices of truths by preds, each with the rows it is about."""
    parts: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
    for rows, columns, matrix in matrices:
        i, j = np.nonzero(matrix >= max(min_overlap, 5e-324))
        for part, values in zip(parts, (rows[i], columns[j], matrix[i, j]), strict=True):
            part.append(values)
    kinds = (np.int32, np.int32, np.float64)
    return tuple(  # type: ignore[return-value]
        np.concatenate([np.empty(0, kind), *part]).astype(kind) for part, kind in zip(parts, kinds, strict=True)
    )


def _on_one_image(truth: Instances, pred: Instances) -> Iterator[tuple[int, Any, Any]]:
    """Images with something usable on both sides, and its rows."""
    for image in np.intersect1d(truth.image, pred.image).tolist():
        rows = np.arange(truth.offsets[image], truth.offsets[image + 1])
        columns = np.arange(pred.offsets[image], pred.offsets[image + 1])
        usable = [at for at in columns.tolist() if at not in pred.problems]
        if usable:
            yield image, rows, np.array(usable)


def _mask_matrices(truth: Instances, pred: Instances, images: Images) -> Iterator[tuple[Any, Any, Matrix]]:
    from hotcoco import mask

    if truth.masks is None or pred.masks is None:
        raise AssertionError("masks were not read")
    for image, rows, columns in _on_one_image(truth, pred):
        size = (int(images.height[image]), int(images.width[image]))
        truth_masks = [_as_rle(truth.masks[row], *size) for row in rows.tolist()]
        pred_masks = [_as_rle(pred.masks[column], *size) for column in columns.tolist()]
        yield rows, columns, mask.iou(pred_masks, truth_masks, truth.crowd[rows].tolist()).T


def _as_rle(shape: Any, height: int, width: int) -> dict[str, Any]:
    """Polygons of one object joined, or an RLE in the engine's own form."""
    from hotcoco import mask

    if isinstance(shape, list):
        return mask.merge(mask.frPyObjects(shape, height, width))
    rle: dict[str, Any] = shape
    return mask.frPyObjects(rle, height, width) if isinstance(rle["counts"], list) else rle


def _keypoint_matrices(truth: Instances, pred: Instances, sigmas: Matrix) -> Iterator[tuple[Any, Any, Matrix]]:
    if truth.keypoints is None or pred.keypoints is None:
        raise AssertionError("keypoints were not read")
    for _, rows, columns in _on_one_image(truth, pred):
        points = pred.keypoints[columns]
        similar = [
            _similarity(truth.keypoints[row], truth.box[row], float(truth.area[row]), points, sigmas) for row in rows
        ]
        yield rows, columns, np.array(similar)


def _similarity(truth: Matrix, box: Matrix, area: float, pred: Matrix, sigmas: Matrix) -> Matrix:
    """One object against some predictions of (points, 3)."""
    x, y, labelled = truth[:, 0], truth[:, 1], truth[:, 2] > 0
    if labelled.any():
        dx, dy = pred[:, :, 0] - x, pred[:, :, 1] - y
    else:  # how far outside of the grown box
        left, top, right, bottom = box[0] - box[2], box[1] - box[3], box[0] + box[2] * 2, box[1] + box[3] * 2
        dx = np.maximum(0.0, left - pred[:, :, 0]) + np.maximum(0.0, pred[:, :, 0] - right)
        dy = np.maximum(0.0, top - pred[:, :, 1]) + np.maximum(0.0, pred[:, :, 1] - bottom)
    error = (dx**2 + dy**2) / (sigmas * 2) ** 2 / (area + np.spacing(1)) / 2
    counted = error[:, labelled] if labelled.any() else error
    return np.asarray(np.exp(-counted).sum(axis=1) / counted.shape[1], dtype=np.float64)
