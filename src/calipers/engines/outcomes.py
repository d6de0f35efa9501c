"""What workers of a cluster do: take an item to its outcome, and outcomes of neighbours to one.

Outcomes are bytes, so nothing that is kept for another try can be changed by whoever uses it.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from calipers import __version__
from calipers.core.errors import ConfigError
from calipers.engines.working_folder import working_folder
from calipers.kernels.scan.column import keep_memory


class Outcome(NamedTuple):
    """What became of some neighbours: results up to the first error, and that error."""

    results: list[Any]
    error: Exception | None = None


def measure(version: bytes, work: bytes, call: bytes) -> bytes:
    """On a worker: the outcome of one item."""
    if version.decode() != __version__:
        return pickle.dumps(Outcome([], other_version(__version__, version.decode())))
    keep_memory()  # guardians of Dask have workers give everything back after each task, which takes a third longer
    try:
        folder, item = pickle.loads(call)
        with working_folder(folder):
            return pickle.dumps(Outcome([_known(work)(item)]))
    except Exception as error:  # noqa: BLE001  a module of the caller may raise anything; the parent tells
        return pickle.dumps(Outcome([], error))


@lru_cache(maxsize=4)
def _known(work: bytes) -> Callable[[Any], Any]:
    """The function of a run; all items of the run share it, with what it has cached."""
    function: Callable[[Any], Any] = pickle.loads(work)
    return function


def join_outcomes(join: bytes, *outcomes: bytes) -> bytes:
    """On a worker: the outcomes of neighbours as one."""
    results: list[Any] = []
    error: Exception | None = None
    for outcome in outcomes:
        part, error = pickle.loads(outcome)
        results += part
        if error is not None:
            break
    try:
        return pickle.dumps(Outcome([pickle.loads(join)(results)] if results else [], error))
    except Exception as problem:  # noqa: BLE001  handed on, and raised where the result is wanted
        return pickle.dumps(Outcome([], problem))


def other_version(found: str, expected: str) -> ConfigError:
    """Workers with another version might count differently."""
    return ConfigError(f"a worker runs calipers {found}, expected {expected} as here")
