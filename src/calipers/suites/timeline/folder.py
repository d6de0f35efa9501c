"""What a folder of `-o` holds beside tables, plots and the page: the worst videos as strips, when they are wanted."""

from __future__ import annotations

from typing import Any

from calipers.report import Report
from calipers.suites.timeline.config import TimelineOutputOptions
from calipers.suites.timeline.strips import Strip, picture_name, strip_picture, tolerance_picture
from calipers.suites.timeline.tables import videos_of

FIGURES = ("frame_accuracy", "event_recall", "event_precision", "late_advisory_rate", "edit_score")


def folder_files(report: Report, options: TimelineOutputOptions) -> dict[str, bytes]:
    """The worst videos as strips, and the curve of a sweep."""
    if not options.plot_videos or not report.has_cases:
        return {}
    contents: dict[str, bytes] = {}
    taken: set[str] = set()
    states = sorted({state for row in report["pooled"]["confusion"].items() for state in (row[0], *row[1])})
    for strip in strips(report, options.plot_videos):
        stem = picture_name(strip.name, taken)
        taken.add(stem)
        for kind in ("png", "svg"):
            contents[f"plots/{stem}.{kind}"] = strip_picture(strip, kind, idle=report["params"]["idle"], states=states)
    for kind in ("png", "svg"):
        if "sweep" in report:
            contents[f"plots/tolerance.{kind}"] = tolerance_picture(_curve(report), kind)
    return contents


def strips(report: Report, most: int) -> list[Strip]:
    """The videos with the least frames right, worst first."""
    videos = {name: entry for name, entry in videos_of(report.tree).items() if "error" not in entry}
    worst = sorted(videos, key=lambda name: (videos[name]["frame_accuracy"], name))[:most]
    cases = report.cases_of(worst)
    runs = {name: (case["gt"], case["pred"]) for name, case in cases.items()}
    return [
        Strip(name, *runs[name], videos[name]["fps_estimate"] or report["params"]["fps"], _figures(videos[name]))
        for name in worst
    ]


def _figures(entry: dict[str, Any]) -> dict[str, float | None]:
    return {name: entry[name] for name in FIGURES}


def _curve(report: Report) -> list[tuple[int, float | None, float | None, float | None]]:
    names = ("transition_precision_mean", "transition_recall_mean", "transition_accuracy_mean")
    rows = [(int(tolerance), *(summary[name] for name in names)) for tolerance, summary in report["sweep"].items()]
    return sorted(rows, key=lambda row: row[0])
