"""The scene suite: boxes in rooms, one or several methods against one ground truth.

`measure` takes scenes to partners and counts, method by method; `summarize` takes those to the report. Scenes are in
the order of their names, so that the way they came does not matter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.core.bootstrap import resample_values
from calipers.core.causes import Causes
from calipers.core.cuboids import Boxes
from calipers.core.limits import pairs_allowed, too_many
from calipers.core.matching import Labels, Pairs, greedy, round_overlap
from calipers.core.worth import CauseCounts, cause_rows, gains_tree
from calipers.kernels.shape.cuboids import placements
from calipers.rulers.cuboid import cuboid_overlaps, near_centers
from calipers.suites.scene.config import Config
from calipers.suites.scene.counts import (
    CountedSide,
    Counts,
    Matches,
    false_positive_causes,
)
from calipers.suites.scene.frame import dominant_yaws, turned
from calipers.suites.scene.labels.resolve import LabelRules, Naming, ignored, load_known, make_naming
from calipers.suites.scene.open_set import Placed, Protocol, open_set_counts
from calipers.suites.scene.rates import Floats, MacroRates, plain, scene_rates
from calipers.suites.scene.read import SceneReading


class Method:
    """One method: its boxes beside the ground truth, partners, and the sums its rates are made of."""

    __slots__ = (
        *("boxes", "causes", "counts", "fp_causes", "most_pairs", "name", "open_set", "pairs", "pred", "spurious"),
        *("truth", "truth_boxes"),
    )

    def __init__(self, name: str, truth: Boxes, boxes: Boxes, naming: Naming, config: Config) -> None:
        self.name, self.truth_boxes, self.boxes = name, truth, boxes
        self.most_pairs = pairs_allowed(config.max_pairs, len(truth) + len(boxes))
        self.truth = CountedSide(truth.offsets, naming.codes(truth))
        self.pred = CountedSide(boxes.offsets, naming.codes(boxes), ~ignored(boxes, naming, config))
        self.pairs = self._counted(Pairs.sorted(truth, self._overlaps(config)))
        min_overlap, scenes = round_overlap(config.iou_threshold), len(truth.offsets) - 1
        matches = self._match(min_overlap, config)
        self.counts = Counts(self.truth, self.pred, matches, scenes, len(naming.classes))
        labelled = config.require_label_match
        self.spurious, self.fp_causes = false_positive_causes(self.counts, self.pairs, min_overlap, labelled)
        self.causes = Causes(self.pairs, self.labels, config.iou_threshold)
        self.open_set = self._open_set(naming, config) if config.open_set else {}

    @property
    def labels(self) -> Labels:
        """The classes of both sides."""
        return Labels(self.truth.classes, self.pred.classes)

    def _overlaps(self, config: Config) -> tuple[Any, Any, Any]:
        try:
            return cuboid_overlaps(self.truth_boxes, self.boxes, iou_mode=config.iou_mode, most=self.most_pairs)
        except OverflowError as error:
            raise too_many(self.name, "pairs of boxes that overlap", self.most_pairs, "max_pairs") from error

    def near_pairs(self, truth: Boxes, pred: Boxes, reach: float) -> Pairs:
        """Every pair of boxes of one scene with centres this near; both sides may have been moved."""
        try:
            return Pairs.sorted(truth, near_centers(truth, pred, reach, most=self.most_pairs))
        except OverflowError as error:
            what = f"pairs of boxes within {reach:g} m of each other, for AP by distance"
            raise too_many(self.name, what, self.most_pairs, "max_pairs") from error

    def _counted(self, pairs: Pairs) -> Pairs:
        """The pairs without those of predictions that are left out."""
        if self.pred.counted.all():
            return pairs
        kept = self.pred.counted[np.asarray(pairs.pred)]
        return Pairs(*(np.asarray(column)[kept] for column in (pairs.truth, pairs.pred, pairs.score)))

    def _match(self, min_overlap: int, config: Config) -> Matches:
        labels = self.labels if config.require_label_match else None
        partners = greedy(self.pairs, self.truth_boxes, self.boxes, min_overlap=min_overlap, labels=labels)
        return Matches(partners, *self._placements(partners, config))

    def _placements(self, pairs: Pairs, config: Config) -> Any:
        return placements(self.truth_boxes, self.boxes, pairs.truth, pairs.pred, config.containment == "obb")

    def _open_set(self, naming: Naming, config: Config) -> dict[str, Floats]:
        inside, holds, _ = self._placements(self.pairs, config)
        placed = Placed(self.pairs, np.asarray(inside, dtype=bool), np.asarray(holds, dtype=bool))
        min_overlap = max(1, round_overlap(config.os_min_iou))
        protocol = Protocol(min_overlap, config.os_similarity_threshold, config.protocol == "clio")
        similarity = naming.similarity(self.boxes)
        return open_set_counts(self.truth, self.pred, placed, similarity, protocol, self.counts.scenes)

    def worth(self, keys: list[str], config: Config) -> dict[str, Any]:
        """What each cause of errors is worth in F1."""
        columns = cause_rows(
            (self.truth_boxes.offsets, self.boxes.offsets), self.pairs, self.labels, (config.iou_threshold,)
        )
        sums = self.counts.by_scene()
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


def _resample(keys: list[str], table: Any, config: Config) -> Floats:
    """Sums of (columns, scenes) in each replicate."""
    some = table.any(axis=1)
    draws = np.zeros((len(table), config.bootstrap))
    draws[some] = resample_values(keys, table[some], seed=config.seed, replicates=config.bootstrap)
    return draws


class MeasuredMethods:
    """All methods as they were measured, with the warnings of reading and labels."""

    __slots__ = ("methods", "naming", "reading")

    def __init__(self, reading: SceneReading, naming: Naming, methods: list[Method]) -> None:
        self.reading, self.naming, self.methods = reading, naming, methods


def measure(reading: SceneReading, config: Config, known: LabelRules | None = None) -> MeasuredMethods:
    """Scenes to partners and counts. What is known from label files may be given, else they are read."""
    truth, preds = reading.truth, dict(reading.preds)
    if len(preds) > config.max_methods:
        raise too_many("pred", "methods", config.max_methods, "max_methods")
    if config.frame_normalization == "gt_global_yaw":
        angles = -dominant_yaws(truth)
        truth, preds = turned(truth, angles), {name: turned(boxes, angles) for name, boxes in preds.items()}
    naming = make_naming(config, truth, list(preds.values()), known or load_known(config))
    return MeasuredMethods(
        reading, naming, [Method(name, truth, boxes, naming, config) for name, boxes in preds.items()]
    )
