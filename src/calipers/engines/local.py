"""Shards on the cores of this machine, results in the order of the shards.

With one job everything happens in this process, and so it does in a process that may not start others, as those of
`multiprocessing.Pool`. With more, worker processes take shards as they come, each over a pipe of its own, so that the
end of a worker is the end of its pipe, and workers end when their parent does. Only a few shards are under way at a
time, so memory does not grow with the input. Whatever goes wrong, in a shard or in fetching one, is raised when its
turn comes: the first error is the same for any number of jobs.

A shard whose worker was killed, or had too little memory, is tried once more when nothing else is under way. If that
ends the same way, the error names the shard.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any, TypeVar

from calipers.engines import Done, Engine, Join
from calipers.errors import CalipersError

S = TypeVar("S")
R = TypeVar("R")
Outcome = tuple[bool, Any]  # whether it went well, and the result or the exception

_ENDS: set[Any] = set()  # of all pipes to workers, also of other runs of this process


class Local:
    """This machine."""

    remote = False

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
    """This machine, with so many processes; None is as many as there are cores."""
    yield Local(jobs)


def run_in_order(
    work: Callable[[S], R], items: Iterable[S], jobs: int | None, done: Done[S] | None = None
) -> Iterator[R]:
    """`work` of every item, in the order of the items."""
    items = iter(items)
    first = list(islice(items, 2))
    count = jobs or cores()
    everything = chain(first, items)
    if count == 1 or len(first) < 2 or not _may_share():  # or too little to share
        yield from _here(work, everything, done)
    else:
        yield from _in_processes(work, everything, count, done)


def cores() -> int:
    """Those this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _may_share() -> bool:
    """Whether this process may have children: one that is a daemon may not."""
    from multiprocessing import current_process

    return not current_process().daemon


def _here(work: Callable[[S], R], items: Iterable[S], done: Done[S] | None) -> Iterator[R]:
    for item in items:
        result = work(item)
        if done:
            done(item)
        yield result


def _in_processes(work: Callable[[S], R], items: Iterator[S], count: int, done: Done[S] | None) -> Iterator[R]:
    pool = _Pool(work, count)
    finished = False
    try:
        yield from _share(pool, _outcomes(items), 2 * count, done)
        finished = True
    finally:
        pool.stop(kill=not finished)


def _outcomes(items: Iterator[S]) -> Iterator[Outcome]:
    """Each item, and at last what went wrong in fetching one."""
    try:
        for item in items:
            yield True, item
    except Exception as error:  # noqa: BLE001  handed on, and raised where the item was wanted
        yield False, error


def _share(pool: _Pool, items: Iterator[Outcome], window: int, done: Done[Any] | None) -> Iterator[Any]:
    """Hand items to idle workers, and results on in order; at most `window` are under way or waiting their turn.

    Another one is fetched while all workers are busy, so that none has to wait for it.
    """
    ready: dict[int, Outcome] = {}
    given = turn = 0
    fetched = next(items, None)
    while fetched is not None or turn < given:
        while fetched is not None and given - turn < window and (worker := pool.idle()) is not None:
            if fetched[0]:
                pool.give(worker, given, fetched[1])
            else:
                ready[given] = fetched
            given += 1
            fetched = next(items, None)
        if turn in ready:
            good, value = ready.pop(turn)
            if not good:
                raise value
            yield value
            turn += 1
        elif turn < given:
            for at, item, outcome in pool.take():
                ready[at] = outcome
                if done and outcome[0]:
                    done(item)


