"""Plots of a dense report: F1 by threshold, where it goes wrong, and labels by F1.

Each is a function `plot(tree, *, ax=None, format="png")` that gives the figure, drawn into `ax` or onto a page of its
own. `pictures(tree)` are all of them as files; the same tree gives the same bytes. Needs matplotlib (extra `plots`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calipers.show.charts import pieces as charts
from calipers.show.charts.cause_bars import cause_bars
from calipers.show.charts.palette import INK, METHODS
from calipers.show.charts.pieces import FOOT, MARGIN, NUMBER, PAGE, TOP, Curve, Place
from calipers.show.charts.sheet import drawing
from calipers.show.text import between, rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Tree = dict[str, Any]
MODES = {  # colour and marker
    "localization": ("#686e74", "^"),
    "phase": (METHODS[2], "s"),
    "category": (METHODS[0], "o"),
}
ROW = 13  # in points
MAX_LABELS = 100


def pictures(tree: Tree) -> dict[str, bytes]:
    """All that can be drawn of a report, by file name."""
    labels = [row["label"] for row in ranked_labels(tree)[1]]
    drawn = charts.files("thresholds", thresholds_plot, tree) | charts.files("errors", errors_plot, tree)
    return drawn | (charts.files("labels", labels_plot, tree, labels) if labels else {})


def thresholds_plot(tree: Tree, *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """F1 at every threshold, one curve per mode; the interval is known at the primary threshold and drawn there."""
    thresholds, primary = tree["params"]["thresholds"], tree["params"]["primary_threshold"]
    notes = ["one curve per label mode", f"dashed: IoU {primary:g}, shaded there: 95 % intervals"]
    with drawing(format):
        ax = ax or charts.page("F1 by IoU threshold", notes, Place(50, TOP, 400, 240, 40), format)
        curves = [_curve(mode, swept, primary) for mode, swept in tree["modes"].items()]
        charts.draw_curves(ax, thresholds, curves)
        charts.curve_key(ax, curves, "mean F1 over the thresholds")
        ax.axvline(primary, color=INK, linewidth=0.8, linestyle=charts.DASHED, zorder=1)
        ticks = charts.with_room(thresholds)
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        n = tree["objects"]
        charts.name_axes(ax, "IoU threshold", f"F1 (n = {n['gt']:,} objects, {n['pred']:,} predictions)")
        return charts.figure_of(ax)


def _curve(mode: str, swept: Tree, primary: float) -> Curve:
    rows, spread = swept["thresholds"], swept["primary"]["interval"]["f1"]
    colour, marker = MODES[mode]
    name = f"{rate(swept['mean_f1'])}{between(swept['mean_f1_interval'])}  {mode}"
    spans = [spread if row["iou"] == primary else None for row in rows]
    return Curve(name, colour, marker, [row["f1"] for row in rows], spans)


def errors_plot(tree: Tree, *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """A bar for each cause, its count, and what it is worth in F1."""
    notes = [f"at IoU {tree['params']['primary_threshold']:g}", f"{tree['errors']['matched']:,} matched"]
    return cause_bars(tree, notes, ax=ax, format=format)


def labels_plot(tree: Tree, *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """One row per label, the best first: its F1, then recall, precision and how many objects it has."""
    mode, rows, known = *ranked_labels(tree), _known(tree)
    cut = f"the {len(rows):,} with the most objects of {known:,}" if len(rows) < known else ""
    notes = [mode, f"at IoU {tree['params']['primary_threshold']:g}", "dashed: all labels together", cut]
    with drawing(format):
        left = charts.gutter((row["label"] for row in rows), format)
        place = Place(left, TOP + 18, PAGE - left - MARGIN - 4 * NUMBER, ROW * len(rows), FOOT)
        ax = ax or charts.page("F1 by label", notes, place, format)
        charts.bare(ax)
        charts.name_rows(ax, [row["label"] for row in rows], format)
        charts.rate_axis(ax, f"F1 at IoU {tree['params']['primary_threshold']:g}")
        charts.draw_bars(ax, [row["f1"] for row in rows], 0.6, METHODS[0])
        charts.mean_line(ax, tree["modes"][mode]["primary"]["f1"])
        cells = ([rate(row["f1"]), rate(row["recall"]), rate(row["precision"]), f"{row['gt']:,}"] for row in rows)
        charts.columns(ax, ("F1", "recall", "precision", "objects"), cells)
        return charts.figure_of(ax)


def ranked_labels(tree: Tree) -> tuple[str, list[Tree]]:
    """The last mode that has labels, and of these the ones with F1, best first; not more than fit on a page."""
    modes = [mode for mode, section in tree["modes"].items() if section["by_label"]] or list(tree["modes"])
    known = [row for row in tree["modes"][modes[-1]]["by_label"] if row["f1"] is not None]
    most = sorted(known, key=lambda row: (-row["gt"], row["label"]))[:MAX_LABELS]
    return modes[-1], sorted(most, key=lambda row: (-row["f1"], -row["gt"], row["label"]))


def _known(tree: Tree) -> int:
    return sum(row["f1"] is not None for row in tree["modes"][ranked_labels(tree)[0]]["by_label"])
