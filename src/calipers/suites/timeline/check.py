"""Timelines: what is in annotations and predictions, what the readers would refuse, and whether the two fit."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, pairwise
from typing import Any

from calipers.core.interpretations import SAMPLE, Rule, ranked, sample_of
from calipers.core.survey import (
    FileCheck,
    Kind,
    SidesCheck,
    compared_labels,
    counted,
    is_number,
    nothing_evaluated,
    shown_first,
)
from calipers.files.problems import shown
from calipers.kernels.scan.intervals import BESIDE
from calipers.show.text import printable
from calipers.suites.timeline.config import Config
from calipers.suites.timeline.formats.spans import TimedStates
from calipers.suites.timeline.interpretations import (
    Entries,
    fits_exactly,
    is_interval,
    last_frame,
    measured,
    moved_readings,
    other_readings,
    short_name,
    state_names,
)
from calipers.suites.timeline.measure import measure
from calipers.suites.timeline.read import AS_TRUTH, EMPTY, MISSING, TimelineReading, read_timelines
from calipers.suites.timeline.seconds import has_seconds, in_frames
from calipers.suites.timeline.summarize import summarize
from calipers.suites.timeline.video_files import read_predictions
from calipers.suites.timeline.video_names import match_names

METRIC, OVERLAP = "frame accuracy", "transitions met exactly"
MAX_INTERVALS = 20_000  # of both sides of a sample
MILLISECONDS = 1000.0  # frames a second where nothing says how many
FEW_FRAMES = 100  # in which hardly any video ends
PERFECT = ("frame_accuracy", "mean_iou", "macro_f1", "event_recall", "event_precision", "transition_recall")
ANY = {"outside": [[0, 0]]}  # ground truth for predictions that come without


class Timelines:
    """One input, loaded: entries by video, in the form of the reader."""

    def __init__(self, path: str, entries: Entries, warnings: list[str]) -> None:
        self.path, self.entries, self.warnings = path, entries, warnings


def load(source: Any, side: str, states: Iterable[str] = ()) -> Timelines:
    """Ground truth or predictions, from a file, a folder or a value; CSVs spell states like those given."""
    if not isinstance(source, (str, os.PathLike)):
        return Timelines(f"<{side}>", dict(source), [])
    path = os.fspath(source)
    known = states if side == "pred" else Config(bootstrap=0).known_states
    videos = read_predictions(path, lambda: {state.lower(): state for state in known}, side=side)
    return Timelines(path, videos.entries, videos.warnings)


def _in_milliseconds(loaded: Timelines, side: str) -> Timelines:
    """Times of one side in frames of a millisecond, where they are in seconds and nothing says how long a frame is."""
    if not has_seconds(loaded.entries):
        return loaded
    entries: Entries = dict(loaded.entries)
    for video, entry in loaded.entries.items():
        if isinstance(entry, TimedStates):
            frames, _ = entry.in_frames(MILLISECONDS)
            entries[video] = frames if side == "gt" else {"states": frames}
    note = (
        "times are in seconds, shown as frames of a millisecond; a run takes fps from the other side or the option fps"
    )
    return Timelines(loaded.path, entries, [*loaded.warnings, note])


def examine(source: Any, kind: Kind, side: str) -> FileCheck:
    """Annotations (side gt) or predictions."""
    loaded = _in_milliseconds(load(source, side), side)
    file = FileCheck(loaded.path, kind.name, "timeline", side)
    states = {video: _states_of(entry, side) for video, entry in loaded.entries.items()}
    file.counts = {"contents": _counts(states)}
    _measure(file, loaded.entries, states)
    file.warnings += [*loaded.warnings, *_doubts(loaded.entries, states)]
    if side == "gt":
        reading = read_timelines(loaded.entries, {})
        file.refuse(f"{loaded.path}: {shown(bad.video)}: {bad.problem}" for bad in reading.bad)
        if not reading.bad and all(problem == EMPTY for problem in reading.errors.values()):
            file.refuse([f"{loaded.path}: {_nothing(reading, loaded)}"])
        file.itself = _self_check(loaded.entries)
    else:
        reading = read_timelines(dict.fromkeys(loaded.entries, ANY), loaded.entries)
        file.counts["contents"]["without states"] = sum(problem == MISSING for problem in reading.errors.values())
        wrong = [f"{name}: {words}" for name, words in reading.errors.items() if words != MISSING]
        wrong += [note for note in reading.warnings if note.endswith(AS_TRUTH)]
        file.invalid.update(wrong)
        if len(wrong) == len(loaded.entries):  # then it is the file that cannot be read, not one video
            file.refuse(f"{loaded.path}: {fault}" for fault in wrong)
    return file


def _nothing(reading: TimelineReading, truth: Timelines) -> str:
    """That nothing would be evaluated, with the first reason, as the run says it."""
    reason = [f"{printable(video)}: {printable(problem)}" for video, problem in reading.errors.items()][:1]
    return nothing_evaluated("video", len(truth.entries), *reason)


def _states_of(entry: Any, side: str) -> dict[str, Any]:
    if isinstance(entry, TimedStates):
        return {state: [list(span) for span in spans] for state, spans in entry.states.items()}
    if not isinstance(entry, Mapping):
        return {}
    if side == "gt":
        return {name: intervals for name, intervals in entry.items() if name not in BESIDE}
    states = entry.get("states")
    return dict(states) if isinstance(states, Mapping) else {}


def _intervals(states: Mapping[str, Any]) -> Iterator[tuple[str, float, float]]:
    """Every interval that is one, in order of time."""
    intervals = [
        (item[0], item[1], state)
        for state, spans in states.items()
        if isinstance(spans, (list, tuple))
        for item in spans
        if is_interval(item)
    ]
    yield from ((state, first, last) for first, last, state in sorted(intervals, key=lambda interval: interval[:2]))


def _counts(states: dict[str, dict[str, Any]]) -> dict[str, int]:
    intervals = {video: list(_intervals(intervals_by_state)) for video, intervals_by_state in states.items()}
    return {
        "videos": len(states),
        "empty": sum(not spans for spans in intervals.values()),
        "intervals": sum(map(len, intervals.values())),
        "states": len({state for spans in intervals.values() for state, _, _ in spans}),
    }


def _measure(file: FileCheck, entries: Entries, states: dict[str, dict[str, Any]]) -> None:
    intervals = [interval for spans in states.values() for interval in _intervals(spans)]
    file.measure("last frame of a video", [end for spans in states.values() if (end := last_frame(spans)) is not None])
    file.measure("frames of an interval", [last - first + 1 for _, first, last in intervals if last >= first])
    rates = [entry["fps"] for entry in entries.values() if isinstance(entry, Mapping) and "fps" in entry]
    file.measure("fps", [rate for rate in rates if is_number(rate)])
    boxes = [box for entry in entries.values() for box in _boxes(entry)]
    file.measure("score of a detection", [box["score"] for box in boxes if is_number(box.get("score"))])
    if boxes:
        file.counts["contents"]["detections"] = len(boxes)


def _boxes(entry: Any) -> list[Mapping[str, Any]]:
    detections = entry.get("detections") if isinstance(entry, Mapping) else None
    return [box for box in detections if isinstance(box, Mapping)] if isinstance(detections, list) else []


def _doubts(entries: Entries, states: dict[str, dict[str, Any]]) -> Iterator[str]:
    still = [video for video, entry in entries.items() if isinstance(entry, Mapping) and entry.get("fps") == 0]
    if still:
        yield f"fps is 0 in {counted(len(still), 'video')}, taken as not known: {shown_first(still)}"
    ends = [end for by_state in states.values() if (end := last_frame(by_state)) is not None]
    if ends and max(ends) < FEW_FRAMES:
        yield f"no video lasts longer than frame {max(ends):g}: are these seconds?"
    late = [
        video for video, by_state in states.items() if (intervals := list(_intervals(by_state))) and intervals[0][1] > 0
    ]
    if late:
        idle = f"{counted(len(late), 'video')} not beginning at frame 0, and idle until the first interval"
        yield f"{idle}: {shown_first(late)}"
    shared = sum(_shares_frames(by_state) for by_state in states.values())
    if shared:
        yield f"{counted(shared, 'video')} with intervals that share frames; there the later start counts"


def _shares_frames(states: Mapping[str, Any]) -> bool:
    intervals = list(_intervals(states))
    return any(second[1] <= first[2] for first, second in pairwise(intervals))


# Ground truth against itself


def _self_check(entries: Entries) -> dict[str, Any] | None:
    good = {video: entry for video, entry in entries.items() if isinstance(entry, Mapping)}
    pred = {video: _as_prediction(entry) for video, entry in good.items()}
    config = Config(bootstrap=0)
    reading = read_timelines(good, pred)
    if not len(reading.videos):
        return None
    apart = {"without intervals": len(reading.errors)}
    summary = summarize(measure(reading, config), config)["summary"]
    figures = {name: summary[f"{name}_mean"] for name in PERFECT}
    wrong = [f"{name.replace('_', ' ')} is {value:g}" for name, value in figures.items() if value not in (None, 1)]
    shown = {name.replace("_", " "): figures[name] for name in PERFECT[:1]}
    return {"figures": shown, "perfect": not wrong, "apart": apart, "imperfect": wrong}


def _as_prediction(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Ground truth as a prediction would say it."""
    return {"fps": entry.get("fps"), "states": _states_of(entry, "gt")}


