"""Annotations of other formats as rows of COCO, so that all of them pass the same checks.

Rows are annotations, or results when there are scores; `places` says where each came from ("labels/a.txt:3"), for
messages. A predicted row that could not be read stays a row: `problems` says what is wrong with it.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from calipers.files.inputs import InputFile
from calipers.suites.coco.columns import Whole


class ImagesAndCategories(NamedTuple):
    """Images and categories of the ground truth, for predictions that name them by file, name or number."""

    images: list[dict[str, Any]]  # {"id", "file_name", "width"?, "height"?}
    categories: list[dict[str, Any]]  # {"id", "name"}
    format: str = "coco"  # in which it was given


class Columns(NamedTuple):
    """Rows in COCO's shape: a list as JSON, {"bbox", "score"?, "segmentation"?, "iscrowd"?}, and their ids beside."""

    text: bytes
    image: Whole  # (rows,) ids
    category: Whole  # (rows,) ids
    truth: bool  # then they have ids of their own, from 1


class Converted(NamedTuple):
    """One side in COCO's shape."""

    images: list[dict[str, Any]]  # {"id", "file_name", "width"?, "height"?}; ids from 1, in the order of names
    categories: list[dict[str, Any]]  # {"id", "name"}
    columns: Columns
    places: list[str]
    problems: dict[int, str]
    inputs: list[InputFile]
    warnings: list[str]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows as COCO has them: {"image_id", "category_id", "bbox", "score"?, "segmentation"?, …}."""
        text, images, categories, truth = self.columns
        pairs = zip(images.tolist(), categories.tolist(), json.loads(text), strict=True)
        return [
            ({"id": number} if truth else {}) | {"image_id": image, "category_id": category} | row
            for number, (image, category, row) in enumerate(pairs, 1)
        ]
