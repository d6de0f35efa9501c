"""Compressed input as the bytes it holds: gzip, zstandard, or neither."""

from __future__ import annotations

import gzip
from io import BufferedReader, RawIOBase
from typing import IO, Any

import zstandard

BLOCK = 1 << 18  # bytes that are read at a time
ZSTANDARD_PIECE = 1 << 11
GZIP, ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


def decoded(stored: Any, path: str) -> IO[bytes]:
    """Compressed input is known by its name or by its first bytes."""
    first = stored.peek(4)[:4]
    if path.endswith(".gz") or first.startswith(GZIP):
        return gzip.GzipFile(fileobj=stored)  # type: ignore[return-value]
    if path.endswith(".zst") or first.startswith(ZSTANDARD):
        return BufferedReader(_Zstandard(stored), BLOCK)
    return stored  # type: ignore[no-any-return]


class _Zstandard(RawIOBase):
    """What zstandard frames hold. Input goes in by small pieces, so that what comes out stays small as well."""

    def __init__(self, stored: IO[bytes]) -> None:
        self._stored, self._left, self._begun = stored, memoryview(b""), False
        self._frame = self._new_frame()

    def _new_frame(self) -> Any:
        return zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._left:
            piece = self._stored.read(ZSTANDARD_PIECE)
            if not piece:
                if self._begun:
                    raise EOFError("the last frame is cut off")
                return 0
            self._left = memoryview(self._decompress(piece))  # what is left of it is never copied
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count

    def _decompress(self, piece: bytes) -> bytes:
        result = b""
        while piece:
            self._begun = True
            result += self._frame.decompress(piece)
            piece = b""
            if self._frame.eof:
                piece, self._frame, self._begun = self._frame.unused_data, self._new_frame(), False
        return result
