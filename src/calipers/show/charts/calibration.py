"""What scores are worth as probabilities, as a plot: precision over score, and the diagonal that it should follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from calipers.show.charts import pieces as charts
from calipers.show.charts.palette import FAINT, METHODS, QUIET, method_colours
from calipers.show.charts.pieces import TOP, Place
from calipers.show.charts.sheet import Lettering, drawing
from calipers.show.text import rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Tree = Mapping[str, Any]
SIDE, KEY_NAMES = 300, 150  # in points
LIGHT = "#c9cde4"


def calibration_chart(tree: Tree, of: str = "", *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """The precision of each bin of scores, as a bar and over the mean score; dashed what probabilities would give."""
    bins, calibration = filled_bins(tree), tree.get("calibration") or {}
    errors = f"expected error {rate(calibration.get('ece'))}, {rate(calibration.get('mce'))} in the worst bin"
    with drawing(format):
        place = Place(50, TOP, SIDE, SIDE, 40)
        ax = ax or charts.page(f"Calibration, {of}" if of else "Calibration", ["at IoU 0.50", errors], place, format)
        precision_axes(ax, "score", f"precision (n = {sum(row['n'] for row in bins):,} predictions)")
        left = [row["from"] for row in bins]
        wide = [row["to"] - row["from"] for row in bins]
        heights = [row["precision"] for row in bins]
        ax.bar(left, heights, wide, align="edge", color=LIGHT, edgecolor="white", linewidth=0.8, zorder=1)
        ax.plot([0, 1], [0, 1], color=QUIET, linewidth=0.8, linestyle=(0, (4, 3)), zorder=2)
        look: dict[str, Any] = {
            "color": METHODS[0],
            "linewidth": 1.3,
            "marker": "o",
            "ms": 4,
            "zorder": 3,
            "clip_on": False,
        }
        ax.plot([row["score"] for row in bins], heights, **look)
        return charts.figure_of(ax)


def calibration_lines(trees: Mapping[str, Tree], *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """The precision of bins of scores over the mean score, a line for each of several results."""
    colours, letters = method_colours(trees), Lettering(format)
    with drawing(format):
        notes = ["at IoU 0.50", "expected error beside each name"]
        ax = ax or charts.page("Calibration", notes, Place(50, TOP, SIDE, SIDE, 40), format)
        precision_axes(ax, "score", "precision")
        ax.plot([0, 1], [0, 1], color=QUIET, linewidth=0.8, linestyle=(0, (4, 3)), zorder=2)
        lines = []
        for name, tree in trees.items():
            look: dict[str, Any] = {"color": colours[name], "linewidth": 1.3, "marker": "o", "ms": 4}
            bins = filled_bins(tree)
            ax.plot([row["score"] for row in bins], [row["precision"] for row in bins], **look, clip_on=False)
            seen = sum(row["n"] for row in bins)
            words = f"{rate(tree['calibration']['ece'])}   {seen:,}   {charts.shown(letters, name, KEY_NAMES)}"
            lines.append((words, look))
        charts.key(ax, lines, "ECE, n", handlelength=1.4, labelspacing=0.7)
        return charts.figure_of(ax)


def filled_bins(tree: Tree) -> list[dict[str, Any]]:
    """The bins of scores that hold detections."""
    calibration = tree.get("calibration")
    return [row for row in calibration["bins"] if row["n"]] if calibration else []


def precision_axes(ax: Axes, across: str, up: str) -> None:
    """Precision over something else from 0 to 1."""
    charts.bare(ax)
    steps = [0, 0.2, 0.4, 0.6, 0.8, 1]
    ax.set(xlim=(0, 1), ylim=(0, 1.005), xticks=steps, yticks=steps)
    ax.tick_params(pad=6)
    charts.name_axes(ax, across, up)
    ax.grid(color=FAINT, linewidth=0.7)
