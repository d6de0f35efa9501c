"""The table of families: how the answers of each are recognised and read.

`auto` goes by what only one family writes: its tokens, its tags, its key. JSON without any of them is `json`, and so is
whatever cannot be told: whether `bbox_2d` is in pixels (Qwen 2.5) no single answer says.

What reads tags, tokens and points is loaded when an answer has some: its patterns take milliseconds to compile.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from calipers.core.errors import require
from calipers.files.answers.json_keys import from_gemini, from_pixels, read_gemini
from calipers.files.answers.model_text import ParsedText, normalised, read_json

Size = tuple[float | None, float | None]  # width and height of the image that a model was given


class Family(NamedTuple):
    """How answers of a family are recognised and read."""

    read: Callable[[str, Size], ParsedText]
    sign: str = ""  # a pattern that only its answers have
    shape: Callable[[Size], Callable[[object], object]] | None = None  # of families that write JSON: one object


def _read_plain(text: str, size: Size) -> ParsedText:
    return read_json(text, normalised)


def _plain_shape(size: Size) -> Callable[[object], object]:
    return normalised


def _pixel_shape(size: Size) -> Callable[[object], object]:
    return from_pixels(*size)


def _read_boxes(text: str, largest: int, family: str) -> ParsedText:
    from calipers.files.answers.tagged import bracket_body, read_tagged

    return read_tagged(text, bracket_body(largest), family)


def _read_patches(text: str, size: Size) -> ParsedText:
    from calipers.files.answers.tagged import patch_body, read_tagged

    return read_tagged(text, patch_body, "kosmos")


def _read_paligemma(text: str, size: Size) -> ParsedText:
    from calipers.files.answers.loc_tokens import read_paligemma

    return read_paligemma(text)


def _read_florence(text: str, size: Size) -> ParsedText:
    from calipers.files.answers.loc_tokens import read_florence

    return read_florence(text)


def _read_molmo(text: str, size: Size) -> ParsedText:
    from calipers.files.answers.points import read_points

    return read_points(text)


FAMILIES = {
    "json": Family(_read_plain, shape=_plain_shape),
    "qwen2": Family(
        lambda text, size: _read_boxes(text, 1000, "qwen2"),
        r"<\|(?:object_ref|box|quad)_start\|>|<(?:box|quad)>\s*+\(",
    ),
    "qwen2.5": Family(lambda text, size: read_json(text, _pixel_shape(size)), shape=_pixel_shape),
    "qwen3": Family(_read_plain, shape=_plain_shape),
    "gemini": Family(lambda text, size: read_gemini(text), r"[\"'“]box_2d[\"'”]", lambda size: from_gemini),
    "internvl": Family(lambda text, size: _read_boxes(text, 1000, "internvl"), r"<box>\s*+\["),
    "paligemma": Family(_read_paligemma, r"<loc\d"),
    "florence": Family(_read_florence, r"<loc_\d"),
    "kosmos": Family(_read_patches, r"<patch_index_"),
    "deepseek": Family(lambda text, size: _read_boxes(text, 999, "deepseek"), r"<\|(?:ref|det)\|>"),
    "molmo": Family(_read_molmo, r"<points?+\s"),
}
NAMES = ("auto", *FAMILIES)


def read_answer(text: str, family: str, width: float | None = None, height: float | None = None) -> ParsedText:
    """The objects of an answer, in norm1000; `family` of the result says what it was taken for."""
    require(family in NAMES, "family", family, f"one of {', '.join(NAMES)}")
    read_as = recognised_family(text) if family == "auto" else family
    parsed = FAMILIES[read_as].read(text, (width, height))
    parsed.family = read_as
    return parsed.with_note(f"taken for {read_as}") if family == "auto" else parsed


def recognised_family(text: str) -> str:
    """The family that an answer looks like.

    >>> recognised_family('[{"box_2d": [1, 2, 3, 4]}]'), recognised_family("cat<loc_1><loc_2>"), recognised_family("?")
    ('gemini', 'florence', 'json')
    """
    looks_like_json = text.lstrip("\ufeff \t\r\n").startswith(("[", "{", "```"))
    for name, family in FAMILIES.items():
        if family.sign and (family.shape is not None) == looks_like_json and re.search(family.sign, text):
            return name
    is_gemini = not looks_like_json and re.search(FAMILIES["gemini"].sign, text)
    return "gemini" if is_gemini else "json"
