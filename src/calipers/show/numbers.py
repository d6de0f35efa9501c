"""Numbers and names of figures as people read them: as many decimals as say something, aligned columns."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor, log10

from calipers.show.text import UNDEFINED, printable, width

LONGEST_NAME = 44
MAX_DECIMALS = 9  # a difference of less is what floats lose


def spoken(metric: str) -> str:
    r"""The name of a metric as people write it.

    >>> spoken("category.mean_f1"), spoken("AP_50"), spoken("my\x1bmethod.f1"), spoken("phase.f1@km=< 0.5")
    ('category mean_f1', 'AP_50', 'my\\x1bmethod f1', 'phase f1@km=< 0.5')
    """
    figure, at, place = metric.partition("@")
    of, _, name = figure.rpartition(".")
    return cut(printable(f"{of} {name}{at}{place}" if of else f"{name}{at}{place}"))


def cut(text: str) -> str:
    """A name that is not too long for a line."""
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


def decimals(old: float | None, new: float | None, interval: list[float] | None = None) -> int:
    """Three for rates, fewer for large numbers, more where differences are that small.

    >>> decimals(0.55, 0.53, [-0.034, -0.010]), decimals(0.55, 0.55, [-0.0004, 0.0002]), decimals(120.0, 130.5)
    (3, 5, 1)
    """
    largest = max((abs(value) for value in (old, new) if value is not None), default=0.0)
    if largest >= 10:
        return 1 if largest >= 100 else 2
    half = (interval[1] - interval[0]) / 2 if interval else 0.0
    return 3 if half <= 0 or half >= 0.001 else min(1 - floor(log10(half)), 6)


def number(value: float | None, digits: int) -> str:
    """A number, or a dash when it is undefined. One that would look like 0 without being it has more digits.

    >>> number(0.5, 3), number(-0.0002, 3), number(-1e-17, 3), number(None, 3)
    ('0.500', '−0.0002', '0.000', '—')
    """
    return UNDEFINED if value is None else plain(value, digits).replace("-", "−")


def plain(value: float, digits: int) -> str:
    """A number as text, with a hyphen in place of the minus sign."""
    enough = next((more for more in range(digits, MAX_DECIMALS + 1) if round(value, more)), None)
    return f"{0:.{digits}f}" if enough is None else f"{value:.{enough}f}"


def signed(value: float | None, digits: int) -> str:
    """A difference; only 0 has no sign.

    >>> signed(-0.0221, 3), signed(0.00004, 3), signed(0.0, 3), signed(None, 3)
    ('−0.022', '+0.00004', '0.000', '—')
    """
    return f"{'+' if value and round(value, MAX_DECIMALS) > 0 else ''}{number(value, digits)}"


def span(interval: list[float] | None, digits: int) -> str:
    """An interval of differences."""
    return UNDEFINED if interval is None else f"{signed(interval[0], digits)} … {signed(interval[1], digits)}"


def aligned(rows: list[tuple[str, ...]], left: tuple[int, ...] = (0, -1)) -> Iterator[str]:
    """Rows as lines; columns are set to the right, those named to the left."""
    lefts = {place % len(rows[0]) for place in left}
    widths = [max(width(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        parts = [_set(text, widths[k], left=k in lefts) for k, text in enumerate(row)]
        yield f" {'  '.join(parts)}".rstrip()


def _set(text: str, wide: int, *, left: bool) -> str:
    gap = " " * (wide - width(text))
    return text + gap if left else gap + text
