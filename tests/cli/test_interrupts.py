"""Runs cut short by the user, by the system, by a worker that dies: none hangs, none leaves anything behind."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")

BOX = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
LINE = {"type": "line", "points": [0, 0, 500, 900, 10, 300], "desc": "类别=光纤,文本=abc"}
RECORD = {"gt_norm1000": [BOX, LINE] * 10, "pred": [LINE, BOX] * 10}
PATIENCE = 6


@pytest.fixture(scope="module")
def dump(tmp_path_factory):
    """40 MB of records: many seconds of work when every object is written out."""
    path = tmp_path_factory.mktemp("large") / "large.jsonl"
    lines = b"".join(json.dumps(RECORD | {"id": number}).encode() + b"\n" for number in range(1000))
    path.write_bytes(lines * 14)
    return path


@pytest.fixture
def busy(start, dump, group):
    """A run in the middle of its work, writing over an old folder."""
    Path("old").mkdir()
    Path("old/result.json").write_bytes(b"before")

    def begin(jobs):
        process = start("dense", dump, "--jobs", jobs, "-o", "old", "--chunk-bytes", 300_000)
        wait_until(lambda: len(group(process)) >= (jobs + 1 if jobs > 1 else 1) and len(os.listdir("old")) > 1)
        time.sleep(0.3)
        assert process.poll() is None
        return process

    return begin


def wait_until(condition, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    assert condition()


def left_nothing(process, group):
    wait_until(lambda: group(process) == [], seconds=2)
    assert os.listdir("old") == ["result.json"]
    assert Path("old/result.json").read_bytes() == b"before"


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_ends_the_run_with_130_and_leaves_nothing_behind(busy, group, jobs):
    process = busy(jobs)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, b"")
    assert err.decode().strip() == "interrupted; no result was written"
    left_nothing(process, group)


def test_an_interrupt_from_the_keyboard_reaches_all_processes_and_ends_alike(busy, group):
    process = busy(2)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, b"")
    assert "Traceback" not in err.decode()
    left_nothing(process, group)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_termination_ends_the_run_with_143_and_leaves_nothing_behind(busy, group, jobs):
    process = busy(jobs)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (143, b"")
    assert "Traceback" not in err.decode()
    left_nothing(process, group)


def test_trap_36_a_worker_that_is_killed_is_replaced_and_the_result_is_whole(start, finish, dump, group):
    Path("small.jsonl").write_bytes(b"".join(dump.read_bytes().splitlines(keepends=True)[:3000]))
    whole = finish("dense", "small.jsonl", "--jobs", 1, "--json").out
    process = start("dense", "small.jsonl", "--jobs", 2, "--json", "--chunk-bytes", 100_000)
    wait_until(lambda: len(group(process)) >= 3)
    os.kill(max(pid for pid in group(process) if pid != process.pid), signal.SIGKILL)
    out, err = process.communicate(timeout=4 * PATIENCE)
    assert (process.returncode, err) == (0, b"")
    assert out == whole


def test_trap_36_workers_that_are_killed_again_and_again_end_the_run_with_an_error(busy, group):
    process, end = busy(2), time.monotonic() + 4 * PATIENCE
    while process.poll() is None and time.monotonic() < end:
        for worker in group(process):
            if worker != process.pid:
                with suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (2, b"")
    assert "a worker process ended over it, and so did a second one" in err.decode()
    assert "large.jsonl: " in err.decode()
    left_nothing(process, group)


def test_workers_end_when_the_run_itself_is_killed(busy, group):
    process = busy(2)
    process.kill()
    process.wait()
    wait_until(lambda: group(process) == [], seconds=4)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_while_waiting_for_input_ends_the_run(start, group, jobs):
    process = start("dense", "-", "--jobs", jobs, "--chunk-bytes", 1000, "-o", "new", stdin=subprocess.PIPE)
    process.stdin.write((json.dumps(RECORD).encode() + b"\n") * 300)  # a few blocks, and then nothing
    process.stdin.flush()
    wait_until(lambda: len(group(process)) >= (jobs + 1 if jobs > 1 else 1) and Path("new").exists())
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    process.wait(timeout=PATIENCE)
    assert process.returncode == 130
    wait_until(lambda: group(process) == [], seconds=2)
    assert os.listdir(".") == []


# A worker dies, or is ended, with half of its result under way: `work` runs in the worker and cuts its connection.

HALF = """
import os, signal, sys, time
from multiprocessing.connection import Connection
from calipers.engines.local import run_in_order

def half(self, content, write=os.write):
    write(self._handle, bytes(content)[: len(content) // 2])
    {end}

def work(item):
    if item == 1:
        time.sleep(0.3)  # it answers after the other
        Connection._send = half
    return b"x" * 50_000

results = run_in_order(work, iter(range(8)), 2)
{use}
"""


def test_trap_36_a_worker_that_dies_while_it_answers_again_ends_the_run_with_an_error(finish):
    script = HALF.format(
        end="os.kill(os.getpid(), signal.SIGKILL)",
        use="try:\n    list(results)\nexcept Exception as error:\n    print(type(error).__name__, error)",
    )
    ended = finish(program=("-c", script), timeout=PATIENCE)
    assert ended.out.startswith(b"CalipersError 1: a worker process ended over it, and so did a second one")


def test_trap_36_a_run_that_fails_while_a_worker_answers_does_not_wait_for_it(finish):
    script = HALF.format(end="time.sleep(60)", use="next(results)\ntime.sleep(0.5)\nresults.close()\nprint('closed')")
    assert finish(program=("-c", script), timeout=PATIENCE) == (0, b"closed\n", "")


def test_a_failing_run_with_several_processes_ends_every_time(start, group):
    """What is wrong is found at once, while the workers are busy with other parts."""
    Path("bad.jsonl.gz").write_bytes(gzip.compress(b"oops\n" + (json.dumps(RECORD).encode() + b"\n") * 500))
    processes = [start("dense", "bad.jsonl.gz", "--jobs", 2, "--chunk-bytes", 5000) for _ in range(8)]
    for process in processes:
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out) == (3, b"")
        assert err.decode().startswith("error: bad.jsonl.gz:1: not JSON")
        assert group(process) == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failing_run_leaves_no_thread_and_no_open_file_behind(finish, jobs):
    """In a program that goes on, a notebook for one."""
    some = (json.dumps(RECORD).encode() + b"\n") * 1000
    Path("bad.jsonl").write_bytes(some + b"oops\n" + some * 3)
    script = f"""
import os, threading, time
import calipers

for _ in range(2):
    try:
        calipers.dense("bad.jsonl", jobs={jobs}, chunk_bytes=1, bootstrap=0)
    except calipers.InputError as error:
        pass
time.sleep(0.2)
links = ["/proc/self/fd/" + number for number in os.listdir("/proc/self/fd")]
files = [os.readlink(link) for link in links if os.path.exists(link)]
print(threading.active_count(), [name for name in files if name.endswith("bad.jsonl")])
"""
    assert finish(program=("-c", script), timeout=PATIENCE) == (0, b"1 []\n", "")
