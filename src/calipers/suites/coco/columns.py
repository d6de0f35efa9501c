"""Annotations and detections on images as columns: what the detection suite works on. What exists here is valid.

`Instances` holds one side. Rows stand image by image, and within an image in the order they were given. Images and
categories are counted from 0 in the order of their ids; the ids a user gave are only carried. A detection that could
not be read keeps its row, with a problem, so that it can count as a prediction that matches nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Codes = NDArray[np.int32]


OTHER = "(other labels)"  # the class of what a model names otherwise than the ground truth does


class Images:
    """The images of a data set, in the order of their ids."""

    __slots__ = ("fields", "height", "ids", "known", "names", "width")

    def __init__(
        self,
        ids: Whole,
        names: list[str],
        width: Floats,
        height: Floats,
        fields: Mapping[str, list[Any]] | None = None,
    ) -> None:
        self.ids = ids  # (images,) ascending
        self.names = names  # the file name where it is given and nobody else's, else the id as text
        self.width, self.height = width, height  # (images,) NaN where unknown
        self.fields = fields or {}  # by name: (images,) values of fields that are asked for
        self.known: tuple[str, ...] = ()  # the fields there are, where some are asked for

    def __len__(self) -> int:
        return len(self.ids)


class Categories:
    """The classes of a data set, in the order of their ids."""

    __slots__ = ("ids", "names")

    def __init__(self, ids: Whole, names: list[str]) -> None:
        self.ids = ids  # (categories,) ascending
        self.names = names  # no two alike: one that was given twice carries its id, "cone (id 7)"

    def __len__(self) -> int:
        return len(self.ids)


def first_rows(image: Codes, images: int) -> Whole:
    """Where the rows of each image begin, and where the last ends, without copying the column of images.

    >>> first_rows(np.array([0, 0, 2], np.int32), 3).tolist()
    [0, 2, 2, 3]
    """
    return np.searchsorted(image, np.arange(images + 1, dtype=image.dtype)).astype(np.int64)


class Instances:
    """One side: annotations, or detections."""

    __slots__ = (
        "area",
        "box",
        "category",
        "crowd",
        "ids",
        "image",
        "keypoints",
        "masks",
        "offsets",
        "place",
        "problems",
        "score",
        "visible",
    )

    def __init__(
        self,
        *,
        image: Codes,
        category: Codes,
        box: Floats,
        area: Floats,
        crowd: NDArray[np.bool_],
        score: Floats,
        ids: Whole,
        place: Whole,
        problems: dict[int, str],
        images: int,
        masks: list[Any] | None = None,
        keypoints: Floats | None = None,
        visible: Whole | None = None,
    ) -> None:
        self.image = image  # (rows,) ascending
        self.category = category  # (rows,)
        self.box = box  # (rows, 4) x, y, width, height; NaN where there is none
        self.area = area  # (rows,) as given, else of the mask or the box
        self.crowd = (
            crowd  # (rows,) a crowd region; of detections: cannot be wrong, as its class is not fully annotated
        )
        self.score = score  # (rows,) NaN where none was given
        self.ids = ids  # (rows,) the annotation's; of detections the place in their list + 1
        self.place = place  # (rows,) in the list they were given in, from 0
        self.problems = problems  # row -> what is wrong with it; such a row has no box, mask or keypoints
        self.masks = masks  # (rows,) polygons or an RLE as given, None for a row with a problem; only for segm
        self.keypoints = keypoints  # (rows, points, 3) x, y, visibility; only for keypoints
        self.visible = visible  # (rows,) keypoints with a visibility, of ground truth; only for keypoints
        self.offsets = first_rows(image, images)  # (images + 1,) into rows

    def __len__(self) -> int:
        return len(self.image)


class FewRows(NamedTuple):
    """A column in which few rows have a value.

    >>> FewRows(np.array([2, 5], np.int32), np.array([0.5, 0.75])).of(np.array([5, 5, 2])).tolist()
    [0.75, 0.75, 0.5]
    """

    rows: Codes  # (few,) ascending
    values: NDArray[Any]  # (few,)

    def of(self, rows: Any) -> NDArray[Any]:
        """The values of the given rows, all of which have one."""
        return np.asarray(self.values[np.searchsorted(self.rows, rows)])


class Detections(NamedTuple):
    """Both sides as they were read, with warnings and faults."""

    images: Images
    categories: Categories
    truth: Instances
    pred: Instances
    inputs: list[Any]  # readers.files.Input: path, sha256, records
    warnings: list[str]
    bad: list[Any]  # readers.problems.BadAnnotation: annotations that cannot be used; their images are left out
    total: int = 0  # images there are, with those that are left out
    format: str = "coco"  # of the ground truth; in others than COCO ids were given here
    notices: Any = None  # annotations.repeats.SideNotices: what warnings and faults are about
    answers: dict[str, Any] | None = None  # of predictions that are answers of models: families and states of them
