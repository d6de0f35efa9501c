"""Files of lines that workers read: cut into shards by one of them, or measured whole where they cannot be cut.

The number of a line is that of all line breaks before it, and a digest is one over all bytes in their order, so one
worker reads a file from its beginning to its end for both at once. Its shards are then measured anywhere: every byte is
read twice, whatever the number of workers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.files.lines import LineSource, Shard

LAST = 4  # neighbours together have at most one part in so many of what is left of the file


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


def join_shards(shards: Iterable[Shard], size: int, most: int) -> Iterator[Shard]:
    """Neighbours of a plain file of so many bytes together, until they have `most`; fewer towards its end.

    >>> shards = [Shard(0, "dump.jsonl", 1 + number, 10, offset=10 * number) for number in range(8)]
    >>> [(shard.offset, shard.size) for shard in join_shards(shards, 80, 20)]
    [(0, 20), (20, 20), (40, 10), (50, 10), (60, 10), (70, 10)]
    """
    joined: Shard | None = None
    for shard in shards:
        joined = shard if joined is None else joined.with_next(shard)
        if joined.size >= min(most, (size - joined.offset - joined.size) // LAST):
            yield joined
            joined = None
    if joined is not None:
        yield joined


def groups_of_size(sizes: NDArray[np.int64], max_bytes: int) -> Iterator[tuple[slice, int]]:
    """Neighbours of about so many bytes together, and their bytes.

    >>> [(group.start, group.stop, size) for group, size in groups_of_size(np.array([5, 5, 30, 1]), 10)]
    [(0, 2, 10), (2, 3, 30), (3, 4, 1)]
    """
    behind = np.cumsum(sizes)
    start = done = 0
    while start < len(sizes):
        stop = min(int(np.searchsorted(behind, done + max_bytes)) + 1, len(sizes))
        yield slice(start, stop), int(behind[stop - 1]) - done
        start, done = stop, int(behind[stop - 1])
