"""What the plots of a result are made of: pages with a heading, rows with names and numbers, curves, cells.

A plot is a function `plot(tree, *, ax=None, format="png")` that gives the figure: drawn into axes of one's own when
they are given, else onto a page of the size it needs. `figure.savefig("plot.svg")` writes it. In names for a PNG, what
its font lacks is spelled out; an SVG keeps every character, for whoever opens it. Needs matplotlib (extra `plots`).
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from calipers.views.palette import FAINT, INK, MATCHED, QUIET
from calipers.views.sheet import DPI, TEXT, Lettering, Sheet, drawing, round_numbers
from calipers.views.strips import apart

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# In points
PAGE, MARGIN, TOP, SMALL = 648, 14, 54, 7
NAMES, NUMBER, UPRIGHT = 150, 42, 76
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


class Curve(NamedTuple):
    """A line over something, and its spread where that is known."""

    name: str
    colour: str
    marker: str
    values: Sequence[float | None]
    spans: Sequence[Sequence[float] | None] = ()


def page(title: str, notes: Iterable[str], place: Place, format: str) -> Axes:  # noqa: A002
    """Axes on a page of their own, under a title and, quietly, what goes with it."""
    sheet = Sheet(max(PAGE, place.left + place.width + place.beside + MARGIN), place.top + place.height + place.below)
    sheet.heading(title, " · ".join(note for note in notes if note), MARGIN, Lettering(format))
    sheet.figure.set_label(title)
    return sheet.axes(*place[:4])


def figure_of(ax: Axes) -> Figure:
    """The whole figure that axes are part of."""
    figure: Figure = ax.get_figure(root=True)  # type: ignore[assignment]  # axes that are drawn into have one
    return figure


def file_of(figure: Figure, format: str) -> bytes:  # noqa: A002
    """The bytes of a file that does not say when or by what it was made."""
    untold = dict.fromkeys(["Software"] if format == "png" else ["Creator", "Date", "Format", "Type"])
    file = io.BytesIO()
    with drawing(format):
        figure.savefig(file, format=format, dpi=DPI, metadata={**untold, "Title": str(figure.get_label())})
    return file.getvalue()


def files(stem: str, plot: Callable[..., Figure], tree: Any, names: Iterable[str] = ()) -> dict[str, bytes]:
    """A plot as PNG and, where names have characters that a PNG can only spell out, also as SVG."""
    formats = ["png", "svg"] if _spells_out(names) else ["png"]
    return {f"{stem}.{each}": file_of(plot(tree, format=each), each) for each in formats}


def _spells_out(names: Iterable[str]) -> bool:
    with drawing("png"):
        spelled, kept = Lettering("png"), Lettering("svg")
        return any(_shown(spelled, name, NAMES) != _shown(kept, name, NAMES) for name in names)


# Rows


def bare(ax: Axes) -> None:
    """No frame, no ticks, quiet numbers."""
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0, colors=QUIET, labelsize=SMALL)
    ax.set_axisbelow(True)


def name_rows(ax: Axes, names: Sequence[str], format: str) -> None:  # noqa: A002
    """Names to the left of the axes, one a row, the first on top."""
    letters = Lettering(format)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_yticks(range(len(names)), [_shown(letters, name, NAMES) for name in names], size=TEXT, color=INK)
    ax.tick_params(axis="y", pad=6)


def _shown(letters: Lettering, name: str, room: float) -> str:
    return letters.fit(name or "(no name)", room, TEXT)


def gutter(names: Iterable[str], format: str, room: float = NAMES) -> float:  # noqa: A002
    """How much of the room names need, between an edge and axes."""
    letters = Lettering(format)
    widest = max((TEXT * letters.ems(_shown(letters, name, room)) for name in names), default=0.0)
    return MARGIN + widest + 8


def beside(ax: Axes, row: float, right: float, text: str, **look: Any) -> None:
    """A small text to the right of a row; it ends so many points from the axes."""
    style: dict[str, Any] = {"ha": "right", "va": "center_baseline", "fontsize": SMALL} | look
    ax.annotate(text, (1, row), (right, 0), ("axes fraction", "data"), "offset points", annotation_clip=False, **style)


def column_head(ax: Axes, right: float, text: str) -> None:
    """The name of what stands beside rows."""
    style: dict[str, Any] = {"ha": "right", "fontsize": SMALL, "color": QUIET}
    ax.annotate(text, (1, 1), (right, 5), "axes fraction", "offset points", annotation_clip=False, **style)


def columns(ax: Axes, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Numbers beside rows, under their names, the first of them in ink."""
    for place, head in enumerate(heads, 1):
        column_head(ax, NUMBER * place, head)
    for at, row in enumerate(rows):
        for place, text in enumerate(row, 1):
            beside(ax, at, NUMBER * place, text, color=INK if place == 1 else QUIET)


