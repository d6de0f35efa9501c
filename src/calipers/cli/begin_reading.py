"""What a command can begin with before it is loaded: to read a large dump, in another process."""

from __future__ import annotations

import os
from itertools import pairwise

LARGE_BYTES = 32 << 20  # of a dump that takes longer to read than a process to start
OTHERWISE = {"--address", "--chunk-bytes"}  # flags with which a dump is cut by somebody else, or otherwise


def begin_reading(path: str, arguments: list[str]) -> None:
    """Begin to read a dump, named by the arguments of a suite, if it is large and there is a core for it."""
    if not _is_large(path) or _is_read_otherwise(arguments):
        return
    from calipers.engines.local import cores
    from calipers.suites import BUILT_IN

    if arguments[0] in BUILT_IN and cores() > 1:
        from calipers.core.limits import DUMP_CHUNK_BYTES
        from calipers.files.cut_ahead import begin

        begin(path, DUMP_CHUNK_BYTES)


def _is_large(path: str) -> bool:
    if not os.path.isfile(path) or os.path.getsize(path) < LARGE_BYTES:
        return False
    from calipers.files.places import is_file

    return is_file(path)


def _is_read_otherwise(arguments: list[str]) -> bool:
    """Whether flags tell that the run would not use a dump that was read ahead.

    >>> [_is_read_otherwise(["--jobs", "2"]), _is_read_otherwise(["--jobs", "1"]), _is_read_otherwise(["--address=x"])]
    [False, True, True]
    """
    words = [word for argument in arguments for word in argument.split("=", 1)]
    return ("--jobs", "1") in pairwise(words) or not OTHERWISE.isdisjoint(words)
