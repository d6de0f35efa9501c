"""Shards on a cluster of Ray.

A process can be part of one cluster of Ray at a time: if the caller's code has joined one, that one is used.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import count
from time import monotonic
from typing import Any
from uuid import uuid4

from calipers import __version__
from calipers.core.errors import CalipersError, ConfigError
from calipers.engines import Engine
from calipers.engines.cluster import Cluster, LostError, OnEnd
from calipers.engines.descendants import Processes, descendants, end, running
from calipers.engines.local import cores
from calipers.engines.outcomes import other_version

CONNECT_SEC = 8
NAMESPACE = b"calipers"  # of keys in the cluster's store
RETRIES = 2  # of a task whose worker ended
POLL_SEC = 5  # between looks at how large the cluster is
STARTS, TOO_SLOW = 5, "timed out during startup"  # attempts, and what Ray says of one that it gave up
AUTOSCALER = "/autoscaler/_private/monitor.py"  # a process that Ray gives a second to end, and that takes it
NO_LOGGING = {"log_to_driver": False, "configure_logging": False}
QUIET_ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nobody was asked whether Ray may report on this run
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}


@contextmanager
def open_ray(jobs: int | None, address: str | None) -> Iterator[Engine]:
    """The cluster at an address, or one that is started here and ends with the block."""
    try:
        ray: Any = import_module("ray")
    except ImportError as error:
        raise ConfigError(f"engine ray needs ray ({error}): pip install 'calipers[ray]'") from error
    if ray.is_initialized():
        _check_joined(ray, address)
        with _checked(ray) as engine:
            yield engine
        return
    started: Processes = {}
    try:
        if address is None:
            _start(ray, jobs or cores(), started)
        else:
            with _quiet():
                _join(ray, address)
        with _checked(ray, own=address is None) as engine:
            yield engine
    finally:
        _stop(ray, started)


def _start(ray: Any, jobs: int, started: Processes) -> None:
    """Start a cluster here. Ray gives its own processes half a minute, which is too little on a busy machine."""
    for attempt in range(1, STARTS + 1):
        try:
            with _collect_started(started), _quiet():
                ray.init("local", num_cpus=jobs, include_dashboard=False, **NO_LOGGING)
            return
        except Exception as error:  # Ray raises no other kind
            if TOO_SLOW not in str(error):
                raise
            _stop(ray, started)
            if attempt == STARTS:
                raise CalipersError(f"engine ray: it did not start in {STARTS} attempts: {error}") from error


def _stop(ray: Any, started: Processes) -> None:
    """Leave the cluster, and end what was started here."""
    for process in list(started):
        started |= descendants(process)
    end(running(started, AUTOSCALER))
    try:
        with _quiet():
            ray.shutdown()
    finally:
        end(started)  # some would stay for a minute
        started.clear()


@contextmanager
def _collect_started(started: Processes) -> Iterator[None]:
    """Note the processes that are started in the block."""
    before = descendants()
    try:
        yield
    finally:
        started |= {process: begun for process, begun in descendants().items() if process not in before}


@contextmanager
def _checked(ray: Any, *, own: bool = False) -> Iterator[Engine]:
    tasks = _RayTasks(ray)
    tasks.check()
    yield Cluster(tasks, own=own)


@contextmanager
def _quiet() -> Iterator[None]:
    """Ray tells of itself on standard error, and takes over what the caller does when it is terminated.

    It exits with the number of the signal then. A caller with a handler of its own is told of the signal as well.
    """
    logger = logging.getLogger("ray")
    level, handler, was_terminated = logger.level, signal.getsignal(signal.SIGTERM), False
    before = {name: os.environ.get(name) for name in QUIET_ENVIRONMENT}
    os.environ.update({name: value for name, value in QUIET_ENVIRONMENT.items() if before[name] is None})
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    except SystemExit as error:
        was_terminated = error.code == signal.SIGTERM and callable(handler)
        raise
    finally:
        logger.setLevel(level)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
        if signal.getsignal(signal.SIGTERM) is not handler:
            signal.signal(signal.SIGTERM, handler)
            if was_terminated:
                signal.raise_signal(signal.SIGTERM)


def _check_joined(ray: Any, address: str | None) -> None:
    joined = ray.get_runtime_context().gcs_address
    if address not in (None, "auto", joined):
        raise ConfigError(f"address: found {address!r}, expected {joined}, of which this process is a part already")


def _join(ray: Any, address: str) -> None:
    expected = ConfigError(f"address: found {address!r}, expected a cluster of ray there")
    try:
        _check_answers(address)
        ray.init(address, **NO_LOGGING)
    except (OSError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
        raise ConfigError(f"{expected}: {str(error).strip().splitlines()[0]}") from error


def _check_answers(address: str) -> None:
    """Refuse an address where nobody listens, as Ray would wait for long."""
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SEC).close()


class _RayTasks:
    """Tasks of this process on its cluster. A handle is two references: that it ended well, and its outcome."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._run = ray.remote(num_cpus=1, num_returns=2, max_retries=RETRIES)(run)
        self._on_end: dict[Any, OnEnd] = {}  # of those that have not ended, by their first reference
        self._keys: dict[
            Any, bytes
        ] = {}  # whose presence in the cluster's store says that a task is not wanted any more
        self._store = import_module("ray.experimental.internal_kv")
        self._name, self._numbers = uuid4().hex, count()
        errors = ray.exceptions
        self._losses = (
            errors.WorkerCrashedError,
            errors.NodeDiedError,
            errors.OutOfMemoryError,
            errors.ObjectLostError,
        )
        self._cores, self._checked_at = 0, 0.0

    @property
    def under_way(self) -> int:
        """Tasks that were started and have not ended."""
        return len(self._on_end)

    def check(self) -> None:
        """Check that workers run the same version of calipers."""
        try:
            other = self._ray.get(self._run.remote(b"", version)[1]).decode()
        except self._ray.exceptions.RayError as error:
            raise ConfigError(f"a worker has no calipers, expected {__version__}: {_reason(error)}") from error
        if other != __version__:
            raise other_version(other, __version__)

    def workers(self) -> int:
        """Cores of the cluster, as of some seconds ago."""
        if monotonic() - self._checked_at > POLL_SEC:
            self._cores, self._checked_at = int(self._ray.cluster_resources().get("CPU", 0)), monotonic()
        return self._cores

    def start(self, function: Callable[..., bytes], arguments: list[Any], on_end: OnEnd) -> Any:
        """Submit a task."""
        values = [argument if isinstance(argument, bytes) else argument[1] for argument in arguments]
        key = f"{self._name}/{next(self._numbers)}".encode()
        handle = self._run.remote(key, function, *values)
        self._on_end[handle[0]], self._keys[handle[0]] = on_end, key
        return handle

    def wait(self) -> None:
        """Block until at least one task has ended."""
        started = list(self._on_end)
        self._ray.wait(started, num_returns=1, fetch_local=False)
        for reference in self._ray.wait(started, num_returns=len(started), timeout=0, fetch_local=False)[0]:
            self._keys.pop(reference, None)
            self._on_end.pop(reference)(self._problem(reference))

    def _problem(self, reference: Any) -> Exception | None:
        errors = self._ray.exceptions
        try:
            self._ray.get(reference)
        except self._losses as error:
            return LostError(_reason(error))
        except errors.RayTaskError as error:
            return Exception(_reason(error.cause or error))
        except errors.RayError as error:
            raise CalipersError(f"engine ray: the cluster failed: {_reason(error)}") from error
        return None

    def fetch(self, handles: list[Any]) -> list[bytes]:
        """The outcomes of tasks."""
        try:
            outcomes: list[bytes] = self._ray.get([outcome for _, outcome in handles])
        except self._losses as error:
            raise LostError(_reason(error)) from error
        except self._ray.exceptions.RayError as error:
            raise CalipersError(f"engine ray: the cluster failed: {_reason(error)}") from error
        return outcomes

    def is_lost(self, handle: Any) -> bool:
        """Whether the cluster can neither find the outcome of a task nor make it again."""
        try:
            self._ray.get(handle[1])
        except self._losses:
            return True
        return False

    def settle(self) -> None:
        """Outcomes outlive workers: they are kept by the node."""

    def cancel(self, handles: list[Any]) -> None:
        """Tasks that have not begun do nothing.

        Each looks for a key of its own before it begins. Ray's own `cancel` ends the calling process with an abort when
        a task ends at the same moment ("tried to complete task that was not pending", a failed check of Ray 2.60).
        """
        for reference, _ in handles:
            self._on_end.pop(reference, None)
            if self._ray.is_initialized() and reference in self._keys:
                self._store._internal_kv_put(self._keys.pop(reference), b"", namespace=NAMESPACE)


def _reason(error: Exception) -> str:
    """The first line of an error message that is not empty."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def run(key: bytes, function: Callable[..., bytes], *arguments: bytes) -> tuple[None, bytes]:
    """On a worker: nothing, which is quickly fetched, and the outcome; none if nobody wants it any more."""
    store = import_module("ray.experimental.internal_kv")
    if key and store._internal_kv_exists(key, namespace=NAMESPACE):
        return None, b""
    return None, function(*arguments)


def version() -> bytes:
    """On a worker: the version of calipers that it runs."""
    return __version__.encode()
