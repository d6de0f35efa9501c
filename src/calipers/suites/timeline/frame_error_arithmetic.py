"""Wrong frames by kind in an artifact against its confusion of states, and what they are worth against the videos."""

from __future__ import annotations

from math import fsum

from calipers.core.arithmetic import Place, Tree, at_most, check_close, check_interval, check_mean, equal, expect

PRED_ONLY = ("insertion", "merge", "overfill_start", "overfill_end")
TRUTH_ONLY = ("deletion", "fragmentation", "underfill_start", "underfill_end")
BOTH = ("substitution",)


def check_frame_errors(video: Tree, idle: str, place: Place) -> None:
    """Frames of the kinds of each side are those of confusion; a stretch has a frame, and a frame is in a stretch."""
    errors, place = video["frame_errors"], (*place, "frame_errors")
    for kinds, frames in _wrong_frames(video["confusion"], idle).items():
        total = sum(errors[kind]["frames"] for kind in kinds)
        equal(total, frames, place, "those of confusion", f"frames of {', '.join(kinds)}")
    for kind, counts in errors.items():
        at_most(counts["stretches"], counts["frames"], (*place, kind, "stretches"), "frames")
        some = not counts["frames"] or counts["stretches"] > 0
        expect(some, (*place, kind, "stretches"), counts["stretches"], "a stretch for its frames")
    stretches = sum(errors[kind]["stretches"] for kind in PRED_ONLY)
    words = f"stretches of {', '.join(PRED_ONLY)}"
    equal(stretches, video["counts"]["false_episodes"], place, "counts.false_episodes", words)


def _wrong_frames(confusion: Tree, idle: str) -> dict[tuple[str, ...], int]:
    """Frames that are active in the prediction only, in the truth only, and in both with different states."""
    frames = {PRED_ONLY: 0, TRUTH_ONLY: 0, BOTH: 0}
    for truth, row in confusion.items():
        for pred, count in row.items():
            if truth != pred:
                frames[PRED_ONLY if truth == idle else TRUTH_ONLY if pred == idle else BOTH] += count
    return frames


def check_pooled_errors(pooled: Tree, videos: list[Tree]) -> None:
    """Frames and stretches of all videos are the sums of theirs."""
    for kind, counts in pooled["frame_errors"].items():
        for name, count in counts.items():
            total = sum(video["frame_errors"][kind][name] for video in videos)
            equal(count, total, ("pooled", "frame_errors", kind, name), "the sum of those of the videos")


def check_worth(tree: Tree, videos: list[Tree]) -> None:
    """What a kind is worth is the mean of its share of frames; with the mean frame accuracy all add up to 1."""
    gains, place = tree["worth"]["frame_accuracy"], ("worth", "frame_accuracy")
    for kind, entry in gains.items():
        check_mean(entry["gain"], [_share(video, kind) for video in videos], (*place, kind, "gain"))
        check_interval(entry["interval"], (*place, kind, "interval"))
    parts = [entry["gain"] for entry in gains.values()] + [tree["summary"]["frame_accuracy_mean"]]
    if None not in parts:
        check_close(fsum(parts), 1.0, place, "gains that add up to 1 with the mean frame accuracy")


def _share(video: Tree, kind: str) -> float | None:
    frames = video["counts"]["frames"]
    return video["frame_errors"][kind]["frames"] / frames if frames else None
