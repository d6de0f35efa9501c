"""Width and height of an image from the first bytes of its file: PNG, JPEG, GIF, BMP and WebP.

The size is that of the pixels as they are stored. A rotation that a camera notes beside them (EXIF) is not applied:
boxes are drawn on what is stored, or their tool has turned the pixels too. The content tells the format, whatever the
file is called, and no more than the header is read.
"""

from __future__ import annotations

from struct import unpack_from
from typing import BinaryIO, NamedTuple

from calipers.core.errors import InputError

HEADER = 32  # bytes; of all formats but JPEG they hold the size
MAX_SEGMENTS = 10_000  # of a JPEG before its frame; pictures have a few dozen
LONGEST_FILLING = 100_000  # bytes before a marker
EXPECTED = "a PNG, JPEG, GIF, BMP or WebP"

_FRAMES = {0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF}  # markers SOF0 to SOF15
_ALONE = {0x01, *range(0xD0, 0xD9)}  # markers without a length


class ImageSize(NamedTuple):
    """Width and height of an image in pixels."""

    width: int
    height: int


def image_size(path: str) -> ImageSize:
    """The size of the image in a file, or an error that says why there is none."""
    try:
        with open(path, "rb", buffering=4096) as file:
            size = _read_size(file)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    if not size.width or not size.height:
        raise InputError(f"{path}: found an image of {size.width} x {size.height} pixels, expected at least 1 x 1")
    return size


def _read_size(file: BinaryIO) -> ImageSize:
    head = file.read(HEADER)
    if head.startswith(b"\xff\xd8\xff"):
        file.seek(2)
        return _jpeg(file)
    if len(head) < 26:
        raise InputError(f"found {len(head)} bytes, expected {EXPECTED}")
    if head.startswith(b"\x89PNG\r\n\x1a\n") and head[12:16] == b"IHDR":
        return ImageSize(*unpack_from(">II", head, 16))
    if head.startswith((b"GIF87a", b"GIF89a")):
        return ImageSize(*unpack_from("<HH", head, 6))
    if head.startswith(b"BM"):
        return _bmp(head)
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return _webp(head)
    raise InputError(f"the file begins with {head[:8]!r}, expected {EXPECTED}")


def _bmp(head: bytes) -> ImageSize:
    """The size in a BMP header; a negative height means that rows run downwards."""
    if unpack_from("<I", head, 14)[0] == 12:  # the oldest header has short numbers
        return ImageSize(*unpack_from("<HH", head, 18))
    width, height = unpack_from("<ii", head, 18)
    if width < 0:
        raise InputError(f"found a BMP of width {width}, expected a positive one")
    return ImageSize(width, abs(height))


def _webp(head: bytes) -> ImageSize:
    kind = head[12:16]
    if len(head) >= 30:
        if kind == b"VP8 " and head[23:26] == b"\x9d\x01\x2a":
            width, height = unpack_from("<HH", head, 26)
            return ImageSize(width & 0x3FFF, height & 0x3FFF)
        if kind == b"VP8X":
            return ImageSize(int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1)
    if kind == b"VP8L" and head[20] == 0x2F:
        bits = unpack_from("<I", head, 21)[0]
        return ImageSize((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    raise InputError(f"found a WebP with {kind!r}, expected VP8, VP8L or VP8X")


def _jpeg(file: BinaryIO) -> ImageSize:
    """The size in the frame header, which stands after any number of other segments."""
    for _ in range(MAX_SEGMENTS):
        marker = _next_marker(file)
        if marker in _ALONE:
            continue
        if marker in (0xD9, 0xDA):  # the end, or pixels before any frame
            break
        length = _exactly(file, 2)
        if marker in _FRAMES:
            height, width = unpack_from(">HH", _exactly(file, 5), 1)
            return ImageSize(width, height)
        file.seek(max(int.from_bytes(length, "big") - 2, 0), 1)
    raise InputError("found a JPEG without a frame header, which holds its size")


def _next_marker(file: BinaryIO) -> int:
    if _exactly(file, 1) != b"\xff":
        raise InputError("found a JPEG that is broken before its frame header, which holds its size")
    for _ in range(LONGEST_FILLING):
        [marker] = _exactly(file, 1)
        if marker != 0xFF:  # any number of these may fill the room before a marker
            return marker
    raise InputError("found a JPEG without a frame header, which holds its size")


def _exactly(file: BinaryIO, count: int) -> bytes:
    data = file.read(count)
    if len(data) < count:
        raise InputError("found a JPEG that stops before its frame header, which holds its size")
    return data
