r"""`summary.tex`: methods on scenes as one `tabular` for `booktabs`, for a paper.

The best of a column is bold: the lowest for the error, else the highest, and all that read the same. Foreign text is
text and nothing else: what TeX would act on is spelled out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from calipers.show.latex import tex_text
from calipers.show.text import UNDEFINED, rate
from calipers.suites.scene.tables import Methods, extra_metrics, metric


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
    groups = [("Detection", DETECTION), ("Localisation", LOCALISATION)]
    return groups + [("Open set", OPEN_SET_COLUMNS)] * bool(open_set) + [("AP at IoU", ap)] * bool(ap)


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
    defined = [value for value in values if value is not None]
    best = rate((min if column.lowest_is_best else max)(defined)) if len(defined) > 1 else UNDEFINED
    shown = [rate(value) for value in values]
    return [rf"\textbf{{{text}}}" if text == best != UNDEFINED else text for text in shown]
