"""A flood: an input below 5 MB that is made to take long or much memory, and the command that reads it.

A module of floods is named `floods_SUITE.py` and has a tuple `FLOODS`; `floods.py` finds it by its name.
"""

from __future__ import annotations

import json
import os
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
LAUNCHER = """
import json, os, resource, sys
cap, addresses, used, *command = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_CPU, (int(cap), int(cap) + 1))
resource.setrlimit(resource.RLIMIT_AS, (int(addresses), int(addresses)))
_, status, usage = os.wait4(os.posix_spawn(command[0], command, os.environ), 0)
with open(used, "w") as file:
    json.dump([usage.ru_utime + usage.ru_stime, usage.ru_maxrss, os.waitstatus_to_exitcode(status)], file)
"""  # a process begins with the peak of memory of the one that starts it, so that is a small one


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
    said, used = folder / "stderr", folder / "used"
    limits = [str(cap_sec), str(MOST_ADDRESSES), str(used)]
    with open(folder / stdin if stdin else os.devnull, "rb") as given, said.open("wb") as errors:
        launcher = [sys.executable, "-S", "-c", LAUNCHER, *limits, *command]
        subprocess.run(launcher, stdin=given, stdout=subprocess.DEVNULL, stderr=errors, check=True)
    seconds, kilobytes, code = json.loads(used.read_text())
    lines = said.read_text(errors="replace").strip().splitlines()
    return seconds, kilobytes * 1024 / MEGABYTE, code, lines[0][:140] if lines else ""
