"""What can be known of an input before anybody has read it: its first bytes, or what its JSON holds.

Suites look at a `Clue` to tell whether an input is theirs, and of which kind.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cached_property
from itertools import islice
from typing import Any

from calipers.core.errors import InputError
from calipers.files.inputs import BOM, parse_json, read_bytes
from calipers.files.lines import LineSource, reading
from calipers.files.places import open_place
from calipers.files.problems import shown

PEEKED = 1 << 16
PIECE, MAX_BYTES = 1 << 22, 4 << 30
NUMBER_ROW = re.compile(rb"[-+.0-9eE]{1,100}[\t,]")
NAMED_ROW = re.compile(rb"[A-Za-z_][\w.+-]{0,99}(?:[ \t]+[-+.0-9eE]{1,100}){4}")
EXPECTED = "an input of a suite, or an artifact of Calipers"


class Clue:
    """An input: a path, or the value that a file would hold."""

    def __init__(self, source: Any) -> None:
        self.is_path = isinstance(source, (str, os.PathLike))
        self.path = os.fspath(source) if self.is_path else "<value>"
        self._value = source

    @cached_property
    def is_folder(self) -> bool:
        """Whether the input is a folder."""
        return self.is_path and os.path.isdir(self.path)

    @cached_property
    def head(self) -> bytes:
        """The first bytes of a file, decompressed, without white space in front; nothing of anything else."""
        if not self.is_path or self.is_folder or self.path == "-":
            return b""
        return _head(self.path).removeprefix(BOM).lstrip()

    @property
    def is_xml(self) -> bool:
        """Whether the input is an XML file."""
        return self.head.startswith(b"<")

    @property
    def is_csv(self) -> bool:
        """Whether it is a file whose name says that it is CSV."""
        return self.is_path and not self.is_folder and self.path.lower().endswith(".csv")

    @property
    def is_number_row(self) -> bool:
        """Whether it begins with a row of a table, numbers with tabs or commas between, or a name and numbers.

        No JSON begins so.
        """
        return NUMBER_ROW.match(self.head) is not None or NAMED_ROW.match(self.head) is not None

    @cached_property
    def is_lines(self) -> bool:
        """JSON lines: by the name, or by a first line that is a whole object with another line after it."""
        name = self.path.lower().removesuffix(".gz").removesuffix(".zst")
        if name.endswith((".jsonl", ".ndjson")):
            return self.is_path
        first, _, rest = self.head.partition(b"\n")
        first, rest = first.strip(), rest.strip()
        return first.startswith(b"{") and first.endswith(b"}") and rest.startswith(b"{")

    @cached_property
    def tree(self) -> Any:
        """The JSON of a file, or the value; None of a folder, of standard input, XML, CSV, tables and JSON lines."""
        if not self.is_path:
            return self._value
        is_no_json = (
            self.is_folder or self.path == "-" or self.is_xml or self.is_csv or self.is_lines or self.is_number_row
        )
        return None if is_no_json else read_tree(self.path)

    @property
    def list(self) -> Any:
        """The tree if it is a list, else None."""
        return self.tree if isinstance(self.tree, (list, tuple)) else None

    @property
    def first(self) -> Mapping[str, Any] | None:
        """The first object of a list, if the tree is one."""
        return next((item for item in self.list or () if isinstance(item, Mapping)), None)

    @property
    def object(self) -> Mapping[str, Any] | None:
        """The tree if it is an object, else None."""
        return self.tree if isinstance(self.tree, Mapping) else None


def _head(path: str) -> bytes:
    """The first bytes, decompressed."""
    source = LineSource(0, path, PEEKED)
    if source.is_plain():
        with reading(path), open_place(path) as file:
            return file.read(PEEKED)
    return next((shard.data or b"" for shard in source), b"")


def read_tree(content: Any) -> Any:
    """The JSON of a file, also of a compressed one, or the value that was given."""
    if not isinstance(content, (str, os.PathLike)):
        return content
    path = os.fspath(content)
    source = LineSource(0, path, PIECE)
    data = read_bytes(path) if source.is_plain() else _decompressed(source)
    return parse_json(data, path, EXPECTED).tree


def _decompressed(source: LineSource) -> bytes:
    pieces, size = [], 0
    for shard in source:
        pieces.append(shard.data or b"")
        size += shard.size
        if size > MAX_BYTES:
            raise InputError(f"{source.path}: holds more than {MAX_BYTES >> 30} GiB when decompressed")
    return b"".join(pieces)


def words_for(tree: Any) -> str:
    """The kind of a JSON value in words, for a message."""
    if isinstance(tree, (list, tuple)):
        return f"a list of {len(tree)}"
    if not isinstance(tree, Mapping):
        return shown(tree)
    keys = ", ".join(shown(key) for key in islice(tree, 5))
    return f"an object with {keys}{' …' if len(tree) > 5 else ''}" if tree else "an object without keys"


def direct_json(folder: str) -> list[str]:
    """The first JSON file directly in a folder."""
    names = sorted(name for name in os.listdir(folder) if name.lower().endswith(".json") and not name.startswith("."))
    return [os.path.join(folder, name) for name in names[:1]]
