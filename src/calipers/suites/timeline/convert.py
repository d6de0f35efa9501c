"""Timelines of any format that the suite reads, written in the plain form: JSON by video, in whole frames.

Ground truth is `{video: {state: [[first, last], …]}}`, predictions have the same under `states`. What a video of JSON
carries beside its states stays with it. Files in seconds need the option `fps`.
"""

from __future__ import annotations

import os
from typing import Any

import orjson

from calipers.core.errors import InputError, keyword
from calipers.core.option_values import number, whole
from calipers.files.left_out import LeftOut
from calipers.files.problems import shown
from calipers.kernels.scan.intervals import BESIDE
from calipers.suite import ConvertedFiles
from calipers.suites.timeline.formats.spans import TimedStates
from calipers.suites.timeline.formats.table import formats_of
from calipers.suites.timeline.read import read_timelines
from calipers.suites.timeline.seconds import frames_of
from calipers.suites.timeline.states import SEED_STATES
from calipers.suites.timeline.video_files import (
    Predictions,
    are_csvs,
    find_csvs,
    read_predictions,
    read_truth,
)

SOMETHING = {"outside": [[0, 0]]}  # ground truth beside which predictions are checked


def convert(inputs: list[Any], to: str, side: str, *, fps: Any = None, max_bad_records: int = 0) -> ConvertedFiles:
    """The videos of all inputs, checked as a run would check them."""
    rate = None if fps is None else number("fps", fps, minimum=0.001, maximum=1_000_000)
    left_out = LeftOut(whole("max_bad_records", max_bad_records, 0))
    videos: dict[str, Any] = {}
    notes: list[str] = []
    for source in inputs:
        entries, _, warnings = _read(source, side)
        notes += [*warnings, *(note for note in _unread(source) if note not in notes)]
        for video, entry in entries.items():
            if video in videos:
                raise InputError(
                    f"{_name(source, side)}: {shown(video)} is in an input before, expected each video once"
                )
            videos[video] = _in_frames(entry, video, rate, side, notes, _name(source, side))
    for video, error in _faults(videos, side):
        left_out.add(error)
        del videos[video]
    counts = {"videos": len(videos), "intervals": sum(_count(entry, side) for entry in videos.values())}
    return ConvertedFiles(
        {"": orjson.dumps(videos, option=orjson.OPT_APPEND_NEWLINE)}, counts, notes + left_out.notes()
    )


def _read(source: Any, side: str) -> Predictions:
    if not isinstance(source, (str, os.PathLike)):
        return Predictions(dict(source), None, [])  # type: ignore[arg-type]
    if side == "gt":
        return read_truth(os.fspath(source), SEED_STATES)
    return read_predictions(os.fspath(source), lambda: {state: state for state in SEED_STATES}, side=side)


def _unread(source: Any) -> list[str]:
    """Notes on what files of the formats of an input may say that is not read."""
    if not isinstance(source, (str, os.PathLike)):
        return []
    path = os.fspath(source)
    files = [str(file) for file in find_csvs(path).files] if are_csvs(path) else [path]
    kinds = dict.fromkeys(kind for file in files for kind in formats_of(file) if kind.unread)
    return [f"{kind.title}: {kind.unread} are not read, and so not written" for kind in kinds]


def _name(source: Any, side: str) -> str:
    return os.fspath(source) if isinstance(source, (str, os.PathLike)) else f"<{side}>"


def _in_frames(entry: Any, video: str, fps: float | None, side: str, notes: list[str], path: str) -> Any:
    """An entry of JSON, with frames where it had seconds."""
    if isinstance(entry, InputError):
        raise InputError(f"{path}: {video}: {entry}")
    if not isinstance(entry, TimedStates):
        return entry
    if fps is None:
        raise InputError(f"{entry.file}: its times are in seconds, expected {keyword('fps', 'N')} to write frames")
    framed = frames_of(entry, fps, notes)
    if isinstance(framed, InputError):
        raise InputError(f"{entry.file}: {framed}")
    return framed if side == "gt" else {"fps": fps, "states": {k: v for k, v in framed.items() if k != "fps"}}


def _faults(videos: dict[str, Any], side: str) -> list[tuple[str, InputError]]:
    """Videos that a run would refuse."""
    truths = videos if side == "gt" else dict.fromkeys(videos, SOMETHING)
    reading = read_timelines(truths, {} if side == "gt" else videos, spelling=SEED_STATES)
    faults = [(bad.video, InputError(str(bad.error()))) for bad in reading.bad]
    errors = reading.errors if side == "pred" else {}
    return faults + [(video, InputError(f"{shown(video)}: {problem}")) for video, problem in errors.items()]


def _count(entry: Any, side: str) -> int:
    """The intervals of a video."""
    states = entry["states"] if side == "pred" else {name: entry[name] for name in entry if name not in BESIDE}
    return sum(len(spans) for spans in states.values() if spans)
