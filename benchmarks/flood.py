"""A flood: an input below 5 MB that is made to take long or much memory, and the command that reads it.

A module of floods is named `floods_SUITE.py` and has a tuple `FLOODS`; `floods.py` finds it by its name.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

MAX_BYTES = 5_000_000
MOST_SEC, MOST_MB = 10.0, 1000.0
MOST_ADDRESSES = 8 << 30  # what misbehaves should not take the machine with it
MEGABYTE = 1e6


@dataclass(frozen=True)
class Flood:
    """`make` writes the input into a folder and returns the arguments of `calipers`, `{}` standing for the folder.

    With `stdin`, that file of the folder is standard input. With `program`, the arguments go to that Python program.
    """

    name: str
    make: Callable[[Path], list[str]]
    stdin: str = ""
    program: str = ""


@dataclass(frozen=True)
class Measured:
    """What a flood took; `code` is the exit code, or minus the signal that ended it."""

    name: str
    input_bytes: int
    sec: float
    megabytes: float
    code: int
    said: str

    @property
    def holds(self) -> bool:
        return self.code in (0, 3) and self.sec <= MOST_SEC and self.megabytes <= MOST_MB

    def __str__(self) -> str:
        verdict = "OK" if self.holds else "MISS"
        return (
            f"{self.name:46} {self.input_bytes / MEGABYTE:6.2f} MB {self.sec:7.2f} s {self.megabytes:7.0f} MB"
            f"  exit {self.code:<3} {verdict:4}  {self.said}"
        )


def measure(flood: Flood, cap_sec: int) -> Measured:
    """Run a flood in a process of its own: its CPU seconds and its largest resident set."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arguments = [part.replace("{}", name) for part in flood.make(folder)]
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        start = [sys.executable, "-c", flood.program] if flood.program else [sys.executable, "-m", "calipers"]
        return Measured(flood.name, size, *_run([*start, *arguments], folder, flood.stdin, cap_sec))


def _run(command: list[str], folder: Path, stdin: str, cap_sec: int) -> tuple[float, float, int, str]:
    said = folder / "stderr"
    with open(folder / stdin if stdin else os.devnull, "rb") as given, said.open("wb") as errors:
        process = subprocess.Popen(command, stdin=given, stdout=subprocess.DEVNULL, stderr=errors)
    resource.prlimit(process.pid, resource.RLIMIT_CPU, (cap_sec, cap_sec + 1))
    resource.prlimit(process.pid, resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    lines = said.read_text(errors="replace").strip().splitlines()
    seconds, megabytes = used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / MEGABYTE
    return seconds, megabytes, process.returncode, lines[0][:140] if lines else ""
