"""An artifact that is written while its last figures are computed: first what it begins with, then the rest."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

from calipers.files.output import atomic_file, json_pieces, to_json, write_all

END = b"\n}\n"  # of an artifact


class ArtifactFile:
    """Takes some of the fields of an artifact, maybe, and then all of it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._begun: list[tuple[str, bytes | int]] = []  # the fields that are written

    def begin(self, head: Mapping[str, Any]) -> None:
        """Write the first fields of the artifact, the last of which is a large table."""
        self._begun = _fields(head)
        write_all(self._file, _without_end(json_pieces(head)))

    def finish(self, tree: Mapping[str, Any]) -> None:
        """Write what is left of the artifact; all of it where its first fields are not those that were written."""
        fields, count = list(tree.items()), len(self._begun)
        rest = dict(fields[count:])
        if not self._begun or not rest or _fields(dict(fields[:count])) != self._begun:
            self._file.seek(0)
            self._file.truncate()
            write_all(self._file, json_pieces(tree))
            return
        first, *others = json_pieces(rest)
        write_all(self._file, [b",", first[1:], *others])  # in place of the bracket


def _fields(tree: Mapping[str, Any]) -> list[tuple[str, bytes | int]]:
    """Names with what stands under them; of a table that writes itself which one it is."""
    return [(name, id(value) if hasattr(value, "spread_json") else to_json(value)) for name, value in tree.items()]


def _without_end(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The text of an object, open for more fields."""
    last = b""
    for piece in pieces:
        yield last
        last = piece
    yield last.removesuffix(END)


@contextmanager
def artifact_file(path: str | os.PathLike[str]) -> Iterator[ArtifactFile]:
    """The file of an artifact, which appears whole, or not at all."""
    with atomic_file(path) as file:
        yield ArtifactFile(file)
