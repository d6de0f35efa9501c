"""Writing results: canonical JSON, and files that appear whole or not at all.

Canonical JSON keeps the order of keys, writes floats in the shortest form that reads back the same and text as UTF-8.
A list or object that holds no other one stands on one line; the rest is indented by two.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import orjson

from calipers.errors import OutputError


def to_json(value: Any) -> bytes:
    r"""Canonical JSON, with a line break at the end.

    >>> print(to_json({"a": [1, 2], "b": {"c": None, "d": {}}}).decode(), end="")
    {
      "a": [1, 2],
      "b": {
        "c": null,
        "d": {}
      }
    }
    """
    return b"".join(_pieces(value, b"\n")) + b"\n"


def _pieces(value: Any, line: bytes) -> Iterator[bytes]:
    if isinstance(value, (dict, list)) and any(isinstance(item, (dict, list)) for item in _items(value)):
        inner = line + b"  "
        opening, closing = (b"{", b"}") if isinstance(value, dict) else (b"[", b"]")
        yield opening
        for number, item in enumerate(value):
            yield (b"," if number else b"") + inner
            if isinstance(value, dict):
                yield orjson.dumps(item) + b": "
            yield from _pieces(value[item] if isinstance(value, dict) else item, inner)
        yield line + closing
    else:
        yield _flat(value)


def _items(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value


def _flat(value: Any) -> bytes:
    """One line, with a space after commas and colons outside of text."""
    if isinstance(value, dict):
        return b"{" + b", ".join(orjson.dumps(key) + b": " + orjson.dumps(item) for key, item in value.items()) + b"}"
    if isinstance(value, list):
        return b"[" + b", ".join(orjson.dumps(item) for item in value) + b"]"
    return orjson.dumps(value)


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file that takes its name only when everything is written and on disk; on any failure nothing has changed."""
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def write_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Write one whole file."""
    with atomic_file(path) as file:
        file.write(content)
