"""Federated ground truth, as LVIS has it: not every class was looked for on every image.

An image lists classes that are surely not on it (`neg_category_ids`), and classes of which not every object on it is
annotated (`not_exhaustive_category_ids`). A class that an image neither has an annotation of nor lists as absent was
not looked for there: detections of it are left out. A detection of a class that is not annotated exhaustively is
neither right nor wrong, unless it finds an object. These are the definitions of the LVIS evaluation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.errors import InputError, keyword
from calipers.files.problems import shown
from calipers.suites.coco.annotations.images import Dataset, by_id, find_ids
from calipers.suites.coco.annotations.truth import Checked
from calipers.suites.coco.columns import Whole

ABSENT, PARTIAL = "neg_category_ids", "not_exhaustive_category_ids"
OPTION = f"{keyword('ignore_federated', True)} judges every class on every image"
Chosen = NDArray[np.bool_]


class Federated(NamedTuple):
    """Pairs of an image and a class, each as the number image * classes + class."""

    classes: int
    absent: Whole | None  # those that are surely absent; None if the data set does not tell
    partial: Whole  # those that are not annotated exhaustively


class Judged(NamedTuple):
    """(detections,) which are left out, and which are neither right nor wrong unless they find an object."""

    left_out: Chosen
    partial: Chosen


def read_federated(images: Any, data: Dataset, iou_type: str) -> Federated | None:
    """What the images of a data set tell about classes; None if they tell nothing."""
    named = [name for name in (ABSENT, PARTIAL) if any(name in image for image in images)]
    if not named:
        return None
    if iou_type == "keypoints":
        raise InputError(f"{data.path}: images: found {named[0]}, expected it with boxes or masks only ({OPTION})")
    classes = len(data.categories)
    absent = _pairs(images, ABSENT, data) if ABSENT in named else None
    return Federated(classes, absent, _pairs(images, PARTIAL, data))


def _pairs(images: Any, name: str, data: Dataset) -> Whole:
    """The (image, class) pairs of one list, over all images."""
    places, ids = [], []
    for place, (ident, image) in enumerate(by_id(images, f"{data.path}: images", "an image").items()):
        listed = _listed(image, name, f"{data.path}: images (id {ident}): {name}")
        places += [place] * len(listed)
        ids += listed
    codes, is_known = find_ids(data.categories.ids, np.array(ids, np.int64))
    if not is_known.all():
        at = int(np.argmin(is_known))
        where = f"{data.path}: images (id {data.images.ids[places[at]]}): {name}"
        raise InputError(f"{where}: found {ids[at]}, expected the id of a category")
    return np.array(places, np.int64) * len(data.categories) + codes


def _listed(image: Mapping[str, Any], name: str, where: str) -> list[int]:
    listed = image.get(name)
    if listed is None:
        return []
    if not isinstance(listed, (list, tuple)) or not all(type(ident) is int and abs(ident) < 2**63 for ident in listed):
        raise InputError(f"{where}: found {shown(listed)}, expected a list of ids of categories")
    return list(listed)


def judge(federated: Federated, truth: Checked, pred: Checked, problems: Mapping[int, str]) -> Judged:
    """Which detections are left out or ignored. One that is invalid counts as such, if its class was looked for."""
    keys = pred.image.astype(np.int64) * federated.classes + pred.category
    left_out = np.zeros(len(keys), np.bool_)
    if federated.absent is not None:
        present = truth.image.astype(np.int64) * federated.classes + truth.category
        left_out = ~(np.isin(keys, federated.absent) | np.isin(keys, present))
    partial = np.isin(keys, federated.partial) & ~left_out
    partial[list(problems)] = False
    return Judged(left_out, partial)


def federated_warnings(judged: Judged, path: str) -> Iterator[str]:
    """Warnings on how many detections federated annotations leave out or ignore."""
    for chosen, words in (
        (judged.left_out, f"detections of classes that were not looked for on their images ({ABSENT}) are left out"),
        (judged.partial, f"detections of classes that are not annotated exhaustively ({PARTIAL}) cannot be wrong"),
    ):
        if count := int(np.count_nonzero(chosen)):
            yield f"{path}: {words}: {count} ({OPTION})"
