"""Mutations of bytes: cut, flipped, spliced, of another encoding; and compression, whose streams are mutated too."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from random import Random

import zstandard

BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
BLANKS = 24 << 20  # which take a few kilobytes as they are stored
INSERTED = (
    b"\x00",
    b"\xff",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xe2\x82",
    b"\n",
    b"\r",
    b"\r\n",
    b"\x0b",
    b"\x1a",
    b'"',
    b"\\",
    b",",
    b"[",
    b"{",
    b"}",
    b"]",
    b" ",
    b"\t",
    b"<",
    b"&",
    b"9" * 30,
    b"\xf4\x90\x80\x80",
    b"\xc2\x85",
)


def mutate(data: bytes, rng: Random, times: int) -> bytes:
    """The bytes, changed in some places."""
    for _ in range(times):
        data = rng.choice(MUTATIONS)(data, rng)
    return data


def compress(data: bytes, kind: str, rng: Random) -> bytes:
    """As a file that ends in .gz or .zst would hold it; maybe in several members, or with many blanks at the end."""
    if kind and rng.random() < 0.01:
        data += b" " * BLANKS
    if kind == "gz":
        cut = rng.randint(0, len(data)) if rng.random() < 0.2 else len(data)
        parts = [part for part in (data[:cut], data[cut:]) if part] or [b""]
        return b"".join(gzip.compress(part, rng.choice((0, 1, 9)), mtime=0) for part in parts)
    if kind == "zst":
        frame = zstandard.ZstdCompressor(level=1, write_content_size=rng.random() < 0.7, write_checksum=True)
        return frame.compress(data) + (frame.compress(b"") if rng.random() < 0.1 else b"")
    return data


def _at(data: bytes, rng: Random) -> int:
    return rng.randint(0, len(data))


def _cut(data: bytes, rng: Random) -> bytes:
    return data[: _at(data, rng)]


def _behead(data: bytes, rng: Random) -> bytes:
    return data[_at(data, rng) :]


def _flip(data: bytes, rng: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 4))):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _insert(data: bytes, rng: Random) -> bytes:
    at = _at(data, rng)
    return data[:at] + rng.choice(INSERTED) + data[at:]


def _drop(data: bytes, rng: Random) -> bytes:
    at = _at(data, rng)
    return data[:at] + data[at + rng.choice((1, 2, 7)) :]


def _repeat(data: bytes, rng: Random) -> bytes:
    first, last = sorted((_at(data, rng), _at(data, rng)))
    return data[:last] + data[first:last][:2000] + data[last:]


def _splice(data: bytes, rng: Random) -> bytes:
    """A part from elsewhere in the same bytes."""
    at, source = _at(data, rng), _at(data, rng)
    part = data[source : source + rng.choice((3, 20, 100))]
    return data[:at] + part + data[at + len(part) :]


def _mark(data: bytes, rng: Random) -> bytes:
    return rng.choice(BOMS) + data


def _breaks(data: bytes, rng: Random) -> bytes:
    return data.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b"\n \n", b"")))


def _recode(data: bytes, rng: Random) -> bytes:
    return data.decode("utf-8", "replace").encode(rng.choice(("utf-16", "utf-32", "latin-1", "utf-7")), "replace")


def _tail(data: bytes, rng: Random) -> bytes:
    return data + rng.choice((b"\x00" * 8, b"garbage", b"\n\n\n", b" ", data[:50], b"\x1a", b"\xff" * 3))


def _deflate(data: bytes, rng: Random) -> bytes:
    return zlib.compress(data) if rng.random() < 0.5 else gzip.compress(data, mtime=0)


MUTATIONS: list[Callable[[bytes, Random], bytes]] = [
    _cut,
    _behead,
    _flip,
    _flip,
    _insert,
    _insert,
    _drop,
    _repeat,
    _splice,
    _mark,
    _breaks,
    _recode,
    _tail,
    _deflate,
]
