"""The metrics of each video as plain numbers by name: whole numbers where they are frames, None where undefined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from math import fsum
from typing import Any

import numpy as np
import orjson

from calipers.kernels.scan.intervals import nested_counts, rows_as_dicts
from calipers.suites.timeline.frame_errors import error_trees
from calipers.suites.timeline.states import SEED_STATES, Floats, StateCounts, is_whole
from calipers.suites.timeline.video_json import VideoJson, is_sorted

COUNTED = (
    "frames",
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
    "false_episodes",
)


class VideoTable(Mapping[str, dict[str, Any]]):
    """Every video by name: its metrics, or why it has none. Kept as columns; a video's tree is made when asked for."""

    def __init__(self, counts: StateCounts, columns: Mapping[str, Floats], errors: Mapping[str, str]) -> None:
        self._counts, self._columns, self._errors = counts, columns, errors
        self._names = sorted([*counts.names, *errors]) if errors else counts.names
        self._ious: dict[int, dict[str, float]] = {}
        for video, state, iou in other_ious(counts):
            self._ious.setdefault(video, {})[f"iou_{state}"] = iou

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    @cached_property
    def _row(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self._counts.names)}

    def __getitem__(self, name: str) -> dict[str, Any]:
        if name in self._errors:
            return {"error": self._errors[name]}
        return self._trees(self._row[name], self._row[name] + 1)[0]

    def __repr__(self) -> str:
        return f"<{len(self)} videos>"

    def as_dict(self) -> dict[str, dict[str, Any]]:
        """All videos as a dict by name."""
        trees = dict(zip(self._counts.names, self._trees(0, len(self._counts.names)), strict=True))
        return {name: trees[name] if name in trees else self[name] for name in self._names}

    def spread_json(self, depth: int) -> Iterable[bytes] | None:
        """All videos as JSON with line breaks, at a depth of a larger text; None where only trees give it."""
        own = {name for ious in self._ious.values() for name in ious}
        if (
            not self._names
            or not is_sorted(self._counts)
            or own & {*self._columns, "confusion", "frame_errors", "counts"}
        ):
            return None
        orjson.dumps([self._names, list(self._errors.values()), list(self._counts.cells.states)])  # while it can fail
        texts = VideoJson(self._counts, self._columns, COUNTED, depth)
        return self._spread_pieces(texts, b"\n" + b"  " * depth + b"}")

    def _spread_pieces(self, texts: VideoJson, end: bytes) -> Iterator[bytes]:
        """The text of all videos, piece by piece; a comma stands before each but the first."""
        pieces: Iterator[bytes] = texts.entries(self._ious)
        if self._errors:
            by_name = dict(zip(self._counts.names, texts.single_entries(self._ious), strict=True))
            errors = self._errors
            pieces = (texts.error(name, errors[name]) if name in errors else by_name[name] for name in self._names)
        yield b"{"
        yield next(pieces)[1:]
        yield from pieces
        yield end

    def _trees(self, first: int, behind: int) -> list[dict[str, Any]]:
        cells, count, rows = self._counts.cells, behind - first, slice(first, behind)
        some = slice(*np.searchsorted(cells.video, (first, behind)))
        sides = cells.truth[some], cells.pred[some], cells.frames[some]
        confusions = nested_counts(cells.video[some] - first, *sides, cells.states, count)
        numbers = [self._counts.count(name)[rows].tolist() for name in COUNTED]
        lists = [plain(name, column[rows]) for name, column in self._columns.items()]
        nested = [confusions, error_trees(self._counts, rows, count), rows_as_dicts(list(COUNTED), numbers, count)]
        names = [*self._columns, "confusion", "frame_errors", "counts"]
        trees = rows_as_dicts(names, [*lists, *nested], count)
        for video, ious in self._ious.items():
            if first <= video < behind:
                trees[video - first] |= ious
        return trees


def plain(name: str, column: Floats) -> list[Any]:
    """A column as numbers, whole ones where the metric is a number of frames, None where it is undefined."""
    undefined = np.isnan(column)
    values: list[Any] = (np.where(undefined, 0, column).astype(np.int64) if is_whole(name) else column).tolist()
    for row in np.flatnonzero(undefined).tolist():
        values[row] = None
    return values


def other_iou_means(counts: StateCounts) -> dict[str, Any]:
    """Mean and count of the IoU of states beyond the usual four."""
    values: dict[str, list[float]] = {}
    for _, state, iou in other_ious(counts):
        values.setdefault(state, []).append(iou)
    tree: dict[str, Any] = {}
    for state in sorted(values):
        tree |= {f"iou_{state}_mean": fsum(values[state]) / len(values[state]), f"iou_{state}_n": len(values[state])}
    return tree


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
