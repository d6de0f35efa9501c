"""Warnings about what is allowed and yet suspicious: one per kind, with the number and the first of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.errors import keyword
from calipers.kernels.shape.cocoboxes import outside, repeated
from calipers.suites.coco.columns import Images, Instances, Whole
from calipers.suites.coco.formats.coco_json import CocoSide
from calipers.suites.coco.formats.rows import AREA, BOX, CROWD, IDENTITY, SCORE, Origin, RowColumns

AREA_SLACK = 1.01
IS_TRUTH = "is it the ground truth?"
ALL_INVALID = "all detections are invalid and match nothing"
DERIVED = {
    "bbox": "detections without bbox, which is that of their mask",
    "segm": "detections without segmentation, whose mask is their box",
}
BY_BOX, BY_MASK, BY_KEYPOINTS = (keyword("iou_type", kind) for kind in ("bbox", "segm", "keypoints"))
OTHER_TYPES = {
    "bbox: missing": f"; expected [x, y, width, height] under that name; keypoints are measured by {BY_KEYPOINTS}",
    "segmentation: missing": f"; keypoints are measured by {BY_KEYPOINTS}",
    "keypoints: missing": f"; boxes are measured by {BY_BOX}, masks by {BY_MASK}",
}
ABSENT = {
    AREA: "annotations without area, which is that of the mask or of the box",
    CROWD: "annotations without iscrowd, which is 0",
    IDENTITY: "annotations without id, which were numbered",
}
TRUTH_WORDS = (
    "annotations given twice, with the same image, category and box",
    "annotations with a box of no area, which nothing can match",
    "annotations completely outside of their images",
    "annotations with more area than their boxes",
)
PRED_WORDS = (
    "detections given twice, with the same image, category, box and score",
    "detections completely outside of their images",
)
CORNERS = "boxes that reach outside of their images; as [x1, y1, x2, y2] they fit"
SIZED, BEYOND, NO_CORNERS = "on images of known size", "beyond their images", "no corners"  # counts behind CORNERS
ORDER = (*ABSENT.values(), CORNERS, *TRUTH_WORDS, *DERIVED.values(), *PRED_WORDS)  # as they are told
BEYOND_SLACK = 1.0  # pixels by which a box may reach beyond its image
MIN_BEYOND, CLEAR_SHARE, FIT_SHARE = 5, 0.25, 0.95  # boxes beyond, of all; those that fit as corners
Chosen = NDArray[np.bool_]


class Notice(NamedTuple):
    """A warning about some rows: its words, how many rows there are, and the first of them."""

    words: str
    rows: int
    first: int
    of: int = 0  # how many there are in all, where that is told

    def text(self, origin: Origin) -> str:
        """The warning."""
        of_all = f" of {self.of}" if self.of else ""
        return f"{origin.path}: {self.words}: {self.rows}{of_all} (first {origin.place(self.first)})"


class SideNotices(NamedTuple):
    """Notices about both sides, by rows as they were given."""

    truth: list[Notice]
    pred: list[Notice]
    bad_rows: list[int]  # of annotations that cannot be used


def join_notices(notices: Iterable[Notice]) -> list[Notice]:
    """Notices about the pieces of a list as those about all of it, in the order they are told."""
    joined: dict[str, Notice] = {}
    for words, rows, first, _ in notices:
        earlier = joined.get(words, Notice(words, 0, first))
        joined[words] = Notice(words, earlier.rows + rows, min(earlier.first, first))
    if SIZED in joined and BEYOND in joined:
        beyond, sized = joined[BEYOND], joined[SIZED].rows
        others = joined[NO_CORNERS].rows if NO_CORNERS in joined else 0
        if beyond.rows >= max(MIN_BEYOND, CLEAR_SHARE * sized) and others <= (1 - FIT_SHARE) * sized:
            joined[CORNERS] = Notice(CORNERS, beyond.rows, beyond.first, sized)
    return [joined[words] for words in ORDER if words in joined]


def absent_fields(rows: RowColumns, truth: Instances) -> Iterator[Notice]:
    """Fields that annotations lack, and what is taken instead; nothing of formats that never have them."""
    if rows.origin.places is not None:
        return
    for field, words in ABSENT.items():
        yield from _noticed(truth.place[rows.lacks(field)[truth.place]], words)


def truth_warnings(truth: Instances, images: Images, iou_type: str, *, as_written: bool = True) -> Iterator[Notice]:
    """Warnings about annotations; `as_written` is whether boxes are as they stand in the file, and not converted."""
    size = truth.box[:, 2] * truth.box[:, 3]
    larger = (size > 0) & (truth.area > size * AREA_SLACK) & (iou_type == "bbox")
    chosen = (_repeated(truth), size == 0, _outside(truth, images), larger)
    for which, words in zip(chosen, TRUTH_WORDS, strict=True):
        yield from _noticed(truth.place[which], words)
    if as_written:
        yield from _reaching_out(truth, images)


def _reaching_out(truth: Instances, images: Images) -> Iterator[Notice]:
    """How many boxes have an image of known size, reach beyond it, and would not fit it as two corners."""
    width, height = images.width[truth.image] + BEYOND_SLACK, images.height[truth.image] + BEYOND_SLACK
    sized = np.isfinite(truth.box[:, 0]) & (width + height > 0)
    x, y, third, fourth = truth.box.T
    beyond = (x + third > width) | (y + fourth > height)
    corners = (third >= x) & (fourth >= y) & (third <= width) & (fourth <= height)
    for which, words in ((sized, SIZED), (sized & beyond, BEYOND), (sized & ~corners, NO_CORNERS)):
        yield from _noticed(truth.place[which], words)


def pred_warnings(pred: Instances, images: Images) -> Iterator[Notice]:
    """Warnings about detections that can be used."""
    for which, words in zip((_repeated(pred), _outside(pred, images)), PRED_WORDS, strict=True):
        yield from _noticed(pred.place[which], words)


def derived_shapes(rows: RowColumns, pred: Instances, iou_type: str) -> Iterator[Notice]:
    """Detections with a box where masks are measured, or the other way round."""
    if rows.shapes is None or iou_type not in DERIVED:
        return
    absent = rows.lacks(BOX) if iou_type == "bbox" else np.array([shape is None for shape in rows.shapes], np.bool_)
    derived = absent[pred.place]
    derived[list(pred.problems)] = False
    yield from _noticed(pred.place[derived], DERIVED[iou_type])


def none_usable(pred: Instances, origin: Origin) -> Iterator[str]:
    """A warning if all detections are invalid."""
    if len(pred) and len(pred.problems) == len(pred):
        yield all_invalid(first_problem(pred), len(pred), origin)


def first_problem(pred: Instances) -> tuple[int, str]:
    """The place of the first detection that is invalid, and what is wrong with it."""
    first = min(pred.problems, key=lambda row: int(pred.place[row]))
    return int(pred.place[first]), pred.problems[first]


def all_invalid(first: tuple[int, str], count: int, origin: Origin) -> str:
    """The warning that all of so many detections are invalid, of which this is the first."""
    place, words = first
    hint = OTHER_TYPES.get(words, "") if origin.places is None else ""
    where = f"first {origin.place(place)}"
    return f"{origin.path}: {ALL_INVALID}: {words} ({where} of {count:,}; calipers check tells more){hint}"


def mistaken_file(side: CocoSide) -> Iterator[str]:
    """A warning where predictions look like a ground truth file."""
    rows = side.rows
    if "images" in side.lists and rows.origin.places is None and rows.count and rows.lacks(SCORE).all():
        yield f"{rows.origin.path}: a data set without scores was given as predictions: {IS_TRUTH}"


def _noticed(places: Whole, words: str) -> Iterator[Notice]:
    if len(places):
        yield Notice(words, len(places), int(places.min()))


def _repeated(rows: Instances) -> Chosen:
    """(rows,) whether one before it is the same."""
    is_repeated = repeated(rows.offsets, rows.category, rows.box.reshape(-1), rows.score)
    return np.asarray(is_repeated).view(np.bool_)


def _outside(rows: Instances, images: Images) -> Chosen:
    """(rows,) whether a box shares nothing with its image."""
    return np.asarray(outside(rows.image, rows.box.reshape(-1), images.width, images.height)).view(np.bool_)
