"""Masks and keypoints of rows: whether they are what they have to be, and the boxes and areas they have.

A mask is polygons, each a flat list of at least three points, or an RLE of the image's size. Keypoints are x, y and
visibility of each point, as many in every row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from calipers.core.errors import InputError
from calipers.core.sums import add_in_order
from calipers.kernels.shape.cocoboxes import measure_rle
from calipers.suites.coco.annotations.images import Dataset
from calipers.suites.coco.columns import Floats, Images
from calipers.suites.coco.formats.rows import plain

MAX_SIDE = (1 << 20) - 1
MAX_OUTLINE = 4_000_000  # pixels along the polygons of a mask: the engine keeps five points for each
MAX_OUTLINES, OUTLINE_OF_EACH = (
    15_000_000,
    1000,
)  # the same of all masks of a file, or for each of them if that is more
MAX_CELLS = (1 << 32) - 1  # of an image: the engine counts the cells of a run in 32 bits


class Mask(NamedTuple):
    """A mask that can be used, with its area and box where they are known without drawing it."""

    segmentation: Any
    area: float = np.nan
    box: tuple[float, ...] = ()


class UnusableError(Exception):
    """A mask or keypoints cannot be used; the message names the problem in few words."""


class Canvas:
    """The sizes of images, which also masks can tell."""

    def __init__(self, images: Images, path: str = "") -> None:
        self._images, self._path = images, path
        self._masks, self._outlines = 0, 0.0
        has_size = (~np.isnan(images.width + images.height)).tolist()
        pairs = zip(images.height.tolist(), images.width.tolist(), strict=True)
        self.sizes = [  # (images,) height and width in cells, None where nobody knows
            (int(height), int(width)) if sure else None for sure, (height, width) in zip(has_size, pairs, strict=True)
        ]

    def spend(self, pixels: float) -> None:
        """Count what a mask takes to be drawn: too much makes one unusable, too much for all ends the reading."""
        if pixels > MAX_OUTLINE:
            raise UnusableError(f"polygons of more than {MAX_OUTLINE:,} pixels of outline")
        self._masks += 1
        self._outlines += pixels
        limit = max(MAX_OUTLINES, OUTLINE_OF_EACH * self._masks)
        if self._outlines > limit:
            raise InputError(
                f"{self._path}: the first {self._masks:,} masks have more than {limit:,} pixels of outline, and the "
                "engine keeps several points in memory for each; no option lifts this limit, but masks written as RLE, "
                "which are not drawn, have none"
            )

    def learn(self, image: int, size: tuple[int, int]) -> None:
        """Give an image without a size that of a mask on it."""
        self.sizes[image] = size
        self._images.height[image], self._images.width[image] = size


def read_mask(segmentation: Any, image: int, canvas: Canvas) -> Mask:
    """Read a segmentation (polygons or RLE) on an image."""
    segmentation = plain(segmentation)
    if isinstance(segmentation, Mapping):
        return _read_rle(segmentation, image, canvas)
    if not isinstance(segmentation, (list, tuple)) or not segmentation:
        raise UnusableError("malformed")
    polygons = [_polygon(polygon) for polygon in segmentation]
    size = canvas.sizes[image]
    if size is None:
        raise UnusableError("polygons on an image without width and height")
    _check_cells(size)
    canvas.spend(add_in_order(map(_outline_length, polygons)))
    return Mask(polygons)


def _outline_length(polygon: list[float]) -> float:
    """How many pixels a drawn polygon passes."""
    x, y = polygon[0::2], polygon[1::2]
    return add_in_order(max(abs(x[k] - x[k - 1]), abs(y[k] - y[k - 1])) for k in range(len(x)))


def _polygon(points: Any) -> list[float]:
    points = plain(points)
    if not isinstance(points, (list, tuple)) or len(points) < 6 or len(points) % 2 or not are_numbers(points):
        raise UnusableError("malformed")
    return list(points)


def are_numbers(values: Iterable[Any]) -> bool:
    """Whether all of them are finite numbers, and together as well."""
    try:
        return set(map(type, values)) <= {int, float} and isfinite(add_in_order(map(abs, values)))
    except OverflowError:
        return False


def _read_rle(rle: Mapping[str, Any], image: int, canvas: Canvas) -> Mask:
    size, counts = plain(rle.get("size")), plain(rle.get("counts"))
    if isinstance(counts, tuple):
        counts = list(counts)
    if not isinstance(size, (list, tuple)) or len(size) != 2 or not all(map(_is_side, size)):
        raise UnusableError("malformed")
    expected = canvas.sizes[image]
    if expected is not None and expected != tuple(size):
        raise UnusableError("not of the image's size")
    _check_cells((size[0], size[1]))
    measured = measure_rle(counts, *size)
    if measured is None:
        raise UnusableError("malformed")
    if expected is None:
        canvas.learn(image, (size[0], size[1]))
    return Mask({"size": list(size), "counts": counts}, measured[0], measured[1:])


def _check_cells(size: tuple[int, int]) -> None:
    if not 0 < size[0] * size[1] <= MAX_CELLS:
        raise UnusableError("on an image of a size that no mask can have")


def _is_side(value: Any) -> bool:
    return type(value) is int and 0 < value <= MAX_SIDE


def draw(mask: Mask, image: int, canvas: Canvas) -> tuple[float, tuple[float, ...]]:
    """Area and box of a mask, in cells."""
    size = canvas.sizes[image]
    if mask.box or size is None:  # an RLE, which has told them
        return mask.area, mask.box
    from hotcoco import mask as engine

    rle = engine.merge(engine.frPyObjects(mask.segmentation, *size))
    return float(engine.area(rle)), tuple(engine.toBbox(rle).tolist())


def count_points(data: Dataset, shapes: list[Any]) -> int:
    """How many keypoints a row has: what the categories say, else what most rows have."""
    named = sorted({count for count in data.points if count is not None})
    if len(named) > 1:
        counts = " and ".join(map(str, named))
        raise InputError(f"{data.path}: categories: found {counts} keypoints, expected as many in each category")
    if named:
        return named[0]
    counts_found = Counter(
        len(shape) // 3 for shape in shapes if isinstance(shape, (list, tuple)) and len(shape) % 3 == 0
    )
    return max(counts_found, key=lambda count: (counts_found[count], count), default=0)


def read_keypoints(keypoints: Any, points: int) -> list[float]:
    """Read the keypoints of a row as flat numbers."""
    keypoints = plain(keypoints)
    if not isinstance(keypoints, (list, tuple)) or len(keypoints) != 3 * points or not are_numbers(keypoints):
        raise UnusableError("malformed")
    return list(keypoints)


def point_boxes(points: Floats, counted: Any) -> Floats:
    """(rows, 4) the boxes around those points of (rows, points, 3) that are counted, NaN around none."""
    low = np.where(counted[..., None], points[..., :2], np.inf).min(axis=1, initial=np.inf)
    high = np.where(counted[..., None], points[..., :2], -np.inf).max(axis=1, initial=-np.inf)
    box = np.concatenate([low, high - low], axis=1)
    box[~counted.any(axis=1)] = np.nan
    return box
