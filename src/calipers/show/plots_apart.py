"""The plots of a result in processes of their own, while the command measures and writes everything else.

Loading matplotlib and drawing take more than a second of a core. Where there is a second one, a process that was
started together with the command loads it, and draws as soon as the artifact is there. Plots of a suite that take
longer than its page are drawn by several (`Suite.picture_shares`). Whatever goes wrong in one, the command draws by
itself, as it does on one core: the files are the same.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import orjson

from calipers.core.collecting import without_collection
from calipers.suite import Later, Suite, suite_of, suite_of_tree

if TYPE_CHECKING:
    from calipers.engines.child_process import ChildProcess

ANSWERS = 3  # of a process: that it has started, that all is loaded, and the plots
SILENT_SEC = 120  # without a word of the process, after which the command draws by itself


class PlotsApart:
    """Processes that draw the plots of one result; without one, nothing is drawn here."""

    def __init__(self, suite: str, jobs: int | None) -> None:
        self._children = _started(suite) if jobs != 1 else []
        self._asked = False

    def draw(self, artifact: str) -> None:
        """Begin to draw the artifact, which stands in a file."""
        for share, child in enumerate(self._children):
            child.send(("draw", artifact, share))
            self._asked = True

    def pictures(self) -> dict[str, bytes] | None:
        """The files of the plots by name, once all are drawn; None where they were not."""
        from calipers.engines.child_process import ChildEndedError

        if not self._asked:
            return None
        pictures: dict[str, bytes] = {}
        with suppress(ChildEndedError):
            for child in self._children:
                answers = [_answer(child) for _ in range(ANSWERS)]
                if not all(good for good, _ in answers):
                    return None
                pictures |= answers[-1][1]
            return pictures
        return None

    def end(self) -> None:
        """End the processes, whatever they do."""
        for child in self._children:
            child.end()


def _started(suite: str) -> list[ChildProcess]:
    """Processes that load what drawing takes; none where that is loaded here, is missing, or there is one core."""
    from calipers.engines.local import cores

    if cores() < 2 or is_loaded() or find_spec("matplotlib") is None:
        return []
    from calipers.engines.child_process import ChildProcess, pack_work

    work = pack_work(serve)
    children: list[ChildProcess] = []
    if work is None:
        return []
    try:
        for share in range(len(_shares(suite_of(suite)))):
            children.append(ChildProcess(work))
            children[-1].send(("load", suite, share))
    except OSError:  # no more processes may be started
        for child in children:
            child.end()
        return []
    return children


def _shares(suite: Suite) -> tuple[Callable[[Any], dict[str, bytes]], ...]:
    """What each process draws."""
    return suite.picture_shares or (suite.pictures,)


def is_loaded() -> bool:
    """Whether drawing here would not have to load matplotlib first, or could not."""
    return "matplotlib" in sys.modules


def _answer(child: ChildProcess) -> tuple[bool, Any]:
    from calipers.engines.child_process import ChildEndedError, wait_for

    while (answer := child.receive()) is None:
        if not wait_for([child], SILENT_SEC):
            raise ChildEndedError(f"it was silent for {SILENT_SEC} seconds")
        child.flush()
    return answer


def serve(request: tuple[str, str, int]) -> dict[str, bytes]:
    """Run in a child: load the modules of a suite's plots, or draw its share of the plots of an artifact."""
    what, name, share = request
    with without_collection():
        drawn = _loaded(name) if what == "load" else _drawn(name, share)
        gc.freeze()  # modules and what they keep are no garbage: to look at all of them once takes 20 ms
    return drawn


def _loaded(suite: str) -> dict[str, bytes]:
    """No plots yet; returned once all modules and fonts that drawing takes are loaded."""
    from calipers.show.charts.loading import load_matplotlib
    from calipers.show.charts.sheet import Lettering

    load_matplotlib()
    Lettering("png")
    for draw in _shares(suite_of(suite)):
        if isinstance(draw, Later):
            draw.load()
    return {}


def _drawn(artifact: str, share: int) -> dict[str, bytes]:
    with open(artifact, "rb") as file:
        tree = orjson.loads(file.read())
    return dict(_shares(suite_of_tree(tree))[share](tree))
