"""CVAT for video 1.1: one XML document for one video, whose tracks are the states.

A `track` has a `label` and shapes (`box`, `polygon`, …), each with its `frame`: from a shape that is not `outside` up
to the next shape, or to the end of the video after the last, its label is the state. A shape with an `attribute`
called `state` has that as its state instead. Frames may also have tags: `tag` with `label` and `frame`, or in an
`image`, whose `id` is its frame; the frames of one tag are one state. Frames that several tracks of one state share
count once. Frames count from 0; `size` of the task says how many there are. The video is the `source` of the task,
else it is called like the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from typing import Any

from calipers.core.errors import InputError
from calipers.files.problems import shown
from calipers.files.safe_xml import SafeXml
from calipers.kernels.scan.intervals import LARGEST_FRAME

MAX_DOCUMENT_BYTES = 500_000_000  # bytes
SHAPES = ("box", "polygon", "polyline", "points", "mask", "ellipse", "cuboid", "skeleton")
STATE = "state"
SOURCE = re.compile(rb"<source>([^<]{1,1000})</source>")
WHOLE = re.compile(r"[0-9]{1,18}")

Spans = list[tuple[int, int]]  # inclusive


def looks_like(head: bytes) -> bool:
    """Whether it is a document of CVAT with tracks, or with tags and no shapes.

    >>> looks_like(b'<annotations><track id="0" label="a">'), looks_like(b'<annotations><image id="0"><box label="a"/>')
    (True, False)
    """
    if b"<annotations" not in head:
        return False
    shapes = any(f"<{name} ".encode() in head for name in SHAPES)
    return b"<track " in head or (b"<tag " in head and not shapes)


def video_of(head: bytes) -> str:
    """The video that a document names, by its first bytes; "" if it names none.

    >>> video_of(b"<annotations><meta><source>drive &amp; park.mp4</source>")
    'drive & park.mp4'
    """
    source = SOURCE.search(head)
    return unescape(source[1].decode("utf-8", "replace")).strip().rpartition("/")[2] if source else ""


def read_cvat_video(data: bytes, name: str, spelling: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """One document as an entry of predictions, and warnings."""
    if len(data) > MAX_DOCUMENT_BYTES:
        raise InputError(f"{name}: found {len(data):,} bytes of XML, expected at most {MAX_DOCUMENT_BYTES:,}")
    document = _CvatVideo()
    try:
        document.parse(data)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    if not document.has_annotations:
        raise InputError(f"{name}: found no <track> and no <tag>, expected one for each state: CVAT for video 1.1")
    states: dict[str, Spans] = {}
    for state, spans in document.states().items():
        states.setdefault(spelling.get(state.lower(), state), []).extend(spans)
    return {"fps": None, "states": {state: joined(spans) for state, spans in states.items()}}, []


def joined(spans: Spans) -> list[list[int]]:
    """Spans in order, those that overlap or touch as one.

    >>> joined([(5, 9), (0, 2), (3, 4), (20, 21), (8, 12)])
    [[0, 12], [20, 21]]
    """
    merged: list[list[int]] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1] + 1:
            merged[-1][1] = max(merged[-1][1], last)
        else:
            merged.append([first, last])
    return merged


class _Shape:
    """A shape of a track, or a tag: its frame, whether it is outside, and the state that an attribute says."""

    __slots__ = ("frame", "line", "outside", "state")

    def __init__(self, frame: int, outside: bool, line: str) -> None:
        self.frame, self.outside, self.line, self.state = frame, outside, line, ""


class _CvatVideo:
    """A document as expat tells it, element by element."""

    def __init__(self) -> None:
        self._tracks: list[tuple[str, list[_Shape]]] = []  # labels, and shapes in the order of the document
        self._tags: list[tuple[str, _Shape]] = []
        self.has_annotations = False
        self._size: int | None = None  # frames of the video
        self._path: list[str] = []  # names of the open elements
        self._frame: int | None = None  # of the open image
        self._open: _Shape | None = None
        self._text: list[str] | None = None
        self._parser = SafeXml("CVAT", self._start, self._end, self._add_text)

    def parse(self, data: bytes) -> None:
        """Parse the whole document, or raise an error that names the line at fault."""
        self._parser.parse(data)

    def states(self) -> dict[str, Spans]:
        """Spans of frames by state, in the order of the document."""
        states: dict[str, Spans] = {}
        for label, shapes in self._tracks:
            ordered = sorted(shapes, key=lambda shape: shape.frame)
            for at, shape in enumerate(ordered):
                last = ordered[at + 1].frame - 1 if at + 1 < len(ordered) else self._last_frame(shape.frame)
                if not shape.outside and last >= shape.frame:
                    states.setdefault(shape.state or label, []).append((shape.frame, last))
        for label, tag in self._tags:
            states.setdefault(tag.state or label, []).append((tag.frame, tag.frame))
        return states

    def _last_frame(self, frame: int) -> int:
        return frame if self._size is None else max(frame, self._size - 1)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        depth, inside = len(self._path), self._path[1] if len(self._path) > 1 else ""
        self._path.append(name)
        if depth == 0 and name != "annotations":
            raise InputError(f"{self._parser.line()}: found <{name}>, expected <annotations>")
        if depth == 1 and name == "track":
            self._tracks.append((self._label(attributes, name), []))
            self.has_annotations = True
        elif depth == 1 and name == "image":
            self._frame = self._whole(attributes, "id", name)
        elif name == "tag" and (depth == 1 or (depth == 2 and inside == "image")):
            frame = self._whole(attributes, "frame", name) if depth == 1 or self._frame is None else self._frame
            self._open = _Shape(frame, False, self._parser.line())
            self._tags.append((self._label(attributes, name), self._open))
            self.has_annotations = True
        elif depth == 2 and inside == "track" and name in SHAPES:
            outside = attributes.get("outside", "0") in ("1", "true", "True")
            self._open = _Shape(self._whole(attributes, "frame", name), outside, self._parser.line())
            self._tracks[-1][1].append(self._open)
        elif self._is_told(name, attributes):
            self._text = []

    def _is_told(self, name: str, attributes: dict[str, str]) -> bool:
        """Whether the text of an element is needed: a state, or the number of frames."""
        if name == "size":
            return self._path in (["annotations", "meta", own, "size"] for own in ("task", "job"))
        return self._open is not None and name == "attribute" and attributes.get("name", "").lower() == STATE

    def _end(self, name: str) -> None:
        text, self._text = ("".join(self._text).strip(), None) if self._text is not None else ("", None)
        if name == "attribute" and self._open is not None and text:
            self._open.state = text
        elif name == "size" and WHOLE.fullmatch(text):
            self._size = int(text)
        elif name in SHAPES or name == "tag":
            self._open = None
        elif name == "image":
            self._frame = None
        self._path.pop()

    def _add_text(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _label(self, attributes: dict[str, str], element: str) -> str:
        label = attributes.get("label", "").strip()
        if not label:
            raise InputError(f"{self._parser.line()}: {element}: label: missing, expected the name of a state")
        return label

    def _whole(self, attributes: dict[str, str], name: str, element: str) -> int:
        text = attributes.get(name, "")
        if not WHOLE.fullmatch(text) or int(text) > LARGEST_FRAME:
            problem = f"found {shown(text)}" if name in attributes else "missing"
            raise InputError(
                f"{self._parser.line()}: {element}: {name}: {problem}, expected a whole frame from 0 to {LARGEST_FRAME}"
            )
        return int(text)
