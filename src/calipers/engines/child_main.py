"""What a worker process does: receive a function and then items, send back an outcome for each item.

Messages are pickles with their length in front, over a socket that nobody else has. The first message to the worker is
the function, the first one back says whether it could be loaded. The process imports nothing of the parent's
`__main__`, leaves interrupts to the parent, and ends when the parent closes the socket or is gone.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from struct import Struct
from threading import Thread
from typing import Any

from calipers.core.errors import CalipersError
from calipers.engines import shared_texts
from calipers.kernels.scan.column import keep_memory

LENGTH = Struct("<Q")
SHARED = 1 << 63  # in a length: the message has the sizes of what stands in a file in memory, which comes with it
PROTOCOL = shared_texts.PROTOCOL
PARENT_CHECK_MS = 5000
GC_OBJECTS = 50_000  # new ones, before garbage in cycles is looked for: imports make many objects and no garbage


def main(handle: int, parent: int) -> None:
    """Serve the parent process at the other end of a socket, until it is closed."""
    gc.set_threshold(GC_OBJECTS, *gc.get_threshold()[1:])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is the parent's to handle
    channel = _open_channel(handle)
    Thread(target=_end_with_parent, args=(channel, parent), daemon=True).start()
    keep_memory()  # for the next item
    with suppress(EOFError, OSError):
        serve(channel)
    os._exit(0)  # nothing is left to be done, and the end of an interpreter takes a while


def _open_channel(handle: int) -> socket.socket:
    if sys.platform == "win32":
        return socket.fromshare(sys.stdin.buffer.read())
    return socket.socket(fileno=handle)


def _end_with_parent(channel: socket.socket, parent: int) -> None:
    """End this process in the middle of its work when the parent has closed its end or is gone.

    A process that the caller forked may hold a copy of the parent's end, so the parent is looked for as well.
    """
    import select

    if not hasattr(select, "poll"):
        return
    waiting = select.poll()
    waiting.register(channel, 0)  # nothing but the end
    while not waiting.poll(PARENT_CHECK_MS) and os.getppid() == parent:
        pass
    os._exit(1)


def serve(channel: socket.socket) -> None:
    """Load the function, and call it with one item after the other."""
    try:
        work = pickle.loads(receive(channel))
    except (OSError, EOFError):
        raise
    except Exception as error:  # noqa: BLE001  a module of the caller may raise anything; the parent tells
        send(channel, pickle.dumps((False, f"{type(error).__name__}: {error}")))
        return
    send(channel, pickle.dumps((True, "")))
    files = shared_texts.TextFiles()
    while True:
        send_outcome(channel, work, receive(channel), files)


def send_outcome(
    channel: socket.socket, work: Callable[[Any], Any], item: bytes | bytearray, files: shared_texts.TextFiles
) -> None:
    """Send whether the work went well, and its result or the exception."""
    try:
        outcome = True, work(pickle.loads(item))
        packed, texts = shared_texts.pack(outcome)
        handle = files.write([packed, *texts]) if texts else None
        if texts and handle is None:
            packed = pickle.dumps(outcome, PROTOCOL)
    except Exception as error:  # noqa: BLE001  a module of the caller may raise anything; the parent tells
        packed, texts, handle = _packed_error(error), [], None
    if handle is None:
        send(channel, packed)
    else:
        send_handle(channel, handle, [len(packed), *(text.nbytes for text in texts)])


def _packed_error(error: Exception) -> bytes:
    """An exception that cannot be pickled, or not be made again, becomes one that says the same."""
    try:
        packed = pickle.dumps((False, error), PROTOCOL)
        pickle.loads(packed)
    except Exception:  # noqa: BLE001  whatever the constructor of a foreign exception raises
        return pickle.dumps((False, CalipersError(f"{type(error).__name__}: {error}")), PROTOCOL)
    return packed


def send(channel: socket.socket, message: bytes) -> None:
    """Send one message, all of it."""
    channel.sendall(LENGTH.pack(len(message)))
    channel.sendall(message)


def send_handle(channel: socket.socket, handle: int, sizes: list[int]) -> None:
    """Send a file in memory, and the sizes of what stands in it, in place of a message."""
    message = pickle.dumps(sizes, PROTOCOL)
    socket.send_fds(channel, [LENGTH.pack(SHARED | len(message))], [handle])
    channel.sendall(message)


def receive(channel: socket.socket) -> bytearray:
    """The next message. EOFError when there is none."""
    [length] = LENGTH.unpack(_receive_exactly(channel, LENGTH.size))
    return _receive_exactly(channel, length)


def _receive_exactly(channel: socket.socket, length: int) -> bytearray:
    content = bytearray(length)
    rest = memoryview(content)
    while rest:
        count = channel.recv_into(rest)
        if not count:
            raise EOFError
        rest = rest[count:]
    return content
