"""What can go wrong, said so that it can be acted on.

A message says where, what was found and what was expected. Each class carries the exit code of the command line:
2 for wrong usage, configuration or an output that cannot be written, 3 for input that cannot be read or is invalid.
"""

from __future__ import annotations


class CalipersError(Exception):
    """Anything Calipers refuses to do, with the reason."""

    exit_code = 2


class ConfigError(CalipersError):
    """An option, a configuration file or a mapping file is wrong."""


class OutputError(CalipersError):
    """A result cannot be written."""


class InputError(CalipersError):
    """An input cannot be read, or is not what it has to be."""

    exit_code = 3


class WorkError(InputError):
    """Comparing the shapes of some `records` takes more work than `max_work` allows."""

    def __init__(self, records: list[int], max_work: int) -> None:
        super().__init__(
            f"comparing its shapes takes more than max_work = {max_work:,} steps for each of their numbers,"
            " expected fewer shapes that overlap, fewer points, or a larger max_work"
        )
        self.records, self.max_work = records, max_work

    def __reduce__(self) -> tuple[type[WorkError], tuple[list[int], int]]:
        return WorkError, (self.records, self.max_work)


class RecordError(InputError):
    """A record of an input is bad; a run may be told to go on without some of them."""


def require(condition: bool, name: str, found: object, expected: str) -> None:
    """Refuse the value of an option, saying what was expected."""
    if not condition:
        raise ConfigError(f"{name}: found {found!r:.160}, expected {expected}")
