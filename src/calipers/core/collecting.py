"""Python's garbage collection, switched off while large trees are built."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collection() -> Iterator[None]:
    """Switch garbage collection off for a block that builds a large tree of JSON.

    Such a tree has hundreds of thousands of objects and no garbage; searching it for cycles takes longer than building
    it.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
