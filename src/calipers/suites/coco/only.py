"""Detections on some of the images alone."""

from __future__ import annotations

import numpy as np

from calipers.files.only import Keys
from calipers.suites.coco.columns import Detections, Images, Instances

COLUMNS = ("category", "box", "area", "crowd", "score", "ids", "place")


def only_images(detections: Detections, keys: Keys) -> Detections:
    """What was read on the images that are named by file name or id; images with bad annotations stay left out."""
    images = detections.images
    names = zip(images.names, images.ids.tolist(), strict=True)
    chosen = np.array([name in keys or str(ident) in keys for name, ident in names], np.bool_)
    return detections._replace(
        images=_chosen_images(images, chosen),
        truth=_rows(detections.truth, chosen),
        pred=_rows(detections.pred, chosen),
        total=int(np.count_nonzero(chosen)),
        bad=[],
    )


def _chosen_images(images: Images, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Images:
    places = np.flatnonzero(chosen).tolist()
    fields = {name: [values[place] for place in places] for name, values in images.fields.items()}
    names = [images.names[place] for place in places]
    kept = Images(images.ids[chosen], names, images.width[chosen], images.height[chosen], fields)
    kept.known = images.known
    return kept


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
