"""The metrics of many videos as the artifact has them, written from columns: no tree of a video is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import orjson

from calipers.core.cells import CellTexts, Part, RowTexts, joined, json_numbers
from calipers.kernels.count.timelines import FRAME_ERRORS as KINDS
from calipers.kernels.scan.weave import Cells, weave
from calipers.suites.timeline.frame_errors import COUNTED as ERROR_COUNTS
from calipers.suites.timeline.states import Floats, StateCounts, is_whole

AT_A_TIME = 2_000  # videos
BREAK = b"\n"


class VideoJson:
    """Videos as text of JSON with line breaks, an entry each, at a depth of a larger text."""

    def __init__(
        self, counts: StateCounts, columns: Mapping[str, Floats], counted: tuple[str, ...], depth: int
    ) -> None:
        self._counts, self._columns, self._counted = counts, columns, counted
        self._entry, self._field, self._row = (BREAK + b"  " * (depth + more) for more in (1, 2, 3))

    def entries(self, more: Mapping[int, Mapping[str, float]]) -> Iterator[bytes]:
        """The entries of all videos, in order, many to a text, each behind a comma; some have `more` fields."""
        for first, behind in self._steps():
            yield joined(self._parts(first, behind, more), behind - first)

    def single_entries(self, more: Mapping[int, Mapping[str, float]]) -> Iterator[bytes]:
        """The entries of all videos, in order, each a text and behind a comma; some have `more` fields."""
        for first, behind in self._steps():
            texts = RowTexts(self._parts(first, behind, more), behind - first)
            yield from (texts.between(row, row + 1) for row in range(behind - first))

    def _steps(self) -> Iterator[tuple[int, int]]:
        count = len(self._counts.names)
        return ((first, min(first + AT_A_TIME, count)) for first in range(0, count, AT_A_TIME))

    def error(self, name: str, problem: str) -> bytes:
        """The entry of a video that has no metrics, behind a comma."""
        return b"," + self._entry + orjson.dumps(name) + b': {"error": ' + orjson.dumps(problem) + b"}"

    def _parts(self, first: int, behind: int, more: Mapping[int, Mapping[str, float]]) -> list[Part]:
        rows = slice(first, behind)
        names = CellTexts([orjson.dumps(name) for name in self._counts.names[rows]])
        parts: list[Part] = [b"," + self._entry, names.cells(np.arange(behind - first)), b": {"]
        for name, column in self._columns.items():
            parts += [self._key(name), _numbers(name, column[rows]), b","]
        parts += [self._key("confusion"), *self._confusion(first, behind), b","]
        parts += [self._key("frame_errors"), b"{", *self._errors(rows), self._field, b"},"]
        parts += [self._key("counts"), *_flat({name: self._counts.count(name)[rows] for name in self._counted})]
        if any(first <= video < behind for video in more):
            extra = [self._fields(more.get(video, {})) for video in range(first, behind)]
            parts.append(CellTexts(extra).cells(np.arange(behind - first)))
        return [*parts, self._entry, b"}"]

    def _key(self, name: str) -> bytes:
        return self._field + orjson.dumps(name) + b": "

    def _fields(self, values: Mapping[str, float]) -> bytes:
        return b"".join(b"," + self._key(name) + orjson.dumps(value) for name, value in values.items())

    def _errors(self, rows: slice) -> list[Part]:
        """Frames and stretches of each kind."""
        parts: list[Part] = []
        for kind in KINDS:
            columns = {name: self._counts.count(f"{kind}_{name}")[rows] for name in ERROR_COUNTS}
            parts += [b"," * bool(parts) + self._row + orjson.dumps(kind) + b": ", *_flat(columns)]
        return parts

    def _confusion(self, first: int, behind: int) -> list[Part]:
        """For each video {state in truth: {state in pred: frames}}; cells stand by video, truth and pred."""
        cells = self._counts.cells
        begins = np.searchsorted(cells.video, np.arange(first, behind + 1))
        some = slice(begins[0], begins[-1])
        video, truth, pred = cells.video[some], cells.truth[some], cells.pred[some]
        states = [orjson.dumps(state) for state in cells.states]
        heads = [self._row + state + b": {" for state in states]
        opening = CellTexts([b"{" + head for head in heads] + [b"}," + head for head in heads] + [b", "])
        of_video, of_truth = (np.diff(column, prepend=-1) != 0 for column in (video, truth))
        codes = np.where(of_video, truth, np.where(of_truth, len(states) + truth, 2 * len(states)))
        named = CellTexts([state + b": " for state in states]).cells(pred)
        text, ends = weave([opening.cells(codes), named, json_numbers(cells.frames[some])], len(video))
        known = np.diff(begins) > 0
        closing = CellTexts([b"{}", b"}" + self._field + b"}"])
        return [Cells(text, np.asarray(ends)[begins - begins[0]]), closing.cells(known)]


def is_sorted(counts: StateCounts) -> bool:
    """Whether cells of the confusion stand by video, truth and pred, none of them twice."""
    cells = counts.cells
    by_video, by_truth, by_pred = (np.diff(column) for column in (cells.video, cells.truth, cells.pred))
    return bool(np.all((by_video > 0) | (by_video == 0) & ((by_truth > 0) | (by_truth == 0) & (by_pred > 0))))


def _flat(columns: Mapping[str, Any]) -> list[Part]:
    """Whole numbers by name, on one line."""
    parts: list[Part] = []
    for name, column in columns.items():
        parts += [(b", " if parts else b"{") + orjson.dumps(name) + b": ", json_numbers(column)]
    return [*parts, b"}"]


def _numbers(name: str, column: Floats) -> Cells:
    """A column as numbers, whole ones where the metric is a number of frames, null where it is undefined."""
    if not is_whole(name):
        return json_numbers(column)
    known = ~np.isnan(column)
    return json_numbers(np.where(known, column, 0).astype(np.int64), known)
