"""PNG files of drawings.

Rows of pixels are compressed as they are. Encoders of photographs try for each row what it differs least from, which
takes longer than all the rest, and makes most pictures of letters and flat colours larger.
"""

from __future__ import annotations

from struct import pack
from zlib import compress, crc32

COMPRESSION = 3  # more takes twice as long and saves a tenth
COLOURS = {3: 2, 4: 6}  # channels: their number in the format
INCH_M = 0.0254


def png_of(pixels: bytes, width: int, height: int, dpi: float, title: str) -> bytes:
    """The file of an image with 3 or 4 channels of one byte, which says its resolution and its title."""
    row = len(pixels) // height
    header = pack(">IIBBBBB", width, height, 8, COLOURS[row // width], 0, 0, 0)
    per_metre = round(dpi / INCH_M)
    rows = b"".join([b"\0" + pixels[at : at + row] for at in range(0, len(pixels), row)])  # 0: as they are
    chunks = [
        _chunk(b"IHDR", header),
        _chunk(b"pHYs", pack(">IIB", per_metre, per_metre, 1)),
        _chunk(b"iTXt", b"Title\0\0\0\0\0" + title.encode()),
        _chunk(b"IDAT", compress(rows, COMPRESSION)),
        _chunk(b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return pack(">I", len(content)) + kind + content + pack(">I", crc32(kind + content))
