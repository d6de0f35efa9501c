"""The part of some videos: counts of those that were measured, and errors of the others.

Parts of one run never share a video. Those of several runs may, where the same ground truth was given with predictions
in pieces: a video without a prediction gives way to the same video with one, and what is wrong with the ground truth is
told once. A video that is there with two predictions is an error.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from calipers.core.errors import InputError
from calipers.core.parts import Packed
from calipers.core.ranking import Ranked
from calipers.core.versions import Engines, engines_from, join_engines
from calipers.files.problems import BadVideo
from calipers.suites.timeline.columns import Videos
from calipers.suites.timeline.extras import BoxCounts, Counted, SignCounts
from calipers.suites.timeline.measure import MeasuredVideos
from calipers.suites.timeline.read import EMPTY, MISSING, TimelineReading
from calipers.suites.timeline.states import Confusion, StateCounts, join_counts
from calipers.suites.timeline.video_names import match_names

TABLES = ("table", "rates", "fps_estimate", "fps")
CELLS = ("video", "truth", "pred", "frames")


class TimelinePart:
    """The counts of some videos."""

    __slots__ = (
        "bad",
        "counts",
        "digests",
        "engines",
        "errors",
        "extras",
        "inputs",
        "videos",
        "warnings",
        "without_truth",
    )

    def __init__(self) -> None:
        self.counts: list[StateCounts] = []
        self.extras: dict[str, Counted] = {}
        self.engines: Engines = {}
        self.errors: dict[str, str] = {}
        self.bad: list[BadVideo] = []
        self.without_truth: list[str] = []
        self.warnings: list[tuple[int, str]] = []  # with the place of the file among all
        self.digests: dict[int, str] = {}  # SHA-256 of files, by their places
        self.inputs: list[dict[str, Any]] = []
        self.videos: Videos | None = None  # while all of them are in one part, which was measured in this process

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        """The state without intervals, which are not sent to another process."""
        return None, {name: getattr(self, name) for name in self.__slots__} | {"videos": None}

    def add(self, later: TimelinePart) -> None:
        """Add the part that follows this one."""
        self.videos = None if self.counts else later.videos
        self.counts += later.counts
        self.extras |= later.extras
        self._add_errors(later.errors)
        self.engines = join_engines(self.engines, later.engines)
        known = {bad.video for bad in self.bad}
        self.bad += [bad for bad in later.bad if bad.video not in known]
        self.without_truth += later.without_truth
        self.warnings += later.warnings
        self.digests |= later.digests
        self.inputs += [entry for entry in later.inputs if entry not in self.inputs]

    def _add_errors(self, later: dict[str, str]) -> None:
        for name, problem in later.items():
            mine = self.errors.get(name, MISSING)
            if mine == MISSING:
                self.errors[name] = problem
            elif problem != MISSING and not mine == problem == EMPTY:
                raise _twice(name)

    def measured(self) -> MeasuredVideos:
        """The counts of all videos together."""
        counts, told = self._counts(), TimelineReading()
        told.bad = sorted(self.bad, key=lambda bad: bad.video)
        bad = {fault.video for fault in told.bad}
        told.errors = _without_missing(self.errors, bad.union(counts.names)) if self.errors else {}
        told.warnings = [warning for _, warning in self.warnings]
        if self.without_truth:
            told.without_truth = self._strangers(bad.union(counts.names, told.errors))
        return MeasuredVideos(counts, self.extras, self.engines, told)

    def _counts(self) -> StateCounts:
        """The counts of all videos, in the order of their names."""
        if len(self.counts) == 1:  # in order, as they are read
            return self.counts[0]
        counts = join_counts(self.counts)
        for name, following in pairwise(counts.names):
            if name == following:
                raise _twice(name)
        return counts

    def _strangers(self, known: set[str]) -> list[str]:
        """Predictions of videos that no part knows."""
        return match_names(known, dict.fromkeys(self.without_truth), "predictions")[1]

    def pack(self) -> Packed:
        """The part as plain values and arrays."""
        counts = self._counts()
        extras, arrays = _pack_extras(self.extras)
        plain = {
            "names": counts.names,
            "tolerances": counts.tolerances,
            "starts": counts.starts,
            "states": counts.cells.states,
            "extras": extras,
            "engines": self.engines,
            "errors": list(self.errors.items()),
            "bad": [[bad.path, bad.video, bad.problem] for bad in self.bad],
            "without_truth": self.without_truth,
            "warnings": self.warnings,
            "digests": list(self.digests.items()),
            "inputs": self.inputs,
        }
        arrays |= {name: getattr(counts, name) for name in TABLES}
        return Packed(plain, arrays | {f"cells/{name}": getattr(counts.cells, name) for name in CELLS})

    @classmethod
    def unpack(cls, packed: Packed) -> TimelinePart:
        """The part that was packed."""
        plain, arrays, part = packed.plain, packed.arrays, cls()
        video, truth, pred, frames = (arrays[f"cells/{name}"] for name in CELLS)
        cells = Confusion(video, truth, pred, frames, plain["states"])
        options = {name: plain[name] for name in ("tolerances", "starts")}
        options |= {name: arrays[name] for name in ("fps_estimate", "fps")}
        part.counts = [StateCounts(plain["names"], arrays["table"], arrays["rates"], cells, **options)]
        _check_whole(part.counts[0])
        part.extras = _unpack_extras(plain["extras"], arrays)
        part.engines = engines_from(plain)
        part.errors, part.digests = dict(plain["errors"]), dict(plain["digests"])
        part.bad = [BadVideo(*fault) for fault in plain["bad"]]
        part.without_truth, part.inputs = plain["without_truth"], plain["inputs"]
        part.warnings = [(place, text) for place, text in plain["warnings"]]
        return part


def _check_whole(counts: StateCounts) -> None:
    """Kernels take columns at their word: all are as long as they say, and name videos and states that are there."""
    cells, videos, states = counts.cells, len(counts.names), len(counts.cells.states)
    columns = [getattr(cells, name) for name in CELLS]
    good = all(column.ndim == 1 and len(column) == len(cells.video) for column in columns)
    good = good and all(np.shape(rates) == (videos,) for rates in (counts.fps_estimate, counts.fps))
    limits = zip(columns, (videos, states, states, np.iinfo(np.int64).max), strict=True)
    good = good and all(bool(((column >= 0) & (column < limit)).all()) for column, limit in limits)
    if not good or bool((np.diff(cells.video) < 0).any()):
        raise ValueError("columns of states that do not fit together")


def _twice(name: str) -> InputError:
    return InputError(f"the video {name!r} has a prediction in two parts, expected each video in one")


def _without_missing(errors: dict[str, str], others: set[str]) -> dict[str, str]:
    """Errors of videos, but for those that only have no prediction here."""
    for name in sorted(errors.keys() & others):
        if errors[name] != MISSING:
            raise _twice(name)
    return {name: problem for name, problem in errors.items() if name not in others}


# Detections, signs and runtime


def _pack_extras(extras: dict[str, Counted]) -> tuple[list[Any], dict[str, Any]]:
    """Scores, which of them found something, how well, and which could be read, in columns for all videos; the rest is
    plain."""
    ranked = [one_class for counted in extras.values() if counted.boxes for one_class in counted.boxes.classes.values()]
    scores = [np.nan if score is None else score for one_class in ranked for score in one_class.scores]
    hits, valid = ([one for one_class in ranked for one in getattr(one_class, name)] for name in ("hits", "valid"))
    plain = [[name, _plain_boxes(one.boxes), _plain_signs(one.signs), one.runtime] for name, one in extras.items()]
    flags = {name: np.array(column, dtype=np.bool_) for name, column in (("found", hits), ("valid", valid))}
    fits = np.array([fit for one_class in ranked for fit in one_class.fits], dtype=np.float64)
    return plain, {"scores": np.array(scores, dtype=np.float64), "fits": fits, **flags}


def _plain_boxes(boxes: BoxCounts | None) -> Any:
    if boxes is None:
        return None
    classes = [[label, one_class.objects, len(one_class.scores)] for label, one_class in boxes.classes.items()]
    return [classes, boxes.false_positives, boxes.invalid]


def _plain_signs(signs: SignCounts | None) -> Any:
    return None if signs is None else [signs.signs, signs.exact, str(signs.similarity)]  # may outgrow 64 bits


def _unpack_extras(plain: Iterable[Any], arrays: dict[str, Any]) -> dict[str, Counted]:
    scores = iter([None if score != score else score for score in arrays["scores"].tolist()])
    flags = zip(*(arrays[name].tolist() for name in ("found", "valid", "fits")), strict=True)
    extras = {}
    for name, boxes, signs, runtime in plain:
        counted = None
        if boxes is not None:
            classes = {label: _ranked(objects, count, scores, flags) for label, objects, count in boxes[0]}
            counted = BoxCounts(classes, boxes[1], boxes[2])
        read = None if signs is None else SignCounts(signs[0], signs[1], int(signs[2]))
        extras[name] = Counted(counted, read, None if runtime is None else (runtime[0], runtime[1]))
    return extras


def _ranked(objects: int, count: int, scores: Any, flags: Any) -> Ranked:
    ranked = Ranked()
    ranked.objects = objects
    for _ in range(count):
        ranked.add(next(scores), *next(flags))
    return ranked
