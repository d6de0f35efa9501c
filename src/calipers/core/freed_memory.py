"""Memory that a process has freed, given back to the system."""

from __future__ import annotations

import ctypes

MANY_ROWS = 1 << 20  # of which columns and what is made of them beside take tens of megabytes


def return_freed_memory() -> None:
    """Give back what was freed, wherever it lies: after many small blocks became a few large ones.

    The C library keeps blocks of up to some megabytes for the next ones of their size; one that is not glibc decides by
    itself.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(ctypes.c_size_t(0))


def return_memory_of_many(rows: int) -> None:
    """Give back what a step over so many rows has freed, where it is more than the next one would take anew."""
    if rows > MANY_ROWS:
        return_freed_memory()
