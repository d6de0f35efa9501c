"""Label Studio's JSON of videos: a list of tasks, one for each video, or each recording.

A task has `data` with the place of its video, `annotations` and `predictions`, each with a `result`. Results of the
type `timelinelabels` have `ranges` of frames, `start` and `end`, both included. Frames count from 1, as in the editor,
so that one is taken off; in a task with a range from 0 they count from 0, with a warning. Results of the type `labels`
have `start` and `end` in seconds. A result with several labels is of each of them. Other results are left out with a
warning.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from typing import Any

from calipers.core.errors import InputError
from calipers.core.text import whole_text
from calipers.files.json_checks import is_finite_number
from calipers.files.label_studio_tasks import choose_annotation, results_of, stored_name
from calipers.files.problems import shown
from calipers.kernels.scan.intervals import LARGEST_FRAME
from calipers.suites.timeline.formats.cvat_video import joined
from calipers.suites.timeline.formats.spans import MAX_SECONDS, TimedStates

FRAMES, SECONDS = "timelinelabels", "labels"
FIELDS = ("video", "video_url", "audio", "url")
MARKS = (b'"timelinelabels"', b'"labels"')
SAMPLED_TASKS = 1000  # tasks, until one has a result

Row = dict[str, Any]


def looks_like(head: bytes) -> bool:
    r"""Whether the first bytes are those of tasks with labels along time.

    >>> looks_like(b'[{"data": {"video": "a.mp4"}, "annotations": [{"result": [{"type": "timelinelabels"')
    True
    """
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return start.startswith(b"[") and b'"data"' in head and b'"result"' in head and any(mark in head for mark in MARKS)


def is_tasks(tree: Any) -> bool:
    """Whether a list holds tasks, and the first result that there is lies along time."""
    tasks = tree[:SAMPLED_TASKS] if isinstance(tree, (list, tuple)) else ()
    for task in tasks:
        if not isinstance(task, Mapping) or not isinstance(task.get("data"), Mapping):
            return False
        for result in _all_results(task):
            if result.get("type") in (FRAMES, SECONDS):
                return result["type"] == FRAMES or _is_span(result.get("value"))
    return False


def _all_results(task: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    entries = [task.get(name) for name in ("annotations", "predictions")]
    rows = [row for own in entries if isinstance(own, (list, tuple)) for row in own if isinstance(row, Mapping)]
    lists = [row["result"] for row in rows if isinstance(row.get("result"), (list, tuple))]
    return [result for results in lists for result in results if isinstance(result, Mapping)]


def _is_span(value: Any) -> bool:
    return isinstance(value, Mapping) and is_finite_number(value.get("start")) and is_finite_number(value.get("end"))


def read_tasks(tasks: list[Any], path: str, spelling: Mapping[str, str], side: str) -> tuple[dict[str, Any], list[str]]:
    """Entries by video, an error in place of one that cannot be read, and warnings."""
    entries: dict[str, Any] = {}
    notes = Counter[str]()
    for place, task in enumerate(tasks):
        if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
            raise InputError(f"{path}: tasks[{place}]: found {shown(task)}, expected a task with data and annotations")
        video = whole_text(os.path.basename(stored_name(task["data"], f"{path}: tasks[{place}]", FIELDS)))
        if video in entries:
            raise InputError(f"{path}: tasks[{place}]: a second task for the video {shown(video)}, expected one")
        try:
            entries[video] = _entry(task, f"tasks[{place}]", video, spelling, side, notes)
        except InputError as error:
            entries[video] = error
    return entries, [f"{path}: {note} ({count})" for note, count in sorted(notes.items())]


def _entry(task: Row, place: str, video: str, spelling: Mapping[str, str], side: str, notes: Counter[str]) -> Any:
    chosen, more = choose_annotation(task, place, side == "gt")
    results = results_of(chosen, place)
    notes.update(more)
    notes.update(f"results of the type {shown(row.get('type'))} were left out" for row in results if not _is_read(row))
    read = [(f"{place}.result[{at}]", row) for at, row in enumerate(results) if _is_read(row)]
    kinds = sorted({row["type"] for _, row in read})
    if len(kinds) > 1:
        raise InputError(f"{place}: found results in frames and in seconds, expected one of {' and '.join(kinds)}")
    if kinds == [SECONDS]:
        return _timed(read, video, spelling)
    return {"fps": None, "states": _framed(read, place, spelling, notes)}


def _is_read(row: Row) -> bool:
    return row.get("type") in (FRAMES, SECONDS)


def _framed(
    read: list[tuple[str, Row]], place: str, spelling: Mapping[str, str], notes: Counter[str]
) -> dict[str, list[list[int]]]:
    spans = [(label, *span) for at, row in read for label in _labels(row, at) for span in _ranges(row, at)]
    first = 0 if any(start == 0 for _, start, _ in spans) else 1
    if spans and first == 0:
        notes[f"frames of {place} count from 0, as a range starts there"] += 1
    states: dict[str, list[tuple[int, int]]] = {}
    for label, start, end in spans:
        states.setdefault(spelling.get(label.lower(), label), []).append((start - first, end - first))
    return {state: joined(own) for state, own in states.items()}


def _ranges(row: Row, place: str) -> list[tuple[int, int]]:
    value = row.get("value")
    ranges = value.get("ranges") if isinstance(value, dict) else None
    if not isinstance(ranges, list):
        raise InputError(f"{place}.value.ranges: found {shown(ranges)}, expected [{{start, end}}, …]")
    pairs = []
    for at, own in enumerate(ranges):
        start, end = (own.get(name) if isinstance(own, dict) else None for name in ("start", "end"))
        if not _is_frame(start) or not _is_frame(end) or start > end:  # type: ignore[operator]
            raise InputError(f"{place}.value.ranges[{at}]: found {shown(own)}, expected whole frames, start <= end")
        pairs.append((int(start), int(end)))  # type: ignore[arg-type]
    return pairs


def _timed(read: list[tuple[str, Row]], video: str, spelling: Mapping[str, str]) -> TimedStates:
    timed = TimedStates(video, spelling)
    for place, row in read:
        value = row.get("value")
        start, end = (value.get(name) if isinstance(value, dict) else None for name in ("start", "end"))
        for name, time in (("start", start), ("end", end)):
            if not is_finite_number(time) or not 0 <= time <= MAX_SECONDS:
                raise InputError(f"{place}.value.{name}: found {shown(time)}, expected seconds from 0 to {MAX_SECONDS}")
        for label in _labels(row, place):
            timed.add(place, label, float(start), float(end))  # type: ignore[arg-type]
    return timed


def _labels(row: Row, place: str) -> list[str]:
    value, kind = row.get("value"), row["type"]
    labels = value.get(kind) if isinstance(value, dict) else None
    if not isinstance(labels, list) or not labels or not all(isinstance(own, str) and own.strip() for own in labels):
        raise InputError(f"{place}.value.{kind}: found {shown(labels)}, expected a list of states")
    return [label.strip() for label in labels]


def _is_frame(value: Any) -> bool:
    return is_finite_number(value) and 0 <= value <= LARGEST_FRAME and float(value).is_integer()
