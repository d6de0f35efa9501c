"""Detections on some of the images alone."""

from __future__ import annotations

import numpy as np

from calipers.files.only import Keys
from calipers.suites.coco.columns import Detections, Images, Instances

COLUMNS = ("category", "box", "area", "crowd", "score", "ids", "place")


def only_images(found: Detections, keys: Keys) -> Detections:
    """What was read on the images that are named by file name or id; images with bad annotations stay left out."""
    images = found.images
    names = zip(images.names, images.ids.tolist(), strict=True)
    chosen = np.array([name in keys or str(ident) in keys for name, ident in names], np.bool_)
    kept = [name for name, wanted in zip(images.names, chosen.tolist(), strict=True) if wanted]
    return found._replace(
        images=Images(images.ids[chosen], kept, images.width[chosen], images.height[chosen]),
        truth=_rows(found.truth, chosen),
        pred=_rows(found.pred, chosen),
        total=len(kept),
        bad=[],
    )


def _rows(rows: Instances, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Instances:
    """The rows of some images, which are counted anew."""
    kept = np.flatnonzero(chosen[rows.image])
    place = np.cumsum(chosen) - 1
    where = {old: new for new, old in enumerate(kept.tolist())}
    return Instances(
        image=place[rows.image[kept]].astype(np.int32),
        problems={where[row]: text for row, text in rows.problems.items() if row in where},
        images=int(np.count_nonzero(chosen)),
        masks=None if rows.masks is None else [rows.masks[row] for row in kept.tolist()],
        keypoints=None if rows.keypoints is None else rows.keypoints[kept],
        visible=None if rows.visible is None else rows.visible[kept],
        **{name: getattr(rows, name)[kept] for name in COLUMNS},
    )
