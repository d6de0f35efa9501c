"""Results in which nothing can be right: nothing was evaluated, or nothing was predicted that could match.

A run in which nothing was evaluated has measured nothing, and its command ends as one with an input that cannot be
used. A model that predicts nothing, or only what cannot be read, has a result, and it is 0; that is said, as it is
more often a mistake in a file than a bad model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from calipers.core.errors import InputError
from calipers.core.survey import counted
from calipers.report import Report
from calipers.show.text import printable
from calipers.suites.coco.annotations.repeats import ALL_INVALID

Tree = Mapping[str, Any]
CHECK = "calipers check tells more"
NOTHING = "there is nothing on both sides of them"


def check_evaluated(report: Tree) -> None:
    """Refuse a result in which nothing was evaluated, with the first reason."""
    records = report["images" if report["suite"] == "coco" else "records"]
    read = records["total" if report["suite"] == "coco" else "read"]
    if records["evaluated"] and not _all_scenes_empty(report):
        return
    raise InputError(f"{nothing_evaluated(report['suite'], read, _first_reason(report))}\n({CHECK})")


def nothing_evaluated(suite: str, read: int, reason: str = NOTHING) -> str:
    """What is said of a run, and of a check of its inputs, in which nothing was evaluated.

    >>> nothing_evaluated("scene", 2, "they are empty")
    'nothing was evaluated: 0 of 2 scenes: they are empty'
    """
    what = {"dense": "record", "timeline": "video", "scene": "scene", "coco": "image"}[suite]
    return f"nothing was evaluated: 0 of {counted(read, what)}: {reason}"


def _all_scenes_empty(report: Tree) -> bool:
    """Whether there is no box on any side of any scene."""
    return report["suite"] == "scene" and not any(
        method["counts"][side] for method in report["methods"].values() for side in ("gt", "pred", "ignored")
    )


def _first_reason(report: Tree) -> str:
    """Why the first record was not evaluated."""
    if report["suite"] == "timeline" and report["not_evaluated"]:
        video, problem = next(iter(report["not_evaluated"].items()))
        return f"{printable(video)}: {printable(problem)}"
    if report["rejected"]:
        return printable(str(report["rejected"][0]["problem"]))
    return NOTHING


def doubts_of(report: Report) -> Iterator[str]:
    """Lines of warning about a result that may be right and is more often a mistake."""
    yield from _given_twice(report)
    yield from _useless_predictions(report)


def _given_twice(report: Tree) -> Iterator[str]:
    """A line for every input that holds what another of the run holds, whatever the two are called."""
    seen: dict[str, str] = {}
    dense = report["suite"] == "dense"
    meant = "and every record of it counts twice" if dense else "is one of them meant to be another?"
    for each in report["inputs"]:
        if each["sha256"] is not None and each["sha256"] in seen:
            one, other = printable(seen[each["sha256"]]), printable(each["path"])
            twice = f"{one} is given twice" if one == other else f"{one} and {other} are the same file"
            yield f"{twice}{',' if dense else ':'} {meant}"
        seen.setdefault(each["sha256"] or "", each["path"])


def _useless_predictions(report: Report) -> Iterator[str]:
    """A line for every method that predicted nothing that could match, with the first problem."""
    if report["suite"] == "timeline":
        yield from _idle_predictions(report)
    elif report["suite"] == "scene":
        for name, method in report["methods"].items():
            yield from _useless(f"{printable(name)}: ", method["counts"], _first_scene_problem(method))
    elif not any(ALL_INVALID in warning for warning in report.get("warnings", ())):  # else it was said
        problem = printable(report.first_invalid) or _most_common(report["invalid_reasons"])
        yield from _useless("", report["objects"], problem)


def _idle_predictions(report: Tree) -> Iterator[str]:
    """A line where no frame of any video is predicted to be in a state, and some are in one."""
    confusion, idle = report["pooled"]["confusion"], report["params"]["idle"]
    predicted = {state for row in confusion.values() for state in row}
    if predicted != {idle} or set(confusion) == {idle}:
        return
    errors, videos = report["not_evaluated"], counted(report["records"]["evaluated"], "video")
    first = next(video for video in report["videos"] if video not in errors)
    beside = f"; {_first_reason(report)}" if errors else ""
    words = f"no state but {printable(idle)} is predicted in {videos}, first {printable(first)}{beside}"
    yield f"{words} ({CHECK})"


def _useless(who: str, counts: Mapping[str, int], problem: str) -> Iterator[str]:
    """What to say of counts in which no prediction could match."""
    if not counts["gt"] or counts["pred"] > counts["invalid_pred"] or counts.get("ignored"):
        return
    if not counts["pred"]:
        yield f"{who}nothing was predicted at all, so that every object was missed ({CHECK})"
    else:
        yield f"{who}all {counts['pred']:,} predictions are invalid and match nothing: {problem} ({CHECK})"


def _most_common(reasons: Mapping[str, int]) -> str:
    """The reason that most are invalid for; of those equally frequent the first."""
    name, n = max(reasons.items(), key=lambda each: each[1], default=("", 0))
    return f"{n:,} × {printable(name)}"


def _first_scene_problem(method: Tree) -> str:
    """The first prediction that could not be read, with the reason."""
    rows = (row for row in method["unmatched_pred"] if row.get("reason"))
    return next((f"{printable(row['scene'])}: {printable(row['reason'])}" for row in rows), "unknown")
