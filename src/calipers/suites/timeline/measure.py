"""The timeline suite: states along videos.

`measure` takes videos to counts, a row for each; `summarize` takes rows to the report. Rows of several parts join in
any order to the same report, since videos are sorted by name.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from calipers import __version__
from calipers.core.bootstrap import mean_intervals
from calipers.core.fuzzy import rapidfuzz
from calipers.kernels import timelines
from calipers.suites.timeline.averages import Averages, summary_tree
from calipers.suites.timeline.columns import Videos
from calipers.suites.timeline.config import Config, params
from calipers.suites.timeline.extras import FIELDS, Budgets, Counted, Timed, count_extras, extras_metrics
from calipers.suites.timeline.pooled import pooled_tree
from calipers.suites.timeline.read import TimelineReading
from calipers.suites.timeline.states import (
    NEVER_UNDEFINED,
    SEED_STATES,
    SEGMENTAL,
    Confusion,
    StateCounts,
    join_counts,
    transition_metrics,
    video_metrics,
)
from calipers.suites.timeline.video_trees import VideoTable, other_iou_means


class Measured:
    """What was counted of some videos, and what was said of the others."""

    __slots__ = ("bad", "counts", "errors", "extras", "warnings", "without_truth")

    def __init__(self, counts: StateCounts, extras: dict[str, Counted], reading: TimelineReading) -> None:
        self.counts, self.extras = counts, extras
        self.errors, self.bad = reading.errors, reading.bad
        self.without_truth, self.warnings = reading.without_truth, reading.warnings


def measure(reading: TimelineReading, config: Config) -> Measured:
    """Videos to counts."""
    videos = reading.videos
    counts = count_states(videos, config)
    return Measured(counts, _count_extras(videos, counts, config), reading)


def _count_extras(videos: Videos, counts: StateCounts, config: Config) -> dict[str, Counted]:
    """What videos have beside their states, up to the end of the ground truth if that is the extent."""
    frames = dict(zip(counts.names, counts.count("frames").tolist(), strict=True)) if config.extent == "gt" else {}
    options: dict[str, Any] = {"score": config.detection_score, "window": config.ocr_window_frames}
    budgets = Budgets(videos.extras.values(), config.max_pairs)
    return {
        name: count_extras(name, extras, budgets, frames=frames.get(name, np.inf), **options)
        for name, extras in videos.extras.items()
    }


def count_states(videos: Videos, config: Config) -> StateCounts:
    """The two timelines of each video, compared."""
    for name in (*config.known_states, *config.start_states):
        videos.states.setdefault(name, len(videos.states))
    states = sorted(videos.states)
    rank = {name: place for place, name in enumerate(states)}
    table, rates, cells = timelines.measure(
        videos.truth,
        videos.pred,
        np.array([rank[name] for name in videos.states], dtype=np.int32),
        idle=rank[config.idle],
        focus=rank[config.focus],
        starts=np.array([rank[name] for name in config.start_states], dtype=np.int32),
        named=np.array([rank[name] for name in SEED_STATES], dtype=np.int32),
        tolerances=np.array(config.transition_tolerance_frames, dtype=np.int64),
        least=config.min_event_overlap_frames,
        union=config.extent == "union",
        distance=_edit_distance,
        ignored=np.array([name in config.ignore_states for name in states], dtype=np.uint8),
    )
    estimate = np.array(videos.fps, dtype=np.float64)  # None becomes NaN
    return StateCounts(
        videos.names,
        table,
        rates,
        Confusion(*cells, states),
        tolerances=config.transition_tolerance_frames,
        starts=config.start_states,
        fps_estimate=estimate,
        fps=np.where(np.isnan(estimate), np.nan if config.fps is None else config.fps, estimate),
    )


def _edit_distance(a: list[int], b: list[int]) -> int:
    """Of long sequences; as texts they are compared many at a time."""
    distance = rapidfuzz().distance.Levenshtein.distance
    if max(*a, *b) < sys.maxunicode:
        return int(distance("".join(map(chr, a)), "".join(map(chr, b))))
    return int(distance(a, b))


def summarize(measured: Measured, config: Config) -> dict[str, Any]:
    """Counts to the artifact, but for its inputs."""
    counts, first = measured.counts, config.transition_tolerance_frames[0]
    columns = video_metrics(counts, first, gain=config.compliance_gain)
    beside = _extras_columns(measured, config)
    sweep = {
        tolerance: columns | beside | transition_metrics(counts, tolerance)
        for tolerance in config.transition_tolerance_frames
    }
    averages = Averages(column for metrics in sweep.values() for column in metrics.values())
    averages.intervals = mean_intervals(counts.names, averages.table, seed=config.seed, replicates=config.bootstrap)
    errors = _errors(measured)
    skipped, rejected = len(measured.errors), len(measured.bad)
    total = len(counts.names) + skipped + rejected
    ends: dict[str, Any] = {"videos_evaluated": len(counts.names), "videos_total": total}
    ends |= other_iou_means(counts)
    always = NEVER_UNDEFINED - SEGMENTAL if config.ignore_states else NEVER_UNDEFINED
    summaries = {
        str(tolerance): summary_tree(sweep[tolerance], averages, always) | ends
        for tolerance in config.transition_tolerance_frames
    }
    tree: dict[str, Any] = {
        "suite": "timeline",
        "protocol": "timeline/1",
        "calipers": __version__,
        "inputs": [],
        "params": params(config),
        "records": {"read": total, "evaluated": len(counts.names), "skipped": skipped, "rejected": rejected},
        "videos": VideoTable(counts, columns | beside, errors),
        "summary": summaries[str(first)],
        "pooled": pooled_tree(counts, first) | _pooled_extras(measured, config),
        "worst_videos": _worst(counts.names, columns["frame_accuracy"], config.top),
        "not_evaluated": errors,
        "videos_without_ground_truth": measured.without_truth,
        "warnings": measured.warnings + _doubts(counts, config),
    }
    if len(sweep) > 1:
        tree["sweep"] = summaries
    return tree


def _extras_columns(measured: Measured, config: Config) -> dict[str, Any]:
    columns = {field: np.full(len(measured.counts.names), np.nan) for field in FIELDS}
    for row, video in _timed_extras(measured):
        metrics = extras_metrics([video], config.recall_target)
        for field in FIELDS:
            columns[field][row] = np.nan if metrics[field] is None else metrics[field]
    return columns


def _pooled_extras(measured: Measured, config: Config) -> dict[str, Any]:
    """The extras of all videos together."""
    return extras_metrics([video for _, video in _timed_extras(measured)], config.recall_target)


def _timed_extras(measured: Measured) -> Iterator[tuple[int, Timed]]:
    """The row of every video that has extras, with those and its minutes."""
    counts = measured.counts
    for row, name in enumerate(counts.names if measured.extras else ()):
        if name in measured.extras:
            fps, frames = float(counts.fps[row]), int(counts.count("frames")[row])
            yield row, (measured.extras[name], frames / fps / 60 if fps > 0 else None)


def _errors(measured: Measured) -> dict[str, str]:
    """Why videos of the ground truth were not evaluated, by name."""
    errors = measured.errors | {bad.video: f"invalid ground truth: {bad.problem}" for bad in measured.bad}
    return dict(sorted(errors.items()))


def _doubts(counts: StateCounts, config: Config) -> list[str]:
    """What looks like a mistake: states that never occur, or on one side only; ends that may not be meant included."""
    cells = counts.cells
    truth, pred = (
        {cells.states[code] for code in np.flatnonzero(np.bincount(side))} for side in (cells.truth, cells.pred)
    )
    some = ", ".join(sorted(truth | pred)[:8])
    events = int(counts.count("gt_events").sum() + counts.count("pred_events").sum())
    missing = [("focus", config.focus)] if not events else []
    missing += [("idle", config.idle)] if config.idle not in truth | pred else []
    missing += [("ignore_states", state) for state in config.ignore_states if state not in truth | pred]
    doubts = [f"{name}: no frame is in the state {state!r}; states found: {some}" for name, state in missing if some]
    if strangers := sorted(pred - truth - {config.idle}):
        doubts.append(f"predicted, and never in the ground truth: {', '.join(strangers[:8])}")
    for side, name in (("gt", "the ground truth"), ("pred", "the predictions")):
        shared, changes = counts.count(f"overlapped_frames_{side}"), counts.count(f"{side}_runs") - 1
        if 2 * int(((shared == changes) & (changes > 0)).sum()) > max(1, int((changes > 0).sum())):
            doubts.append(f"intervals of {name} share a frame at each change; both ends of an interval belong to it")
    return doubts


def _worst(names: list[str], accuracy: Any, top: int) -> list[str]:
    """The videos with the least frames right, but not those with all."""
    order = np.lexsort((np.arange(len(names)), accuracy))[:top]
    return [names[place] for place in order.tolist() if accuracy[place] < 1]


def join_measured(parts: Iterable[Measured]) -> Measured:
    """Several parts as one; a video may be in one of them only."""
    parts = list(parts)
    total = TimelineReading()
    extras: dict[str, Counted] = {}
    for part in parts:
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
    return Measured(joined, extras, total)
