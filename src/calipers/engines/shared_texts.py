"""Large texts of a result between two processes, in memory that both see, instead of through their socket.

A result is pickled, and texts in it that ask for it (`pickle.PickleBuffer`) stand beside the pickle in a file that has
no name and lies in memory. Its handle goes over the socket. The other process maps the file: what it is given as a text
is a view of that memory, which goes away with the last view.
"""

from __future__ import annotations

import mmap
import os
import pickle
import socket
from contextlib import suppress
from functools import partial
from itertools import accumulate, pairwise
from typing import Any

PROTOCOL = 5
LEAST_BYTES = 1 << 20  # of a text that is worth a file


def pack(value: Any) -> tuple[bytes, list[memoryview]]:
    """The pickle of a value, and its large texts, which are left out of it."""
    texts: list[memoryview] = []
    packed = pickle.dumps(value, PROTOCOL, buffer_callback=partial(_stays_inside, texts) if can_share() else None)
    return packed, texts


def can_share() -> bool:
    """Whether this system has files in memory, and hands handles over sockets."""
    return hasattr(os, "memfd_create") and hasattr(socket, "send_fds")


def _stays_inside(texts: list[memoryview], buffer: pickle.PickleBuffer) -> bool:
    """Whether a buffer is part of the pickle; one that may be changed is, as others are views of shared memory."""
    view = buffer.raw()
    if not view.readonly or view.nbytes < LEAST_BYTES:
        return True
    texts.append(view)
    return False


def shared_file(pieces: list[bytes | memoryview]) -> int | None:
    """The handle of a file in memory that holds all pieces; None where there is no room for it."""
    try:
        handle = os.memfd_create("calipers", os.MFD_CLOEXEC)
    except OSError:
        return None
    try:
        for piece in pieces:
            rest = memoryview(piece)
            while rest:
                rest = rest[os.write(handle, rest) :]
    except OSError:
        os.close(handle)
        return None
    return handle


def unpack(handle: int, sizes: list[int]) -> Any:
    """The value again, whose pickle and texts stand in a file in memory. The handle is closed."""
    try:
        whole = memoryview(mmap.mmap(handle, sum(sizes), access=mmap.ACCESS_READ))
    finally:
        os.close(handle)
    places = pairwise(accumulate(sizes, initial=0))
    packed, *texts = (whole[begin:end] for begin, end in places)
    return pickle.loads(packed, buffers=texts)


def close(handles: list[int]) -> None:
    """Let go of handles that nobody will ask for."""
    for handle in handles:
        with suppress(OSError):
            os.close(handle)
