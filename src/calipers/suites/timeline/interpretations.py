"""Other readings of predicted states: another unit of time, one frame off, other words for states or for videos."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import numpy as np

from calipers.core.interpretations import Interpretation, Trial
from calipers.core.survey import is_number, nearest_labels, shown_first
from calipers.core.words import LONGEST
from calipers.suites.timeline.config import Config
from calipers.suites.timeline.formats.timeline_csv import SHORT
from calipers.suites.timeline.measure import measure
from calipers.suites.timeline.read import read_timelines
from calipers.suites.timeline.summarize import summarize

Entries = dict[str, Any]
Convert = Callable[[float], int]
USUAL_FPS = (30.0, 25.0)  # where no video says
MAX_WORDS = 50_000  # comparisons of states, to see which are meant
MIN_EXACT = 0.5  # transitions that are met exactly, for one frame off to be believed


class VideoTrial(NamedTuple):
    """The score of predictions read in some way, and how many videos could be measured."""

    trial: Trial
    videos: int


def measured(truth: Entries, pred: Entries, config: Config) -> VideoTrial:
    """Frames that are right, and transitions that are met exactly, both as means over videos."""
    reading = read_timelines(truth, pred, spelling=config.known_states)
    videos = reading.videos
    if not len(videos):
        return VideoTrial(Trial(None, None), 0)
    tree = summarize(measure(reading, config), config)["summary"]
    return VideoTrial(Trial(tree["frame_accuracy_mean"], tree["transition_recall_mean"]), len(videos))


def fits_exactly(now: Trial, other: Trial) -> bool:
    """Whether moved predictions meet transitions that they missed.

    >>> fits_exactly(Trial(0.97, 0.02), Trial(0.98, 0.9)), fits_exactly(Trial(0.8, 0.1), Trial(0.8, 0.25))
    (True, False)
    """
    exact = max(MIN_EXACT, 2 * (now.overlap or 0.0))
    return (other.overlap or 0.0) >= exact and (other.score or 0.0) >= (now.score or 0.0)


def moved_readings(truth: Entries, pred: Entries, config: Config) -> Iterator[Interpretation]:
    """One frame earlier or later."""
    for step, words, advice in ((-1, "one frame earlier", "subtract 1"), (1, "one frame later", "add 1")):
        moved = each_frame(pred, _steps(step))
        name = f"every frame {words}"
        yield Interpretation(
            name, f"{advice}: are frames counted from {1 if step < 0 else 0}?", _trial(truth, moved, config)
        )


def _steps(step: int) -> Callable[[str], Convert]:
    return lambda video: lambda frame: max(0, int(frame) + step)


def other_readings(truth: Entries, pred: Entries, config: Config) -> Iterator[Interpretation]:
    """Units of time, words for states, names of videos."""
    for name, advice, changed in (*_units(truth, pred), *_words(truth, pred), *_names(truth, pred)):
        yield Interpretation(name, advice, _trial(truth, changed, config))


def _trial(truth: Entries, pred: Entries, config: Config) -> Trial:
    return measured(truth, pred, config).trial


# Time


def each_frame(pred: Entries, convert: Callable[[str], Convert | None]) -> Entries:
    """The entries with every frame converted, video by video."""
    changed = {}
    for video, entry in pred.items():
        states, how = _states(entry), convert(video)
        if states is None or how is None:
            changed[video] = entry
            continue
        changed[video] = {**entry, "states": {state: _moved(intervals, how) for state, intervals in states.items()}}
    return changed


def _moved(intervals: Any, how: Convert) -> Any:
    if not isinstance(intervals, (list, tuple)) or not all(map(is_interval, intervals)):
        return intervals
    return [[how(first), how(last)] for first, last in intervals]


def is_interval(item: Any) -> bool:
    """Two numbers, in whatever order."""
    return isinstance(item, (list, tuple)) and len(item) == 2 and all(map(is_number, item))


def _states(entry: Any) -> Mapping[str, Any] | None:
    states = entry.get("states") if isinstance(entry, Mapping) else None
    return states if isinstance(states, Mapping) else None


def _units(truth: Entries, pred: Entries) -> Iterator[tuple[str, str, Entries]]:
    known = {video: fps for video in {*truth, *pred} if (fps := _fps(pred.get(video)) or _fps(truth.get(video)))}
    rates: list[float | None] = [None] if known else list(USUAL_FPS)
    for rate in rates:
        at = "fps" if rate is None else f"{rate:g}"
        for unit, parts in (("seconds", 1.0), ("milliseconds", 1000.0)):
            convert = _times(known, rate, parts)
            yield f"{unit} -> frames (× {at})", f"multiply {unit} by the frame rate", each_frame(pred, convert)
    if (factor := _stride(truth, pred)) is not None:
        changed = each_frame(pred, lambda _: lambda frame: max(0, round(frame * factor)))
        yield f"frames counted at another rate (× {factor:g})", f"multiply frames by {factor:g}", changed


def _times(known: Mapping[str, float], rate: float | None, parts: float) -> Callable[[str], Convert | None]:
    def convert(video: str) -> Convert | None:
        fps = known.get(video) if rate is None else rate
        return None if fps is None else lambda time: max(0, round(time * fps / parts))

    return convert


def _fps(entry: Any) -> float | None:
    fps: Any = entry.get("fps") if isinstance(entry, Mapping) else None
    return float(fps) if is_number(fps) and fps > 0 else None


def last_frame(states: Any) -> float | None:
    """Where the last interval of a video ends, None without any."""
    if not isinstance(states, Mapping):
        return None
    ends = [
        item[1]
        for intervals in states.values()
        if isinstance(intervals, (list, tuple))
        for item in intervals
        if is_interval(item)
    ]
    return float(max(ends)) if ends else None


def _stride(truth: Entries, pred: Entries) -> float | None:
    """How many frames of the ground truth there are to one that was predicted, where that is a whole number or part."""
    ends = [(last_frame(truth[video]), last_frame(_states(pred[video]))) for video in truth if video in pred]
    ratios = [(a + 1) / (b + 1) for a, b in ends if a is not None and b is not None and b >= 0]
    middle = float(np.median(ratios)) if ratios else 1.0
    factor = float(round(middle)) if middle > 1 else 1 / max(1, round(1 / max(middle, 1e-9)))
    return factor if factor != 1 and abs(middle / factor - 1) < 0.1 else None


# Words


def state_names(entries: Entries, key: str | None = None) -> dict[str, int]:
    """States and in how many intervals each is, of ground truth or (under "states") of predictions."""
    names: dict[str, int] = {}
    for entry in entries.values():
        states = entry.get(key) if key and isinstance(entry, Mapping) else entry
        for state, intervals in states.items() if isinstance(states, Mapping) else ():
            if isinstance(intervals, (list, tuple)) and intervals and all(map(is_interval, intervals)):
                names[str(state)] = names.get(str(state), 0) + len(intervals)
    return names


def _words(truth: Entries, pred: Entries) -> Iterator[tuple[str, str, Entries]]:
    known = [state for state in state_names(truth) if len(state) <= LONGEST]
    spelled = set(known)
    strangers = [state for state in state_names(pred, "states") if state not in spelled and len(state) <= LONGEST]
    if len(strangers) * len(known) > MAX_WORDS:
        return
    meant = {state: name for state in strangers if (name := _meant(state, known)) is not None}
    if not meant:
        return
    pairs = shown_first([f"{state} -> {name}" for state, name in meant.items()], 4)
    changed = {video: _renamed(entry, meant) for video, entry in pred.items()}
    yield f"states by other words: {pairs}", "write states as the ground truth has them", changed


def _meant(state: str, known: list[str]) -> str | None:
    """The state of the ground truth that a word is short for, or spelled like.

    >>> known = ["outside", "approaching", "inside"]
    >>> _meant("IN", known), _meant("Approach", known), _meant("out_side", known), _meant("paused", known)
    ('inside', 'approaching', 'outside', None)
    """
    word = state.strip().casefold()
    word = SHORT.get(word, word)
    same = [name for name in known if name.casefold() == word]
    begun = [name for name in known if len(word) > 1 and name.casefold().startswith(word)]
    if same or len(begun) == 1:
        return (same or begun)[0]
    return nearest_labels([state], known).get(state)


def _renamed(entry: Any, meant: Mapping[str, str]) -> Any:
    states = _states(entry)
    if states is None:
        return entry
    renamed: dict[str, Any] = {}
    for state, intervals in states.items():
        name = meant.get(state, state)
        both = isinstance(intervals, (list, tuple)) and isinstance(renamed.get(name), list)
        renamed[name] = [*renamed[name], *intervals] if both else intervals
    return {**entry, "states": renamed}


def _names(truth: Entries, pred: Entries) -> Iterator[tuple[str, str, Entries]]:
    """Predictions whose videos are named with folders, in other case or with another ending."""
    known = {short_name(video): video for video in truth}
    meant = {video: known[short_name(video)] for video in pred if video not in truth and short_name(video) in known}
    if meant and len(set(meant.values()) | truth.keys() & pred.keys()) == len(meant) + len(truth.keys() & pred.keys()):
        pair = next(f"{video} -> {name}" for video, name in meant.items())
        changed = {meant.get(video, video): entry for video, entry in pred.items()}
        yield f"videos by file name alone: {pair}", "name videos as the ground truth does", changed


def short_name(video: str) -> str:
    r"""A video without folders and ending, in small letters.

    >>> short_name("Day1/A.MP4"), short_name("c:\\clips\\a.avi")
    ('a', 'a')
    """
    return PurePosixPath(video.replace("\\", "/")).stem.casefold()
