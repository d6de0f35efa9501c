"""Ground truth that comes in several data sets, each with images of its own, as one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from calipers.core.errors import InputError
from calipers.files.problems import BadAnnotation, shown
from calipers.meter import MeterInput
from calipers.suites.coco.annotations.images import read_id, read_name
from calipers.suites.coco.columns import Detections
from calipers.suites.coco.config import Config
from calipers.suites.coco.formats.pieces import SHARD_BYTES, until_error
from calipers.suites.coco.formats.rows import plain
from calipers.suites.coco.formats.table import read_shard
from calipers.suites.coco.measure import check_sigmas
from calipers.suites.coco.read import SidesReader
from calipers.suites.coco.tensor_images import renumbered

IN_MEMORY = "what the JSON of a data set would hold: images, categories and annotations"


class TruthSet(NamedTuple):
    """A data set that was given, and what is known of it."""

    given: Any  # a path, or what its JSON would hold
    images: frozenset[int]  # ids
    categories: dict[int, str]
    annotations: frozenset[float]  # ids, where the data set is in memory
    bad: list[BadAnnotation]

    def renumbered(self, new: Mapping[int, int]) -> TruthSet:
        """The data set with other ids for some of its images; one that has none of them as it is."""
        if self.images.isdisjoint(new):
            return self
        images = frozenset(new.get(ident, ident) for ident in self.images)
        data = renumbered(self.given, new)
        return self._replace(given=data, images=images, annotations=frozenset(_annotation_ids(data)))


def read_truth(gt: Any, results: list[Any], config: Config) -> TruthSet:
    """A data set that can be used, and that these results fit, or an error that says why not."""
    return read_update(gt, results, config)[0]


def read_update(gt: Any, results: list[Any], config: Config) -> tuple[TruthSet, Detections]:
    """A data set and the results on it, or an error that says why they cannot be used."""
    formats = config.gt_format, config.pred_format
    reading = SidesReader(gt, results, config.iou_type, formats, config.images, federated=not config.ignore_federated)
    detections = reading.detections(until_error(reading.shards(SHARD_BYTES), read_shard))
    check_sigmas(detections, config)
    known = reading.known()
    classes = {read_id(row, "categories", "a category"): row for row in known.categories}
    truth = TruthSet(
        gt,
        frozenset(read_id(image, "images", "an image") for image in known.images),
        {ident: read_name(row, ident, "gt") for ident, row in classes.items()},
        frozenset(_annotation_ids(gt)),
        detections.bad,
    )
    return truth, detections


def _annotation_ids(gt: Any) -> Iterable[float]:
    rows = gt["annotations"] if isinstance(gt, Mapping) else ()
    ids = (plain(row.get("id")) for row in rows if isinstance(row, Mapping))
    return (ident for ident in ids if isinstance(ident, (int, float)))


FORGOTTEN = TruthSet({}, frozenset(), {}, frozenset(), [])  # a data set that does not stay


class TruthSets:
    """Data sets that are one: no image and no annotation is in two of them, and an id means one class."""

    def __init__(self, *, keep: bool = True) -> None:
        """`keep` is whether the data sets stay here, and not only what is known of all of them."""
        self._keep = keep
        self._taken: MeterInput[TruthSet] = MeterInput()
        self.images: set[int] = set()  # ids
        self.categories: dict[int, str] = {}
        self._annotations: set[float] = set()

    @property
    def sets(self) -> list[TruthSet]:
        """The data sets in the order they came."""
        return self._taken.parts

    def add(self, sets: list[TruthSet], most_bad: int) -> None:
        """Take data sets that fit each other, all or none: none if one of them does not fit those that are here."""
        self.check(sets)
        stored = sets if self._keep else [FORGOTTEN._replace(bad=later.bad) for later in sets]
        self._taken.add(stored, {str(ident) for later in sets for ident in later.images}, "image", most_bad)
        for later in sets:
            self.images |= later.images
            self.categories |= later.categories
            self._annotations |= later.annotations

    def check(self, sets: list[TruthSet]) -> None:
        """Refuse data sets that do not fit those that are here."""
        for later in sets:
            self._check(later)

    def _check(self, later: TruthSet) -> None:
        for part in (*self.sets, later) if self.sets else ():
            if not isinstance(part.given, Mapping):
                raise InputError(f"{os.fspath(part.given)}: is a file beside other ground truth, expected {IN_MEMORY}")
        for ident, name in later.categories.items():
            if (known := self.categories.get(ident, name)) != name:
                raise InputError(f"gt: the category {ident} is {shown(name)}, expected {shown(known)} as before")
        if again := sorted(self._annotations & later.annotations):
            raise InputError(f"gt: the annotation {again[0]} was added before, expected each id once, or no ids")

    def as_one(self) -> TruthSet:
        """What is known of all data sets, without what they hold."""
        bad = [fault for part in self.sets for fault in part.bad]
        return TruthSet({}, frozenset(self.images), dict(self.categories), frozenset(self._annotations), bad)

    def union(self) -> Any:
        """One data set of all; a single one as it was given."""
        if len(self.sets) == 1:
            return self.sets[0].given
        classes = [row for part in self.sets for row in part.given["categories"]]
        return {
            "images": [image for part in self.sets for image in part.given["images"]],
            "categories": list({row["id"]: row for row in reversed(classes)}.values()),  # the first of each id
            "annotations": [row for part in self.sets for row in part.given["annotations"]],
        }
