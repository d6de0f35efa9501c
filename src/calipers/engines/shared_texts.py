"""Large texts of a result between two processes, in memory that both see, instead of through their socket.

A result is pickled, and texts in it that ask for it (`pickle.PickleBuffer`) stand beside the pickle in a file that has
no name and lies in memory. Its handle goes over the socket. The other process maps the file: what it is given as a text
is a view of that memory. The first byte of the file says whether there may be a view of it. Once there is none, it is
written again: the system takes four times as long for memory that is new.
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
MIN_SHARED_BYTES = 1 << 20  # of a text that is worth a file
LEAD_BYTES = 64  # before the pickle; the first one is the state
IN_USE, FREE = b"\1", b"\0"  # whether there may be views of a file
MAX_KEPT_FILES = 4  # files that wait to be written again
MAX_KEPT_BYTES = 1 << 26  # bytes of such a file


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
    if not view.readonly or view.nbytes < MIN_SHARED_BYTES:
        return True
    texts.append(view)
    return False


class TextFiles:
    """The files in memory that a process writes its texts to, one after the other."""

    def __init__(self) -> None:
        self._handles: list[int] = []

    def write(self, pieces: list[bytes | memoryview]) -> int | None:
        """The handle of a file that holds all pieces, until the next one is written; None where there is no room."""
        handle = self._free()
        try:
            handle = os.memfd_create("calipers", os.MFD_CLOEXEC) if handle is None else handle
            _write(handle, [IN_USE.ljust(LEAD_BYTES), *pieces])
        except OSError:
            close([] if handle is None else [handle])
            return None
        self._handles.append(handle)
        return handle

    def _free(self) -> int | None:
        """A file that nobody looks at any more; those that are too many or too large are let go of."""
        kept = [handle for handle in self._handles[-MAX_KEPT_FILES:] if os.fstat(handle).st_size <= MAX_KEPT_BYTES]
        close([handle for handle in self._handles if handle not in kept])
        self._handles = kept
        free = next((handle for handle in reversed(kept) if os.pread(handle, 1, 0) == FREE), None)
        if free is not None:
            kept.remove(free)
        return free


def _write(handle: int, pieces: list[bytes | memoryview]) -> None:
    at = 0
    for piece in pieces:
        rest = memoryview(piece)
        while rest:
            count = os.pwrite(handle, rest, at)
            rest, at = rest[count:], at + count


class TextViews:
    """The files in memory of another process, as long as there are views of them."""

    def __init__(self) -> None:
        self._maps: list[tuple[int, mmap.mmap]] = []  # with the handle of each

    def unpack(self, handle: int, sizes: list[int]) -> Any:
        """The value again, whose pickle and texts stand in a file."""
        self.let_go()
        try:
            mapped = mmap.mmap(handle, LEAD_BYTES + sum(sizes), access=mmap.ACCESS_READ)
        except BaseException:
            os.close(handle)
            raise
        self._maps.append((handle, mapped))
        places = pairwise(accumulate(sizes, initial=LEAD_BYTES))
        packed, *texts = (memoryview(mapped)[begin:end] for begin, end in places)
        return pickle.loads(packed, buffers=texts)

    def let_go(self) -> None:
        """Free the files without a view, so that they can be written again."""
        known, self._maps = self._maps, []
        for handle, mapped in known:
            try:
                mapped.close()
            except BufferError:  # there is a view
                self._maps.append((handle, mapped))
                continue
            os.pwrite(handle, FREE, 0)
            os.close(handle)

    def end(self) -> None:
        """Nothing more is to come; views stay as they are."""
        close([handle for handle, _ in self._maps])
        self._maps = []


def close(handles: list[int]) -> None:
    """Let go of handles that nobody will ask for."""
    for handle in handles:
        with suppress(OSError):
            os.close(handle)
