"""Labels as words, so that spellings of one label are equal: in small letters, a space between words, nothing else.

Letters, marks and numbers of any script are kept. A slash, an underscore or a dash of any kind becomes a space; any
other punctuation and every symbol is dropped, and so is what cannot be seen (joiners, variation selectors, soft
hyphens). Case is folded as Unicode says, in no particular language (ß is ss, and a Turkish dotless ı is no i), and
characters that only look different are made the same (NFKC: full-width letters, half-width katakana, ligatures,
accents given apart).

A **word** is what then stands between spaces, in every script. A compound written in one is one word: Holztür,
木门 and ประตูไม้ (all: wooden door) are.
"""

from __future__ import annotations

from functools import cache
from unicodedata import category, normalize

LONGEST = 200  # characters of a text or a name that may be meant for each other
SLASHES = "/／⁄∕"
MINUS = "−"  # a mathematical symbol, though typed for a dash
KEPT = ("L", "M", "N")  # categories of letters, marks and numbers
UNSEEN = frozenset(  # letters and marks that are drawn as nothing, or choose how another one is drawn
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"
    + "".join(map(chr, [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]))
)


def normalise(text: str) -> str:
    """The text as words. Texts that differ only in case, spacing and punctuation give the same.

    >>> normalise("  Office_Chair / (SWIVEL)!")
    'office chair swivel'
    >>> normalise("Ｃａｆé—Tisch"), normalise("कुर्सी।"), normalise("???")
    ('café tisch', 'कुर्सी', '')
    """
    if text.isascii():  # most labels are, and there may be very many
        return " ".join(text.translate(_ascii_words()).split())
    words = _fold(text)
    while (folded := _fold(words)) != words:  # what was apart may join when something between is dropped
        words = folded
    return words


def _fold(text: str) -> str:
    plain = "".join(map(_plain, text))
    return " ".join(normalize("NFKC", normalize("NFKC", plain).casefold()).split())


def _plain(char: str) -> str:
    """The character itself, a space, or nothing."""
    kind = category(char)
    if kind.startswith(KEPT):
        return "" if char in UNSEEN else char
    parts = char.isspace() or kind in ("Pd", "Pc") or char == MINUS or char in SLASHES
    return " " if parts else ""


@cache
def _ascii_words() -> dict[int, str]:
    return {code: _plain(chr(code)).lower() for code in range(128)}
