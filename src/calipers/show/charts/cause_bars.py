"""Where it goes wrong, as a plot: a bar for each cause of errors, its count, and what it is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calipers.show.causes import MEANINGS, cause_words
from calipers.show.charts import pieces as charts
from calipers.show.charts.palette import CAUSE_COLOURS
from calipers.show.charts.pieces import FOOT, MARGIN, NUMBER, PAGE, TOP, Place
from calipers.show.charts.sheet import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Tree = dict[str, Any]
ROW = 20  # in points


def cause_bars(tree: Tree, notes: list[str], *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """A bar for each cause, its count, and what it is worth in F1."""
    names, counts = [cause_words(cause) for cause in MEANINGS], [tree["errors"][cause] for cause in MEANINGS]
    with drawing(format):
        left = charts.gutter(names, format)
        place = Place(left, TOP + 18, PAGE - left - MARGIN - 2 * NUMBER, ROW * len(names), FOOT)
        ax = ax or charts.page("Where it goes wrong", [*notes, "worth: what F1 would gain"], place, format)
        charts.bare(ax)
        charts.name_rows(ax, names, format)
        charts.count_bars(ax, counts, [CAUSE_COLOURS[cause] for cause in MEANINGS], "errors")
        gains = [tree["worth"]["f1"][cause]["gain"] for cause in MEANINGS]
        cells = [[f"{n:,}", "–" if gain is None else f"{gain:+.3f}"] for n, gain in zip(counts, gains, strict=True)]
        charts.columns(ax, ("errors", "worth"), cells)
        return charts.figure_of(ax)
