"""Names that a text may be meant for, by spelling.

Two texts are as much alike, in percent, as twice the number of characters they have in common and in the same order is
of the characters of both. A text is spelled like a name if

- the two are alike by 75: "chiar" and chair are by 80, "floor" and door by 67 only;
- or every word of the name is alike to some word of the text by 85: "office chairs" has a word that is like chair by
  91, and "indoor plant" none that is like door by more than 80;
- or the name is of a script without spaces and is inside the text, where words cannot be told apart: 木门 has 门 in it.

A whole that is alike comes before words that are: "coffe table" is meant for coffee table, also where table is a name.
"""

from __future__ import annotations

from unicodedata import name as name_of

from rapidfuzz.fuzz import ratio
from rapidfuzz.process import extract

LEAST = 75.0
LEAST_OF_WORDS = 85.0
UNSPACED = ("CJK UNIFIED", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")


def alike(text: str, names: list[str]) -> dict[str, float]:
    """The names that a text is spelled like, and how much; text and names are normalised.

    >>> alike("office chairs", ["chair", "office", "door"])
    {'chair': 68.18181818181819, 'office': 75.0}
    """
    whole = _near(text, names, LEAST)
    words = _words_near(text, sorted({part for name in names for part in name.split()}))
    scores = {name: max(whole.get(name, 0.0), _of_words(name, words), _inside(name, text)) for name in names}
    return {name: score for name, score in scores.items() if score}


def _near(text: str, names: list[str], least: float) -> dict[str, float]:
    return {name: score for name, score, _ in extract(text, names, scorer=ratio, score_cutoff=least, limit=None)}


def _words_near(text: str, parts: list[str]) -> dict[str, float]:
    """Those of the words that are alike to a word of the text, and how much."""
    best: dict[str, float] = {}
    for word in text.split():
        for part, score in _near(word, parts, LEAST_OF_WORDS).items():
            best[part] = max(score, best.get(part, 0.0))
    return best


def _of_words(name: str, words: dict[str, float]) -> float:
    """How much the least alike word of a name is, below any whole; 0 if one is not."""
    return LEAST / 100 * min(words.get(part, 0.0) for part in name.split())


def _inside(name: str, text: str) -> float:
    return LEAST if name in text and any(name_of(char, "").startswith(UNSPACED) for char in name) else 0.0
