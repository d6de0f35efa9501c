"""The timeline suite: counts to the artifact. Rates appear here and nowhere before.

Metrics of a set are means over the videos where a metric is defined, with spread and intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calipers.core.bootstrap import mean_intervals
from calipers.core.survey import counted
from calipers.core.versions import artifact_head
from calipers.kernels.count.inference import column_means
from calipers.suites.timeline.config import PROTOCOL, Config, params
from calipers.suites.timeline.extras import FIELDS, Timed, extras_metrics
from calipers.suites.timeline.frame_errors import error_shares, worth_tree
from calipers.suites.timeline.measure import (
    MeasuredVideos,
)
from calipers.suites.timeline.pooled import pooled_tree
from calipers.suites.timeline.read import AS_TRUTH, WITHOUT_STATES
from calipers.suites.timeline.scores import detection_scores_tree
from calipers.suites.timeline.states import (
    NEVER_UNDEFINED,
    SECONDS,
    SEGMENTAL,
    StateCounts,
    metrics_within,
    transition_metrics,
    video_metrics,
)
from calipers.suites.timeline.video_trees import VideoTable, other_iou_means

Floats = NDArray[np.float64]
OnHead = Callable[[dict[str, Any]], None]
SPREAD = ("*_timing_*", "*_start_error_*", "lead_time_sec", "*_start_*frame")
FEW = 100  # one idle frame of so many is few, and so is one that intervals share


def summarize(measured: MeasuredVideos, config: Config, on_head: OnHead | None = None) -> dict[str, Any]:
    """Counts to the artifact, but for its inputs. `on_head` receives what it begins with, up to the videos, while
    intervals are computed, which hold no lock."""
    counts, first = measured.counts, config.transition_tolerance_frames[0]
    columns = video_metrics(counts, first, gain=config.compliance_gain) | _extras_columns(measured, config)
    sweep = {
        tolerance: columns | transition_metrics(counts, tolerance) for tolerance in config.transition_tolerance_frames
    }
    shares = error_shares(counts)
    within = {f"{seconds:g}": metrics_within(counts, seconds) for seconds in SECONDS}
    averages = Averages(
        column for metrics in (*sweep.values(), shares, *within.values()) for column in metrics.values()
    )
    errors = _errors(measured)
    head = _head(measured, config, VideoTable(counts, columns, errors))
    with ThreadPoolExecutor(1) as beside:
        intervals = beside.submit(
            mean_intervals, counts.names, averages.table, seed=config.seed, replicates=config.bootstrap
        )
        if on_head:
            on_head(head)
        pooled = pooled_tree(counts, first) | _pooled_extras(measured, config)
        averages.intervals = intervals.result()
    ends = {"videos_evaluated": len(counts.names), "videos_total": head["records"]["read"]} | other_iou_means(counts)
    always = NEVER_UNDEFINED - SEGMENTAL if config.ignore_states else NEVER_UNDEFINED
    summaries = {str(tolerance): summary_tree(metrics, averages, always) | ends for tolerance, metrics in sweep.items()}
    return {
        **head,
        "summary": summaries[str(first)],
        "pooled": pooled,
        "transitions_within_sec": {
            seconds: summary_tree(metrics, averages, frozenset()) for seconds, metrics in within.items()
        },
        "worth": worth_tree(shares, averages),
        **detection_scores_tree(_timed_extras(measured), counts.names, config),
        "worst_videos": _worst(counts.names, columns["frame_accuracy"], config.top),
        "not_evaluated": errors,
        "videos_without_ground_truth": measured.without_truth,
        "warnings": _layouts_once(measured.warnings) + _doubts(counts, config),
        **({"sweep": summaries} if len(sweep) > 1 else {}),
    }


def _head(measured: MeasuredVideos, config: Config, videos: VideoTable) -> dict[str, Any]:
    """What the artifact begins with."""
    evaluated, skipped, rejected = len(measured.counts.names), len(measured.errors), len(measured.bad)
    total = evaluated + skipped + rejected
    return {
        **artifact_head("timeline", PROTOCOL, measured.engines, params(config)),
        "records": {"read": total, "evaluated": evaluated, "skipped": skipped, "rejected": rejected},
        "videos": videos,
    }


def _extras_columns(measured: MeasuredVideos, config: Config) -> dict[str, Any]:
    columns = {field: np.full(len(measured.counts.names), np.nan) for field in FIELDS}
    for row, video in _timed_extras(measured):
        metrics = extras_metrics([video], config.recall_target)
        for field in FIELDS:
            columns[field][row] = np.nan if metrics[field] is None else metrics[field]
    return columns


def _pooled_extras(measured: MeasuredVideos, config: Config) -> dict[str, Any]:
    """The extras of all videos together."""
    return extras_metrics([video for _, video in _timed_extras(measured)], config.recall_target)


def _timed_extras(measured: MeasuredVideos) -> Iterator[tuple[int, Timed]]:
    """The row of every video that has extras, with those and its minutes."""
    counts = measured.counts
    for row, name in enumerate(counts.names if measured.extras else ()):
        if name in measured.extras:
            fps, frames = float(counts.fps[row]), int(counts.count("frames")[row])
            yield row, (measured.extras[name], frames / fps / 60 if fps > 0 else None)


def _errors(measured: MeasuredVideos) -> dict[str, str]:
    """Why videos of the ground truth were not evaluated, by name."""
    errors = measured.errors | {bad.video: f"invalid ground truth: {bad.problem}" for bad in measured.bad}
    return dict(sorted(errors.items()))


def _doubts(counts: StateCounts, config: Config) -> list[str]:
    """Warnings: states that never occur, or on one side only; ends that may not be meant included."""
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
    if few := _few_idle_frames(counts, config.idle):
        doubts.append(f"idle: only {few} in the state {config.idle!r}; states found: {some}; is one of them idle?")
    if strangers := sorted(pred - truth - {config.idle}):
        doubts.append(f"predicted, and never in the ground truth: {', '.join(strangers[:8])}")
    return doubts + [
        doubt
        for side, name in (("gt", "the ground truth"), ("pred", "the predictions"))
        for doubt in _overlap_doubts(counts, side, name)
    ]


def _overlap_doubts(counts: StateCounts, side: str, name: str) -> Iterator[str]:
    """Intervals of a side that share the frame of each change, or so many frames that it is hardly meant."""
    shared, changes = counts.count(f"overlapped_frames_{side}"), counts.count(f"{side}_runs") - 1
    if 2 * int(((shared == changes) & (changes > 0)).sum()) > max(1, int((changes > 0).sum())):
        yield f"intervals of {name} share a frame at each change; both ends of an interval belong to it"
    elif int(shared.sum()) * FEW > int(counts.count("frames").sum()):
        videos = [video for video, frames in zip(counts.names, shared.tolist(), strict=True) if frames]
        place = f"{counted(len(videos), 'video')}, first {videos[0]}"
        yield (
            f"{counted(int(shared.sum()), 'frame')} of {name} in two states or more ({place});"
            " there the interval that starts later counts"
        )


def _layouts_once(warnings: list[str]) -> list[str]:
    """Warnings, those of predictions in one other layout as one: the first, and how many more."""
    for layout in (AS_TRUTH, WITHOUT_STATES):
        first, *more = [warning for warning in warnings if warning.endswith(layout)] or [""]
        if more:
            once = f"{first} ({len(more):,} more like it)"
            warnings = [once if warning == first else warning for warning in warnings if warning not in more]
    return warnings


def _few_idle_frames(counts: StateCounts, idle: str) -> str:
    """How many frames of both sides are idle, where that is less than 1 %: as gaps between intervals are.

    A state that stands for "nothing" under another name would be taken for a warning.
    """
    cells = counts.cells
    code = cells.states.index(idle) if idle in cells.states else -1
    quiet = int(cells.frames[cells.truth == code].sum() + cells.frames[cells.pred == code].sum())
    every = 2 * int(cells.frames.sum())
    return f"{quiet:,} of {every:,} frames of both sides are" if 0 < quiet * FEW < every else ""


def _worst(names: list[str], accuracy: Any, top: int) -> list[str]:
    """The videos with the least frames right, but not those with all."""
    order = np.lexsort((np.arange(len(names)), accuracy))[:top]
    return [names[place] for place in order.tolist() if accuracy[place] < 1]


# Means over videos


class Averages:
    """Mean, spread and count of columns, each looked at once."""

    def __init__(self, columns: Iterable[Floats]) -> None:
        self._place: dict[int, int] = {}  # by identity: metrics that are the same for several tolerances are shared
        kept: list[Floats] = []
        for column in columns:
            if id(column) not in self._place:
                self._place[id(column)] = len(kept)
                kept.append(column)
        self.table = np.stack(kept)  # (columns, records)
        self._counts, self._means, self._spreads = (values.tolist() for values in column_means(self.table))
        self.intervals: list[list[float] | None] = [None] * len(kept)

    def of(self, column: Floats) -> tuple[int, float | None, float | None, list[float] | None]:
        """Count, mean, standard deviation (of these values, not an estimate for others) and interval."""
        place = self._place[id(column)]
        count = self._counts[place]
        if not count:
            return 0, None, None, None
        return count, self._means[place], self._spreads[place], self.intervals[place]


def summary_tree(columns: Mapping[str, Floats], averages: Averages, always: frozenset[str]) -> dict[str, Any]:
    """For each metric its mean, the count it rests on if it can be undefined, the spread of times, and the interval."""
    tree: dict[str, Any] = {}
    for name, column in columns.items():
        count, average, spread, interval = averages.of(column)
        tree[f"{name}_mean"] = average
        if any(fnmatchcase(name, pattern) for pattern in SPREAD):
            tree[f"{name}_std"] = spread
        if name not in always:
            tree[f"{name}_n"] = count
        tree[f"{name}_interval"] = interval
    return tree
