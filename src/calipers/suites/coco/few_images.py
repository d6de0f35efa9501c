"""Detections on the first images that have annotations, as they are and read otherwise: what a poor headline may be."""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.core.interpretations import fits_far_better, ranked, sample_of
from calipers.core.survey import SidesCheck
from calipers.suites.coco.check import AP, F1, OVERLAP
from calipers.suites.coco.columns import Detections, Images, Instances
from calipers.suites.coco.config import Config
from calipers.suites.coco.interpretations import (
    DetectionRows,
    TruthSide,
    coco_trial,
    has_ap,
    other_readings,
    pairs_on_images,
)

FEW_IMAGES, FEW_PAIRS = 20, 100_000


def compare_few(detections: Detections, *, yolo: bool) -> SidesCheck:
    """Detections on the first images that have annotations, as they are and read otherwise."""
    few = _on_few_images(detections)
    ground, guess, config = TruthSide(few, FEW_IMAGES, yolo=yolo), few.pred, Config(bootstrap=0)
    rows = DetectionRows(
        few.images.ids[guess.image], few.categories.ids[guess.category], guess.box, guess.score, {}, {}
    )
    sides = SidesCheck("", "", AP if has_ap(rows.score, len(few.categories)) else F1, OVERLAP)
    if not len(guess) or pairs_on_images(ground, rows) > FEW_PAIRS:
        return sides
    now = coco_trial(ground, rows, ground.ids(rows), rows.box, config)
    sides.score, sides.overlap = now
    sides.sample = sample_of(len(few.images), None, "images")
    sides.readings = ranked(now, other_readings(ground, rows, config), fits_far_better)
    return sides


def _on_few_images(detections: Detections) -> Detections:
    """The first images that have annotations, and what is on them."""
    few = np.flatnonzero(np.diff(detections.truth.offsets) > 0)[:FEW_IMAGES]
    images = detections.images
    names = [images.names[at] for at in few.tolist()]
    return detections._replace(
        images=Images(images.ids[few], names, images.width[few], images.height[few]),
        truth=_rows_on(detections.truth, few),
        pred=_rows_on(detections.pred, few),
    )


def _rows_on(side: Instances, images: Any) -> Instances:
    """The rows of a side that are on some images (ascending), which are counted anew."""
    keep = np.isin(side.image, images)
    columns = {
        name: getattr(side, name)[keep] for name in ("category", "box", "area", "crowd", "score", "ids", "place")
    }
    image = np.searchsorted(images, side.image[keep]).astype(np.int32)
    return Instances(image=image, **columns, problems={}, images=len(images))
