"""How each suite's input is cut into shards, what a shard gives, and how all of it becomes a report.

A plan is made from inputs and options. Its shards are small and can be sent anywhere; `measure` takes one to a part,
without looking at anything else; parts add up; `report` takes the total to the report. The same plan runs on every
engine, and gives the same bytes on each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeVar

from calipers.core.parts import Packed, Part
from calipers.engines import Engine
from calipers.files.part_files import Made
from calipers.report import Report

P = TypeVar("P", bound=Part)


class Plan(Protocol[P]):
    """How a run is cut into shards and put together again."""

    most_bad: int  # records that may be bad

    @property
    def measure(self) -> Callable[[Any], P]:
        """Takes a shard to its part: pure, and fit to be sent to another process."""

    def made(self) -> Made:
        """What parts are made by: the suite, and every parameter that can change a number."""

    def shards(self, engine: Engine) -> Iterable[Any]:
        """The shards in order, as they are wanted; `str` of one says where it comes from."""

    def identify(self, shard: Any) -> str:
        """A text that is the same in another run only if the shard holds the same."""

    def done(self, shard: Any) -> tuple[int, int]:
        """A shard was measured: how many bytes of how many are done."""

    def empty(self) -> P:
        """What nothing gives."""

    def unpack(self, packed: Packed) -> P:
        """A part that was packed."""

    def finish(self, total: P) -> None:
        """Everything was added: name the inputs."""

    def report(self, total: P) -> Report:
        """The report of everything."""
