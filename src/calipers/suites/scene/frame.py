"""Scenes turned about the vertical, so that most of the ground truth stands along the axes."""

from __future__ import annotations

from itertools import pairwise
from math import atan2, cos, fsum, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calipers.core.cuboids import Boxes

Floats = NDArray[np.float64]


def dominant_yaws(truth: Boxes) -> Floats:
    """For each scene the yaw that its boxes have most in common, modulo 90 degrees, within ±45.

    The mean direction of four times the yaw, each box with the weight of its footprint; 0 in a scene without boxes.
    """
    axes = np.asarray(truth.axes).reshape(-1, 3, 3)
    half = np.asarray(truth.half).reshape(-1, 3)
    fourfold = 4 * np.arctan2(axes[:, 0, 1], axes[:, 0, 0])
    area = half[:, 0] * half[:, 1]
    columns = (area * np.sin(fourfold)).tolist(), (area * np.cos(fourfold)).tolist()
    ends = np.asarray(truth.offsets).tolist()
    return np.array([_direction(*(column[a:b] for column in columns)) / 4 for a, b in pairwise(ends)])


def _direction(sines: list[float], cosines: list[float]) -> float:
    return atan2(fsum(sines), fsum(cosines))


def turned(boxes: Boxes, angles: Floats) -> Boxes:
    """The boxes of each scene turned by its angle about the vertical through the origin."""
    sizes = np.diff(boxes.offsets)
    turns = [np.repeat([ratio(angle) for angle in angles.tolist()], sizes) for ratio in (cos, sin)]  # of math: the same
    center = _turn(np.asarray(boxes.center).reshape(-1, 3), *turns)
    axes = _turn(np.asarray(boxes.axes).reshape(-1, 3, 3), *(turn[:, None] for turn in turns))
    half = np.asarray(boxes.half).reshape(-1, 3)
    reach = np.einsum("nkj,nk->nj", abs(axes), half)
    bounds = np.concatenate([center - reach, center + reach], axis=1)
    bounds[np.asarray(boxes.reason) != 0] = 0.0
    return boxes.replace(center=center.reshape(-1), axes=axes.reshape(-1), bounds=bounds.reshape(-1))


def _turn(vectors: Any, cosines: Any, sines: Any) -> Any:
    """Vectors (…, 3) turned about the third axis."""
    x, y = vectors[..., 0], vectors[..., 1]
    return np.stack([cosines * x - sines * y, sines * x + cosines * y, vectors[..., 2]], axis=-1)
