"""What `calipers timeline -o FOLDER` writes: the artifact, tables, the page, plots, and strips of videos."""

from __future__ import annotations

from typing import Any

from calipers.files.output import atomic_files, json_line
from calipers.report import Report, Rows
from calipers.show.folder import drawn, left_behind, new_folder, plot_names
from calipers.show.page.build import report_page
from calipers.show.tables import csv_table
from calipers.suites.timeline import plots as timeline_plots
from calipers.suites.timeline.rows import COLUMNS
from calipers.suites.timeline.strips import Strip, picture_name, strip_picture, tolerance_picture

PLOTS = ("tolerance", "confusion", "frame_accuracy")
NESTED = ("confusion", "counts")
FIGURES = ("frame_accuracy", "event_recall", "event_precision", "late_advisory_rate", "edit_score")


def write_timeline_folder(path: str, report: Report, plots: int) -> list[str]:
    """All files, which appear together, with strips of so many videos; returns what has to be said of plots."""
    pictures, missing = drawn(timeline_plots.pictures, report.tree)
    contents = {
        "result.json": report.to_json(),
        "videos.csv": csv_table(*video_table(report)),
        "matches.csv": csv_table(list(COLUMNS), report.matches()),
        "cases.jsonl": case_lines(report),
        "report.html": report_page(report),
        **pictures,
        **_strips(report, plots),
    }
    with new_folder(path, *(["plots"] if plots else [])) as folder, atomic_files() as files:
        for name, content in contents.items():
            files.open(folder / name).write(content)
    return missing + left_behind(path, plot_names(PLOTS), pictures)


def video_table(report: Report) -> tuple[list[str], Rows]:
    """One row a video: its name, what kept it from being evaluated, and its metrics."""
    columns = ["video", "error"]
    videos = report["videos"].as_dict()
    for entry in videos.values():
        columns += [name for name in entry if name not in columns and name not in NESTED]
    rows = [{"video": name, **{key: entry.get(key) for key in columns[1:]}} for name, entry in videos.items()]
    return columns, rows


def case_lines(report: Report) -> bytes:
    """Every evaluated video as a line of JSON: its runs, which strips are drawn from, and how many frames are wrong."""
    videos = report["videos"].as_dict()
    wrong = {name: entry["time_in_error_frames"] for name, entry in videos.items() if "error" not in entry}
    runs = report.timelines(wrong)
    rows = ({"key": name, "gt": runs[name][0], "pred": runs[name][1], "unmatched": n} for name, n in wrong.items())
    return b"".join(map(json_line, rows))


def _strips(report: Report, plots: int) -> dict[str, bytes]:
    """The worst videos as strips, and the curve of a sweep, when strips are wanted."""
    if not plots:
        return {}
    found: dict[str, bytes] = {}
    taken: set[str] = set()
    states = sorted({state for row in report["pooled"]["confusion"].items() for state in (row[0], *row[1])})
    for strip in strips(report, plots):
        stem = picture_name(strip.name, taken)
        taken.add(stem)
        for kind in ("png", "svg"):
            found[f"plots/{stem}.{kind}"] = strip_picture(strip, kind, idle=report["params"]["idle"], states=states)
    for kind in ("png", "svg"):
        if "sweep" in report:
            found[f"plots/tolerance.{kind}"] = tolerance_picture(_curve(report), kind)
    return found


def strips(report: Report, most: int) -> list[Strip]:
    """The videos with the least frames right, worst first."""
    videos = {name: entry for name, entry in report["videos"].as_dict().items() if "error" not in entry}
    worst = sorted(videos, key=lambda name: (videos[name]["frame_accuracy"], name))[:most]
    runs = report.timelines(worst)
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
