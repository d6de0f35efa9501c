"""The similarity of two texts, by their edit distance.

rapidfuzz compares texts, and this is the one place that imports it. Its modules import each other. Of two threads that
import two of them at the same moment, one may be handed a module that is half done ("cannot import name ... from
partially initialized module"), so the whole package is imported here, by one thread at a time. It stays unimported
until texts are compared.
"""

from __future__ import annotations

from functools import cache, lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from calipers.core.matching import UNIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calipers.core.tally import Counts

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


def fixed_similarities(one: Sequence[str], other: Sequence[str]) -> Counts:
    """The similarity of each text to the one at the same place, in units of 1e-12; white space counts here.

    >>> fixed_similarities(["甲", "", "4G-RRU3"], ["甲", "", "4G-RRU5"]).tolist()
    [1000000000000, 1000000000000, 857142857143]
    """
    import numpy as np

    process, distance = rapidfuzz().process, rapidfuzz().distance.Levenshtein.distance
    edits = process.cpdist(one, other, scorer=distance, dtype=np.int64)
    longer = np.maximum(1, [*map(max, map(len, one), map(len, other))])
    units: Counts = np.rint((1 - edits / longer) * UNIT).astype(np.int64)
    return units


@lru_cache(maxsize=1 << 16)
def fixed_similarity(a: str, b: str) -> int:
    """The similarity of two texts in units of 1e-12."""
    return round(text_similarity(a, b) * UNIT)


def text_similarity(a: str, b: str) -> float:
    """1 - edit distance / longer length, white space apart.

    >>> text_similarity("4G-RRU3", "4G - RRU5"), text_similarity("", " "), text_similarity("甲", "")
    (0.8571428571428572, 1.0, 0.0)
    """
    a, b = "".join(a.split()), "".join(b.split())
    if a == b:
        return 1.0
    edits: int = rapidfuzz().distance.Levenshtein.distance(a, b)
    return 1 - edits / max(len(a), len(b))