class _Pool:
    """Some worker processes. One that was killed is replaced."""

    def __init__(self, work: Callable[[Any], Any], count: int) -> None:
        self._work = work
        self._workers: list[_Worker] = []
        try:
            for _ in range(count):
                self._workers.append(_Worker(work))
        except BaseException:
            self.stop(kill=True)
            raise

    def idle(self) -> _Worker | None:
        """One that has nothing to do."""
        return next((worker for worker in self._workers if not worker.busy), None)

    def give(self, worker: _Worker, at: int, item: Any) -> None:
        """Let one work on an item. If it was killed before that, another one does."""
        try:
            worker.give(at, item)
        except _KilledError:
            try:
                self._replace(worker).give(at, item)
            except _KilledError:
                raise _lost(item, "killed") from None

    def take(self) -> Iterator[tuple[int, Any, Outcome]]:
        """What came out of a worker; if it was killed, of all of them, and of its item in the second try."""
        worker = self._first_ready()
        outcome = worker.take()
        if outcome is not None:
            yield worker.at, worker.item, outcome
            return
        lost = [worker]
        for other in self._workers:
            if other.busy:
                outcome = other.take()
                if outcome is None:
                    lost.append(other)
                else:
                    yield other.at, other.item, outcome
        for worker in lost:
            yield worker.at, worker.item, self._alone(worker)

    def _first_ready(self) -> _Worker:
        """Wait until a worker has something to tell; of several, the one whose turn is next."""
        from multiprocessing.connection import wait

        busy = {worker.pipe: worker for worker in self._workers if worker.busy}
        return min((busy[pipe] for pipe in wait(list(busy))), key=lambda worker: worker.at)  # type: ignore[index]

    def _alone(self, worker: _Worker) -> Outcome:
        """An item once more, while nothing else is under way."""
        again = self._replace(worker)
        try:
            again.give(worker.at, worker.item)
            outcome = again.take()
        except _KilledError:
            outcome = None
        if outcome is not None:
            return outcome
        self._replace(again)
        return False, _lost(worker.item, again.ending or worker.ending)

    def _replace(self, worker: _Worker) -> _Worker:
        worker.stop(kill=True)
        place = self._workers.index(worker)
        self._workers[place] = _Worker(self._work)
        return self._workers[place]

    def stop(self, *, kill: bool) -> None:
        """End all of them."""
        for worker in self._workers:
            worker.stop(kill=kill)


def _lost(item: Any, ending: str) -> CalipersError:
    return CalipersError(
        f"{item}: a worker process ended over it, and so did a second one, alone: {ending}; try smaller --chunk-bytes"
    )


class _KilledError(Exception):
    """A worker was found dead."""


class _Worker:
    """One process at the other end of a pipe."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        import multiprocessing

        # forked workers need no guard in the caller's script and start at once; elsewhere they are spawned
        context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        self.pipe, end = context.Pipe()
        _ENDS.add(self.pipe)
        foreign = list(_ENDS)  # which the fork would keep open
        self.process: Any = context.Process(  # type: ignore[attr-defined]
            target=_serve, args=(work, end, foreign if sys.platform == "linux" else []), daemon=True
        )
        self.process.start()
        end.close()
        self.busy = False
        self.at, self.item = -1, None  # the place of its item among all, and the item
        self.ending = ""

    def give(self, at: int, item: Any) -> None:
        """Let it work on an item."""
        try:
            self.pipe.send(item)
        except OSError:
            raise _KilledError from None
        self.busy, self.at, self.item = True, at, item

    def take(self) -> Outcome | None:
        """What came out of it; nothing if it was killed, or had too little memory."""
        self.busy = False
        try:
            outcome: Outcome = self.pipe.recv()
        except (EOFError, OSError):
            self.stop(kill=True)
            self.ending = _ending(self.process.exitcode)
            return None
        if not outcome[0] and isinstance(outcome[1], MemoryError):
            self.ending = "out of memory"
            return None
        return outcome

    def stop(self, *, kill: bool) -> None:
        """End it: at once, or when it finds nothing more to do."""
        if kill:
            self.process.kill()
        _ENDS.discard(self.pipe)
        self.pipe.close()
        self.process.join()


def _ending(code: int | None) -> str:
    if code is not None and code < 0:
        return f"killed by signal {-code}" + (", or out of memory" if -code == signal.SIGKILL else "")
    return f"exit code {code}"


def _serve(work: Callable[[Any], Any], pipe: Any, foreign: list[Any]) -> None:
    """What a worker does until its pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's to handle
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in foreign:
        other.close()
    while True:
        try:
            item = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            outcome: Outcome = True, work(item)
        except Exception as error:  # noqa: BLE001  handed on, and raised by the parent in its turn
            outcome = False, error
        try:
            pipe.send(outcome)
        except OSError:
            return
