"""What a model found on an image, and what every model offers, whatever runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL.Image import Image

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


class BoxesFound(NamedTuple):
    """Boxes that a model found, by descending score."""

    boxes: Floats  # (boxes, 4) left, top, right, bottom
    scores: Floats  # (boxes,)
    classes: Whole  # (boxes,) into the names of the model's classes

    def take(self, rows: Whole | NDArray[np.bool_]) -> BoxesFound:
        """The boxes of some rows."""
        return BoxesFound(self.boxes[rows], self.scores[rows], self.classes[rows])

    def best(self, max_boxes: int, wanted: NDArray[np.bool_]) -> BoxesFound:
        """The best `max_boxes` of wanted classes, and the others among the best `max_boxes` of all, by score.

        >>> boxes = BoxesFound(np.zeros((4, 4)), np.array([0.5, 0.9, 0.7, 0.6]), np.array([1, 0, 1, 0]))
        >>> boxes.best(1, np.array([False, True])).scores.tolist()
        [0.9, 0.7]
        """
        ordered = self.take(np.argsort(-self.scores, kind="stable"))
        counts = wanted[ordered.classes].astype(np.int64)  # (boxes,)
        before: Whole = np.cumsum(counts) - counts
        place = np.arange(len(counts))
        return ordered.take(np.flatnonzero(np.where(counts, before, place) < max_boxes))


class Model(Protocol):
    """A detector, ready to run."""

    names: list[str]  # of its classes
    engine: str  # what runs it, with the version
    warnings: list[str]
    notes: list[str]

    def __call__(self, image: Image, wanted: NDArray[np.bool_]) -> BoxesFound:
        """The boxes on an RGB image, in its pixels; boxes may reach outside.

        `wanted` says of each class whether it is a category: the limit on detections counts only those.
        """
