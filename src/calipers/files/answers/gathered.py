"""Objects of an answer as they are gathered from its text, and what had to be done to read them.

What cannot be read stays as its text: it is a prediction too, one that matches nothing and is counted as invalid.
"""

from __future__ import annotations

import re

from calipers.files.answers.model_text import ParsedText

SHOWN = 80  # characters that are kept of what cannot be read
_NUMBER = re.compile(
    r"[-+]?+(?:\d{1,30}+(?:\.\d{0,30}+)?+|\.\d{1,30}+)(?:[eE][-+]?+\d{1,4}+)?+|nan|[-+]?+inf(?:inity)?+",
    re.ASCII | re.IGNORECASE,
)


class GatheredObjects:
    """Objects of one answer; `is_cut` says that the text stopped inside one."""

    def __init__(self) -> None:
        self.objects: list[object] = []
        self.notes: list[str] = []
        self.unread = 0
        self.is_cut = False

    def add(self, kind: str, points: list[float], label: str) -> None:
        """Add an object with points in norm1000."""
        self.objects.append({"type": kind, "points": points, "desc": label})

    def add_unreadable(self, *texts: str) -> None:
        """Count an object that cannot be read, by the texts that are in its place."""
        self.objects.append(" ".join(text[:SHOWN].strip() for text in texts))
        self.unread += 1

    def repair(self, note: str) -> None:
        """Note what was wrong with the text."""
        if note not in self.notes:
            self.notes.append(note)

    def parsed(self, family: str) -> ParsedText:
        """The objects, the status of the text and all notes."""
        notes = [*self.notes, *([f"{self.unread} objects cannot be read"] if self.unread else [])]
        if not self.objects:
            stopped = ["the answer stops before its first object is complete"] if self.is_cut else []
            return ParsedText([], "failed", stopped or [f"no objects as {family} writes them"])
        if self.is_cut:
            return ParsedText(self.objects, "truncated", [*notes, "the answer stops before its end"])
        return ParsedText(self.objects, "repaired" if notes else "ok", notes)


def number(text: str) -> float | None:
    """A number as it is written in an answer, None for anything else.

    >>> number(" 12 "), number("-.5"), number("1_0"), number("9" * 99)
    (12, -0.5, None, None)
    """
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        return None
    return int(text) if text.isdecimal() else float(text)


def ends_in_tag(text: str) -> bool:
    """Whether a text stops inside a tag.

    >>> ends_in_tag("a dog <bo"), ends_in_tag("a < b, she said, which nobody had expected from a model of that size")
    (True, False)
    """
    tail = text[-40:]
    at = tail.rfind("<")
    return at >= 0 and ">" not in tail[at:] and not tail[at + 1 : at + 2].isspace()
