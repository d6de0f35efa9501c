"""The worker processes of a run: who is idle, who has an outcome, who was killed and who stands still."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from calipers.core.errors import CalipersError, keyword
from calipers.core.stopping import Deferred
from calipers.engines.child_process import ChildEndedError, ChildProcess, Outcome, wait_for

POLL_SEC = 10.0  # without news of any worker, after which they are looked at
RUNNABLE = "R"  # the state of a process that runs, or would if it were its turn
MAX_IDLE_LOOKS = 6  # one after the other at which a busy worker has used no CPU time
MAX_FALSE_STARTS = 2  # workers that end before they can do anything, one after the other


class Pool:
    """Some worker processes. One that was killed is replaced."""

    def __init__(self, work: bytes, count: int) -> None:
        self._work, self._count = work, count
        self._workers: list[Worker] = []
        self._dismissed: list[Worker] = []
        self._false_starts = 0
        self.is_started = False

    @property
    def is_working(self) -> bool:
        """Whether some of them can take items, so that nobody else needs to."""
        return any(worker.is_ready for worker in self._workers)

    @property
    def has_workers(self) -> bool:
        """Whether some are there or starting."""
        return bool(self._workers)

    def start(self) -> None:
        """Start all of them, without waiting until they can be used. Where they cannot be started, there are fewer."""
        self.is_started = True
        while len(self._workers) < self._count and self._add():
            pass

    def _add(self) -> bool:
        if self._false_starts > MAX_FALSE_STARTS:
            return False
        try:
            with Deferred():
                self._workers.append(Worker(self._work))
        except OSError as error:  # too many processes or files
            report_problem(f"no worker process could be started: {error.strerror or error}; going on with fewer")
            self._false_starts = MAX_FALSE_STARTS + 1
            return False
        return True

    def idle(self) -> Worker | None:
        """A worker that has nothing to do."""
        self._greet()
        return next((worker for worker in self._workers if worker.is_ready and not worker.busy), None)

    def _greet(self) -> None:
        """Hear from those that were starting."""
        for worker in [worker for worker in self._workers if not worker.is_ready]:
            try:
                problem = worker.greet()
            except ChildEndedError:
                problem = worker.end()
                self._false_starts += 1
            if problem:
                self._remove(worker, problem)

    def _remove(self, worker: Worker, problem: str) -> None:
        worker.end()
        self._workers.remove(worker)
        if worker.is_unfit or not self._add():
            report_problem(f"a worker process could not be started: {problem}; going on without it")

    def give(self, worker: Worker, at: int, item: Any) -> None:
        """Let one work on an item."""
        self._false_starts = 0
        worker.give(at, item)

    def gather(self) -> Iterator[tuple[int, Any, Outcome]]:
        """What came out of some workers; if one was killed, of all of them, and of its item in the second try."""
        lost: list[Worker] = []
        for worker in self._with_news():
            try:
                outcome = worker.receive()
            except _LostError:
                lost.append(worker)
                continue
            if outcome is not None:
                yield worker.at, worker.item, outcome
        if lost:
            yield from self._finish_others(lost)
            for worker in lost:
                self._workers.remove(worker)
                yield worker.at, worker.item, self._again(worker)

    def _finish_others(self, lost: list[Worker]) -> Iterator[tuple[int, Any, Outcome]]:
        """Outcomes until nothing is under way but what was lost."""
        while busy := [worker for worker in self._workers if worker.busy and worker not in lost]:
            for worker in _wait(busy):
                try:
                    outcome = worker.receive()
                except _LostError:
                    lost.append(worker)
                    continue
                if outcome is not None:
                    yield worker.at, worker.item, outcome

    def _with_news(self) -> list[Worker]:
        """Wait until workers have something to tell, in the order of their items."""
        news = _wait(self._workers)
        for worker in [worker for worker in news if worker.is_ready and not worker.busy]:  # which can only have ended
            self._remove(worker, worker.end())
        self._greet()
        return sorted((worker for worker in news if worker.busy), key=lambda worker: worker.at)

    def _again(self, worker: Worker) -> Outcome:
        worker.end()  # it may have gone on without the memory it wanted
        outcome = self.alone(worker.item, worker.ending)
        self._add()
        return outcome

    def alone(self, item: Any, ending: str = "out of memory") -> Outcome:
        """An item in the second try, in a process of its own while nothing else is under way."""
        try:
            worker = Worker(self._work)
        except OSError as error:
            return False, _lost_over(item, f"{ending}; no other could be started: {error.strerror or error}")
        try:
            worker.give(0, item)
            while (outcome := worker.receive()) is None:
                _wait([worker])
            return outcome
        except _LostError:
            return False, _lost_over(item, worker.ending or ending)
        finally:
            worker.end()

    def dismiss_idle(self) -> None:
        """Kill those that have nothing to do, once no item is left: they give their memory back while others work."""
        with Deferred():
            for worker in [worker for worker in self._workers if worker.is_ready and not worker.busy]:
                worker.process.kill()
                self._workers.remove(worker)
                self._dismissed.append(worker)

    def stop(self) -> None:
        """End all of them: each gives its memory back, at the same time as the others."""
        with Deferred():
            for worker in self._workers:
                worker.process.kill()
            for worker in (*self._workers, *self._dismissed):
                worker.end()


def _wait(workers: list[Worker]) -> list[Worker]:
    """Wait for news of some workers. Those that stand still are told about."""
    by_process = {worker.process: worker for worker in workers}
    while not (news := wait_for(by_process.keys(), POLL_SEC)):
        for worker in workers:
            worker.look_after()
    return [by_process[process] for process in news]


def _lost_over(item: Any, ending: str) -> CalipersError:
    return CalipersError(
        f"{item}: its worker process ended, and so did a second one that measured nothing else: {ending}; "
        f"try smaller {keyword('chunk_bytes')}"
    )


def report_problem(message: str) -> None:
    """Warn whoever runs this; without a logger of theirs it goes to standard error."""
    import logging

    shown = "".join(character if character.isprintable() else repr(character)[1:-1] for character in message)
    logging.getLogger("calipers").warning("%s", shown)


class _LostError(Exception):
    """A worker was killed, or had too little memory."""


class Worker:
    """One process, and what it is busy with."""

    def __init__(self, work: bytes) -> None:
        self.process = ChildProcess(work)
        self.is_ready = self.is_unfit = self.busy = False
        self.at, self.item = -1, None  # the place of its item among all, and the item
        self.ending = ""
        self._state: tuple[str, float] | None = None  # and CPU time, when it was looked at last
        self._idle_looks, self._reported = 0, False

    def greet(self) -> str:
        """Hear whether it could load the work, if it has told that. Returns the problem, if there is one."""
        self.process.flush()
        greeting = self.process.receive()
        if greeting is None:
            return ""
        self.is_ready, problem = greeting
        self.is_unfit = bool(problem)
        return str(problem)

    def give(self, at: int, item: Any) -> None:
        """Let it work on an item."""
        self.busy, self.at, self.item = True, at, item
        self._state, self._idle_looks, self._reported = None, 0, False
        self.process.send(item)

    def receive(self) -> Outcome | None:
        """What came out of it, or nothing yet. _LostError if it was killed, or had too little memory."""
        try:
            self.process.flush()
            if not self.is_ready and (problem := self.greet()):
                self.busy = False
                return False, CalipersError(f"a worker process could not be started: {problem}")
            outcome: Outcome | None = self.process.receive() if self.is_ready else None
        except ChildEndedError:
            self.busy, self.ending = False, self.process.end()
            raise _LostError from None
        if outcome is None:
            return None
        self.busy = False
        if not outcome[0] and isinstance(outcome[1], MemoryError):
            self.ending = "out of memory"
            raise _LostError
        return outcome

    def look_after(self) -> None:
        """Tell about a process that is stopped, or waits and has used no CPU time for some looks; once an item.

        One that could run (state R) and is given no CPU time is on a busy machine, and nothing is wrong with it.
        """
        state = self.process.state() if self.busy and not self._reported else None
        if state is None:
            return
        self._idle_looks = self._idle_looks + 1 if state == self._state and state[0] != RUNNABLE else 0
        self._state = state
        if state[0] in "Tt":
            self._report("is stopped (state T); it goes on after: kill -CONT")
        elif self._idle_looks >= MAX_IDLE_LOOKS:
            seconds = POLL_SEC * MAX_IDLE_LOOKS
            self._report(f"has used no CPU time for {seconds:g} seconds (state {state[0]}); to have it replaced: kill")

    def _report(self, problem: str) -> None:
        self._reported = True
        number = self.process.pid
        report_problem(f"{self.item}: worker process {number}, which measures it, {problem} {number}")

    def end(self) -> str:
        """End it, if it has not ended. Returns how it ended."""
        return self.process.end()
