"""A result as a notebook shows it: a small table of the headline with its intervals, and the summary folded away.

All text is escaped, and nothing in it is taken for a formula by the notebook.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from calipers.core.figures import Figure
from calipers.core.text import whole_text
from calipers.show.figures import headline
from calipers.show.numbers import decimals, number, spoken
from calipers.show.text import UNDEFINED
from calipers.suite import suite_of_tree

Tree = Mapping[str, Any]
MAX_ROWS = 24
NO_FORMULAS = "tex2jax_ignore mathjax_ignore"  # what the two generations of MathJax leave alone
RIGHT = ' style="text-align: right"'


def notebook_html(tree: Tree) -> str:
    """A piece of HTML without script or style of its own."""
    rows = headline(tree)
    cut = f"<p>{len(rows) - MAX_ROWS:,} more rows in <code>report.table()</code></p>" if len(rows) > MAX_ROWS else ""
    body = "".join(map(_row, rows[:MAX_ROWS]))
    head = f"<tr><th>metric</th><th{RIGHT}>value</th><th{RIGHT}>95 % interval</th><th{RIGHT}>n</th></tr>"
    table = f"<table><caption>{_text(_caption(tree))}</caption><thead>{head}</thead><tbody>{body}</tbody></table>"
    whole = f"<details><summary>summary</summary><pre>{_text(_summary(tree))}</pre></details>"
    return f'<div class="{NO_FORMULAS}">{table}{cut}{whole}</div>'


def _summary(tree: Tree) -> str:
    suite = suite_of_tree(tree)
    return suite.summary(suite.in_usual_form(tree))


def _caption(tree: Tree) -> str:
    suite = suite_of_tree(tree)
    n = suite.counts(suite.in_usual_form(tree)).evaluated
    return f"{tree['protocol']} · {n:,} {suite.record}{'' if n == 1 else 's'}"


def _row(figure: Figure) -> str:
    digits = decimals(figure.value, None, figure.interval)
    low, high = figure.interval or (None, None)
    span = UNDEFINED if low is None else f"{number(low, digits)} – {number(high, digits)}"
    cells = (number(figure.value, digits), span, f"{figure.n:,}")
    return f"<tr><th>{_text(spoken(figure.name))}</th>{''.join(f'<td{RIGHT}>{cell}</td>' for cell in cells)}</tr>"


def _text(text: str) -> str:
    return escape(whole_text(text))
