"""Annotations of other formats as rows of COCO, so that all of them pass the same checks.

`rows` are annotations, or results when there are scores; `places` says where each came from ("labels/a.txt:3"), for
messages. A predicted row that could not be read stays a row: `problems` says what is wrong with it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from calipers.readers.files import Input


class Known(NamedTuple):
    """What the ground truth knows, for predictions that name images by file and classes by name or number."""

    images: list[dict[str, Any]]  # {"id", "file_name", "width"?, "height"?}
    categories: list[dict[str, Any]]  # {"id", "name"}
    format: str = "coco"  # in which it was given


class Converted(NamedTuple):
    """One side in COCO's shape."""

    images: list[dict[str, Any]]  # {"id", "file_name", "width"?, "height"?}; ids from 1, in the order of names
    categories: list[dict[str, Any]]  # {"id", "name"}
    rows: list[dict[str, Any]]  # {"image_id", "category_id", "bbox", "score"?, "segmentation"?, "iscrowd"?, "id"?}
    places: list[str]
    problems: dict[int, str]
    inputs: list[Input]
    warnings: list[str]
