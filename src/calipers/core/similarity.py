"""How alike two texts are: by the edits that make one of the other."""

from __future__ import annotations

from functools import lru_cache

from calipers.core.fuzzy import rapidfuzz
from calipers.core.matching import UNIT


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
