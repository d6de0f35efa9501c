"""What a model found on an image, and what every model offers, whatever runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL.Image import Image

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


class Found(NamedTuple):
    """Boxes, by descending score."""

    boxes: Floats  # (boxes, 4) left, top, right, bottom
    scores: Floats  # (boxes,)
    classes: Whole  # (boxes,) into the names of the model's classes

    def take(self, rows: Whole | NDArray[np.bool_]) -> Found:
        """Some of them."""
        return Found(self.boxes[rows], self.scores[rows], self.classes[rows])


class Model(Protocol):
    """A detector, ready to run."""

    names: list[str]  # of its classes
    engine: str  # what runs it, with the version
    warnings: list[str]

    def __call__(self, image: Image) -> Found:
        """What it finds on an RGB image, in the image's pixels; boxes may reach outside."""
