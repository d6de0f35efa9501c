"""All videos as one: counts added up first, divided afterwards. A long video weighs more than a short one."""

from __future__ import annotations

from math import fsum
from typing import Any

import numpy as np

from calipers.core.tally import exact_sum, ratio
from calipers.suites.timeline.frame_errors import pooled_errors
from calipers.suites.timeline.states import StateCounts


def pooled_tree(counts: StateCounts, tolerance: int) -> dict[str, Any]:
    """The micro figures under the names they have for one video."""
    total = {name: exact_sum(counts.count(name)) for name in POOLED}
    truth, pred = (total[f"{side}_runs"] - len(counts.names) for side in ("gt", "pred"))
    larger = exact_sum(np.maximum(counts.count("gt_runs"), counts.count("pred_runs"))) - len(counts.names)
    matched = exact_sum(counts.matched_transitions(tolerance))
    tree: dict[str, Any] = {
        "frame_accuracy": ratio(total["correct_frames"], total["frames"]),
        "transition_recall": ratio(matched, truth),
        "transition_precision": ratio(matched, pred),
        "transition_accuracy": ratio(matched, larger),
    }
    for name in ("event", "advisory_event"):
        tree[f"{name}_recall"] = ratio(total[f"matched_{name}s"], total[f"gt_{name}s"])
        tree[f"{name}_precision"] = ratio(total[f"matched_{name}s"], total[f"pred_{name}s"])
    tree["event_lead_time_sec_mean"] = _lead_time(counts)
    tree["event_delay_frames_mean"] = ratio(total["delay_frames"], total["matched_advisory_events"])
    for percent in (10, 25, 50):
        both = total["gt_segments"] + total["pred_segments"]
        tree[f"segmental_f1_{percent}"] = ratio(2 * total[f"segments_{percent}"], both)
    tree["confusion"] = confusion_tree(counts)
    tree["frame_errors"] = pooled_errors(counts)
    return tree


POOLED = (
    "frames",
    "correct_frames",
    "gt_runs",
    "pred_runs",
    "gt_segments",
    "pred_segments",
    "gt_events",
    "pred_events",
    "matched_events",
    "gt_advisory_events",
    "pred_advisory_events",
    "matched_advisory_events",
    "delay_frames",
    "segments_10",
    "segments_25",
    "segments_50",
)


FEW = 256  # states whose pairs fit a table


def _lead_time(counts: StateCounts) -> float | None:
    """Over all matched events of videos whose fps is known."""
    timed = ~np.isnan(counts.fps) & (counts.count("lead_events") > 0)
    events = int(counts.count("lead_events")[timed].sum())
    seconds = counts.count("lead_frames")[timed] / counts.fps[timed]
    return fsum(seconds.tolist()) / events if events else None


def confusion_tree(counts: StateCounts) -> dict[str, dict[str, int]]:
    """Frames by state in truth, then in pred, in the order of names."""
    cells, states = counts.cells, counts.cells.states
    codes = cells.truth * len(states) + cells.pred
    met, place = (np.arange(len(states) ** 2), codes) if len(states) < FEW else np.unique(codes, return_inverse=True)
    low, high = (np.bincount(place, part) for part in (cells.frames & 0xFFFFF, cells.frames >> 20))  # exact as floats
    tree: dict[str, dict[str, int]] = {}
    for k in np.flatnonzero(low + high).tolist():
        truth, pred = divmod(int(met[k]), len(states))
        tree.setdefault(states[truth], {})[states[pred]] = int(low[k]) + (int(high[k]) << 20)
    return tree
