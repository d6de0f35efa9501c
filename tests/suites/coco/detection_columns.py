"""Small data sets as columns, written as a person would."""

import numpy as np

from calipers.suites.coco.columns import Categories, Detections, Images, Instances


def instances(rows, images, **more):
    """Rows of (image, class, box, and score or "crowd"), image by image."""
    said = [row[3] if len(row) > 3 else None for row in rows]
    box = np.array([row[2] for row in rows], dtype=np.float64).reshape(-1, 4)
    return Instances(
        image=np.array([row[0] for row in rows], dtype=np.int32),
        category=np.array([row[1] for row in rows], dtype=np.int32),
        box=box,
        area=more.pop("area", box[:, 2] * box[:, 3]),
        crowd=np.array([each == "crowd" for each in said], dtype=bool),
        score=np.array([each if isinstance(each, float) else np.nan for each in said], dtype=np.float64),
        ids=np.arange(len(rows), dtype=np.int64),
        place=np.arange(len(rows), dtype=np.int64),
        problems=more.pop("problems", {}),
        images=images,
        **more,
    )


def detections(truth, pred, *, images=1, classes=("cone", "sign"), **more):
    """Both sides on images of 1000 x 1000."""
    size = np.full(images, 1000.0)
    return Detections(
        Images(np.arange(1, images + 1), [f"{k}.jpg" for k in range(images)], size, size),
        Categories(np.arange(1, len(classes) + 1), list(classes)),
        instances(truth, images),
        instances(pred, images, **more),
        [],
        [],
        [],
    )
