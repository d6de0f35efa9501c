"""Worker processes: copies of a command, and started afresh by any other process, which may have threads.

One that is started afresh is a new Python interpreter that knows the caller's `sys.path` and nothing of its `__main__`.
A worker is reached over a socket pair; on this side nothing ever blocks but `wait_for`, so a worker that stands still
holds nobody up.
"""

from __future__ import annotations

import os
import pickle
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from calipers.core.errors import CalipersError
from calipers.engines import shared_texts
from calipers.engines.child_main import LENGTH, PROTOCOL, SHARED, main
from calipers.engines.forked import ForkedProcess, may_fork

Outcome = tuple[bool, Any]  # whether it went well, and the result or the exception

BOOT = (
    "import sys; sys.path[:] = sys.argv[3:]; from calipers.engines.child_main import main;"
    " main(*map(int, sys.argv[1:3]))"
)
LOWEST_HANDLE = 3  # standard input, output and error come before, and may be closed


class ChildEndedError(Exception):
    """The process has ended, or has closed its end of the socket."""


def pack_work(work: Callable[[Any], Any]) -> bytes | None:
    """A function as other processes can load it; None for one that they cannot, such as those of `__main__`."""
    if not sys.executable or getattr(sys, "frozen", False):
        return None  # there is no interpreter to start
    try:
        packed = pickle.dumps(work, PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError):
        return None
    return None if b"__main__" in packed else packed


def call_in_child(work: Callable[[Any], Any], item: Any) -> Any:
    """`work(item)`, in a process of its own."""
    packed = pack_work(work)
    if packed is None:
        raise CalipersError(f"{work} cannot be sent to another process")
    child = ChildProcess(packed)
    try:
        child.send(item)
        loaded, reason = _next_message(child)
        good, value = _next_message(child) if loaded else (False, CalipersError(f"a process failed to start: {reason}"))
    except ChildEndedError:
        raise CalipersError(f"a process ended before it had a result: {child.end()}") from None
    finally:
        child.end()
    if not good:
        raise value
    return value


def _next_message(child: ChildProcess) -> Outcome:
    while (message := child.receive()) is None:
        wait_for([child], None)
        child.flush()
    return message


def wait_for(children: Collection[ChildProcess], timeout_sec: float | None) -> list[ChildProcess]:
    """Those that sent something, ended, or can take more of what is sent to them; none after the timeout."""
    with selectors.DefaultSelector() as selector:
        for child in children:
            writing = selectors.EVENT_WRITE if child.is_sending else 0
            selector.register(child.channel, selectors.EVENT_READ | writing, child)
        return [key.data for key, _ in selector.select(timeout_sec)]


