"""A table as Markdown: text to the left, numbers to the right, foreign text as nothing but text.

Rates have three decimals, large numbers fewer; an undefined one is a dash.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from calipers.core.text import whole_text
from calipers.show.numbers import decimals, plain
from calipers.show.text import UNDEFINED, printable

ESCAPES = {char: f"\\{char}" for char in "\\`*[]|"} | {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"}
MARKS = re.compile(r"[~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")  # an underscore within a word is none


def markdown_table(columns: Sequence[str], rows: list[dict[str, Any]]) -> str:
    r"""A whole table, with a line break at the end.

    >>> print(markdown_table(["label", "n", "f1"], [{"label": "a|b", "n": 12, "f1": 2 / 3}]), end="")
    | label | n | f1 |
    | --- | ---: | ---: |
    | a\|b | 12 | 0.667 |
    """
    cells = [[cell_text(row[name], markdown_text) for row in rows] for name in columns]
    rule = ["---:" if is_number([row[name] for row in rows]) else "---" for name in columns]
    lines = [[markdown_text(name) for name in columns], rule, *zip(*cells, strict=True)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def markdown_text(text: str) -> str:
    r"""Foreign text that Markdown shows as it is.

    >>> markdown_text("<b> *a* $x$ [b](c)")
    '&lt;b&gt; \\*a\\* \\$x\\$ \\[b\\](c)'
    """
    return escaped(whole_text(text))


def escaped(text: str) -> str:
    r"""Text that Markdown leaves alone: no markup, no link, nobody called by name.

    >>> escaped("<b>|@you https://x.y\x00")
    '&lt;b&gt;\\|&#64;you https:&#47;/x.y\\\\x00'
    """
    plain = MARKS.sub(r"\\\g<0>", "".join(ESCAPES.get(char, char) for char in printable(text)))
    return plain.replace("://", ":&#47;/").replace("www.", "www&#46;")


def is_number(values: Sequence[Any]) -> bool:
    """Whether a column holds numbers, as far as it is defined.

    >>> is_number([1, None, 0.5]), is_number(["a", 1]), is_number([None])
    (True, False, False)
    """
    known = [value for value in values if value is not None]
    return bool(known) and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in known)


def cell_text(value: Any, text: Callable[[str], str]) -> str:
    """A cell: numbers short, everything else by the function for text."""
    if value is None:
        return UNDEFINED
    if isinstance(value, float):
        return plain(value, decimals(value, None))
    return str(value) if isinstance(value, int) else text(str(value))
