"""Where inputs lie: files of this machine, and anything with a scheme (`s3://…`, `gs://…`) by way of fsspec."""

from __future__ import annotations

import os
from collections.abc import Iterable
from glob import glob, has_magic
from typing import IO, Any

from calipers.errors import ConfigError, InputError


def is_remote(path: str) -> bool:
    """Whether a path names a scheme.

    >>> is_remote("s3://bucket/dump.jsonl"), is_remote("a://b") and is_remote("C:/dump.jsonl")
    (True, False)
    """
    scheme, separator, _ = path.partition("://")
    return bool(separator) and scheme.replace("+", "").replace("-", "").isalnum()


def open_place(path: str, buffering: int = 0) -> IO[bytes]:
    """A file to read, wherever it is."""
    if not is_remote(path):
        return open(path, "rb", buffering=buffering)
    system, inside = _file_system(path)
    return system.open(inside, "rb")  # type: ignore[no-any-return]


def size_of(path: str) -> int:
    """Bytes as stored, 0 if nobody knows."""
    if is_remote(path):
        system, inside = _file_system(path)
        return int(system.info(inside).get("size") or 0)
    return os.path.getsize(path) if os.path.isfile(path) else 0


def is_file(path: str) -> bool:
    """Whether it is a file that can be read in any place."""
    return is_remote(path) or os.path.isfile(path)


def expand(paths: Iterable[str]) -> list[str]:
    """Paths with every pattern (`part-*.jsonl`) replaced by what it fits, sorted; a file of that very name comes first.

    >>> expand(["-", "dump.jsonl"])
    ['-', 'dump.jsonl']
    """
    return [found for path in paths for found in _expanded(path)]


def _expanded(path: str) -> list[str]:
    if not has_magic(path) or (not is_remote(path) and os.path.lexists(path)):
        return [path]
    if is_remote(path):
        system, inside = _file_system(path)
        scheme = path.partition("://")[0]
        try:
            names = system.glob(inside)
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
        found = [f"{scheme}://{str(each).removeprefix(f'{scheme}://')}" for each in names]
    else:
        found = glob(path, recursive=True)
    if not found:
        raise InputError(f"{path}: nothing fits this pattern, expected files")
    return sorted(found)


def _file_system(path: str) -> tuple[Any, str]:
    try:
        import fsspec  # type: ignore[import-untyped]
    except ImportError as error:
        raise ConfigError(f"{path}: needs fsspec: pip install 'calipers[remote]'") from error
    try:
        return fsspec.core.url_to_fs(path)  # type: ignore[no-any-return]
    except (ImportError, ValueError) as error:
        raise ConfigError(f"{path}: cannot be opened: {error}") from error
