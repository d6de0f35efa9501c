"""The plots of a result in a process of their own, while the command measures and writes everything else.

Loading matplotlib and drawing take more than a second of a core. Where there is a second one, a process that was
started together with the command loads it, and draws as soon as the artifact is there. Whatever goes wrong in it, the
command draws by itself, as it does on one core: the files are the same.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import orjson

from calipers.core.collecting import without_collection
from calipers.suite import suite_of, suite_of_tree

if TYPE_CHECKING:
    from calipers.engines.child_process import ChildProcess

ANSWERS = 3  # of the process: that it has started, that all is loaded, and the plots
WRITE_DOCSTRING = "_update_set_signature_and_docstring"  # of matplotlib's artists; with another name, it is written
LOADED = ("matplotlib.backends.backend_agg", "matplotlib.figure", "PIL.PngImagePlugin")
SILENT_SEC = 120  # without a word of the process, after which the command draws by itself


class PlotsApart:
    """A process that draws the plots of one result; without one, nothing is drawn here."""

    def __init__(self, suite: str, jobs: int | None) -> None:
        self._child = _started(suite) if jobs != 1 else None
        self._asked = False

    def draw(self, artifact: str) -> None:
        """Begin to draw the artifact, which stands in a file."""
        if self._child is not None:
            self._child.send(("draw", artifact))
            self._asked = True

    def pictures(self) -> dict[str, bytes] | None:
        """The files of the plots by name, once all are drawn; None where they were not."""
        from calipers.engines.child_process import ChildEndedError

        if self._child is None or not self._asked:
            return None
        with suppress(ChildEndedError):
            answers = [_answer(self._child) for _ in range(ANSWERS)]
            return answers[-1][1] if all(good for good, _ in answers) else None
        return None

    def end(self) -> None:
        """End the process, whatever it does."""
        if self._child is not None:
            self._child.end()


def _started(suite: str) -> ChildProcess | None:
    """A process that loads what drawing takes; none where that is loaded here, is missing, or there is one core."""
    from calipers.engines.local import cores

    if cores() < 2 or is_loaded() or find_spec("matplotlib") is None:
        return None
    from calipers.engines.child_process import ChildProcess, pack_work

    work = pack_work(serve)
    if work is None:
        return None
    try:
        child = ChildProcess(work)
    except OSError:  # no more processes may be started
        return None
    child.send(("load", suite))
    return child


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


def serve(request: tuple[str, str]) -> dict[str, bytes]:
    """What the process does: load what the plots of a suite take, or draw those of an artifact."""
    what, name = request
    with without_collection():
        return _loaded(name) if what == "load" else _drawn(name)


def _loaded(suite: str) -> dict[str, bytes]:
    """Nothing to show yet: all modules are there that drawing takes."""
    _leave_out_docstrings()
    for module in LOADED:
        import_module(module)

    suite_of(suite)
    return {}


def _leave_out_docstrings() -> None:
    """Have no docstring written for each class of matplotlib as it is loaded: that is a third of the time, and nobody
    reads them here."""
    from matplotlib import artist

    artist.kwdoc = lambda artist: ""
    if hasattr(artist.Artist, WRITE_DOCSTRING):
        setattr(artist.Artist, WRITE_DOCSTRING, classmethod(lambda _: None))


def _drawn(artifact: str) -> dict[str, bytes]:
    with open(artifact, "rb") as file:
        tree = orjson.loads(file.read())
    return dict(suite_of_tree(tree).pictures(tree))
