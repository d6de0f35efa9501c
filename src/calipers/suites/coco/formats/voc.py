"""Pascal VOC: an XML document for each image.

A document is an `annotation` with `filename`, `size` (`width`, `height`) and any number of `object`, each with `name`
and `bndbox` (`xmin`, `ymin`, `xmax`, `ymax`); predictions add `score` or `confidence`. Numbers are pixels and may have
fractions, and the two corners may be given in any order. The width of a box is xmax - xmin, without the 1 that the
first challenge added. An object whose `difficult` is 1 is neither demanded nor punished: it becomes a crowd region.
Polygons are not read. A document without a file name is of the image that is called like it. Without a `size` that of
the image is unknown.
"""

from __future__ import annotations

import math
import re

from calipers.core.errors import InputError
from calipers.files.problems import shown
from calipers.files.safe_xml import SafeXml
from calipers.suites.coco.formats.conversion import peek_below
from calipers.suites.coco.formats.documents import SCORE_NOTE, Document, DocumentObject, Reader
from calipers.suites.coco.formats.pieces import Fields, MalformedError, Row

MAX_DOCUMENT_BYTES = 50_000_000  # bytes
LONGEST_NUMBER = 100  # characters
NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
DIFFICULT = {"": 0, "0": 0, "false": 0, "unspecified": 0, "1": 1, "true": 1}
DIFFICULT_NOTE = "difficult objects are neither demanded nor punished: they are crowd regions here"
ENDLESS = {"nan", "inf", "infinity"}
POLYGON_NOTE = "polygons of Pascal VOC objects were not read, only their boxes"


def looks_like(path: str) -> bool:
    """Whether this is a document of Pascal VOC, or a folder with one."""
    return b"<annotation" in peek_below(path, ".xml")


def _document(data: bytes, path: str, truth: bool) -> Document:
    try:
        return _read_document(data, truth)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _read_document(data: bytes, truth: bool) -> Document:
    root = _parse(data)
    objects = [child for child in root.children if child.name == "object"]
    notes = [POLYGON_NOTE for item in objects if item.find("polygon")]
    if truth:
        notes += [SCORE_NOTE for item in objects if _find_score(item)]
        notes += [DIFFICULT_NOTE for item in objects if DIFFICULT.get(item.text("difficult").lower())]
    read = [_object(element, f": object {number}", truth) for number, element in enumerate(objects, 1)]
    return Document(root.text("filename"), lambda: _size(root), read, notes)


def _object(element: _Element, place: str, truth: bool) -> DocumentObject:
    label = element.text("name")
    if not label:
        raise InputError(f"{place.removeprefix(': ')}: name: missing, expected the name of its class")
    first: Fields = (lambda: _crowd(element)) if truth else (lambda: _score(element))
    return DocumentObject(place, label, [first, lambda: _box(element)])


def _size(root: _Element) -> Row:
    """Width and height, or nothing in a document without them: boxes need neither."""
    if not any(child.children for child in root.find("size")):
        return {}
    size = root.only("size", "<width> and <height> in it")
    width, height = (
        _number(size.only(name, "a number", f"size.{name}"), f"size.{name}") for name in ("width", "height")
    )
    if width <= 0 or height <= 0:
        raise InputError(f"size: found {width:g} x {height:g}, expected positive numbers of pixels")
    return {"width": width, "height": height}


def _crowd(element: _Element) -> Row:
    text = element.text("difficult")
    if text.lower() not in DIFFICULT:
        raise MalformedError(f"difficult: found {shown(text)}, expected 0 or 1", "difficult: not 0 or 1")
    return {"iscrowd": DIFFICULT[text.lower()]}


def _score(element: _Element) -> Row:
    score = _find_score(element)
    return {"score": _number(score[0], score[0].name, "score: not a number")} if score else {}


def _find_score(element: _Element) -> list[_Element]:
    return element.find("score") or element.find("confidence")


def _box(element: _Element) -> Row:
    box = element.only("bndbox", "<xmin>, <ymin>, <xmax> and <ymax> in it", words="bbox: missing")
    x, y, other_x, other_y = (_corner(box, name) for name in ("xmin", "ymin", "xmax", "ymax"))
    return {"bbox": [min(x, other_x), min(y, other_y), abs(other_x - x), abs(other_y - y)]}


def _corner(box: _Element, name: str) -> float:
    field, words = f"bndbox.{name}", "bbox: not 4 numbers"
    return _number(box.only(name, "a number", field, words), field, words)


def _number(element: _Element, field: str, words: str = "") -> float:
    text = element.own_text()
    number = float(text) if len(text) <= LONGEST_NUMBER and NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(number):
        endless = math.isinf(number) or text.lstrip("+-").lower() in ENDLESS
        words = f"{words.partition(':')[0]}: not finite" if words and endless else words
        raise MalformedError(f"{field}: found {shown(text)}, expected a number", words)
    return number


# XML


class _Element:
    """An element of the document."""

    __slots__ = ("children", "name", "texts")

    def __init__(self, name: str) -> None:
        self.name = name
        self.texts: list[str] = []  # the pieces of the text directly in it
        self.children: list[_Element] = []

    def find(self, name: str) -> list[_Element]:
        """All children of a name."""
        return [child for child in self.children if child.name == name]

    def own_text(self) -> str:
        """The text without blanks around it."""
        return "".join(self.texts).strip()

    def text(self, name: str) -> str:
        """The text of a child, "" if there is none."""
        return children[0].own_text() if (children := self.find(name)) else ""

    def only(self, name: str, expected: str, field: str = "", words: str = "") -> _Element:
        """The one child of a name."""
        children = self.find(name)
        if len(children) != 1:
            problem = f"there {len(children)} times, expected once" if children else f"missing, expected {expected}"
            raise MalformedError(f"{field or name}: {problem}", words)
        return children[0]


def _parse(data: bytes) -> _Element:
    """The tree of a document."""
    if len(data) > MAX_DOCUMENT_BYTES:
        raise InputError(f"found {len(data):,} bytes of XML, expected at most {MAX_DOCUMENT_BYTES:,}")
    top = _Element("")
    opened = [top]

    def start(name: str, _: dict[str, str]) -> None:
        element = _Element(name)
        opened[-1].children.append(element)
        opened.append(element)

    SafeXml("Pascal VOC", start, lambda _: opened.pop(), lambda text: opened[-1].texts.append(text)).parse(data)
    [root] = top.children
    opened.clear()  # the parser and what it calls hold each other, and should not hold the tree as well
    if root.name != "annotation":
        raise InputError(f"found <{root.name}>, expected <annotation>")
    return root


READER = Reader("voc", ".xml", "Annotations", _document)
open_folder, read_shard = READER.open_folder, READER.read_shard
