"""Pictures of methods on scenes: how well boxes lie, by class too, the main metrics, and why predictions are false.

One panel a metric, one row a method; a method has the same colour in all pictures. Rates share one scale from 0 to 1,
metres have their own. A thin line over a bar is its 95 % interval, where one is known. The number stands beside the
bar; an undefined one is a dash and has no bar.

`methods` are the trees of the methods by name. The same trees give the same bytes. Needs matplotlib (extra `plots`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from calipers.views.palette import FAINT, INK, QUIET, cause_colours, method_colours
from calipers.views.scene_tables import extra_metrics, metric
from calipers.views.sheet import TEXT, Lettering, Sheet, drawing
from calipers.views.text import rate

Methods = dict[str, Any]
Place = tuple[float, float, float, float]  # left edge, top, width, height

# In points
PAGE, MARGIN, GAP, NUMBER = 648, 14, 20, 34  # a number stands at the right edge of its panel
NAMES_LEAST, NAMES_MOST = 80, 150
TOP, PANEL_HEAD, PANEL_FOOT = 54, 30, 20
ROW, BAR, SMALL, CELL = 15, 9, 7, 50
MOST_METHODS, MOST_CLASSES, MOST_BARS = 24, 40, 160


class Measure(NamedTuple):
    """What a panel shows."""

    metric: str
    title: str
    note: str
    metres: bool = False


class Row(NamedTuple):
    """One bar: its middle in points from the top of the panel, its thickness, and how it looks."""

    middle: float
    tall: float
    colour: str
    value: float | None
    interval: Sequence[float] | None = None
    size: float = TEXT


LOCALIZATION = (
    Measure("strict_accuracy", "strict accuracy", "of matched pairs"),
    Measure("relaxed_accuracy", "relaxed accuracy", "of matched pairs"),
    Measure("mean_iou_3d", "mean IoU", "3D, over matched pairs"),
    Measure("mean_centroid_error_m", "centroid error", "metres, less is better", metres=True),
    Measure("strict_precision", "strict precision", "of predictions"),
    Measure("relaxed_precision", "relaxed precision", "of predictions"),
    Measure("f1_relaxed", "F1 relaxed", "of rel. accuracy and IoU"),
)
STRICT = "strict: both centres inside · relaxed: at least one"
DETECTION = (
    Measure("precision", "precision", "matched, of predictions"),
    Measure("recall", "recall", "matched, of ground truth"),
    Measure("f1", "F1", "of precision and recall"),
)
OPEN_SET = (
    Measure("osR_relaxed", "open-set recall", "relaxed, over all tasks"),
    Measure("osP_relaxed", "open-set precision", "relaxed, of relevant predictions"),
    Measure("F1_os", "open-set F1", "of the two"),
)
BY_CLASS = {
    "mean_strict_accuracy_per_class": LOCALIZATION[0],
    "mean_relaxed_accuracy_per_class": LOCALIZATION[1],
    "mean_iou_3d_per_class": LOCALIZATION[2],
    "mean_centroid_error_m_per_class": LOCALIZATION[3],
}


def localization_picture(methods: Methods) -> bytes:
    """Strict and relaxed accuracy and precision, overlap, and the error of centres in metres, as PNG."""
    return _panels("Localisation", STRICT, LOCALIZATION, methods, across=4)


def main_metrics_picture(methods: Methods) -> bytes:
    """Precision, recall and F1, and what there is of the open set and of average precision, as PNG."""
    open_set, rulers = extra_metrics(methods)
    measures = [*DETECTION, *(OPEN_SET if open_set else ()), *map(_average_precision, rulers)]
    return _panels("Main metrics", "", measures, methods, across=3)


def _average_precision(name: str) -> Measure:
    """The panel of a ruler.

    >>> _average_precision("ap_distance_0.5").title
    'AP at 0.5 m'
    """
    _, kind, limit = name.split("_", 2)
    return Measure(name, f"AP at IoU {limit}" if kind == "iou" else f"AP at {limit} m", "mean over classes")


def _panels(title: str, note: str, measures: Sequence[Measure], methods: Methods, across: int) -> bytes:
    """A page of panels, some beside each other, each with all methods."""
    some = _first(methods)
    lines = [measures[at : at + across] for at in range(0, len(measures), across)]
    tall = ROW * max(1, len(some))
    step = PANEL_HEAD + tall + PANEL_FOOT
    with drawing("png"):
        page = Page(title, [note, _lines_note(some, measures), _cut(methods)], some, len(lines) * step)
        for number, line in enumerate(lines):
            top = TOP + PANEL_HEAD + number * step
            page.names([(top + ROW * (at + 0.5), name) for at, name in enumerate(some)])
            for column, measure in enumerate(line):
                page.panel(page.place(column, across, top, tall), measure, _rows(some, measure))
        return page.picture()


def _first(methods: Methods) -> Methods:
    return dict(list(methods.items())[:MOST_METHODS])


def _cut(methods: Methods) -> str:
    return f"the first {MOST_METHODS:,} of {len(methods):,} methods" if len(methods) > MOST_METHODS else ""


def _lines_note(methods: Methods, measures: Iterable[Measure]) -> str:
    known = any(_interval(tree, measure) for tree in methods.values() for measure in measures)
    return "thin lines: 95 % intervals" if known else ""


def _rows(methods: Methods, measure: Measure) -> list[Row]:
    colours = method_colours(methods)
    return [
        Row(ROW * (at + 0.5), BAR, colours[name], metric(tree, measure.metric), _interval(tree, measure))
        for at, (name, tree) in enumerate(methods.items())
    ]


def _interval(tree: Any, measure: Measure) -> Any:
    return metric(tree, f"{measure.metric}_interval")


# By class


def localization_per_class_picture(methods: Methods) -> bytes:
    """How well boxes lie, as a mean over classes and for each class, as PNG; of many classes, the commonest."""
    some = _first(methods)
    labels = _labels(some)
    shown = labels[: max(8, min(MOST_CLASSES, MOST_BARS // max(1, len(some))))]
    cut = f"the {len(shown):,} classes with the most objects of {len(labels):,}" if len(shown) < len(labels) else ""
    pitch = _pitch(len(some))
    group, first = max(ROW, pitch * len(some) + 6), ROW * len(some) + 24
    edges, tall = [first + group * at for at in range(len(shown))], first + group * len(shown)
    top = TOP + PANEL_HEAD
    with drawing("png"):
        page = Page(
            "Localisation by class", [STRICT, cut, _cut(methods)], [*some, *shown], PANEL_HEAD + tall + PANEL_FOOT
        )
        page.aside(top - 7, "mean over classes")
        page.names([(top + ROW * (at + 0.5), name) for at, name in enumerate(some)])
        page.aside(top + first - 7, "class by class" if shown else "no class")
        page.names([(top + edge + group / 2, label) for edge, label in zip(edges, shown, strict=True)])
        for column, (mean, measure) in enumerate(BY_CLASS.items()):
            rows = _rows(some, measure._replace(metric=mean))
            for edge, label in zip(edges, shown, strict=True):
                rows += _class_rows(some, label, measure, edge + (group - pitch * (len(some) - 1)) / 2, pitch)
            page.panel(page.place(column, len(BY_CLASS), top, tall), measure, rows)
        for edge in edges:
            page.line(top + edge)
        return page.picture()


def _labels(methods: Methods) -> list[str]:
    """All classes, those with the most objects first."""
    objects: dict[str, int] = {}
    for tree in methods.values():
        for label, entry in tree["per_class"].items():
            objects[label] = max(objects.get(label, 0), entry["tp"] + entry["fn"])
    return sorted(objects, key=lambda label: (-objects[label], label))


def _pitch(methods: int) -> float:
    """From bar to bar of one class."""
    return 13 if methods == 1 else 9 if methods <= 4 else 8


def _class_rows(methods: Methods, label: str, measure: Measure, start: float, pitch: float) -> list[Row]:
    """The bars of one class."""
    colours = method_colours(methods)
    values = (tree["per_class"].get(label, {}).get(measure.metric) for tree in methods.values())
    return [
        Row(start + pitch * at, pitch - 2.5, colours[name], value, None, SMALL)
        for at, (name, value) in enumerate(zip(methods, values, strict=True))
    ]


# Why predictions are false


def fp_breakdown_picture(methods: Methods) -> bytes:
    """False positives by cause: a bar a method, made of its causes, and beside it all counts, as PNG."""
    some = _first(methods)
    colours = cause_colours(cause for tree in some.values() for cause in tree["fp_breakdown"])
    tall, top, table = ROW * max(1, len(some)), TOP + PANEL_HEAD, CELL * (len(colours) + 1)
    notes = ["each false positive under the first cause that applies to it", _cut(methods)]
    sums = [sum(tree["fp_breakdown"].values()) for tree in some.values()]
    with drawing("png"):
        page = Page("False positives by cause", notes, some, PANEL_HEAD + tall + PANEL_FOOT, max(PAGE, 348 + table))
        page.names([(top + ROW * (at + 0.5), name) for at, name in enumerate(some)])
        left = page.sheet.width - MARGIN - table
        axes = page.frame((page.gutter, top, left - GAP / 2 - page.gutter, tall), max(sums, default=0) or 1, whole=True)
        for at, tree in enumerate(some.values()):
            _stack(axes, tree["fp_breakdown"], colours, ROW * (at + 0.5))
        for column, (cause, colour) in enumerate(colours.items()):
            counts = [tree["fp_breakdown"].get(cause, 0) for tree in some.values()]
            page.counts(left + CELL * column, top, cause.replace("_", " ").replace("iou", "IoU"), counts, colour)
        page.counts(left + CELL * len(colours), top, "all", sums, FAINT, weight="bold")
        return page.picture()


def _stack(axes: Any, counts: dict[str, int], colours: dict[str, str], middle: float) -> None:
    start = 0
    for cause, colour in colours.items():
        axes.barh(middle, counts.get(cause, 0), BAR + 1, start, color=colour, edgecolor="white", linewidth=0.6)
        start += counts.get(cause, 0)


# The page


class Page:
    """A page with a heading; names in a gutter as wide as they need, and to their right panels."""

    def __init__(
        self, title: str, notes: Iterable[str], names: Iterable[str], body: float, width: float = PAGE
    ) -> None:
        self.title, self.lettering = title, Lettering("png")
        self.sheet = Sheet(width, TOP + body)
        self.sheet.heading(title, " · ".join(note for note in notes if note), MARGIN, self.lettering)
        widest = max((TEXT * self.lettering.ems(self._fit(name)) for name in names), default=0)
        self.gutter = MARGIN + max(NAMES_LEAST, widest) + 12

    def _fit(self, name: str) -> str:
        return self.lettering.fit(name, NAMES_MOST, TEXT)

    def picture(self) -> bytes:
        """The bytes of the file."""
        return self.sheet.picture("png", self.title)

    def names(self, places: Iterable[tuple[float, str]]) -> None:
        """Names in the gutter, each at the middle of what it names."""
        for middle, name in places:
            self.sheet.write(MARGIN, middle, self._fit(name), va="center_baseline")

    def aside(self, base: float, text: str) -> None:
        """A quiet word in the gutter."""
        self.sheet.write(MARGIN, base, text, color=QUIET, fontsize=SMALL)

    def line(self, top: float) -> None:
        """A quiet line across the page."""
        self.sheet.block(MARGIN, top, self.sheet.width - 2 * MARGIN, 0.5, FAINT)

    def place(self, column: int, columns: int, top: float, tall: float) -> Place:
        """Where the bars of a panel are; the numbers stand to their right."""
        wide = (self.sheet.width - self.gutter - MARGIN + GAP) / columns
        return self.gutter + wide * column, top, wide - GAP - NUMBER, tall

    def panel(self, place: Place, measure: Measure, rows: Sequence[Row]) -> None:
        """One metric: its name, and for each row a bar, an interval and a number."""
        left, top, width, _ = place
        self.sheet.write(left, top - 17, measure.title, weight="bold")
        self.sheet.write(left, top - 7, measure.note, color=QUIET, fontsize=SMALL)
        axes = self.frame(place, _highest(rows) if measure.metres else 1.0)
        for row in rows:
            colour = QUIET if row.value is None else INK
            look = {"ha": "right", "va": "center_baseline", "color": colour, "fontsize": row.size}
            self.sheet.write(left + width + NUMBER, top + row.middle, rate(row.value), **look)
            if row.value is not None:
                axes.barh(row.middle, row.value, row.tall, color=row.colour)
            if row.interval:
                _whisker(axes, row.middle, row.interval)

    def frame(self, place: Place, most: float, whole: bool = False) -> Any:
        """Axes from zero across and in points down, with a quiet line at each of a few round numbers."""
        high = round_end(most)
        axes = self.sheet.axes(*place)
        ticks = [tick for tick in (0, high / 2, high) if not whole or tick == round(tick)]
        axes.set(xlim=(0, high), ylim=(place[3], 0))
        axes.set_xticks(ticks, [f"{tick:,g}" for tick in ticks], size=SMALL)
        axes.set_yticks([])
        axes.tick_params(axis="x", length=0)
        axes.grid(axis="x", color=FAINT, linewidth=0.7, clip_on=False)
        axes.set_axisbelow(True)
        return axes

    def counts(self, left: float, top: float, name: str, counts: list[int], colour: str, **look: Any) -> None:
        """A column of counts under a name and a colour."""
        words = self.lettering.fit(name, 2 * CELL - 12, SMALL).replace(" ", "\n", 1)
        self.sheet.write(left + CELL, top - 8, words, ha="right", color=QUIET, fontsize=SMALL)
        self.sheet.block(left + 12, top - 3, CELL - 12, 2.5, colour)
        for at, count in enumerate(counts):
            look |= {"ha": "right", "va": "center_baseline", "color": INK if count else QUIET}
            self.sheet.write(left + CELL, top + ROW * (at + 0.5), f"{count:,}", **look)


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