# Both sides


def compare(gt: Any, pred: Any, config: Config | None = None) -> SidesCheck:
    """Predictions against ground truth, as they are and read otherwise."""
    config = config or Config(bootstrap=0)
    truth, guess, marked = _loaded(gt, pred, config.fps)
    sides = SidesCheck(truth.path, guess.path, METRIC, OVERLAP)
    entries, chosen = _sample(truth.entries, guess.entries)
    _describe_sides(sides, truth, guess, marked)
    now = measured(entries, chosen, config)
    sides.score, sides.overlap = now.trial
    sides.sample = sample_of(len(entries), len(truth.entries), "videos")
    ranking = ranked(now.trial, other_readings(entries, chosen, config))
    moved = moved_readings(entries, chosen, config)
    sides.readings = ranking or ranked(now.trial, moved, fits_exactly)
    if not now.videos and not sides.nothing:
        sides.warnings.append("no video could be measured")
    return sides


def compare_few(gt: Any, pred: Any, config: Config, videos: int, intervals: int, rule: Rule) -> SidesCheck:
    """Compare the first few videos alone, with a limited number of intervals, and by another rule."""
    truth, guess, _ = _loaded(gt, pred, config.fps)
    entries, chosen = _sample(truth.entries, guess.entries, videos, intervals)
    sides = SidesCheck(truth.path, guess.path, METRIC, OVERLAP)
    now = measured(entries, chosen, config)
    sides.score, sides.overlap = now.trial
    sides.sample = sample_of(len(entries), None, "videos")
    sides.readings = ranked(now.trial, other_readings(entries, chosen, config), rule)
    return sides


