"""The numbers of a timeline artifact against each other: of every video, over videos, and of all as one."""

from __future__ import annotations

from collections import Counter
from math import fsum, sqrt
from typing import Any

from calipers.core.arithmetic import (
    CLOSE,
    ROUGH,
    Place,
    Tree,
    at_most,
    check_close,
    check_interval,
    check_mean,
    check_ratio,
    check_share,
    equal,
    expect,
)
from calipers.core.calibration_arithmetic import check_calibration
from calipers.core.record_arithmetic import check_records
from calipers.core.slice_arithmetic import check_slices
from calipers.suites.timeline.frame_error_arithmetic import check_frame_errors, check_pooled_errors, check_worth

SIDES = ("gt", "pred")
SEGMENTAL = ("segmental_f1_10", "segmental_f1_25", "segmental_f1_50")
EVENTS = (("event", "events"), ("advisory_event", "advisory_events"))


def check_timeline(tree: Tree) -> None:
    """Records, every video, the means over videos and the pooled figures of the timeline suite."""
    records, summary = tree["records"], tree["summary"]
    check_records(records, ("records",), "read")
    good = {name: video for name, video in tree["videos"].items() if "error" not in video}
    equal(records["read"], len(tree["videos"]), ("records", "read"), "the number of videos")
    equal(records["evaluated"], len(good), ("records", "evaluated"), "the number of videos without an error")
    _check_summary(summary, ("summary",), records)
    for at, name in enumerate(tree["worst_videos"]):
        expect(name in good, ("worst_videos", at), name, "a video that was evaluated")
    for name, video in good.items():
        _check_video(video, ("videos", name))
        check_frame_errors(video, tree["params"]["idle"], ("videos", name))
    _check_means(summary, list(good.values()))
    for tolerance, summary_at in tree.get("sweep", {}).items():
        _check_summary(summary_at, ("sweep", tolerance), records)
        _check_unchanged(summary_at, summary, ("sweep", tolerance))
    _check_pooled(tree["pooled"], list(good.values()))
    check_pooled_errors(tree["pooled"], list(good.values()))
    check_worth(tree, list(good.values()))
    check_slices(tree, records["evaluated"])
    check_calibration(tree, None, (), "minute")


def _check_summary(summary: Tree, place: Place, records: Tree) -> None:
    equal(summary["videos_evaluated"], records["evaluated"], (*place, "videos_evaluated"), "records.evaluated")
    equal(summary["videos_total"], records["read"], (*place, "videos_total"), "records.read")
    for name, value in summary.items():
        if name.endswith("_interval"):
            check_interval(value, (*place, name))
        elif name.endswith("_n"):
            at_most(value, records["evaluated"], (*place, name), "records.evaluated")


def _check_unchanged(summary_at: Tree, summary: Tree, place: Place) -> None:
    """At another tolerance other transitions are found, and nothing else changes."""
    for name, value in summary_at.items():
        if not name.startswith("transition_"):
            equal(value, summary.get(name), (*place, name), f"summary.{name}")


# Videos


def _check_video(video: Tree, place: Place) -> None:
    _check_frames(video, place)
    _check_counts(video["counts"], (*place, "counts"))
    _check_transitions(video, place)
    for rate, events in EVENTS:
        for side, what in zip(SIDES, ("recall", "precision"), strict=True):
            counts = video["counts"]
            name = f"{rate}_{what}"
            check_ratio(video[name], counts[f"matched_{events}"], counts[f"{side}_{events}"], (*place, name))


def _check_counts(counts: Tree, place: Place) -> None:
    """A run has a frame, segments are runs, and events that meet are on both sides."""
    for side in SIDES:
        at_most(counts[f"{side}_runs"], max(1, counts["frames"]), (*place, f"{side}_runs"), "frames")
        at_most(counts.get(f"{side}_segments", 0), counts[f"{side}_runs"], (*place, f"{side}_segments"), f"{side}_runs")
    for _, kind in EVENTS:
        matched, most = counts[f"matched_{kind}"], min(counts[f"gt_{kind}"], counts[f"pred_{kind}"])
        at_most(matched, most, (*place, f"matched_{kind}"), f"gt_{kind} and pred_{kind}")
    at_most(counts["false_episodes"], counts["frames"], (*place, "false_episodes"), "frames")


def _check_frames(video: Tree, place: Place) -> None:
    """Frames by state, and the rates they make."""
    counts, confusion = video["counts"], video["confusion"]
    right = {state: row.get(state, 0) for state, row in confusion.items()}
    frames = sum(sum(row.values()) for row in confusion.values())
    equal(counts["frames"], frames, (*place, "counts", "frames"), "the frames of confusion")
    check_ratio(video["frame_accuracy"], sum(right.values()), frames, (*place, "frame_accuracy"))
    wrong = frames - sum(right.values())
    equal(video["time_in_error_frames"], wrong, (*place, "time_in_error_frames"), "the wrong frames of confusion")
    either = _either(confusion)
    ious = {state: right.get(state, 0) / total for state, total in either.items()}
    for state, iou in ious.items():
        if f"iou_{state}" in video:
            check_close(video[f"iou_{state}"], iou, (*place, f"iou_{state}"), "that of confusion")
    check_mean(video["mean_iou"], list(ious.values()), (*place, "mean_iou"))


