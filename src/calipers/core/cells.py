"""Columns of numbers and texts as the cells of a file, a whole column at a time instead of a value at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import orjson

from calipers.kernels.scan.weave import Cells, comma_offsets, weave

Part = bytes | Cells  # of a row: its cell of a column, or bytes that stand in every row
NULL = b"null"
SMALLEST_PLAIN, LARGEST_PLAIN = 1e-4, 1e16  # what lies beyond Python writes with an exponent, JSON partly without


def joined(parts: list[Part], count: int) -> bytes:
    r"""Rows one after another, each of them its cells in order and the bytes that stand between them.

    >>> joined([json_numbers(np.array([1, 2])), b",", CellTexts([b"a", b"b"]).cells(np.array([1, 0])), b"\n"], 2)
    b'1,b\n2,a\n'
    """
    return weave(parts, count)[0]


class RowTexts:
    """A text for each row, made of its cells and the bytes that stand between them.

    >>> texts = RowTexts([b"<", json_numbers(np.array([1, 2, 3])), b">"], 3)
    >>> texts.between(1, 3), joined([b"-", texts.cells(np.array([True, False, True]), b"0")], 3)
    (b'<2><3>', b'-<1>-0-<3>')
    """

    def __init__(self, parts: list[Part], count: int) -> None:
        self._text, self._begins = weave(parts, count)

    def between(self, first: int, last: int) -> bytes:
        """The texts from a row to before another one."""
        return self._text[self._begins[first] : self._begins[last]]

    def cells(self, known: Any, nothing: bytes) -> Cells:
        """The texts as cells, where a row is known; others say nothing."""
        return Cells(self._text, self._begins, codes=_known_rows(known), nothing=nothing)


class CellTexts:
    """Texts that codes stand for."""

    def __init__(self, texts: Sequence[bytes]) -> None:
        self._text = b"".join(texts)
        self._offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)

    def cells(self, codes: Any) -> Cells:
        """The text of each code."""
        return Cells(self._text, self._offsets, codes=np.ascontiguousarray(codes, np.int32))


def json_numbers(values: Any, known: Any = None) -> Cells:
    """Numbers as JSON has them; NaN is null, and so is what is not known.

    >>> joined([json_numbers(np.array([1.0, np.nan, 1e-7])), b" "], 3)
    b'1.0 null 1e-7 '
    >>> joined([json_numbers(np.array([7, -1]), np.array([True, False])), b" "], 2)
    b'7 null '
    """
    text = _written(values)
    codes = None if known is None else _known_rows(known)
    return Cells(text, comma_offsets(text, len(values)), 1, codes, NULL)


def csv_numbers(values: Any, known: Any = None) -> Cells:
    """Numbers as CSV has them: as Python writes them, and nothing for NaN and for what is not known.

    >>> joined([csv_numbers(np.array([1.0, np.nan, 7e-5, -1e16])), b" "], 4)
    b'1.0  7e-05 -1e+16 '
    >>> joined([csv_numbers(np.array([7, -1]), np.array([True, False])), b" "], 2)
    b'7  '
    """
    text, count = _written(values).replace(NULL, b""), len(values)
    codes = None if known is None else _known_rows(known)
    if values.dtype.kind == "f":
        size = np.abs(values)
        odd = np.flatnonzero((size < SMALLEST_PLAIN) & (size > 0) | (size >= LARGEST_PLAIN))
        if len(odd):  # they have cells of their own, behind those of all
            text = b",".join([text, *(repr(value).encode() for value in values[odd].tolist())])
            codes = np.arange(count, dtype=np.int32) if codes is None else codes
            codes[odd] = np.where(codes[odd] < 0, -1, np.arange(count, count + len(odd)))
            count += len(odd)
    return Cells(text, comma_offsets(text, count), 1, codes)


def _written(values: Any) -> bytes:
    return orjson.dumps(np.ascontiguousarray(values), option=orjson.OPT_SERIALIZE_NUMPY)[1:-1]


def _known_rows(known: Any) -> Any:
    """The number of each row that is known, and -1 for others."""
    return np.where(known, np.arange(len(known), dtype=np.int32), np.int32(-1))
