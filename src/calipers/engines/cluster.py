"""Items as the tasks of a cluster, whichever it is: results in order, totals joined in a tree.

A task takes an item to its outcome: results, and what went wrong. Outcomes stay where they were made. Without `join`
the caller receives them one by one. With it, sixteen neighbours at a time become one on a worker, sixteen of those
become one again, and only the top of such a tree travels. The first trees are low and later ones higher, so whatever
the number of items few results arrive, and never is more than about a sixteenth of the work done waiting in a tree.

An outcome keeps only the results before its first error, so errors come in the order of the items here as well.

The cluster runs a task again when it loses a worker. If it gives up on one, perhaps wrongly, because tasks that wait
at a worker are suspected like the one that runs, the task is tried once more when nothing else is under way.
"""

from __future__ import annotations

import os
import pickle
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import islice, takewhile
from typing import Any, Protocol, TypeVar

from calipers import __version__
from calipers.core.errors import CalipersError, keyword
from calipers.engines import Done, Join
from calipers.engines.outcomes import join_outcomes, measure

S = TypeVar("S")
R = TypeVar("R")
Handle = Any  # whatever stands for the outcome of a task on a cluster
OnEnd = Callable[[Exception | None], None]

FAN_IN = 16
MAX_LEVELS = 4  # levels of a tree, so 65,536 items
FETCHED_AT_ONCE = 4  # outcomes at a time; of sums, which may be large, one
ADVICE = f"try smaller {keyword('chunk_bytes')}, or workers with more memory"
MIN_WINDOW, WINDOW_PER_WORKER = 64, 8  # tasks under way


class LostError(Exception):
    """The cluster gave up on a task because its workers ended."""


class Tasks(Protocol):
    """A cluster that runs functions of bytes. Whatever it calls back, it calls from `wait`."""

    @property
    def under_way(self) -> int:
        """How many tasks were started and have not ended."""

    def workers(self) -> int:
        """How many tasks can run at once."""

    def start(self, function: Callable[..., bytes], arguments: list[Any], on_end: OnEnd) -> Handle:
        """Run a function of bytes and of the outcomes of tasks that ended. `on_end` hears what became of it."""

    def wait(self) -> None:
        """Block until at least one task has ended."""

    def fetch(self, handles: list[Handle]) -> list[bytes]:
        """The outcomes of tasks that ended. LostError if the cluster lost one and gave up on it."""

    def is_lost(self, handle: Handle) -> bool:
        """Whether the outcome of a task that ended was lost, and will not be made again."""

    def settle(self) -> None:
        """Block until lost outcomes are available again, or the cluster has given up on them."""

    def cancel(self, handles: list[Handle]) -> None:
        """Cancel these tasks; `on_end` of none of them is called any more."""


class Cluster:
    """An engine that runs items as tasks of a cluster."""

    remote = True

    def __init__(self, tasks: Tasks, *, own: bool = False) -> None:
        self._tasks, self.own = tasks, own

    def in_order(
        self,
        work: Callable[[S], R],
        items: Iterable[S],
        *,
        join: Join[R] | None = None,
        done: Done[S] | None = None,
    ) -> Iterator[R]:
        """Results in the order of the items, or neighbours among them joined."""
        return _Run(self._tasks, work, join, done).results(iter(items))


