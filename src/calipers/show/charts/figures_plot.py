"""A plot that any suite has: its headline figures between 0 and 1, with their 95 % intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from calipers.core.figures import SHARE, Figure
from calipers.show.charts import pieces as charts
from calipers.show.charts.palette import INK, METHODS
from calipers.show.charts.pieces import FOOT, MARGIN, NUMBER, PAGE, TOP, Place
from calipers.show.charts.sheet import drawing
from calipers.show.figures import headline
from calipers.show.numbers import spoken
from calipers.show.text import rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

ROW = 18  # in points
MAX_FIGURES = 60


def figures_plot(tree: Mapping[str, Any], *, ax: Axes | None = None, format: str = "png") -> Drawing:  # noqa: A002
    """One row for each figure: a bar, its interval as a line, and the records it rests on."""
    rows = shares(tree)
    names = [spoken(figure.name) for figure in rows]
    with drawing(format):
        left = charts.gutter(names, format)
        place = Place(left, TOP + 18, PAGE - left - MARGIN - 2 * NUMBER, ROW * max(1, len(rows)), FOOT)
        ax = ax or charts.page("Headline", ["lines: 95 % intervals"], place, format)
        charts.bare(ax)
        charts.name_rows(ax, names, format)
        charts.rate_axis(ax, "share, 0 to 1")
        charts.draw_bars(ax, [figure.value or 0.0 for figure in rows], 0.6, METHODS[0])
        for at, figure in enumerate(rows):
            if figure.interval:
                ax.plot(figure.interval, [at, at], color=INK, linewidth=1)
        charts.columns(ax, ("value", "n"), ([rate(figure.value), f"{figure.n:,}"] for figure in rows))
        return charts.figure_of(ax)


def shares(tree: Mapping[str, Any]) -> list[Figure]:
    """The headline figures that share one scale and are defined."""
    shown = [figure for figure in headline(tree) if figure.unit == SHARE and figure.value is not None]
    return shown[:MAX_FIGURES]


def pictures(tree: Mapping[str, Any]) -> dict[str, bytes]:
    """The plot by file name."""
    return charts.files("figures", figures_plot, tree, [figure.name for figure in shares(tree)])
