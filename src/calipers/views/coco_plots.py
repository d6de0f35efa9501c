"""Pictures of a detection report: curves of precision and recall, AP by class, confusion, and the causes of errors.

Each has a function that draws into axes of one's own, `draw_errors(tree, ax=axes)`, and one that gives a PNG of the
size it needs, `errors_picture(tree)`. The same tree gives the same bytes. Needs matplotlib (extra `plots`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

from calipers.views.palette import CAUSES, FAINT, INK, MATCHED, METHODS, QUIET
from calipers.views.sheet import TEXT, Lettering, Sheet, drawing, round_numbers
from calipers.views.text import rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Tree = dict[str, Any]

# In points
PAGE, MARGIN, TOP, SMALL = 648, 14, 54, 7
CURVES_WIDE, CURVES_TALL, KEY_NAMES = 372, 300, 150
ROW, NAMES, NUMBER = 13, 150, 42
CELL_LEAST, CELL_MOST, MATRIX, UPRIGHT = 16, 44, 440, 76
CAUSE_ROW, CAUSE_NUMBERS = 20, 140

MOST_CLASSES, MOST_CELLS = 100, 25
THIN, WRONG = "#b9bfc5", CAUSES["no_overlap"]
ERRORS = {
    "missed": ("missed", QUIET),
    "background": ("background", CAUSES["no_overlap"]),
    "localisation": ("localisation", CAUSES["low_iou"]),
    "class": ("wrong class", CAUSES["wrong_label"]),
    "both": ("localisation and class", CAUSES["unresolved_label"]),
    "duplicate": ("duplicate", CAUSES["duplicate"]),
}


def pictures(tree: Tree) -> dict[str, bytes]:
    """All that can be drawn of a report, by file name: nothing about AP when it is undefined."""
    there = {
        "precision_recall.png": (precision_recall_picture, bool(tree["curves"])),
        "ap_per_class.png": (ap_picture, bool(_ranked(tree))),
        "confusion.png": (confusion_picture, bool(_seen(tree))),
        "errors.png": (errors_picture, True),
    }
    return {name: picture(tree) for name, (picture, possible) in there.items() if possible}


class Place(NamedTuple):
    """Where axes are on a page, and how much room is below and beside them."""

    left: float
    top: float
    width: float
    height: float
    below: float
    beside: float = 0.0  # room to the right that is needed, where the page would not be wide enough


def _picture(title: str, notes: Iterable[str], place: Place, draw: Callable[..., None], tree: Tree) -> bytes:
    with drawing("png"):
        wide = max(PAGE, place.left + place.width + place.beside + MARGIN)
        sheet = Sheet(wide, place.top + place.height + place.below)
        sheet.heading(title, " · ".join(note for note in notes if note), MARGIN, Lettering("png"))
        draw(tree, ax=sheet.axes(*place[:4]))
        return sheet.picture("png", title)


def _bare(ax: Axes) -> None:
    """No frame, no ticks, quiet numbers."""
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0, colors=QUIET, labelsize=SMALL)
    ax.set_axisbelow(True)


def _name_rows(ax: Axes, names: list[str], room: float) -> None:
    """Names to the left of the axes, one a row, the first on top."""
    letters = Lettering("png")
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_yticks(range(len(names)), [_shown(letters, name, room) for name in names], size=TEXT, color=INK)
    ax.tick_params(axis="y", pad=6)


def _shown(letters: Lettering, name: str, room: float) -> str:
    return letters.fit(name or "(no name)", room, TEXT)


def _gutter(names: Iterable[str], room: float) -> float:
    """How much of the room names need, between an edge and axes."""
    with drawing("png"):
        letters = Lettering("png")
    widest = max((TEXT * letters.ems(_shown(letters, name, room)) for name in names), default=0.0)
    return MARGIN + widest + 8


def _aside(ax: Axes, row: float, right: float, text: str, **look: Any) -> None:
    """A small text to the right of a row; it ends so many points from the axes."""
    style: Tree = {"ha": "right", "va": "center_baseline", "fontsize": SMALL} | look
    ax.annotate(text, (1, row), (right, 0), ("axes fraction", "data"), "offset points", annotation_clip=False, **style)


def _column_head(ax: Axes, right: float, text: str) -> None:
    style: Tree = {"ha": "right", "fontsize": SMALL, "color": QUIET}
    ax.annotate(text, (1, 1), (right, 5), "axes fraction", "offset points", annotation_clip=False, **style)


# Precision and recall


def precision_recall_picture(tree: Tree) -> bytes:
    """A curve for each class and their mean, at IoU 0.50, as PNG."""
    shaded = f"shaded: recall ≥ {tree['params']['recall_target']:g}, mean precision {rate(tree['precision_at_recall'])}"
    place = Place(50, TOP, CURVES_WIDE, CURVES_TALL, 40)
    return _picture("Precision and recall", ["at IoU 0.50", shaded], place, draw_precision_recall, tree)


def draw_precision_recall(tree: Tree, *, ax: Axes) -> None:
    """A thin line a class, coloured and named for those with the most objects, and a bold one for the mean."""
    named, others = _lines(tree)
    with drawing("png"):
        _curve_axes(ax, tree["params"]["recall_target"])
        for line in (*others, *named):
            ax.plot(*line.points, color=line.colour, linewidth=line.wide, zorder=2 + line.wide)
        _key(ax, named, others)


class Line(NamedTuple):
    """A curve, the area under it, and how it looks."""

    name: str
    area: float
    points: tuple[list[float], list[float]]  # recall, precision
    colour: str = THIN
    wide: float = 0.6


def _lines(tree: Tree) -> tuple[list[Line], list[Line]]:
    """Lines that get a name, the mean first and then the best; and all others."""
    found = {name: (curve["recall"], curve["precision"]) for name, curve in tree["curves"].items()}
    rows = sorted((row for row in tree["per_class"] if row["name"] in found), key=lambda row: -row["gt"])
    lines = [Line(row["name"], row["AP_50"], found[row["name"]]) for row in rows]
    named = [line._replace(colour=colour, wide=1.3) for line, colour in zip(lines, METHODS, strict=False)]
    named.sort(key=lambda line: -line.area)
    if len(lines) > 1:
        named.insert(0, Line(f"mean of {len(lines):,} classes", tree["map_50"], _mean_curve(lines), INK, 2.4))
    return named, lines[len(METHODS) :]


def _curve_axes(ax: Axes, recall_target: float) -> None:
    _bare(ax)
    steps = [0, 0.2, 0.4, 0.6, 0.8, 1]
    ax.set(xlim=(0, 1), ylim=(0, 1.005), xticks=steps, yticks=steps)
    ax.tick_params(pad=6)
    ax.set_xlabel("recall", color=QUIET, size=TEXT)
    ax.set_ylabel("precision", color=QUIET, size=TEXT)
    ax.grid(color=FAINT, linewidth=0.7)
    ax.axvspan(recall_target, 1, color=FAINT, alpha=0.6, linewidth=0, zorder=0)


def _mean_curve(lines: list[Line]) -> tuple[list[float], list[float]]:
    """The mean precision of all classes at each step of recall."""
    columns = zip(*(line.points[1] for line in lines), strict=True)
    return lines[0].points[0], [fsum(column) / len(lines) for column in columns]


def _key(ax: Axes, named: list[Line], others: list[Line]) -> None:
    """To the right of the axes: AP at 0.50 and the name of each line."""
    from matplotlib.lines import Line2D

    letters = Lettering("png")
    words = [f"{rate(line.area)}   {_shown(letters, line.name, KEY_NAMES)}" for line in named]
    words += [f"{len(others):,} more"] if others else []
    lines = [Line2D([], [], color=line.colour, linewidth=line.wide) for line in (*named, *others[:1])]
    key = ax.legend(
        lines,
        words,
        loc="upper left",
        bbox_to_anchor=(1.02, 1.08),
        frameon=False,
        fontsize=TEXT,
        handlelength=1.4,
        title="AP_50",
        title_fontsize=SMALL,
        alignment="left",
        labelspacing=0.7,
    )
    key.get_title().set_color(QUIET)


# AP by class


def ap_picture(tree: Tree) -> bytes:
    """AP and AP_50 of every class, best first, as PNG; of very many classes, those with the most objects."""
    rows, known = _ranked(tree), sum(row["AP"] is not None for row in tree["per_class"])
    cut = f"the {len(rows):,} classes with the most objects of {known:,}" if len(rows) < known else ""
    absent = len(tree["per_class"]) - known
    unseen = f"{absent:,} without ground truth are not shown" if absent else ""
    left = _gutter((row["name"] for row in rows), NAMES)
    place = Place(left, TOP + 18, PAGE - left - MARGIN - 3 * NUMBER, ROW * len(rows), 24)
    return _picture(
        "Average precision by class", ["dark: AP, its mean dashed", "light: AP_50", cut, unseen], place, draw_ap, tree
    )


def draw_ap(tree: Tree, *, ax: Axes) -> None:
    """A row a class: its bars, AP, AP_50, and how many objects it has; a line at the mean."""
    rows = _ranked(tree)
    with drawing("png"):
        _bare(ax)
        _name_rows(ax, [row["name"] for row in rows], NAMES)
        ax.set(xlim=(0, 1), xticks=[0, 0.25, 0.5, 0.75, 1])
        ax.grid(axis="x", color=FAINT, linewidth=0.7)
        ax.barh(range(len(rows)), [row["AP_50"] for row in rows], 0.72, color="#c9cde4")
        ax.barh(range(len(rows)), [row["AP"] for row in rows], 0.4, color=METHODS[0])
        ax.axvline(tree["coco"]["AP"], color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
        for at, head in enumerate(("AP", "AP_50", "objects"), 1):
            _column_head(ax, NUMBER * at, head)
        for at, row in enumerate(rows):
            for column, text in enumerate((rate(row["AP"]), rate(row["AP_50"]), f"{row['gt']:,}"), 1):
                _aside(ax, at, NUMBER * column, text, color=INK if column == 1 else QUIET)


def _ranked(tree: Tree) -> list[Tree]:
    """Classes with AP, the best first; not more than fit on a page."""
    known = [row for row in tree["per_class"] if row["AP"] is not None]
    return sorted(sorted(known, key=lambda row: -row["gt"])[:MOST_CLASSES], key=lambda row: -row["AP"])


# Confusion


class Matrix(NamedTuple):
    """Counts of pairs; classes that are not shown are one, and the last row and column are those without a partner."""

    shown: list[str]
    others: bool
    counts: list[list[int]]

    @property
    def names(self) -> list[str]:
        """The classes of rows and columns, without the last."""
        return self.shown + ["other classes"] * self.others


def confusion_picture(tree: Tree) -> bytes:
    """What the objects of each class were taken for, as PNG; of many classes, those with the most objects."""
    matrix, seen = confusion_matrix(tree), len(_seen(tree))
    cut = f"the {len(matrix.shown):,} classes with the most objects of {seen:,}" if matrix.others else ""
    cells = len(matrix.counts)
    size = cells * max(CELL_LEAST, min(CELL_MOST, MATRIX / cells))
    left, top = _gutter([*matrix.names, "background"], NAMES), _gutter([*matrix.names, "missed"], UPRIGHT)
    place = Place(left, TOP + top - 8, size, size, 14, NUMBER)
    notes = ["a row of ground truth, a column of predictions", "numbers are % of the row", cut]
    return _picture("Confusion at IoU 0.50", notes, place, draw_confusion, tree)


def draw_confusion(tree: Tree, *, ax: Axes) -> None:
    """A cell a pair of classes; then a column of missed objects, a row of detections of nothing, and sums."""
    matrix = confusion_matrix(tree)
    shares = [[n / (sum(row) or 1) for n in row] for row in matrix.counts]
    with drawing("png"):
        _bare(ax)
        ax.imshow([[_shade(matrix, at, to, part) for to, part in enumerate(row)] for at, row in enumerate(shares)])
        ax.set_aspect("auto")
        _name_rows(ax, [*matrix.names, "background"], NAMES)
        _name_columns(ax, [*matrix.names, "missed"])
        _column_head(ax, NUMBER, "n")
        for at, row in enumerate(shares):
            _aside(ax, at, NUMBER, f"{sum(matrix.counts[at]):,}", color=QUIET)
            for to, part in enumerate(row):
                _number(ax, at, to, part)


def confusion_matrix(tree: Tree) -> Matrix:
    """The classes with the most objects, in the order of their ids, and the counts between them."""
    confusion, rows = tree["confusion"], _seen(tree)
    most = {row["name"] for row in sorted(rows, key=lambda row: -row["gt"])[:MOST_CELLS]}
    shown = [row["name"] for row in rows if row["name"] in most]
    others = len(rows) > len(shown)
    place = {row["name"]: len(shown) for row in rows} | {name: at for at, name in enumerate(shown)}
    size = len(shown) + others + 1
    counts = [[0] * size for _ in range(size)]
    for gt, found in confusion["matched"].items():
        for pred, n in found.items():
            counts[place[gt]][place[pred]] += n
    for gt, n in confusion["missed"].items():
        counts[place[gt]][-1] += n
    for pred, n in confusion["background"].items():
        counts[-1][place[pred]] += n
    return Matrix(shown, others, counts)


def _seen(tree: Tree) -> list[Tree]:
    """Classes on either side."""
    return [row for row in tree["per_class"] if row["gt"] or row["pred"]]


def _shade(matrix: Matrix, at: int, to: int, part: float) -> tuple[float, ...]:
    """The colour of a cell: right, wrong, or between classes that are not shown; small shares are seen too."""
    from matplotlib.colors import to_rgb

    full = MATCHED if at == to < len(matrix.shown) else QUIET if at == to else WRONG
    return tuple(1 - (1 - channel) * part**0.6 * 0.9 - 0.025 for channel in to_rgb(full))


def _name_columns(ax: Axes, names: list[str]) -> None:
    """Names above the axes, upright, and white lines between the cells."""
    letters = Lettering("png")
    ax.xaxis.tick_top()
    shown = [_shown(letters, name, UPRIGHT) for name in names]
    ax.set_xticks(range(len(names)), shown, rotation=90, size=TEXT, color=INK)
    ax.tick_params(axis="x", pad=6)
    for edge in range(len(names) + 1):
        wide = 3 if edge == len(names) - 1 else 0.8
        ax.axhline(edge - 0.5, color="white", linewidth=wide)
        ax.axvline(edge - 0.5, color="white", linewidth=wide)


def _number(ax: Axes, at: int, to: int, part: float) -> None:
    if part >= 0.005:
        colour = "white" if part > 0.6 else INK
        ax.text(to, at, f"{100 * part:.0f}", color=colour, ha="center", va="center_baseline", fontsize=SMALL)


# Causes


def errors_picture(tree: Tree) -> bytes:
    """How many objects were missed and how many detections are wrong, by cause, as PNG."""
    crowd = tree["objects"]["in_crowd"]
    notes = ["at IoU 0.50", f"{crowd:,} detections in a crowd are left out" if crowd else ""]
    left = _gutter((words for words, _ in ERRORS.values()), NAMES)
    place = Place(left, TOP, PAGE - left - MARGIN - CAUSE_NUMBERS, CAUSE_ROW * len(ERRORS), 24)
    return _picture("Where it goes wrong", notes, place, draw_errors, tree)


def draw_errors(tree: Tree, *, ax: Axes) -> None:
    """A bar a cause, its count, and what share of the objects or detections that is."""
    counts, sides = [tree["errors"][name] for name in ERRORS], tree["sweep"]["primary"]
    with drawing("png"):
        _bare(ax)
        _name_rows(ax, [words for words, _ in ERRORS.values()], NAMES)
        end = max(counts) or 1
        ticks = round_numbers(end, most=5, whole=True)
        ax.set_xlim(0, end)
        ax.set_xticks(ticks, [f"{tick:,.0f}" for tick in ticks])
        ax.grid(axis="x", color=FAINT, linewidth=0.7)
        ax.barh(range(len(counts)), counts, 0.55, color=[colour for _, colour in ERRORS.values()])
        for at, (name, n) in enumerate(zip(ERRORS, counts, strict=True)):
            side, of = ("gt", "objects") if name == "missed" else ("pred", "detections")
            _aside(ax, at, 54, f"{n:,}", fontsize=TEXT, color=INK if n else QUIET)
            part = f"{100 * n / sides[side]:.1f} % of {of}" if sides[side] else f"no {of}"
            _aside(ax, at, 62, part, ha="left", color=QUIET)
