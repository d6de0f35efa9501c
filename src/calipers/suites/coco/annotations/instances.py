"""Checked rows put in the order of their images, without the images that are left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.suites.coco.annotations.truth import Checked, Chosen
from calipers.suites.coco.columns import Codes, Images, Instances, Whole

FEW = 1 << 16  # of which sorting is linear


def kept_images(images: Images, kept: Chosen) -> Images:
    """The images for which `kept` is true."""
    if kept.all():
        return images
    names = [name for name, keep in zip(images.names, kept.tolist(), strict=True) if keep]
    return Images(images.ids[kept], names, images.width[kept], images.height[kept])


def truth_instances(checked: Checked, kept: Chosen) -> Instances:
    """The annotations as columns."""
    rows, order = checked.rows, _order(checked.image, kept)
    return Instances(
        box=rows.box.take(order, axis=0),
        area=rows.area.take(order),
        crowd=rows.crowd.take(order),
        score=np.full(len(order), np.nan),
        ids=rows.ids.take(order),
        problems={},
        keypoints=None if checked.keypoints is None else checked.keypoints[order],
        visible=None if checked.visible is None else checked.visible[order],
        **_placed(checked, order, kept),
    )


def pred_instances(checked: Checked, problems: dict[int, str], kept: Chosen) -> Instances:
    """The detections as columns; `problems` by the rows as they were given."""
    rows, order = checked.rows, _order(checked.image, kept)
    words = _moved(problems, order, rows.count)
    unusable = list(words)
    box = rows.box.take(order, axis=0)
    box[unusable] = np.nan
    keypoints = None if checked.keypoints is None else checked.keypoints[order]
    if keypoints is not None:
        keypoints[unusable] = np.nan
    area = box[:, 2] * box[:, 3]
    if checked.area is not None:
        area = np.where(np.isnan(checked.area[order]), area, checked.area[order])
        area[unusable] = np.nan
    instances = Instances(
        box=box,
        area=area,
        crowd=np.zeros(len(order), np.bool_),
        score=rows.score.take(order),
        ids=order + 1,
        problems=words,
        keypoints=keypoints,
        **_placed(checked, order, kept),
    )
    if instances.masks is not None:
        instances.masks = [None if row in words else mask for row, mask in enumerate(instances.masks)]
    return instances


def _placed(checked: Checked, order: Whole, kept: Chosen) -> dict[str, Any]:
    """The columns that annotations and detections have in common."""
    image, masks = checked.image.take(order), checked.masks
    return {
        "image": image if kept.all() else (np.cumsum(kept, dtype=np.int32) - np.int32(1))[image],
        "category": checked.category.take(order),
        "place": order,
        "images": int(kept.sum()),
        "masks": None if masks is None else [masks[place] for place in order.tolist()],
    }


def _order(image: Codes, kept: Chosen) -> Whole:
    """(rows that stay,) the rows image by image, in the order they were given within each."""
    order = np.arange(len(image))
    if (image[1:] < image[:-1]).any():
        order = np.argsort(image.astype(np.uint16) if len(kept) < FEW else image, kind="stable")
    if kept.all() and (image >= 0).all():
        return order
    ordered = image[order]
    return order[(ordered >= 0) & kept[ordered]]


def _moved(problems: dict[int, str], order: Whole, count: int) -> dict[int, str]:
    """Problems by the new rows, of those that stay."""
    if not problems:
        return {}
    row_of = np.full(count, -1)
    row_of[order] = np.arange(len(order))
    moved = ((int(row_of[row]), words) for row, words in problems.items())
    return dict(sorted(pair for pair in moved if pair[0] >= 0))
