"""The values of options, brought to one form and checked: lists may be written as text with commas."""

from __future__ import annotations

import os
from itertools import pairwise
from math import inf, isfinite
from typing import Any

from calipers.core.errors import ConfigError, require


def number(
    name: str,
    value: Any,
    *,
    minimum: float = -inf,
    maximum: float = inf,
    above: float = -inf,
    expected: str = "a number",
) -> float:
    """A finite number within limits; numeric text is one too, since flags and lists are text."""
    try:
        result = float("nan") if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        result = float("nan")
    require(isfinite(result) and minimum <= result <= maximum and result > above, name, value, expected)
    return result


def whole(name: str, value: Any, minimum: int, maximum: int = 2**63 - 1) -> int:
    """A whole number within limits."""
    good = isinstance(value, int) and not isinstance(value, bool) and minimum <= value <= maximum
    limits = f"of at least {minimum}" if maximum == 2**63 - 1 else f"from {minimum} to {maximum}"
    require(good, name, value, f"a whole number {limits}")
    return int(value)


def wholes(name: str, value: Any, minimum: int = 0, maximum: int = 2**62) -> tuple[int, ...]:
    """A list of distinct whole numbers."""
    numbers = tuple(_from_text(part) for part in parts(value))
    good = all(isinstance(part, int) and not isinstance(part, bool) and minimum <= part <= maximum for part in numbers)
    require(
        bool(numbers) and good and len(set(numbers)) == len(numbers),
        name,
        value,
        f"whole numbers of at least {minimum}, no two alike",
    )
    return numbers


def _from_text(part: Any) -> Any:
    return int(part) if isinstance(part, str) and part.isascii() and part.isdigit() else part


def word(name: str, value: Any, known: tuple[str, ...] = ()) -> str:
    """A text that is not empty, or one of the known ones."""
    good = isinstance(value, str) and bool(value.strip()) and (not known or value in known)
    require(good, name, value, " or ".join(known) or "a name")
    return str(value)


def flag(name: str, value: Any) -> bool:
    """True or false."""
    require(isinstance(value, bool), name, value, "true or false")
    return bool(value)


def threshold(name: str, value: Any) -> float:
    """An overlap that pairs can reach."""
    result = number(name, value)
    require(0 < result <= 1, name, value, "a number above 0 and at most 1")
    return result


def thresholds(name: str, value: Any) -> tuple[float, ...]:
    """The thresholds of a sweep: ascending and distinct."""
    result = tuple(threshold(name, part) for part in parts(value))
    good = bool(result) and all(a + 1e-12 < b for a, b in pairwise(result))
    require(good, name, value, "one or more ascending thresholds")
    return result


def names(name: str, value: Any, known: tuple[str, ...]) -> tuple[str, ...]:
    """Some of the known names, each once."""
    result = keys(name, value)
    good = bool(result) and set(result) <= set(known) and len(set(result)) == len(result)
    require(good, name, value, f"one or more of {', '.join(known)}")
    return result


def keys(name: str, value: Any) -> tuple[str, ...]:
    """Some names, each not empty."""
    result = tuple(parts(value))
    require(all(isinstance(part, str) and part for part in result), name, value, "names, as a list or with commas")
    return result


def path(name: str, value: Any) -> str | None:
    """The path of a file, or None."""
    good = value is None or (isinstance(value, (str, os.PathLike)) and os.fspath(value) != "")
    require(good, name, value, "a path")
    return None if value is None else os.fspath(value)


def file_bytes(file: str, expected: str) -> bytes:
    """The bytes of a file that an option names; a ConfigError says why it cannot be read."""
    try:
        with open(file, "rb") as stream:
            return stream.read()
    except (OSError, ValueError) as error:  # a ValueError for a name that no file can have
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"{file}: cannot be read ({reason}), expected {expected}") from error


def parts(value: Any) -> list[Any]:
    """A list, also when written as text with commas.

    >>> parts("文本, 备注"), parts(0.5), parts(())
    (['文本', '备注'], [0.5], [])
    """
    if isinstance(value, str):
        return [part.strip() for part in value.replace("，", ",").split(",") if part.strip()]
    return list(value) if isinstance(value, (list, tuple)) else [value]
