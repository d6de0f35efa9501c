"""Comparisons of numbers that raise a `Mismatch` with the place of the first that does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import fsum, isclose
from typing import Any

from calipers.core.json_schema import Mismatch, shown_value

Tree = Mapping[str, Any]
Place = tuple[str | int, ...]
CLOSE = 1e-9  # sums of floats may be taken in another order elsewhere
ROUGH = 1e-6  # of means of many floats


def expect(condition: bool, place: Place, found: Any, expected: str) -> None:
    """Raise a Mismatch unless a condition holds."""
    if not condition:
        raise Mismatch(f"found {shown_value(found)}, expected {expected:.200}", *place)


def equal(found: Any, value: Any, place: Place, what: str, noun: str = "") -> None:
    """A number, or how many of something there are, is that of another place."""
    if found != value:
        shown = f"{shown_value(found)} for {noun}" if noun else shown_value(found)
        raise Mismatch(f"found {shown}, expected {what}, which is {shown_value(value)}", *place)


def at_most(found: float, most: float, place: Place, what: str) -> None:
    """A number is no larger than another."""
    if found > most:
        raise Mismatch(f"found {found}, expected no more than {what}, {most}", *place)


def check_ratio(found: float | None, part: int, whole: int, place: Place) -> None:
    """A rate is that of two counts, and null where there is nothing to count."""
    expected = part / whole if whole else None
    if found is None or expected is None:
        fits = found is None and expected is None
    else:
        fits = isclose(found, expected, rel_tol=CLOSE, abs_tol=CLOSE)
    if not fits:
        counted = f"{part} / {whole}, {shown_value(expected)}" if whole else "null, as there is nothing to count"
        raise Mismatch(f"found {shown_value(found)}, expected {counted}", *place)


def check_mean(found: float | None, values: Iterable[float | None], place: Place) -> None:
    """A mean is that of the values that are defined."""
    numbers = [value for value in values if value is not None]
    expected = fsum(value / len(numbers) for value in numbers) if numbers else None
    if (found is None) != (expected is None) or (
        found is not None and expected is not None and not isclose(found, expected, rel_tol=ROUGH, abs_tol=CLOSE)
    ):
        raise Mismatch(f"found {shown_value(found)}, expected the mean, {shown_value(expected)}", *place)


def check_intervals(intervals: Tree, place: Place) -> None:
    """Both ends of intervals, by name."""
    for name, ends in intervals.items():
        check_interval(ends, (*place, name))


def check_interval(ends: list[float] | None, place: Place) -> None:
    """Both ends of an interval."""
    if ends is not None and ends[0] > ends[1]:
        raise Mismatch(f"found {ends}, expected the lower end first", *place)


def check_close(found: float | None, value: float | None, place: Place, what: str) -> None:
    """A number is that of another place, or both are null."""
    same = found is None and value is None
    if not same and (found is None or value is None or not isclose(found, value, rel_tol=ROUGH, abs_tol=CLOSE)):
        raise Mismatch(f"found {shown_value(found)}, expected {what}, {shown_value(value)}", *place)


def check_share(found: float | None, whole: int, place: Place) -> None:
    """A rate is a whole number of `whole`, and null without any."""
    if (found is None) != (whole == 0):
        raise Mismatch(f"found {shown_value(found)}, expected {'a share' if whole else 'null'} of {whole}", *place)
    if found is not None and abs(found * whole - round(found * whole)) > ROUGH * max(1.0, found * whole):
        raise Mismatch(f"found {shown_value(found)}, expected a whole number of {whole}", *place)


def harmonic(a: float | None, b: float | None) -> float | None:
    """The harmonic mean of two rates, 0 of two zeros.

    >>> harmonic(0.5, 1), harmonic(0, 0), harmonic(None, 1)
    (0.6666666666666666, 0.0, None)
    """
    if a is None or b is None:
        return None
    return 2 * a * b / (a + b) if a + b else 0.0
