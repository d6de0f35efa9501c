"""Checked rows put in the order of their images, without the images that are left out."""

from __future__ import annotations

import numpy as np

from calipers.instances import Codes, Images, Instances, Whole
from calipers.readers.coco_truth import Checked, Chosen

FEW = 1 << 16  # of which sorting is linear


def kept_images(images: Images, kept: Chosen) -> Images:
    """The images that stay."""
    if kept.all():
        return images
    names = [name for name, keep in zip(images.names, kept.tolist(), strict=True) if keep]
    return Images(images.ids[kept], names, images.width[kept], images.height[kept])


def instances(checked: Checked, problems: dict[int, str], kept: Chosen) -> Instances:
    """One side; `problems` are those of the rows as they were given."""
    rows, order = checked.rows, _order(checked.image, kept)
    words = _moved(problems, order, rows.count)
    unusable = list(words)
    box, area = rows.box.take(order, axis=0), rows.area.take(order)
    bare = np.isnan(area)
    area[bare] = box[bare, 2] * box[bare, 3]
    box[unusable] = area[unusable] = np.nan
    masks, keypoints = checked.masks, checked.keypoints
    if keypoints is not None:
        keypoints = keypoints[order]
        keypoints[unusable] = np.nan
    if masks is not None:
        masks = [None if place in problems else masks[place] for place in order.tolist()]
    return Instances(
        image=(np.cumsum(kept, dtype=np.int32) - np.int32(1))[checked.image.take(order)],
        category=checked.category.take(order),
        box=box,
        area=area,
        crowd=rows.crowd.take(order),
        score=rows.score.take(order),
        ids=rows.ids.take(order),
        place=order,
        problems=words,
        images=int(kept.sum()),
        masks=masks,
        keypoints=keypoints,
        visible=None if checked.visible is None else checked.visible[order],
    )


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
