"""Plots of a dense report: F1 by threshold, where it goes wrong, and labels by F1.

Each is a function `plot(tree, *, ax=None, format="png")` that gives the figure, drawn into `ax` or onto a page of its
own. `pictures(tree)` are all of them as files; the same tree gives the same bytes. Needs matplotlib (extra `plots`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calipers.show.charts import pieces as charts
from calipers.show.charts.palette import CAUSES, INK, METHODS, QUIET
from calipers.show.charts.pieces import MARGIN, NUMBER, PAGE, TOP, Curve, Place
from calipers.show.charts.sheet import TEXT, drawing
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
ERRORS = {
    "missed": ("missed", QUIET, "gt"),
    "misplaced": ("misplaced", CAUSES["low_iou"], "pred"),
    "wrong_label": ("wrong label", CAUSES["wrong_label"], "pred"),
    "duplicate": ("duplicate", CAUSES["duplicate"], "pred"),
    "spurious": ("spurious", CAUSES["no_overlap"], "pred"),
}
SIDES = {"gt": "ground truth", "pred": "predictions"}
ROW, CAUSE_ROW, CAUSE_NUMBERS = 13, 20, 140  # in points
MOST_LABELS = 100


def pictures(tree: Tree) -> dict[str, bytes]:
    """All that can be drawn of a report, by file name."""
    labels = [row["label"] for row in ranked_labels(tree)[1]]
    drawn = charts.files("thresholds", thresholds_plot, tree) | charts.files("errors", errors_plot, tree)
    return drawn | (charts.files("labels", labels_plot, tree, labels) if labels else {})


def thresholds_plot(tree: Tree, *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """F1 at every threshold, a curve a mode; the interval is known at the primary threshold and drawn there."""
    thresholds, primary = tree["params"]["thresholds"], tree["params"]["primary_threshold"]
    notes = ["a curve a label mode", f"dashed: IoU {primary:g}, shaded there: 95 % intervals"]
    with drawing(format):
        ax = ax or charts.page("F1 by IoU threshold", notes, Place(50, TOP, 400, 240, 40), format)
        curves = [_curve(mode, found, primary) for mode, found in tree["modes"].items()]
        charts.draw_curves(ax, thresholds, curves)
        charts.curve_key(ax, curves, "mean F1 over the thresholds")
        ax.axvline(primary, color=INK, linewidth=0.8, linestyle=charts.DASHED, zorder=1)
        ticks = charts.with_room(thresholds)
        ax.set_xticks(ticks, [f"{each:g}" for each in ticks])
        ax.set_xlabel("IoU threshold", color=QUIET, size=TEXT)
        ax.set_ylabel("F1", color=QUIET, size=TEXT)
        return charts.figure_of(ax)


def _curve(mode: str, found: Tree, primary: float) -> Curve:
    rows, spread = found["thresholds"], found["primary"]["interval"]["f1"]
    colour, marker = MODES[mode]
    name = f"{rate(found['mean_f1'])}{between(found['mean_f1_interval'])}  {mode}"
    spans = [spread if row["iou"] == primary else None for row in rows]
    return Curve(name, colour, marker, [row["f1"] for row in rows], spans)


def errors_plot(tree: Tree, *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """A bar a cause, its count, and what share of the objects on its side that is."""
    names, counts = [words for words, _, _ in ERRORS.values()], [tree["errors"][name] for name in ERRORS]
    notes = [f"at IoU {tree['params']['primary_threshold']:g}", f"{tree['errors']['matched']:,} matched"]
    with drawing(format):
        left = charts.gutter(names, format)
        place = Place(left, TOP, PAGE - left - MARGIN - CAUSE_NUMBERS, CAUSE_ROW * len(names), 24)
        ax = ax or charts.page("Where it goes wrong", notes, place, format)
        charts.bare(ax)
        charts.name_rows(ax, names, format)
        charts.count_bars(ax, counts, [colour for _, colour, _ in ERRORS.values()])
        for at, (n, (_, _, side)) in enumerate(zip(counts, ERRORS.values(), strict=True)):
            charts.part_beside(ax, at, n, tree["objects"][side], SIDES[side])
        return charts.figure_of(ax)


def labels_plot(tree: Tree, *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """A row a label, the best first: its F1, then recall, precision and how many objects it has."""
    mode, rows, known = *ranked_labels(tree), _known(tree)
    cut = f"the {len(rows):,} with the most objects of {known:,}" if len(rows) < known else ""
    notes = [mode, f"at IoU {tree['params']['primary_threshold']:g}", "dashed: all labels together", cut]
    with drawing(format):
        left = charts.gutter((row["label"] for row in rows), format)
        place = Place(left, TOP + 18, PAGE - left - MARGIN - 4 * NUMBER, ROW * len(rows), 24)
        ax = ax or charts.page("F1 by label", notes, place, format)
        charts.bare(ax)
        charts.name_rows(ax, [row["label"] for row in rows], format)
        charts.rate_axis(ax)
        ax.barh(range(len(rows)), [row["f1"] for row in rows], 0.6, color=METHODS[0])
        charts.mean_line(ax, tree["modes"][mode]["primary"]["f1"])
        cells = ([rate(row["f1"]), rate(row["recall"]), rate(row["precision"]), f"{row['gt']:,}"] for row in rows)
        charts.columns(ax, ("F1", "recall", "precision", "objects"), cells)
        return charts.figure_of(ax)


def ranked_labels(tree: Tree) -> tuple[str, list[Tree]]:
    """The last mode that has labels, and of these the ones with F1, best first; not more than fit on a page."""
    modes = [mode for mode, found in tree["modes"].items() if found["by_label"]] or list(tree["modes"])
    known = [row for row in tree["modes"][modes[-1]]["by_label"] if row["f1"] is not None]
    most = sorted(known, key=lambda row: (-row["gt"], row["label"]))[:MOST_LABELS]
    return modes[-1], sorted(most, key=lambda row: (-row["f1"], -row["gt"], row["label"]))


def _known(tree: Tree) -> int:
    return sum(row["f1"] is not None for row in tree["modes"][ranked_labels(tree)[0]]["by_label"])
