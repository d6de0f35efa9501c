"""What `save` and `-o` write of a decision: one file, whose ending says as what, or one of every kind in a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping

from calipers.core.errors import OutputError
from calipers.files.output import atomic_files, check_free

Contents = Mapping[str, Callable[[], bytes]]


def files_at(path: str | os.PathLike[str], stem: str, contents: Contents) -> Contents:
    """The files to write by path, with the function that makes each; `contents` has these functions by ending.

    OutputError if the path has another ending and is no folder.
    """
    name = os.fspath(path)
    ending = os.path.splitext(name)[1]
    is_folder = os.path.isdir(name)
    if ending in contents and not is_folder:
        return {name: contents[ending]}
    if ending and not name.endswith("/") and not is_folder:
        raise OutputError(f"{name}: ends in {ending!r}, expected {', '.join(contents)}, or a folder")
    return {os.path.join(name, f"{stem}{ending}"): content for ending, content in contents.items()}


def write_files(files: Contents, inputs: Iterable[str] = ()) -> None:
    """Write files by path, all of them or none; OutputError where one of them is an input."""
    for path in files:
        check_free(path, inputs)
    with atomic_files() as written:
        for path, content in files.items():
            written.open(path).write(content())
