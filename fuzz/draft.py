"""Drafts: valid inputs as trees, before anything is broken."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from fuzz.writers import Writer


class Doc(NamedTuple):
    """A file as a tree, how it is written, and how it is packed: "", "gz" or "zst"."""

    tree: Any
    write: Writer
    pack: str = ""


class Draft(NamedTuple):
    """A call on files."""

    call: str
    arguments: dict[str, Any]
    docs: dict[str, Doc]


Grammar = Callable[[Random], Draft]