def _loaded(gt: Any, pred: Any, fps: float | None) -> tuple[Timelines, Timelines, Entries]:
    """Both sides, and the states of the ground truth by video. Without any fps, seconds are taken as milliseconds."""
    truth = load(gt, "gt")
    names = state_names({video: _states_of(entry, "gt") for video, entry in truth.entries.items()})
    guess = load(pred, "pred", names)
    if has_seconds(truth.entries, guess.entries):
        partners, _ = match_names(truth.entries, guess.entries, guess.path)
        rate = fps or MILLISECONDS
        truth.entries, guess.entries, _ = in_frames(truth.entries, guess.entries, partners, truth.entries, rate)
    return truth, guess, {video: _states_of(entry, "gt") for video, entry in truth.entries.items()}


def _sample(
    truth: Entries, pred: Entries, videos: int = SAMPLE, intervals: int = MAX_INTERVALS
) -> tuple[Entries, Entries]:
    """The first videos, and all predictions.

    Where that is more than a few readings can be tried on in a moment, those of them whose intervals are few enough,
    and the predictions that may be theirs.
    """
    entries = dict(islice(truth.items(), videos))
    sizes = Counter({short_name(video): 0 for video in entries})
    for side, side_entries in (("gt", entries), ("pred", pred)):
        for video, entry in side_entries.items():
            if (name := short_name(video)) in sizes:
                sizes[name] += _size(_states_of(entry, side))
    if sizes.total() <= intervals and len(pred) <= intervals:
        return entries, pred
    room, few = intervals, set[str]()
    for name, size in sizes.items():
        if size <= room:
            room -= size
            few.add(name)
    return tuple({video: side[video] for video in side if short_name(video) in few} for side in (entries, pred))  # type: ignore[return-value]


def _size(states: Mapping[str, Any]) -> int:
    """How many states and intervals a video has."""
    return len(states) + sum(len(intervals) for intervals in states.values() if isinstance(intervals, (list, tuple)))


def _describe_sides(sides: SidesCheck, truth: Timelines, guess: Timelines, marked: Entries) -> None:
    sides.labels = compared_labels(Counter(state_names(marked)), Counter(state_names(guess.entries, "states")))
    reading = read_timelines(truth.entries, guess.entries)
    sides.nothing = "" if len(reading.videos) else _nothing(reading, truth)
    for words, names in (
        ("predicted without ground truth", reading.without_truth),
        ("without a prediction", [video for video, problem in reading.errors.items() if problem == MISSING]),
        ("predicted far beyond the ground truth", _too_long(marked, guess.entries)),
    ):
        if names:
            sides.warnings.append(f"{counted(len(names), 'video')} {words}: {shown_first(names)}")


def _too_long(truth: Entries, pred: Entries) -> list[str]:
    """Videos of which twice as many frames were predicted as there are."""
    ends = [
        (video, last_frame(truth[video]), last_frame(_states_of(pred[video], "pred"))) for video in truth.keys() & pred
    ]
    return sorted(video for video, a, b in ends if a is not None and b is not None and b > 2 * (a + 1))
