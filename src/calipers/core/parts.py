"""Parts of a run as bytes: what is plain as JSON, and arrays as they lie in memory.

A part is what some of the input gave: counts, names, what could not be read. It travels between machines and rests in
files, so its bytes hold data only, nothing that runs when it is read back.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import orjson
from numpy.typing import NDArray

DTYPES = frozenset({"<i8", "<i4", "<i2", "<f8", "<f4", "|u1", "|i1", "|b1"})
SIZE_BYTES = 8  # of the length that stands before the plain half


class Packed(NamedTuple):
    """A part taken apart. In the plain half no float may be NaN, and no whole number beyond 64 bits."""

    plain: Any
    arrays: dict[str, NDArray[Any]]


class Part(Protocol):
    """The result of one shard. Parts of one run add up, neighbours first, to the total."""

    bad: list[Any]
    inputs: list[dict[str, Any]]  # path, sha256 and records of each input, once everything was read

    def add(self, later: Any) -> None:
        """Add the part that follows this one."""

    def pack(self) -> Packed:
        """The part as plain values and arrays."""


P = TypeVar("P", bound=Part)


def join(parts: list[P]) -> P:
    """Add neighbouring parts up to one part."""
    first, *others = parts
    for other in others:
        first.add(other)
    return first


def to_bytes(packed: Packed) -> bytes:
    """A part as bytes.

    >>> from_bytes(to_bytes(Packed({"a": 1}, {"n": np.arange(3)})))
    Packed(plain={'a': 1}, arrays={'n': array([0, 1, 2])})
    """
    return b"".join(pieces_of(packed))


def pieces_of(packed: Packed) -> list[bytes | memoryview]:
    """The bytes of a part, piece by piece; arrays are not copied."""
    arrays = {name: _stored(array) for name, array in packed.arrays.items()}
    kinds = [[name, array.dtype.str, list(array.shape)] for name, array in arrays.items()]
    head = orjson.dumps([packed.plain, kinds])
    views = (memoryview(array.reshape(-1).view(np.uint8)) for array in arrays.values())  # type: ignore[arg-type]
    return [len(head).to_bytes(SIZE_BYTES, "little"), head, *views]


def _stored(array: NDArray[Any]) -> NDArray[Any]:
    """The array in the order of bytes that every machine reads the same."""
    stored = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).reshape(array.shape)
    if stored.dtype.str not in DTYPES:
        raise TypeError(f"an array of {array.dtype} has no place in a part")
    return stored


def from_bytes(data: bytes) -> Packed:
    """The part again. ValueError if these are not the bytes of one."""
    start = SIZE_BYTES + int.from_bytes(data[:SIZE_BYTES], "little")
    plain, kinds = orjson.loads(data[SIZE_BYTES:start])
    arrays = {}
    for name, dtype, shape in kinds:
        if dtype not in DTYPES or not _is_shape(shape):
            raise ValueError(f"an array of {dtype} with shape {shape!r:.80}")
        count = int(np.prod(shape, dtype=np.int64))
        arrays[name] = np.frombuffer(data, dtype, count, start).reshape(shape).copy()
        start += arrays[name].nbytes
    if start != len(data):
        raise ValueError(f"{len(data) - start} bytes too many")
    return Packed(plain, arrays)


def _is_shape(value: Any) -> bool:
    return isinstance(value, list) and all(type(size) is int and 0 <= size < 1 << 62 for size in value)
