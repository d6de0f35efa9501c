"""Shards on the cores of this machine, results in the order of the shards.

With one job everything happens in this process. With more, worker processes take shards as they come, each over a pipe
of its own, so that the end of a worker is the end of its pipe: a killed one ends the run with an error, and workers end
when their parent does. Only a few shards are under way at a time, so memory does not grow with the input. Whatever goes
wrong, in a shard or in fetching one, is raised when its turn comes: the first error is the same for any number of jobs.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from queue import Empty, Queue
from threading import Thread
from typing import Any, TypeVar

from calipers.errors import CalipersError

S = TypeVar("S")
R = TypeVar("R")
Outcome = tuple[bool, Any]  # whether it went well, and the result or the exception


def run_in_order(work: Callable[[S], R], items: Iterable[S], jobs: int | None, *, ahead: bool = False) -> Iterator[R]:
    """`work` of every item, in the order of the items. With `ahead`, a single job fetches items while it works."""
    items = iter(items)
    first = list(islice(items, 2))
    count = jobs or os.cpu_count() or 1
    if count == 1 or len(first) < 2:  # too little to share
        yield from map(work, chain(first, read_ahead(items, 4) if ahead else items))
    else:
        yield from _in_processes(work, chain(first, items), count)


def read_ahead(items: Iterator[S], depth: int) -> Iterator[S]:
    """The items, fetched by a thread while earlier ones are worked on. Fetching must never have to wait for long."""
    waiting: Queue[Outcome | None] = Queue(depth)
    wanted = [True]

    def fetch() -> None:
        for outcome in _outcomes(items):
            if not wanted[0]:
                break
            waiting.put(outcome)
        waiting.put(None)

    thread = Thread(target=fetch, daemon=True)
    thread.start()
    try:
        while (outcome := waiting.get()) is not None:
            yield _value(outcome)
    finally:
        wanted[0] = False
        while thread.is_alive():
            _drain(waiting)
            thread.join(0.01)


def _drain(queue: Queue[Any]) -> None:
    try:
        while True:
            queue.get_nowait()
    except Empty:
        pass


def _outcomes(items: Iterator[S]) -> Iterator[Outcome]:
    """Each item, and at last what went wrong in fetching one."""
    try:
        for item in items:
            yield True, item
    except Exception as error:  # noqa: BLE001  handed on, and raised where the item was wanted
        yield False, error


def _value(outcome: Outcome) -> Any:
    if not outcome[0]:
        raise outcome[1]
    return outcome[1]


def _in_processes(work: Callable[[S], R], items: Iterator[S], count: int) -> Iterator[R]:
    workers: list[_Worker] = []
    finished = False
    try:
        for _ in range(count):
            workers.append(_Worker(work, workers))
        yield from _share(workers, _outcomes(items), 2 * count)
        finished = True
    finally:
        for worker in workers:
            worker.stop(kill=not finished)


def _share(workers: list[_Worker], items: Iterator[Outcome], window: int) -> Iterator[Any]:
    """Hand items to idle workers, and results on in order; at most `window` are under way or waiting their turn."""
    done: dict[int, Outcome] = {}
    given = turn = 0
    more = True
    while more or turn < given:
        for worker in workers:
            if more and not worker.busy and given - turn < window:
                fetched = next(items, None)
                more = fetched is not None and fetched[0]
                if fetched is not None:
                    if fetched[0]:
                        worker.give(given, fetched[1])
                    else:
                        done[given] = fetched
                    given += 1
        if turn in done:
            yield _value(done.pop(turn))
            turn += 1
        elif turn < given:
            at, outcome = _first_ready(workers).take()
            done[at] = outcome


def _first_ready(workers: list[_Worker]) -> _Worker:
    """Wait until a worker has something to tell; of several, the one whose turn is next."""
    from multiprocessing.connection import wait

    busy = {worker.pipe: worker for worker in workers if worker.busy}
    return min((busy[pipe] for pipe in wait(list(busy))), key=lambda worker: worker.at)  # type: ignore[index]


class _Worker:
    """One process at the other end of a pipe."""

    def __init__(self, work: Callable[[Any], Any], others: list[_Worker]) -> None:
        import multiprocessing

        # forked workers need no guard in the caller's script and start at once; elsewhere they are spawned
        context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        self.pipe, end = context.Pipe()
        foreign = [worker.pipe for worker in others] + [self.pipe]  # which the fork would keep open
        self.process: Any = context.Process(  # type: ignore[attr-defined]
            target=_serve, args=(work, end, foreign if sys.platform == "linux" else []), daemon=True
        )
        self.process.start()
        end.close()
        self.busy = False
        self.at = -1  # the place of its item among all

    def give(self, at: int, item: Any) -> None:
        """Let it work on an item."""
        self.busy, self.at = True, at
        try:
            self.pipe.send(item)
        except OSError:
            raise _died() from None

    def take(self) -> tuple[int, Outcome]:
        """What came out of it."""
        try:
            outcome: Outcome = self.pipe.recv()
        except (EOFError, OSError):
            raise _died() from None
        self.busy = False
        return self.at, outcome

    def stop(self, *, kill: bool) -> None:
        """End it: at once, or when it finds nothing more to do."""
        if kill:
            self.process.kill()
        self.pipe.close()
        self.process.join()


def _died() -> CalipersError:
    return CalipersError("a worker process ended unexpectedly (killed, or out of memory); try fewer --jobs")


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
