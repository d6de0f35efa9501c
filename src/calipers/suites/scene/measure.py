"""The scene suite: boxes in rooms, one or several methods against one ground truth.

`measure` takes scenes to partners and counts, method by method; `summarize` takes those to the report. Scenes are in
the order of their names, so that the way they came does not matter.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from calipers.core.bootstrap import resample_values
from calipers.core.causes import Causes
from calipers.core.cuboids import Boxes
from calipers.core.errors import InputError
from calipers.core.limits import pairs_allowed, too_many
from calipers.core.matching import Labels, Pairs, greedy, round_overlap
from calipers.core.worth import CauseCounts, cause_rows, gains_tree
from calipers.kernels.shape.cuboids import placements
from calipers.rulers.cuboid import cuboid_overlaps, near_centers
from calipers.suites.scene.ap import ApRuler, Closeness, FoundBy, find_objects
from calipers.suites.scene.config import AP_DISTANCES_M, AP_IOUS, Config
from calipers.suites.scene.counts import (
    CountedSide,
    Counts,
    Matches,
    false_positive_causes,
    range_counts,
)
from calipers.suites.scene.frame import dominant_yaws, turned
from calipers.suites.scene.labels.resolve import (
    DistinctLabels,
    LabelRules,
    Naming,
    ResolvedClasses,
    ignored,
    load_rules,
    make_naming,
)
from calipers.suites.scene.open_set import Placed, Protocol, open_set_counts
from calipers.suites.scene.rates import Floats, MacroRates, plain, scene_rates
from calipers.suites.scene.read import SceneReading

GROUND_PLANE = "ground_plane"  # of ap_distance
HALF = "iou_0.50"  # of the rulers of AP, what scores are judged by; boxes that could not be read find nothing there


class MethodFigures(ABC):
    """One method: partners and what became of its boxes, and the sums its rates are made of."""

    __slots__ = ("boxes", "causes", "counts", "fp_causes", "name", "open_set", "pred", "spurious", "truth_boxes")

    name: str
    truth_boxes: Boxes  # those of methods that were kept have no shapes
    boxes: Boxes
    counts: Counts
    pred: CountedSide
    spurious: Any  # (false positives,) rows
    fp_causes: Any  # (false positives,)
    causes: Causes
    open_set: dict[str, Floats]  # sums by scene

    @property
    def truth(self) -> CountedSide:
        """The side of the ground truth."""
        return self.counts.truth

    @property
    def labels(self) -> Labels:
        """The classes of both sides."""
        return Labels(self.truth.classes, self.pred.classes)

    @abstractmethod
    def found_by(self, config: Config) -> FoundBy:
        """For each ruler of AP which predictions find an object."""

    @abstractmethod
    def fits(self, config: Config) -> Closeness:
        """(predictions,) the overlap of each with the object it finds at an IoU of 0.50, 0 where it finds none."""

    @abstractmethod
    def cause_table(self, config: Config) -> Any:
        """The rows of causes in each scene."""

    @abstractmethod
    def range_counts(self, reading: SceneReading, config: Config) -> Any:
        """(3, ranges) gt, tp and fp by distance from the origin."""

    @abstractmethod
    def volumes(self) -> tuple[Floats, Floats]:
        """Cubic metres of the boxes of both sides; NaN for what could not be read."""

    def worth(self, keys: list[str], config: Config) -> dict[str, Any]:
        """What each cause of errors is worth in F1."""
        columns, sums = self.cause_table(config), self.counts.by_scene()
        sides = np.stack([sums["gt"], sums["pred"]])
        draws = _resample(keys, np.concatenate([columns, sides]), config)
        whole = CauseCounts(columns.sum(axis=1, keepdims=True), *sides.sum(axis=1, keepdims=True))
        return gains_tree(whole, CauseCounts(draws[:-2], *draws[-2:]), len(keys))

    def rates(self) -> dict[str, float | None]:
        """Every rate over all scenes."""
        opened = {name: column.sum(keepdims=True) for name, column in self.open_set.items()}
        return {name: plain(value[0]) for name, value in scene_rates(self.counts.totals() | opened).items()}

    def replicates(self, keys: list[str], config: Config) -> dict[str, Floats]:
        """Every rate in each replicate of the bootstrap over scenes."""
        sums = self.counts.by_scene() | self.open_set
        draws = _resample(keys, np.stack(list(sums.values())), config)
        return scene_rates(dict(zip(sums, draws, strict=True))) | self._macro_replicates(keys, config)

    def _macro_replicates(self, keys: list[str], config: Config) -> dict[str, Floats]:
        macro = MacroRates(config.bootstrap)
        for scenes, sums in self.counts.class_blocks():
            draws = _resample([keys[scene] for scene in scenes.tolist()], np.concatenate(list(sums.values())), config)
            parts = np.split(draws, len(sums))
            macro.add(dict(zip(sums, parts, strict=True)))
        return macro.rates()


class Method(MethodFigures):
    """One method, measured: its boxes beside the ground truth, and the pairs of these."""

    __slots__ = ("_closeness", "compared", "most_pairs", "near", "pairs")

    def __init__(
        self,
        name: str,
        truth: Boxes,
        boxes: Boxes,
        naming: ResolvedClasses,
        config: Config,
        most_pairs: int | None = None,
    ) -> None:
        """`most_pairs` is how many a run may compare that has other scenes beside these."""
        self.name, self.truth_boxes, self.boxes = name, truth, boxes
        self.most_pairs = pairs_allowed(config.max_pairs, len(truth) + len(boxes)) if most_pairs is None else most_pairs
        min_overlap = round_overlap(config.iou_threshold)
        true_classes, classes, left_out = naming.codes(truth), naming.codes(boxes), ignored(boxes, naming, config)
        own, self.pred = CountedSide(truth.offsets, true_classes), CountedSide(boxes.offsets, classes, ~left_out)
        self.near = 0
        self.pairs = Pairs.sorted(truth, self._overlaps(config))
        labels = Labels(own.classes, self.pred.classes)
        wanted = labels if config.require_label_match else None
        partners = greedy(self.pairs, truth, boxes, min_overlap=min_overlap, labels=wanted)
        matches = Matches(partners, *self._placements(partners, config))
        self.counts = Counts(own, self.pred, matches, own.scenes, len(naming.classes))
        labelled = config.require_label_match
        self.spurious, self.fp_causes = false_positive_causes(self.counts, self.pairs, min_overlap, labelled)
        self.causes = Causes(self.pairs, labels, config.iou_threshold)
        self.open_set = self._open_set(naming, config) if config.open_set else {}
        self._closeness: dict[str, Closeness] | None = None

    def _overlaps(self, config: Config) -> tuple[Any, Any, Any]:
        """Boxes that overlap, without predictions that are left out."""
        try:
            columns = cuboid_overlaps(self.truth_boxes, self.boxes, iou_mode=config.iou_mode, max_pairs=self.most_pairs)
        except OverflowError as error:
            raise too_many_pairs(self.name, self.most_pairs) from error
        self.compared = len(columns[0])
        if self.pred.counted.all():
            return columns
        counted = self.pred.counted[np.asarray(columns[1])]
        truth, pred, overlap = (np.asarray(column)[counted] for column in columns)
        return truth, pred, overlap

    def _placements(self, pairs: Pairs, config: Config) -> Any:
        return placements(self.truth_boxes, self.boxes, pairs.truth, pairs.pred, config.containment == "obb")

    def _open_set(self, naming: ResolvedClasses, config: Config) -> dict[str, Floats]:
        inside, holds, _ = self._placements(self.pairs, config)
        placed = Placed(self.pairs, np.asarray(inside, dtype=bool), np.asarray(holds, dtype=bool))
        min_overlap = max(1, round_overlap(config.os_min_iou))
        protocol = Protocol(min_overlap, config.os_similarity_threshold, config.protocol == "clio")
        return open_set_counts(self.truth, self.pred, placed, naming.similarity(self.boxes), protocol, naming.is_task())

    def found_by(self, config: Config) -> FoundBy:
        """For each ruler of AP which predictions find an object."""
        return {name: closeness > 0 for name, closeness in self._objects(config).items()}

    def fits(self, config: Config) -> Closeness:
        """(predictions,) the overlap of each with the object it finds at an IoU of 0.50, 0 where it finds none."""
        return self._objects(config)[HALF]

    def _objects(self, config: Config) -> dict[str, Closeness]:
        if self._closeness is None:
            rulers = {name: ApRuler(self.pairs, round_overlap(overlap)) for name, overlap in AP_IOUS.items()}
            self._closeness = find_objects(self.truth, self.pred, self.boxes.scores, rulers | self._near(config))
        return self._closeness

    def _near(self, config: Config) -> dict[str, ApRuler]:
        """Centres that are near: in space up to a distance, or on the ground below it, as nuScenes has it."""
        flat, limits = config.ap_distance == GROUND_PLANE, ap_distances(config)
        reach = max(limits.values())
        truth, pred = (_flattened(side) if flat else side for side in (self.truth_boxes, self.boxes))
        try:
            columns = near_centers(truth, pred, reach, max_pairs=self.most_pairs)
        except OverflowError as error:
            raise too_many_near(self.name, config, self.most_pairs) from error
        self.near, near = len(columns[0]), Pairs.sorted(truth, columns)
        return {
            name: ApRuler(near, round_overlap(1 - limit / (2 * reach)) + flat, flat) for name, limit in limits.items()
        }

    def cause_table(self, config: Config) -> Any:
        """The rows of causes in each scene."""
        offsets = self.truth_boxes.offsets, self.boxes.offsets
        return cause_rows(offsets, self.pairs, self.labels, (config.iou_threshold,))

    def range_counts(self, reading: SceneReading, config: Config) -> Any:
        """(3, ranges) gt, tp and fp by distance from the origin, where the files have it."""
        truth, pred = _distances(reading.truth), _distances(reading.preds[self.name])
        return range_counts(self.counts, truth, pred, config.range_buckets)

    def volumes(self) -> tuple[Floats, Floats]:
        """Cubic metres of the boxes of both sides; NaN for what could not be read."""
        return _volumes(self.truth_boxes), _volumes(self.boxes)


def ap_distances(config: Config) -> dict[str, float]:
    """The distances of centres, in metres, that AP is taken at."""
    return AP_DISTANCES_M | ({"distance_4.0": 4.0} if config.ap_distance == GROUND_PLANE else {})


def too_many_pairs(method: str, limit: int) -> InputError:
    """The refusal of boxes that overlap too many others."""
    return too_many(method, "pairs of boxes that overlap", limit, "max_pairs")


def too_many_near(method: str, config: Config, limit: int) -> InputError:
    """The refusal of boxes that are near too many others."""
    reach = max(ap_distances(config).values())
    return too_many(method, f"pairs of boxes within {reach:g} m of each other, for AP by distance", limit, "max_pairs")


def _flattened(boxes: Boxes) -> Boxes:
    """Boxes with their centres moved into the ground plane."""
    center = np.array(boxes.center).reshape(-1, 3)
    center[:, 2] = 0
    return boxes.replace(center=center.reshape(-1))


def _distances(boxes: Boxes) -> Floats:
    """How far from the origin objects are in the ground plane; a box that could not be read is nowhere (NaN)."""
    center = np.asarray(boxes.center).reshape(-1, 3)
    return np.where(np.asarray(boxes.reason) == 0, np.hypot(center[:, 0], center[:, 1]), np.nan)


def _volumes(boxes: Boxes) -> Floats:
    half = np.asarray(boxes.half, dtype=np.float64).reshape(-1, 3)
    volumes = 8 * half[:, 0] * half[:, 1] * half[:, 2]
    return np.where(np.asarray(boxes.reason) == 0, volumes, np.nan)


def _resample(keys: list[str], table: Any, config: Config) -> Floats:
    """Sums of (columns, scenes) in each replicate."""
    nonzero = table.any(axis=1)
    draws = np.zeros((len(table), config.bootstrap))
    draws[nonzero] = resample_values(keys, table[nonzero], seed=config.seed, replicates=config.bootstrap)
    return draws


class MeasuredMethods:
    """All methods as they were measured, with the warnings of reading and labels."""

    __slots__ = ("methods", "naming", "reading")

    def __init__(self, reading: SceneReading, naming: Naming, methods: Sequence[Any]) -> None:
        self.reading, self.naming, self.methods = reading, naming, methods


def measure(reading: SceneReading, config: Config, rules: LabelRules | None = None) -> MeasuredMethods:
    """Scenes to partners and counts. What is known from label files may be given, else they are read."""
    check_methods(reading.methods, config)
    distinct = DistinctLabels.of(reading.truth, reading.preds.values())
    naming = make_naming(config, distinct, rules or load_rules(config))
    return MeasuredMethods(reading, naming, measure_methods(reading, naming, config))


def check_methods(methods: Sequence[str], config: Config) -> None:
    """Refuse more methods than may be compared with each other."""
    if len(methods) > config.max_methods:
        raise too_many("pred", "methods", config.max_methods, "max_methods")


def measure_methods(
    reading: SceneReading, naming: ResolvedClasses, config: Config, most_pairs: Sequence[int] | None = None
) -> list[Method]:
    """Each method; `most_pairs` are how many each may compare, of a run that has other scenes beside these."""
    truth, preds = reading.truth, dict(reading.preds)
    if config.frame_normalization == "gt_global_yaw":
        angles = -dominant_yaws(truth)
        truth, preds = turned(truth, angles), {name: turned(boxes, angles) for name, boxes in preds.items()}
    limits = [None] * len(preds) if most_pairs is None else most_pairs
    return [
        Method(name, truth, boxes, naming, config, limit)
        for (name, boxes), limit in zip(preds.items(), limits, strict=True)
    ]
