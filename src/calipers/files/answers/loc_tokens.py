"""Places as tokens of a vocabulary: PaliGemma and Florence.

    <loc0123><loc0045><loc0678><loc0901> label ; …    PaliGemma: y0 x0 y1 x1 in 1024 bins, before the label
    label<loc_12><loc_34><loc_56><loc_78>…            Florence: x0 y0 x1 y1 in 1000 bins, after the label

A bin of PaliGemma is v / 1024 of the image, one of Florence the middle of its cell, (v + 0.5) / 1000. A bin that the
vocabulary does not have is an object that cannot be read. `<seg…>` tokens of PaliGemma are left out, with a note that
is no damage.

Of Florence, tokens after a label are boxes in groups of four. Between `<poly>` tags, or where their number is even,
above 4 and no multiple of 4, they are a polygon. So are 8 and more of which half of the groups or more run to the left
or up, which no box does: the quads of its OCR, and outlines of its segmentation, have no tags. A note says so.
"""

from __future__ import annotations

import re

from calipers.files.answers.gathered import GatheredObjects, ends_in_tag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from calipers.files.answers.model_text import ParsedText

PALIGEMMA_BINS, FLORENCE_BINS = 1024, 1000
SPOILT, MASKS = "spoilt token", "masks are left out"
OUTLINES = "corners that are no boxes are read as outlines"
_PALIGEMMA = re.compile(r"<loc(?P<loc>\d{1,9})>|(?P<seg><seg\d{1,9}>)|(?P<end>;)|(?:<eos>|<bos>|<pad>)", re.ASCII)
_FLORENCE = re.compile(
    r"<loc_(?P<loc>\d{1,9})>|(?P<poly><poly>)|(?P<poly_end></poly>)|(?P<sep><sep>)|(?:</?s>|<pad>)", re.ASCII
)
_SPOILT = re.compile(r"<\s*+/?+(?:loc|seg|poly|lo)|loc_?+\d|<_?+\d|\d>", re.ASCII)
_STUB = re.compile(r"<?+[a-z]{0,5}+_?+\d{1,9}", re.ASCII)  # a token that lacks its end


def read_paligemma(text: str) -> ParsedText:
    """Boxes before labels, parted by semicolons."""
    reader, at = _PaliGemma(), 0
    for token in _PALIGEMMA.finditer(text):
        reader.words(text[at : token.start()])
        at = token.end()
        if token["loc"]:
            reader.place(int(token["loc"]))
        elif token["end"]:
            reader.end()
        elif token["seg"]:
            reader.has_masks = True
    reader.words(text[at:])
    return reader.finish(text[at:])


class _PaliGemma:
    """Gathers the places and the words of one entry after the other."""

    def __init__(self) -> None:
        self.gathered, self.has_masks = GatheredObjects(), False
        self.places: list[int] = []
        self.label: list[str] = []  # pieces that are not blank

    def place(self, value: int) -> None:
        """Add one location token; after words it begins the next entry."""
        if self.label:
            if self.places:
                self.gathered.repair("missing separator")
            self.end()
        self.places.append(value)

    def words(self, text: str) -> None:
        """Add text between tokens."""
        if text.strip():
            self.label.append(text)

    def end(self) -> None:
        """Close the entry: a box, text without a box, or an unreadable object."""
        label = "".join(self.label).strip()
        is_spoilt = bool(_SPOILT.search(label))
        if len(self.places) == 4 and max(self.places) < PALIGEMMA_BINS and not is_spoilt:
            top, left, bottom, right = (value * 1000 / PALIGEMMA_BINS for value in self.places)
            self.gathered.add("bbox_2d", [left, top, right, bottom], label)
        elif self.places or is_spoilt:
            self.gathered.add_unreadable(str(self.places), label)
        elif label:
            self.gathered.repair("text around the answer")
        self.places, self.label = [], []

    def finish(self, tail: str) -> ParsedText:
        """Close the last entry, which may have been cut off."""
        has_labels = any(isinstance(item, dict) and item["desc"] for item in self.gathered.objects)
        is_short = bool(self.places) and not self.label and (len(self.places) < 4 or has_labels)
        if is_short or ends_in_tag(tail):
            self.gathered.is_cut = True
            self.label = ["".join(self.label).rpartition("<")[0]] if ends_in_tag(tail) else self.label
            if len(self.places) == 4 and any(map(str.strip, self.label)):
                self.end()
        else:
            self.end()
        parsed = self.gathered.parsed("paligemma")
        return parsed if not self.has_masks else parsed.with_note(MASKS)


