"""Videos as cases: the runs of both sides, which strips are drawn from, and how many frames are wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from calipers.core.errors import CalipersError
from calipers.files.output import json_line
from calipers.suites.timeline.columns import Videos
from calipers.suites.timeline.config import Config
from calipers.suites.timeline.frame_errors import error_stretches
from calipers.suites.timeline.rows import painted_sides
from calipers.suites.timeline.tables import videos_of

Tree = Mapping[str, Any]
Case = dict[str, Any]


def case_lines(tree: Tree, videos: Videos, config: Config) -> Iterator[bytes]:
    """Every evaluated video as a line of JSON."""
    names = [name for name, entry in videos_of(tree).items() if "error" not in entry]
    return map(json_line, cases_of(tree, videos, config, names).values())


def cases_of(tree: Tree, videos: Videos, config: Config, names: Iterable[str]) -> dict[str, Case]:
    """Some videos by name; runs are (state, first frame, last frame), wrong frames (kind, first frame, last frame)."""
    index = {name: place for place, name in enumerate(videos.names)}
    entries, cases = videos_of(tree), {}
    for name in names:
        if name not in index:
            raise CalipersError(f"cases: {name!r} was not evaluated, expected a video that was")
        truth, pred = painted_sides(videos, index[name], config)
        runs = {"gt": [(*run,) for run in truth], "pred": [(*run,) for run in pred]}
        wrong = error_stretches(runs["gt"], runs["pred"], config.idle)
        cases[name] = {"key": name, **runs, "frame_errors": wrong, "unmatched": entries[name]["time_in_error_frames"]}
    return cases
