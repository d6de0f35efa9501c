"""rapidfuzz, which compares texts: the one place that imports it.

Its modules import each other. Of two threads that import two of them at the same moment, one may be handed a module
that is half done ("cannot import name ... from partially initialized module"), so the whole package is imported here,
by one thread at a time. It stays unimported until texts are compared.
"""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import Any

_IMPORTING = Lock()


@cache
def rapidfuzz() -> Any:
    """The package, with its modules `distance`, `fuzz` and `process`.

    >>> rapidfuzz().distance.Levenshtein.distance("chair", "chiar")
    2
    """
    with _IMPORTING:
        import rapidfuzz.distance
        import rapidfuzz.fuzz
        import rapidfuzz.process

        return rapidfuzz


def rapidfuzz_version() -> dict[str, str]:
    """The version of rapidfuzz, as an entry of `engines`."""
    return {"rapidfuzz": str(rapidfuzz().__version__)}
