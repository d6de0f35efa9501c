"""Every event and transition of the videos with its partner, as rows.

Events of the focus state are intervals as given, advisory events are runs of states that are not idle, transitions are
where one run ends and another begins. Partners are found as for the metrics; here one by one, to be looked at.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from calipers.core.matching import Pairs, optimal
from calipers.kernels.count.spans import painted_runs, partners_in_order
from calipers.kernels.scan.column import int_column, long_column
from calipers.kernels.scan.intervals import IntervalColumns
from calipers.suites.timeline.columns import Videos
from calipers.suites.timeline.config import Config

Rows = list[dict[str, Any]]


class Stretch(NamedTuple):
    """An event, or a transition at one frame."""

    state: str
    start: int
    end: int


def event_rows(videos: Videos, config: Config) -> Rows:
    """Rows of all videos, in the order of videos, kinds and time; what has no partner has empty cells."""
    rows: Rows = []
    for index, name in enumerate(videos.names):
        truth, pred = painted_sides(videos, index, config)
        events = _focus(videos, videos.truth, index, config), _focus(videos, videos.pred, index, config)
        min_frames, tolerance = config.min_event_overlap_frames, config.transition_tolerance_frames[0]
        rows += _rows(name, "event", *events, _shared_pairs(*events, min_frames))
        active = _active(truth, config.idle), _active(pred, config.idle)
        rows += _rows(name, "advisory_event", *active, _shared_pairs(*active, min_frames))
        changes = _changes(truth), _changes(pred)
        rows += _rows(name, "transition", *changes, _near_pairs(*changes, tolerance))
    return rows


def painted_sides(videos: Videos, index: int, config: Config) -> tuple[list[Stretch], list[Stretch]]:
    """The runs of a video, truth and pred, over all its frames."""
    states = sorted({*videos.states, config.idle})
    rank = {name: place for place, name in enumerate(states)}
    codes = int_column([rank[name] for name in videos.states])
    frames = frame_count(videos, index, config)
    truth, pred = (
        [Stretch(states[s], a, b) for s, a, b in painted_runs(side, codes, index, frames, rank[config.idle])]
        for side in (videos.truth, videos.pred)
    )
    return truth, pred


def frame_count(videos: Videos, index: int, config: Config) -> int:
    """How many frames of a video are evaluated."""
    sides = (videos.truth, videos.pred) if config.extent == "union" else (videos.truth,)
    return 1 + max(int(side.end[k]) for side in sides for k in range(side.offsets[index], side.offsets[index + 1]))


def _focus(videos: Videos, side: IntervalColumns, index: int, config: Config) -> list[Stretch]:
    frames = frame_count(videos, index, config)
    code = videos.states.get(config.focus, -1)
    rows = range(side.offsets[index], side.offsets[index + 1])
    spans = [
        (side.start[k], min(side.end[k], frames - 1)) for k in rows if side.state[k] == code and side.start[k] < frames
    ]
    return [Stretch(config.focus, start, end) for start, end in sorted(spans)]


def _active(runs: list[Stretch], idle: str) -> list[Stretch]:
    stretches: list[Stretch] = []
    for run in runs:
        if run.state == idle:
            continue
        if stretches and stretches[-1].end + 1 == run.start:
            stretches[-1] = stretches[-1]._replace(end=run.end)
        else:
            stretches.append(Stretch("", run.start, run.end))
    return stretches


def _changes(runs: list[Stretch]) -> list[Stretch]:
    return [Stretch(f"{a.state} → {b.state}", b.start, b.start) for a, b in pairwise(runs)]


def _shared_pairs(truth: list[Stretch], pred: list[Stretch], min_frames: int) -> list[tuple[int, int]]:
    """Pairs by the rule for stretches in order, or by the matcher where those of one side overlap."""
    partners = partners_in_order([run[1:] for run in truth], [run[1:] for run in pred], min_frames)
    if partners is not None:
        return partners
    starts = [run.start for run in pred]
    last = list(accumulate((run.end for run in pred), max))  # where those so far end at the latest
    spans = ((bisect_left(last, a.start), bisect_right(starts, a.end)) for a in truth)
    shared = [
        (overlap, i, j)
        for i, (first, end) in enumerate(spans)
        for j in range(first, end)
        if (overlap := _shared(truth[i], pred[j])) >= min_frames
    ]
    return _partners(shared)


def _near_pairs(truth: list[Stretch], pred: list[Stretch], tolerance: int) -> list[tuple[int, int]]:
    by_state: dict[str, list[int]] = {}  # changes of one kind, in order of time
    for j, b in enumerate(pred):
        by_state.setdefault(b.state, []).append(j)
    near = []
    for i, a in enumerate(truth):
        same = by_state.get(a.state, [])
        first = bisect_left(same, a.start - tolerance, key=lambda j: pred[j].start)
        for j in same[first:]:
            if pred[j].start > a.start + tolerance:
                break
            near.append((tolerance + 1 - abs(a.start - pred[j].start), i, j))
    return _partners(near)


def _partners(rows: list[tuple[int, int, int]]) -> list[tuple[int, int]]:
    rows.sort(key=lambda row: (-row[0], row[1], row[2]))
    scores, truth, pred = ([row[k] for row in rows] for k in range(3))
    matched = optimal(Pairs(int_column(truth), int_column(pred), long_column(scores)), min_overlap=1)
    return list(zip(matched.truth, matched.pred, strict=True))


def _shared(a: Stretch, b: Stretch) -> int:
    return min(a.end, b.end) - max(a.start, b.start) + 1


def _rows(video: str, kind: str, truth: list[Stretch], pred: list[Stretch], pairs: list[tuple[int, int]]) -> Rows:
    """Matched and missed ones in the order of truth, then what was predicted beside."""
    partner = dict(pairs)
    taken = set(partner.values())
    rows = [_row(video, kind, a, pred[partner[i]] if i in partner else None) for i, a in enumerate(truth)]
    return rows + [_row(video, kind, None, b) for j, b in enumerate(pred) if j not in taken]


def _row(video: str, kind: str, truth: Stretch | None, pred: Stretch | None) -> dict[str, Any]:
    some = truth or pred
    both = truth is not None and pred is not None
    return {
        "video": video,
        "kind": kind,
        "state": some.state if some else "",
        "gt_start": truth.start if truth else None,
        "gt_end": truth.end if truth else None,
        "pred_start": pred.start if pred else None,
        "pred_end": pred.end if pred else None,
        "shared_frames": max(0, _shared(truth, pred)) if truth and pred and both else None,
        "delay_frames": pred.start - truth.start if truth and pred and both else None,
    }
