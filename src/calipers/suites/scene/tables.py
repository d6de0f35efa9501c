r"""Tables of methods on scenes: `summary.csv`, `per_class.csv`, and `summary.tex` for a paper.

`methods` are the trees of the methods by name, in the order they were given. An undefined value is an empty cell in a
CSV and a dash in LaTeX. Columns of the open set and of average precision are there when a method has them.

`summary.tex` is one `tabular` for `booktabs`. The best of a column is bold: the lowest for the error, else the highest,
and all that read the same. Foreign text is text and nothing else: what TeX would act on is spelled out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from calipers.core.text import whole_text
from calipers.report import Rows
from calipers.show.text import UNDEFINED, printable, rate
from calipers.suites.scene.rates import MACRO, OPEN_SET

Methods = dict[str, Any]
Columns = list[str]

COUNTS = ("gt", "pred", "tp", "fp", "fn", "invalid_pred", "ignored")
GENERAL = (
    "precision",
    "recall",
    "f1",
    "strict_accuracy",
    "relaxed_accuracy",
    "strict_precision",
    "relaxed_precision",
    "f1_relaxed",
    "mean_iou_3d",
    "mean_centroid_error_m",
)
PER_CLASS = (
    "tp",
    "fp",
    "fn",
    "precision",
    "recall",
    "f1",
    "mean_iou_3d",
    "strict_accuracy",
    "relaxed_accuracy",
    "mean_centroid_error_m",
)


def metric(tree: Any, name: str) -> float | None:
    """A number of a method by its name, wherever in the tree it stands; None is undefined."""
    if name.startswith("ap_"):
        value: float | None = (tree["ap"] or {}).get(name.removeprefix("ap_"))
        return value
    parts = (tree["detection_metrics"], tree["geometry_metrics"], tree["benchmark_compat"], tree["counts"])
    return next((part[name] for part in parts if name in part), None)


def extra_metrics(methods: Methods) -> tuple[Columns, Columns]:
    """The names of the open set and of average precision that any method has; those of the latter begin with `ap_`."""
    trees = methods.values()
    open_set = [name for name in OPEN_SET if any(name in tree["benchmark_compat"] for tree in trees)]
    rulers = dict.fromkeys(ruler for tree in trees for ruler in tree["ap"] or {})
    return open_set, [f"ap_{ruler}" for ruler in rulers if ruler.startswith(("iou_", "distance_"))]


def summary_table(methods: Methods) -> tuple[Columns, Rows]:
    """One row a method: counts, then general, macro and open-set metrics, then average precision."""
    open_set, ap = extra_metrics(methods)
    metrics = [*GENERAL, *MACRO, *open_set, *ap]
    rows = [
        {"method": name}
        | {count: tree["counts"].get(count) for count in COUNTS}
        | {column: metric(tree, column) for column in metrics}
        for name, tree in methods.items()
    ]
    return ["method", *COUNTS, *metrics], rows


def per_class_table(methods: Methods) -> tuple[Columns, Rows]:
    """One row for each class of each method."""
    rows = [
        {"method": name, "label": label} | {column: entry.get(column) for column in PER_CLASS}
        for name, tree in methods.items()
        for label, entry in tree["per_class"].items()
    ]
    return ["method", "label", *PER_CLASS], rows


# For a paper


class Column(NamedTuple):
    """A column of the LaTeX table."""

    metric: str
    heading: str
    lowest_is_best: bool = False


DETECTION = (Column("precision", "P"), Column("recall", "R"), Column("f1", "F1"))
LOCALISATION = (
    Column("strict_accuracy", r"Acc\textsubscript{s}"),
    Column("relaxed_accuracy", r"Acc\textsubscript{r}"),
    Column("strict_precision", r"Prec\textsubscript{s}"),
    Column("relaxed_precision", r"Prec\textsubscript{r}"),
    Column("mean_iou_3d", "IoU"),
    Column("f1_relaxed", r"F1\textsubscript{r}"),
    Column("mean_centroid_error_m", r"Err (m) $\downarrow$", lowest_is_best=True),
)
OPEN_SET_COLUMNS = (
    Column("osR_relaxed", r"osR\textsubscript{r}"),
    Column("osP_relaxed", r"osP\textsubscript{r}"),
    Column("F1_os", r"F1\textsubscript{os}"),
)
NOTE = r"""% Needs \usepackage{booktabs}. UTF-8; names in other scripts need XeLaTeX or LuaLaTeX and a font for them.
% The best of a column is bold. Acc: of matched pairs; Prec: of all predictions; s: strict, both centres inside;
% r: relaxed, at least one. IoU, Err: means over matched pairs. F1r: of Accr and IoU. osR, osP, F1os: open set.
"""
ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",  # babel gives it a meaning in some languages
    "[": "{[}",  # at the beginning of a row it would be an option of the row before
    "]": "{]}",
    "*": "{*}",
} | {char: f"\\{char}" for char in "_%&#${}"}


def tex_text(text: str) -> str:
    r"""Foreign text that TeX prints as it is.

    >>> tex_text("R&D_50% #1")
    'R\\&D\\_50\\% \\#1'
    >>> tex_text("a--b")  # two hyphens, not a dash
    'a-{}-b'
    """
    apart = re.sub(r"([-`',!?])(?=[-`',])", "\\1\0", whole_text(printable(text)))
    return "".join("{}" if char == "\0" else ESCAPES.get(char, char) for char in apart)


def summary_tex(methods: Methods) -> bytes:
    """Methods as rows under groups of columns, with three decimals."""
    groups = _groups(methods)
    columns = [column for _, group in groups for column in group]
    cells = [_cells(methods, column) for column in columns]
    names = [tex_text(name) for name in methods]
    lines = [
        rf"\begin{{tabular}}{{l{'r' * len(columns)}}}",
        r"\toprule",
        *_heading(groups),
        *(rf"{' & '.join(row)} \\" for row in zip(names, *cells, strict=True)),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return (NOTE + "\n".join(lines) + "\n").encode("utf-8")


def _groups(methods: Methods) -> list[tuple[str, tuple[Column, ...]]]:
    open_set, rulers = extra_metrics(methods)
    ap = tuple(Column(name, tex_text(name.removeprefix("ap_iou_"))) for name in rulers if name.startswith("ap_iou_"))
    found = [("Detection", DETECTION), ("Localisation", LOCALISATION)]
    return found + [("Open set", OPEN_SET_COLUMNS)] * bool(open_set) + [("AP at IoU", ap)] * bool(ap)


def _heading(groups: list[tuple[str, tuple[Column, ...]]]) -> Iterator[str]:
    """The names of groups over their columns, a rule under each, then the names of columns."""
    yield "".join(rf" & \multicolumn{{{len(group)}}}{{c}}{{{name}}}" for name, group in groups).lstrip() + r" \\"
    ends = [1]
    for _, group in groups:
        ends.append(ends[-1] + len(group))
    yield " ".join(rf"\cmidrule(lr){{{before + 1}-{last}}}" for before, last in pairwise(ends))
    yield " & ".join(["Method", *(column.heading for _, group in groups for column in group)]) + r" \\"
    yield r"\midrule"


def _cells(methods: Methods, column: Column) -> list[str]:
    values = [metric(tree, column.metric) for tree in methods.values()]
    known = [value for value in values if value is not None]
    best = rate((min if column.lowest_is_best else max)(known)) if len(known) > 1 else UNDEFINED
    shown = [rate(value) for value in values]
    return [rf"\textbf{{{text}}}" if text == best != UNDEFINED else text for text in shown]
