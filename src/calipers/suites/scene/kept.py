"""What is kept of scenes that were measured by themselves: flags instead of shapes, from which figures are made.

Matching is local to a scene, in all its forms. So of an object only remain its label, its class, its score, its place
in the file and what became of it; of a match what was measured of it; of a scene its sums. Scenes that were measured
apart are put together by putting their rows together, and ranks are made at the end. No box is left, so rows of objects
and cases can not be had from what was kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.causes import OUTCOMES, Causes
from calipers.core.cuboids import Boxes
from calipers.core.errors import changed_during_run
from calipers.core.limits import pairs_allowed
from calipers.core.matching import Pairs
from calipers.core.parts import Packed
from calipers.core.slice_fields import SIZE
from calipers.files.inputs import InputFile
from calipers.suites.scene.ap import Closeness, FoundBy
from calipers.suites.scene.config import AP_IOUS, Config
from calipers.suites.scene.counts import FALSE_POSITIVE_CAUSES, CountedSide, Counts, Matches
from calipers.suites.scene.first_pass import KnownLabels, files_digest
from calipers.suites.scene.joining import join_readings
from calipers.suites.scene.labels.resolve import Naming
from calipers.suites.scene.measure import (
    Method,
    MethodFigures,
    ap_distances,
    measure_methods,
    too_many_near,
    too_many_pairs,
)
from calipers.suites.scene.packing import pack_reading, unpack_reading, without_shapes
from calipers.suites.scene.rates import OPEN_SET_SUMS, Floats
from calipers.suites.scene.read import SceneReading

Columns = dict[str, NDArray[Any]]
PLACES = {"match_truth": 0, "match_pred": 1, "spurious": 1}  # rows of a side
BY_SCENE = ("open_set", "causes")  # (sums, scenes)
SUMS = ("ranges", "compared")  # of all scenes
CLASSES = {"truth_class": 0, "pred_class": 1}


class KeptScenes(NamedTuple):
    """Some scenes that were measured."""

    reading: SceneReading  # boxes without shapes
    classes: list[str]  # that codes stand for
    methods: list[Columns]

    def pack(self) -> Packed:
        """The scenes as plain values and arrays."""
        reading = pack_reading(self.reading)
        columns = {f"kept/{k}/{name}": column for k, own in enumerate(self.methods) for name, column in own.items()}
        return Packed({"reading": reading.plain, "classes": self.classes}, reading.arrays | columns)


def unpack_kept(packed: Packed) -> KeptScenes:
    """The scenes that were packed."""
    plain, arrays = packed
    reading = unpack_reading(Packed(plain["reading"], arrays), shapes=False)
    leads = [f"kept/{k}/" for k in range(len(reading.methods))]
    methods = [
        {name.removeprefix(lead): column for name, column in arrays.items() if name.startswith(lead)} for lead in leads
    ]
    for columns, boxes in zip(methods, reading.preds.values(), strict=True):
        _check_columns(columns, reading.truth, boxes, len(plain["classes"]))
    return KeptScenes(reading, plain["classes"], methods)


def _check_columns(columns: Columns, truth: Boxes, boxes: Boxes, classes: int) -> None:
    """Check that columns have one length, and that rows, classes and causes exist."""
    sizes, matches = (len(truth), len(boxes)), len(columns["match_score"])
    lengths = {"truth_class": sizes[0], "truth_outcome": sizes[0], "fp_cause": len(columns["spurious"])}
    lengths |= dict.fromkeys(("pred_class", "pred_outcome", "counted", "found", "fit"), sizes[1])
    lengths |= dict.fromkeys(("match_truth", "match_pred", "strict", "relaxed", "error"), matches)
    good = all(columns[name].shape == (length,) for name, length in lengths.items())
    limits = {name: (0, sizes[side]) for name, side in PLACES.items()} | dict.fromkeys(CLASSES, (-1, classes))
    limits |= dict.fromkeys(("truth_outcome", "pred_outcome"), (0, len(OUTCOMES)))
    limits["fp_cause"] = (0, len(FALSE_POSITIVE_CAUSES))
    scenes = len(truth.offsets) - 1
    good = good and all(columns[name].shape[1:] == (scenes,) for name in BY_SCENE if name in columns)
    if not good or any(
        len(columns[name]) and not least <= columns[name].min() <= columns[name].max() < end
        for name, (least, end) in limits.items()
    ):
        raise ValueError("columns of scenes that do not fit together")


# From boxes to what is kept


def keep_scenes(reading: SceneReading, labels: KnownLabels, config: Config, where: str) -> KeptScenes:
    """Measure some scenes, whose labels are known."""
    if files_digest(reading) != labels.digest:
        raise changed_during_run(where)
    methods = measure_methods(reading, labels.names, config, labels.most_pairs)
    columns = [_columns(method, reading, config, scored) for method, scored in zip(methods, labels.scored, strict=True)]
    sides = [side._replace(boxes=without_shapes(side.boxes)) for side in reading.sides]
    slim = SceneReading(reading.names, reading.methods, sides, reading.bad)
    return KeptScenes(slim, labels.names.classes, columns)


def _columns(method: Method, reading: SceneReading, config: Config, scored: bool) -> Columns:
    matches, causes = method.counts.matches, method.causes
    by_ruler = method.found_by(config) if scored else {}
    columns = {
        "truth_class": method.truth.classes,
        "pred_class": method.pred.classes,
        "counted": method.pred.counted,
        "found": _bits(by_ruler, len(method.boxes)),
        "fit": method.fits(config) if scored else np.zeros(len(method.boxes), dtype=np.int64),
        "truth_outcome": causes.truth.astype(np.uint8),
        "pred_outcome": causes.pred.astype(np.uint8),
        "match_truth": matches.truth.astype(np.int32),
        "match_pred": matches.pred.astype(np.int32),
        "match_score": matches.score.astype(np.int64),
        "strict": matches.strict,
        "relaxed": matches.relaxed,
        "error": matches.error,
        "spurious": method.spurious.astype(np.int32),
        "fp_cause": method.fp_causes.astype(np.int8),
        "causes": np.asarray(method.cause_table(config), dtype=np.int64),
        "ranges": np.asarray(method.range_counts(reading, config), dtype=np.int64),
        "compared": np.array([method.compared, method.near], dtype=np.int64),
    }
    if method.open_set:
        columns["open_set"] = np.stack([method.open_set[name] for name in OPEN_SET_SUMS])
    if SIZE in config.slice_fields:
        columns["truth_size"], columns["pred_size"] = method.volumes()
    return columns


def _bits(found_by: FoundBy, rows: int) -> NDArray[np.uint8]:
    """(predictions,) which rulers find each, the first of them the lowest bit."""
    bits = np.zeros(rows, dtype=np.uint8)
    for bit, flags in enumerate(found_by.values()):
        bits |= flags.astype(np.uint8) << np.uint8(bit)
    return bits


# From what was kept to figures


def join_kept(parts: Sequence[KeptScenes], inputs: list[list[InputFile]]) -> KeptScenes:
    """Scenes of all parts, which follow each other."""
    if len(parts) == 1:
        return parts[0]._replace(reading=join_readings([parts[0].reading], inputs))
    names = [name for part in parts for name in part.reading.names]
    if not all(a < b for a, b in pairwise(names)):
        raise ValueError("scenes that do not follow each other")
    classes = list(dict.fromkeys(label for part in parts for label in part.classes))
    place = {label: code for code, label in enumerate(classes)}
    recoded = [np.array([*(place[label] for label in part.classes), -1], dtype=np.int32) for part in parts]
    methods = []
    for number, method in enumerate(parts[0].reading.methods):
        sizes = np.array([[len(part.reading.truth), len(part.reading.preds[method])] for part in parts])
        firsts = np.cumsum(sizes, axis=0) - sizes
        methods.append(_join_columns([part.methods[number] for part in parts], firsts, recoded))
    return KeptScenes(join_readings([part.reading for part in parts], inputs), classes, methods)


def _join_columns(parts: list[Columns], firsts: NDArray[np.int64], recoded: list[NDArray[np.int32]]) -> Columns:
    """Columns of one method; `firsts` are the rows before each part on both sides."""
    joined: Columns = {}
    for name in parts[0]:
        columns = [part[name] for part in parts]
        if name in SUMS:
            joined[name] = np.sum(columns, axis=0)
        elif name in BY_SCENE:
            joined[name] = np.concatenate(columns, axis=1)
        elif name in PLACES:
            moves = firsts[:, PLACES[name]].tolist()
            joined[name] = np.concatenate(
                [column + np.int64(move) for column, move in zip(columns, moves, strict=True)]
            )
        elif name in CLASSES:
            joined[name] = np.concatenate([codes[column] for codes, column in zip(recoded, columns, strict=True)])
        else:
            joined[name] = np.concatenate(columns)
    return joined


class KeptOutcomes(Causes):
    """What became of every object, of scenes that were kept."""

    def __init__(self, truth: NDArray[np.uint8], pred: NDArray[np.uint8]) -> None:
        self.truth, self.pred = truth, pred


class KeptMethod(MethodFigures):
    """One method, of scenes that were measured apart, as if it had been measured here; without shapes."""

    __slots__ = ("_columns", "_most_pairs")

    def __init__(self, name: str, scenes: KeptScenes, columns: Columns, naming: Naming, config: Config) -> None:
        self.name, self.truth_boxes, self.boxes = name, scenes.reading.truth, scenes.reading.preds[name]
        self._columns = columns
        self._most_pairs = pairs_allowed(config.max_pairs, len(self.truth_boxes) + len(self.boxes))
        if columns["compared"][0] > self._most_pairs:
            raise too_many_pairs(name, self._most_pairs)
        place = {label: code for code, label in enumerate(naming.classes)}
        codes = np.array([*(place[label] for label in scenes.classes), -1], dtype=np.int32)
        truth = CountedSide(self.truth_boxes.offsets, codes[columns["truth_class"]])
        self.pred = CountedSide(self.boxes.offsets, codes[columns["pred_class"]], columns["counted"])
        pairs = Pairs(columns["match_truth"], columns["match_pred"], columns["match_score"])
        matches = Matches(pairs, columns["strict"], columns["relaxed"], columns["error"])  # strict ones are relaxed too
        self.counts = Counts(truth, self.pred, matches, truth.scenes, len(naming.classes))
        self.spurious, self.fp_causes = columns["spurious"], columns["fp_cause"]
        self.causes = KeptOutcomes(columns["truth_outcome"], columns["pred_outcome"])
        self.open_set: dict[str, Floats] = {}
        if config.open_set:
            self.open_set = dict(zip(OPEN_SET_SUMS, columns["open_set"], strict=True))

    def found_by(self, config: Config) -> FoundBy:
        """For each ruler of AP which predictions find an object."""
        if self._columns["compared"][1] > self._most_pairs:
            raise too_many_near(self.name, config, self._most_pairs)
        return _flags(self._columns["found"], [*AP_IOUS, *ap_distances(config)])

    def fits(self, config: Config) -> Closeness:
        """(predictions,) the overlap of each with the object it finds at an IoU of 0.50, 0 where it finds none."""
        return self._columns["fit"]

    def cause_table(self, config: Config) -> Any:
        """The rows of causes in each scene."""
        return self._columns["causes"]

    def range_counts(self, reading: SceneReading, config: Config) -> Any:
        """(3, ranges) gt, tp and fp by distance from the origin."""
        return self._columns["ranges"]

    def volumes(self) -> tuple[Floats, Floats]:
        """Cubic metres of the boxes of both sides; NaN for what could not be read."""
        return self._columns["truth_size"], self._columns["pred_size"]


def _flags(bits: NDArray[np.uint8], names: Sequence[str]) -> Mapping[str, NDArray[np.bool_]]:
    return {name: (bits >> np.uint8(bit) & np.uint8(1)).astype(bool) for bit, name in enumerate(names)}


def kept_methods(scenes: KeptScenes, naming: Naming, config: Config) -> list[KeptMethod]:
    """The methods of all scenes."""
    methods = zip(scenes.reading.methods, scenes.methods, strict=True)
    return [KeptMethod(name, scenes, columns, naming, config) for name, columns in methods]