def rate_axis(ax: Axes) -> None:
    """Rates from 0 to 1 across, with quiet lines."""
    ax.set(xlim=(0, 1), xticks=[0, 0.25, 0.5, 0.75, 1])
    ax.grid(axis="x", color=FAINT, linewidth=0.7)


def mean_line(ax: Axes, value: float | None) -> None:
    """A dashed line where a mean is."""
    if value is not None:
        ax.axvline(value, color=INK, linewidth=0.8, linestyle=DASHED)


def count_bars(ax: Axes, counts: Sequence[int], colours: Sequence[str]) -> None:
    """A bar a row, as long as its count."""
    end = max(counts, default=0) or 1
    ticks = round_numbers(end, most=5, whole=True)
    ax.set_xlim(0, end)
    ax.set_xticks(ticks, [f"{tick:,.0f}" for tick in ticks])
    ax.grid(axis="x", color=FAINT, linewidth=0.7)
    ax.barh(range(len(counts)), counts, 0.55, color=colours)


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


def names_at_ends(ax: Axes, curves: Sequence[Curve]) -> None:
    """Each name beside the last point of its curve."""
    for height, name, colour in apart([_end(curve, ax) for curve in curves], gap=0.07):
        ax.text(1.03, height, name, transform=ax.transAxes, color=colour, va="center_baseline", fontsize=TEXT)


def key(ax: Axes, curves: Sequence[Curve], title: str) -> None:
    """All names to the right of the axes, from the top on; for curves that end in the same place."""
    from matplotlib.lines import Line2D

    lines = [Line2D([], [], color=each.colour, marker=each.marker, lw=1.6, ms=5.5, mec="white") for each in curves]
    names, corner = [each.name for each in curves], (1.02, 1.06)
    look: dict[str, Any] = {"frameon": False, "fontsize": TEXT, "handlelength": 2, "labelspacing": 0.8}
    look |= {"title": title, "title_fontsize": SMALL, "alignment": "left"}
    ax.legend(lines, names, loc="upper left", bbox_to_anchor=corner, **look).get_title().set_color(QUIET)


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


def draw_matrix(ax: Axes, names: Sequence[str], counts: Sequence[Sequence[int]], format: str) -> None:  # noqa: A002
    """A cell a pair, as dark as its share of the row, in per cent; beside each row its sum. The diagonal is right."""
    shares = [[n / (sum(row) or 1) for n in row] for row in counts]
    bare(ax)
    ax.imshow([[_shade(part, at == to) for to, part in enumerate(row)] for at, row in enumerate(shares)])
    ax.set_aspect("auto")
    name_rows(ax, names, format)
    _name_columns(ax, names, format)
    column_head(ax, NUMBER, "n")
    for at, row in enumerate(shares):
        beside(ax, at, NUMBER, f"{sum(counts[at]):,}", color=QUIET)
        for to, part in enumerate(row):
            _number(ax, at, to, part)


def _shade(part: float, right: bool) -> tuple[float, ...]:
    """The colour of a cell; small shares are seen too."""
    from matplotlib.colors import to_rgb

    return tuple(1 - (1 - channel) * part**0.6 * 0.9 - 0.025 for channel in to_rgb(MATCHED if right else WRONG))


def _name_columns(ax: Axes, names: Sequence[str], format: str) -> None:  # noqa: A002
    """Names above the axes, upright, and white lines between the cells."""
    letters = Lettering(format)
    ax.xaxis.tick_top()
    shown = [_shown(letters, name, UPRIGHT) for name in names]
    ax.set_xticks(range(len(names)), shown, rotation=90, size=TEXT, color=INK)
    ax.tick_params(axis="x", pad=6)
    for edge in range(len(names) + 1):
        ax.axhline(edge - 0.5, color="white", linewidth=0.8)
        ax.axvline(edge - 0.5, color="white", linewidth=0.8)


def _number(ax: Axes, at: int, to: int, part: float) -> None:
    if part >= 0.005:
        colour = "white" if part > 0.6 else INK
        ax.text(to, at, f"{100 * part:.0f}", color=colour, ha="center", va="center_baseline", fontsize=SMALL)
