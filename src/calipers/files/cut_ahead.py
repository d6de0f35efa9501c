"""Dumps that another process begins to read while the command still loads what will measure them.

To load a command takes one core some tenths of a second. Where there is a second one, a copy of the command goes over
the dump meanwhile, as `LineSource` does: for its digest, and for where it is cut into shards. What it finds goes
through a pipe, shard by shard. Should it end early, for whatever reason, the command reads the dump by itself: shards,
digest and messages are the same.

Shards that several processes measure become smaller towards the end, so that none of them works long after the others.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from struct import Struct

from calipers.core.errors import InputError
from calipers.engines.forked import ForkedProcess, may_fork
from calipers.files.lines import LineSource, Shard
from calipers.files.places import is_remote

CUT = Struct(
    "<QQ32s"
)  # bytes of a shard, the number of its first line, the digest up to its end; without bytes the end
LAST = 4  # a shard has at most one part in so many of what is left of the dump, and at least of a chunk


class _CuttingProcess:
    """A process that reads a dump, and the end of the pipe to which it sends what it finds."""

    def __init__(self, path: str, chunk_bytes: int) -> None:
        self.path, self.chunk_bytes = path, chunk_bytes
        self._handle, theirs = os.pipe()
        send_cuts = partial(_send_cuts, path=path, chunk_bytes=chunk_bytes)
        try:
            self._process = ForkedProcess(theirs, send_cuts)
        except BaseException:
            os.close(self._handle)
            raise
        finally:
            os.close(theirs)

    def receive(self, size: int) -> bytes:
        """So many bytes; fewer if the process has ended before."""
        message = b""
        while len(message) < size and (piece := os.read(self._handle, size - len(message))):
            message += piece
        return message

    def end(self) -> None:
        """End the process, if it has not ended."""
        os.close(self._handle)
        self._process.kill()
        self._process.wait()


def _send_cuts(handle: int, parent: int, *, path: str, chunk_bytes: int) -> None:
    """Run in the child: cut the dump and send the cuts. Ends by itself when nobody reads the pipe any more."""
    source = SourceAhead(0, path, chunk_bytes)
    if source.is_plain():
        for shard in source:
            os.write(handle, CUT.pack(shard.size, shard.first_line, bytes.fromhex(shard.digest)))
        os.write(handle, CUT.pack(0, 0, bytes.fromhex(source.sha256)))


_begun: list[_CuttingProcess] = []  # one at most, which nobody has asked for yet


def begin(path: str, chunk_bytes: int) -> None:
    """Start a process that reads a dump ahead, where this process may be forked."""
    if not _begun and not is_remote(path) and may_fork():
        with suppress(OSError):  # no more processes or files
            _begun.append(_CuttingProcess(path, chunk_bytes))


def end_begun() -> None:
    """End the process that reads a dump which this command does not read."""
    while _begun:
        _begun.pop().end()


def _take(path: str, chunk_bytes: int) -> _CuttingProcess | None:
    """The process that reads this dump, cut as it is wanted, if there is one. One that reads it otherwise is ended."""
    if not _begun or _begun[0].path != path:
        return None
    reader = _begun.pop()
    if reader.chunk_bytes == chunk_bytes:
        return reader
    reader.end()
    return None


class SourceAhead(LineSource):
    """An input that another process may have begun to read."""

    _reader: _CuttingProcess | None = None
    _known_sha256 = ""

    def __iter__(self) -> Iterator[Shard]:
        chunk_bytes = 0 if self._holds_lines else self.chunk_bytes  # nobody cuts shards that hold their lines
        self._reader = _take(self.path, chunk_bytes)
        return super().__iter__()

    @property
    def sha256(self) -> str:
        """The SHA-256 of all bytes read so far."""
        return self._known_sha256 or super().sha256

    def shard_bytes(self, start: int) -> int:
        """As many as a chunk; of the first shard half as many, so that of two processes one ends while one measures.

        Towards the end they become fewer. Another run finds the same shards in a dump that has grown, but for those.
        """
        if self._holds_lines and not self._repeatable:  # one process measures all of them
            return self.chunk_bytes
        if not start:
            return -(-self.chunk_bytes // 2)
        if not self.size:
            return self.chunk_bytes
        return max(min(self.chunk_bytes, (self.size - start) // LAST), self.chunk_bytes // LAST, 1)

    def block_bytes(self) -> int:
        """No more than the smallest shard has."""
        return min(super().block_bytes(), max(1, self.chunk_bytes // LAST))

    def _ranges(self) -> Iterator[Shard]:
        if self._reader is not None:
            try:
                yield from self._received(self._reader)
            finally:
                self._reader.end()
        if not self._known_sha256:
            received, self.bytes_read = self.bytes_read, 0
            yield from self._ranges_from(received)

    def _ranges_from(self, start: int) -> Iterator[Shard]:
        """Cut the dump from its beginning, as its digest needs all of it, and leave out what is before `start`."""
        for shard in super()._ranges():
            if shard.offset >= start:
                yield shard
            elif shard.offset + shard.size > start:  # sizes of shards depend on that of the dump
                raise InputError(f"{self.path}: was changed while it was read")

    def _received(self, reader: _CuttingProcess) -> Iterator[Shard]:
        """Shards as they come; behind the last of them the digest is known, unless the process has ended early."""
        while len(message := reader.receive(CUT.size)) == CUT.size:
            size, line, digest = CUT.unpack(message)
            if not size:
                self._known_sha256 = digest.hex()
                return
            shard = Shard(self.index, self.path, line, size, offset=self.bytes_read, digest=digest.hex())
            self.bytes_read += size
            yield shard
