"""The detection engine in processes that were forked.

hotcoco keeps a pool of threads once it was used. A fork copies the process without its threads, so in a child whose
parent has used the engine (a DataLoader's worker, gunicorn with preload, pytest-forked) every use of it would wait for
ever. There the engine runs in a process of its own, started afresh.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from calipers.engines.child_process import call_in_child

S = TypeVar("S")
R = TypeVar("R")

_users: list[int] = []  # the process that has used the engine, if one has


def call_engine(work: Callable[[S], R], item: S) -> R:
    """`work(item)`, which uses threads of the engine: here, or where these are only a memory of the parent's, apart."""
    if not _users:
        _users.append(os.getpid())
    if _users[0] == os.getpid():
        return work(item)
    result: R = call_in_child(work, item)
    return result
