"""Files of lines, cut into shards at line breaks.

A shard is some megabytes of whole lines with the number of the first one, so that one large file is measured in parts,
by several processes, and every error still names its line. Of a plain file a shard is only a byte range. Compressed
files (gzip, zstandard) and standard input (`-`) can be read only once, so their shards carry the lines themselves.

Whatever the size of the input, little of it is in memory at a time: a line may have at most 64 MiB. The SHA-256 is of
the bytes as stored.
"""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Callable, Generator, Iterator
from functools import cached_property
from hashlib import sha256
from io import SEEK_END, BufferedReader, BytesIO, RawIOBase
from typing import IO, Any

import zstandard

from calipers.core.errors import InputError, keyword
from calipers.files.compressed import BLOCK, GZIP, ZSTANDARD, decoded
from calipers.files.places import is_file, is_remote, open_place, size_of
from calipers.kernels.scan.jsontext import count_breaks

LONGEST_LINE = 64 << 20
READ_AT_ONCE = 16 << 20  # bytes of a longer shard, in whole lines
MAX_EXPANSION = 100  # times its size that compressed input may have
ALWAYS_ALLOWED = 64 << 20  # bytes of it that are read whatever its size
NOT_BLANK = re.compile(rb"\S")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
TakeLines = Callable[[bytes, int, int], tuple[int, int]]


