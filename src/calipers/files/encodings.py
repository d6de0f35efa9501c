"""Text in other encodings than UTF-8: what it may be, and the command that converts it."""

from __future__ import annotations

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
