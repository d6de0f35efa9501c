"""Real clusters: a scheduler of Dask with two workers, each a process, and a Ray of two cores.

They are started when a test asks for them, and end with the last test of this folder: also idle ones take their share
of the cores.
"""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from uuid import uuid4

import pytest

import calipers
from calipers.engines import open_engine

HERE = Path(__file__).parent
SOURCES = Path(calipers.__file__).parents[1]
ENVIRONMENT = os.environ | {
    "PYTHONPATH": os.pathsep.join([str(SOURCES), str(HERE)]),
    "RAY_USAGE_STATS_ENABLED": "0",
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
    # Dask looks at itself rarely: its clusters took a tenth of a core while they were idle
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "10s",
}
ENGINES = ["local 1", "local 2", "dask", "ray"]
RAY = """
import sys, ray
from ray._private.node import Node
# No processes that scale the cluster, pass on logs and serve a dashboard: nobody asks them, and they take a third of it
Node.start_monitor = Node.start_log_monitor = Node.start_api_server = lambda self, **options: None
context = None
while context is None:
    try:
        context = ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    except Exception as error:
        if "timed out during startup" not in str(error):  # which Ray is after 30 seconds, on a busy machine
            raise
        ray.shutdown()
print(context.address_info["gcs_address"], flush=True)
sys.stdin.read()
ray.shutdown()
"""
RAY_SECRET = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": uuid4().hex * 2}  # made up for the cluster of this session

HANG_SEC = 750  # after which something hangs, however busy the machine: Ray may start five times, a minute or two each

sys.path.insert(0, str(HERE))  # for cluster_work, which workers import as well


@pytest.fixture(autouse=True)
def _workers_only(workers_only):
    """What is tested here are workers."""


def require_package(name):
    if find_spec(name) is None and os.environ.get("CI") != "true":
        pytest.skip(f"{name} is not installed")


@contextmanager
def started(*command, **options):
    """A program of Python that ends with the block, with everything it started."""
    process = subprocess.Popen(
        [sys.executable, *command],
        env=ENVIRONMENT | options.pop("env", {}),
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=options.pop("stderr", subprocess.DEVNULL),
        **options,
    )
    try:
        yield process
    finally:
        for process_id in [*descendants(process.pid), process.pid]:
            with suppress(ProcessLookupError):
                os.kill(process_id, signal.SIGKILL)
        process.wait()
        process.stdin.close()
        process.stdout.close()


def descendants(parent):
    found = []
    for child in children(parent):
        found += [*descendants(child), child]
    return found


def children(parent):
    try:
        tasks = list(Path(f"/proc/{parent}/task").iterdir())
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def wait_until(condition, every=0.05):
    """Wait for what has to come; that it never comes is found out only after minutes."""
    end = time.monotonic() + HANG_SEC
    while not condition():
        assert time.monotonic() < end, "it never comes"
        time.sleep(every)


def is_json(path):
    """Whether a file is there, and whole: others begin to write it before they end."""
    with suppress(FileNotFoundError, ValueError):
        return bool(json.loads(path.read_text()))
    return False


def is_running(process_id):
    try:
        return Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@contextmanager
def dask_cluster(folder, *, workers=2, options=()):
    """The address of a scheduler, and the processes of its workers."""
    note = folder / "scheduler.json"
    module = ["-m", "distributed.cli.dask_scheduler"]
    quiet = ["--host", "127.0.0.1", "--no-dashboard"]
    with ExitStack() as stack:
        stack.enter_context(started(*module, *quiet, "--port", "0", "--scheduler-file", str(note), cwd=folder))
        worker = ["-m", "distributed.cli.dask_worker", "--scheduler-file", str(note), *quiet, "--nthreads", "1"]
        wait_until(lambda: is_json(note))
        found = [
            stack.enter_context(started(*worker, "--local-directory", str(folder), *options, cwd=folder))
            for _ in range(workers)
        ]
        yield json.loads(note.read_text())["address"], found


@contextmanager
def ray_cluster():
    """The address of a Ray, which needs a secret to be joined."""
    with pytest.MonkeyPatch.context() as patch, started("-c", RAY, env=RAY_SECRET) as process:
        for name, value in RAY_SECRET.items():
            patch.setenv(name, value)
        yield process.stdout.readline().decode().strip()
        process.stdin.close()
        process.wait(timeout=HANG_SEC)


class Running:
    """Clusters and engines that tests have asked for, by name."""

    def __init__(self):
        self._stack, self._opened = ExitStack(), {}

    def get(self, name, opening):
        """What runs under a name, else what `opening` opens."""
        if name not in self._opened:
            self._opened[name] = self._stack.enter_context(opening())
        return self._opened[name]

    def end(self):
        """End all of them, the last one first."""
        self._opened.clear()
        self._stack.close()


RUNNING = Running()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    """After the last test of this folder, end what they share."""
    try:
        return (yield)
    finally:
        if nextitem is None or HERE not in nextitem.path.parents:
            RUNNING.end()


@pytest.fixture
def dask_address(tmp_path_factory):
    require_package("distributed")
    address, _ = RUNNING.get("the cluster of dask", lambda: dask_cluster(tmp_path_factory.mktemp("dask")))
    return address


@pytest.fixture
def ray_address():
    require_package("ray")
    return RUNNING.get("the cluster of ray", ray_cluster)


@pytest.fixture
def engines(request):
    """Engines by name, each opened when it is asked for."""

    def engine(name):
        kind, _, jobs = name.partition(" ")
        address = None if kind == "local" else request.getfixturevalue(f"{kind}_address")
        return RUNNING.get(name, lambda: open_engine(kind, jobs=int(jobs) if jobs else None, address=address))

    return engine


@pytest.fixture(params=ENGINES)
def engine(request, engines):
    return engines(request.param)


@pytest.fixture(params=["dask", "ray"])
def cluster(request, engines):
    return engines(request.param)


@pytest.fixture(params=["dask", "ray"])
def place(request, engines):
    """Options that name a cluster. A process that is part of a Ray joins it no second time."""
    engines(request.param)
    return {"engine": request.param, "address": request.getfixturevalue(f"{request.param}_address")}
