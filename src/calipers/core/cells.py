"""Columns of numbers and texts as the cells of a file, a whole column at a time instead of a value at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import orjson

NULL = b"null"
SMALLEST_PLAIN, LARGEST_PLAIN = 1e-4, 1e16  # what lies beyond Python writes with an exponent, JSON partly without


def json_numbers(values: Any) -> list[bytes]:
    """Numbers as JSON has them; NaN is null.

    >>> json_numbers(np.array([1.0, np.nan, 1e-7])), json_numbers(np.array([3, -1]))
    ([b'1.0', b'null', b'1e-7'], [b'3', b'-1'])
    """
    return _cells(_written(values), len(values))


def csv_numbers(values: Any) -> list[bytes]:
    """Numbers as CSV has them: as Python writes them, and nothing for NaN.

    >>> csv_numbers(np.array([1.0, np.nan, 7e-5, -1e16]))
    [b'1.0', b'', b'7e-05', b'-1e+16']
    """
    cells = _cells(_written(values).replace(NULL, b""), len(values))
    if values.dtype.kind == "f":
        size = np.abs(values)
        odd = (size < SMALLEST_PLAIN) & (size > 0) | (size >= LARGEST_PLAIN)
        for at in np.flatnonzero(odd).tolist():
            cells[at] = repr(float(values[at])).encode()
    return cells


def _written(values: Any) -> bytes:
    return orjson.dumps(np.ascontiguousarray(values), option=orjson.OPT_SERIALIZE_NUMPY)[1:-1]


def _cells(text: bytes, count: int) -> list[bytes]:
    return text.split(b",") if count else []


def known_or(nothing: bytes, cells: Sequence[bytes], known: Iterable[bool]) -> list[bytes]:
    """The cells of what is known, and one that says nothing for all others.

    >>> known_or(b"", [b"7", b"-1"], [True, False])
    [b'7', b'']
    """
    return [cell if is_known else nothing for cell, is_known in zip(cells, known, strict=True)]


def chosen(texts: Sequence[Any], codes: Any) -> list[Any]:
    """The texts that codes stand for."""
    return [texts[code] for code in codes.tolist()]
