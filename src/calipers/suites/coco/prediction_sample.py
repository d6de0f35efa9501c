"""Detections as they are given, also those that a run refuses: with the ids or numbers that stand in their files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from calipers.core.errors import InputError
from calipers.core.survey import Kind, counted, shown_first
from calipers.suites.coco.annotations.images import find_ids
from calipers.suites.coco.columns import Detections, Whole
from calipers.suites.coco.formats.coco_json import CocoSide, Loading, coco_in_memory, converted_rows, read_coco
from calipers.suites.coco.formats.pieces import SHARD_BYTES, until_error
from calipers.suites.coco.formats.rows import BOX, CATEGORY, IMAGE, Origin
from calipers.suites.coco.formats.table import read_shard
from calipers.suites.coco.formats.yolo import read_numbered
from calipers.suites.coco.interpretations import DetectionRows, Numbers
from calipers.suites.coco.read import SidesReader, read_detections
from calipers.suites.coco.survey import DATASET, RESULTS, is_yolo

NOBODY = -(1 << 62)  # an id for detections without one
COCO_JSON = (DATASET, RESULTS)


def read_side(source: Any) -> CocoSide:
    """Results as columns, before any id is looked up."""
    if isinstance(source, (str, os.PathLike)):
        return read_coco(Loading(os.fspath(source)), "bbox", truth=False)
    return coco_in_memory(source, "<pred>", "bbox", truth=False)


class PredictionSample:
    """Predictions of some kind beside their ground truth, before and after a run would have read them."""

    def __init__(self, gt: Any, pred: Any, kind: Kind, options: Mapping[str, Any]) -> None:
        self._pred, self._kind, self._options = pred, kind, options
        self._gt, images = gt, options.get("images")
        reading = SidesReader(gt, [], "bbox", (options.get("gt_format"), None), images)
        self.truth: Detections = reading.detections(until_error(reading.shards(SHARD_BYTES), read_shard))
        self.known = reading.known()

    @cached_property
    def as_run(self) -> Detections | InputError:
        """Both sides as the suite reads them, or why it refuses to."""
        try:
            return read_detections(self._gt, self._pred, **self._options)
        except InputError as error:
            return error

    @cached_property
    def rows(self) -> DetectionRows:
        """The detections; other formats than COCO and YOLO are converted, so that their ids are known."""
        if self._options.get("iou_type", "bbox") == "bbox" and self._kind in COCO_JSON:
            return self._coco_rows(read_side(self._pred))
        if self._options.get("iou_type", "bbox") == "bbox" and is_yolo(self._kind):
            return self._yolo_rows()
        if isinstance(self.as_run, InputError):
            raise self.as_run
        guess, detections = self.as_run.pred, self.as_run
        return DetectionRows(
            detections.images.ids[guess.image],
            detections.categories.ids[guess.category],
            guess.box,
            guess.score,
            {},
            {},
        )

    def _coco_rows(self, side: CocoSide) -> DetectionRows:
        rows = side.rows
        images, categories = (
            {row: fields[name] for row, fields in rows.wrong.items() if isinstance(fields.get(name), str)}
            for name in ("image_id", "category_id")
        )
        ids = _ids(rows, "image_id"), _ids(rows, "category_id")
        if side.lists and isinstance(self.as_run, Detections):  # a data set, which may be joined by names
            ids = _joined_ids(self.as_run, rows.count)
        return DetectionRows(*ids, self._boxes(rows), rows.score, images, categories)

    def _boxes(self, rows: Any) -> Any:
        """(rows, 4) as they are written; where a mask stands for a box, that of the mask."""
        if rows.shapes is None or isinstance(self.as_run, InputError):
            return rows.box
        derived = np.full_like(rows.box, np.nan)
        derived[self.as_run.pred.place] = self.as_run.pred.box
        return np.where(rows.lacks(BOX)[:, None], derived, rows.box)

    def _yolo_rows(self) -> DetectionRows:
        images = self._options.get("images")
        converted = read_numbered(os.fspath(self._pred), self.known, None if images is None else os.fspath(images))
        rows = converted_rows(converted.rows.columns, Origin(os.fspath(self._pred), "", converted.rows.places), "bbox")
        meant = np.array([NOBODY if category is None else category for category in converted.meant], np.int64)
        numbers = Numbers(rows.category, find_ids(self.truth.categories.ids, meant)[0])
        places = numbers.moved(0)
        ids = np.where(places < 0, NOBODY, np.append(self.truth.categories.ids, NOBODY)[places])
        return DetectionRows(rows.image, ids, rows.box, rows.score, {}, {}, numbers)

    def unknown(self) -> tuple[list[str], int]:
        """Ids and classes that the ground truth does not have, in words, and how many detections have such.

        Those that have no id at all are told by whoever looks at the file alone, and are not counted here.
        """
        images = np.sort(np.array([image["id"] for image in self.known.images], np.int64), kind="stable")
        lost = {"image_id": _lost(self.rows.image, images)}
        if self.rows.numbers is None:
            lost["category_id"] = _lost(self.rows.category, self.truth.categories.ids)
        whole = (self.rows.image != NOBODY) & ((self.rows.category != NOBODY) | (self.rows.numbers is not None))
        columns = {"image_id": self.rows.image, "category_id": self.rows.category}
        texts = [text for name, mask in lost.items() for text in _words(name, columns[name], mask, "an id")]
        if self.rows.numbers is not None:
            lost["class"] = self.rows.category == NOBODY
            texts += _words("class", self.rows.numbers.written, lost["class"], "a number")
        return texts, int((np.any(list(lost.values()), axis=0) & whole).sum())


def _ids(rows: Any, field: str) -> Whole:
    """Ids, and one that nobody has where there is none that could be read."""
    column, bit = (rows.image, IMAGE) if field == "image_id" else (rows.category, CATEGORY)
    ids = np.where(rows.lacks(bit), NOBODY, column)
    ids[[row for row, fields in rows.wrong.items() if field in fields or "" in fields]] = NOBODY
    return ids


def _joined_ids(detections: Detections, count: int) -> tuple[Whole, Whole]:
    """(rows,) ids of the ground truth, as the suite found them by names."""
    ids = np.full((2, count), NOBODY)
    ids[0, detections.pred.place] = detections.images.ids[detections.pred.image]
    ids[1, detections.pred.place] = detections.categories.ids[detections.pred.category]
    return ids[0], ids[1]


def _lost(ids: Whole, known: Whole) -> Any:
    """(rows,) whether an id is there and the ground truth does not have it."""
    return ~find_ids(known, ids)[1] & (ids != NOBODY)


def _words(name: str, ids: Whole, lost: Any, what: str) -> Iterator[str]:
    if lost.any():
        some_ids = shown_first([str(ident) for ident in np.unique(ids[lost]).tolist()])
        share = f"{int(lost.sum()):,} of {counted(len(lost), 'detection')}"
        yield f"{name}: {share} with {what} that the ground truth does not have: {some_ids}"
