"""The figures of the timeline suite: means over the videos where a metric is defined, and pooled ones.

An artifact keeps the numbers of each video instead of replicates. The weight of a video in a replicate depends on its
name, so the replicates are made here exactly as the suite makes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from calipers.core.figures import SHARE, FigureSpec, Floats, Tree, over
from calipers.suites.timeline.other_names import OTHER_NAMES
from calipers.suites.timeline.states import SEED_STATES

Video = Mapping[str, Any]
Each = Callable[[Tree], list[str]]
FRAMES, SECONDS, RATE = "frames", "s", "1/min"
UP, DOWN, NEITHER = True, False, None


def seed_states(tree: Tree) -> list[str]:
    """The states that every artifact has an IoU of."""
    return list(SEED_STATES)


def other_states(tree: Tree) -> list[str]:
    """Further states that have an IoU."""
    means = (name for name in tree["summary"] if name.startswith("iou_") and name.endswith("_mean"))
    names = [name.removeprefix("iou_").removesuffix("_mean") for name in means]
    return [name for name in names if name not in SEED_STATES]


def start_states(tree: Tree) -> list[str]:
    """States whose starts are told."""
    return list(dict.fromkeys(("inside", "approaching", tree["params"]["focus"])))


def _mean(
    name: str,
    label: str,
    definition: str,
    unit: str = SHARE,
    better: bool | None = UP,
    *,
    headline: bool = False,
    each: Each | None = None,
) -> FigureSpec:
    """The mean of a metric over the videos where it is defined."""
    return FigureSpec(
        name=name,
        path=f"summary.{name}_mean",
        interval=f"summary.{name}_interval",
        n=f"summary.{name}_n",
        label=label,
        unit=unit,
        higher_is_better=better,
        headline=headline,
        each=each,
        definition=definition,
        also=OTHER_NAMES.get(name, ()),
    )


ADDED = "counts of all videos added up first, divided afterwards"
AS_ONE = "as for one video, of the detections of all videos together"


def _pooled(name: str, label: str, unit: str = SHARE, better: bool | None = UP, definition: str = ADDED) -> FigureSpec:
    """A metric of all videos as one."""
    return FigureSpec(
        name=f"pooled.{name}",
        path=f"pooled.{name}",
        label=f"{label}, pooled",
        unit=unit,
        higher_is_better=better,
        definition=definition,
    )


LATER = "predicted start − true start of the advisory; negative is early"
STARTS = (
    _mean(
        "gt_{}_start_frame", "true start of {}", "start of the first true interval", FRAMES, NEITHER, each=start_states
    ),
    _mean(
        "pred_{}_start_frame",
        "predicted start of {}",
        "start of the first predicted interval",
        FRAMES,
        NEITHER,
        each=start_states,
    ),
    _mean(
        "pred_minus_gt_{}_start_frame",
        "start error of {}",
        "predicted start − true start",
        FRAMES,
        NEITHER,
        each=start_states,
    ),
    _mean(
        "pred_{}_start_matched_frame",
        "matched start of {}",
        "start of the first predicted interval that shares min_event_overlap_frames with a true one",
        FRAMES,
        NEITHER,
        each=start_states,
    ),
    _mean(
        "pred_minus_gt_{}_start_matched_frame",
        "matched start error of {}",
        "matched start − start of the first true interval it meets",
        FRAMES,
        NEITHER,
        each=start_states,
    ),
)
MEANS = (
    _mean("fps_estimate", "frame rate", "frames per second as read or measured", "frames/s", NEITHER),
    _mean("frame_accuracy", "frame accuracy", "frames with the same state on both sides / frames", headline=True),
    _mean("time_in_error_frames", "time in error", "frames with different states", FRAMES, DOWN),
    _mean("time_in_error_sec", "time in error", "time_in_error_frames / fps", SECONDS, DOWN),
    _mean("transition_recall", "transition recall", "matched / true transitions"),
    _mean("transition_precision", "transition precision", "matched / predicted transitions"),
    _mean(
        "transition_accuracy",
        "transition accuracy",
        "matched transitions / the larger number of true or predicted ones",
        headline=True,
    ),
    _mean("event_recall", "event recall", "matched / true events; 1 − it are the missed zones", headline=True),
    _mean("event_precision", "event precision", "matched / predicted events", headline=True),
    _mean("advisory_event_recall", "advisory event recall", "matched / true advisory events"),
    _mean("advisory_event_precision", "advisory event precision", "matched / predicted advisory events"),
    _mean("entry_timing_mae_frames", "entry error", "distance of the first focus frames of both sides", FRAMES, DOWN),
    _mean("entry_timing_mae_sec", "entry error", "entry_timing_mae_frames / fps", SECONDS, DOWN, headline=True),
    _mean(
        "false_activation_rate",
        "false activation",
        "truly idle frames that are predicted active / truly idle frames",
        better=DOWN,
        headline=True,
    ),
    _mean(
        "false_activations_per_minute", "false activations", "stretches of falsely active frames / minutes", RATE, DOWN
    ),
    _mean("false_positives_per_minute", "false positives", "another name for false_activations_per_minute", RATE, DOWN),
    _mean(
        "mean_activation_persistence_frames",
        "activation length",
        "mean length of predicted advisory events",
        FRAMES,
        NEITHER,
    ),
    _mean(
        "mean_activation_persistence_sec",
        "activation length",
        "mean length of predicted advisory events / fps",
        SECONDS,
        NEITHER,
    ),
    _mean("iou_{}", "IoU of {}", "frames in both / (true + predicted frames − frames in both)", each=seed_states),
    _mean("mean_iou", "mean IoU", "mean of IoU over the states that occur"),
    _mean("macro_precision", "macro precision", "mean over the states that occur of frames in both / predicted frames"),
    _mean("macro_recall", "macro recall", "mean over the states that occur of frames in both / true frames"),
    _mean(
        "macro_f1",
        "macro F1",
        "mean over the states that occur of 2 · frames in both / (true + predicted)",
        headline=True,
    ),
    _mean("advisory_start_error_frames", "advisory start error", LATER, FRAMES, NEITHER),
    _mean("advisory_start_error_sec", "advisory start error", f"{LATER}; / fps", SECONDS, NEITHER),
    _mean(
        "advisory_timing_mae_frames",
        "advisory timing error",
        "absolute value of advisory_start_error_frames",
        FRAMES,
        DOWN,
    ),
    _mean(
        "advisory_timing_mae_sec",
        "advisory timing error",
        "advisory_timing_mae_frames / fps",
        SECONDS,
        DOWN,
        headline=True,
    ),
    _mean("false_advisory_rate", "false advisories", "another name for false_activation_rate", better=DOWN),
    _mean(
        "false_advisories_per_minute", "false advisories", "another name for false_activations_per_minute", RATE, DOWN
    ),
    _mean("lead_time_sec", "lead time", "(first true focus frame − predicted start) / fps", SECONDS, UP, headline=True),
    _mean(
        "late_advisory_rate",
        "late advisories",
        "frames the predicted start is late / truly active frames, at most 1; 1 without a predicted start",
        better=DOWN,
    ),
    _mean("advisory_coverage_ratio", "advisory coverage", "frames active on both sides / truly active frames"),
    _mean("simulated_speed_violation_reduction", "simulated reduction", "advisory_coverage_ratio · compliance_gain"),
    *STARTS,
    _mean(
        "event_lead_time_sec_mean",
        "event lead time",
        "mean over matched advisory events of (first true focus frame in it − start of its partner) / fps",
        SECONDS,
    ),
    _mean(
        "event_delay_frames_mean",
        "event delay",
        "mean over matched advisory events of predicted − true start; negative is early",
        FRAMES,
        NEITHER,
    ),
    _mean("flicker_per_minute", "flicker", "predicted transitions / minutes", RATE, DOWN, headline=True),
    _mean(
        "edit_score", "edit score", "1 − edit distance of the sequences of states / length of the longer", headline=True
    ),
    _mean(
        "segmental_f1_10",
        "segmental F1@10",
        "2 · hits / (true + predicted runs); a hit is a run with an IoU of at least 0.10",
    ),
    _mean(
        "segmental_f1_25",
        "segmental F1@25",
        "2 · hits / (true + predicted runs); a hit is a run with an IoU of at least 0.25",
    ),
    _mean(
        "segmental_f1_50",
        "segmental F1@50",
        "2 · hits / (true + predicted runs); a hit is a run with an IoU of at least 0.50",
        headline=True,
    ),
    _mean(
        "overlapped_frames_gt", "overlapped true frames", "frames that two or more true states cover", FRAMES, NEITHER
    ),
    _mean(
        "overlapped_frames_pred",
        "overlapped predicted frames",
        "frames that two or more predicted states cover",
        FRAMES,
        NEITHER,
    ),
    _mean("map_50", "mAP at IoU 0.50", "mean over labels of average precision of boxes at IoU 0.50"),
    _mean(
        "precision_at_recall",
        "precision beyond the target recall",
        "mean over labels of the mean precision at recalls ≥ the target, at IoU 0.50",
    ),
    _mean(
        "precision_at_target",
        "precision at the target recall",
        "mean over labels of the best precision at the target recall or beyond, at IoU 0.50",
    ),
    _mean(
        "detection_false_positives_per_minute",
        "false boxes",
        "boxes of detection_score or more that find nothing / minutes",
        RATE,
        DOWN,
    ),
    _mean("ocr_exact_accuracy", "signs read exactly", "true signs whose partner has the same text / true signs"),
    _mean(
        "ocr_similarity",
        "similarity of signs",
        "mean over true signs of 1 − edit distance / longer text; 0 without a partner",
    ),
    _mean("runtime_fps", "runtime", "frames / seconds of the runtime that predictions tell", "frames/s"),
    _mean("iou_{}", "IoU of {}", "frames in both / (true + predicted frames − frames in both)", each=other_states),
)
POOLED = (
    _pooled("frame_accuracy", "frame accuracy"),
    _pooled("transition_recall", "transition recall"),
    _pooled("transition_precision", "transition precision"),
    _pooled("transition_accuracy", "transition accuracy"),
    _pooled("event_recall", "event recall"),
    _pooled("event_precision", "event precision"),
    _pooled("advisory_event_recall", "advisory event recall"),
    _pooled("advisory_event_precision", "advisory event precision"),
    _pooled(
        "event_lead_time_sec_mean",
        "event lead time",
        SECONDS,
        definition="mean over the matched advisory events of all videos",
    ),
    _pooled("event_delay_frames_mean", "event delay", FRAMES, NEITHER),
    _pooled("segmental_f1_10", "segmental F1@10"),
    _pooled("segmental_f1_25", "segmental F1@25"),
    _pooled("segmental_f1_50", "segmental F1@50"),
    _pooled("map_50", "mAP at IoU 0.50", definition=AS_ONE),
    _pooled("precision_at_recall", "precision beyond the target recall", definition=AS_ONE),
    _pooled("precision_at_target", "precision at the target recall", definition=AS_ONE),
    _pooled("detection_false_positives_per_minute", "false boxes", RATE, DOWN),
    _pooled("ocr_exact_accuracy", "signs read exactly"),
    _pooled("ocr_similarity", "similarity of signs"),
    _pooled("runtime_fps", "runtime", "frames/s"),
    _pooled(
        "tied_score_share",
        "tied scores",
        SHARE,
        NEITHER,
        "detections that share their score with another of their label / detections",
    ),
    _pooled(
        "invalid_detections",
        "invalid detections",
        "",
        DOWN,
        "detections that could not be read, or lack a score others have",
    ),
)
FIGURES = (*MEANS, *POOLED)


def replicates(tree: Tree) -> dict[str, Floats]:
    """Every mean and every pooled ratio of counts in every replicate."""
    videos = {name: video for name, video in tree["videos"].items() if "error" not in video}
    if not videos or not tree["params"]["bootstrap"]:
        return {}
    draws = Draws(tree, list(videos))
    names = [name.removesuffix("_mean") for name in tree["summary"] if name.endswith("_mean")]
    pooled = draws.ratios(list(videos.values()))
    return draws.means(names, list(videos.values())) | {f"pooled.{name}": numbers for name, numbers in pooled.items()}


class Draws:
    """The weights of videos in every replicate, as the suite has them."""

    def __init__(self, tree: Tree, keys: list[str]) -> None:
        params = tree["params"]
        self._keys, self._options = keys, {"seed": params["seed"], "replicates": params["bootstrap"]}

    def means(self, names: list[str], videos: list[Video]) -> dict[str, Floats]:
        """The mean of every metric in each replicate, over the videos where it is defined."""
        from calipers.core.bootstrap import resample, resample_values

        values = np.array([[video.get(name) for video in videos] for name in names], dtype=np.float64)
        defined = ~np.isnan(values)  # (metrics, videos)
        sums = resample_values(self._keys, np.where(defined, values, 0.0), **self._options)
        masks, place = np.unique(defined, axis=0, return_inverse=True)  # many are defined for the same videos
        times = resample(self._keys, masks, **self._options).astype(np.float64)
        return {name: over(sums[row], times[place[row]]) for row, name in enumerate(names)}

    def ratios(self, videos: list[Video]) -> dict[str, Floats]:
        """The value in each replicate of every pooled figure that is a ratio of counts."""
        from calipers.core.bootstrap import resample

        counts = [counts_of(video) for video in videos]
        columns = sorted({column for pair in POOLED_RATIOS.values() for column in pair})
        table = [[count[column] for count in counts] for column in columns]
        sums = dict(zip(columns, resample(self._keys, table, **self._options).astype(np.float64), strict=True))
        return {name: over(sums[part], sums[whole]) for name, (part, whole) in POOLED_RATIOS.items()}


def counts_of(video: Video) -> dict[str, int]:
    """The counts of a video, also those that only its rates tell."""
    counts = dict(video["counts"])
    truth, pred, advisories = (counts[name] for name in ("gt_runs", "pred_runs", "matched_advisory_events"))
    larger = max(truth, pred) - 1
    segments = sum(counts.get(f"{side}_segments", counts[f"{side}_runs"]) for side in ("gt", "pred"))
    return counts | {
        "correct_frames": counts["frames"] - video["time_in_error_frames"],
        "gt_transitions": truth - 1,
        "pred_transitions": pred - 1,
        "transitions": larger,
        "matched_transitions": _part(video, "transition_accuracy", larger),
        "delay_frames": _part(video, "event_delay_frames_mean", advisories),
        "runs": segments,
        **{f"segments_{percent}": _part(video, f"segmental_f1_{percent}", segments) for percent in (10, 25, 50)},
    }


def _part(video: Video, rate: str, whole: int) -> int:
    """The numerator of a rate: a whole number, so rounding gives it back."""
    return round((video[rate] or 0) * whole)


POOLED_RATIOS = {
    "frame_accuracy": ("correct_frames", "frames"),
    "transition_recall": ("matched_transitions", "gt_transitions"),
    "transition_precision": ("matched_transitions", "pred_transitions"),
    "transition_accuracy": ("matched_transitions", "transitions"),
    "event_recall": ("matched_events", "gt_events"),
    "event_precision": ("matched_events", "pred_events"),
    "advisory_event_recall": ("matched_advisory_events", "gt_advisory_events"),
    "advisory_event_precision": ("matched_advisory_events", "pred_advisory_events"),
    "event_delay_frames_mean": ("delay_frames", "matched_advisory_events"),
    "segmental_f1_10": ("segments_10", "runs"),
    "segmental_f1_25": ("segments_25", "runs"),
    "segmental_f1_50": ("segments_50", "runs"),
}
