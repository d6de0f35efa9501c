"""Meters: suites in a loop. What they share: parts that were taken so far, each record once."""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar

from calipers.core.errors import ConfigError, InputError, unexpected


class HasBad(Protocol):
    """A part of which some records may be bad."""

    @property
    def bad(self) -> list[Any]:
        """Those that are."""


def require_mergeable(meter: Any, other: Any) -> None:
    """Refuse to merge a meter with what is no meter of its kind, or one with other parameters."""
    if not isinstance(other, type(meter)):
        raise unexpected("merge", other, f"another {type(meter).__name__}")
    if meter._meaning() != other._meaning():
        raise ConfigError("merge: the two meters have different parameters")


Part = TypeVar("Part", bound=HasBad)


class MeterInput(Generic[Part]):
    """The input of a meter so far: parts, the names in them, and what could not be read."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.names: set[str] = set()
        self._bad: list[Any] = []

    def add(self, parts: list[Part], names: set[str], what: str, max_bad: int) -> None:
        """Take further parts, all or none: no name may come twice, and no more than so many be bad."""
        if twice := sorted(self.names & names):
            raise InputError(f"the {what} {twice[0]!r} was added before, expected each {what} once")
        bad = [*self._bad, *(fault for part in parts for fault in part.bad)]
        if len(bad) > max_bad:
            raise bad[max_bad].error()
        self.parts.extend(parts)
        self.names |= names
        self._bad = bad
