"""Labels and boxes between tags: InternVL, Qwen 2, DeepSeek and Kosmos.

    <ref>label</ref><box>[[x0, y0, x1, y1], …]</box>                                    InternVL, 0 to 1000
    <|object_ref_start|>label<|object_ref_end|><|box_start|>(x0,y0),(x1,y1)<|box_end|>  Qwen 2, 0 to 1000
    <|ref|>label<|/ref|><|det|>[[x0, y0, x1, y1], …]<|/det|>                            DeepSeek, 0 to 999
    <phrase>label</phrase><object><patch_index_0044><patch_index_0863></object>         Kosmos, 32 by 32 cells

Such answers are captions: text around the tags is no damage. A label belongs to the boxes that follow it with nothing
but white space and commas between. A label without a box, a box without its tag and a body that cannot be read are one
object each that cannot be read. Qwen's `<quad>` is a polygon of four points.

Tags are special tokens, which decoders leave out unless told otherwise: `cat[[x0, y0, x1, y1]]`. In an answer without
any tag, a box has for its label the text that stands between the box before it and itself.

Text is cut at tags once, and every body is gone through once, so time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from calipers.files.answers.gathered import GatheredObjects, ends_in_tag, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from calipers.files.answers.model_text import ParsedText

GRID = 32  # cells of Kosmos along each side
CELL = 1000 / GRID
_TAGS = re.compile(
    r"""(?x)
    (?P<label> <ref> | <\|object_ref_start\|> | <\|ref\|> | <phrase> )
  | (?P<label_end> </ref> | <\|object_ref_end\|> | <\|/ref\|> | </phrase> )
  | (?P<box> <box> | <\|box_start\|> | <\|det\|> | <object> )
  | (?P<box_end> </box> | <\|box_end\|> | <\|/det\|> | </object> )
  | (?P<quad> <quad> | <\|quad_start\|> )
  | (?P<quad_end> </quad> | <\|quad_end\|> )
    """
)
_GROUP = re.compile(r"[\[(]([^\[\]()]*+)([\])]?+)")
_NESTED = re.compile(r"\s*+[\[(]\s*+[\[(]")
_PLACES = re.compile(  # of an object whose tag is spoilt: four numbers in brackets, or two pairs
    r"""(?xa) [\[(] \s*+ [-+.\d]++ \s*+ , \s*+ [-+.\d]++ \s*+ (?: , \s*+ [-+.\d]++ \s*+ , | [\])] \s*+ , \s*+ [\[(] )
      | <patch_index_"""
)
_BRACKETS = re.compile(r"[\[(][-+.,;\d\s\[\]()]*+", re.ASCII)  # numbers in brackets, as far as they go
_SEVERAL = re.compile(r"\d\s*+,", re.ASCII)  # what tells coordinates from a remark, as in "cat (2)"
_PATCH = re.compile(r"<patch_index_(\d{1,9})>", re.ASCII)
_DELIMITER = "</delimiter_of_multi_objects/>"
_SPACES = " \t\r\n,，"
_BETWEEN = _SPACES + ".:;"
MISSING_TAG, STRAY_TEXT, NO_TAGS = "missing tag", "text among coordinates", "tags left out"


class Body:
    """What stands between the tags of a box: whether its end is there, and whether it is a `<quad>`."""

    __slots__ = ("is_closed", "is_quad", "text")

    def __init__(self, text: str, is_closed: bool, is_quad: bool) -> None:
        self.text, self.is_closed, self.is_quad = text, is_closed, is_quad


ReadBody = Callable[[Body, str, GatheredObjects], None]


def read_tagged(text: str, read_body: ReadBody, family: str) -> ParsedText:
    """Every object of a caption with tags, or with boxes whose tags a decoder has left out."""
    if _is_stripped(text):
        return _read_stripped(text, read_body).parsed(family)
    reader = _Captions(read_body)
    at = 0
    for tag in _TAGS.finditer(text):
        reader.take(text[at : tag.start()], tag.lastgroup or "")
        at = tag.end()
    reader.finish(text[at:])
    return reader.gathered.parsed(family)


def _is_stripped(text: str) -> bool:
    """Whether an answer has boxes in brackets and neither a tag nor anything of JSON.

    >>> _is_stripped("cat[[1, 2, 3, 4]]"), _is_stripped('[{"bbox_2d": [1, 2, 3, 4]}]'), _is_stripped("two (2) cats")
    (True, False, False)
    """
    return not any(mark in text for mark in '<>{}"') and _PLACES.search(text) is not None


def _read_stripped(text: str, read_body: ReadBody) -> GatheredObjects:
    """Boxes between the words of a caption, each of which has the words before it for its label."""
    gathered, at = GatheredObjects(), 0
    gathered.repair(NO_TAGS)
    for brackets in _BRACKETS.finditer(text):
        body = brackets[0].rstrip(" \t\r\n,.;-+")
        is_closed = body.endswith(("]", ")")) and body.count("[") == body.count("]")
        if _SEVERAL.search(body):
            gathered.is_cut |= not is_closed
            read_body(Body(body, is_closed, False), text[at : brackets.start()].strip(_BETWEEN), gathered)
            at = brackets.end()
        elif not is_closed and brackets.end() == len(text):
            gathered.is_cut = True
    return gathered


class _Captions:
    """Goes from tag to tag: `inside` is the tag that is open, `label` waits for boxes, `unused` for its first one."""

    def __init__(self, read_body: ReadBody) -> None:
        self.read_body, self.gathered = read_body, GatheredObjects()
        self.inside = self.label = ""
        self.unused = False

    def take(self, text: str, tag: str) -> None:
        """Handle the text before a tag, and the tag."""
        if self.inside in ("box", "quad"):
            self._end_box(text, tag)
        elif self.inside == "label" or tag == "label_end":
            self._end_label(text, tag)
        else:
            self._pass(text, tag)
        if tag in ("box", "quad", "label"):
            self._drop_label(tag)
            self.inside = tag
        else:
            self.inside = ""

    def _end_box(self, text: str, tag: str) -> None:
        if tag not in ("box_end", "quad_end"):
            self.gathered.repair(MISSING_TAG)
        self.read_body(Body(text, True, self.inside == "quad"), self.label, self.gathered)
        self.unused = False

    def _end_label(self, text: str, tag: str) -> None:
        if self.inside != "label" or tag != "label_end":
            self.gathered.repair(MISSING_TAG)
        self.label, self.unused = text.strip(), True

    def _pass(self, text: str, tag: str) -> None:
        """Handle text between objects, which separates labels from boxes and may hold a box with a spoilt tag."""
        if tag in ("box_end", "quad_end") or _PLACES.search(text):
            self.gathered.repair(MISSING_TAG)
            self.gathered.add_unreadable(text or tag)
            self.label, self.unused = "", False
        elif text.strip(_SPACES):
            self._drop_label("label")
            self.label = ""

    def _drop_label(self, tag: str) -> None:
        """A label that no box followed is an object without a place."""
        if self.unused and tag == "label":
            self.gathered.add_unreadable(self.label)
            self.unused = False

    def finish(self, text: str) -> None:
        """Handle the text after the last tag."""
        if self.inside in ("box", "quad"):
            self.gathered.is_cut = True
            self.read_body(Body(text, False, self.inside == "quad"), self.label, self.gathered)
        elif self.inside == "label" or (self.unused and not text.strip()) or ends_in_tag(text):
            self.gathered.is_cut = True
        else:
            self._pass(text, "")
            self._drop_label("label")


def bracket_body(end: float) -> ReadBody:
    """Reads bodies of lists or pairs; `end` is the far side of the image in them."""

    def read(body: Body, label: str, gathered: GatheredObjects) -> None:
        groups = [(values, bracket) for values, bracket in _GROUP.findall(body.text) if values.strip()]
        if not body.is_closed and groups and not groups[-1][1]:
            groups.pop()
        elif body.is_closed and _GROUP.sub("", body.text).strip("[](),; \t\r\n"):
            gathered.repair(STRAY_TEXT)
        read_groups = _read_list if _NESTED.match(body.text) else _read_pairs
        read_groups([_numbers(values, end) for values, _ in groups], body, label, gathered)

    return read


def _numbers(text: str, end: float) -> list[float] | None:
    """The numbers of a group in norm1000, None where one is none."""
    values = [number(part) for part in text.split(",")]
    return (
        None
        if None in values
        else [value if end == 1000 else value * 1000 / end for value in values if value is not None]
    )


def _read_list(groups: list[list[float] | None], body: Body, label: str, gathered: GatheredObjects) -> None:
    """Read a list of boxes, each of which may be damaged by itself."""
    for values in groups:
        if values is not None and len(values) == 4:
            gathered.add("bbox_2d", values, label)
        else:
            gathered.add_unreadable(body.text)


def _read_pairs(groups: list[list[float] | None], body: Body, label: str, gathered: GatheredObjects) -> None:
    """Read corners one after the other, or one box alone."""
    values = [value for group in groups for value in group or ()]
    size, kind = (8, "poly") if body.is_quad else (4, "bbox_2d")
    whole = len(values) - len(values) % size
    if None in groups or (body.is_closed and (whole != len(values) or not whole)):
        gathered.add_unreadable(body.text)
        return
    for at in range(0, whole, size):
        gathered.add(kind, values[at : at + size], label)


def patch_body(body: Body, label: str, gathered: GatheredObjects) -> None:
    """Read boxes of two patches each: the cells of the upper left and lower right corner."""
    pieces = body.text.split(_DELIMITER)
    if not body.is_closed and len(_PATCH.findall(pieces[-1])) != 2:
        pieces.pop()
    for piece in pieces:
        patches = [int(index) for index in _PATCH.findall(piece)]
        is_whole = body.is_closed or piece is not pieces[-1]
        if len(patches) != 2 or max(patches) >= GRID**2 or (is_whole and _PATCH.sub("", piece).strip()):
            gathered.add_unreadable(piece)
        else:
            gathered.add("bbox_2d", patch_box(*patches), label)


def patch_box(first: int, last: int) -> list[float]:
    """The box from one patch to another: between their middles, or, in one row or column, all of both.

    >>> patch_box(0, 1023), patch_box(0, 0)
    ([15.625, 15.625, 984.375, 984.375], [0.0, 0.0, 31.25, 31.25])
    """
    (top, left), (bottom, right) = divmod(first, GRID), divmod(last, GRID)
    if left == right or top == bottom:
        return [left * CELL, top * CELL, (right + 1) * CELL, (bottom + 1) * CELL]
    return [(at + 0.5) * CELL for at in (left, top, right, bottom)]
