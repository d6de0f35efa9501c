"""Relative paths mean on a worker what they mean where the run was started.

The working folder belongs to the whole process, which may work for other runs at the same time, in other threads. So
work that wants another folder waits until nobody is left in the present one, and the last to leave restores the first.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

_changed = Condition()
_inside: list[str] = []  # the folder of everyone at work
_home: list[str] = []  # where the process was before, while someone is at work


@contextmanager
def working_folder(folder: str) -> Iterator[None]:
    """Work in a folder. If this machine has none of that name, relative paths lead nowhere."""
    with _changed:
        _changed.wait_for(lambda: not _inside or _inside[0] == folder)
        if not _inside:
            _home[:] = [os.getcwd()]
            _go_to(folder)
        _inside.append(folder)
    try:
        yield
    finally:
        with _changed:
            _inside.pop()
            if not _inside:
                _go_to(_home.pop())
                _changed.notify_all()


def _go_to(folder: str) -> None:
    if os.getcwd() != folder:
        os.chdir(folder if os.path.isdir(folder) else os.sep)
