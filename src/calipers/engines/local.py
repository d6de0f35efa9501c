"""Shards on the cores of this machine, results in the order of the shards.

With one job everything happens in this process. With more, worker processes take shards as they come; only a few are
under way at a time, so memory does not grow with the input. A worker that dies ends the run with an error.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from queue import Queue
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from calipers.errors import CalipersError

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

S = TypeVar("S")
R = TypeVar("R")

_work: Callable[[Any], Any] | None = None


def run_in_order(work: Callable[[S], R], items: Iterable[S], jobs: int | None) -> Iterator[R]:
    """`work` of every item, in the order of the items."""
    items = iter(items)
    first = list(islice(items, 2))
    count = jobs or os.cpu_count() or 1
    if count == 1 or len(first) < 2:  # too little to share
        yield from map(work, chain(first, read_ahead(items, 4)))
    else:
        yield from _in_processes(work, chain(first, items), count)


def read_ahead(items: Iterator[S], depth: int) -> Iterator[S]:
    """The items, fetched by a thread while earlier ones are worked on."""
    waiting: Queue[tuple[str, Any]] = Queue(depth)

    def fetch() -> None:
        try:
            for item in items:
                waiting.put(("item", item))
            waiting.put(("end", None))
        except BaseException as error:  # noqa: BLE001  handed over, and raised where the item was wanted
            waiting.put(("error", error))

    Thread(target=fetch, daemon=True).start()
    while True:
        kind, value = waiting.get()
        if kind == "error":
            raise value
        if kind == "end":
            return
        yield value


def _in_processes(work: Callable[[S], R], items: Iterator[S], count: int) -> Iterator[R]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    # forked workers need no guard in the caller's script and start at once; elsewhere they are spawned
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_start_worker, initargs=(work,))
    try:
        yield from _collect(pool, items, 2 * count)
    except BrokenProcessPool as error:
        raise CalipersError(
            "a worker process ended unexpectedly (killed, or out of memory); try fewer --jobs"
        ) from error
    finally:
        _stop(pool)


def _start_worker(work: Callable[[Any], Any]) -> None:
    global _work
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's to handle
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _call(item: Any) -> Any:
    if _work is None:
        raise CalipersError("a worker process was not started by the engine")
    return _work(item)


def _collect(pool: ProcessPoolExecutor, items: Iterator[S], window: int) -> Iterator[Any]:
    waiting: deque[Future[Any]] = deque()
    for item in items:
        waiting.append(pool.submit(_call, item))
        if len(waiting) >= window:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _stop(pool: ProcessPoolExecutor) -> None:
    """Drop what was not begun; what is under way is not waited for when the run has failed."""
    for process in list((pool._processes or {}).values()):
        if sys.exc_info()[0] is not None:
            process.terminate()
    pool.shutdown(wait=True, cancel_futures=True)
