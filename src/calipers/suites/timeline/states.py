"""Counts of videos to their metrics: frames, transitions, events, timing, segments.

Each metric is a column with a number for every video, NaN where it is undefined. Frames are inclusive; a time is frames
over fps, and undefined without fps. `docs/timeline.md` defines each metric.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calipers.kernels.count.timelines import COUNTS, RATES

Floats = NDArray[np.float64]
SEED_STATES = ("outside", "approaching", "inside", "exiting")
START_PARTS = ("gt_start", "pred_start", "pred_matched_start", "gt_matched_start")
STATE_PARTS = ("both", "gt", "pred")
SECONDS = (0.5, 1.0)  # tolerances of transitions that every run has beside those asked for
FRAME_SLACK = 0.001  # of a frame: a frame rate that was measured is not exact
SEGMENTAL = frozenset(("edit_score", "segmental_f1_10", "segmental_f1_25", "segmental_f1_50"))
NEVER_UNDEFINED = frozenset(
    (
        "frame_accuracy",
        "time_in_error_frames",
        "mean_iou",
        "macro_precision",
        "macro_recall",
        "macro_f1",
        *SEGMENTAL,
        "overlapped_frames_gt",
        "overlapped_frames_pred",
    )
)

WHOLE_METRICS = frozenset(  # of a video, beside those named *_frame: shown without a fraction
    (
        "time_in_error_frames",
        "entry_timing_mae_frames",
        "advisory_start_error_frames",
        "advisory_timing_mae_frames",
        "overlapped_frames_gt",
        "overlapped_frames_pred",
    )
)


def is_whole(metric: str) -> bool:
    """Whether a metric of a video is a number of frames, or a frame.

    >>> is_whole("gt_inside_start_frame"), is_whole("mean_iou")
    (True, False)
    """
    return metric in WHOLE_METRICS or metric.endswith("_frame")


class StateCounts:
    """Counts of states and transitions, one row per video."""

    __slots__ = ("cells", "fps", "fps_estimate", "names", "rates", "starts", "table", "tolerances")

    def __init__(
        self,
        names: list[str],
        table: Any,
        rates: Any,
        cells: Confusion,
        *,
        tolerances: Sequence[int],
        starts: Sequence[str],
        fps_estimate: Floats,
        fps: Floats,
    ) -> None:
        self.names = names
        self.tolerances, self.starts = tuple(tolerances), tuple(starts)
        self.table = np.asarray(table, dtype=np.int64).reshape(len(names), self.width())  # (videos, counts)
        self.rates = np.asarray(rates, dtype=np.float64).reshape(len(names), len(RATES))  # (videos, rates)
        self.cells = cells
        self.fps_estimate, self.fps = fps_estimate, fps  # (videos,) NaN is not known

    def width(self) -> int:
        """How many counts there are per video."""
        by_state = len(START_PARTS) * len(self.starts) + len(STATE_PARTS) * len(SEED_STATES)
        return len(COUNTS) + len(self.tolerances) + len(SECONDS) + by_state

    def count(self, name: str) -> Any:
        """One of the counts."""
        return self.table[:, COUNTS.index(name)]

    def matched_transitions(self, tolerance: int) -> Any:
        """Pairs of transitions within a tolerance."""
        return self.table[:, len(COUNTS) + self.tolerances.index(tolerance)]

    def matched_within(self, seconds: float) -> Floats:
        """Pairs of transitions within some seconds; NaN where no fps is known."""
        matched = self.table[:, len(COUNTS) + len(self.tolerances) + SECONDS.index(seconds)]
        return np.where(np.isnan(self.fps), np.nan, matched)

    def start(self, state: str, part: str) -> Floats:
        """A first frame of a state."""
        at = len(COUNTS) + len(self.tolerances) + len(SECONDS) + len(START_PARTS) * self.starts.index(state)
        return _frame(self.table[:, at + START_PARTS.index(part)])

    def state(self, state: str, part: str) -> Any:
        """Frames in a state: in both sides, in truth, in pred."""
        at = self.width() - len(STATE_PARTS) * (len(SEED_STATES) - SEED_STATES.index(state))
        return self.table[:, at + STATE_PARTS.index(part)]


class Confusion:
    """How many frames of a video are in one state in truth and in another in pred; sorted by these three."""

    __slots__ = ("frames", "pred", "states", "truth", "video")

    def __init__(self, video: Any, truth: Any, pred: Any, frames: Any, states: list[str]) -> None:
        self.video, self.truth, self.pred = (np.asarray(column, dtype=np.int64) for column in (video, truth, pred))
        self.frames = np.asarray(frames, dtype=np.int64)
        self.states = states


def video_metrics(counts: StateCounts, tolerance: int, *, gain: float) -> dict[str, Floats]:
    """Every metric of the states, in the order of the artifact."""
    fps, count = counts.fps, counts.count
    minutes = count("frames") / fps / 60
    activation = _activation(counts, minutes)
    return {
        "fps_estimate": counts.fps_estimate,
        **_frames(counts, fps),
        **transition_metrics(counts, tolerance),
        **_events(counts),
        **_timed("entry_timing_mae", abs(_frame(count("pred_focus_start")) - _frame(count("gt_focus_start"))), fps),
        **activation,
        **_by_state(counts),
        **_advisory(counts, activation, gain),
        **_starts(counts),
        "event_lead_time_sec_mean": ratio(count("lead_frames"), count("lead_events")) / fps,
        "event_delay_frames_mean": ratio(count("delay_frames"), count("matched_advisory_events")),
        "flicker_per_minute": (count("pred_runs") - 1) / minutes,
        **_segments(counts),
        "overlapped_frames_gt": count("overlapped_frames_gt").astype(np.float64),
        "overlapped_frames_pred": count("overlapped_frames_pred").astype(np.float64),
    }


def transition_metrics(counts: StateCounts, tolerance: int) -> dict[str, Floats]:
    """The only metrics that depend on the tolerance."""
    return _transitions(counts, counts.matched_transitions(tolerance))


def metrics_within(counts: StateCounts, seconds: float) -> dict[str, Floats]:
    """Metrics of transitions within some seconds: as many frames as these are by the fps of each video."""
    return _transitions(counts, counts.matched_within(seconds))


def frames_within(seconds: float, fps: Floats) -> NDArray[np.int64]:
    """The most whole frames that last at most some seconds, to a thousandth of a frame; -1 where no fps is known.

    >>> frames_within(0.5, np.array([30.0, 29.97, 29.9999, np.nan])).tolist()
    [15, 14, 15, -1]
    """
    frames = np.minimum(np.floor(seconds * fps + FRAME_SLACK), 2.0**40)
    return np.where(np.isnan(fps), -1, np.nan_to_num(frames)).astype(np.int64)


def _transitions(counts: StateCounts, matched: Any) -> dict[str, Floats]:
    truth, pred = counts.count("gt_runs") - 1, counts.count("pred_runs") - 1
    return {
        "transition_recall": ratio(matched, truth),
        "transition_precision": ratio(matched, pred),
        "transition_accuracy": ratio(matched, np.maximum(truth, pred)),
    }


def _frames(counts: StateCounts, fps: Floats) -> dict[str, Floats]:
    frames, correct = counts.count("frames"), counts.count("correct_frames")
    return {"frame_accuracy": ratio(correct, frames), **_timed("time_in_error", _float(frames - correct), fps)}


def _events(counts: StateCounts) -> dict[str, Floats]:
    metrics = {}
    for name in ("event", "advisory_event"):
        matched = counts.count(f"matched_{name}s")
        metrics[f"{name}_recall"] = ratio(matched, counts.count(f"gt_{name}s"))
        metrics[f"{name}_precision"] = ratio(matched, counts.count(f"pred_{name}s"))
    return metrics


def _activation(counts: StateCounts, minutes: Floats) -> dict[str, Floats]:
    per_minute = counts.count("false_episodes") / minutes
    persistence = ratio(counts.count("pred_active_frames"), counts.count("pred_advisory_events"))
    return {
        "false_activation_rate": ratio(counts.count("false_active_frames"), counts.count("gt_idle_frames")),
        "false_activations_per_minute": per_minute,
        "false_positives_per_minute": per_minute,
        **_timed("mean_activation_persistence", persistence, counts.fps),
    }


def _by_state(counts: StateCounts) -> dict[str, Floats]:
    metrics = {}
    for state in SEED_STATES:
        both, truth, pred = (counts.state(state, part) for part in STATE_PARTS)
        metrics[f"iou_{state}"] = ratio(both, truth + pred - both)
    occurring = counts.count("states")
    for rate, name in zip(RATES, ("mean_iou", "macro_precision", "macro_recall", "macro_f1"), strict=True):
        metrics[name] = counts.rates[:, RATES.index(rate)] / occurring
    return metrics


def _advisory(counts: StateCounts, activation: dict[str, Floats], gain: float) -> dict[str, Floats]:
    count = counts.count
    truth, pred = _frame(count("gt_active_start")), _frame(count("pred_active_start"))
    error, active = pred - truth, count("gt_active_frames")
    late = np.minimum(1.0, np.maximum(0.0, error) / np.where(active > 0, active, 1))
    covered = ratio(count("both_active_frames"), active)
    return {
        **_timed("advisory_start_error", error, counts.fps),
        **_timed("advisory_timing_mae", abs(error), counts.fps),
        "false_advisory_rate": activation["false_activation_rate"],
        "false_advisories_per_minute": activation["false_activations_per_minute"],
        "lead_time_sec": (_frame(count("gt_focus_start")) - pred) / counts.fps,
        "late_advisory_rate": np.where(np.isnan(pred) & (active > 0), 1.0, late),
        "advisory_coverage_ratio": covered,
        "simulated_speed_violation_reduction": covered * gain,
    }


def _starts(counts: StateCounts) -> dict[str, Floats]:
    metrics = {}
    for state in counts.starts:
        truth, pred, matched, met = (counts.start(state, part) for part in START_PARTS)
        metrics[f"gt_{state}_start_frame"] = truth
        metrics[f"pred_{state}_start_frame"] = pred
        metrics[f"pred_minus_gt_{state}_start_frame"] = pred - truth
        metrics[f"pred_{state}_start_matched_frame"] = matched
        metrics[f"pred_minus_gt_{state}_start_matched_frame"] = matched - met
    return metrics


def _segments(counts: StateCounts) -> dict[str, Floats]:
    truth, pred = counts.count("gt_segments"), counts.count("pred_segments")
    longest = np.maximum(truth, pred)
    metrics = {"edit_score": ratio(longest - counts.count("edits"), longest)}
    for percent in (10, 25, 50):
        metrics[f"segmental_f1_{percent}"] = ratio(2 * counts.count(f"segments_{percent}"), truth + pred)
    return metrics


def _timed(name: str, frames: Floats, fps: Floats) -> dict[str, Floats]:
    """A number of frames, and the time it is."""
    return {f"{name}_frames": frames, f"{name}_sec": frames / fps}


def ratio(part: Any, whole: Any) -> Floats:
    """part / whole, NaN where there is no whole.

    >>> ratio(np.array([1, 0]), np.array([4, 0])).tolist()
    [0.25, nan]
    """
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1), np.nan)


def _float(values: Any) -> Floats:
    return np.asarray(values, dtype=np.float64)


def _frame(values: Any) -> Floats:
    """A frame that is not there is NaN."""
    return np.where(values < 0, np.nan, values)


def join_counts(parts: Sequence[StateCounts]) -> StateCounts:
    """Videos of several parts, which share their parameters, sorted by name."""
    names = [name for part in parts for name in part.names]
    order = sorted(range(len(names)), key=names.__getitem__)
    in_order = order == list(range(len(names)))
    if len(parts) == 1 and in_order:
        return parts[0]
    rows = slice(None) if in_order else order  # what is in order need not be copied again
    return StateCounts(
        [names[place] for place in order],
        np.concatenate([part.table for part in parts])[rows],
        np.concatenate([part.rates for part in parts])[rows],
        _join_cells(parts, order, in_order),
        tolerances=parts[0].tolerances,
        starts=parts[0].starts,
        fps_estimate=np.concatenate([part.fps_estimate for part in parts])[rows],
        fps=np.concatenate([part.fps for part in parts])[rows],
    )


def _join_cells(parts: Sequence[StateCounts], order: list[int], in_order: bool) -> Confusion:
    """Codes of states and videos become those of the whole."""
    states = sorted({state for part in parts for state in part.cells.states})
    rank = {state: place for place, state in enumerate(states)}
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    columns, before = [], 0
    for part in parts:
        codes = np.array([rank[state] for state in part.cells.states], dtype=np.int64)
        video = places[before + part.cells.video]
        columns.append((video, codes[part.cells.truth], codes[part.cells.pred], part.cells.frames))
        before += len(part.names)
    video, truth, pred, frames = (np.concatenate(column) for column in zip(*columns, strict=True))
    by_place = slice(None) if in_order else np.lexsort((pred, truth, video))
    return Confusion(video[by_place], truth[by_place], pred[by_place], frames[by_place], states)
