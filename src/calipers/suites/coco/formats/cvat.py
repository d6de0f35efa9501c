"""CVAT for images 1.1: one XML document for many images.

The document is `annotations` with an `image` (`name`, `width`, `height`) for each image, in which stand the shapes: a
`box` (`label`, `xtl`, `ytl`, `xbr`, `ybr`) or a `polygon` (`label`, `points` as "x,y;x,y;…"), in pixels. A box with a
`rotation` is turned by so many degrees around its middle; it is read as the outline that it then has. Predictions have
an `attribute` called `score` or `confidence`. Other shapes (polylines, points, masks, ellipses, cuboids, skeletons,
tags) are left out with a note. Tracks of videos are refused: they are no images. Labels that `meta` lists are classes,
also if no shape has one: a detection of such a class is a false one, and no error.
"""

from __future__ import annotations

import math
import re
from functools import partial

from calipers.core.errors import InputError
from calipers.files.problems import shown
from calipers.files.safe_xml import SafeXml
from calipers.suites.coco.formats.conversion import peek_below
from calipers.suites.coco.formats.documents import SCORE_NOTE, Document, DocumentObject, Reader
from calipers.suites.coco.formats.outlines import bounds, outline, turned
from calipers.suites.coco.formats.pieces import Fields, MalformedError, Row

MAX_DOCUMENT_BYTES = 500_000_000  # bytes
LONGEST_NUMBER = 100  # characters
NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
READ = ("box", "polygon")
LEFT_OUT = ("polyline", "points", "mask", "ellipse", "cuboid", "skeleton", "tag")
SCORES = ("score", "confidence")
LISTED = ["labels", "label", "name"]  # where the task lists its labels, in <meta>


def looks_like(path: str) -> bool:
    """Whether this is a document of CVAT, or a folder with one."""
    return b"<annotations" in peek_below(path, ".xml")


def _documents(data: bytes, path: str, truth: bool) -> list[Document]:
    if len(data) > MAX_DOCUMENT_BYTES:
        raise InputError(f"{path}: found {len(data):,} bytes of XML, expected at most {MAX_DOCUMENT_BYTES:,}")
    parsed = _CvatXml()
    try:
        parsed.parse(data)
        if not parsed.images:
            raise InputError("found no <image>, expected one for each image")
        first, *others = [_document(image, truth) for image in parsed.images]
        return [first._replace(classes=parsed.classes), *others]
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _document(image: _CvatImage, truth: bool) -> Document:
    name = image.attributes.get("name", "")
    if not name:
        raise InputError(f"{image.line}: image: name: missing, expected the name of a file")
    notes = [f"shapes of the type {shape.kind} were left out" for shape in image.shapes if shape.kind in LEFT_OUT]
    notes += [SCORE_NOTE for shape in image.shapes if truth and shape.score is not None]
    objects = [_object(shape, truth) for shape in image.shapes if shape.kind in READ]
    return Document(name, partial(_size, image), objects, notes)


def _object(shape: _CvatShape, truth: bool) -> DocumentObject:
    label = shape.attributes.get("label", "").strip()
    if not label:
        raise InputError(f"{shape.line}: {shape.kind}: label: missing, expected the name of its class")
    shaped = partial(_box if shape.kind == "box" else _polygon, shape)
    parts: list[Fields] = [shaped] if truth else [partial(_score, shape), shaped]
    return DocumentObject(f": {shape.line}: {shape.kind}", label, parts)


def _size(image: _CvatImage) -> Row:
    """Width and height, or nothing where both are missing: boxes need neither."""
    if not {"width", "height"} & set(image.attributes):
        return {}
    sides = {name: _number(image.attributes.get(name), name, "") for name in ("width", "height")}
    if min(sides.values()) <= 0:
        raise InputError(
            f"{image.line}: image: found {sides['width']:g} x {sides['height']:g}, expected positive numbers of pixels"
        )
    return dict(sides)


def _score(shape: _CvatShape) -> Row:
    return {} if shape.score is None else {"score": _number(shape.score, "score", "score: not a number")}


