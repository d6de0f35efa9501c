"""Where annotations of the timeline suite may be wrong: boundaries that every result puts elsewhere.

A boundary of the ground truth is where one state ends and another begins; it is called by both, and lies at the first
frame of the second. In a result its counterpart is the nearest boundary of the same two states, if that has no nearer
one in the ground truth. A state in which the ground truth ends has its boundary behind that frame, and so has one of a
result unless the result was cut there. Where every result has a counterpart at the same offset, which is not 0, the
boundary is one to look at, and the frame suggested is that of the results:

    score = results / (results + 1) · |offset| / (|offset| + 1 + tolerance)     tolerance of transitions, in frames
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from calipers.core.errors import ConfigError
from calipers.core.suspects import SHIFTED_BOUNDARY, Case, Suspect, SuspectRun, SuspectSearch
from calipers.show.page import sections as part
from calipers.show.page.sections import Part

Boundary = tuple[str, int]  # what it is called, its frame
Shifts = dict[str, dict[int, int]]  # by video, then by boundary of the ground truth: the offset of all results so far
MAX_LANES = 6  # results in a picture
ALONE = "one result agrees with itself: every boundary that it puts elsewhere is listed; two or more tell more"


def find_suspects(runs: list[SuspectRun]) -> SuspectSearch:
    """Boundaries that all results put elsewhere by the same offset."""
    runs = sorted(runs, key=lambda run: run.name)
    shifts, truths = _shifts(runs[0])
    for run in runs[1:]:
        own, others = _shifts(run)
        _check_same(runs[0].name, truths, run.name, others)
        shifts = {video: _shared(offsets, own[video]) for video, offsets in shifts.items()}
    tolerance = _first(runs[0].tree["params"]["transition_tolerance_frames"])
    suspects = [
        _suspect(video, index, truths[video][index], offset, len(runs), tolerance)
        for video, offsets in shifts.items()
        for index, offset in offsets.items()
    ]
    return SuspectSearch(suspects, [ALONE] if len(runs) == 1 else [])


def _first(tolerance: Any) -> int:
    return int(tolerance[0] if isinstance(tolerance, list) else tolerance)


def _suspect(video: str, index: int, boundary: Boundary, offset: int, results: int, tolerance: int) -> Suspect:
    score = results / (results + 1) * abs(offset) / (abs(offset) + 1 + tolerance)
    name, frame = boundary
    return Suspect(video, "gt", index, None, SHIFTED_BOUNDARY, name, frame + offset, score, index)


def _shifts(run: SuspectRun) -> tuple[Shifts, dict[str, list[Boundary]]]:
    """Offsets that are not 0 by video, and the boundaries of the ground truth."""
    shifts: Shifts = {}
    truths: dict[str, list[Boundary]] = {}
    params = run.tree["params"]
    idle, is_cut = params["idle"], params.get("extent") == "gt"
    for case in run.cases():
        truth, pred = boundaries(case["gt"], idle), boundaries(case["pred"], None if is_cut else idle)
        shifts[case["key"]] = {index: offset for index, offset in offsets_of(truth, pred) if offset}
        truths[case["key"]] = truth
    return shifts, truths


def boundaries(runs: list[Any], idle: str | None = None) -> list[Boundary]:
    """Where one state ends and another begins; with the name of the idle state, that is what follows the last one.

    How long an idle state at the end is depends on the other side, so that it makes no difference.

    >>> boundaries([["outside", 0, 4], ["inside", 5, 9]])
    [('outside → inside', 5)]
    >>> boundaries([["outside", 0, 4], ["inside", 5, 9]], "outside")
    [('outside → inside', 5), ('inside → outside', 10)]
    """
    is_open = idle is not None and runs and runs[-1][0] != idle
    behind = [(idle, runs[-1][2] + 1, None)] if is_open else []
    return [(f"{a[0]} → {b[0]}", int(b[1])) for a, b in pairwise([*runs, *behind])]


def offsets_of(truth: list[Boundary], pred: list[Boundary]) -> Iterator[tuple[int, int]]:
    """For each boundary that has a counterpart, its place and the offset.

    >>> list(offsets_of([("a → b", 10), ("b → a", 20), ("a → b", 30)], [("a → b", 12), ("a → b", 27)]))
    [(0, 2), (2, -3)]
    """
    here, there = _by_name(truth), _by_name(pred)
    for index, (name, frame) in enumerate(truth):
        other = nearest(there.get(name, []), frame)
        if other is not None and nearest(here[name], other) == frame:
            yield index, other - frame


def _by_name(boundaries: list[Boundary]) -> dict[str, list[int]]:
    frames: dict[str, list[int]] = {}
    for name, frame in boundaries:
        frames.setdefault(name, []).append(frame)
    return frames


def nearest(frames: list[int], frame: int) -> int | None:
    """The nearest of some frames in order; of equally near ones the first.

    >>> nearest([2, 8], 5), nearest([2, 8], 6), nearest([], 5)
    (2, 8, None)
    """
    at = bisect_left(frames, frame)
    return min(frames[max(0, at - 1) : at + 1], key=lambda other: abs(other - frame), default=None)


def _shared(offsets: dict[int, int], others: dict[int, int]) -> dict[int, int]:
    return {index: offset for index, offset in offsets.items() if others.get(index) == offset}


def _check_same(first: str, truths: dict[str, Any], second: str, others: dict[str, Any]) -> None:
    for video in sorted({*truths, *others}):
        if truths.get(video) != others.get(video):
            what = "boundaries that differ" if video in truths and video in others else "no such video"
            raise ConfigError(
                f"{video!r:.80}: {what} in {first} or {second}, expected results over the same videos and ground truth"
            )


def draw_suspects(cases: dict[str, dict[str, Case]], notes: dict[str, list[str]]) -> list[Part]:
    """One section of strips: videos by name, each with its ground truth over the results, and notes about it."""
    videos = [_video(name, own, notes[name]) for name, own in cases.items() if own]
    states = sorted({run[0] for video in videos for lane in video["rows"] for run in lane["runs"]})
    return [part.strips("Videos with boundaries to look at", videos, states)] if videos else []


def _video(name: str, results: dict[str, Case], notes: list[str]) -> Part:
    """The ground truth over some results, by name."""
    lanes = {"ground truth": next(iter(results.values()))["gt"]}
    lanes |= {result: case["pred"] for result, case in list(results.items())[:MAX_LANES]}
    frames = max((run[2] + 1 for runs in lanes.values() for run in runs), default=0)
    return part.video(name, frames, lanes, note=" · ".join(notes), tags=[name])
