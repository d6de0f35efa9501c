"""Shards on a cluster of Dask.

Without an address a cluster is started here, in a process of its own that ends with its standard input: it needs no
guard in the caller's script, an interrupt of this process does not reach it, and it cannot outlive the run.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from importlib import import_module
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory, TemporaryFile
from time import monotonic, sleep
from typing import IO, Any
from uuid import uuid4

from calipers import __version__
from calipers.core.errors import CalipersError, ConfigError, require
from calipers.engines import Engine
from calipers.engines.cluster import Cluster, LostError, OnEnd
from calipers.engines.local import cores
from calipers.engines.outcomes import other_version

CONNECT_SEC = 8  # for somebody to listen at an address
ANSWER_SEC = 60  # for whoever listens to answer, on a busy machine
WORKERS_TIMEOUT_SEC = 300  # for workers to come, where there are none
POLL_SEC = 5  # between looks at whether there are any
SETTLE_SEC = 0.05
LARGE_GRAPH = {"distributed.admin.large-graph-warning-threshold": "1TB"}  # lines of a stream travel with their task
HOST = {
    "distributed.scheduler.allowed-failures": 1,  # workers that may end over a task; then it is tried alone
    "distributed.comm.timeouts.connect": "10s",  # a worker that ended is asked for its results for as long; usually 30
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    # workers keep what they have freed for the next shard; by default they would give it back and ask for it again
    "distributed.nanny.pre-spawn-environ": {
        "MALLOC_ARENA_MAX": 1,
        "MALLOC_MMAP_THRESHOLD_": 32 << 20,
        "MALLOC_TRIM_THRESHOLD_": 1 << 28,
        "OPENBLAS_NUM_THREADS": 1,
    },
}


@contextmanager
def open_dask(jobs: int | None, address: str | None) -> Iterator[Engine]:
    """The cluster at an address, or one that is started here and ends with the block."""
    try:
        _dask()
    except ImportError as error:
        raise ConfigError(f"engine dask needs dask and distributed ({error}): pip install 'calipers[dask]'") from error
    with _quiet():
        if address is not None:
            place = address.rpartition("://")[2]
            require(":" in place, "address", address, "that of a scheduler, as tcp://HOST:PORT")
            _check_listening(address)
            with _connected(address) as engine:
                yield engine
            return
        with _own_cluster(jobs or cores()) as started, _connected(started, own=True) as engine:
            yield engine


def _dask() -> tuple[Any, Any]:
    return import_module("dask"), import_module("distributed")


@contextmanager
def _quiet() -> Iterator[None]:
    """Dask tells about lost connections in its log; here they are errors, or of no interest."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client", "tornado.application")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _check_listening(address: str) -> None:
    """Refuse an address where nobody listens, at once; whoever listens may be busy and take its time to answer."""
    protocol, _, place = address.rpartition("://")
    if protocol not in ("", "tcp", "tls"):
        return
    host, _, port = place.partition("/")[0].rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SEC).close()
    except (OSError, ValueError, OverflowError) as error:
        raise _nobody_at(address, error) from error


def _nobody_at(address: str, error: Exception) -> ConfigError:
    return ConfigError(f"address: found {address!r}, expected a scheduler of dask there: {error}")


@contextmanager
def _connected(address: str, *, own: bool = False) -> Iterator[Engine]:
    dask, distributed = _dask()
    with dask.config.set(LARGE_GRAPH):
        try:
            client = distributed.Client(address, timeout=ANSWER_SEC, set_as_default=False, name="calipers")
        except (OSError, ValueError, TypeError) as error:
            raise _nobody_at(address, error) from error
        tasks = _DaskTasks(distributed, client, address)
        try:
            tasks.check()
            yield Cluster(tasks, own=own)
        finally:
            tasks.close()


