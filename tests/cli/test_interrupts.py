"""Runs cut short by the user, by the system, by a worker that dies: none hangs, none leaves anything behind."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from array import array
from contextlib import suppress
from fcntl import ioctl
from importlib.util import find_spec
from pathlib import Path
from termios import FIONREAD

import pytest

from calipers.engines.local import cores

from ..profiles import length
from .conftest import HANG_SEC, end_by_signal, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")

BOX = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
LINE = {"type": "line", "points": [0, 0, 500, 900, 10, 300], "desc": "类别=光纤,文本=abc"}
RECORD = {"gt_norm1000": [BOX, LINE] * 10, "pred": [LINE, BOX] * 10}
WORKERS_ONLY = (
    "-c",
    "from calipers.engines import local; local.ALONE_SEC = None; from calipers.cli.start import main; main()",
)


@pytest.fixture(scope="module")
def dump(tmp_path_factory):
    """40 MB of records: many seconds of work when every object is written out."""
    path = tmp_path_factory.mktemp("large") / "large.jsonl"
    lines = b"".join(json.dumps(RECORD | {"id": number}).encode() + b"\n" for number in range(1000))
    path.write_bytes(lines * 14)
    return path


def processes_of(jobs):
    """The command, its workers, and the one that draws, where it gains something."""
    draws = cores() > 1 and find_spec("matplotlib") is not None
    return 1 if jobs == 1 else 1 + jobs + draws


@pytest.fixture
def busy(start, dump, group):
    """A run in the middle of its work, with first rows from its workers, writing over an old folder."""
    Path("old").mkdir()
    Path("old/result.json").write_bytes(b"before")

    def begin(jobs):
        args = ("dense", dump, "--jobs", jobs, "-o", "old", "--chunk-bytes", 300_000)
        process = start(*args, program=WORKERS_ONLY)
        wait_until(lambda: any(path.stat().st_size for path in Path("old").glob(".calipers-*.part")))
        wait_until(lambda: len(group(process)) == processes_of(jobs))
        assert process.poll() is None
        return process

    return begin


def unread_bytes(pipe):
    """How much of what was written into a pipe nobody has read."""
    count = array("i", [0])
    ioctl(pipe, FIONREAD, count)
    return count[0]


def left_nothing(process, group):
    wait_until(lambda: group(process) == [])
    assert os.listdir("old") == ["result.json"]
    assert Path("old/result.json").read_bytes() == b"before"


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_ends_the_run_with_130_and_leaves_nothing_behind(busy, group, jobs):
    process = busy(jobs)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=HANG_SEC)
    assert (process.returncode, out) == (130, b"")
    assert err.decode().strip() == "interrupted; no result was written"
    left_nothing(process, group)


def test_an_interrupt_from_the_keyboard_reaches_all_processes_and_ends_alike(busy, group):
    process = busy(2)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=HANG_SEC)
    assert (process.returncode, out) == (130, b"")
    assert "Traceback" not in err.decode()
    left_nothing(process, group)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_termination_ends_the_run_with_143_and_leaves_nothing_behind(busy, group, jobs):
    process = busy(jobs)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=HANG_SEC)
    assert (process.returncode, out) == (143, b"")
    assert "Traceback" not in err.decode()
    left_nothing(process, group)


def test_trap_36_a_worker_that_is_killed_is_replaced_and_the_result_is_whole(start, finish, dump, group):
    lines = b"".join(dump.read_bytes().splitlines(keepends=True)[:1000])
    whole = finish("dense", "-", "--jobs", 1, "--json", given=lines).out
    args = ("dense", "-", "--jobs", 2, "--json", "--chunk-bytes", 100_000)
    process = start(*args, program=WORKERS_ONLY, stdin=subprocess.PIPE)
    process.stdin.write(lines[: len(lines) // 2])  # so that it goes on until the rest comes
    process.stdin.flush()
    wait_until(lambda: len(group(process)) >= 3)
    os.kill(max(pid for pid in group(process) if pid != process.pid), signal.SIGKILL)
    out, err = process.communicate(lines[len(lines) // 2 :], timeout=HANG_SEC)
    assert (process.returncode, err) == (0, b"")
    assert out == whole


def test_trap_36_workers_that_are_killed_again_and_again_end_the_run_with_an_error(busy, group):
    process, end = busy(2), time.monotonic() + HANG_SEC
    while process.poll() is None and time.monotonic() < end:
        for worker in group(process):
            if worker != process.pid:
                with suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
    out, err = process.communicate(timeout=HANG_SEC)
    assert (process.returncode, out) == (2, b"")
    assert "its worker process ended, and so did a second one" in err.decode()
    assert "large.jsonl: " in err.decode()
    left_nothing(process, group)


def test_workers_end_when_the_run_itself_is_killed(busy, group):
    process = busy(2)
    process.kill()
    process.wait()
    wait_until(lambda: group(process) == [])


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_while_waiting_for_input_ends_the_run(start, group, jobs):
    args = ("dense", "-", "--jobs", jobs, "--chunk-bytes", 20_000, "-o", "new")
    process = start(*args, program=WORKERS_ONLY, stdin=subprocess.PIPE)
    process.stdin.write((json.dumps(RECORD).encode() + b"\n") * 300)  # a few blocks, and then nothing
    process.stdin.flush()
    wait_until(lambda: len(group(process)) >= processes_of(jobs) and Path("new").exists())
    wait_until(lambda: unread_bytes(process.stdin) == 0)
    assert end_by_signal(process, signal.SIGINT) == 130
    wait_until(lambda: group(process) == [])
    assert os.listdir(".") == []


def test_a_failing_run_with_several_processes_ends_every_time(start, group):
    """What is wrong is found at once, while the workers are busy with other parts."""
    Path("bad.jsonl.gz").write_bytes(gzip.compress(b"oops\n" + (json.dumps(RECORD).encode() + b"\n") * 500))
    processes = [start("dense", "bad.jsonl.gz", "--jobs", 2, "--chunk-bytes", 5000) for _ in range(4)]
    for process in processes:
        out, err = process.communicate(timeout=HANG_SEC)
        assert (process.returncode, out) == (3, b"")
        assert err.decode().startswith("error: bad.jsonl.gz:1: not JSON")
        wait_until(lambda process=process: group(process) == [])


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failing_run_leaves_no_thread_and_no_open_file_behind(finish, jobs):
    """In a program that goes on, a notebook for one."""
    some = (json.dumps(RECORD).encode() + b"\n") * length(1000)
    Path("bad.jsonl").write_bytes(some + b"oops\n" + some * 3)
    script = f"""
import os, threading, time
import calipers
from calipers.engines import local

for _ in range(2):
    try:
        local.ALONE_SEC = None
        calipers.dense("bad.jsonl", jobs={jobs}, chunk_bytes=100, bootstrap=0)
    except calipers.InputError as error:
        pass


def left():
    links = ["/proc/self/fd/" + number for number in os.listdir("/proc/self/fd")]
    files = [os.readlink(link) for link in links if os.path.exists(link)]
    return threading.active_count(), [name for name in files if name.endswith("bad.jsonl")]


end = time.monotonic() + 250
while left() != (1, []) and time.monotonic() < end:  # a thread that was told to end takes its time
    time.sleep(0.02)
print(*left())
"""
    assert finish(program=("-c", script), timeout=HANG_SEC) == (0, b"1 []\n", "")
