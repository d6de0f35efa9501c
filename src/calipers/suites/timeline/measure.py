"""The timeline suite: states along videos.

`measure` takes videos to counts, a row for each; `summarize` takes rows to the report. Rows of several parts join in
any order to the same report, since videos are sorted by name.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from calipers.core.similarity import rapidfuzz, rapidfuzz_version
from calipers.core.versions import Engines, join_engines
from calipers.kernels.count import timelines
from calipers.suites.timeline.columns import Videos
from calipers.suites.timeline.config import Config
from calipers.suites.timeline.extras import Budgets, Counted, count_extras
from calipers.suites.timeline.read import TimelineReading
from calipers.suites.timeline.states import (
    SECONDS,
    SEED_STATES,
    Confusion,
    StateCounts,
    frames_within,
    join_counts,
)


class MeasuredVideos:
    """The counts of some videos, and the errors of those that could not be measured."""

    __slots__ = ("bad", "counts", "engines", "errors", "extras", "warnings", "without_truth")

    def __init__(
        self, counts: StateCounts, extras: dict[str, Counted], engines: Engines, reading: TimelineReading
    ) -> None:
        self.counts, self.extras, self.engines = counts, extras, engines
        self.errors, self.bad = reading.errors, reading.bad
        self.without_truth, self.warnings = reading.without_truth, reading.warnings


def measure(reading: TimelineReading, config: Config) -> MeasuredVideos:
    """Videos to counts."""
    videos = reading.videos
    distance = EditDistance()
    counts = count_states(videos, config, distance)
    extras = _count_extras(videos, counts, config)
    compared = distance.used or any(counted.signs for counted in extras.values())
    return MeasuredVideos(counts, extras, rapidfuzz_version() if compared else {}, reading)


def _count_extras(videos: Videos, counts: StateCounts, config: Config) -> dict[str, Counted]:
    """Count what videos have beside their states, up to the end of the ground truth if that is the extent."""
    frames = dict(zip(counts.names, counts.count("frames").tolist(), strict=True)) if config.extent == "gt" else {}
    options: dict[str, Any] = {"score": config.detection_score, "window": config.ocr_window_frames}
    budgets = Budgets(videos.extras.values(), config.max_pairs)
    return {
        name: count_extras(name, extras, budgets, frames=frames.get(name, np.inf), **options)
        for name, extras in videos.extras.items()
    }


def count_states(videos: Videos, config: Config, distance: EditDistance) -> StateCounts:
    """The two timelines of each video, compared."""
    for name in (*config.known_states, *config.start_states):
        videos.states.setdefault(name, len(videos.states))
    states = sorted(videos.states)
    rank = {name: place for place, name in enumerate(states)}
    estimate = np.array(videos.fps, dtype=np.float64)  # None becomes NaN
    fps = np.where(np.isnan(estimate), np.nan if config.fps is None else config.fps, estimate)
    table, rates, cells = timelines.measure(
        videos.truth,
        videos.pred,
        np.array([rank[name] for name in videos.states], dtype=np.int32),
        idle=rank[config.idle],
        focus=rank[config.focus],
        starts=np.array([rank[name] for name in config.start_states], dtype=np.int32),
        named=np.array([rank[name] for name in SEED_STATES], dtype=np.int32),
        tolerances=np.array(config.transition_tolerance_frames, dtype=np.int64),
        min_frames=config.min_event_overlap_frames,
        union=config.extent == "union",
        distance=distance,
        ignored=np.array([name in config.ignore_states for name in states], dtype=np.uint8),
        own_tolerances=np.stack([frames_within(seconds, fps) for seconds in SECONDS], axis=1),
    )
    return StateCounts(
        videos.names,
        table,
        rates,
        Confusion(*cells, states),
        tolerances=config.transition_tolerance_frames,
        starts=config.start_states,
        fps_estimate=estimate,
        fps=fps,
    )


class EditDistance:
    """The edit distance of long sequences, compared as texts many at a time, and whether it was used."""

    __slots__ = ("used",)

    def __init__(self) -> None:
        self.used = False

    def __call__(self, a: list[int], b: list[int]) -> int:
        """How many edits make one of the other."""
        self.used = True
        distance = rapidfuzz().distance.Levenshtein.distance
        if max(*a, *b) < sys.maxunicode:
            return int(distance("".join(map(chr, a)), "".join(map(chr, b))))
        return int(distance(a, b))


def join_measured(parts: Iterable[MeasuredVideos]) -> MeasuredVideos:
    """Several parts as one; a video may be in one of them only."""
    parts = list(parts)
    total = TimelineReading()
    extras: dict[str, Counted] = {}
    engines: Engines = {}
    for part in parts:
        engines = join_engines(engines, part.engines)
        total.errors |= part.errors
        total.bad += part.bad
        total.without_truth += part.without_truth
        total.warnings += part.warnings
        extras |= part.extras
    joined = join_counts([part.counts for part in parts])
    known = {*joined.names, *total.errors, *(bad.video for bad in total.bad)}
    total.without_truth = sorted(set(total.without_truth) - known)
    total.warnings.sort()
    total.bad.sort(key=lambda bad: bad.video)
    return MeasuredVideos(joined, extras, engines, total)
