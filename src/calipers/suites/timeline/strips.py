"""Pictures of states along videos: one strip per video, and the curve of a tolerance sweep.

A strip shows the ground truth over the prediction, and under both a thin line of the frames where they differ. The
idle state is light grey, the states of a work zone have colours of their own, any other state takes the next of a
series that colour-blind eyes tell apart. Frame `f` reaches from `f` to `f + 1`. A run too short to be seen is drawn one
point wide; where many crowd, each state gets its share of the points. So a long video makes no larger a picture.

The same input gives the same bytes. Names are text and nothing else: without their middle when they are long, with
characters that do not print spelled out, and in a PNG also those that the font lacks. Needs matplotlib (extra `plots`).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from calipers.show.charts.palette import FAINT, INK, QUIET, SERIES, more_colours
from calipers.show.charts.pieces import apart
from calipers.show.charts.sheet import LEGEND_LINE, TEXT, TICK, Entry, Lettering, Sheet, drawing, round_numbers
from calipers.show.file_names import hashed_stem
from calipers.show.text import UNDEFINED, printable, rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Run = tuple[str, int, int]  # state, first frame, last frame
Point = tuple[int, float | None, float | None, float | None]  # tolerance, precision, recall, accuracy
Tick = tuple[float, str]  # place in frames, what to write there

IDLE = "#dcdfe2"
WORK_ZONE = {"approaching": "#f0ae35", "inside": "#c23b1e", "exiting": "#2b8294"}
CURVES = (("precision", "#424c8a", "o"), ("recall", "#2b8294", "s"), ("accuracy", "#c27a12", "^"))
AGREEMENT = {"same": "#f1f2f4", "differ": "#30353a"}

# In points; with two pixels to a point, columns fall on whole pixels
PAGE, LEFT, COLUMNS = 648, 70, 552  # a strip has this many columns of one point
TALL, THIN, GAP = 30, 8, 5
LEGEND_MOST, STATE_ROOM = 24, 150
TIME_STEPS = (30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200)  # seconds


class Strip(NamedTuple):
    """One video: runs of states over the same frames on both sides, and a few numbers to print above them."""

    name: str
    truth: list[Run]
    pred: list[Run]
    fps: float | None
    figures: dict[str, float | None]


def picture_name(video: str, taken: set[str]) -> str:
    """A file name, without ending, for the picture of a video: readable, and not one of those taken.

    >>> picture_name("../城市/drive 01.mp4", set())
    'drive-01-mp4-b86fc8ac'
    """
    return hashed_stem(video, taken, "video")


def strip_picture(strip: Strip, format: str, *, idle: str = "outside", states: Iterable[str] = ()) -> bytes:  # noqa: A002
    """Ground truth over prediction over errors, as PNG or SVG.

    With `states`, those of all videos, a state has the same colour in every picture.
    """
    with drawing(format):
        lettering = Lettering(format)
        runs = [*strip.truth, *strip.pred]
        present = {run[0] for run in runs}
        shown = list(dict.fromkeys(state for state in (idle, *WORK_ZONE, *sorted(present)) if state in present))
        colours = state_colours({*states, *shown}, idle)
        legend = legend_entries(shown, colours, lettering)
        frames = 1 + max((run[2] for run in runs), default=0)
        times = time_ticks(frames, strip.fps)
        top = 62 if times else 48
        foot = top + 2 * (TALL + GAP) + THIN
        sheet = Sheet(PAGE, foot + 32 + LEGEND_LINE * (1 + max((line for _, _, _, line in legend), default=-1)))
        figures = (f"{name.replace('_', ' ')} {_number(value)}" for name, value in strip.figures.items())
        sheet.heading(strip.name, " · ".join(figures), LEFT, lettering)
        axes = _strip_axes(sheet, top, foot, frames, times)
        _paint(axes, strip.truth, colours, 0, TALL)
        _paint(axes, strip.pred, colours, TALL + GAP, TALL)
        _paint(axes, agreement(strip.truth, strip.pred), AGREEMENT, 2 * (TALL + GAP), THIN)
        sheet.legend(legend, LEFT, foot + 36)
        return sheet.picture(format, printable(strip.name))


def tolerance_picture(points: Sequence[Point], format: str) -> bytes:  # noqa: A002
    """Mean precision, recall and accuracy of transitions by tolerance, as PNG or SVG; None is a gap."""
    title = "Transitions found by tolerance"
    with drawing(format):
        sheet = Sheet(400, 228)
        sheet.heading(title, "means over videos", 44, Lettering(format))
        axes = sheet.axes(44, 58, 276, 124)
        points = sorted(points, key=lambda point: point[0])
        tolerances = [point[0] for point in points]
        high = _scale(axes, tolerances, max((value for point in points for value in point[1:] if value), default=1.0))
        labels = []
        for column, (name, colour, marker) in enumerate(CURVES, 1):
            rates = [point[column] for point in points]
            known = [value for value in rates if value is not None]
            curve = [math.nan if value is None else value for value in rates]
            axes.plot(tolerances, curve, f"-{marker}", color=colour, ms=5.5, mec="white", clip_on=False)
            labels.append((known[-1] / high, name, colour) if known else (0.0, f"{name} {UNDEFINED}", colour))
        for height, name, colour in apart(labels, gap=0.1):
            axes.text(1.03, height, name, transform=axes.transAxes, color=colour, va="center_baseline")
        axes.set_xlabel("tolerance in frames", color=QUIET, labelpad=5)
        return sheet.picture(format, title)


# What is drawn


def state_colours(states: Iterable[str], idle: str) -> dict[str, str]:
    """A colour for every state; those without one of their own take the series in sorted order.

    >>> state_colours(["outside", "inside", "b", "a"], "outside")
    {'a': '#7845c4', 'b': '#9ad373', 'inside': '#c23b1e', 'outside': '#dcdfe2'}
    """
    known, series = WORK_ZONE | {idle: IDLE}, chain(SERIES, more_colours())
    return {state: known[state] if state in known else next(series) for state in sorted(states)}


def agreement(truth: Sequence[Run], pred: Sequence[Run]) -> list[Run]:
    """Runs of frames where two timelines say the same, and where they differ.

    >>> agreement([("a", 0, 4), ("b", 5, 9)], [("a", 0, 2), ("c", 3, 6), ("b", 7, 9)])
    [('same', 0, 2), ('differ', 3, 6), ('same', 7, 9)]
    """
    runs: list[Run] = []
    t = p = start = 0
    while t < len(truth) and p < len(pred):
        state, end = "same" if truth[t][0] == pred[p][0] else "differ", min(truth[t][2], pred[p][2])
        first = runs.pop()[1] if runs and runs[-1][0] == state else start
        runs.append((state, first, end))
        t, p, start = t + (truth[t][2] == end), p + (pred[p][2] == end), end + 1
    return runs


def crowded_columns(runs: Iterable[Run], frames: int) -> dict[int, str]:
    """What the columns show where runs narrower than a column begin: every state its share of neighbouring columns.

    >>> crowded_columns([("a", 0, 0), ("b", 1, 1), ("a", 2, 2), ("b", 3, 3)], 2 * COLUMNS)
    {0: 'a', 1: 'b'}
    """
    crowds: dict[int, Counter[str]] = defaultdict(Counter)
    for state, first, last in runs:
        crowds[first * COLUMNS // frames][state] += last - first + 1
    shown: dict[int, str] = {}
    owed: Counter[str] = Counter()
    for column, crowd in crowds.items():  # what one column cannot show is owed by the next
        owed = owed if column - 1 in shown else Counter()
        owed.update(crowd)
        shown[column] = max(sorted(crowd), key=owed.__getitem__)
        owed[shown[column]] -= crowd.total()
    return shown


def _paint(axes: Axes, runs: Sequence[Run], colours: dict[str, str], top: float, height: float) -> None:
    """One strip. A run is painted on to the end and covered by the next: edges that only meet would show a seam."""
    frames = runs[-1][2] + 1 if runs else 0
    narrow = [run for run in runs if (run[2] - run[1] + 1) * COLUMNS < frames]
    wide = [run for run in runs if (run[2] - run[1] + 1) * COLUMNS >= frames]
    for state, first, _ in wide:
        _fill(axes, [(first, frames)], colours[state], top, height)
    spans: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for column, state in crowded_columns(narrow, frames).items():
        spans[state].append((column * frames / COLUMNS, (column + 1) * frames / COLUMNS))
    for state, places in spans.items():
        _fill(axes, places, colours[state], top, height)


def _fill(axes: Axes, spans: Sequence[tuple[float, float]], colour: str, top: float, height: float) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    foot = top + height
    corners = [corner for a, b in spans for corner in ((a, top), (b, top), (b, foot), (a, foot), (a, top))]
    box = [Outline.MOVETO, Outline.LINETO, Outline.LINETO, Outline.LINETO, Outline.CLOSEPOLY]
    axes.add_patch(PathPatch(Outline(corners, box * len(spans)), facecolor=colour, linewidth=0, clip_on=False))


def time_ticks(frames: int, fps: float | None) -> tuple[str, list[Tick]] | None:
    """Unit and ticks of the time axis; None when the speed is not known.

    >>> time_ticks(6000, 30)[1][-2:]
    [(4500, '2:30'), (5400, '3:00')]
    """
    seconds = frames / fps if fps and fps > 0 else math.inf
    if fps is None or not 0 < seconds < math.inf:
        return None
    if seconds <= 120:
        return "seconds", [(place * fps, f"{place:g}") for place in round_numbers(seconds)]
    step = next((step for step in TIME_STEPS if seconds <= 8 * step), 86400 * math.ceil(seconds / 8 / 86400))
    places = range(0, math.floor(seconds) + 1, step)
    unit = 1 if seconds < 3600 else 60  # the last two digits count seconds or minutes
    texts = ["0", *(f"{place // unit // 60:,}:{place // unit % 60:02}" for place in places[1:])]
    return ("min:s" if unit == 1 else "h:min"), [(place * fps, text) for place, text in zip(places, texts, strict=True)]


def _scale(axes: Axes, tolerances: Sequence[int], most: float) -> float:
    """Rates from zero, and a tick at every tolerance that has room; returns the highest rate on the axis."""
    high = next((high for high in (0.1, 0.2, 0.4, 0.6, 0.8) if most <= high), 1.0)
    low, wide = (tolerances[0], tolerances[-1] - tolerances[0]) if tolerances else (0, 0)
    ticks: list[int] = []
    for tolerance in tolerances:
        if not ticks or tolerance - ticks[-1] > wide * 0.06:
            ticks.append(tolerance)
    margin, rates = wide * 0.03 or 1, round_numbers(high, most=5)
    axes.set(xlim=(low - margin, low + wide + margin), ylim=(0, high))
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.set_yticks(rates, [f"{tick:.3g}" for tick in rates])
    axes.grid(axis="y", color=FAINT, linewidth=0.6, clip_on=False)
    return high


def _number(value: float | None) -> str:
    return rate(value) if value is None or abs(value) <= 1 else f"{value:,.1f}"


def _strip_axes(sheet: Sheet, top: float, foot: float, frames: int, times: tuple[str, list[Tick]] | None) -> Axes:
    """Axes in frames across and in points down, and what stands to their left."""
    axes = sheet.axes(LEFT, top, COLUMNS, foot - top)
    places = round_numbers(frames, whole=True)
    middles = [TALL / 2, TALL * 1.5 + GAP, 2 * (TALL + GAP) + THIN / 2]
    axes.set(xlim=(0, frames), ylim=(foot - top, 0))
    axes.set_xticks(places, [f"{place:,.0f}" for place in places])
    axes.set_yticks(middles, ["ground truth", "prediction", "in error"], color=INK, size=TEXT)
    axes.tick_params(axis="y", pad=8)
    sheet.write(LEFT - 8, foot + 6, "frame", ha="right", va="top", color=QUIET, fontsize=TICK)
    if times:
        upper = axes.secondary_xaxis("top")
        upper.set_xticks([place for place, _ in times[1]], [text for _, text in times[1]])
        upper.spines[:].set_visible(False)
        upper.tick_params(length=3, width=0.6, pad=3, colors=QUIET, labelsize=TICK)
        sheet.write(LEFT - 8, top - 6, times[0], ha="right", va="bottom", color=QUIET, fontsize=TICK)
    return axes


def legend_entries(states: Sequence[str], colours: dict[str, str], lettering: Lettering) -> list[Entry]:
    """Text, colour, left edge and line of every state; beyond a number of them, how many more there are."""
    texts = [(lettering.fit(state, STATE_ROOM, TEXT), colours.get(state)) for state in states[:LEGEND_MOST]]
    if len(states) > LEGEND_MOST:
        texts.append((f"and {len(states) - LEGEND_MOST:,} more", None))
    entries: list[Entry] = []
    left, line = 0.0, 0
    for text, colour in texts:
        room = 32 + TEXT * lettering.ems(text)
        if left + room > PAGE - LEFT:
            left, line = 0.0, line + 1
        entries.append((text, colour, left, line))
        left += room
    return entries