class Shard:
    """Whole lines of one input: `size` bytes from `offset` on, or `data`."""

    __slots__ = ("data", "digest", "first_line", "in_file", "number", "offset", "path", "size", "source")

    def __init__(
        self,
        source: int,
        path: str,
        first_line: int,
        size: int,
        *,
        offset: int = 0,
        data: bytes | None = None,
        digest: str = "",
        in_file: bool = False,
    ) -> None:
        self.source, self.path, self.first_line, self.size = source, path, first_line, size
        self.offset, self.data, self.in_file = offset, data, in_file  # whether `data` can be read from the file again
        self.digest = digest  # of the input up to the end of the shard, where it is known
        self.number = -1  # its place among all shards of a run

    def __str__(self) -> str:
        return f"{self.path}: {self.size} bytes from line {self.first_line} on"

    @property
    def is_piece(self) -> bool:
        """Whether it is of a stream, and its size not that of the bytes as stored."""
        return self.data is not None and not self.in_file

    def with_next(self, later: Shard) -> Shard:
        """A byte range together with the one that follows it."""
        size = self.size + later.size
        return Shard(self.source, self.path, self.first_line, size, offset=self.offset, digest=later.digest)

    def lines(self, take: TakeLines | None = None) -> Iterator[tuple[int, bytes | None]]:
        """Each line that is not blank, with its number; None for one that is too long.

        `take` may read lines by itself, many at a time: it is given a block of lines, where one of them begins and its
        number, and returns where those end that it has read, and how many. They are not among the others then.
        """
        with reading(self.path):
            if self.size > LONGEST_LINE:
                yield from self._lines_one_by_one()
                return
            left, number = self.size, self.first_line
            for block in self._blocks():
                number = yield from self._lines_in(block, number, take)
                left -= len(block)
            if left:
                raise cut_short(self.path, left)

    def _blocks(self) -> Iterator[bytes]:
        """Whole lines, some megabytes at a time: much memory would come from the system, and go back, each time."""
        if self.data is not None:
            block, self.data = self.data, None if self.in_file else self.data
            yield block
            return
        with self._open() as file:
            begin, end = self.offset, self.offset + self.size
            while begin < end and (block := file.read(self._end_of_block(file, begin, end) - begin)):
                begin += len(block)
                yield block

    def _end_of_block(self, file: IO[bytes], begin: int, end: int) -> int:
        """Behind the last line break among the next bytes, or the end of the shard. Leaves the file at `begin`."""
        stop = begin + READ_AT_ONCE
        if stop >= end or is_remote(self.path):
            return end
        cut = 0
        while stop > begin and not cut:
            start = max(begin, stop - BLOCK)
            file.seek(start)
            cut = file.read(stop - start).rfind(b"\n") + 1
            stop = start
        file.seek(begin)
        return stop + cut if cut else end

    def _lines_in(self, block: bytes, number: int, take: TakeLines | None) -> Generator[tuple[int, bytes], None, int]:
        """The lines of a block, the first of which has this number. Returns the number of the line behind them."""
        at = 0
        if number == 1 and block.startswith(BYTE_ORDER_MARK):
            at = len(BYTE_ORDER_MARK)
        while at < len(block):
            if take:
                at, count = take(block, at, number)
                number += count
                if at == len(block):
                    break
            end = block.find(b"\n", at) + 1 or len(block)
            text = block[at:end]
            if text.isspace():
                match = NOT_BLANK.search(block, end)
                begun = len(block) if match is None else block.rfind(b"\n", end, match.start()) + 1 or end
                number += block.count(b"\n", end, begun)
                end = begun
            else:
                yield number, text
            number += 1
            at = end
        return number

    def _lines_one_by_one(self) -> Iterator[tuple[int, bytes | None]]:
        with self._open() as file:
            left, number = self.size, self.first_line
            if number == 1 and file.read(len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK:
                left -= len(BYTE_ORDER_MARK)
            elif number == 1:
                file.seek(self.offset)
            while left > 0 and (text := file.readline(LONGEST_LINE + 1)):
                left -= len(text)
                if len(text) > LONGEST_LINE and not text.endswith(b"\n"):
                    left -= skip_line(file)
                    yield number, None
                elif text.isspace():
                    blank, size = self._skip_blank(file)
                    number, left = number + blank, left - size
                else:
                    yield number, text
                number += 1
            if left > 0:
                raise cut_short(self.path, left)

    def _skip_blank(self, file: IO[bytes]) -> tuple[int, int]:
        """Go on to the next line that is not blank, of lines in memory. Returns how many lines and bytes that was."""
        if self.data is None:
            return 0, 0
        place = file.tell()
        match = NOT_BLANK.search(self.data, place)
        begun = len(self.data) if match is None else self.data.rfind(b"\n", place, match.start()) + 1 or place
        file.seek(begun)
        return self.data.count(b"\n", place, begun), begun - place

    def _open(self) -> IO[bytes]:
        if self.data is not None:
            return BytesIO(self.data)
        file = open_place(self.path, BLOCK)
        file.seek(self.offset)
        return file


def cut_short(path: str, left: int) -> InputError:
    """The error of a file that ends before its lines do."""
    return InputError(f"{path}: ends {left} bytes early: it was changed while it was read")


class LineSource:
    """One input. Iterating yields its shards; afterwards `sha256` is known.

    A shard is known by the SHA-256 of everything up to its end, which the digest of a plain file passes on its way.
    """

    def __init__(
        self,
        index: int,
        path: str,
        chunk_bytes: int,
        *,
        repeatable: bool = False,
        max_expansion: int = MAX_EXPANSION,
        holds_lines: bool = False,
    ) -> None:
        self.index, self.path, self.chunk_bytes = index, path, chunk_bytes
        self._repeatable = repeatable  # another run has to find the same shards, with the same digests
        self._holds_lines = holds_lines  # shards are measured in this process, and carry lines also of plain files
        self._max_expansion, self._expanded = max_expansion, 0
        self.bytes_read, self._digest = 0, sha256()

    @cached_property
    def size(self) -> int:
        """Size in bytes as stored; 0 if it is not known."""
        return size_of(self.path)

    @property
    def sha256(self) -> str:
        """The SHA-256 of all bytes read so far."""
        return self._digest.hexdigest()

    def __iter__(self) -> Iterator[Shard]:
        with reading(self.path):
            if not self.is_plain():
                yield from self._pieces()
            elif self._holds_lines and not is_remote(self.path):
                yield from self._held_ranges()
            else:
                yield from self._ranges()

    def is_plain(self) -> bool:
        """Whether it is a file that can be read in any place."""
        if self.path == "-" or self.path.endswith((".gz", ".zst")) or not is_file(self.path):
            return False
        with reading(self.path), open_place(self.path) as file:
            return not file.read(4).startswith((GZIP, ZSTANDARD))

    def seen(self, piece: memoryview) -> None:
        """Add bytes that were read to the digest."""
        self._digest.update(piece)
        self.bytes_read += len(piece)

    def _ranges(self) -> Iterator[Shard]:
        """Cut a plain file where a line ends, once there is enough."""
        block = bytearray(self.block_bytes())
        view = memoryview(block)
        line, start, position, breaks = 1, 0, 0, 0
        with open_place(self.path) as file:
            while count := file.readinto(block):  # type: ignore[attr-defined]
                position += count
                if position - start >= self.shard_bytes(start) and (cut := block.rfind(b"\n", 0, count) + 1):
                    end = position - count + cut
                    self.seen(view[:cut])
                    yield Shard(self.index, self.path, line, end - start, offset=start, digest=self.sha256)
                    line += breaks + count_breaks(block, 0, cut)
                    start, breaks = end, count_breaks(block, cut, count)
                    self.seen(view[cut:count])
                else:
                    breaks += count_breaks(block, 0, count)
                    self.seen(view[:count])
        if position > start:
            yield Shard(self.index, self.path, line, position - start, offset=start, digest=self.sha256)

    def shard_bytes(self, start: int) -> int:
        """The least size of the shard that begins at `start`; its last line is added whole."""
        return self.chunk_bytes

    def block_bytes(self) -> int:
        """Bytes that are read at a time to find where a shard ends: no shard is smaller."""
        return min(BLOCK, self.chunk_bytes)

    def _held_ranges(self) -> Iterator[Shard]:
        """Cut a plain file as `_ranges` does, into shards that hold their lines: these are read once."""
        line, start = 1, 0
        with open_place(self.path, BLOCK) as file:
            while size := self._find_cut(file, start) - start:
                file.seek(start)
                shard, breaks = self._held_range(file, line, start, size)
                yield shard
                line, start = line + breaks, start + size

    def _find_cut(self, file: IO[bytes], start: int) -> int:
        """Where the shard that begins at `start` ends: behind a line of the block in which it is long enough."""
        step, enough = self.block_bytes(), self.shard_bytes(start)
        end = -(-(start + enough) // step) * step
        while True:
            file.seek(end - step)
            block = file.read(step)
            end += len(block) - step
            if end - start >= enough and (cut := block.rfind(b"\n") + 1):
                return end - len(block) + cut
            if len(block) < step:
                return file.seek(0, SEEK_END)
            end += step

    def _held_range(self, file: IO[bytes], line: int, start: int, size: int) -> tuple[Shard, int]:
        """A shard with its lines, unless it is too long to be held, and how many lines these are."""
        left, breaks, data = size, 0, b""
        while left:
            data = file.read(min(left, LONGEST_LINE))
            if not data:
                raise cut_short(self.path, left)
            self.seen(memoryview(data))
            breaks += count_breaks(data, 0, len(data))
            left -= len(data)
        held = data if len(data) == size else None
        shard = Shard(self.index, self.path, line, size, offset=start, data=held, digest=self.sha256, in_file=True)
        return shard, breaks

    def _pieces(self) -> Iterator[Shard]:
        """Read a stream some lines at a time; of a line that is too long only the beginning is kept."""
        line, expanded = 1, sha256() if self._repeatable else None
        with BufferedReader(_Watched(self), BLOCK) as stored:
            stream = decoded(stored, self.path)
            while data := stream.read(self.chunk_bytes):
                self._check_expansion(len(data))
                if not data.endswith(b"\n"):
                    tail = stream.readline(LONGEST_LINE + 1)
                    if len(tail) > LONGEST_LINE and not tail.endswith(b"\n"):
                        skip_line(stream)
                        tail += b"\n"
                    data += tail
                if expanded is not None:
                    expanded.update(data)
                digest = expanded.hexdigest() if expanded is not None else ""
                yield Shard(self.index, self.path, line, len(data), data=data, digest=digest)
                line += data.count(b"\n")

    def _check_expansion(self, size: int) -> None:
        """Refuse a small file that holds far more than any record would."""
        self._expanded += size
        if self._expanded > max(ALWAYS_ALLOWED, self._max_expansion * self.bytes_read):
            raise InputError(
                f"{self.path}: found {self._expanded} bytes compressed to {self.bytes_read}, expected at most"
                f" {self._max_expansion} times as many ({keyword('max_expansion', 'N')} allows more)"
            )


class _Watched(RawIOBase):
    """A stream of the input's bytes as stored, which are added to the digest of the source."""

    def __init__(self, source: LineSource) -> None:
        self._source = source
        if source.path == "-" and sys.stdin is None:
            raise InputError("-: cannot be read: standard input is closed")
        self._raw: Any = sys.stdin.buffer if source.path == "-" else open_place(source.path)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count: int = self._raw.readinto(buffer)
        self._source.seen(memoryview(buffer)[:count])
        return count

    def close(self) -> None:
        if self._source.path != "-":
            self._raw.close()
        super().close()


class reading:  # noqa: N801  reads like a word: with reading(path)
    """Turns errors that occur while a file is read into an InputError that names the file."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            raise InputError(f"{self._path}: cannot be read: {error.strerror or error}") from error
        if isinstance(error, (EOFError, zlib.error, zstandard.ZstdError)):
            raise InputError(f"{self._path}: cannot be decompressed: {error}") from error


def skip_line(stream: IO[bytes]) -> int:
    """Read to the end of the line. Returns how many bytes that were."""
    length = 0
    while piece := stream.readline(1 << 20):
        length += len(piece)
        if piece.endswith(b"\n"):
            break
    return length
