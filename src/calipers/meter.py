"""What meters of all suites share: the parts added so far, in which no record may come twice."""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar

from calipers.core.errors import InputError


class HasBad(Protocol):
    """A part of which some records may be bad."""

    @property
    def bad(self) -> list[Any]:
        """The bad records; `error()` of one is the error that a run ends with."""


Part = TypeVar("Part", bound=HasBad)


class MeterInput(Generic[Part]):
    """The input of a meter so far: parts, the names in them, and what could not be read."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.names: set[str] = set()
        self._bad: list[Any] = []

    def add(self, parts: list[Part], names: set[str], what: str, max_bad: int) -> None:
        """Add parts, all of them or none: no name may come twice, and at most `max_bad` records may be bad."""
        if twice := sorted(self.names & names):
            raise InputError(f"the {what} {twice[0]!r} was added before, expected each {what} once")
        bad = [*self._bad, *(fault for part in parts for fault in part.bad)]
        if len(bad) > max_bad:
            raise bad[max_bad].error()
        self.parts.extend(parts)
        self.names |= names
        self._bad = bad
