"""Files below a folder, without hidden ones."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from itertools import islice

from calipers.core.errors import InputError


def files_below(folder: str, endings: Collection[str]) -> list[str]:
    """Files with one of these endings, without hidden ones: sorted paths within the folder, with / as separator."""
    return sorted(_walk(folder, tuple(endings)))


def few_files_below(folder: str, ending: str, count: int = 1) -> list[str]:
    """Paths of some files with this ending, found without looking at all of a large folder."""
    return [os.path.join(folder, name) for name in islice(_walk(folder, (ending,)), count)]


def _walk(folder: str, endings: tuple[str, ...]) -> Iterator[str]:
    seen: set[str] = set()  # links may lead back
    for place, folders, files in os.walk(folder, onerror=_refuse, followlinks=True):
        real = os.path.realpath(place)
        folders[:] = sorted(name for name in folders if not name.startswith(".")) if real not in seen else []
        if real in seen:
            continue
        seen.add(real)
        below = os.path.relpath(place, folder)
        prefix = "" if below == os.curdir else f"{below.replace(os.sep, '/')}/"
        for name in sorted(name for name in files if name.lower().endswith(endings) and not name.startswith(".")):
            if os.path.isfile(os.path.join(place, name)):
                yield prefix + name


def _refuse(error: OSError) -> None:
    raise InputError(f"{error.filename}: cannot be read: {error.strerror or error}") from error
