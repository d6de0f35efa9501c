"""Running the command: inside this process for what it says, as a process of its own for how it behaves."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

import calipers
from calipers.cli.start import main

from ..profiles import share

HANG_SEC = 300  # after which something hangs, however busy the machine
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(calipers.__file__).parents[1])}
OUTPUTS = {
    "the terminal": [],
    "an old artifact": ["-o", "old.json"],
    "an old folder": ["-o", "old"],
    "a new folder": ["-o", "new/deep"],
}
PREVIOUS = {"old.json": b"before", "old/result.json": b"1", "old/cases.jsonl": b"2", "old/matches.csv": b"3"}


class Ended(NamedTuple):
    """How a run ended."""

    code: int
    out: bytes
    err: str

    def refused(self, code, *parts):
        """It ended with this code, wrote no result, and its message holds all parts."""
        assert (self.code, self.out) == (code, b""), self.err
        assert self.err.startswith(("error: ", "Error: ", "Usage: "))
        assert "Traceback" not in self.err
        for part in parts:
            assert part in self.err
        return self.err

    def artifact(self, code=0):
        """The result on standard output, if the run ended with this code."""
        assert self.code == code, self.err
        return json.loads(self.out)


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch, blank_plots):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run(monkeypatch, capsysbinary):
    """`calipers` with these arguments, in this process."""
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def call(*args):
        monkeypatch.setattr(sys, "argv", ["calipers", *map(str, args)])
        restore(handlers)  # a command that ended leaves signals ignored
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsysbinary.readouterr()
        return Ended(ended.value.code, out, err.decode())

    yield call
    restore(handlers)


def restore(handlers):
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.fixture
def start():
    """`calipers` with these arguments, as a process in a group of its own that does not outlive the test."""
    started = []

    def call(*args, program=("-m", "calipers"), env=(), **options):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        limited = {"PYTHONDONTWRITEBYTECODE": "1"} if "preexec_fn" in options else {}  # or half of a module is kept
        process = subprocess.Popen(
            [sys.executable, *program, *map(str, args)],
            env={**ENVIRONMENT, **limited, **dict(env)},
            start_new_session=True,
            **options,
        )
        started.append(process)
        return process

    yield call
    for process in started:
        for pid in group_of(process):
            with suppress(ProcessLookupError):  # it has ended since
                os.kill(pid, signal.SIGKILL)
        process.communicate()


@pytest.fixture
def finish(start):
    """Like `start`, to the end; a run that hangs is an error."""

    def call(*args, timeout=HANG_SEC, given=None, **options):
        if given is not None:
            options["stdin"] = subprocess.PIPE
        process = start(*args, **options)
        out, err = process.communicate(given, timeout=timeout)
        return Ended(process.returncode, out or b"", (err or b"").decode())

    return call


@pytest.fixture
def answer(request):
    """`run`, and in a full run `finish`: for what a command says, which does not depend on whose process it is."""
    return request.getfixturevalue("finish" if share() == 1 else "run")


@pytest.fixture
def refuses(run, tmp_path):
    """The command refuses these arguments when it is to write over a folder, and leaves every file as it was.

    A full run tries every kind of output; `test_refusals.py` does so for each suite in any run.
    """

    usual = OUTPUTS.values() if share() == 1 else [OUTPUTS["an old folder"]]

    def check(args, *parts, code=3, command="dense", outputs=usual):
        for name, content in PREVIOUS.items():
            Path(name).parent.mkdir(exist_ok=True)
            Path(name).write_bytes(content)
        before = files_in(tmp_path)
        for output in outputs:
            message = run(command, *args, *output).refused(code, *parts)
            assert files_in(tmp_path) == before
        return message

    return check


@pytest.fixture
def refuses_videos(refuses):
    """The same for the command of videos, with its usual inputs."""

    def check(*parts, args=("--gt", "gt.json", "--pred", "pred.json"), code=3):
        return refuses(args, *parts, code=code, command="timeline")

    return check


@pytest.fixture
def listing():
    """Everything in a folder: names, and the content of files."""
    return files_in


@pytest.fixture
def group():
    """The living processes of the group that a process leads, itself among them."""
    return group_of


def end_by_signal(process, number):
    """Send a signal to a process that waits for input, and once more if it came in the instant before the read began.

    Python notes such a signal and hears of it only when the read ends, as it does for the next one.
    """
    for patience_sec in (3, HANG_SEC):  # a second signal changes nothing if the first was only slow
        process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            return process.wait(timeout=patience_sec)
    raise AssertionError("it hangs")


def wait_until(condition):
    """Wait for what has to come; that it never comes is found out only after minutes."""
    end = time.monotonic() + HANG_SEC
    while not condition():
        assert time.monotonic() < end, "it never comes"
        time.sleep(0.02)


def files_in(folder):
    return {str(path.relative_to(folder)): path.is_file() and path.read_bytes() for path in Path(folder).rglob("*")}


def group_of(process):
    pids = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state, _, group = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(group) == process.pid and state != "Z":
            pids.append(int(entry.name))
    return pids
