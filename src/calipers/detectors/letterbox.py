"""Fitting an image into the rectangle a model looks at, and boxes back into the image.

The image keeps its aspect: it is scaled by the one factor that makes it just fit, up or down, its sides are rounded to
whole pixels, and it is placed in the middle of a grey rectangle; where the space left over is odd, the smaller half
is at the left and at the top. Boxes go back by the factors that were really used: the sides before over the sides
after rounding. Some models are shown images that are stretched to the rectangle instead, each side by a factor of its
own.

A pixel of the scaled image is interpolated between the four pixels around its place in the image, also where the image
gets smaller. That is coarser than a mean over all pixels that fall together, but it is what OpenCV does, and so what
the usual models were trained and tested with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.detectors.model import Floats

if TYPE_CHECKING:
    from PIL.Image import Image

GREY = (114, 114, 114)


class Letterbox(NamedTuple):
    """Where an image lies in the rectangle: sizes are (width, height), places are (left, top), in pixels."""

    image: tuple[int, int]
    inner: tuple[int, int]
    place: tuple[int, int]
    outer: tuple[int, int]

    def back(self, boxes: Floats) -> Floats:
        """Boxes (boxes, 4) of the rectangle, in pixels of the image."""
        scale = np.array(self.image) / np.array(self.inner)
        image: Floats = (boxes - np.array(self.place * 2)) * np.tile(scale, 2)
        return image


def fit(image: tuple[int, int], outer: tuple[int, int], stride: int | None = None) -> Letterbox:
    """How an image of this size lies in a rectangle of that; with a stride, of it as many whole strides as it needs.

    >>> fit((1920, 1080), (640, 640))
    Letterbox(image=(1920, 1080), inner=(640, 360), place=(0, 140), outer=(640, 640))
    >>> fit((3, 5), (10, 11)).place  # 7 x 11 pixels, 3 are left over
    (1, 0)
    >>> fit((1920, 1080), (640, 640), stride=32)
    Letterbox(image=(1920, 1080), inner=(640, 360), place=(0, 12), outer=(640, 384))
    """
    factor = min(outer[0] / image[0], outer[1] / image[1])
    inner = max(1, round(image[0] * factor)), max(1, round(image[1] * factor))
    rest = outer[0] - inner[0], outer[1] - inner[1]
    if stride is not None:
        rest = rest[0] % stride, rest[1] % stride
    return Letterbox(image, inner, (rest[0] // 2, rest[1] // 2), (inner[0] + rest[0], inner[1] + rest[1]))


def stretch(image: tuple[int, int], outer: tuple[int, int]) -> Letterbox:
    """An image of this size stretched to all of a rectangle of that.

    >>> stretch((1920, 1080), (640, 640)).back(np.array([[0.0, 0, 320, 320]])).tolist()
    [[0.0, 0.0, 960.0, 540.0]]
    """
    return Letterbox(image, outer, (0, 0), outer)


def as_tensor(image: Image, box: Letterbox, kind: type[np.floating]) -> NDArray[np.floating]:
    """An RGB image as the model takes it: (1, 3, height, width), from 0 to 1."""
    from PIL import Image as Images

    canvas = Images.new("RGB", box.outer, GREY)
    canvas.paste(_scaled(image, box.inner), box.place)
    pixels = np.asarray(canvas, dtype=np.float32) / np.float32(255)  # (height, width, 3)
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[np.newaxis], dtype=kind)


def _scaled(image: Image, size: tuple[int, int]) -> Image:
    from PIL import Image as Images

    if image.size == size:
        return image
    factors = (image.width / size[0], 0.0, 0.0, 0.0, image.height / size[1], 0.0)
    return image.transform(size, Images.Transform.AFFINE, factors, Images.Resampling.BILINEAR)
