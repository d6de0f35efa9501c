"""How much work an input may ask for: limits that only inputs beyond reason meet, and the words that refuse them.

Objects that all overlap each other make as many pairs as the product of both sides: a few megabytes of boxes can ask
for billions. A run compares at most `max_pairs` pairs of objects that may overlap, or `PAIRS_PER_OBJECT` for each
object where that is more, so that the limit never depends on how large an ordinary data set is.
"""

from __future__ import annotations

from calipers.core.errors import InputError, keyword

MAX_PAIRS = 3_000_000
PAIRS_PER_OBJECT = 50
CHUNK_BYTES = 8 << 20  # of input that are measured at a time, where nobody asks for another size
DUMP_CHUNK_BYTES = 12 << 20  # of dumps, whose shards each take some milliseconds whatever their size


def pairs_allowed(max_pairs: int, objects: int) -> int:
    """How many pairs a run over so many objects may compare.

    >>> pairs_allowed(3_000_000, 10), pairs_allowed(3_000_000, 1_000_000)
    (3000000, 50000000)
    """
    return max(max_pairs, PAIRS_PER_OBJECT * objects)


def too_many(where: str, found: str, limit: int, option: str) -> InputError:
    """The refusal of an input that asks for too much work; it names the limit and the option that lifts it.

    >>> print(too_many("a.json", "pairs of boxes that overlap", 3_000_000, "max_pairs"))
    a.json: more than 3,000,000 pairs of boxes that overlap; `max_pairs=…` lifts this limit
    """
    return InputError(f"{where}: more than {limit:,} {found}; {keyword(option)} lifts this limit")


class PairBudget:
    """The pairs that a run may compare, spent record by record."""

    def __init__(self, max_pairs: int, objects: int, what: str) -> None:
        self._limit = self._left = pairs_allowed(max_pairs, objects)
        self._what = what

    def spend(self, pairs: int, where: str) -> None:
        """Take so many, or refuse the record that asks for more than are left."""
        self._left -= pairs
        if self._left < 0:
            raise too_many(where, self._what, self._limit, "max_pairs")
