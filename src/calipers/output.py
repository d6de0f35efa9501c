"""Writing results: canonical JSON, and files that appear whole or not at all.

Canonical JSON keeps the order of keys, writes floats in the shortest form that reads back the same and text as UTF-8.
A list or object that holds no other one stands on one line; the rest is indented by two.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkstemp
from typing import IO, Any

import orjson

from calipers.errors import OutputError
from calipers.kernels.layout import spread
from calipers.text import whole_text

DEEPEST = 100
LONGEST_INT = 13000  # bits


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
    try:
        compact = orjson.dumps(value, default=_made_plain)
    except orjson.JSONEncodeError:  # half of a surrogate pair in a name
        compact = orjson.dumps(_plain(value, 0))
    return spread(compact) + b"\n"


def _made_plain(value: Any) -> Any:
    """A table that makes its entries when they are asked for."""
    return value.as_dict()


def json_line(row: Any) -> bytes:
    """One row as a line of JSON; what JSON has no word for becomes null or text."""
    try:
        return orjson.dumps(row) + b"\n"
    except TypeError:
        return orjson.dumps(_plain(row, 0)) + b"\n"


def _plain(value: Any, depth: int) -> Any:
    """Nesting cut off where it gets deep, and whole numbers beyond 64 bits as text."""
    if depth > DEEPEST:
        return "…"
    if isinstance(value, Mapping):
        return {whole_text(str(key)): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, depth + 1) for item in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return str(value) if value.bit_length() < LONGEST_INT else "a number of more than 4,000 digits"
    return value if value is None or isinstance(value, (int, float, bool)) else whole_text(str(value))


def check_free(path: str | None, inputs: Iterable[Any]) -> None:
    """Refuse to write over an input: a file, or one in a folder that is an input."""
    if not path or not os.path.exists(path):
        return
    known = [each for each in inputs if isinstance(each, (str, os.PathLike)) and os.path.exists(each)]
    if any(os.path.samefile(place, each) for each in known for place in (path, Path(path).absolute().parent)):
        raise OutputError(f"{path}: is an input, expected another place to write to")


class AtomicFiles:
    """Files that take their names together, when all of them are written and on disk; else nothing has changed."""

    def __init__(self) -> None:
        self._files: list[tuple[IO[bytes], Path, Path]] = []  # what is written, where, and the name it will take

    def open(self, path: str | os.PathLike[str]) -> IO[bytes]:
        """A new file, beside the one it will replace."""
        target = Path(path)
        with _writing(target):
            if target.is_dir():
                raise IsADirectoryError(21, "Is a directory")
            number, name = mkstemp(prefix=".calipers-", suffix=".part", dir=target.parent)
            os.chmod(number, 0o666 & ~_umask())
            os.close(number)
            file = open(name, "wb")  # noqa: SIM115  closed by commit or discard
            self._files.append((file, Path(name), target))
        return file

    def commit(self) -> None:
        """Everything is written: let the files take their names."""
        for file, _, target in self._files:
            with _writing(target):
                file.flush()
                os.fsync(file.fileno())
        for file, temporary, target in self._files:
            with _writing(target):
                file.close()
                os.replace(temporary, target)
        self._files = []

    def discard(self) -> None:
        """Leave everything as it was."""
        for file, temporary, _ in self._files:
            with suppress(OSError):  # what was left to write is not wanted
                file.close()
            temporary.unlink(missing_ok=True)
        self._files = []


@contextmanager
def atomic_files() -> Iterator[AtomicFiles]:
    """Files that appear together at the end, or not at all."""
    files = AtomicFiles()
    try:
        yield files
        files.commit()
    except OSError as error:
        raise OutputError(f"a result cannot be written: {error.strerror or error}") from error
    finally:
        files.discard()


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """One file that appears whole, or not at all."""
    with atomic_files() as files:
        file = files.open(path)
        with _writing(Path(path)):
            yield file


def write_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Write one whole file."""
    with atomic_file(path) as file:
        file.write(content)
