"""Where inputs lie: files of this machine, and anything with a scheme (`s3://…`, `gs://…`) by way of fsspec."""

from __future__ import annotations

import os
from collections.abc import Iterable
from glob import glob, has_magic
from typing import IO

from calipers.core.errors import InputError

OPEN_FILES = ("/dev/stdin", "/dev/fd/", "/proc/self/")


def is_remote(path: str) -> bool:
    """Whether a path names a scheme.

    >>> is_remote("s3://bucket/dump.jsonl"), is_remote("a://b") and is_remote("C:/dump.jsonl")
    (True, False)
    """
    scheme, separator, _ = path.partition("://")
    return bool(separator) and scheme.replace("+", "").replace("-", "").isalnum()


def is_open_here(path: str) -> bool:
    """Whether it is a file that this process has open: the same path is another file in its workers.

    >>> is_open_here("-"), is_open_here("/dev/fd/63"), is_open_here("dump.jsonl")
    (True, True, False)
    """
    return path == "-" or path.startswith(OPEN_FILES)


def open_place(path: str, buffering: int = 0) -> IO[bytes]:
    """A file to read, wherever it is. One with a scheme is read whole, or an `InputError` says why not."""
    if not is_remote(path):
        return open(path, "rb", buffering=buffering)
    from calipers.files.remote import open_remote

    return open_remote(path)


def size_of(path: str) -> int:
    """Size in bytes as stored; 0 if it is not known."""
    if is_remote(path):
        from calipers.files.remote import remote_size

        return remote_size(path)
    return os.path.getsize(path) if os.path.isfile(path) else 0


def is_file(path: str) -> bool:
    """Whether it is a file that can be read in any place, by any process.

    >>> is_file(os.__file__), is_file("/dev/stdin")
    (True, False)
    """
    if is_remote(path):
        from calipers.files.remote import has_ranges

        return has_ranges(path)
    return os.path.isfile(path) and not is_open_here(path)


def expand(paths: Iterable[str]) -> list[str]:
    """Paths with every pattern (`part-*.jsonl`) replaced by what it fits, sorted; a file of that very name comes first.

    >>> expand(["-", "dump.jsonl"])
    ['-', 'dump.jsonl']
    """
    return [expanded for path in paths for expanded in _expanded(path)]


def _expanded(path: str) -> list[str]:
    if not _is_pattern(path) or (not is_remote(path) and os.path.lexists(path)):
        return [path]
    if is_remote(path):
        from calipers.files.remote import remote_glob

        paths = remote_glob(path)
    else:
        paths = glob(path, recursive=True)
    if not paths:
        raise InputError(f"{path}: nothing fits this pattern, expected files")
    return sorted(paths)


def _is_pattern(path: str) -> bool:
    """Whether a path stands for others. In a URL a question mark begins the query, and no pattern.

    >>> _is_pattern("part-?.jsonl"), _is_pattern("https://host/dump.jsonl?token=1"), _is_pattern("https://host/*.jsonl")
    (True, False, True)
    """
    return has_magic(path.replace("?", "") if path.startswith(("http://", "https://")) else path)