class _DaskTasks:
    """Tasks of a client."""

    def __init__(self, distributed: Any, client: Any, address: str) -> None:
        self._distributed, self._client, self._address = distributed, client, address
        self._ended: SimpleQueue[Any] = SimpleQueue()
        self._on_end: dict[str, OnEnd] = {}
        self._threads, self._checked_at = 0, 0.0  # of all workers, and when that was asked
        self._last_workers_at = monotonic()  # when there were workers

    @property
    def under_way(self) -> int:
        """Tasks that were started and have not ended."""
        return len(self._on_end)

    def check(self) -> None:
        """Check that there are workers, and that they run the same version of calipers."""
        try:
            self._client.wait_for_workers(1, timeout=WORKERS_TIMEOUT_SEC)
        except TimeoutError as error:
            raise ConfigError(f"address: found no workers at {self._address}, expected some") from error
        try:
            versions = self._client.run(version)
        except Exception as error:
            raise ConfigError(f"a worker at {self._address} cannot run calipers {__version__}: {error}") from error
        for other in versions.values():
            if other != __version__:
                raise other_version(other, __version__)

    def workers(self) -> int:
        """Threads of all workers, as of some seconds ago."""
        if monotonic() - self._checked_at > POLL_SEC:
            workers = self._client.scheduler_info(n_workers=-1)["workers"]
            self._threads, self._checked_at = sum(worker["nthreads"] for worker in workers.values()), monotonic()
            self._last_workers_at = self._checked_at if workers else self._last_workers_at
        return self._threads

    def start(self, function: Callable[..., bytes], arguments: list[Any], on_end: OnEnd) -> Any:
        """Submit a task; the scheduler keeps what it is made of for as long as it may have to run again."""
        if self._client.status != "running":
            raise self._gone()
        future = self._client.submit(function, *arguments, key=f"calipers-{function.__name__}-{uuid4()}")
        self._on_end[future.key] = on_end
        future.add_done_callback(self._ended.put)
        return future

    def wait(self) -> None:
        """Block until at least one task has ended."""
        ended = [self._next()]
        with suppress(Empty):
            while True:
                ended.append(self._ended.get_nowait())
        for future in ended:
            on_end = self._on_end.pop(future.key, None)
            if on_end is not None:  # it was not cancelled
                on_end(self._problem(future))

    def _next(self) -> Any:
        while True:
            try:
                return self._ended.get(timeout=POLL_SEC)
            except Empty:
                self._check_workers()

    def _check_workers(self) -> None:
        """Raise an error where there are no workers, as no task would ever end."""
        if not self.workers() and monotonic() - self._last_workers_at > WORKERS_TIMEOUT_SEC:
            raise CalipersError(f"engine dask: no workers are left at {self._address}")

    def _problem(self, future: Any) -> Exception | None:
        if future.status == "cancelled":
            raise self._gone()
        if future.status != "error":  # if it was lost since, the scheduler makes it again
            return None
        error: Exception = future.exception()
        return LostError(_reason(error)) if isinstance(error, self._distributed.KilledWorker) else error

    def _gone(self) -> CalipersError:
        return CalipersError(f"engine dask: the connection to the cluster at {self._address} was lost")

    def fetch(self, handles: list[Any]) -> list[bytes]:
        """The outcomes of tasks."""
        try:
            outcomes: list[bytes] = self._client.gather(handles)
        except CancelledError as error:
            raise self._gone() from error
        except self._distributed.KilledWorker as error:
            raise LostError(_reason(error)) from error
        return outcomes

    def is_lost(self, handle: Any) -> bool:
        """Whether a task was run again, and ended its worker again."""
        return bool(handle.status == "error")

    def settle(self) -> None:
        """What was lost with a worker is made again by the scheduler."""
        while any(state.status in ("pending", "lost") for state in list(self._client.futures.values())):
            sleep(SETTLE_SEC)
            self._check_workers()

    def cancel(self, handles: list[Any]) -> None:
        """Tasks that have not begun never will."""
        for handle in handles:
            self._on_end.pop(handle.key, None)
        if handles and self._client.status == "running":
            self._client.cancel(handles, force=True)

    def close(self) -> None:
        """Leave the cluster."""
        self._on_end.clear()
        self._client.close(timeout=1)


def _reason(error: Any) -> str:
    """How many workers were lost with a task, from a KilledWorker error."""
    return f"{error.allowed_failures + 1} were lost"


def version() -> str:
    """On a worker: the version of calipers that it runs."""
    return __version__


@contextmanager
def _own_cluster(jobs: int) -> Iterator[str]:
    """The address of a cluster that ends with the block."""
    program = f"from calipers.engines.dask import host; host({jobs})"
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OPENBLAS_NUM_THREADS": "1"}
    with TemporaryFile() as log:
        process = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env=env,
            start_new_session=True,
        )
        try:
            address = process.stdout.readline().decode().strip()  # type: ignore[union-attr]
            if not address:
                raise CalipersError(f"engine dask: no cluster could be started here: {_last_line(log)}")
            yield address
        finally:
            _end(process)


def _last_line(log: IO[bytes]) -> str:
    log.seek(0)
    lines = log.read().decode(errors="replace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), "it ended without a message")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process: it ends by itself when its input does, and is ended if it does not."""
    process.stdin.close()  # type: ignore[union-attr]
    try:
        process.wait(timeout=1)
    except subprocess.TimeoutExpired:
        _kill_session(process.pid)
        process.wait()
    process.stdout.close()  # type: ignore[union-attr]


def _kill_session(leader: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL) if hasattr(os, "killpg") else os.kill(leader, signal.SIGTERM)


def host(jobs: int) -> None:
    """Run a cluster in this process: start it, print its address, and end it when standard input ends."""
    dask, distributed = _dask()
    with TemporaryDirectory(prefix="calipers-dask-", ignore_cleanup_errors=True) as folder:
        dask.config.set(HOST | {"temporary-directory": folder})
        cluster = distributed.LocalCluster(
            n_workers=jobs,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        )
        with suppress(BrokenPipeError):
            sys.stdout.write(f"{cluster.scheduler_address}\n")
            sys.stdout.flush()
        sys.stdin.read()
    _kill_session(os.getpid())
