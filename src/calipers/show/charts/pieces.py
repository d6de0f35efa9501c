"""What the plots of a result are made of: pages with a heading, rows with names and numbers, curves, cells.

A plot is a function `plot(tree, *, ax=None, format="png")` that gives the figure: drawn into axes of one's own when
they are given, else onto a page of the size it needs. `figure.savefig("plot.svg")` writes it. In names for a PNG, what
its font lacks is spelled out; an SVG keeps every character, for whoever opens it. Needs matplotlib (extra `plots`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from calipers.show.charts.palette import FAINT, INK, MATCHED, QUIET
from calipers.show.charts.sheet import TEXT, TITLE, Lettering, Sheet, drawing, picture_of, round_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# In points
PAGE, MARGIN, TOP, SMALL = 648, 14, 54, 7
FOOT = 38  # below axes: ticks and the name of the axis
NAMES, NUMBER, UPRIGHT = 150, 42, 76
CELL_LEAST, CELL_MOST, MATRIX = 16, 64, 440
WRONG = "#c23b1e"
DASHED = (0, (4, 3))


class Place(NamedTuple):
    """Where axes are on a page, and how much room is below and beside them."""

    left: float
    top: float
    width: float
    height: float
    below: float
    beside: float = 0.0  # room to the right that is needed, where the page would not be wide enough
    min_width: float = PAGE  # how wide the page is at least; less than that only if its heading is read


class Curve(NamedTuple):
    """A line over something, and its spread where that is known."""

    name: str
    colour: str
    marker: str
    values: Sequence[float | None]
    spans: Sequence[Sequence[float] | None] = ()


def page(title: str, notes: Iterable[str], place: Place, format: str) -> Axes:  # noqa: A002
    """Axes on a page of their own, under a title and, quietly, what goes with it."""
    letters, note = Lettering(format), " · ".join(note for note in notes if note)
    words = min(PAGE, max(TITLE * letters.ems(title), TEXT * letters.ems(note)) + 2 * MARGIN)
    wide = max(place.min_width, words, place.left + place.width + place.beside + MARGIN)
    sheet = Sheet(wide, place.top + place.height + place.below)
    sheet.heading(title, note, MARGIN, letters)
    sheet.figure.set_label(title)
    return sheet.axes(*place[:4])


def figure_of(ax: Axes) -> Figure:
    """The whole figure that axes are part of."""
    figure: Figure = ax.figure.figure
    return figure


def file_of(figure: Figure, format: str) -> bytes:  # noqa: A002
    """The bytes of a file that does not say when or by what it was made."""
    with drawing(format):
        return picture_of(figure, format, str(figure.get_label()))


def files(stem: str, plot: Callable[..., Figure], tree: Any, names: Iterable[str] = ()) -> dict[str, bytes]:
    """A plot as PNG and, where names have characters that a PNG may have to spell out, also as SVG."""
    formats = ["png", "svg"] if _needs_fonts(names) else ["png"]
    drawn = {}
    for ending in formats:
        with drawing(ending):
            drawn[f"{stem}.{ending}"] = file_of(plot(tree, format=ending), ending)
    return drawn


def _needs_fonts(names: Iterable[str]) -> bool:
    """Whether names take more than the font that comes with matplotlib, the same on every machine."""
    with drawing("png"):
        lettering = Lettering("svg")
        return not all(name.isascii() or lettering.brings(shown(lettering, name)) for name in names)


# Rows


def bare(ax: Axes) -> None:
    """Remove frame and ticks of axes, and grey their numbers."""
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0, colors=QUIET, labelsize=SMALL)
    ax.set_axisbelow(True)


def name_rows(ax: Axes, names: Sequence[str], format: str) -> None:  # noqa: A002
    """Names to the left of the axes, one a row, the first on top."""
    letters = Lettering(format)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_yticks(range(len(names)), [shown(letters, name) for name in names], size=TEXT, color=INK)
    ax.tick_params(axis="y", pad=6)


def shown(letters: Lettering, name: str, room: float = NAMES) -> str:
    """A name as it is written, in the room there is for it."""
    return letters.fit(name or "(no name)", room, TEXT)


def gutter(names: Iterable[str], format: str, room: float = NAMES) -> float:  # noqa: A002
    """How much of the room names need, between an edge and axes."""
    letters = Lettering(format)
    widest = max((TEXT * letters.ems(shown(letters, name, room)) for name in names), default=0.0)
    return MARGIN + widest + 8


def column_head(ax: Axes, right: float, text: str) -> None:
    """The name of what stands beside rows."""
    style: dict[str, Any] = {"ha": "right", "fontsize": SMALL, "color": QUIET}
    ax.annotate(text, (1, 1), (right, 5), "axes fraction", "offset points", annotation_clip=False, **style)


def columns(ax: Axes, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Numbers beside rows, under their names, the first of them in ink."""
    looks = []
    for place, head in enumerate(heads, 1):
        column_head(ax, NUMBER * place, head)
        looks.append(_beside(ax, NUMBER * place, INK if place == 1 else QUIET))
    for at, row in enumerate(rows):
        for look, text in zip(looks, row, strict=True):
            ax.text(1, at, text, **look)


