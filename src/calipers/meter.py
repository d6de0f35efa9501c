"""What meters of all suites share: the parts added so far, in which no record may come twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, Protocol, TypeVar

from calipers.core.errors import ConfigError, InputError, unexpected

CHANGE_NO_NUMBER = frozenset({"top", "max_bad_records"})  # parameters


class HasBad(Protocol):
    """A part of which some records may be bad."""

    @property
    def bad(self) -> list[Any]:
        """The bad records; `error()` of one is the error that a run ends with."""


def require_mergeable(meter: Any, other: Any) -> None:
    """Refuse to merge a meter with what is no meter of its kind, or one with other parameters."""
    if not isinstance(other, type(meter)):
        raise unexpected("merge", other, f"another {type(meter).__name__}")
    if meter._number_params() != other._number_params():
        raise ConfigError("merge: the two meters have different parameters")


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


def number_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that can change a number.

    >>> number_params({"top": 5, "seed": 0})
    {'seed': 0}
    """
    return {name: value for name, value in params.items() if name not in CHANGE_NO_NUMBER}
