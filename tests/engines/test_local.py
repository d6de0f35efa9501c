"""Worker processes of this machine: order, failures, workers that end or stand still, runs beside each other."""

import logging
import multiprocessing
import os
import signal
import subprocess
import sys
from functools import partial
from threading import Thread
from types import SimpleNamespace

import cluster_work as work
import pytest

from calipers.core.errors import CalipersError, InputError
from calipers.engines import child_process, local, pool
from calipers.engines.local import Local, run_in_order

from .conftest import ENVIRONMENT, HANG_SEC, children, is_running, started, wait_until

SQUARES = [number * number for number in range(30)]


@pytest.mark.parametrize("jobs", [1, 2, None])
@pytest.mark.parametrize("count", [0, 1, 2, 100])
def test_results_come_in_the_order_of_the_items(jobs, count):
    assert list(run_in_order(work.square, iter(range(count)), jobs)) == [i * i for i in range(count)]


def test_a_slow_item_holds_its_place():
    assert list(run_in_order(work.square_slowly_at_first, range(30), 2)) == SQUARES


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_before_a_failure_are_given_and_the_failure_comes_through(jobs):
    results = run_in_order(work.refuse_three, range(100), jobs)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(InputError, match="three"):
        next(results)


@pytest.mark.parametrize("jobs", [1, 2])
def test_only_a_few_items_are_fetched_ahead_of_time(jobs):
    asked = []

    def items():
        for number in range(1000):
            asked.append(number)
            yield number

    results = run_in_order(work.square, items(), jobs)
    for taken in range(50):
        assert next(results) == taken * taken
        assert len(asked) <= taken + 10
    results.close()
    assert len(asked) < 100


def test_an_error_of_the_inputs_comes_through():
    def items():
        yield from range(10)
        raise InputError("torn")

    for jobs in (1, 2):
        with pytest.raises(InputError, match="torn"):
            list(run_in_order(work.square, items(), jobs))


def test_an_exception_that_does_not_travel_is_told_in_other_words():
    with pytest.raises(CalipersError, match=r"^OddError: 0 and 0$"):
        list(run_in_order(work.fail_unpicklably, range(3), 2))
    with pytest.raises((CalipersError, AttributeError), match="pickle"):
        list(run_in_order(work.unpicklable, range(3), 2))


# Who does the work


def test_little_work_is_done_here_and_starts_no_process(monkeypatch):
    monkeypatch.setattr(local, "ALONE_SEC", 1e9)
    monkeypatch.setattr(child_process, "_popen", None)
    assert set(run_in_order(work.pid_of, range(20), 4)) == {os.getpid()}


def test_a_single_item_starts_no_process_however_long_it_takes(monkeypatch):
    monkeypatch.setattr(local, "ALONE_SEC", 1e-9)
    monkeypatch.setattr(child_process, "_popen", None)
    assert list(run_in_order(work.pid_of, [0], 4)) == [os.getpid()]


def test_work_that_takes_longer_is_begun_here_and_goes_on_in_workers(monkeypatch):
    monkeypatch.setattr(local, "ALONE_SEC", 0)
    results = run_in_order(work.pid_of, iter(int, 1), 2)  # as many items as it takes
    assert next(results) == os.getpid()
    pids = set()
    while len(pids) < 2:
        pids |= {next(results)} - {os.getpid()}
    results.close()


@pytest.mark.parametrize("program", ["lambda number: number", "mine", "partial(mine)"])
def test_work_that_no_other_process_can_load_is_done_here(tmp_path, program):
    """Functions of the caller's script, which workers do not import: it needs no guard either."""
    script = tmp_path / "script.py"
    script.write_text(
        "import os\nfrom functools import partial\nfrom calipers.engines import local\nlocal.ALONE_SEC = None\n"
        "print('once')\ndef mine(number):\n    return os.getpid()\n"
        f"print(len(list(local.run_in_order({program}, range(5), 2))))\n"
    )
    found = subprocess.run([sys.executable, script], env=ENVIRONMENT, capture_output=True, check=True)
    assert (found.stdout, found.stderr) == (b"once\n5\n", b"")


def test_workers_that_cannot_load_the_work_are_told_about_and_it_is_done_here(monkeypatch, caplog):
    monkeypatch.setattr(work.square, "__module__", "only_here")
    monkeypatch.setitem(sys.modules, "only_here", work)
    assert list(run_in_order(work.square, range(30), 2)) == SQUARES
    assert "could not be started: ModuleNotFoundError: No module named 'only_here'" in caplog.text