def _beside(ax: Axes, right: float, colour: str) -> dict[str, Any]:
    """The look of small texts at x 1 to the right of rows; they end so many points from the axes."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    moved = ScaledTranslation(right / 72, 0, figure_of(ax).dpi_scale_trans)
    place = blended_transform_factory(ax.transAxes, ax.transData) + moved
    return {"ha": "right", "va": "center_baseline", "fontsize": SMALL, "color": colour, "transform": place}


def name_axes(ax: Axes, across: str = "", up: str = "") -> None:
    """Name the quantity along each axis, with its unit and n."""
    if across:
        ax.set_xlabel(across, color=QUIET, size=TEXT)
    if up:
        ax.set_ylabel(up, color=QUIET, size=TEXT)


def rate_axis(ax: Axes, name: str) -> None:
    """Rates from 0 to 1 across, with quiet lines."""
    name_axes(ax, name)
    ax.set(xlim=(0, 1), xticks=[0, 0.25, 0.5, 0.75, 1])
    ax.grid(axis="x", color=FAINT, linewidth=0.7)


def mean_line(ax: Axes, value: float | None) -> None:
    """A dashed line where a mean is."""
    if value is not None:
        ax.axvline(value, color=INK, linewidth=0.8, linestyle=DASHED)


def count_bars(ax: Axes, counts: Sequence[int], colours: Sequence[str], name: str) -> None:
    """One bar per row, as long as its count of what `name` says."""
    name_axes(ax, f"{name} (n = {sum(counts):,})")
    end = max(counts, default=0) or 1
    ticks = round_numbers(end, most=5, whole=True)
    ax.set_xlim(0, end)
    ax.set_xticks(ticks, [f"{tick:,.0f}" for tick in ticks])
    ax.grid(axis="x", color=FAINT, linewidth=0.7)
    for row, (count, colour) in enumerate(zip(counts, colours, strict=True)):
        draw_bar(ax, row, count, 0.55, colour)


def draw_bars(ax: Axes, lengths: Iterable[float], tall: float, colour: str) -> None:
    """A bar of one colour for each row."""
    for row, length in enumerate(lengths):
        draw_bar(ax, row, length, tall, colour)


def draw_bar(ax: Axes, middle: float, length: float, tall: float, colour: str) -> None:
    """A bar from zero, as `barh` draws it: that also finds limits for the axes, which have theirs."""
    from matplotlib.patches import Rectangle

    ax.add_artist(Rectangle((0, middle - tall / 2), length, tall, facecolor=colour))


# Curves


def draw_curves(ax: Axes, x: Sequence[float], curves: Sequence[Curve]) -> None:
    """Rates over a quantity: a line each, its spread as a band or, at a single point, a whisker."""
    bare(ax)
    ax.set_ylim(0, _high(curves))
    ax.grid(axis="y", color=FAINT, linewidth=0.7)
    ax.tick_params(pad=6)
    for curve in curves:
        _band(ax, x, curve)
        values = [float("nan") if value is None else value for value in curve.values]
        ax.plot(x, values, f"-{curve.marker}", color=curve.colour, lw=1.6, ms=5.5, mec="white", clip_on=False)


def with_room(x: Sequence[float]) -> list[float]:
    """The numbers, of a rising list, that can be written under an axis without overlapping the one before.

    >>> with_room([0, 1, 5, 30])
    [0, 5, 30]
    """
    kept: list[float] = []
    for place in x:
        if not kept or place - kept[-1] > (x[-1] - x[0]) * 0.05:
            kept.append(place)
    return kept


def names_at_ends(ax: Axes, curves: Sequence[Curve]) -> None:
    """Each name beside the last point of its curve."""
    for height, name, colour in apart([_end(curve, ax) for curve in curves], gap=0.07):
        ax.text(1.03, height, name, transform=ax.transAxes, color=colour, va="center_baseline", fontsize=TEXT)


def curve_key(ax: Axes, curves: Sequence[Curve], title: str) -> None:
    """List all names to the right of the axes, for curves that end in the same place."""
    look: dict[str, Any] = {"lw": 1.6, "ms": 5.5, "mec": "white"}
    key(ax, [(curve.name, look | {"color": curve.colour, "marker": curve.marker}) for curve in curves], title)


def key(ax: Axes, lines: Sequence[tuple[str, dict[str, Any]]], title: str, **look: Any) -> None:
    """What each kind of line stands for, to the right of the axes, from the top on."""
    from matplotlib.lines import Line2D

    drawn, names, corner = [Line2D([], [], **line) for _, line in lines], [name for name, _ in lines], (1.02, 1.06)
    style = {"frameon": False, "fontsize": TEXT, "handlelength": 2, "labelspacing": 0.8, "alignment": "left"}
    legend = ax.legend(
        drawn, names, loc="upper left", bbox_to_anchor=corner, title=title, title_fontsize=SMALL, **style | look
    )
    legend.get_title().set_color(QUIET)


def _high(curves: Sequence[Curve]) -> float:
    ends = [span[1] for curve in curves for span in curve.spans if span]
    most = max([*ends, *(value for curve in curves for value in curve.values if value is not None)], default=1.0)
    return next((high for high in (0.1, 0.2, 0.4, 0.6, 0.8) if most <= high), 1.0)


def _band(ax: Axes, x: Sequence[float], curve: Curve) -> None:
    known = [(at, *span) for at, span in zip(x, curve.spans, strict=False) if span]
    if len(known) == 1:
        ((at, low, high),) = known
        ax.plot([at, at], [low, high], color=curve.colour, linewidth=9, alpha=0.3, solid_capstyle="butt")
    elif known:
        places, lows, highs = zip(*known, strict=True)
        ax.fill_between(places, lows, highs, color=curve.colour, alpha=0.12, linewidth=0)


def _end(curve: Curve, ax: Axes) -> tuple[float, str, str]:
    """Where the name of a curve goes: beside its last point, as a part of the height."""
    known = [value for value in curve.values if value is not None]
    if not known:
        return 0.0, f"{curve.name} —", curve.colour
    return known[-1] / ax.get_ylim()[1], curve.name, curve.colour


# Cells


class Matrix(NamedTuple):
    """Counts of pairs. Of the cells where a row meets its own column, the first so many are right."""

    rows: list[str]
    columns: list[str]
    counts: list[list[int]]
    right: int


def matrix_place(matrix: Matrix, format: str) -> Place:  # noqa: A002
    """Cells that grow as they get fewer, on a page that is as wide as they need."""
    cells = len(matrix.rows)
    size = cells * max(CELL_LEAST, min(CELL_MOST, MATRIX / max(1, cells)))
    left, above = gutter(matrix.rows, format) + 14, gutter(matrix.columns, format, UPRIGHT)
    return Place(left, TOP + above - 8, size, size, 26, beside=NUMBER, min_width=0)


def draw_matrix(ax: Axes, matrix: Matrix, format: str) -> None:  # noqa: A002
    """One cell per pair, as dark as its share of the row, in per cent; beside each row its sum."""
    shares = [[n / (sum(row) or 1) for n in row] for row in matrix.counts]
    bare(ax)
    if shares:
        ax.imshow([[_shade(matrix, at, to, part) for to, part in enumerate(row)] for at, row in enumerate(shares)])
    ax.set_aspect("auto")
    name_rows(ax, matrix.rows, format)
    _name_columns(ax, matrix.columns, format)
    ax.xaxis.set_label_position("bottom")
    name_axes(ax, "prediction", "ground truth")
    _part_cells(ax, len(shares), marked=matrix.rows != matrix.columns)
    column_head(ax, NUMBER, "n")
    look = _beside(ax, NUMBER, QUIET)
    for at, row in enumerate(shares):
        ax.text(1, at, f"{sum(matrix.counts[at]):,}", **look)
        for to, part in enumerate(row):
            _number(ax, at, to, part)


def _shade(matrix: Matrix, at: int, to: int, part: float) -> tuple[float, ...]:
    """The colour of a cell: right, wrong, or between what is not told apart; small shares are seen too."""
    from matplotlib.colors import to_rgb

    full = WRONG if at != to else MATCHED if at < matrix.right else QUIET
    return tuple(1 - (1 - channel) * part**0.6 * 0.9 - 0.025 for channel in to_rgb(full))


def _name_columns(ax: Axes, names: Sequence[str], format: str) -> None:  # noqa: A002
    """Names above the axes, upright."""
    letters = Lettering(format)
    ax.xaxis.tick_top()
    words = [shown(letters, name, UPRIGHT) for name in names]
    ax.set_xticks(range(len(names)), words, rotation=90, size=TEXT, color=INK)
    ax.tick_params(axis="x", pad=6)


def _part_cells(ax: Axes, cells: int, marked: bool) -> None:
    """White lines between the cells; a wide one sets the last row and column apart where these are no class."""
    for edge in range(cells + 1):
        wide = 3 if marked and edge == cells - 1 else 0.8
        ax.axhline(edge - 0.5, color="white", linewidth=wide)
        ax.axvline(edge - 0.5, color="white", linewidth=wide)


def _number(ax: Axes, at: int, to: int, part: float) -> None:
    if part >= 0.005:
        colour = "white" if part > 0.6 else INK
        ax.text(to, at, f"{100 * part:.0f}", color=colour, ha="center", va="center_baseline", fontsize=SMALL)


def apart(labels: Sequence[tuple[float, str, str]], gap: float) -> list[tuple[float, str, str]]:
    """Labels from high to low, pushed down where they would touch the one above."""
    placed: list[tuple[float, str, str]] = []
    for height, name, colour in sorted(labels, key=lambda label: -label[0]):
        placed.append((min(height, placed[-1][0] - gap) if placed else height, name, colour))
    return placed
