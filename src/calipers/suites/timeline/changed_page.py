"""Videos whose events changed between two results: the ground truth over both predictions."""

from __future__ import annotations

from typing import Any

from calipers.show.page import sections as part
from calipers.show.page.sections import Part

Case = dict[str, Any]


def draw_changed(both: list[tuple[Case, Case, list[str]]]) -> list[Part]:
    """One section of strips, for videos as they were and are, with what changed in them."""
    videos = [_video(old, new, tags) for old, new, tags in both]
    states = sorted({run[0] for video in videos for lane in video["rows"] for run in lane["runs"]})
    return [part.strips("Videos whose events changed", videos, states)] if videos else []


def _video(old: Case, new: Case, tags: list[str]) -> Part:
    lanes = {"ground truth": old["gt"], "old prediction": old["pred"], "new prediction": new["pred"]}
    frames = max((run[2] + 1 for runs in lanes.values() for run in runs), default=0)
    note = f"{old['unmatched']:,} frames in error, now {new['unmatched']:,} · {' · '.join(tags)}"
    return part.video(old["key"], frames, lanes, note=note, tags=tags)
