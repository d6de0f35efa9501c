"""Plots of methods on scenes: how well boxes lie, by class too, the main metrics, and why predictions are false.

Each is a function `plot(methods, *, ax=None, format="png")` that gives the figure; `methods` are the trees of the
methods by name. The panels share the room of `ax`, whose own frame and ticks go, or that of a page. `pictures(methods)`
are all of them as files; the same trees give the same bytes. Needs matplotlib (extra `plots`).

One panel per metric, one row per method; a method has the same colour in all plots. Rates share one scale from 0 to 1,
metres have their own. A thin line over a bar is its 95 % interval, where one is known. The number stands beside the
bar; an undefined one is a dash and has no bar.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from calipers.show.charts import pieces as charts
from calipers.show.charts.calibration import calibration_chart, calibration_lines, filled_bins
from calipers.show.charts.palette import FAINT, cause_colours, method_colours
from calipers.show.charts.panels import CELL, GAP, PANEL_FOOT, PANEL_HEAD, ROW, Board, Heading, Measure, Row
from calipers.show.charts.pieces import SMALL
from calipers.show.charts.sheet import drawing
from calipers.suites.scene.tables import extra_metrics, metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Methods = dict[str, Any]
BAR = 9  # in points
MAX_METHODS, MAX_CLASSES, MAX_BARS = 24, 40, 160
MANY = 7  # methods, whose counts do not fit into a line


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

COUNTS_BY_CLASS = {
    "precision": Measure("precision", "precision", "of predictions"),
    "recall": Measure("recall", "recall", "of ground truth"),
    "f1": Measure("f1", "F1", "of the two"),
    "tp": Measure("tp", "tp", "found", whole=True),
    "fp": Measure("fp", "fp", "false", whole=True),
    "fn": Measure("fn", "fn", "missed", whole=True),
}


def pictures(methods: Methods) -> dict[str, bytes]:
    """All plots, by file name."""
    names, labels = list(_first(methods)), _labels(_first(methods))
    return {
        **charts.files("main_metrics", main_metrics_plot, methods, names),
        **charts.files("localization_metrics", localization_metrics_plot, methods, names),
        **charts.files("localization_per_class", localization_per_class_plot, methods, [*names, *labels]),
        **charts.files("per_class_f1", per_class_f1_plot, methods, [*names, *labels]),
        **charts.files("fp_breakdown", fp_breakdown_plot, methods, names),
        **(
            charts.files("calibration", calibration_plot, methods, names)
            if any(map(filled_bins, _trees(methods)))
            else {}
        ),
    }


def localization_metrics_plot(methods: Methods, *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """Strict and relaxed accuracy and precision, overlap, and the error of centres in metres."""
    return _panels("Localisation", STRICT, LOCALIZATION, methods, 4, ax, format)


def main_metrics_plot(methods: Methods, *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """Precision, recall and F1, and what there is of the open set and of average precision."""
    open_set, rulers = extra_metrics(methods)
    measures = [*DETECTION, *(OPEN_SET if open_set else ()), *map(_average_precision, rulers)]
    return _panels("Main metrics", "", measures, methods, 3, ax, format)


def _average_precision(name: str) -> Measure:
    """The panel of a ruler.

    >>> _average_precision("ap_distance_0.5").title
    'AP at 0.5 m'
    """
    _, kind, limit = name.split("_", 2)
    return Measure(name, f"AP at IoU {limit}" if kind == "iou" else f"AP at {limit} m", "mean over classes")


def _panels(
    title: str,
    note: str,
    measures: Sequence[Measure],
    methods: Methods,
    across: int,
    ax: Axes | None,
    format: str,  # noqa: A002
) -> Figure:
    """Panels, some beside each other, each with all methods."""
    drawn = _first(methods)
    lines = [measures[at : at + across] for at in range(0, len(measures), across)]
    tall = ROW * max(1, len(drawn))
    step = PANEL_HEAD + tall + PANEL_FOOT
    with drawing(format):
        heading = Heading(title, [note, _lines_note(drawn, measures), _counts_note(drawn), _cut(methods)])
        board = Board(ax, heading, len(lines) * step, drawn, format)
        for number, line in enumerate(lines):
            top = PANEL_HEAD + number * step
            board.names([(top + ROW * (at + 0.5), name) for at, name in enumerate(drawn)])
            for column, measure in enumerate(line):
                board.panel(board.place(column, across, top, tall), measure, _rows(drawn, measure))
        return charts.figure_of(board.ax)


def _first(methods: Methods) -> Methods:
    return dict(list(methods.items())[:MAX_METHODS])


def _cut(methods: Methods) -> str:
    return f"the first {MAX_METHODS:,} of {len(methods):,} methods" if len(methods) > MAX_METHODS else ""


def _counts_note(methods: Methods) -> str:
    """What figures rest on: objects, and the predictions of each method where they are few."""
    counts = [tree["counts"] for tree in methods.values()]
    objects = f"n = {max((count['gt'] for count in counts), default=0):,} objects"
    predicted = ", ".join(f"{count['pred']:,}" for count in counts)
    return f"{objects}, {predicted} predictions" if len(counts) < MANY else objects


def _lines_note(methods: Methods, measures: Iterable[Measure]) -> str:
    has_intervals = any(_interval(tree, measure) for tree in methods.values() for measure in measures)
    return "thin lines: 95 % intervals" if has_intervals else ""


def _rows(methods: Methods, measure: Measure) -> list[Row]:
    colours = method_colours(methods)
    return [
        Row(ROW * (at + 0.5), BAR, colours[name], metric(tree, measure.metric), _interval(tree, measure))
        for at, (name, tree) in enumerate(methods.items())
    ]


def _interval(tree: Any, measure: Measure) -> Any:
    return metric(tree, f"{measure.metric}_interval")


# By class


def localization_per_class_plot(
    methods: Methods,
    *,
    ax: Axes | None = None,
    format: str = "png",  # noqa: A002
) -> Figure:
    """How well boxes lie, as a mean over classes and for each class; of many classes, the commonest."""
    return _class_panels("Localisation by class", STRICT, "mean over classes", BY_CLASS, methods, ax, format)


def per_class_f1_plot(methods: Methods, *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """Precision, recall, F1 and the counts behind them, of all objects and of each class."""
    note = "a class counts where both sides of a match carry it"
    return _class_panels("Precision, recall and F1 by class", note, "all objects", COUNTS_BY_CLASS, methods, ax, format)


def _class_panels(
    title: str,
    note: str,
    first: str,
    measures: dict[str, Measure],  # by the metric over everything that stands in the first rows
    methods: Methods,
    ax: Axes | None,
    format: str,  # noqa: A002
) -> Figure:
    """Panels beside each other, each with a metric over everything and for each class."""
    drawn = _first(methods)
    labels = _labels(drawn)
    shown = labels[: max(8, min(MAX_CLASSES, MAX_BARS // max(1, len(drawn))))]
    cut = f"the {len(shown):,} classes with the most objects of {len(labels):,}" if len(shown) < len(labels) else ""
    heading = Heading(title, [note, cut, _counts_note(drawn), _cut(methods)])
    with drawing(format):
        rows = ClassRows.of(len(drawn), len(shown))
        board = Board(ax, heading, PANEL_HEAD + rows.tall + PANEL_FOOT, [*drawn, *shown], format)
        _name_classes(board, rows, list(drawn), shown, first)
        for column, (overall, measure) in enumerate(measures.items()):
            bars = _rows(drawn, measure._replace(metric=overall))
            for edge, label in zip(rows.edges, shown, strict=True):
                bars += _class_rows(drawn, label, measure, edge + rows.inset, rows.pitch)
            board.panel(board.place(column, len(measures), PANEL_HEAD, rows.tall), measure, bars)
        return charts.figure_of(board.ax)


class ClassRows(NamedTuple):
    """Where the bars of classes are, in points from the top of a panel that has the means first."""

    pitch: float  # from bar to bar of one class
    group: float  # from class to class
    inset: float  # from the edge of a class to the middle of its first bar
    first: float
    edges: Sequence[float]
    tall: float

    @classmethod
    def of(cls, methods: int, classes: int) -> ClassRows:
        """Room for so many classes of so many methods."""
        pitch = 13 if methods == 1 else 9 if methods <= 4 else 8
        group, first = max(ROW, pitch * methods + 6), ROW * methods + 24
        edges = [first + group * at for at in range(classes)]
        return cls(pitch, group, (group - pitch * (methods - 1)) / 2, first, edges, first + group * classes)


def _name_classes(board: Board, rows: ClassRows, methods: list[str], classes: list[str], first: str) -> None:
    board.note(PANEL_HEAD - 7, first)
    board.names([(PANEL_HEAD + ROW * (at + 0.5), name) for at, name in enumerate(methods)])
    board.note(PANEL_HEAD + rows.first - 7, "class by class" if classes else "no class")
    for edge, label in zip(rows.edges, classes, strict=True):
        board.names([(PANEL_HEAD + edge + rows.group / 2, label)])
        board.line(PANEL_HEAD + edge)


def _labels(methods: Methods) -> list[str]:
    """All classes, those with the most objects first."""
    objects: dict[str, int] = {}
    for tree in methods.values():
        for label, entry in tree["per_class"].items():
            objects[label] = max(objects.get(label, 0), entry["tp"] + entry["fn"])
    return sorted(objects, key=lambda label: (-objects[label], label))


def _class_rows(methods: Methods, label: str, measure: Measure, start: float, pitch: float) -> list[Row]:
    """The bars of one class."""
    colours = method_colours(methods)
    values = (tree["per_class"].get(label, {}).get(measure.metric) for tree in methods.values())
    return [
        Row(start + pitch * at, pitch - 2.5, colours[name], value, None, SMALL)
        for at, (name, value) in enumerate(zip(methods, values, strict=True))
    ]


# Why predictions are false


def fp_breakdown_plot(methods: Methods, *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """False positives by cause: one bar per method, made of its causes, and beside it all counts."""
    drawn = _first(methods)
    colours = cause_colours(cause for tree in drawn.values() for cause in tree["fp_breakdown"])
    tall, table = ROW * max(1, len(drawn)), CELL * (len(colours) + 1)
    heading = Heading(
        "False positives by cause",
        ["each false positive under the first cause that applies to it", _counts_note(drawn), _cut(methods)],
    )
    sums = [sum(tree["fp_breakdown"].values()) for tree in drawn.values()]
    with drawing(format):
        board = Board(ax, heading, PANEL_HEAD + tall + PANEL_FOOT + 12, drawn, format, narrowest=320 + table)
        board.names([(PANEL_HEAD + ROW * (at + 0.5), name) for at, name in enumerate(drawn)])
        left = board.width - table
        place = board.gutter, PANEL_HEAD, left - GAP / 2 - board.gutter, tall
        axes = board.frame(place, max(sums, default=0) or 1, whole=True)
        charts.name_axes(axes, "false positives")
        for at, tree in enumerate(drawn.values()):
            _stack(axes, tree["fp_breakdown"], colours, ROW * (at + 0.5))
        for column, (cause, colour) in enumerate(colours.items()):
            counts = [tree["fp_breakdown"].get(cause, 0) for tree in drawn.values()]
            board.counts(left + CELL * column, cause.replace("_", " ").replace("iou", "IoU"), counts, colour)
        board.counts(left + CELL * len(colours), "all", sums, FAINT, weight="bold")
        return charts.figure_of(board.ax)


def _stack(axes: Any, counts: dict[str, int], colours: dict[str, str], middle: float) -> None:
    start = 0
    for cause, colour in colours.items():
        axes.barh(middle, counts.get(cause, 0), BAR + 1, start, color=colour, edgecolor="white", linewidth=0.6)
        start += counts.get(cause, 0)


# Calibration


def calibration_plot(methods: Methods, *, ax: Axes | None = None, format: str = "png") -> Figure:  # noqa: A002
    """The precision of each bin of scores over the mean score, a line for each method that has scores."""
    scored = {name: tree for name, tree in _first(methods).items() if filled_bins(tree)}
    if len(scored) == 1:
        return calibration_chart(next(iter(scored.values())), ax=ax, format=format)
    return calibration_lines(scored, ax=ax, format=format)


def _trees(methods: Methods) -> list[Any]:
    return list(_first(methods).values())
