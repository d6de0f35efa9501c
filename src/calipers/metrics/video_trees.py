"""The metrics of each video as plain numbers by name: whole numbers where they are frames, None where undefined."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from calipers.metrics.states import SEED_STATES, Floats, StateCounts

COUNTED = (
    "frames",
    "gt_runs",
    "pred_runs",
    "gt_events",
    "pred_events",
    "matched_events",
    "gt_advisory_events",
    "pred_advisory_events",
    "matched_advisory_events",
    "false_episodes",
)


def video_trees(counts: StateCounts, columns: Mapping[str, Floats]) -> dict[str, dict[str, Any]]:
    """Every video that was measured, by name."""
    names = [*columns, "confusion"]
    lists = [plain(name, column) for name, column in columns.items()]
    confusions = _confusions(counts)
    trees = {
        video: dict(zip(names, row, strict=True))
        for video, row in zip(counts.names, zip(*lists, confusions, strict=True), strict=True)
    }
    for video, state, iou in other_ious(counts):
        trees[counts.names[video]][f"iou_{state}"] = iou
    numbers = zip(*(counts.count(name).tolist() for name in COUNTED), strict=True)
    for tree, row in zip(trees.values(), numbers, strict=True):
        tree["counts"] = dict(zip(COUNTED, row, strict=True))
    return trees


def plain(name: str, column: Floats) -> list[Any]:
    """A column as numbers, None where it is undefined."""
    undefined = np.isnan(column)
    whole = name.endswith(("_frames", "_frame", "_frames_gt", "_frames_pred")) and not name.startswith("mean_")
    values: list[Any] = (np.where(undefined, 0, column).astype(np.int64) if whole else column).tolist()
    for row in np.flatnonzero(undefined).tolist():
        values[row] = None
    return values


def _confusions(counts: StateCounts) -> list[dict[str, dict[str, int]]]:
    cells, states = counts.cells, counts.cells.states
    trees: list[dict[str, dict[str, int]]] = [{} for _ in counts.names]
    rows = zip(*(column.tolist() for column in (cells.video, cells.truth, cells.pred, cells.frames)), strict=True)
    for video, truth, pred, frames in rows:
        trees[video].setdefault(states[truth], {})[states[pred]] = frames
    return trees


def other_ious(counts: StateCounts) -> list[tuple[int, str, float]]:
    """(video, state, IoU) of states beyond the usual four, where they occur."""
    cells, states = counts.cells, counts.cells.states
    other = np.array([state not in SEED_STATES for state in states], dtype=bool)
    rows = (
        np.flatnonzero(other[cells.truth] | other[cells.pred]) if len(states) > len(SEED_STATES) else np.zeros(0, int)
    )
    both: dict[tuple[int, int], int] = {}
    either: dict[tuple[int, int], int] = {}
    for row in rows.tolist():
        video, truth, pred, frames = (int(c[row]) for c in (cells.video, cells.truth, cells.pred, cells.frames))
        for state in {truth, pred}:
            if other[state]:
                either[video, state] = either.get((video, state), 0) + frames
                both[video, state] = both.get((video, state), 0) + (frames if truth == pred else 0)
    return [(video, states[state], both[video, state] / either[video, state]) for video, state in sorted(either)]
