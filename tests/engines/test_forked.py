"""Workers of a command are copies of it: when that is so, and what a copy keeps of the command."""

import os
import subprocess
import sys
import threading

import pytest

from calipers.engines import forked

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="commands fork on Linux only")

COMMAND = """
import os, signal, sys, threading
from calipers.core.stopping import listen
from calipers.engines.local import run_in_order
from calipers.engines import local
local.ALONE_SEC = None
sys.path.insert(0, {tests!r})
import forked_work
listen()
opened = open(__file__)
{before}
for line in run_in_order(getattr(forked_work, {work!r}), [opened.fileno()] * 2, 2):
    print(line)
"""


def run_command(tmp_path, work, before=""):
    """What a command with two workers prints that calls a function of tests/engines/forked_work.py."""
    script = tmp_path / "command.py"
    script.write_text(COMMAND.format(tests=os.path.dirname(__file__), work=work, before=before))
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout.splitlines()


def test_a_process_of_somebody_else_is_not_copied():
    assert not forked.may_fork()


def test_a_command_with_threads_is_not_copied(monkeypatch):
    monkeypatch.setattr(forked, "is_listening", lambda: True)
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    try:
        assert not forked.may_fork()
    finally:
        ended.set()
        thread.join()


def test_without_a_list_of_threads_nothing_is_copied(monkeypatch, tmp_path):
    monkeypatch.setattr(forked, "is_listening", lambda: True)
    monkeypatch.setattr(forked, "TASKS", tmp_path / "missing")
    assert not forked.may_fork()


def test_a_copy_has_what_the_command_has_imported(tmp_path):
    assert run_command(tmp_path, "imported", "sys.modules['only_here'] = os") == ["True", "True"]


def test_with_a_thread_workers_are_started_afresh(tmp_path):
    before = "sys.modules['only_here'] = os; threading.Thread(target=threading.Event().wait, daemon=True).start()"
    assert run_command(tmp_path, "imported", before) == ["False", "False"]


def test_files_of_the_command_are_empty_in_a_copy_and_keep_their_numbers(tmp_path):
    """A number that was freed would be given to the next file, which an object of the command could then close."""
    assert run_command(tmp_path, "places_of_files") == ["/dev/null /dev/null 1 socket"] * 2


def test_a_copy_handles_signals_as_any_worker(tmp_path):
    assert run_command(tmp_path, "signals") == ["SIG_IGN SIG_DFL False"] * 2


def test_a_copy_goes_on_ignoring_what_the_command_was_started_with_ignoring(tmp_path):
    before = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    assert run_command(tmp_path, "signals", before) == ["SIG_IGN SIG_IGN False"] * 2


def test_a_process_that_was_waited_for_is_not_killed_again():
    ended = forked.ForkedProcess.__new__(forked.ForkedProcess)
    ended.pid, ended._code = 1, -9  # the pid of somebody else by now
    ended.kill()
    assert ended.wait() == -9


LARGE = """
import os, sys
from types import SimpleNamespace
from calipers.core.stopping import listen
from calipers.engines.local import LARGE_BYTES, run_in_order
sys.path.insert(0, {tests!r})
import forked_work
listen()
shards = [SimpleNamespace(size=LARGE_BYTES - {less}) for _ in range({count})]
print(*(found == os.getpid() for found in run_in_order(forked_work.parent, shards, 2)))
"""


@pytest.mark.parametrize(
    ("count", "less", "by_workers"),
    [(3, 0, "True True True"), (3, 1, "False False False"), (1, 0, "False"), (0, 0, "")],
)
def test_several_large_shards_are_left_to_workers_from_the_first_on(tmp_path, count, less, by_workers):
    script = tmp_path / "command.py"
    script.write_text(LARGE.format(tests=os.path.dirname(__file__), count=count, less=less))
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300, check=False)
    assert (ended.returncode, ended.stderr, ended.stdout.strip()) == (0, "", by_workers)