def read_florence(text: str) -> ParsedText:
    """Boxes or polygons after labels."""
    reader, at = _Florence(), 0
    for token in _FLORENCE.finditer(text):
        reader.words(text[at : token.start()])
        at = token.end()
        if token["loc"]:
            reader.places.append(int(token["loc"]))
        elif token.lastgroup:
            reader.part(token.lastgroup)
    return reader.finish(text[at:])


class _Florence:
    """Gathers the label and the places of one entry after the other."""

    def __init__(self) -> None:
        self.gathered, self.label, self.in_poly, self.unused = GatheredObjects(), "", False, False
        self.places: list[int] = []
        self.spoilt = ""  # a token of the entry that cannot be read
        self.has_outlines = False  # told by their corners alone

    def words(self, text: str) -> None:
        """Add text between tokens: a label, or a spoilt token with the label before or after it."""
        if token := _SPOILT.search(text):
            self._begin(text[: token.start()].partition("<")[0])
            self.spoilt = text
            _, bracket, after = text[token.start() :].rpartition(">")
            stub = _STUB.match(text, token.start())
            self._begin(after if bracket or stub is None else text[stub.end() :])
        else:
            if "<" in text or ">" in text:
                self.gathered.repair(SPOILT)
            self._begin(text)

    def _begin(self, text: str) -> None:
        """Close the entry before a label, and begin the next one."""
        if not text.strip():
            return
        self.end()
        if self.unused:
            self.gathered.repair("text around the answer")
        self.label, self.unused, self.in_poly = text.strip(), True, False

    def part(self, tag: str) -> None:
        """Handle a tag of polygons, which closes whatever was gathered before it."""
        self.end()
        self.in_poly = tag == "poly" or (tag == "sep" and self.in_poly)

    def end(self) -> None:
        """Close what was gathered: boxes or a polygon."""
        count = len(self.places)
        if self.spoilt:
            self.gathered.add_unreadable(self.label, str(self.places), self.spoilt)
            self.places, self.unused, self.spoilt = [], False, ""
        if not self.places:
            return
        points = [value + 0.5 for value in self.places]
        is_outline = count % 4 == 0 and not self.in_poly and _is_outline(self.places)
        is_poly = is_outline or (count % 2 == 0 and count > 4 and (self.in_poly or count % 4 > 0))
        if max(self.places) >= FLORENCE_BINS or (not is_poly and count % 4):
            self.gathered.add_unreadable(self.label, str(self.places))
        elif is_poly:
            self.gathered.add("poly", points, self.label)
            self.has_outlines |= is_outline
        else:
            self._add_boxes(points)
        self.places, self.unused = [], False

    def _add_boxes(self, points: list[float]) -> None:
        for at in range(0, len(points), 4):
            self.gathered.add("bbox_2d", points[at : at + 4], self.label)

    def _has_no_places(self) -> bool:
        return self.unused and not self.places and not self.spoilt

    def finish(self, tail: str) -> ParsedText:
        """Close the last entry: where the text stopped in it, complete groups of four still count."""
        is_cut_token = ends_in_tag(tail)
        if not is_cut_token:
            self.words(tail)
        is_short = not self.spoilt and (len(self.places) % 2 == 1 or len(self.places) == 2)
        if is_cut_token or is_short or self.in_poly or (self._has_no_places() and self.gathered.objects):
            self.gathered.is_cut = True
            self.places = [] if self.in_poly else self.places[: len(self.places) // 4 * 4]
        self.end()
        parsed = self.gathered.parsed("florence")
        return parsed.with_note(OUTLINES) if self.has_outlines else parsed


def _is_outline(places: list[int]) -> bool:
    """Whether groups of four are corners of an outline rather than boxes, whose second corner is right of and below.

    >>> _is_outline([10, 10, 90, 10, 90, 20, 10, 20]), _is_outline([10, 10, 90, 20, 30, 30, 40, 40])
    (True, False)
    """
    groups = [places[at : at + 4] for at in range(0, len(places), 4)]
    turned = sum(left > right or top > bottom for left, top, right, bottom in groups)
    return len(groups) > 1 and 2 * turned >= len(groups)
