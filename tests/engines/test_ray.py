"""Ray: a cluster that is started here, and those of someone else that are not there or of another version."""

import signal
import socket
import subprocess
import sys

import cluster_work as work
import pytest

from calipers.core.errors import CalipersError, ConfigError
from calipers.engines import ray as ray_engine
from calipers.engines.ray import open_ray

from .conftest import ENVIRONMENT, HANG_SEC, descendants, is_running, require_package, started, wait_until
from .test_dask import SLOWLY, script


@pytest.fixture(autouse=True)
def _ray_is_there():
    require_package("ray")


HANDLER = "import signal; print(signal.getsignal(signal.SIGTERM), flush=True)"


@pytest.mark.parametrize("ending", ["interrupt", "end"])
def test_a_cluster_of_its_own_needs_no_guard_says_nothing_and_leaves_no_process(tmp_path, ending):
    said, then = tmp_path / "said", f"{HANDLER}; {SLOWLY}" if ending == "interrupt" else HANDLER
    with said.open("wb") as errors, started(script(tmp_path, then, "ray"), stderr=errors) as process:
        assert process.stdout.readline() == b"[0, 1, 4, 9, 16]\n"
        assert process.stdout.readline().decode().strip() == str(signal.SIG_DFL)  # and ends as it did
        assert said.read_bytes() == b""
        if ending == "interrupt":
            wait_until(lambda: len(descendants(process.pid)) >= 3)
        others = descendants(process.pid)
        if ending == "interrupt":
            process.send_signal(signal.SIGINT)
        code = process.wait(timeout=HANG_SEC)
        wait_until(lambda: not any(map(is_running, others)))
        assert ending == "interrupt" or (code, process.stdout.read(), said.read_bytes()) == (0, b"", b"")


def program(address):
    return f"from calipers.engines.ray import open_ray\nopen_ray(None, {address!r}).__enter__()"


def test_an_address_where_nobody_answers_is_named():
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        command = [sys.executable, "-c", program(address)]
        found = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=HANG_SEC, check=False)
    assert f"ConfigError: address: found '{address}', expected a cluster of ray there: " in found.stderr


def test_another_cluster_than_the_one_the_process_is_part_of_is_refused(engines):
    engines("ray")
    with pytest.raises(ConfigError, match="of which this process is a part already"):
        open_ray(None, "127.0.0.1:1").__enter__()


def test_the_cluster_the_process_is_part_of_lives_on(engines, ray_address):
    engine = engines("ray")
    for address in (None, ray_address):
        with open_ray(None, address) as other:
            assert list(other.in_order(work.square, range(3))) == [0, 1, 4]
    assert list(engine.in_order(work.square, range(3))) == [0, 1, 4]


def test_a_cluster_that_starts_slowly_is_started_again(monkeypatch):
    calls = []

    def init(*args, **options):
        calls.append(options)
        raise Exception("The current node timed out during startup.")  # as Ray does

    monkeypatch.setattr("ray.init", init)
    monkeypatch.setattr("ray.shutdown", lambda: None)
    started = {}
    with pytest.raises(CalipersError, match="engine ray: it did not start in 5 attempts: The current node timed out"):
        ray_engine._start(sys.modules["ray"], 2, started)
    assert (len(calls), started) == (5, {})
    monkeypatch.setattr(ray_engine, "TOO_SLOW", "something else")
    with pytest.raises(Exception, match=r"^The current node timed out"):
        ray_engine._start(sys.modules["ray"], 2, started)
    assert len(calls) == 6


def test_a_termination_while_a_cluster_starts_reaches_the_handler_of_the_caller(monkeypatch):
    def init(*args, **options):
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(number))  # as Ray does
        signal.raise_signal(signal.SIGTERM)

    def on_signal(number, frame):
        raise SystemExit(128 + number)

    monkeypatch.setattr("ray.init", init)
    before = signal.signal(signal.SIGTERM, on_signal)
    try:
        with pytest.raises(SystemExit) as ended:
            ray_engine._start(sys.modules["ray"], 2, {})
        assert (ended.value.code, signal.getsignal(signal.SIGTERM)) == (143, on_signal)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match=r"engine ray needs .*: pip install 'calipers\[ray\]'"):
        open_ray(None, None).__enter__()


def test_workers_of_another_version_are_refused(engines, monkeypatch):
    engines("ray")
    monkeypatch.setattr("calipers.engines.ray.__version__", "99.0")
    with pytest.raises(ConfigError, match=r"a worker runs calipers .*, expected 99\.0 as here"):
        open_ray(None, None).__enter__()
