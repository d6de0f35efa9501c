"""A worker as its master sees it: a case goes in, an outcome comes out, and a process that ended is one too."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

from fuzz.oracle import Outcome

WALL_SECONDS = 120.0  # after which a case hangs; the machine may be busy


class Answer(NamedTuple):
    """An outcome, the CPU time it took and the bytes of the case."""

    outcome: Outcome
    seconds: float
    size: int


class Worker:
    """One process, started when it is needed and again after it ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._errors: IO[bytes] = TemporaryFile()  # noqa: SIM115  as long as this object

    def run(self, given: Any) -> Answer:
        """The answer to a case, or to [grammar, seed]."""
        process = self._process or self._start()
        stdin, stdout = process.stdin, process.stdout
        if stdin is None or stdout is None:
            raise OSError("a worker without pipes")
        stdin.write(json.dumps(given) + "\n")
        stdin.flush()
        with DefaultSelector() as selector:
            selector.register(stdout, EVENT_READ)
            line = stdout.readline() if selector.select(WALL_SECONDS) else None
        if line:
            *outcome, seconds, size = json.loads(line)
            return Answer(Outcome(*outcome), seconds, size)
        return Answer(self._ended(process, hangs=line is None), 0.0, 0)

    def close(self) -> None:
        """End the process."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "fuzz.worker"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=self._errors, text=True, cwd=Path(__file__).parents[1]
        )
        return self._process

    def _ended(self, process: subprocess.Popen[str], *, hangs: bool) -> Outcome:
        if not hangs:
            process.wait(WALL_SECONDS)  # how it ended shows a moment after its pipe is closed
        self.close()
        self._errors.seek(0)
        detail = self._errors.read().decode("utf-8", "replace")[-3000:]
        self._errors.seek(0)
        self._errors.truncate()
        if hangs:
            return Outcome("broken", -1, f"an answer within {WALL_SECONDS:g} s", detail)
        code = process.returncode
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return Outcome("broken", code, f"a process that goes on, not {name}", detail)
