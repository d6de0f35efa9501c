"""Tables of a timeline report: videos, tolerances, confusion. An undefined value is None."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from calipers.core.tables import Table, Tree, make_table
from calipers.suite import TableSpec

SWEPT = ("transition_precision", "transition_recall", "transition_accuracy")
NESTED = ("confusion", "counts")  # of a video; no cell holds them


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


TABLES = {
    "videos": TableSpec(make=videos_table, file="videos.csv"),
    "tolerances": TableSpec(make=tolerances_table, is_there=lambda tree: "sweep" in tree),
    "confusion": TableSpec(make=confusion_table),
}
