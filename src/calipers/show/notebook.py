"""A result as a notebook shows it: a small table of the headline with its intervals, and the summary folded away.

All text is escaped, and nothing in it is taken for a formula by the notebook.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from calipers.core.text import whole_text
from calipers.report import Report
from calipers.results.compare_text import HEADLINE, RECORDS, decimals, number, spoken
from calipers.results.figures import Figure, figures
from calipers.show.text import UNDEFINED

Tree = Mapping[str, Any]
MOST_ROWS = 24
NO_FORMULAS = "tex2jax_ignore mathjax_ignore"  # what the two generations of MathJax leave alone
RIGHT = ' style="text-align: right"'


def notebook_html(tree: Tree) -> str:
    """A piece of HTML without script or style of its own."""
    rows = list(headline(tree))
    cut = f"<p>{len(rows) - MOST_ROWS:,} more rows in <code>report.table()</code></p>" if len(rows) > MOST_ROWS else ""
    body = "".join(map(_row, rows[:MOST_ROWS]))
    head = f"<tr><th>metric</th><th{RIGHT}>value</th><th{RIGHT}>95 % interval</th><th{RIGHT}>n</th></tr>"
    table = f"<table><caption>{_text(_caption(tree))}</caption><thead>{head}</thead><tbody>{body}</tbody></table>"
    whole = f"<details><summary>summary</summary><pre>{_text(str(Report(dict(tree))))}</pre></details>"
    return f'<div class="{NO_FORMULAS}">{table}{cut}{whole}</div>'


def headline(tree: Tree) -> Iterator[Figure]:
    """The figures that one looks at first, as far as they are defined for something."""
    names = HEADLINE[tree["suite"]]
    for figure in figures(tree, replicates=False).values():
        of, _, last = figure.name.rpartition(".")
        if of != "pooled" and last in names and figure.n:
            yield figure


def _caption(tree: Tree) -> str:
    n = tree["images" if tree["suite"] == "coco" else "records"]["evaluated"]
    return f"{tree['protocol']} · {n:,} {RECORDS[tree['suite']]}{'' if n == 1 else 's'}"


def _row(figure: Figure) -> str:
    digits = decimals(figure.value, None, figure.interval)
    low, high = figure.interval or (None, None)
    span = UNDEFINED if low is None else f"{number(low, digits)} – {number(high, digits)}"
    cells = (number(figure.value, digits), span, f"{figure.n:,}")
    return f"<tr><th>{_text(spoken(figure.name))}</th>{''.join(f'<td{RIGHT}>{cell}</td>' for cell in cells)}</tr>"


def _text(text: str) -> str:
    return escape(whole_text(text))
