"""Where shards are measured: in this process, in several of this machine, on a cluster of Dask or Ray.

An engine has one method. `in_order(work, items, join=…, done=…)` gives the results of `work` in the order of the
items, whatever came back first; `done` hears of every item when its work is finished. With `join`, which makes one
result of a list of neighbours, an engine may hand over joined results instead, so that totals are added up where they
are and little has to travel. A shard that was lost with its worker is measured again. What `work` raises is raised
here, and of several errors it is the one of the first item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

S = TypeVar("S")
R = TypeVar("R")
Join = Callable[[list[R]], R]
Done = Callable[[S], None]


class Engine(Protocol):
    """Where shards are measured."""

    remote: bool  # whether inputs are better read by workers than here
    own: bool  # whether it was started for this run, on this machine

    def in_order(
        self,
        work: Callable[[S], R],
        items: Iterable[S],
        *,
        join: Join[R] | None = None,
        done: Done[S] | None = None,
    ) -> Iterator[R]:
        """Results in the order of the items, or neighbours among them joined."""


def open_engine(name: str, *, jobs: int | None, address: str | None) -> AbstractContextManager[Engine]:
    """The engine of this name, until the end of the block."""
    if name == "dask":
        from calipers.engines.dask import open_dask

        return open_dask(jobs, address)
    if name == "ray":
        from calipers.engines.ray import open_ray

        return open_ray(jobs, address)
    from calipers.engines.local import open_local

    return open_local(jobs)
