"""Other meanings of the four numbers of a detected box, each as a change to [x, y, width, height] in pixels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from calipers.suites.coco.columns import Floats

Sizes = tuple[Floats, Floats]  # (rows,) width and height of the image
Change = Callable[[Floats, Sizes], Floats]


def both(scale: Change, layout: Change) -> Change:
    """A change of scale after one of layout."""
    return lambda box, sizes: scale(layout(box, sizes), sizes)


def same(box: Floats, sizes: Sizes) -> Floats:
    """Boxes unchanged."""
    return box


def corners(box: Floats, sizes: Sizes) -> Floats:
    """Boxes that were written as two corners."""
    return np.column_stack([box[:, :2], box[:, 2:] - box[:, :2]])


def centred(box: Floats, sizes: Sizes) -> Floats:
    """Boxes that were written by their centre."""
    return np.column_stack([box[:, :2] - box[:, 2:] / 2, box[:, 2:]])


def swapped(box: Floats, sizes: Sizes) -> Floats:
    """Boxes with y before x."""
    return box[:, [1, 0, 3, 2]]


def as_written(box: Floats) -> Floats:
    """Centre and size, as lines of YOLO have them."""
    return np.column_stack([box[:, :2] + box[:, 2:] / 2, box[:, 2:]])


def scaled(box: Floats, x: Any, y: Any) -> Floats:
    """Boxes with another scale of x and of y."""
    return np.asarray(box * np.column_stack([x, y, x, y]))


def fractions(box: Floats, sizes: Sizes) -> Floats:
    """Boxes that were written as fractions of the image."""
    return scaled(box, *sizes)


def thousandths(box: Floats, sizes: Sizes) -> Floats:
    """Boxes that were written in thousandths of the image."""
    return scaled(box, sizes[0] / 1000, sizes[1] / 1000)


def shrunk(side: int) -> Change:
    """Boxes of an image whose longer side was brought to a size."""

    def undo(box: Floats, sizes: Sizes) -> Floats:
        factor = np.maximum(*sizes) / side
        return scaled(box, factor, factor)

    return undo


def stretched(side: int) -> Change:
    """Boxes of an image that was stretched to a square."""
    return lambda box, sizes: scaled(box, sizes[0] / side, sizes[1] / side)


def letterboxed(side: int) -> Change:
    """Boxes of an image that was fitted into a square, with bars beside it."""

    def undo(box: Floats, sizes: Sizes) -> Floats:
        factor = np.maximum(*sizes) / side
        margins = [(side - size / factor) / 2 for size in sizes]
        moved = box - np.column_stack([*margins, np.zeros((len(box), 2))])
        return scaled(moved, factor, factor)

    return undo
