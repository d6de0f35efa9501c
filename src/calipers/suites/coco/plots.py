"""Plots of a detection report: precision and recall, AP by class, confusion, causes of errors, calibration.

Each is a function `plot(tree, *, ax=None, format="png")` that gives the figure, drawn into `ax` or onto a page of its
own. `pictures(tree)` are all of them as files; the same tree gives the same bytes. Needs matplotlib (extra `plots`).
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

from calipers.show.charts import pieces as charts
from calipers.show.charts.calibration import LIGHT, calibration_chart, filled_bins, precision_axes
from calipers.show.charts.cause_bars import cause_bars
from calipers.show.charts.palette import FAINT, INK, METHODS
from calipers.show.charts.pieces import FOOT, MARGIN, NUMBER, PAGE, TOP, Matrix, Place
from calipers.show.charts.sheet import Lettering, drawing
from calipers.show.text import rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Tree = dict[str, Any]

# In points
CURVES_WIDE, CURVES_TALL, KEY_NAMES = 372, 300, 150
ROW = 13

MAX_CLASSES, MAX_CELLS = 100, 25
MAX_CURVES = 2000  # without a name: more of them are a grey area, and take seconds
STEMS = ("precision_recall", "ap_per_class", "confusion", "errors", "calibration")  # of files, in their order
OTHERS, NOTHING, MISSED = "other classes", "background", "missed"
THIN = "#b9bfc5"


def pictures(tree: Tree) -> dict[str, bytes]:
    """All that can be drawn of a report, by file name: nothing about AP when it is undefined."""
    drawn = class_pictures(tree) | detection_pictures(tree)
    return {name: drawn[name] for name in sorted(drawn, key=lambda name: STEMS.index(name.partition(".")[0]))}


def class_pictures(tree: Tree) -> dict[str, bytes]:
    """The pictures with bars: AP by class, which takes as long as all others, and causes of errors."""
    ranked = [row["name"] for row in ranked_classes(tree)]
    bars = charts.files("ap_per_class", ap_per_class_plot, tree, ranked) if ranked else {}
    return bars | charts.files("errors", errors_plot, tree)


def detection_pictures(tree: Tree) -> dict[str, bytes]:
    """All other pictures: curves, confusion and calibration."""
    seen = [row["name"] for row in _seen(tree)]
    curves = charts.files("precision_recall", precision_recall_plot, tree, tree["curves"]) if tree["curves"] else {}
    cells = charts.files("confusion", confusion_plot, tree, seen) if seen else {}
    return curves | cells | (charts.files("calibration", calibration_plot, tree) if filled_bins(tree) else {})


# Precision and recall


def precision_recall_plot(tree: Tree, *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """At IoU 0.50 a thin line per class, coloured and named for those with the most objects, and a bold one as mean."""
    named, others = _lines(tree)
    target = tree["params"]["recall_target"]
    beyond, at = rate(tree["precision_at_recall"]), rate(tree.get("precision_at_target"))
    shaded = f"precision {at} at recall {target:g}, mean {beyond} beyond it (shaded)"
    with drawing(format):
        place = Place(50, TOP, CURVES_WIDE, CURVES_TALL, 40)
        ax = ax or charts.page("Precision and recall", ["at IoU 0.50", shaded], place, format)
        _curve_axes(ax, tree, target)
        for line in (*others[:MAX_CURVES], *named):
            ax.plot(*line.points, color=line.colour, linewidth=line.wide, zorder=2 + line.wide)
        charts.key(ax, _key(named, others, format), "AP_50", handlelength=1.4, labelspacing=0.7)
        return charts.figure_of(ax)


class Line(NamedTuple):
    """A curve, the area under it, and how it looks."""

    name: str
    area: float
    points: tuple[list[float], list[float]]  # recall, precision
    colour: str = THIN
    wide: float = 0.6


def _lines(tree: Tree) -> tuple[list[Line], list[Line]]:
    """Lines that get a name, the mean first and then the best; and all others."""
    curves = {name: (curve["recall"], curve["precision"]) for name, curve in tree["curves"].items()}
    rows = sorted((row for row in tree["per_class"] if row["name"] in curves), key=lambda row: -row["gt"])
    lines = [Line(row["name"], row["AP_50"], curves[row["name"]]) for row in rows]
    named = [line._replace(colour=colour, wide=1.3) for line, colour in zip(lines, METHODS, strict=False)]
    named.sort(key=lambda line: -line.area)
    if len(lines) > 1:
        named.insert(0, Line(f"mean of {len(lines):,} classes", tree["map_50"], _mean_curve(lines), INK, 2.4))
    return named, lines[len(METHODS) :]


def _curve_axes(ax: Axes, tree: Tree, recall_target: float) -> None:
    known = [row for row in tree["per_class"] if row["name"] in tree["curves"]]
    gt, pred = (sum(row[side] for row in known) for side in ("gt", "pred"))
    precision_axes(ax, f"recall (n = {gt:,} objects)", f"precision (n = {pred:,} detections)")
    ax.axvspan(recall_target, 1, color=FAINT, alpha=0.6, linewidth=0, zorder=0)


def _mean_curve(lines: list[Line]) -> tuple[list[float], list[float]]:
    """The mean precision of all classes at each step of recall."""
    columns = zip(*(line.points[1] for line in lines), strict=True)
    return lines[0].points[0], [fsum(column) / len(lines) for column in columns]


def _key(named: list[Line], others: list[Line], format: str) -> list[tuple[str, Tree]]:  # noqa: A002
    """AP at 0.50 and the name of each line, and how many have none."""
    letters = Lettering(format)
    words = [f"{rate(line.area)}   {charts.shown(letters, line.name, KEY_NAMES)}" for line in named]
    drawn = f", {MAX_CURVES:,} of them drawn" if len(others) > MAX_CURVES else ""
    words += [f"{len(others):,} more{drawn}"] if others else []
    looks = [{"color": line.colour, "linewidth": line.wide} for line in (*named, *others[:1])]
    return list(zip(words, looks, strict=True))


# AP by class


def ap_per_class_plot(tree: Tree, *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """One row per class, best first: AP and AP_50 as bars and numbers, and its count of objects; a line at the mean."""
    rows, known = ranked_classes(tree), sum(row["AP"] is not None for row in tree["per_class"])
    cut = f"the {len(rows):,} classes with the most objects of {known:,}" if len(rows) < known else ""
    absent = len(tree["per_class"]) - known
    unseen = f"{absent:,} without ground truth are not shown" if absent else ""
    with drawing(format):
        left = charts.gutter((row["name"] for row in rows), format)
        place = Place(left, TOP + 18, PAGE - left - MARGIN - 3 * NUMBER, ROW * len(rows), FOOT)
        notes = ["dark: AP, its mean dashed", "light: AP_50", cut, unseen]
        ax = ax or charts.page("Average precision by class", notes, place, format)
        charts.bare(ax)
        charts.name_rows(ax, [row["name"] for row in rows], format)
        charts.rate_axis(ax, "average precision")
        charts.draw_bars(ax, [row["AP_50"] for row in rows], 0.72, LIGHT)
        charts.draw_bars(ax, [row["AP"] for row in rows], 0.4, METHODS[0])
        charts.mean_line(ax, tree["coco"]["AP"])
        cells = ([rate(row["AP"]), rate(row["AP_50"]), f"{row['gt']:,}"] for row in rows)
        charts.columns(ax, ("AP", "AP_50", "objects"), cells)
        return charts.figure_of(ax)


def ranked_classes(tree: Tree) -> list[Tree]:
    """Classes with AP, the best first; not more than fit on a page."""
    known = [row for row in tree["per_class"] if row["AP"] is not None]
    return sorted(sorted(known, key=lambda row: -row["gt"])[:MAX_CLASSES], key=lambda row: -row["AP"])


# Confusion


def confusion_plot(tree: Tree, *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """One cell per pair of classes; then a column of missed objects, a row of detections of nothing, and sums."""
    matrix, seen = confusion_matrix(tree), len(_seen(tree))
    cut = f"the {matrix.right:,} classes with the most objects of {seen:,}" if matrix.right < seen else ""
    notes = ["a row of ground truth, a column of predictions", "numbers are % of the row", cut]
    with drawing(format):
        ax = ax or charts.page("Confusion at IoU 0.50", notes, charts.matrix_place(matrix, format), format)
        charts.draw_matrix(ax, matrix, format)
        return charts.figure_of(ax)


def confusion_matrix(tree: Tree) -> Matrix:
    """The classes with the most objects in the order of their ids, all others as one, and what has no partner."""
    confusion, rows = tree["confusion"], _seen(tree)
    most = {row["name"] for row in sorted(rows, key=lambda row: -row["gt"])[:MAX_CELLS]}
    shown = [row["name"] for row in rows if row["name"] in most]
    names = shown + [OTHERS] * (len(rows) > len(shown))
    place = {row["name"]: len(shown) for row in rows} | {name: at for at, name in enumerate(shown)}
    counts = [[0] * (len(names) + 1) for _ in range(len(names) + 1)]
    for gt, matched in confusion["matched"].items():
        for pred, n in matched.items():
            counts[place[gt]][place[pred]] += n
    for gt, n in confusion["missed"].items():
        counts[place[gt]][-1] += n
    for pred, n in confusion["background"].items():
        counts[-1][place[pred]] += n
    return Matrix([*names, NOTHING], [*names, MISSED], counts, right=len(shown))


def _seen(tree: Tree) -> list[Tree]:
    """Classes on either side."""
    return [row for row in tree["per_class"] if row["gt"] or row["pred"]]


# Causes


def errors_plot(tree: Tree, *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """A bar for each cause, its count, and what it is worth in F1 without scores."""
    crowd = tree["errors"]["in_crowd"]
    notes = ["at IoU 0.50, without scores", f"{crowd:,} detections in a crowd are left out" if crowd else ""]
    return cause_bars(tree, notes, ax=ax, format=format)


# Calibration


def calibration_plot(tree: Tree, *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """The precision of each bin of scores, as a bar and over the mean score; dashed what probabilities would give."""
    return calibration_chart(tree, ax=ax, format=format)
