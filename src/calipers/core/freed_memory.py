"""Memory that a process has freed, given back to the system."""

from __future__ import annotations

import ctypes


def return_freed_memory() -> None:
    """Give back what was freed, wherever it lies: after many small blocks became a few large ones.

    The C library keeps blocks of up to some megabytes for the next ones of their size; one that is not glibc decides by
    itself.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(ctypes.c_size_t(0))
