"""Points of Molmo, in percent of the image, and of Molmo 2.

    <point x="63.5" y="44.2" alt="a dog">a dog</point>
    <points x1="10.0" y1="20.0" x2="30.5" y2="40.5" alt="dogs">dogs</points>
    <points coords="1 1 497 382 2 601 377">dogs</points>

The last is Molmo 2's, in 0 to 1000: the image, counted from 1, and then number, x and y of each point. Points on a
second image have no place here, and cannot be read.

A point has no area. It becomes a `bbox_2d` from itself to itself, which is counted as degenerate and matches nothing.
A number without its partner is an object that cannot be read; text around the tags is no damage.
"""

from __future__ import annotations

import re

from calipers.files.answers.gathered import GatheredObjects, ends_in_tag, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from calipers.files.answers.model_text import ParsedText

_TAG = re.compile(r"<points?+(?=[\s>])([^<>]*+)(>?+)([^<>]*+)(</points?+>)?+")
_PLACE = re.compile(r"\b([xy])(\d{0,6}+)\s*+=\s*+([\"']?+)\s*+([^\"'\s<>=]{0,64})\s*+(\3)", re.ASCII)
_COORDS = re.compile(r"\bcoords\s*+=\s*+[\"']([^\"']*+)([\"']?+)")
_ALT = re.compile(r"\balt\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")
_SPOILT = re.compile(r"\bx\d{0,6}+\s*+=\s*+[\"']?+[-+.\d]|</points?+>", re.ASCII)


def read_points(text: str) -> ParsedText:
    """Every point of an answer, as a box without area."""
    gathered, at = GatheredObjects(), 0
    for tag in _TAG.finditer(text):
        _take_gap(text[at : tag.start()], gathered)
        attributes, end, content, closing = tag.groups()
        alt = _ALT.search(attributes)
        label = (alt[1] or alt[2] or "") if alt else content
        if not end:
            _take_unended(tag.end() == len(text), gathered)
        elif not closing and not attributes.endswith("/"):
            gathered.is_cut |= tag.end() == len(text)
            gathered.repair("missing tag")
        if coords := _COORDS.search(_ALT.sub(" ", attributes)):
            if end and not coords[2]:
                gathered.repair("missing quote")
            _take_coords(coords[1], label.strip(), gathered, is_whole=bool(end))
        else:
            _take_places(attributes, label.strip(), gathered, is_whole=bool(end))
        at = tag.end()
    _take_gap(text[at:], gathered)
    gathered.is_cut |= ends_in_tag(text[at:])
    return gathered.parsed("molmo")


def _take_gap(text: str, gathered: GatheredObjects) -> None:
    """Handle text around tags, which may hold a spoilt tag."""
    if _SPOILT.search(text):
        gathered.repair("missing tag")
        gathered.add_unreadable(text)


def _take_unended(is_last: bool, gathered: GatheredObjects) -> None:
    """Handle a tag without its end: the text stopped in it, or the end is missing."""
    if is_last:
        gathered.is_cut = True
    else:
        gathered.repair("missing tag")


def _take_places(attributes: str, label: str, gathered: GatheredObjects, *, is_whole: bool) -> None:
    """Add points given as pairs of x and y attributes, in order of appearance."""
    values: dict[str, dict[str, str]] = {}
    for axis, index, _, value, _ in _PLACE.findall(_ALT.sub(" ", attributes)):
        values.setdefault(index, {})[axis] = value
    last = next(reversed(values), "")
    for index, pair in values.items():
        place = [number(pair.get(axis, "")) for axis in "xy"]
        if None not in place:
            gathered.add("bbox_2d", [value * 10 for value in place if value is not None] * 2, label)
        elif is_whole or index != last:
            gathered.add_unreadable(str(pair), label)
    if is_whole and not values:
        gathered.add_unreadable(attributes or label)


def _take_coords(text: str, label: str, gathered: GatheredObjects, *, is_whole: bool) -> None:
    """Points of one image: its number, and three numbers for each point; of a text that stops, those that are whole."""
    for image, numbers in _images(text):
        for at in range(0, len(numbers), 3):
            place = [number(value) for value in numbers[at + 1 : at + 3]]
            if image == "1" and len(place) == 2 and None not in place:
                gathered.add("bbox_2d", [value for value in place if value is not None] * 2, label)
            elif is_whole or at + 3 < len(numbers):
                gathered.add_unreadable(" ".join([image, *numbers[at : at + 3]]), label)
        if is_whole and not numbers:
            gathered.add_unreadable(text, label)


def _images(text: str) -> list[tuple[str, list[str]]]:
    """The images that are named, with their numbers.

    >>> _images("1 1 497 382;2 1 10 20")
    [('1', ['1', '497', '382']), ('2', ['1', '10', '20'])]
    """
    groups = [group.split() for group in re.split(r"[\t:;,]", text)]
    return [(group[0], group[1:]) for group in groups if group] or [("", [])]
