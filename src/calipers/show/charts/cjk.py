"""A font for Chinese, Japanese and Korean labels, where one is installed.

DejaVu Sans, which matplotlib brings, has no such letters. The first of `FAMILIES` that this machine has is asked for
what DejaVu Sans lacks; without one, these letters are spelled out, and a note says once which package has them.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FAMILIES = (
    "Noto Sans CJK",
    "Noto Serif CJK",
    "Source Han Sans",
    "Source Han Serif",
    "WenQuanYi",
    "PingFang",
    "Hiragino Sans",
    "Microsoft YaHei",
    "SimHei",
)
FILES = ("notosanscjk", "notoserifcjk", "sourcehan", "wqy", "pingfang", "msyh", "simhei")  # beginnings of file names
REGULAR = 400  # weight
RANGES = ((0x2E80, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF), (0xFE30, 0xFE4F), (0xFF00, 0xFFEF), (0x20000, 0x3FFFF))
NOTE = (
    "note: Chinese, Japanese and Korean labels are spelled out in pictures, as no font for them was found;"
    " install one, on Debian and Ubuntu: apt-get install fonts-noto-cjk (or the smaller fonts-wqy-zenhei)\n"
)


class InstalledFont(NamedTuple):
    """A font of this machine: the family that matplotlib knows it by, and its file."""

    family: str
    path: str


@cache
def cjk_font() -> InstalledFont | None:
    """The font for these letters, or None; looked for once."""
    from matplotlib import font_manager

    known = font_manager.fontManager
    if not _entry(known.ttflist):
        for path in sorted(font_manager.findSystemFonts(fontext="ttf")):  # installed since matplotlib looked
            if Path(path).name.lower().startswith(FILES):
                known.addfont(path)
    entry = _entry(known.ttflist)
    if entry is None:
        return None
    if entry.weight != REGULAR:  # some call themselves medium, and matplotlib would warn at each text
        known.ttflist.append(replace(entry, weight=REGULAR))
    return InstalledFont(entry.name, entry.fname)


def _entry(entries: list[Any]) -> Any:
    """The first font of these families, its regular weight before others."""
    fonts = sorted(entries, key=lambda entry: (entry.name, abs(_weight(entry) - REGULAR), entry.fname))
    for family in FAMILIES:
        for entry in fonts:
            if entry.name.startswith(family) and Path(entry.fname).is_file():
                return entry
    return None


def _weight(entry: Any) -> int:
    return entry.weight if isinstance(entry.weight, int) else REGULAR


def is_cjk(char: str) -> bool:
    """Whether a character is one of these scripts.

    >>> is_cjk("螺"), is_cjk("ネ"), is_cjk("나"), is_cjk("é")
    (True, True, True, False)
    """
    return any(first <= ord(char) <= last for first, last in RANGES)


@cache
def note_missing_font() -> None:
    """Say once which package has the letters that are spelled out."""
    if sys.stderr is not None:
        sys.stderr.write(NOTE)