def test_where_no_process_can_be_started_it_is_done_here(monkeypatch, caplog):
    def refused(handle):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(child_process, "_popen", refused)
    assert list(run_in_order(work.square, range(30), 2)) == SQUARES
    assert "no worker process could be started: Resource temporarily unavailable" in caplog.text


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_process_that_may_have_no_children_does_the_work_itself(method):
    """Those of a pool are daemons."""
    with multiprocessing.get_context(method).Pool(1) as processes:
        assert processes.apply_async(work.in_two_jobs, (5,)).get(timeout=HANG_SEC) == [0, 1, 4, 9, 16]


def test_a_worker_finds_the_modules_of_the_caller_and_no_others(tmp_path, monkeypatch):
    """A file in the working folder that is named like a module of Python is not taken for it."""
    (tmp_path / "pickle.py").write_text("raise SystemExit('the wrong one')")
    monkeypatch.chdir(tmp_path)
    assert list(run_in_order(work.square, range(30), 2)) == SQUARES


@pytest.mark.skipif(sys.platform != "linux", reason="closes standard streams as shells do")
def test_workers_start_where_standard_streams_are_closed():
    script = "import cluster_work as w; from calipers.engines import local; local.ALONE_SEC = None\n"
    script += "assert list(local.run_in_order(w.square, range(5), 2)) == [0, 1, 4, 9, 16]"
    shell = f'exec "{sys.executable}" -c "{script}" <&- >&- 2>&-'
    assert subprocess.run(["sh", "-c", shell], env=ENVIRONMENT, check=False).returncode == 0


# Workers that end


@pytest.mark.parametrize("how", ["killed", "exit"])
def test_an_item_over_which_workers_die_twice_is_an_error_that_names_it(how):
    ending = "killed by signal 9, or out of memory" if how == "killed" else "exit code 7"
    with pytest.raises(CalipersError, match=f"^3: its worker process ended, and so did .* nothing else: {ending}; try"):
        list(run_in_order(partial(work.end_at_three, how=how), range(20), 2))


def test_an_item_whose_worker_is_killed_is_worked_on_once_more(tmp_path):
    seen = []
    found = list(run_in_order(partial(work.die_once, folder=tmp_path), range(30), 3, seen.append))
    assert found == list(range(30))
    assert sorted(seen) == list(range(30))
    assert sorted(int(path.name) for path in tmp_path.iterdir()) == [3, 10, 17, 24]


def test_an_item_for_which_memory_was_short_is_worked_on_alone(tmp_path):
    found = list(run_in_order(partial(work.short_of_memory_together, folder=tmp_path), range(20), 4))
    assert found == list(range(20))


def test_an_item_for_which_memory_was_short_here_is_tried_once_more_in_a_process_of_its_own(monkeypatch):
    monkeypatch.setattr(local, "ALONE_SEC", 1e9)
    assert list(run_in_order(partial(work.short_of_memory_in, pid=os.getpid()), range(5), 2)) == list(range(5))


def test_a_worker_that_is_killed_while_it_is_idle_is_replaced(monkeypatch):
    results = run_in_order(work.pid_of, iter(int, 1), 2)
    first, others = next(results), set()
    os.kill(first, signal.SIGKILL)
    while len(others) < 2:
        others |= {next(results)} - {first}
    results.close()


def test_workers_end_as_soon_as_no_item_is_left_for_them():
    results = run_in_order(work.pid_of, range(4), 2)
    workers = {next(results) for _ in range(4)}  # the run is not closed yet
    wait_until(lambda: not any(is_running(worker) for worker in workers))
    assert os.getpid() not in workers
    assert list(results) == []


def test_a_worker_that_dies_while_it_answers_again_ends_the_run_with_an_error():
    with pytest.raises(CalipersError, match=r"^1: its worker process ended, and so did a second one"):
        list(run_in_order(partial(work.half_an_answer, end="killed"), range(8), 2))


def test_a_run_that_is_closed_while_a_worker_answers_does_not_wait_for_it():
    before, results = children(os.getpid()), run_in_order(partial(work.half_an_answer, end="still"), range(8), 2)
    next(results)
    results.close()
    assert children(os.getpid()) == before


@pytest.mark.parametrize("ending", ["a failure", "the caller's wish"])
def test_a_run_that_ends_early_ends_also_while_workers_are_sending_large_results(ending):
    before = children(os.getpid())
    for _ in range(3):
        results = run_in_order(work.large_until_three, range(100), 4)
        if ending == "a failure":
            with pytest.raises(ValueError, match="three"):
                list(results)
        else:
            next(results)
            results.close()
    assert children(os.getpid()) == before


