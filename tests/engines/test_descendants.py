"""Processes that come from this one: which there are, and which of them run a program."""

import subprocess
import sys
from pathlib import Path

import pytest

from calipers.engines.descendants import descendants, end, running

from .conftest import HANG_SEC, wait_until

WAIT = "import sys; sys.stdin.read()"


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="the system does not list processes")
def test_only_those_that_run_a_program_are_ended(tmp_path):
    paths = [tmp_path / "a" / "monitor.py", tmp_path / "b" / "monitor.py"]
    for path in paths:
        path.parent.mkdir()
        path.write_text(WAIT)
    before = descendants()
    processes = [subprocess.Popen([sys.executable, "-u", path], stdin=subprocess.PIPE) for path in paths]
    try:
        pids = [process.pid for process in processes]
        ours = {pid: begun for pid, begun in descendants().items() if pid not in before}
        assert sorted(ours) == sorted(pids)
        wait_until(lambda: len(running(ours, "/monitor.py")) == 2)  # a moment after they were forked
        assert list(running(ours, "/b/monitor.py")) == pids[1:]
        assert running(ours, "/c/monitor.py") == running({}, "") == {}
        end(running(ours, "/b/monitor.py"))
        assert processes[1].wait(HANG_SEC) < 0
        assert processes[0].poll() is None
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def test_a_process_that_has_ended_runs_nothing():
    process = subprocess.Popen([sys.executable, "-c", "pass"])
    process.wait(HANG_SEC)
    assert running({process.pid: "0"}, "python") == {}
