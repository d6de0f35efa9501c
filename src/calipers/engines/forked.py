"""Worker processes that are copies of a command: all that it has imported is there, so they start in milliseconds.

A copy has one thread, whatever the process had, and locks that another thread held stay locked in it for ever. So only
a command of ours is copied, and only while it has one thread; a process of somebody else starts workers afresh.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from calipers.core.stopping import Deferred, is_listening, stop_listening

TASKS, DESCRIPTORS = "/proc/self/task", "/proc/self/fd"
STANDARD_ERROR = 2
Serve = Callable[[int, int], None]  # what a copy does: with its handle, for the parent of this number


def may_fork() -> bool:
    """Whether this process is a command with one thread, on a system that shows its threads."""
    return sys.platform == "linux" and is_listening() and _has_one_thread()


def _has_one_thread() -> bool:
    try:
        return len(os.listdir(TASKS)) == 1
    except OSError:  # nothing is mounted there
        return False


class ForkedProcess:
    """A copy of this process that serves the file `handle`; to the outside like `subprocess.Popen`."""

    def __init__(self, handle: int, serve: Serve) -> None:
        parent = os.getpid()
        self._code: int | None = None
        with Deferred():  # what is raised in the hooks that Python runs around a fork goes nowhere
            self.pid = os.fork()
            if not self.pid:
                _run_copy(handle, parent, serve)

    def kill(self) -> None:
        """Kill it, if it has not been waited for."""
        if self._code is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """The exit code, once the process has ended; below zero it is the signal that ended it."""
        if self._code is None:
            self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._code


def _run_copy(handle: int, parent: int, serve: Serve) -> NoReturn:
    """What the copy does: it never returns into what the command was doing."""
    try:
        was_ignored = signal.getsignal(signal.SIGTERM) is signal.SIG_IGN  # by whoever started the command
        stop_listening()
        signal.signal(signal.SIGTERM, signal.SIG_IGN if was_ignored else signal.SIG_DFL)
        gc.freeze()  # what the command has made stays as it is, shared with it
        gc.enable()
        _leave_files(handle)
        serve(handle, parent)
        os._exit(0)
    finally:
        os._exit(1)


def _leave_files(handle: int) -> None:
    """Let go of all files of the command but its standard error and the one that it serves.

    Their numbers are not freed, since objects of the command that know them are copied as well: each becomes the empty
    device.
    """
    empty = os.open(os.devnull, os.O_RDWR)
    for name in os.listdir(DESCRIPTORS):
        if int(name) not in (STANDARD_ERROR, handle, empty):
            with suppress(OSError):  # that of the list itself, which is closed
                os.fstat(int(name))
                os.dup2(empty, int(name), inheritable=False)
