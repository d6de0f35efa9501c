"""Values on a page, checked as they are put there: numbers are finite, intervals in order, texts are texts."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

Number = int | float
Run = tuple[str, int, int] | list[Any]  # state, first frame, last frame


def require(holds: bool, where: str, problem: str) -> None:
    """A ValueError that says where the problem is, unless all is well."""
    if not holds:
        raise ValueError(f"{where}: {problem}")


def number(value: Any, where: str) -> Number | None:
    """A finite number, or None for undefined."""
    return None if value is None else finite(value, where)


def finite(value: Any, where: str) -> Number:
    """A finite number, with seven digits at most."""
    if not isinstance(value, (int, float)) or not isfinite(value):
        raise ValueError(f"{where}: {value!r}, expected a finite number")
    return int(value) if isinstance(value, int) else float(f"{value:.7g}")


def all_finite(values: Sequence[Any], where: str) -> list[Number]:
    """Many at once; whole numbers, as most are, stay as they are.

    >>> all_finite([1.5, 2.00000001], "a box"), all_finite([1, 2], "a box"), all_finite([1, 2.5], "a box")
    ([1.5, 2.0], [1, 2], [1, 2.5])
    """
    kinds = set(map(type, values))
    if kinds == {int}:
        return list(values)
    if kinds == {float} and all(map(isfinite, values)):
        return [float(digits) for digits in ("%.7g " * len(values) % tuple(values)).split()]
    return [finite(value, where) for value in values]


def numbers(values: Sequence[Any], where: str) -> list[Number | None]:
    """Finite numbers, or None where one is undefined."""
    return [number(value, where) for value in values]


def interval_of(value: Any, where: str) -> list[Number] | None:
    """The two ends of an interval in order, or None."""
    if value is None:
        return None
    require(len(value) == 2, where, "an interval has two ends")
    low, high = (finite(end, where) for end in value)
    require(low <= high, where, "an interval begins above its end")
    return [low, high]


def checked_text(value: Any, where: str) -> str | None:
    """A text, or None."""
    require(value is None or isinstance(value, str), where, f"{value!r}, expected text")
    return value  # type: ignore[no-any-return]  # just checked


CELLS = {"text": checked_text, "verdict": checked_text, "interval": interval_of, "differences": interval_of}


def checked_row(row: Sequence[Any], kinds: Sequence[str], where: str) -> list[Any]:
    """The cells of a row, each as its column wants it."""
    require(len(row) == len(kinds), where, f"a row has {len(row)} cells, expected {len(kinds)}")
    return [CELLS.get(kind, number)(cell, where) for kind, cell in zip(kinds, row, strict=True)]


def checked_run(run: Run, frames: int, where: str) -> list[Any]:
    """A state with its first and last frame, within the frames of a video."""
    state, first, last = run
    require(0 <= first <= last < frames, where, f"a run from {first} to {last} of {frames} frames")
    return [state, int(first), int(last)]


def check_canvas(canvas: Sequence[Number], where: str) -> None:
    """Refuse a canvas without an area."""
    require(len(canvas) in (2, 4), where, "a canvas has 2 or 4 numbers")
    left, top, right, bottom = canvas if len(canvas) == 4 else (0, 0, *canvas)
    require(left < right and top < bottom, where, "a canvas has an area")