class _Run:
    """One `in_order`. Several may be under way, one taking its items from another."""

    def __init__(self, tasks: Tasks, work: Any, join: Any, done: Done[Any] | None) -> None:
        self.tasks, self.work, self.done = tasks, pickle.dumps(work), done
        self.join = pickle.dumps(join) if join else None
        self.lost: deque[_Node] = deque()  # to be tried once more
        self.running: dict[_Node, None] = {}
        self._trees: deque[_Node] = deque()  # not handed over yet
        self._begun = self._measuring = 0  # trees so far, and items under way

    def results(self, items: Iterator[Any]) -> Iterator[Any]:
        """Start tasks as there is room for them, and hand results on in their turn."""
        more = True
        try:
            while more or self._trees:
                while more and self._has_room():
                    more = self._start_next(items)
                if ready := self._ready():
                    yield from self._outcomes(ready)
                elif self._trees:
                    self._wait()
        finally:
            self.tasks.cancel([node.handle for node in self.running])
            if isinstance(items, Generator):  # it may be another run
                items.close()

    def _has_room(self) -> bool:
        """Results that wait for their turn count as well, unless they wait joined."""
        window = max(MIN_WINDOW, WINDOW_PER_WORKER * self.tasks.workers())
        return (self._measuring if self.join else len(self._trees)) < window

    def _start_next(self, items: Iterator[Any]) -> bool:
        """Start with the next item. Returns whether there may be more."""
        try:
            item = next(items)
        except StopIteration:
            self._close()
            return False
        except Exception as error:  # noqa: BLE001  a module of the caller may raise anything; the parent tells
            self._add(_Failure(error))
            self._close()
            return False
        self._measuring += 1
        leaf = _Leaf(self, item)
        self._add(leaf)
        leaf.start()
        return True

    def _add(self, leaf: _Node) -> None:
        if self.join is None:
            self._trees.append(leaf)
            return
        if not self._trees or self._trees[-1].closed:
            self._trees.append(_Sum(self, min(1 + self._begun // FAN_IN, MAX_LEVELS)))
            self._begun += 1
        self._trees[-1].add(leaf)

    def _close(self) -> None:
        if self._trees:
            self._trees[-1].close()

    def _wait(self) -> None:
        """Block until a task has ended and no outcome is lost."""
        if self.tasks.under_way:
            self.tasks.wait()
        while self.lost:
            if self.tasks.under_way:
                self.tasks.wait()
            else:
                self.tasks.settle()
                self.lost.popleft().start()

    def measured(self, item: Any, *, good: bool) -> None:
        """Note that the work on an item is finished."""
        self._measuring -= 1
        if good and self.done:
            self.done(item)

    def _ready(self) -> list[_Node]:
        """Finished nodes whose turn it is, a few at a time: fetching one by one is slow, all may be too large."""
        ready = list(takewhile(lambda tree: tree.ended, islice(self._trees, 1 if self.join else FETCHED_AT_ONCE)))
        for _ in ready:
            self._trees.popleft()
        return ready

    def _outcomes(self, trees: list[_Node]) -> Iterator[Any]:
        """Results in order. If an outcome was lost, it is made again, and the others have to wait."""
        try:
            fetched = deque(self.tasks.fetch([tree.handle for tree in trees if tree.handle is not None]))
        except LostError as loss:
            if not [tree for tree in trees if tree.make_again()]:
                raise CalipersError(f"{trees[0]}: its result was lost: {loss}") from loss
            self._trees.extendleft(reversed(trees))
            return
        for tree in trees:
            if tree.handle is not None:
                results, error = pickle.loads(fetched.popleft())  # frees these bytes before the next ones are loaded
                tree.handle = None
                yield from results
                if error is not None:
                    raise error
            if tree.error is not None:
                raise tree.error


class _Node:
    """A task, or what has become of it: an outcome on the cluster, then perhaps an error."""

    closed = True  # nothing will be added

    def __init__(self, run: _Run) -> None:
        self.run = run
        self.handle: Handle | None = None
        self.error: Exception | None = None
        self.ended = False
        self.parent: _Sum | None = None
        self._tries = 0

    def start(self) -> None:
        """Start the task on the cluster."""
        self._tries += 1
        self.handle = self.run.tasks.start(*self.task(), self._on_end)
        self.run.running[self] = None

    def task(self) -> tuple[Callable[..., bytes], list[Any]]:
        """The function to run, and its arguments."""
        raise NotImplementedError

    def add(self, leaf: _Node) -> None:
        """Take in a leaf."""
        raise NotImplementedError

    def close(self) -> None:
        """Note that no leaf will be added."""

    def _on_end(self, problem: Exception | None) -> None:
        del self.run.running[self]
        if isinstance(problem, LostError) and self._tries == 1:
            self.handle = None
            self.run.lost.append(self)
            return
        if isinstance(problem, LostError):
            problem = CalipersError(f"its workers ended repeatedly, also when nothing else ran: {problem}; {ADVICE}")
        if problem is not None:
            self.handle = None
            self.error = CalipersError(f"{self}: {problem}")
        self.finish()

    def make_again(self) -> bool:
        """Retry the task if its outcome was lost with a worker. Returns whether it will be retried."""
        return False

    def finish(self) -> None:
        """Note that the task has ended, well or not."""
        self.ended = True
        if self.parent is not None:
            self.parent.try_to_start()


class _Failure(_Node):
    """An item whose iterator raised an error."""

    def __init__(self, error: Exception) -> None:
        self.handle, self.error, self.ended, self.parent = None, error, True, None


class _Leaf(_Node):
    """The task that measures one item."""

    def __init__(self, run: _Run, item: Any) -> None:
        super().__init__(run)
        self._item, self._reported = item, False

    def __str__(self) -> str:
        return str(self._item)

    def task(self) -> tuple[Callable[..., bytes], list[Any]]:
        """The function that measures the item."""
        return measure, [__version__.encode(), self.run.work, pickle.dumps((os.getcwd(), self._item))]

    def make_again(self) -> bool:
        """Retry the task if its outcome was lost with a worker. Returns whether it will be retried."""
        if self.handle is None or self._tries > 1 or not self.run.tasks.is_lost(self.handle):
            return False
        self.handle, self.ended = None, False
        self.run.lost.append(self)
        return True

    def finish(self) -> None:
        """Report that the item is finished, once."""
        if not self._reported:
            self._reported = True
            self.run.measured(self._item, good=self.error is None)
        super().finish()


class _Sum(_Node):
    """The task that joins the outcomes of neighbours into one."""

    def __init__(self, run: _Run, level: int) -> None:
        super().__init__(run)
        self._level = level
        self._children: list[_Node] = []
        self.closed = False

    def __str__(self) -> str:
        first: _Node = self
        while isinstance(first, _Sum):
            first = first._children[0]
        return f"{first}, and what follows it"

    def task(self) -> tuple[Callable[..., bytes], list[Any]]:
        """The join of the outcomes before the first error."""
        return join_outcomes, [self.run.join, *(child.handle for child in self._with_outcome())]

    def start(self) -> None:
        """Start the join; after a loss, only when everything that was lost is available again."""
        if self._tries and [child for child in self._children if child.make_again()]:
            self._tries = 0
        else:
            super().start()

    def add(self, leaf: _Node) -> None:
        """Take in a leaf at the right end."""
        if self._level > 1 and self._children and not self._children[-1].closed:
            self._children[-1].add(leaf)
        else:
            child = leaf if self._level == 1 else _Sum(self.run, self._level - 1)
            child.parent = self
            self._children.append(child)
            if child is not leaf:
                child.add(leaf)
        self.closed = len(self._children) == FAN_IN and self._children[-1].closed

    def close(self) -> None:
        """No more neighbours will come."""
        self.closed = True
        self._children[-1].close()
        self.try_to_start()

    def try_to_start(self) -> None:
        """Start the join once all outcomes are available. A single outcome needs no join."""
        if not self.closed or self.ended or self._tries or not all(child.ended for child in self._children):
            return
        self.error = next((child.error for child in self._children if child.error is not None), None)
        outcomes = self._with_outcome()
        if len(outcomes) > 1:
            self.start()
        else:
            self.handle = outcomes[0].handle if outcomes else None
            self.finish()

    def _with_outcome(self) -> list[_Node]:
        nodes = []
        for child in self._children:
            if child.handle is not None:
                nodes.append(child)
            if child.error is not None:
                break
        return nodes

    def finish(self) -> None:
        """What it is made of may go, and does at once: no outcome waits for garbage collection."""
        for child in self._children:
            child.handle = None
        self._children = self._children[:1]
        super().finish()
