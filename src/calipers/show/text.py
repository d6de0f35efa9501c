"""Numbers and foreign text, made fit for a terminal."""

from __future__ import annotations

from unicodedata import east_asian_width

UNDEFINED = "—"
SEPARATOR = " · "
INDENT = 22
LINE_WIDTH = 100


def printable(text: str) -> str:
    r"""Text that cannot move the cursor: characters that do not print are shown as \xNN.

    >>> printable("标签\x1b[2J\n")
    '标签\\x1b[2J\\x0a'
    """
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def width(text: str) -> int:
    """How many columns a text takes on a terminal.

    >>> width("BBU设备")
    7
    """
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def padded(text: str, wide: int) -> str:
    """A text with spaces behind it, as many as make it so many columns wide."""
    return text + " " * (wide - width(text))


def rate(value: float | None) -> str:
    """A rate with three decimals."""
    return UNDEFINED if value is None else f"{value:.3f}"


def share(value: float | None) -> str:
    """A share as a percentage."""
    return UNDEFINED if value is None else f"{value:.0%}".replace("%", " %")


def short(value: float | None) -> str:
    """A number of any size, short."""
    return UNDEFINED if value is None else f"{value:.3g}"


def between(interval: list[float] | None) -> str:
    """An interval in brackets, or nothing."""
    return f" ({interval[0]:.3f}–{interval[1]:.3f})" if interval else ""


def plus_minus(interval: list[float] | None) -> str:
    """Half the width of an interval, or nothing."""
    return f"±{(interval[1] - interval[0]) / 2:.3f}" if interval else ""


def named_line(name: str, text: str) -> str:
    """A named line; items go to further lines where one would get too long."""
    lines, line = [], ""
    for item in text.split(SEPARATOR):
        if line and width(line) + width(item) > LINE_WIDTH:
            lines.append(line)
            line = ""
        line += (SEPARATOR if line else "") + item
    return f" {name}".ljust(INDENT) + ("\n" + " " * INDENT).join([*lines, line])
