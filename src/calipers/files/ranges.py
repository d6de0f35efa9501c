"""Files of lines that workers read: cut into shards by one of them, or measured whole where they cannot be cut.

The number of a line is that of all line breaks before it, and a digest is one over all bytes in their order, so one
worker reads a file from its beginning to its end for both at once. Its shards are then measured anywhere: every byte is
read twice, whatever the number of workers.
"""

from __future__ import annotations

from typing import NamedTuple

from calipers.files.lines import LineSource, Shard


class WholeFile(NamedTuple):
    """A file that one worker reads from its beginning to its end."""

    source: int
    path: str
    size: int
    chunk_bytes: int

    def __str__(self) -> str:
        return self.path


class CutFile(NamedTuple):
    """The shards of a file, whole lines each, and its digest."""

    shards: list[Shard]
    sha256: str


def cut_file(file: WholeFile) -> CutFile:
    """On a worker: where the shards of a plain file begin, with the numbers of their lines, and the digest of it."""
    source = LineSource(file.source, file.path, file.chunk_bytes)
    return CutFile(list(source), source.sha256)