class ChildProcess:
    """A worker process at the other end of a socket."""

    def __init__(self, work: bytes) -> None:
        self.channel, self._process = _start()
        self.pid, self._parent = self._process.pid, os.getpid()
        self._outgoing = memoryview(b"")
        self._header = bytearray(LENGTH.size)
        self._content: bytearray | None = None  # of the message that is being received
        self._received = 0  # bytes of the header or of the content
        self._handles: list[int] = []  # of files in memory, for the message that is being received
        self._views = shared_texts.TextViews()
        self._ending = ""
        self._queue(work)

    @property
    def is_sending(self) -> bool:
        """Whether something waits to be sent."""
        return bool(self._outgoing)

    def send(self, item: Any) -> None:
        """Send an item: as much of it as can be sent now, the rest when `flush` is called."""
        self._queue(pickle.dumps(item, PROTOCOL))

    def _queue(self, message: bytes) -> None:
        self._outgoing = memoryview(b"".join([self._outgoing, LENGTH.pack(len(message)), message]))
        with suppress(ChildEndedError):  # noticed in the next `receive`
            self.flush()

    def flush(self) -> None:
        """Send what can be sent without waiting."""
        try:
            while self._outgoing:
                self._outgoing = self._outgoing[self.channel.send(self._outgoing) :]
        except BlockingIOError:
            pass
        except OSError:
            self._outgoing = memoryview(b"")
            raise ChildEndedError from None

    def receive(self) -> Outcome | None:
        """The next message; None if it is not there yet. ChildEndedError if none will come."""
        while True:
            target = self._header if self._content is None else self._content
            if self._received == len(target):
                self._received = 0
                if self._content is not None:
                    return self._message(target)
                self._content = bytearray(LENGTH.unpack(target)[0] & ~SHARED)
                continue
            try:
                count = self._receive_into(memoryview(target)[self._received :])
            except BlockingIOError:
                return None
            except OSError:
                raise ChildEndedError from None
            if not count:
                raise ChildEndedError
            self._received += count

    def _receive_into(self, target: memoryview) -> int:
        """Receive some bytes; with those of a header, a handle may come."""
        if self._content is not None or not shared_texts.can_share():
            return self.channel.recv_into(target)
        data, handles, _, _ = socket.recv_fds(self.channel, len(target), 1, socket.MSG_CMSG_CLOEXEC)
        self._handles += handles
        target[: len(data)] = data
        return len(data)

    def _message(self, content: bytearray) -> Outcome:
        """A message that is there as a whole."""
        self._content = None
        message = pickle.loads(content)
        if LENGTH.unpack(self._header)[0] & SHARED:
            message = self._views.unpack(self._handles.pop(), message)
        outcome: Outcome = message
        return outcome

    def kill(self) -> None:
        """Kill it, without waiting for its end, unless it belongs to a process that this one was forked from."""
        if self._parent == os.getpid() and not self._ending:
            self._process.kill()

    def end(self) -> str:
        """Kill it if it has not ended. Returns in words how it ended."""
        shared_texts.close(self._handles)
        self._handles.clear()
        self._views.end()
        if self._parent != os.getpid():  # this process was forked meanwhile, and the worker belongs to the other one
            self.channel.close()
        elif not self._ending:
            self._process.kill()  # changes nothing for one that is ending already
            self.channel.close()
            self._ending = _ending(self._process.wait())
        return self._ending

    def state(self) -> tuple[str, float] | None:
        """The state as the system shows it (T is stopped) and seconds of CPU time; None where it shows none."""
        with suppress(OSError):
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
            return fields[0], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return None


def _ending(code: int) -> str:
    if code < 0:
        return f"killed by signal {-code}" + (", or out of memory" if -code == signal.SIGKILL else "")
    return f"exit code {code}"


def _start() -> tuple[socket.socket, ForkedProcess | subprocess.Popen[bytes]]:
    """A new process, and this end of the socket to it."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    process = None
    try:
        with _above_standard_handles(theirs) as handle, _interrupts_blocked():
            process = ForkedProcess(handle, main) if may_fork() else _popen(handle)
        if sys.platform == "win32":
            process.stdin.write(theirs.share(process.pid))
            process.stdin.close()
    except BaseException:
        ours.close()
        if process is not None:
            process.kill()
            process.wait()
        raise
    finally:
        theirs.close()
    return ours, process


def _popen(handle: int) -> subprocess.Popen[bytes]:
    on_windows = sys.platform == "win32"
    utf8 = ["-X", "utf8"] if sys.flags.utf8_mode else []
    paths = [path for path in sys.path if isinstance(path, str)]
    return subprocess.Popen(
        [sys.executable, *utf8, "-P", "-c", BOOT, str(handle), str(os.getpid()), *paths],
        stdin=subprocess.PIPE if on_windows else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,  # the result of a command stands alone there
        pass_fds=() if on_windows else (handle,),
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # numpy's threads would only wait beside the processes
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # interrupts are not for it
    )


@contextmanager
def _above_standard_handles(end: socket.socket) -> Iterator[int]:
    """A handle for the child that standard input, output and error of the child do not take the place of."""
    if sys.platform == "win32" or end.fileno() >= LOWEST_HANDLE:
        yield end.fileno()
        return
    import fcntl

    handle = fcntl.fcntl(end.fileno(), fcntl.F_DUPFD_CLOEXEC, LOWEST_HANDLE)
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """What is started in the block never hears of an interrupt, also not before its first line; here it is late."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