def _either(confusion: Tree) -> dict[str, int]:
    """Frames in which a state is true or predicted, of each state that occurs."""
    frames: Counter[str] = Counter()
    for truth, row in confusion.items():
        for pred, count in row.items():
            for state in {truth, pred}:
                frames[state] += count
    return {state: count for state, count in frames.items() if count}


def _check_transitions(video: Tree, place: Place) -> None:
    """Each rate is a whole number of changes: the same of both sides, and of the larger."""
    matched = set()
    for name, whole in _changes(video["counts"]).items():
        rate = video[f"transition_{name}"]
        check_share(rate, whole, (*place, f"transition_{name}"))
        matched |= set() if rate is None else {round(rate * whole)}
    expect(
        len(matched) <= 1, (*place, "transition_accuracy"), video["transition_accuracy"], "the changes of both sides"
    )


def _changes(counts: Tree) -> dict[str, int]:
    """Changes of the true and of the predicted state, and the larger number, by the rate that is of them."""
    truth, pred = (max(0, counts[f"{side}_runs"] - 1) for side in SIDES)
    return {"recall": truth, "precision": pred, "accuracy": max(truth, pred)}


# Means over videos


def _check_means(summary: Tree, videos: list[Tree]) -> None:
    """Mean, spread and count of each figure are those of the videos."""
    for name in [name.removesuffix("_mean") for name in summary if name.endswith("_mean")]:
        values = [video[name] for video in videos if video.get(name) is not None]
        check_mean(summary[f"{name}_mean"], values, ("summary", f"{name}_mean"))
        if f"{name}_n" in summary:
            equal(summary[f"{name}_n"], len(values), ("summary", f"{name}_n"), "the videos that have one")
        if f"{name}_std" in summary:
            check_close(summary[f"{name}_std"], _spread(values), ("summary", f"{name}_std"), "that of the videos")
        if summary.get(f"{name}_interval") is not None and values:
            _check_within(summary[f"{name}_interval"], values, ("summary", f"{name}_interval"))


def _check_within(ends: list[float], values: list[float], place: Place) -> None:
    """Raise a Mismatch if a mean is beyond the values it is the mean of."""
    low, high = min(values), max(values)
    slack = ROUGH * max(abs(low), abs(high)) + CLOSE
    expect(low - slack <= ends[0] and ends[1] <= high + slack, place, ends, f"an interval from {low:g} to {high:g}")


def _spread(values: list[float]) -> float | None:
    """The standard deviation of these values."""
    if not values:
        return None
    largest = max(map(abs, values)) or 1.0  # so that no square is beyond what floats hold
    mean = fsum(value / largest / len(values) for value in values)
    return largest * sqrt(fsum((value / largest - mean) ** 2 for value in values) / len(values))


# All videos as one


def _check_pooled(pooled: Tree, videos: list[Tree]) -> None:
    total: Counter[str] = Counter()
    for video in videos:
        total.update(video["counts"])
    confusion: dict[str, Counter[str]] = {}
    for video in videos:
        for state, row in video["confusion"].items():
            confusion.setdefault(state, Counter()).update(row)
    counted = {
        state: {name: count for name, count in row.items() if count} for state, row in pooled["confusion"].items()
    }
    expected: dict[str, Any] = {state: dict(row) for state, row in confusion.items()}
    expect(counted == expected, ("pooled", "confusion"), pooled["confusion"], "the sum of those of the videos")
    wrong = sum(video["time_in_error_frames"] for video in videos)
    check_ratio(pooled["frame_accuracy"], total["frames"] - wrong, total["frames"], ("pooled", "frame_accuracy"))
    _check_pooled_rates(pooled, videos)
    for rate, events in EVENTS:
        for side, what in zip(SIDES, ("recall", "precision"), strict=True):
            name = f"{rate}_{what}"
            check_ratio(pooled[name], total[f"matched_{events}"], total[f"{side}_{events}"], ("pooled", name))


def _check_pooled_rates(pooled: Tree, videos: list[Tree]) -> None:
    """Transitions and segments of all videos, whose numbers the rates of each tell; means over classes."""
    changes = [_changes(video["counts"]) for video in videos]
    matched = sum(
        _part(video["transition_accuracy"], changed["accuracy"]) for video, changed in zip(videos, changes, strict=True)
    )
    for name in ("recall", "precision", "accuracy"):
        place = ("pooled", f"transition_{name}")
        check_ratio(pooled[place[1]], matched, sum(change[name] for change in changes), place)
    segments = [sum(video["counts"].get(f"{side}_segments", 0) for side in SIDES) for video in videos]
    for name in SEGMENTAL if all(segments) else ():
        shared = sum(_part(video[name], whole) for video, whole in zip(videos, segments, strict=True))
        check_ratio(pooled[name], shared, sum(segments), ("pooled", name))
    for name in ("map_50", "precision_at_recall", "precision_at_target"):
        if f"{name}_by_class" in pooled:
            check_mean(pooled[name], pooled[f"{name}_by_class"].values(), ("pooled", name))


def _part(rate: float | None, whole: int) -> int:
    """The numerator of a rate."""
    return round((rate or 0) * whole)
