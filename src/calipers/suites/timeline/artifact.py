"""What an artifact of the timeline suite is about: videos, and events that comparable results share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from calipers.core.survey import counted
from calipers.report import Report
from calipers.show.doubts import CHECK
from calipers.show.text import printable
from calipers.suite import RecordCounts

Tree = Mapping[str, Any]


def counts(tree: Tree) -> RecordCounts:
    """How many videos were read and evaluated."""
    records = tree["records"]
    return RecordCounts(records["read"], records["evaluated"], records["rejected"])


def headlines(tree: Tree) -> list[float | None]:
    """The mean frame accuracy; 0 where no video was evaluated."""
    return [tree["summary"]["frame_accuracy_mean"] if tree["records"]["evaluated"] else 0.0]


def truth_facts(tree: Tree) -> Iterator[tuple[str, Any]]:
    """What two results over the same videos have in common, video by video.

    A video that was evaluated on one side only would leave the mean of the other.
    """
    for name, video in tree["videos"].items():
        counted = video.get("counts")
        events = counted and f"{counted['gt_events']} events, {counted['gt_advisory_events']} advisory events"
        yield f"video {name}", events or f"not evaluated ({video['error']})"


def first_reason(tree: Tree) -> str:
    """Why the first video was not evaluated."""
    problems = (f"{printable(video)}: {printable(problem)}" for video, problem in tree["not_evaluated"].items())
    return next(problems, "")


def hopeless_predictions(report: Report) -> Iterator[str]:
    """A line where no frame of any video is predicted to be in a state, and some are in one."""
    tree = report.tree
    confusion, idle = tree["pooled"]["confusion"], tree["params"]["idle"]
    predicted = {state for row in confusion.values() for state in row}
    if predicted != {idle} or set(confusion) == {idle}:
        return
    errors, videos = tree["not_evaluated"], counted(tree["records"]["evaluated"], "video")
    first = next(video for video in tree["videos"] if video not in errors)
    beside = f"; {first_reason(tree)}" if errors else ""
    words = f"no state but {printable(idle)} is predicted in {videos}, first {printable(first)}{beside}"
    yield f"{words} ({CHECK})"


def failed_keys(tree: Tree) -> list[str]:
    """The videos that were not evaluated."""
    return list(tree["not_evaluated"])
