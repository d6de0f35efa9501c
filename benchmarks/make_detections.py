"""A made-up data set shaped like COCO's val2017, and detections on it as a detector with a low threshold gives them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

CLASSES = 80
WIDTH, HEIGHT = 640, 480


def make_detections(folder: Path, images: int, seed: int = 0) -> None:
    """`gt.json` and `results.json`: 7.2 objects an image and 60 detections, a third of them on objects."""
    rng = np.random.default_rng(seed)
    objects, detections = round(images * 7.2), images * 60
    often = 1 / np.arange(1, CLASSES + 1) ** 0.8
    often /= often.sum()
    place, kind, boxes = (
        np.sort(rng.integers(0, images, objects)),
        rng.choice(CLASSES, objects, p=often),
        random_boxes(rng, objects),
    )
    (folder / "gt.json").write_bytes(orjson.dumps(data_set(rng, images, place, kind, boxes)))
    on = rng.integers(0, objects, detections * 35 // 100)
    scale = np.maximum(boxes[on][:, [2, 3, 2, 3]] * 0.08, 0.5)
    near = boxes[on] + rng.normal(0, 1, (len(on), 4)) * scale
    rest = detections - len(on)
    found = np.round(np.concatenate([near, random_boxes(rng, rest)]), 2)
    found[:, 2:] = np.maximum(found[:, 2:], 1)
    where = np.concatenate([place[on], rng.integers(0, images, rest)])
    named = np.where(rng.random(len(on)) < 0.9, kind[on], rng.integers(0, CLASSES, len(on)))
    named = np.concatenate([named, rng.choice(CLASSES, rest, p=often)])
    score = np.concatenate([rng.beta(4, 2, len(on)), rng.beta(1, 8, rest)]).round(5)
    order = rng.permutation(detections)
    columns = (each[order].tolist() for each in (where, named, found, score))
    rows = [
        {"image_id": image + 1, "category_id": code + 1, "bbox": box, "score": sure}
        for image, code, box, sure in zip(*columns, strict=True)
    ]
    (folder / "results.json").write_bytes(orjson.dumps(rows))


def random_boxes(rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    """Boxes of all sizes, most of them small, inside the image."""
    width = np.exp(rng.normal(4, 0.9, count)).clip(4, 500)
    height = np.exp(rng.normal(4, 0.9, count)).clip(4, 400)
    x, y = rng.random(count) * (WIDTH - width), rng.random(count) * (HEIGHT - height)
    return np.round(np.stack([x, y, width, height], axis=1), 2)


def data_set(
    rng: np.random.Generator, images: int, place: NDArray[np.int64], kind: NDArray[np.int64], boxes: NDArray[np.float64]
) -> dict[str, object]:
    """Images, classes and annotations; one object in a hundred is a crowd."""
    crowd = (rng.random(len(place)) < 0.01).astype(int).tolist()
    area = np.round(boxes[:, 2] * boxes[:, 3] * 0.7, 3).tolist()
    rows = zip(place.tolist(), kind.tolist(), boxes.tolist(), area, crowd, strict=True)
    return {
        "images": [
            {"id": k, "width": WIDTH, "height": HEIGHT, "file_name": f"{k:012d}.jpg"} for k in range(1, images + 1)
        ],
        "categories": [{"id": k, "name": f"class {k}"} for k in range(1, CLASSES + 1)],
        "annotations": [
            {"id": k, "image_id": i + 1, "category_id": c + 1, "bbox": b, "area": a, "iscrowd": many}
            for k, (i, c, b, a, many) in enumerate(rows, 1)
        ],
    }
