"""Dask: clusters that are started here, and those of someone else that are gone, empty or of another version."""

import signal
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path

import cluster_work as work
import pytest

import calipers
from calipers.core.errors import CalipersError, ConfigError
from calipers.engines import dask
from calipers.engines.dask import open_dask

from .conftest import ENVIRONMENT, HANG_SEC, dask_cluster, descendants, is_running, require_package, started, wait_until

SCRIPT = """
from functools import partial
import cluster_work as work
from calipers.engines import open_engine
with open_engine({engine!r}, jobs=2, address=None) as engine:
    print(list(engine.in_order(work.square, range(5))), flush=True)
    {then}
"""
ALONE = ("--no-nanny",)  # a worker without a guardian, for clusters in which none is killed
SLOWLY = "list(engine.in_order(partial(work.slow_square, seconds=0.2), range(1000), join=sum))"


@pytest.fixture(autouse=True)
def _dask_is_there():
    require_package("distributed")


def script(tmp_path, then="pass", engine="dask"):
    path = tmp_path / "script.py"  # without a guard against being run twice
    path.write_text(SCRIPT.format(engine=engine, then=then))
    return str(path)


ENDINGS = {"interrupt": signal.SIGINT, "kill": signal.SIGKILL, "end": None}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_cluster_of_its_own_needs_no_guard_says_nothing_and_leaves_no_process_and_no_folder(tmp_path, ending):
    scratch, said, number = tmp_path / "scratch", tmp_path / "said", ENDINGS[ending]
    scratch.mkdir()
    program = script(tmp_path, SLOWLY if number else "pass")
    with said.open("wb") as errors, started(program, env={"TMPDIR": str(scratch)}, stderr=errors) as process:
        assert process.stdout.readline() == b"[0, 1, 4, 9, 16]\n"
        if number:
            wait_until(lambda: len(descendants(process.pid)) >= 3)
        others = descendants(process.pid)
        assert said.read_bytes() == b""
        if number:
            process.send_signal(number)
        code = process.wait(timeout=HANG_SEC)
        wait_until(lambda: not any(map(is_running, others)))
        wait_until(lambda: list(scratch.iterdir()) == [])
        assert number or (code, process.stdout.read(), said.read_bytes()) == (0, b"", b"")


REFUSED = """
import sys
from calipers.engines import dask
from calipers.core.errors import ConfigError
assert dask.CONNECT_SEC <= 10
dask.CONNECT_SEC = dask.ANSWER_SEC = 1
for address in sys.argv[1:]:
    try:
        with dask.open_dask(None, address):
            pass
    except ConfigError as error:
        print(error)
"""
NOWHERE = ["nonsense://127.0.0.1:1", "tcp://127.0.0.1:port", "127.0.0.1:99999"]


@pytest.fixture(scope="module")
def refused():
    """What is said of addresses, in a process of their own: a client that fails leaves threads of Dask behind."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        addresses = [f"tcp://127.0.0.1:{silent.getsockname()[1]}", *NOWHERE]
        command = [sys.executable, "-c", REFUSED, *addresses]
        found = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=HANG_SEC, check=False)
    assert found.returncode == 0, found.stderr
    return addresses, [line for line in found.stdout.splitlines() if line.startswith("address: ")]


@pytest.mark.parametrize("place", range(1 + len(NOWHERE)), ids=["nobody answers", *NOWHERE])
def test_an_address_where_no_scheduler_is_is_named(refused, place):
    addresses, lines = refused
    assert len(lines) == len(addresses)
    assert lines[place].startswith(f"address: found '{addresses[place]}', expected a scheduler of dask there")


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ConfigError, match=r"engine dask needs .*: pip install 'calipers\[dask\]'"):
        open_dask(None, None).__enter__()


def test_workers_of_another_version_are_refused(dask_address, monkeypatch):
    monkeypatch.setattr("calipers.engines.dask.__version__", "99.0")
    with pytest.raises(ConfigError, match=r"a worker runs calipers .*, expected 99\.0 as here"):
        open_dask(None, dask_address).__enter__()


def test_workers_of_another_version_that_come_later_are_refused(cluster, monkeypatch):
    monkeypatch.setattr("calipers.engines.cluster.__version__", "99.0")
    with pytest.raises(ConfigError, match=r"a worker runs calipers .*, expected 99\.0 as here"):
        list(cluster.in_order(work.square, range(3)))


def test_a_cluster_without_workers_is_not_waited_for_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(dask, "WORKERS_TIMEOUT_SEC", 0.3)
    with dask_cluster(tmp_path, workers=0) as (address, _), pytest.raises(ConfigError, match="found no workers"):
        open_dask(None, address).__enter__()


def test_a_worker_that_is_killed_with_its_guardian_leaves_its_work_to_the_other(tmp_path):
    told = []

    def kill_the_first(item):
        told.append(item)
        if len(told) == 8:
            for process in [workers[0].pid, *descendants(workers[0].pid)]:
                Path(f"/proc/{process}").exists() and subprocess.run(["kill", "-9", str(process)], check=False)

    with dask_cluster(tmp_path) as (address, workers), open_dask(None, address) as engine:
        wait_until(lambda: engine._tasks._client.scheduler_info(n_workers=-1)["workers"].__len__() == 2)
        slow = partial(work.slow_square, seconds=0.02)
        found = list(engine.in_order(slow, range(50), join=sum, done=kill_the_first))
    assert sum(found) == sum(number * number for number in range(50))
    assert sorted(told) == list(range(50))


def test_a_cluster_that_is_gone_is_an_error(tmp_path):
    with dask_cluster(tmp_path, workers=1, options=ALONE) as (address, _), open_dask(None, address) as engine:
        results = engine.in_order(partial(work.slow_square, seconds=0.05), range(1000))
        assert next(results) == 0
        engine._tasks._client.shutdown()
        with pytest.raises(CalipersError, match=r"engine dask: .* was lost"):
            list(results)


def test_someone_elses_cluster_lives_on(dask_address):
    for _ in range(2):
        with open_dask(None, dask_address) as engine:
            assert list(engine.in_order(work.square, range(3))) == [0, 1, 4]


def test_an_address_without_a_port_is_refused_at_once(tmp_path):
    with pytest.raises(
        ConfigError, match="address: found 'nonsense', expected that of a scheduler, as tcp://HOST:PORT"
    ):
        calipers.dense(str(tmp_path / "a.jsonl"), engine="dask", address="nonsense")


def test_workers_without_calipers_are_an_error_that_says_so(tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['calipers'] = None\n")
    monkeypatch.setitem(ENVIRONMENT, "PYTHONPATH", str(tmp_path))
    (tmp_path / "a.jsonl").write_text("{}")
    with dask_cluster(tmp_path, workers=1, options=ALONE) as (address, _):
        expected = f"a worker at {address} cannot run calipers"
        with pytest.raises(ConfigError, match=expected):
            calipers.dense(str(tmp_path / "a.jsonl"), engine="dask", address=address)
