"""The scene suite: boxes in rooms, one or several methods against one ground truth.

`measure` takes scenes to partners and counts, method by method; `summarize` takes those to the report. Scenes are in
the order of their names, so that the way they came does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np

from calipers import __version__
from calipers.core.bootstrap import middle, resample_values, short
from calipers.core.cuboids import Boxes
from calipers.core.limits import pairs_allowed, too_many
from calipers.core.matching import Labels, Pairs, greedy, round_overlap
from calipers.core.text import whole_text
from calipers.kernels.cuboids import placements
from calipers.rulers.cuboid import cuboid_overlaps, near_centers
from calipers.suites.scene.ap import ApRuler, ap_tree
from calipers.suites.scene.config import AP_DISTANCES_M, AP_IOUS, Config, params
from calipers.suites.scene.counts import (
    CAUSES,
    Counts,
    Matches,
    Side,
    class_table,
    false_positive_causes,
    range_table,
    scene_table,
)
from calipers.suites.scene.frame import dominant_yaws, turned
from calipers.suites.scene.labels.resolve import Known, Naming, ignored, label_tree, load_known, make_naming
from calipers.suites.scene.open_set import Placed, Protocol, open_set_counts
from calipers.suites.scene.options import file_digest
from calipers.suites.scene.rates import DETECTION, GEOMETRY, MACRO, OPEN_SET, Floats, MacroRates, plain, scene_rates
from calipers.suites.scene.read import SceneReading
from calipers.suites.scene.rows import object_rows

KEPT = (  # rates whose replicates go into the artifact
    *(*DETECTION, "mean_iou_3d", "mean_centroid_error_m", "strict_accuracy", "relaxed_accuracy", "f1_relaxed"),
    *("osR_relaxed", "osP_relaxed", "F1_os"),
)


class Method:
    """One method: its boxes beside the ground truth, partners, and the sums its rates are made of."""

    __slots__ = (
        *("boxes", "causes", "counts", "most_pairs", "name", "open_set", "pairs", "pred", "spurious", "truth"),
        "truth_boxes",
    )

    def __init__(self, name: str, truth: Boxes, boxes: Boxes, naming: Naming, config: Config) -> None:
        self.name, self.truth_boxes, self.boxes = name, truth, boxes
        self.most_pairs = pairs_allowed(config.max_pairs, len(truth) + len(boxes))
        self.truth = Side(truth.offsets, naming.codes(truth))
        self.pred = Side(boxes.offsets, naming.codes(boxes), ~ignored(boxes, naming, config))
        self.pairs = self._counted(Pairs.sorted(truth, self._overlaps(config)))
        least, scenes = round_overlap(config.iou_threshold), len(truth.offsets) - 1
        matches = self._match(least, config)
        self.counts = Counts(self.truth, self.pred, matches, scenes, len(naming.classes))
        labelled = config.require_label_match
        self.spurious, self.causes = false_positive_causes(self.counts, self.pairs, least, labelled)
        self.open_set = self._open_set(naming, config) if config.open_set else {}

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
            found = f"pairs of boxes within {reach:g} m of each other, for AP by distance"
            raise too_many(self.name, found, self.most_pairs, "max_pairs") from error

    def _counted(self, pairs: Pairs) -> Pairs:
        """Without the pairs of predictions that are left out."""
        if self.pred.counted.all():
            return pairs
        kept = self.pred.counted[np.asarray(pairs.pred)]
        return Pairs(*(np.asarray(column)[kept] for column in (pairs.truth, pairs.pred, pairs.score)))

    def _match(self, least: int, config: Config) -> Matches:
        labels = Labels(self.truth.classes, self.pred.classes) if config.require_label_match else None
        partners = greedy(self.pairs, self.truth_boxes, self.boxes, least=least, labels=labels)
        return Matches(partners, *self._placements(partners, config))

    def _placements(self, pairs: Pairs, config: Config) -> Any:
        return placements(self.truth_boxes, self.boxes, pairs.truth, pairs.pred, config.containment == "obb")

    def _open_set(self, naming: Naming, config: Config) -> dict[str, Floats]:
        inside, holds, _ = self._placements(self.pairs, config)
        placed = Placed(self.pairs, np.asarray(inside, dtype=bool), np.asarray(holds, dtype=bool))
        least = max(1, round_overlap(config.os_min_iou))
        protocol = Protocol(least, config.os_similarity_threshold, config.protocol == "clio")
        similarity = naming.similarity(self.boxes)
        return open_set_counts(self.truth, self.pred, placed, similarity, protocol, self.counts.scenes)

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


class Measured:
    """All methods, and what the reading and the labels said."""

    __slots__ = ("methods", "naming", "reading")

    def __init__(self, reading: SceneReading, naming: Naming, methods: list[Method]) -> None:
        self.reading, self.naming, self.methods = reading, naming, methods


def measure(reading: SceneReading, config: Config, known: Known | None = None) -> Measured:
    """Scenes to partners and counts. What is known from label files may be given, else they are read."""
    truth, preds = reading.truth, dict(reading.preds)
    if len(preds) > config.max_methods:
        raise too_many("pred", "methods", config.max_methods, "max_methods")
    if config.frame_normalization == "gt_global_yaw":
        angles = -dominant_yaws(truth)
        truth, preds = turned(truth, angles), {name: turned(boxes, angles) for name, boxes in preds.items()}
    naming = make_naming(config, truth, list(preds.values()), known or load_known(config))
    return Measured(reading, naming, [Method(name, truth, boxes, naming, config) for name, boxes in preds.items()])


def summarize(measured: Measured, config: Config) -> dict[str, Any]:
    """Counts to the artifact, but for its inputs."""
    keys, reading = measured.reading.names, measured.reading
    draws = {method.name: method.replicates(keys, config) for method in measured.methods}
    head = {
        "suite": "scene",
        "protocol": "scene/1",
        "calipers": __version__,
        "inputs": [],
        "params": params(config, measured.naming.classes),
    }
    records = {"read": len(keys) + len(reading.bad), "evaluated": len(keys), "skipped": 0, "rejected": len(reading.bad)}
    methods = {
        method.name: head | {"method": method.name, "records": records} | _method_tree(method, measured, draws, config)
        for method in measured.methods
    }
    return {
        **head,
        "records": records,
        "methods": methods,
        "comparison": _comparison(measured.methods, draws, len(keys)),
        "warnings": [
            *reading.warnings,
            *reading.apart(),
            *(*measured.naming.warnings, *measured.naming.unsuggested(config)),
            *_unscored(measured),
            *_empty_sides(measured),
        ],
        "rejected": [bad.entry() for bad in reading.bad],
    }


def _empty_sides(measured: Measured) -> list[str]:
    """Files without a single box may be of another kind than they seem."""
    reading = measured.reading
    sides = {each.path: side.boxes for side in reading.sides for each in side.inputs}
    return [f"{path}: no boxes were found in it" for path, boxes in sides.items() if reading.names and not len(boxes)]


def with_inputs(tree: dict[str, Any], reading: SceneReading, beside: list[dict[str, Any]]) -> dict[str, Any]:
    """The artifact with its inputs: the ground truth, each method, and the files `beside` that options came from."""
    truth = [each._asdict() for each in reading.truth_inputs]
    preds = {name: [each._asdict() for each in given] for name, given in reading.inputs.items()}
    tree["inputs"] = [*truth, *(each for some in preds.values() for each in some), *beside]
    for name, method in tree["methods"].items():
        method["inputs"] = [*truth, *preds[name], *beside]
    return tree


def option_inputs(files: Iterable[str]) -> list[dict[str, Any]]:
    """The files that options came from, as the artifact names them."""
    return [{"path": whole_text(path), "sha256": file_digest(path), "records": None} for path in files]


def _method_tree(method: Method, measured: Measured, draws: dict[str, Any], config: Config) -> dict[str, Any]:
    rates, records = method.rates(), len(measured.reading.names)
    intervals = {name: _interval(values, records) for name, values in draws[method.name].items()}
    opened = OPEN_SET if config.open_set else ()
    general = {name: rates[name] for name in (*DETECTION, *GEOMETRY, *MACRO, *opened)}
    spans = {f"{name}_interval": intervals[name] for name in (*MACRO, *opened)}
    reading, name = measured.reading, method.name
    return {
        "counts": _counts(method),
        "detection_metrics": _with_intervals(DETECTION, rates, intervals),
        "geometry_metrics": _with_intervals(GEOMETRY, rates, intervals),
        "per_class": class_table(method.counts, measured.naming.classes),
        "fp_breakdown": {cause: int((method.causes == code).sum()) for code, cause in enumerate(CAUSES)},
        "range": range_table(method.counts, *_distances(reading, name), config.range_buckets),
        "ap": _ap(method, measured.naming.classes, config),
        "benchmark_compat": general | spans,
        **label_tree(measured.naming, method.truth_boxes, method.boxes, method.pred.counted),
        "scenes_without_predictions": reading.without_pred[name],
        "scenes_without_ground_truth": reading.without_truth[name],
        "scenes": scene_table(method.counts, reading.names),
        **object_rows(method, reading),
        "bootstrap": _bootstrap_tree(draws[name], config),
    }


def _bootstrap_tree(draws: dict[str, Floats], config: Config) -> dict[str, Any]:
    """The headline rates in every replicate, so that two results over the same scenes can be compared in pairs."""
    kept = {name: draws[name].tolist() for name in KEPT if name in draws}
    values = {name: [None if value != value else value for value in column] for name, column in kept.items()}  # NaN
    return {"replicates": config.bootstrap, "seed": config.seed, "values": values}


def _counts(method: Method) -> dict[str, int]:
    tp, counted = len(method.counts.matches), method.pred.counted
    gt, pred = len(method.truth_boxes), int(counted.sum())
    invalid = int((counted & (np.asarray(method.boxes.reason) != 0)).sum())
    return {
        "gt": gt,
        "pred": pred,
        "tp": tp,
        "fp": pred - tp,
        "fn": gt - tp,
        "invalid_pred": invalid,
        "ignored": len(counted) - pred,
    }


def _with_intervals(names: tuple[str, ...], rates: dict[str, Any], intervals: dict[str, Any]) -> dict[str, Any]:
    return {name: rates[name] for name in names} | {f"{name}_interval": intervals[name] for name in names}


def _distances(reading: SceneReading, name: str) -> tuple[Any, Any]:
    """How far from the origin objects are in the ground plane; a box that could not be read is nowhere (NaN)."""
    boxes = reading.preds[name]
    sides = [np.asarray(side.center).reshape(-1, 3) for side in (reading.truth, boxes)]
    truth, pred = (np.hypot(center[:, 0], center[:, 1]) for center in sides)
    return truth, np.where(np.asarray(boxes.reason) == 0, pred, np.nan)


def _ap(method: Method, classes: list[str], config: Config) -> dict[str, Any] | None:
    """At several overlaps, and at several distances of centres. Without any score there is no order."""
    unscored, counted = np.isnan(method.boxes.scores), method.pred.counted
    if counted.any() and unscored[counted].all():
        return None
    rulers = {name: ApRuler(method.pairs, round_overlap(least)) for name, least in AP_IOUS.items()}
    pred = Side(method.boxes.offsets, method.pred.classes, counted & ~unscored)
    return ap_tree(method.truth, pred, method.boxes.scores, rulers | _near(method, config), classes)


def _near(method: Method, config: Config) -> dict[str, ApRuler]:
    """Centres that are near: in space up to a distance, or on the ground below it, as nuScenes has it."""
    flat = config.ap_distance == "ground_plane"
    limits = AP_DISTANCES_M | ({"distance_4.0": 4.0} if flat else {})
    reach = max(limits.values())
    truth, pred = (_flattened(side) if flat else side for side in (method.truth_boxes, method.boxes))
    near = method.near_pairs(truth, pred, reach)
    return {name: ApRuler(near, round_overlap(1 - limit / (2 * reach)) + flat, flat) for name, limit in limits.items()}


def _flattened(boxes: Boxes) -> Boxes:
    """Boxes with their centres moved into the ground plane."""
    center = np.array(boxes.center).reshape(-1, 3)
    center[:, 2] = 0
    return boxes.replace(center=center.reshape(-1))


def _unscored(measured: Measured) -> list[str]:
    """Predictions without a score beside others that have one, which AP cannot rank."""
    missing = {each.name: np.isnan(each.boxes.scores)[each.pred.counted] for each in measured.methods}
    return [
        f"{name}: {int(rows.sum())} of {len(rows)} predictions have no score and are left out of AP"
        for name, rows in missing.items()
        if rows.any() and not rows.all()
    ]


def _comparison(methods: list[Method], draws: dict[str, dict[str, Floats]], records: int) -> list[dict[str, Any]]:
    """Every two methods: the difference of each rate, second minus first, with its interval over the same scenes."""
    rates = {method.name: method.rates() for method in methods}
    return [
        {"a": a, "b": b, "metrics": {name: _difference(name, a, b, rates, draws, records) for name in rates[a]}}
        for a, b in combinations(rates, 2)
    ]


def _difference(name: str, a: str, b: str, rates: Any, draws: Any, records: int) -> dict[str, Any]:
    first, second = rates[a][name], rates[b][name]
    return {
        "a": first,
        "b": second,
        "difference": None if first is None or second is None else second - first,
        "interval": _interval(draws[b][name] - draws[a][name], records),
    }


def _interval(values: Floats, records: int) -> list[float] | None:
    """To as many digits as resampled values carry."""
    ends = middle(values, records=records)
    return ends and [short(end) for end in ends]
