"""Processes that come from this one, so that none of those it had started for a while is left behind.

They are found where the system lists them (/proc); elsewhere there are none to be seen, and none is ended.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

Processes = dict[int, str]  # number -> when it began, so that another one of that number is not mistaken for it


def descendants(parent: int | None = None) -> Processes:
    """The children of a process, by default of this one, their children, and so on."""
    processes: Processes = {}
    for child in _children(parent or os.getpid()):
        if begun := _begun(child):
            processes |= {child: begun} | descendants(child)
    return processes


def end(processes: Processes) -> None:
    """End those that are still there."""
    for process, begun in processes.items():
        if _begun(process) == begun:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)


def running(processes: Processes, program: str) -> Processes:
    """Those that run a program, known by the end of its path."""
    return {process: begun for process, begun in processes.items() if _runs(process, program)}


def _runs(process: int, program: str) -> bool:
    with suppress(OSError):
        return any(word.endswith(program) for word in Path(f"/proc/{process}/cmdline").read_text().split("\0"))
    return False


def _children(parent: int) -> list[int]:
    with suppress(OSError):
        threads = list(Path(f"/proc/{parent}/task").iterdir())
        return [int(child) for thread in threads for child in (thread / "children").read_text().split()]
    return []


def _begun(process: int) -> str:
    """When a process began, in ticks; nothing if there is no such process."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
    return ""
