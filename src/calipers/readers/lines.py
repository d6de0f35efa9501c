"""Files of lines, cut into shards at line breaks.

A shard is some megabytes of whole lines with the number of the first one, so that one large file is measured in parts,
by several processes, and every error still names its line. Plain files, gzip (`.gz`), zstandard (`.zst`) and standard
input (`-`) are read alike, in pieces, whatever their size; a line may have at most 64 MiB.

The SHA-256 is of the bytes as stored. A shard of a plain file travels to another process as a byte range.
"""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Iterator
from hashlib import sha256
from io import BufferedReader, RawIOBase
from typing import IO, Any

import zstandard

from calipers.errors import InputError

LONGEST_LINE = 64 << 20
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Shard:
    """Whole lines of one input. `problem` stands in for a line that is too long to be read."""

    __slots__ = ("_data", "first_line", "offset", "path", "problem", "size", "source")

    def __init__(
        self, source: int, path: str, first_line: int, data: bytes, *, offset: int | None = None, problem: str = ""
    ) -> None:
        self.source, self.path, self.first_line, self.problem = source, path, first_line, problem
        self._data: bytes | None = data
        self.size = len(data)
        self.offset = offset  # in the file as stored, if its bytes can be read again from there

    @property
    def data(self) -> bytes:
        """The lines."""
        if self._data is None:
            self._data = _read_range(self.path, self.offset or 0, self.size)
        return self._data

    def __getstate__(self) -> dict[str, Any]:
        state = {name: getattr(self, name) for name in self.__slots__}
        if self.offset is not None:
            state["_data"] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)


class Source:
    """One input. Iterating yields its shards; afterwards `sha256` is known."""

    def __init__(self, index: int, path: str, chunk_bytes: int) -> None:
        self.index, self.path, self.chunk_bytes = index, path, chunk_bytes
        self.bytes_read = 0
        self._digest = sha256()

    @property
    def size(self) -> int:
        """Bytes as stored, 0 if nobody knows."""
        return 0 if self.path == "-" else os.path.getsize(self.path)

    @property
    def sha256(self) -> str:
        """Of everything read so far."""
        return self._digest.hexdigest()

    def __iter__(self) -> Iterator[Shard]:
        plain = self.path != "-" and not self.path.endswith((".gz", ".zst"))
        try:
            with self._open() as stored:
                yield from self._cut(_decoded(stored, self.path), plain)
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read: {error.strerror or error}") from error
        except (EOFError, zlib.error, zstandard.ZstdError) as error:
            raise InputError(f"{self.path}: cannot be decompressed: {error}") from error

    def _open(self) -> IO[bytes]:
        raw: Any = sys.stdin.buffer if self.path == "-" else open(self.path, "rb", buffering=0)  # noqa: SIM115
        return BufferedReader(_Counted(raw, self), 1 << 18)

    def seen(self, piece: memoryview) -> None:
        """Bytes went by."""
        self._digest.update(piece)
        self.bytes_read += len(piece)

    def _cut(self, stream: IO[bytes], plain: bool) -> Iterator[Shard]:
        line, offset = 1, 0
        while data := stream.read(self.chunk_bytes):
            if not data.endswith(b"\n"):
                data += stream.readline(LONGEST_LINE)
            whole, line_start = data, data.rfind(b"\n") + 1
            if len(data) - line_start >= LONGEST_LINE:
                whole = data[:line_start]
            if whole:
                yield from self._whole(whole, line, offset, plain)
            line, offset = line + whole.count(b"\n"), offset + len(whole)
            if whole is not data:
                yield self._too_long(line)
                line, offset = line + 1, offset + len(data) - len(whole) + _skip_line(stream)

    def _whole(self, data: bytes, line: int, offset: int, plain: bool) -> Iterator[Shard]:
        if line == 1 and data.startswith(BYTE_ORDER_MARK):
            data, offset = data[3:], offset + 3
        yield Shard(self.index, self.path, line, data, offset=offset if plain else None)

    def _too_long(self, line: int) -> Shard:
        return Shard(self.index, self.path, line, b"", problem=f"the line is longer than {LONGEST_LINE >> 20} MiB")


class _Counted(RawIOBase):
    """Passes bytes on and tells the source about them."""

    def __init__(self, raw: Any, source: Source) -> None:
        self._raw, self._source = raw, source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count: int = self._raw.readinto(buffer)
        self._source.seen(memoryview(buffer)[:count])
        return count

    def close(self) -> None:
        if self._raw is not sys.stdin.buffer:
            self._raw.close()
        super().close()


def _decoded(stored: IO[bytes], path: str) -> IO[bytes]:
    if path.endswith(".gz"):
        return gzip.GzipFile(fileobj=stored)  # type: ignore[return-value]
    if path.endswith(".zst"):
        reader = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(stored, read_across_frames=True)
        return BufferedReader(reader, 1 << 18)
    return stored


def _skip_line(stream: IO[bytes]) -> int:
    """Read to the end of the line. Returns how many bytes that were."""
    length = 0
    while piece := stream.readline(1 << 20):
        length += len(piece)
        if piece.endswith(b"\n"):
            break
    return length


def _read_range(path: str, offset: int, size: int) -> bytes:
    try:
        with open(path, "rb") as file:
            file.seek(offset)
            return file.read(size)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
