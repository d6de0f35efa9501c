"""Causes of errors in words: what they mean, how many there are, and which to fix first."""

from __future__ import annotations

from typing import Any

from calipers.show.text import SEPARATOR, UNDEFINED

MEANINGS = {
    "wrong_label": "in place, under another label",
    "misplaced": "the right label, too little overlap",
    "wrong_label_and_place": "another label and too little overlap",
    "duplicate": "a further prediction of an object that is matched",
    "spurious": "a prediction of nothing",
    "missed": "ground truth without a prediction near it",
}
WORTH_SAYING = 0.0005  # gains below it would be shown as +0.000


def cause_words(cause: str) -> str:
    """A cause as it is read.

    >>> cause_words("wrong_label_and_place")
    'wrong label and place'
    """
    return cause.replace("_", " ")


def fix_first(gains: dict[str, Any]) -> list[tuple[str, float]]:
    """Causes by what they are worth, largest first, without those that are worth nothing."""
    known = [(cause, entry["gain"]) for cause, entry in gains.items() if entry["gain"] is not None]
    return sorted(((cause, gain) for cause, gain in known if gain >= WORTH_SAYING), key=lambda item: -item[1])


def fix_first_line(gains: dict[str, Any]) -> str:
    """The causes that are worth most, for a summary.

    >>> fix_first_line({"missed": {"gain": 0.0432}, "duplicate": {"gain": 0.0}, "wrong_label": {"gain": 0.061}})
    'wrong label +0.061 · missed +0.043'
    >>> fix_first_line({"missed": {"gain": None}})
    '—'
    """
    if all(entry["gain"] is None for entry in gains.values()):
        return UNDEFINED
    shown = [f"{cause_words(cause)} {gain:+.3f}" for cause, gain in fix_first(gains)]
    return SEPARATOR.join(shown) or "no cause is worth 0.001 or more"


def causes_line(errors: dict[str, int]) -> str:
    """How often each cause, for a summary."""
    return SEPARATOR.join(f"{errors[cause]:,} {cause_words(cause)}" for cause in MEANINGS)
