"""Descriptions of a whole batch: each distinct text is parsed once, and labels become codes.

Codes are small integers, -1 for the empty label; two objects agree when their codes are equal and not -1.
"""

from __future__ import annotations

from itertools import repeat

from calipers.core.text import whole_text
from calipers.suites.dense.desc import Desc, parse_desc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from calipers.suites.dense.taxonomy import Taxonomy

LABELLED_MODES = ("phase", "category")
MODES = ("localization", *LABELLED_MODES)
MAX_CACHED_LABELS = 100_000


MAX_SHARED = 8
_SHARED: dict[tuple[Taxonomy, str, tuple[str, ...]], Vocabulary] = {}


class Vocabulary:
    """Parses descriptions under one taxonomy and remembers them."""

    def __init__(self, taxonomy: Taxonomy, label_key: str, free_text_keys: tuple[str, ...]) -> None:
        self.taxonomy, self.label_key, self.free_text_keys = taxonomy, label_key, free_text_keys
        self._known: dict[str, Desc] = {}

    def describe(self, texts: Iterable[str]) -> list[Desc]:
        """The descriptions that the texts parse to."""
        if len(self._known) > MAX_CACHED_LABELS:
            self._known.clear()
        return [self._known.get(text) or self._learn(text) for text in texts]

    def _learn(self, text: str) -> Desc:
        desc = self._known[text] = parse_desc(whole_text(text), self.taxonomy, self.label_key, self.free_text_keys)
        return desc


def vocabulary(taxonomy: Taxonomy, label_key: str, free_text_keys: tuple[str, ...]) -> Vocabulary:
    """The vocabulary of a taxonomy, which goes on remembering from one evaluation to the next."""
    key = (taxonomy, label_key, free_text_keys)
    if key not in _SHARED:
        if len(_SHARED) > MAX_SHARED:
            _SHARED.clear()
        _SHARED[key] = Vocabulary(taxonomy, label_key, free_text_keys)
    return _SHARED[key]


def label_codes(labels: Iterable[str]) -> tuple[list[int], list[str]]:
    """A code for each label, and the label of each code.

    >>> label_codes(["光纤", "", "标签", "光纤"])
    ([0, -1, 1, 0], ['光纤', '标签'])
    """
    named = list(labels)
    names = [*dict.fromkeys(filter(None, named))]
    codes = {name: code for code, name in enumerate(names)}
    return [*map(codes.get, named, repeat(-1))], names
