"""Detections taken apart, for files of parts: columns as arrays, masks as the text of JSON, the rest as it is."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from calipers.core.parts import Packed
from calipers.core.text import whole_text
from calipers.files.inputs import Input
from calipers.files.problems import BadAnnotation
from calipers.suites.coco.columns import Categories, Detections, Images, Instances

Arrays = dict[str, NDArray[Any]]
COLUMNS = ("image", "category", "box", "area", "crowd", "score", "ids", "place")
SOMETIMES = ("keypoints", "visible")
SIDES = ("truth", "pred")


def pack_detections(found: Detections) -> Packed:
    """Everything there is."""
    images, categories = found.images, found.categories
    arrays = {"images": images.ids, "width": images.width, "height": images.height, "categories": categories.ids}
    for side in SIDES:
        arrays |= {f"{side}.{name}": column for name, column in _columns(getattr(found, side)).items()}
    plain = {
        "names": [whole_text(name) for name in images.names],
        "categories": [whole_text(name) for name in categories.names],
        "problems": list(found.pred.problems.items()),
        "inputs": [list(each) for each in found.inputs],
        "warnings": [whole_text(each) for each in found.warnings],
        "bad": [_bad(bad) for bad in found.bad],
        "total": found.total,
        "format": found.format,
    }
    return Packed(plain, arrays)


def _bad(bad: BadAnnotation) -> list[Any]:
    image = None if bad.image is None else whole_text(bad.image)
    return [whole_text(bad.path), whole_text(bad.name), bad.id, whole_text(bad.problem), image]


def _columns(rows: Instances) -> Arrays:
    columns = {name: getattr(rows, name) for name in (*COLUMNS, *SOMETIMES)}
    if rows.masks is not None:
        columns["masks"] = np.frombuffer(_written(rows.masks), np.uint8)
    return {name: column for name, column in columns.items() if column is not None}


def _written(masks: list[Any]) -> bytes:
    try:
        return orjson.dumps(masks)
    except orjson.JSONEncodeError:  # a number beyond 64 bits
        return json.dumps(masks).encode()


def unpack_detections(packed: Packed) -> Detections:
    """The same again."""
    plain, arrays = packed
    images = Images(arrays["images"], plain["names"], arrays["width"], arrays["height"])
    truth = _instances(arrays, "truth", {}, len(images))
    pred = _instances(arrays, "pred", dict(plain["problems"]), len(images))
    categories = Categories(arrays["categories"], plain["categories"])
    _check(images, categories, truth, pred)
    return Detections(
        images,
        categories,
        truth,
        pred,
        [Input(*each) for each in plain["inputs"]],
        plain["warnings"],
        [BadAnnotation(*each) for each in plain["bad"]],
        plain["total"],
        plain["format"],
    )


def _instances(arrays: Arrays, side: str, problems: dict[int, str], images: int) -> Instances:
    columns: dict[str, Any] = {name: arrays[f"{side}.{name}"] for name in COLUMNS}
    more: dict[str, Any] = {name: arrays.get(f"{side}.{name}") for name in SOMETIMES}
    masks = arrays.get(f"{side}.masks")
    read = None if masks is None else orjson.loads(masks.tobytes())
    return Instances(**columns, **more, masks=read, problems=problems, images=images)


def _check(images: Images, categories: Categories, *sides: Instances) -> None:
    """What the kernels trust: rows stand image by image, and each names an image and a class that are there."""
    for names, *columns in (
        (images.names, images.ids, images.width, images.height),
        (categories.names, categories.ids),
    ):
        if not isinstance(names, list) or any(column.shape != (len(names),) for column in columns):
            raise ValueError("names that do not belong to their ids")
    for rows in sides:
        lengths = {len(getattr(rows, name)) for name in COLUMNS}
        fine = len(lengths) == 1 and rows.box.shape[1:] == (4,) and (rows.masks is None or len(rows.masks) == len(rows))
        if not fine or (np.diff(rows.image) < 0).any():
            raise ValueError("columns that do not belong together")
        for codes, count in ((rows.image, len(images)), (rows.category, len(categories.names))):
            if len(codes) and not 0 <= codes.min() <= codes.max() < count:
                raise ValueError(f"a code from {codes.min()} to {codes.max()}, expected 0 to {count - 1}")