# Workers that stand still


@pytest.fixture
def short_looks(monkeypatch):
    """Workers are looked at after a moment."""
    monkeypatch.setattr(pool, "POLL_SEC", 0.1)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")
def test_a_worker_that_is_stopped_is_told_about_and_waited_for(tmp_path, short_looks, caplog, monkeypatch):
    told = []

    def go_on(message):
        if "is stopped" in message:  # on a busy machine another may be slow
            told.append(message)
            os.kill(int((tmp_path / "note").read_text()), signal.SIGCONT)

    monkeypatch.setattr(pool, "report_problem", go_on)
    note = str(tmp_path / "note")
    assert list(run_in_order(partial(work.stop_itself_once, note=note), range(10), 2)) == list(range(10))
    pid = (tmp_path / "note").read_text()
    assert told == [
        f"3: worker process {pid}, which measures it, is stopped (state T); it goes on after: kill -CONT {pid}"
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")
def test_a_worker_that_is_silent_is_told_about_and_replaced_once_it_is_killed(short_looks, monkeypatch):
    told = []

    def kill(message):
        if message.startswith("3: "):  # on a busy machine another may be slow
            told.append(message)
            os.kill(int(message.rpartition(" ")[2]), signal.SIGKILL)

    monkeypatch.setattr(pool, "report_problem", kill)
    with pytest.raises(CalipersError, match=r"^3: its worker process ended, and so did a second one"):
        list(run_in_order(work.sleep_long, range(10), 2))
    assert len(told) == 2
    assert all("has used no CPU time for 0.6 seconds (state " in each for each in told)


def test_a_worker_that_waits_for_its_turn_on_a_busy_machine_is_not_told_about(monkeypatch):
    told, worker = [], pool.Worker.__new__(pool.Worker)
    monkeypatch.setattr(pool, "report_problem", told.append)
    worker.busy, worker.item, worker._state, worker._idle_looks, worker._reported = True, 3, None, 0, False
    for letter in "RS":
        worker.process = SimpleNamespace(pid=7, state=lambda letter=letter: (letter, 0.5))
        for _ in range(pool.MAX_IDLE_LOOKS + 1):
            worker.look_after()
        assert len(told) == (letter == "S")


def test_what_is_told_goes_to_the_log_without_control_characters(caplog):
    pool.report_problem("a\x1b[2Jb\n")
    assert [(each.name, each.levelno, each.message) for each in caplog.records] == [
        ("calipers", logging.WARNING, "a\\x1b[2Jb\\n")
    ]


# Several runs, threads and forked processes


def test_a_run_ends_while_another_one_that_began_later_is_under_way():
    """Workers of the later one hold no end of the sockets of the first."""
    first = Local(2).in_order(work.square, range(10))
    assert next(first) == 0
    second = Local(2).in_order(work.square, range(10))
    assert next(second) == 0
    assert list(first) == [number * number for number in range(1, 10)]
    assert list(second) == [number * number for number in range(1, 10)]


def test_a_run_may_take_its_items_from_another():
    inner = Local(2).in_order(work.square, range(50))
    assert list(Local(2).in_order(work.square, inner)) == [number**4 for number in range(50)]


def test_runs_in_threads_do_not_wait_for_each_other():
    found = {}

    def run(name):
        found[name] = list(Local(2).in_order(work.square, range(name, name + 20)))

    threads = [Thread(target=run, args=(name,), daemon=True) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=HANG_SEC)
    assert found == {name: [number * number for number in range(name, name + 20)] for name in range(6)}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_that_drops_a_run_leaves_the_workers_of_its_parent_alone():
    results = run_in_order(work.square, range(30), 2)
    found = [next(results)]
    child = os.fork()
    if child == 0:
        results.close()
        os._exit(0)
    os.waitpid(child, 0)
    assert [*found, *results] == SQUARES


PARENT = """
import sys, cluster_work as work
from calipers.engines import local
local.ALONE_SEC = None
results = local.run_in_order(work.forever, iter(int, 1), 2)
next(results)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")
def test_workers_end_in_the_middle_of_their_work_when_their_parent_is_killed(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(PARENT)
    with started(str(script)) as process:
        wait_until(lambda: len(children(process.pid)) == 2)
        workers = children(process.pid)
        process.kill()
        process.wait()
        wait_until(lambda: not any(map(is_running, workers)))
