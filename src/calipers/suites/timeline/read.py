"""States along videos: annotations and predictions, as JSON, a file per video or a folder of these, to `Videos`.

Ground truth is `{video: {state: [[first, last], …]}}` in whole frames, both ends included; `fps`, `detections`, `ocr`
and `runtime` may stand beside the states. Predictions are `{video: {"fps", "states", "detections", "ocr",
"runtime"}}`. Names are matched with or without their extension.

Malformed ground truth makes a video bad. A video whose ground truth is empty, whose prediction is missing or whose
prediction cannot be read has an entry that says so, and the others go on.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

import numpy as np

from calipers.core.errors import InputError
from calipers.core.text import whole_text
from calipers.files.answers.missing_field import listed_fields
from calipers.files.inputs import InputFile, OnProgress, read_bytes
from calipers.files.problems import BadVideo, shown
from calipers.kernels.scan.intervals import BESIDE, LARGEST_FRAME, IntervalColumns, add_plain_videos
from calipers.kernels.scan.statejson import scan_states, take_videos
from calipers.suites.timeline.columns import Extras, Videos
from calipers.suites.timeline.formats.spans import TimedStates
from calipers.suites.timeline.read_extras import has_extras, read_fps, read_pred_extras, read_truth_extras
from calipers.suites.timeline.seconds import has_seconds, in_frames
from calipers.suites.timeline.video_files import Predictions, is_json_file, read_json, read_predictions, read_truth
from calipers.suites.timeline.video_names import match_names

EMPTY = "empty_ground_truth"
MISSING = "missing predictions or states"
SWAPPED = "; are the two sides swapped?"
AS_TRUTH = (
    "its prediction has the layout of ground truth, {state: intervals},"
    f' expected {{"states": {{state: intervals}}}}{SWAPPED}'
)
AS_PRED = f'this is the layout of predictions, {{"states": …}}, expected {{state: intervals}}{SWAPPED}'


WITHOUT_STATES = ' in its prediction, expected {"states": {state: intervals}}'


class TimelineReading:
    """What was read from two inputs: the videos to measure, entries of the others, and warnings."""

    def __init__(self) -> None:
        self.videos = Videos()
        self.errors: dict[str, str] = {}
        self.bad: list[BadVideo] = []
        self.without_truth: list[str] = []
        self.warnings: list[str] = []
        self.inputs: list[InputFile] = []


def read_timelines(
    truth: Any,
    pred: Any,
    *,
    spelling: Iterable[str] = (),
    progress: OnProgress | None = None,
    only: frozenset[str] | None = None,
    fps: float | None = None,
) -> TimelineReading:
    """Ground truth and predictions, each a path or what its JSON would hold; of `only` some videos, if given.

    `fps` is for videos whose times are in seconds, where the other side does not say.
    """
    if only is None and (plain := _read_plain(truth, pred)):
        return plain
    reading = TimelineReading()
    known = list(spelling)
    truth_tree, truth_input, reading.warnings = _truth(truth, known)
    predictions = None
    if isinstance(pred, (str, os.PathLike)):
        predictions = read_predictions(os.fspath(pred), lambda: spelling_of(truth_tree, known), progress)
    pred_tree, pred_input = (predictions.entries, predictions.input) if predictions else _tree(pred, "pred")
    if predictions:
        reading.warnings += predictions.warnings
    reading.inputs = [truth_input, pred_input]
    check_videos(truth_tree, truth_input)
    add_videos(reading, truth_tree, pred_tree, only, fps)
    return reading


def _read_plain(truth: Any, pred: Any) -> TimelineReading | None:
    """Two files of JSON that hold nothing but states and fps of the same videos; None if they are anything else."""
    if not all(isinstance(path, (str, os.PathLike)) and is_json_file(os.fspath(path)) for path in (truth, pred)):
        return None
    paths, reading = [os.fspath(path) for path in (truth, pred)], TimelineReading()
    texts = [read_bytes(path) for path in paths]
    if not add_plain_texts(reading, texts[0], texts[1], paths[1]):
        return None
    digests = (sha256(text).hexdigest() for text in texts)
    inputs = zip(map(whole_text, paths), digests, strict=True)
    reading.inputs = [InputFile(*source, len(reading.videos)) for source in inputs]
    return reading


def add_plain_texts(reading: TimelineReading, truth: bytes, pred: bytes, path: str) -> bool:
    """Add the videos of two texts of JSON, if these hold nothing but states and fps of the same ones; `path` is that of
    the predictions. Else nothing is added."""
    videos = Videos()
    sides = [scan_states(truth, videos.states, predicted=False), scan_states(pred, videos.states, predicted=True)]
    if sides[0] is None or sides[1] is None or not np.diff(sides[0].columns.offsets).all():
        return False
    partners, strangers = match_names(sides[0].names, sides[1].names, whole_text(path))
    if strangers or len(partners) < len(sides[0]):
        return False
    videos.names = sorted(partners)
    mine, theirs = ({name: place for place, name in enumerate(side.names)} for side in (sides[0], sides[1]))
    take_videos(sides[0].columns, videos.truth, np.array([mine[name] for name in videos.names]))
    places = [theirs[partners[name]] for name in videos.names]
    take_videos(sides[1].columns, videos.pred, np.array(places))
    videos.fps = [sides[1].fps[place] for place in places]
    reading.videos = videos
    return True


def check_videos(tree: Mapping[str, Any], source: InputFile) -> None:
    """A file of ground truth has to hold some."""
    if not tree and source.sha256:
        raise InputError(f"{source.path}: no videos, expected {{video: {{state: intervals}}}}")


def add_videos(
    reading: TimelineReading,
    truths: dict[str, Any],
    preds: dict[str, Any],
    only: frozenset[str] | None = None,
    fps: float | None = None,
) -> None:
    """Videos of the ground truth, in the order of their names, with their predictions; the inputs are named before."""
    truth_path, pred_path = (source.path for source in reading.inputs)
    partners, reading.without_truth = match_names(truths, preds, pred_path)
    names, at = sorted(truths if only is None else only.intersection(truths)), 0
    if has_seconds(truths, preds):
        truths, preds, warnings = in_frames(truths, preds, partners, names, fps)
        reading.warnings += warnings
    while at < len(names):
        at = _add_plain(reading, names, at, truths, preds, partners)
        if at < len(names):
            partner = partners.get(names[at])
            guess = None if partner is None else preds[partner]
            _add(reading, names[at], truths[names[at]], guess, truth_path)
            at += 1


def _add_plain(
    reading: TimelineReading,
    names: list[str],
    first: int,
    truths: dict[str, Any],
    preds: dict[str, Any],
    partners: dict[str, str],
) -> int:
    """The videos from the first on that carry nothing but states and fps, in one go; returns where the next one is."""
    videos = reading.videos
    behind = add_plain_videos(videos.truth, videos.pred, names, first, truths, preds, partners, videos.fps)
    videos.names += names[first:behind]
    return behind


def _truth(source: Any, known: Iterable[str]) -> Predictions:
    if isinstance(source, (str, os.PathLike)):
        return read_truth(os.fspath(source), known)
    return Predictions(*_tree(source, "gt"), [])


def _tree(source: Any, name: str) -> tuple[dict[str, Any], InputFile]:
    if isinstance(source, (str, os.PathLike)):
        return read_json(os.fspath(source))
    if not isinstance(source, Mapping) or not all(isinstance(video, str) for video in source):
        raise InputError(f"{name}: found {shown(source)}, expected a path or {{video: …}}")
    return dict(source), InputFile(f"<{name}>", None, len(source))


def spelling_of(tree: Mapping[str, Any], known: Iterable[str]) -> dict[str, str]:
    """Every state that has a name by now, by its lower-cased form; as the ground truth has it, if that has one way."""
    names: set[Any] = set()
    for entry in tree.values():
        if isinstance(entry, (dict, TimedStates)):
            names.update(entry if isinstance(entry, dict) else entry.states)
    spelling = {name.lower(): name for name in known}
    written = sorted(name for name in names.difference(BESIDE) if isinstance(name, str))
    ways = Counter(name.lower() for name in written)
    return spelling | {name.lower(): name for name in written if ways[name.lower()] == 1}


def _add(reading: TimelineReading, name: str, truth: Any, pred: Any, path: str) -> None:
    """One video of the ground truth, with its prediction or None."""
    videos = reading.videos
    try:
        if isinstance(truth, InputError):
            raise truth
        if isinstance(truth, Mapping) and isinstance(truth.get("states"), Mapping):
            raise InputError(AS_PRED)
        _add_intervals(videos.truth, truth, "", BESIDE)
    except InputError as error:
        reading.bad.append(BadVideo(path, name, str(error)))
        return
    extras = Extras() if has_extras(truth) or has_extras(pred) else None
    try:
        fps = read_fps(truth)
        if extras:
            read_truth_extras(truth, extras)
    except InputError as error:
        videos.truth.drop_video()
        reading.bad.append(BadVideo(path, name, str(error)))
        return
    try:
        problem = EMPTY if videos.truth.is_empty() else _add_prediction(videos, pred, extras, fps)
    except InputError as error:
        problem = f"invalid prediction: {error}"
    if problem:
        videos.truth.drop_video()
        reading.errors[name] = problem
        if problem == MISSING and _is_truth_layout(pred):
            reading.warnings.append(f"{shown(name)}: {AS_TRUTH}")
        elif problem == MISSING and isinstance(pred, Mapping) and pred and "states" not in pred:
            reading.warnings.append(f"{shown(name)}: {listed_fields(list(map(str, pred)))}{WITHOUT_STATES}")
        return
    videos.names.append(name)
    if extras:
        videos.extras[name] = extras


def _add_prediction(videos: Videos, pred: Any, extras: Extras | None, fps: float | None) -> str:
    """Add the prediction of a video; returns why there is none, or "". `fps` is that of the ground truth, if given."""
    if isinstance(pred, InputError):
        raise pred
    if pred is None:
        return MISSING
    if not isinstance(pred, Mapping):
        raise InputError(f"found {shown(pred)}, expected an object with states")
    if pred.get("states") is None:
        return MISSING
    fps = read_fps(pred) or fps
    if extras:
        read_pred_extras(pred, extras)
    _add_intervals(videos.pred, pred["states"], "states.")
    videos.fps.append(fps)
    return ""


def _is_truth_layout(pred: Any) -> bool:
    """Whether the states of a prediction stand beside its other fields, as they do in ground truth."""
    if not isinstance(pred, Mapping) or "states" in pred:
        return False
    lists = [value for name, value in pred.items() if name not in BESIDE and isinstance(value, (list, tuple)) and value]
    return any(all(isinstance(item, (list, tuple)) and len(item) == 2 for item in value) for value in lists)


def _add_intervals(columns: IntervalColumns, states: Any, place: str, apart: tuple[str, ...] = ()) -> None:
    if isinstance(states, Mapping) and type(states) is not dict:
        states = dict(states)
    wrong = columns.add_video(states, apart)
    if wrong is None:
        return
    state, index = wrong
    if state is None:
        raise InputError(f"{place.rstrip('.') or 'states'}: found {shown(states)}, expected {{state: intervals}}")
    if index is None:
        raise InputError(f"{place}{state}: found {shown(states[state])}, expected a list of [first, last] frames")
    interval, limit = shown(states[state][index]), f"0 <= first <= last <= {LARGEST_FRAME}"
    raise InputError(f"{place}{state}[{index}]: found {interval}, expected [first, last], whole frames with {limit}")
