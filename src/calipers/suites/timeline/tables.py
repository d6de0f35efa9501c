"""Tables of a timeline report: videos, tolerances, confusion. An undefined value is None."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from calipers.core.slice_views import has_slices, slices_table
from calipers.core.tables import Table, Tree, make_table
from calipers.suite import TableSpec
from calipers.suites.timeline.frame_error_views import frame_errors_table

NESTED = ("confusion", "frame_errors", "counts")  # of a video; no cell holds them
BINS = ("from", "to", "n", "score", "precision")
POINTS = ("score", "precision", "recall", "f1", "false_positives_per_minute")
SWEPT = ("transition_precision", "transition_recall", "transition_accuracy")


def videos_of(tree: Tree) -> dict[str, Any]:
    """Every video by name; a report in memory makes all of them at once, faster than one by one."""
    videos = tree["videos"]
    by_name: dict[str, Any] = videos.as_dict() if hasattr(videos, "as_dict") else dict(videos)
    return by_name


def videos_table(tree: Tree) -> Table:
    """One row for each video: its name, what kept it from being evaluated, and its metrics."""
    videos = videos_of(tree)
    columns = ["video", "error"]
    columns += dict.fromkeys(key for entry in videos.values() for key in entry if key not in (*NESTED, "error"))
    lines = ((name, *(entry.get(key) for key in columns[1:])) for name, entry in videos.items())
    return make_table(columns, lines)


def tolerances_table(tree: Tree) -> Table:
    """Precision, recall and accuracy of transitions for every tolerance, with their intervals."""
    ends = [f"{name}_{end}" for name in SWEPT for end in ("low", "high")]
    return make_table(["tolerance_frames", "videos", *SWEPT, *ends], sorted(_swept(tree)))


def _swept(tree: Tree) -> Iterator[tuple[Any, ...]]:
    for tolerance, summary in tree["sweep"].items():
        spans = (summary[f"{name}_interval"] or (None, None) for name in SWEPT)
        means = (summary[f"{name}_mean"] for name in SWEPT)
        yield int(tolerance), summary["videos_evaluated"], *means, *(end for span in spans for end in span)


def confusion_table(tree: Tree) -> Table:
    """One row for each true state and what it was taken for, with the frames."""
    confusion = tree["pooled"]["confusion"]
    cells = ((gt, pred, n) for gt, row in confusion.items() for pred, n in row.items())
    return make_table(["gt", "pred", "frames"], cells)


def calibration_table(tree: Tree) -> Table:
    """One row for each bin of scores; no rows where detections have none."""
    calibration = tree.get("calibration")
    return make_table([*BINS], ([row[key] for key in BINS] for row in (calibration["bins"] if calibration else ())))


def operating_points_table(tree: Tree) -> Table:
    """One row for each score to cut detections at; no rows where they have none."""
    return make_table([*POINTS], ([row[key] for key in POINTS] for row in tree.get("operating_points") or ()))


def _has_scores(tree: Tree) -> bool:
    return bool(tree.get("calibration"))


def slice_rows(tree: Tree) -> Table:
    """One row for each figure of each slice; `sure` and `worth` stand in the row of the figure they are about."""
    return slices_table(tree, "frame_accuracy")


TABLES = {
    "videos": TableSpec(make=videos_table, file="videos.csv"),
    "tolerances": TableSpec(make=tolerances_table, is_there=lambda tree: "sweep" in tree),
    "confusion": TableSpec(make=confusion_table),
    "frame_errors": TableSpec(make=frame_errors_table, file="frame_errors.csv"),
    "slices": TableSpec(make=slice_rows, file="slices.csv", is_there=has_slices),
    "calibration": TableSpec(make=calibration_table, is_there=_has_scores),
    "operating_points": TableSpec(make=operating_points_table, is_there=_has_scores),
}
