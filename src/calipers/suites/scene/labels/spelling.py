"""Names that a text may be meant for, by spelling.

Two texts are as much alike, in percent, as twice the number of characters they have in common and in the same order is
of the characters of both. A text is spelled like a name if

- the two are alike by 75: "chiar" and chair are by 80, "floor" and door by 67 only;
- or every word of the name is alike to some word of the text by 85: "office chairs" has a word that is like chair by
  91, and "indoor plant" none that is like door by more than 80;
- or the name is of a script without spaces and is inside the text, where words cannot be told apart: 木门 has 门 in it.

A whole that is alike comes before words that are: "coffe table" is meant for coffee table, also where table is a name.
Names of more than `LONGEST` characters are left out: to compare two texts takes the product of their lengths, and
nobody misspells a paragraph.
"""

from __future__ import annotations

from unicodedata import name as name_of

from calipers.core.similarity import rapidfuzz
from calipers.core.words import LONGEST

MIN_SIMILARITY_PERCENT = 75.0
MIN_OF_WORDS = 85.0
UNSPACED = ("CJK UNIFIED", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")
BLOCK = 64  # characters that are compared in one step


class Spelling:
    """Names by their words, so that a text meets only those it may be spelled like; all are normalised.

    >>> Spelling(["chair", "office", "door"]).similar_names("office chairs")
    {'chair': 68.18181818181819, 'office': 75.0}
    """

    def __init__(self, names: list[str]) -> None:
        names = [name for name in names if len(name) <= LONGEST]
        self._names = names
        self._place = {name: place for place, name in enumerate(names)}
        self._with_word: dict[str, list[str]] = {}  # names by each of their words
        for name in names:
            for word in dict.fromkeys(name.split()):
                self._with_word.setdefault(word, []).append(name)
        self._words = sorted(self._with_word)
        self._unspaced = [name for name in names if _is_unspaced(name)]
        self._near_words: dict[str, dict[str, float]] = {}
        self._name_blocks = sum(map(_blocks, names))
        self._word_blocks = sum(map(_blocks, self._words))

    def work(self, text: str) -> int:
        """How many blocks of characters are compared to find what a text is spelled like."""
        new = {word for word in text.split() if word not in self._near_words}
        in_names = _blocks(text) * (self._name_blocks + len(self._unspaced))
        return in_names + sum(map(_blocks, new)) * self._word_blocks

    def similar_names(self, text: str) -> dict[str, float]:
        """The names that a text is spelled like, and how much."""
        scores = _near(text, self._names, MIN_SIMILARITY_PERCENT)
        words = self._words_near(text)
        for name in self._of_words(words):
            score = MIN_SIMILARITY_PERCENT / 100 * min(words[part] for part in name.split())  # below any whole
            scores[name] = max(score, scores.get(name, 0.0))
        for name in self._unspaced:
            if name in text:
                scores[name] = max(MIN_SIMILARITY_PERCENT, scores.get(name, 0.0))
        return {name: scores[name] for name in sorted(scores, key=self._place.__getitem__)}

    def _words_near(self, text: str) -> dict[str, float]:
        """Words of names that are alike to a word of the text, and how much."""
        best: dict[str, float] = {}
        for word in dict.fromkeys(text.split()):
            if word not in self._near_words:
                self._near_words[word] = _near(word, self._words, MIN_OF_WORDS)
            for part, score in self._near_words[word].items():
                best[part] = max(score, best.get(part, 0.0))
        return best

    def _of_words(self, words: dict[str, float]) -> list[str]:
        """The names all of whose words are among these."""
        candidates = dict.fromkeys(name for word in words for name in self._with_word[word])
        return [name for name in candidates if all(part in words for part in name.split())]


def _near(text: str, names: list[str], min_score: float) -> dict[str, float]:
    extract, ratio = rapidfuzz().process.extract, rapidfuzz().fuzz.ratio
    return {name: score for name, score, _ in extract(text, names, scorer=ratio, score_cutoff=min_score, limit=None)}


def _is_unspaced(name: str) -> bool:
    return any(name_of(char, "").startswith(UNSPACED) for char in name)


def _blocks(text: str) -> int:
    return 1 + len(text) // BLOCK
