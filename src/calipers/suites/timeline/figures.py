"""The figures of videos: means over the videos where a metric is defined, and pooled ones, with their replicates.

An artifact of the timeline suite keeps the numbers of each video instead of replicates. The weight of a video in a
replicate depends on its name, so the replicates are made here as the suite makes them, bit by bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from calipers.core.bootstrap import middle, resample, resample_values
from calipers.results.figures import Figure, Floats, is_higher_better, over

Video = Mapping[str, Any]


def evaluated(tree: Mapping[str, Any]) -> dict[str, Video]:
    """The videos that have numbers, in the order of their names."""
    return {name: video for name, video in tree["videos"].items() if "error" not in video}


def video_figures(tree: Mapping[str, Any], *, replicates: bool) -> Iterator[Figure]:
    """The means of `summary`, then the figures of `pooled`."""
    summary, pooled, videos = tree["summary"], tree["pooled"], evaluated(tree)
    names = [name.removesuffix("_mean") for name in summary if name.endswith("_mean")]
    draws = Draws(tree, list(videos)) if replicates and videos and tree["params"]["bootstrap"] else None
    means = draws.means(names, list(videos.values())) if draws else {}
    for name in names:
        n = int(summary.get(f"{name}_n", len(videos)))
        spread = summary.get(f"{name}_interval")
        yield Figure(name, summary[f"{name}_mean"], spread, means.get(name), is_higher_better(name), n)
    ratios = draws.ratios(list(videos.values())) if draws else {}
    for name in (name for name in pooled if isinstance(pooled[name], (int, float)) or pooled[name] is None):
        found = ratios.get(name)
        spread = None if found is None else middle(found, records=len(videos))
        yield Figure(f"pooled.{name}", pooled[name], spread, found, is_higher_better(name), len(videos))


class Draws:
    """The weights of videos in every replicate, as the suite has them."""

    def __init__(self, tree: Mapping[str, Any], keys: list[str]) -> None:
        params = tree["params"]
        self._keys, self._options = keys, {"seed": params["seed"], "replicates": params["bootstrap"]}

    def means(self, names: list[str], videos: list[Video]) -> dict[str, Floats]:
        """Of every metric its mean in each replicate, over the videos where it is defined."""
        values = np.array([[video.get(name) for video in videos] for name in names], dtype=np.float64)
        defined = ~np.isnan(values)  # (metrics, videos)
        sums = resample_values(self._keys, np.where(defined, values, 0.0), **self._options)
        masks, place = np.unique(defined, axis=0, return_inverse=True)  # many are defined for the same videos
        times = resample(self._keys, masks, **self._options).astype(np.float64)
        return {name: over(sums[row], times[place[row]]) for row, name in enumerate(names)}

    def ratios(self, videos: list[Video]) -> dict[str, Floats]:
        """Of every pooled figure that is a ratio of counts its value in each replicate."""
        counts = [counts_of(video) for video in videos]
        columns = sorted({column for pair in POOLED.values() for column in pair})
        table = [[each[column] for each in counts] for column in columns]
        sums = dict(zip(columns, resample(self._keys, table, **self._options).astype(np.float64), strict=True))
        return {name: over(sums[part], sums[whole]) for name, (part, whole) in POOLED.items()}


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
    """What a rate was before it was divided: a whole number, so rounding gives it back."""
    return round((video[rate] or 0) * whole)


POOLED = {
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
