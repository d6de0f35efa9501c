r"""A table as LaTeX: one `tabular` for `booktabs`, text to the left, numbers to the right.

Foreign text is text and nothing else: what TeX would act on is spelled out. An undefined value is a dash.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from calipers.core.text import whole_text
from calipers.show.markdown import cell_text, is_number
from calipers.show.text import printable

NOTE = r"""% Needs \usepackage{booktabs}. UTF-8; names in other scripts need XeLaTeX or LuaLaTeX and a font for them.
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


def latex_table(columns: Sequence[str], rows: list[dict[str, Any]]) -> str:
    r"""A whole table, with a line break at the end.

    >>> print(latex_table(["label", "f1"], [{"label": "R&D_1", "f1": 2 / 3}]), end="")
    % Needs \usepackage{booktabs}. UTF-8; names in other scripts need XeLaTeX or LuaLaTeX and a font for them.
    \begin{tabular}{lr}
    \toprule
    label & f1 \\
    \midrule
    R\&D\_1 & 0.667 \\
    \bottomrule
    \end{tabular}
    """
    values = [[row[name] for row in rows] for name in columns]
    kinds = [is_number(value) for value in values]
    cells = [_column(cell, number) for cell, number in zip(values, kinds, strict=True)]
    body = [rf"{' & '.join(line)} \\" for line in zip(*cells, strict=True)]
    head = rf"{' & '.join(map(tex_text, columns))} \\"
    shape = "".join("r" if number else "l" for number in kinds)
    start = [rf"\begin{{tabular}}{{{shape}}}", r"\toprule", head, r"\midrule"]
    return NOTE + "\n".join([*start, *body, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _column(values: list[object], number: bool) -> list[str]:
    cells = [cell_text(value, tex_text) for value in values]
    return [text.replace("-", "$-$") for text in cells] if number else cells