def _box(shape: _CvatShape) -> Row:
    words = "bbox: not 4 numbers"
    x, y, other_x, other_y = (_number(shape.attributes.get(name), name, words) for name in ("xtl", "ytl", "xbr", "ybr"))
    corners = [(x, y), (other_x, y), (other_x, other_y), (x, other_y)]
    angle = _number(shape.attributes.get("rotation", "0"), "rotation", "rotation: not a number") % 360
    if not angle:
        return {"bbox": bounds(corners)}
    return outline(turned(corners, ((x + other_x) / 2, (y + other_y) / 2), angle))


def _polygon(shape: _CvatShape) -> Row:
    words = "points: not pairs of numbers"
    text = shape.attributes.get("points", "")
    pairs = [pair.split(",") for pair in text.split(";")]
    if len(pairs) < 3 or any(len(pair) != 2 for pair in pairs):
        raise MalformedError(f'points: found {shown(text)}, expected at least 3 like "x,y;x,y;x,y"', words)
    return outline([(_number(x, "points", words), _number(y, "points", words)) for x, y in pairs])


def _number(text: str | None, field: str, words: str) -> float:
    if text is None:
        raise MalformedError(f"{field}: missing, expected a number", words)
    text = text.strip()
    number = float(text) if len(text) <= LONGEST_NUMBER and NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(number):
        raise MalformedError(f"{field}: found {shown(text)}, expected a number", words)
    return number


# XML


class _CvatShape:
    """A shape: its element, and the score among its attributes."""

    __slots__ = ("attributes", "kind", "line", "score")

    def __init__(self, kind: str, attributes: dict[str, str], line: str) -> None:
        self.kind, self.attributes, self.line = kind, attributes, line
        self.score: str | None = None


class _CvatImage:
    """An image and its shapes."""

    __slots__ = ("attributes", "line", "shapes")

    def __init__(self, attributes: dict[str, str], line: str) -> None:
        self.attributes, self.line = attributes, line
        self.shapes: list[_CvatShape] = []


class _CvatXml:
    """A document as expat tells it, element by element."""

    def __init__(self) -> None:
        self.images: list[_CvatImage] = []
        self._path: list[str] = []  # names of the open elements
        self.classes: list[str] = []  # labels of the task, also of those that no shape has
        self._text: list[str] | None = None  # of a score or a label of the task
        self._parser = SafeXml("CVAT", self._start, self._end, self._add_text)

    def parse(self, data: bytes) -> None:
        """Parse the whole document, or raise an error that names the line at fault."""
        self._parser.parse(data)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        line, depth = self._parser.line(), len(self._path)
        self._path.append(name)
        if depth == 0 and name != "annotations":
            raise InputError(f"{line}: found <{name}>, expected <annotations>")
        if depth == 1 and name == "track":
            raise InputError(f"{line}: found <track>, expected <image>: the export CVAT for images 1.1, not for video")
        if depth == 1 and name == "image":
            self.images.append(_CvatImage(attributes, line))
        elif depth == 2 and self._path[1] == "image":
            self._add_shape(name, attributes, line)
        elif self._is_wanted(attributes.get("name", "").lower()):
            self._text = []

    def _is_wanted(self, attribute: str) -> bool:
        """Whether the text of the element that was opened counts: a score, or a label that the task lists."""
        if self._path[1:2] == ["meta"]:
            return self._path[-3:] == LISTED
        return len(self._path) == 4 and self._path[1] == "image" and attribute in SCORES

    def _add_shape(self, name: str, attributes: dict[str, str], line: str) -> None:
        if name not in READ + LEFT_OUT:
            raise InputError(f"{line}: found <{name}>, expected one of {', '.join(READ + LEFT_OUT)}")
        self.images[-1].shapes.append(_CvatShape(name, attributes, line))

    def _end(self, _: str) -> None:
        self._path.pop()
        if self._text is None:
            return
        if self._path[1] == "meta":
            self.classes += [name for name in ("".join(self._text).strip(),) if name]
            self._text = None
        elif len(self._path) == 3:
            self.images[-1].shapes[-1].score = "".join(self._text)
            self._text = None

    def _add_text(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)


READER = Reader("cvat", ".xml", "", _documents)
open_folder, read_shard = READER.open_folder, READER.read_shard
