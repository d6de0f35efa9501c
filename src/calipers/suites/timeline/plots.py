"""Plots of a timeline report: transitions by tolerance, what states were taken for, and the videos one by one.

Each is a function `plot(tree, *, ax=None, format="png")` that gives the figure, drawn into `ax` or onto a page of its
own. `pictures(tree)` are all of them as files; the same tree gives the same bytes. Needs matplotlib (extra `plots`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from calipers.show.charts import pieces as charts
from calipers.show.charts.calibration import calibration_chart, filled_bins
from calipers.show.charts.palette import CAUSE_COLOURS, METHODS, QUIET
from calipers.show.charts.pieces import FOOT, MARGIN, NUMBER, PAGE, TOP, Curve, Matrix, Place
from calipers.show.charts.sheet import drawing
from calipers.show.text import UNDEFINED, rate
from calipers.suites.timeline.frame_error_views import IN_TRUTH, WORDS
from calipers.suites.timeline.strips import CURVES, WORK_ZONE
from calipers.suites.timeline.tables import videos_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Tree = Mapping[str, Any]
ROW, KIND_ROW = 13, 20  # in points
MAX_VIDEOS, MAX_STATES = 60, 24
OTHERS = "other states"


def pictures(tree: Tree) -> dict[str, bytes]:
    """All that can be drawn of a report, by file name: nothing where no video was evaluated."""
    videos, states = list(worst_videos(tree)), confusion_matrix(tree).rows
    if not videos:
        return {}
    swept = charts.files("tolerance", tolerance_plot, tree) if "sweep" in tree else {}
    confusion = charts.files("confusion", confusion_plot, tree, states)
    errors = charts.files("frame_errors", frame_errors_plot, tree)
    scores = charts.files("calibration", calibration_plot, tree) if filled_bins(tree) else {}
    return swept | confusion | charts.files("frame_accuracy", frame_accuracy_plot, tree, videos) | errors | scores


def tolerance_plot(tree: Tree, *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """Precision, recall and accuracy of transitions by the tolerance of a sweep, each with its 95 % interval."""
    swept = sorted((int(tolerance), summary) for tolerance, summary in tree["sweep"].items())
    x, summaries = [tolerance for tolerance, _ in swept], [summary for _, summary in swept]
    with drawing(format):
        notes = ["means over videos", "shaded: 95 % intervals"]
        ax = ax or charts.page("Transitions found by tolerance", notes, Place(50, TOP, 440, 220, 40), format)
        curves = [_curve(summaries, *look) for look in CURVES]
        charts.draw_curves(ax, x, curves)
        charts.names_at_ends(ax, curves)
        ax.set_xticks(charts.with_room(x))
        charts.name_axes(
            ax, "tolerance in frames", f"share of transitions (n = {tree['records']['evaluated']:,} videos)"
        )
        return charts.figure_of(ax)


def _curve(summaries: list[Tree], name: str, colour: str, marker: str) -> Curve:
    values = [summary[f"transition_{name}_mean"] for summary in summaries]
    return Curve(name, colour, marker, values, [summary[f"transition_{name}_interval"] for summary in summaries])


def confusion_plot(tree: Tree, *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """The frames of all videos: a row what a frame is, a column what it was taken for."""
    matrix = confusion_matrix(tree)
    notes = ["a row of ground truth, a column of predictions", "numbers are % of the row, n is in frames"]
    with drawing(format):
        ax = ax or charts.page("States taken for each other", notes, charts.matrix_place(matrix, format), format)
        charts.draw_matrix(ax, matrix, format)
        return charts.figure_of(ax)


def confusion_matrix(tree: Tree) -> Matrix:
    """The states, idle first, then as a drive goes through them, and the frames between them; rare ones are one."""
    confusion = tree["pooled"]["confusion"]
    frames: dict[str, int] = {}
    for gt, row in confusion.items():
        for pred, n in row.items():
            frames[gt], frames[pred] = frames.get(gt, 0) + n, frames.get(pred, 0) + n
    order = [tree["params"]["idle"], *WORK_ZONE]
    most = sorted(frames, key=lambda state: (state not in order, -frames[state], state))[:MAX_STATES]
    states = [state for state in order if state in most] + sorted(set(most) - set(order))
    place = dict.fromkeys(frames, len(states)) | {state: at for at, state in enumerate(states)}
    names = states + [OTHERS] * (len(frames) > len(states))
    counts = [[0] * len(names) for _ in names]
    for gt, row in confusion.items():
        for pred, n in row.items():
            counts[place[gt]][place[pred]] += n
    return Matrix(names, names, counts, right=len(states))


def frame_accuracy_plot(tree: Tree, *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """The share of frames that is right in each video, the worst first; of many videos, the worst."""
    videos, read = worst_videos(tree), tree["records"]["evaluated"]
    rows = list(videos.values())
    cut = f"the {len(rows):,} worst of {read:,} videos" if len(rows) < read else ""
    with drawing(format):
        left = charts.gutter(videos, format)
        place = Place(left, TOP + 18, PAGE - left - MARGIN - 3 * NUMBER, ROW * len(rows), FOOT)
        ax = ax or charts.page("Frames right, by video", ["dashed: mean of all videos", cut], place, format)
        charts.bare(ax)
        charts.name_rows(ax, list(videos), format)
        charts.rate_axis(ax, f"frame accuracy (n = {read:,} videos)")
        charts.draw_bars(ax, [row["frame_accuracy"] for row in rows], 0.6, METHODS[2])
        charts.mean_line(ax, tree["summary"]["frame_accuracy_mean"])
        charts.columns(ax, ("accuracy", "events", "frames"), map(_numbers, rows))
        return charts.figure_of(ax)


def frame_errors_plot(tree: Tree, *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """A bar for each kind of wrong frames, how many stretches they make, and what they are worth in frame accuracy."""
    errors, gains = tree["pooled"]["frame_errors"], tree["worth"]["frame_accuracy"]
    names, counts = [WORDS[kind] for kind in errors], [entry["frames"] for entry in errors.values()]
    notes = ["frames by how activations differ", "worth: what mean frame accuracy would gain"]
    with drawing(format):
        left = charts.gutter(names, format)
        place = Place(left, TOP + 18, PAGE - left - MARGIN - 3 * NUMBER, KIND_ROW * len(names), FOOT)
        ax = ax or charts.page("Where frames are wrong", notes, place, format)
        charts.bare(ax)
        charts.name_rows(ax, names, format)
        colours = [QUIET if kind in IN_TRUTH else CAUSE_COLOURS["wrong_label"] for kind in errors]
        charts.count_bars(ax, counts, colours, "wrong frames")
        cells = [[f"{n['frames']:,}", f"{n['stretches']:,}", _worth(gains[kind]["gain"])] for kind, n in errors.items()]
        charts.columns(ax, ("frames", "stretches", "worth"), cells)
        return charts.figure_of(ax)


def _worth(gain: float | None) -> str:
    return UNDEFINED if gain is None else f"{gain:+.3f}"


def _numbers(row: Tree) -> list[str]:
    """Accuracy, how many of the events were found, frames."""
    counts = row["counts"]
    matched = f"{counts['matched_events']:,}/{counts['gt_events']:,}" if counts["gt_events"] else UNDEFINED
    return [rate(row["frame_accuracy"]), matched, f"{counts['frames']:,}"]


def worst_videos(tree: Tree) -> dict[str, Tree]:
    """Evaluated videos, those with the least frames right first; not more than fit on a page."""
    videos = {name: row for name, row in videos_of(tree).items() if "error" not in row}
    names = sorted(videos, key=lambda name: (videos[name]["frame_accuracy"], name))[:MAX_VIDEOS]
    return {name: videos[name] for name in names}


def calibration_plot(tree: Tree, *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """The precision of each bin of scores of detections, over the mean score; dashed what probabilities would give."""
    return calibration_chart(tree, ax=ax, format=format)
