"""Panels that share axes: a metric each, rows of bars with their numbers, and names in a gutter to the left."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from calipers.show.charts import pieces as charts
from calipers.show.charts.palette import FAINT, INK, QUIET
from calipers.show.charts.pieces import MARGIN, PAGE, SMALL, TOP
from calipers.show.charts.sheet import TEXT, Lettering
from calipers.show.text import rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Place = tuple[float, float, float, float]  # left edge, top, width, height

# In points
GAP, NUMBER, NAMES_LEAST = 20, 34, 80  # a number stands at the right edge of its panel
PANEL_HEAD, PANEL_FOOT = 30, 20
ROW, CELL = 15, 50
NARROWEST = 420  # what names, numbers and bars need beside each other


class Measure(NamedTuple):
    """A quantity that a panel shows."""

    metric: str
    title: str
    note: str
    metres: bool = False  # has a scale of its own
    whole: bool = False  # counts, which have one too


class Row(NamedTuple):
    """One bar: its middle in points from the top of the panel, its thickness, and how it looks."""

    middle: float
    tall: float
    colour: str
    value: float | None
    interval: Sequence[float] | None = None
    size: float = TEXT


class Heading(NamedTuple):
    """The title and the text over panels on a page of their own."""

    title: str
    notes: list[str]


class Board:
    """Axes as a place for panels, measured in points from its upper left corner; names in a gutter to their left.

    On axes of someone's own it is as wide as these are, and so tall that everything fits.
    """

    def __init__(
        self,
        ax: Axes | None,
        heading: Heading,
        tall: float,
        names: Iterable[str],
        format: str,  # noqa: A002
        narrowest: float = NARROWEST,
    ) -> None:
        wide = PAGE - 2 * MARGIN if ax is None else 72 * ax.bbox.width / charts.figure_of(ax).dpi
        self.width, self.tall, self.lettering = max(wide, narrowest), tall, Lettering(format)
        self.ax = ax or charts.page(*heading, charts.Place(MARGIN, TOP, self.width, tall, 0), format)
        self.ax.set_axis_off()
        widest = max((TEXT * self.lettering.ems(self._shown(name)) for name in names), default=0)
        self.gutter = max(NAMES_LEAST, widest) + 12

    def _shown(self, name: str) -> str:
        return charts.shown(self.lettering, name)

    def write(self, left: float, top: float, text: str, **look: Any) -> None:
        """Put a text at a place; it stands on it unless told otherwise."""
        style: dict[str, Any] = {"va": "baseline", "fontsize": TEXT, "transform": self.ax.transAxes} | look
        self.ax.text(left / self.width, 1 - top / self.tall, text, **style)

    def block(self, left: float, foot: float, width: float, height: float, colour: str) -> None:
        """A rectangle of one colour that stands on a place."""
        from matplotlib.patches import Rectangle

        corner, size = (left / self.width, 1 - foot / self.tall), (width / self.width, height / self.tall)
        look: dict[str, Any] = {"facecolor": colour, "linewidth": 0, "transform": self.ax.transAxes}
        self.ax.add_artist(Rectangle(corner, *size, **look)).set_clip_on(False)

    def names(self, places: Iterable[tuple[float, str]]) -> None:
        """Names in the gutter, each at the middle of what it names."""
        for middle, name in places:
            self.write(0, middle, self._shown(name), va="center_baseline")

    def note(self, base: float, text: str) -> None:
        """Write a note in small grey text at the left edge."""
        self.write(0, base, text, color=QUIET, fontsize=SMALL)

    def line(self, top: float) -> None:
        """Draw a thin grey line across all panels."""
        self.block(0, top, self.width, 0.5, FAINT)

    def place(self, column: int, columns: int, top: float, tall: float) -> Place:
        """Where the bars of a panel are; the numbers stand to their right."""
        wide = (self.width - self.gutter + GAP) / columns
        return self.gutter + wide * column, top, wide - GAP - NUMBER, tall

    def panel(self, place: Place, measure: Measure, rows: Sequence[Row]) -> None:
        """One metric: its name, and for each row a bar, an interval and a number."""
        left, top, width, _ = place
        self.write(left, top - 17, measure.title, weight="bold")
        note = self.lettering.fit(measure.note, width + NUMBER + GAP - 6, SMALL)
        self.write(left, top - 7, note, color=QUIET, fontsize=SMALL)
        axes = self.frame(place, _highest(rows) if measure.metres or measure.whole else 1.0, measure.whole)
        for row in rows:
            colour = QUIET if row.value is None else INK
            look = {"ha": "right", "va": "center_baseline", "color": colour, "fontsize": row.size}
            number = f"{row.value:,}" if measure.whole and row.value is not None else rate(row.value)
            self.write(left + width + NUMBER, top + row.middle, number, **look)
            if row.value is not None:
                charts.draw_bar(axes, row.middle, row.value, row.tall, row.colour)
            if row.interval:
                _whisker(axes, row.middle, row.interval)

    def frame(self, place: Place, most: float, whole: bool = False) -> Axes:
        """Axes from zero across and in points down, with a quiet line at each of a few round numbers."""
        left, top, width, tall = place
        box = left / self.width, 1 - (top + tall) / self.tall, width / self.width, tall / self.tall
        axes = self.ax.inset_axes(box, facecolor="none")
        high = round_end(most)
        ticks = [tick for tick in (0, high / 2, high) if not whole or tick == round(tick)]
        charts.bare(axes)
        axes.set(xlim=(0, high), ylim=(tall, 0))
        axes.set_xticks(ticks, [f"{tick:,g}" for tick in ticks])
        axes.set_yticks([])
        axes.grid(axis="x", color=FAINT, linewidth=0.7, clip_on=False)
        return axes

    def counts(self, left: float, name: str, counts: list[int], colour: str, **look: Any) -> None:
        """A column of counts under a name and a colour."""
        words = self.lettering.fit(name, 2 * CELL - 12, SMALL).replace(" ", "\n", 1)
        self.write(left + CELL, PANEL_HEAD - 8, words, ha="right", color=QUIET, fontsize=SMALL)
        self.block(left + 12, PANEL_HEAD - 3, CELL - 12, 2.5, colour)
        for at, count in enumerate(counts):
            look |= {"ha": "right", "va": "center_baseline", "color": INK if count else QUIET}
            self.write(left + CELL, PANEL_HEAD + ROW * (at + 0.5), f"{count:,}", **look)


def _whisker(axes: Any, middle: float, interval: Sequence[float]) -> None:
    for colour, wide in (("white", 2.4), (INK, 1)):  # seen on bars of any colour
        axes.plot(interval, [middle, middle], color=colour, linewidth=wide, solid_capstyle="butt")


def _highest(rows: Sequence[Row]) -> float:
    ends = [row.interval[1] for row in rows if row.interval] + [row.value for row in rows if row.value is not None]
    return max(ends, default=0) or 1.0


def round_end(most: float) -> float:
    """A round number for the end of an axis, of which half is round too.

    >>> [round_end(most) for most in (1.0, 0.63, 0.021, 82, 102)]
    [1.0, 0.8, 0.03, 100.0, 120.0]
    """
    power = 10.0 ** (math.ceil(math.log10(most)) - 1)
    return next((step * power for step in (1, 1.2, 1.6, 2, 3, 4, 5, 6, 8) if most <= step * power), 10 * power)
