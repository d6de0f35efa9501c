"""Text in UTF-8, and what bytes in another encoding may be, with the command that converts them."""

from __future__ import annotations

from calipers.core.errors import InputError

UTF16 = (b"\xff\xfe", b"\xfe\xff")  # byte order marks
FEW = 1 << 16  # bytes that are looked at


def encoding_hint(data: bytes) -> str:
    """How to convert bytes that are not UTF-8, in parentheses, if it can be told what they are.

    >>> encoding_hint("[1]".encode("utf-16")), encoding_hint("\u7c7b\u522b=\u6807\u7b7e".encode("gbk"))[:22]
    (' (is it UTF-16? iconv -f UTF-16 -t UTF-8 FILE > NEW)', ' (is it GBK? iconv -f ')
    >>> encoding_hint("[1]".encode("utf-16-le"))
    ' (is it UTF-16? iconv -f UTF-16LE -t UTF-8 FILE > NEW, or UTF-16BE)'
    >>> encoding_hint(bytes([0xff]))
    ''
    """
    if data.startswith(UTF16):
        return " (is it UTF-16? iconv -f UTF-16 -t UTF-8 FILE > NEW)"
    if has_zeros(data):
        return " (is it UTF-16? iconv -f UTF-16LE -t UTF-8 FILE > NEW, or UTF-16BE)"
    try:
        data[:FEW].decode("gb18030")
    except UnicodeDecodeError as error:
        if error.end < min(len(data), FEW):  # but for a character that is cut off there
            return ""
        if error.start == 0:
            return ""
    return " (is it GBK? iconv -f GB18030 -t UTF-8 FILE > NEW)"


def has_zeros(data: bytes) -> bool:
    """Whether so many bytes are 0 as in UTF-16, where every Latin letter has one; such bytes may still be UTF-8."""
    return 4 * data[:FEW].count(0) >= len(data[:FEW]) > 0


def decoded(data: bytes, name: str) -> str:
    """The text of a file in UTF-8, with or without a byte order mark; InputError names the first byte that is not.

    >>> decoded(b"\\xef\\xbb\\xbfa", "a.csv")
    'a'
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"found byte 0x{data[error.start]:02x} at position {error.start}"
        raise InputError(f"{name}: {problem}, expected text in UTF-8{encoding_hint(data)}") from None
