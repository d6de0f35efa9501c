"""Shards on the cores of this machine, results in the order of the shards.

With one job everything happens in this process, and so it does in a process that may not start others, as those of
`multiprocessing.Pool`, and for work that other processes cannot load. With more, worker processes take shards as they
come. They are started once this process has worked for as long as it takes to start one, so that small inputs stay
here, and until they are there this process goes on by itself. A command, whose workers are there in milliseconds,
leaves large shards to them from the first one on. Only a few shards are under way at a time, so memory does not grow
with the input. Whatever goes wrong, in a shard or in fetching one, is raised when its turn comes: the first error is
the same for any number of jobs.

A shard whose worker was killed, or had too little memory, is tried once more when nothing else is under way. If that
ends the same way, the error names the shard. A worker that stands still is told about, and waited for.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from calipers.engines import Done, Engine, Join

if TYPE_CHECKING:
    from calipers.engines.child_process import Outcome
    from calipers.engines.pool import Pool

S = TypeVar("S")
R = TypeVar("R")

ALONE_SEC: float | None = 0.25  # about what it takes to start a worker afresh; None leaves everything to workers
ALONE_BEFORE_FORK_SEC = 0.02  # about what it takes to fork some
LARGE_BYTES = 1 << 20  # of a shard that takes longer than to wait for forked workers


class Local:
    """An engine that measures shards on this machine."""

    remote, own = False, True

    def __init__(self, jobs: int | None) -> None:
        self.jobs = jobs

    def in_order(
        self,
        work: Callable[[S], R],
        items: Iterable[S],
        *,
        join: Join[R] | None = None,  # results are added as they come
        done: Done[S] | None = None,
    ) -> Iterator[R]:
        """Results in the order of the items."""
        return run_in_order(work, items, self.jobs, done)


@contextmanager
def open_local(jobs: int | None) -> Iterator[Engine]:
    """The engine of this machine, with so many processes; None is as many as there are cores."""
    yield Local(jobs)


def run_in_order(
    work: Callable[[S], R], items: Iterable[S], jobs: int | None, done: Done[S] | None = None
) -> Iterator[R]:
    """`work` of every item, in the order of the items."""
    count = jobs or cores()
    packed = _packed(work) if count > 1 and _may_share() else None
    if packed is None:
        yield from _here(work, items, done)
        return
    from calipers.engines.pool import Pool

    pool = Pool(packed, count)
    try:
        yield from _Sharing(work, pool, 2 * count, done).results(_outcomes(iter(items)))
    finally:
        pool.stop()


def _packed(work: Callable[[Any], Any]) -> bytes | None:
    """What workers load the function from; None if they cannot."""
    from calipers.engines.child_process import pack_work  # one job does without

    return pack_work(work)


def cores() -> int:
    """Those this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _may_share() -> bool:
    """Whether this process may have children: one that is a daemon may not."""
    process = sys.modules.get("multiprocessing.process")  # loaded wherever there are such daemons
    return process is None or not process.current_process().daemon


def _here(work: Callable[[S], R], items: Iterable[S], done: Done[S] | None) -> Iterator[R]:
    for item in items:
        result = work(item)
        if done:
            done(item)
        yield result


def _outcomes(items: Iterator[S]) -> Iterator[Outcome]:
    """Each item, and at last what went wrong in fetching one."""
    try:
        for item in items:
            yield True, item
    except Exception as error:  # noqa: BLE001  a module of the caller may raise anything; the parent tells
        yield False, error


def _alone_sec(afresh: float) -> float:
    """For how long this process measures alone: about as long as it takes to start workers."""
    from calipers.engines.forked import may_fork

    return min(afresh, ALONE_BEFORE_FORK_SEC) if may_fork() else afresh


def _leave_to_forks(item: Outcome) -> bool:
    """Whether an item is so large that workers are waited for, since they start in no time."""
    from calipers.engines.forked import may_fork

    good, value = item
    return good and getattr(value, "size", 0) >= LARGE_BYTES and may_fork()


class _Sharing:
    """One run with several processes: items go to idle workers, results come out in order.

    At most `window` items are under way or waiting for their turn. Another one is fetched while all workers are busy,
    so that none has to wait for it.
    """

    def __init__(self, work: Callable[[Any], Any], pool: Pool, window: int, done: Done[Any] | None) -> None:
        self._work, self._pool, self._window, self._done = work, pool, window, done
        self._ready: dict[int, Outcome] = {}  # results that wait for their turn
        self._given = self._turn = 0  # items so far, and results handed over
        self._worked_sec = 0.0
        self._waits = ALONE_SEC is None  # for workers, as long as there are any

    def results(self, items: Iterator[Outcome]) -> Iterator[Any]:
        """Results in the order of the items."""
        item = next(items, None)
        if item is not None and _leave_to_forks(item) and (second := next(items, None)) is not None:
            items, self._waits = chain([second], items), True
        while item is not None or self._turn < self._given:
            while item is not None and self._has_room() and self._hand_over(item):
                self._given += 1
                item = next(items, None)
            if item is None:
                self._pool.dismiss_idle()
            if self._turn in self._ready:
                good, value = self._ready.pop(self._turn)
                if not good:
                    raise value
                yield value
                self._turn += 1
            else:
                self._gather()

    def _has_room(self) -> bool:
        return self._given - self._turn < self._window

    def _hand_over(self, item: Outcome) -> bool:
        """Give an item to a worker that is idle. Where none can be yet, it is worked on here, once it is its turn."""
        good, value = item
        if not good:
            self._ready[self._given] = item
            return True
        self._start_workers_in_time()
        if (worker := self._pool.idle()) is not None:
            self._pool.give(worker, self._given, value)
        elif self._pool.is_working or self._turn < self._given or self._leaves_all_to_workers():
            return False
        else:
            self._work_here(value)
        return True

    def _start_workers_in_time(self) -> None:
        """Start workers for an item that is there: at once, or when this process has worked alone for long enough."""
        waits = self._waits or ALONE_SEC is None or self._worked_sec >= _alone_sec(ALONE_SEC)
        if waits and not self._pool.is_started:
            self._pool.start()

    def _leaves_all_to_workers(self) -> bool:
        return self._waits and self._pool.has_workers

    def _work_here(self, item: Any) -> None:
        begun = perf_counter()
        try:
            outcome: Outcome = True, self._work(item)
        except MemoryError:
            outcome = self._pool.alone(item)
        except Exception as error:  # noqa: BLE001  a module of the caller may raise anything; the parent tells
            outcome = False, error
        self._worked_sec += perf_counter() - begun
        self._keep(self._given, item, outcome)

    def _gather(self) -> None:
        for at, item, outcome in self._pool.gather():
            self._keep(at, item, outcome)

    def _keep(self, at: int, item: Any, outcome: Outcome) -> None:
        self._ready[at] = outcome
        if self._done and outcome[0]:
            self._done(item)
