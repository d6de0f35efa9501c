"""Clio's GraphML to plain objects.

Objects are the nodes whose `node_type` or `type` is `object`. Their data are texts: `name` (the label, after a leading
"find the "), `position` and `bbox_dim`, three numbers like "[1.0, 2.0, 3.0]", and `bbox_orientation`, three rows of
three; without it a box is not turned. The id is `obj_id`, else the node's own. `score` is read as a number and
`similarity` as a JSON object, where they are there. A text without content is as good as none.

The document may come from anyone: a DOCTYPE, and with it any declared entity, is refused, depth and size have limits,
and texts are matched against patterns, never evaluated.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import orjson

from calipers.core.errors import InputError
from calipers.files.problems import shown
from calipers.files.safe_xml import SafeXml
from calipers.suites.scene.formats.plain import ObjectWithoutBox, PlainScene

MAX_DOCUMENT_BYTES = 500_000_000  # bytes
LONGEST_LITERAL = 1000  # characters; nine floats take 250
FIELDS = {"center": "position", "size": "bbox_dim", "rotation": "bbox_orientation", "label": "name"}

_NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_GAP = r"(?: ?, ?| )"  # blanks as numpy writes them, or commas


def _three(part: str) -> str:
    """A pattern of three parts in brackets of either kind."""
    inside = rf" ?{part}(?:{_GAP}{part}){{2}} ?,? ?"
    return rf"(?:\[{inside}\]|\({inside}\))"


NUMBER, VECTOR, MATRIX = (re.compile(part) for part in (_NUMBER, _three(_NUMBER), _three(_three(_NUMBER))))
TASK = re.compile(r"\Afind the\s+", re.IGNORECASE)


def plain_objects(data: bytes) -> PlainScene:
    """The objects of a document, in its order.

    >>> texts = {"node_type": "object", "name": "find the lamp", "position": "[1, 2, 3]", "bbox_dim": "(1, 1, 0.5)"}
    >>> lines = [f'<data key="{name}">{text}</data>' for name, text in texts.items()]
    >>> scene = plain_objects(f'<graphml><node id="n0">{"".join(lines)}</node></graphml>'.encode())
    >>> scene.objects
    [{'id': 'n0', 'label': 'lamp', 'center': [1.0, 2.0, 3.0], 'size': [1.0, 1.0, 0.5], 'rotation': None}]
    >>> scene.where(0, "size")
    'node n0: bbox_dim'
    """
    nodes = [node for node in _read_nodes(data) if "object" in (node.text("node_type"), node.text("type"))]

    def where(index: int, field: str) -> str:
        return nodes[index].where(field)

    return PlainScene([_plain_object(node) for node in nodes], where)


def _plain_object(node: _GraphNode) -> dict[str, Any]:
    name, score, similarity = node.text("name"), node.text("score"), node.text("similarity")
    fields: dict[str, Any] = {"id": node.text("obj_id") or node.id, "label": TASK.sub("", name, 1) or None}
    if score:
        fields["score"] = float(score) if NUMBER.fullmatch(score) else score
    if similarity:
        fields["similarity"] = _json(similarity)
    try:
        return fields | _box(node)
    except InputError as error:
        return ObjectWithoutBox(str(error), **fields)


def _box(node: _GraphNode) -> dict[str, Any]:
    if node.twice:
        raise InputError(f"{node.twice} is there twice, expected each once")
    center, size = _numbers(node, "position", VECTOR), _numbers(node, "bbox_dim", VECTOR)
    if not node.text("bbox_orientation"):
        return {"center": center, "size": size, "rotation": None}
    turn = _numbers(node, "bbox_orientation", MATRIX)
    return {"center": center, "size": size, "rotation": [turn[:3], turn[3:6], turn[6:]]}


def _numbers(node: _GraphNode, name: str, pattern: re.Pattern[str]) -> list[float]:
    text = " ".join(node.text(name).split())
    if len(text) > LONGEST_LITERAL or not pattern.fullmatch(text):
        expected = "three numbers like [1.0, 2.0, 3.0]" if pattern is VECTOR else "three rows of three numbers"
        problem = f"found {shown(node.text(name))}" if text else "missing"
        raise InputError(f"{name}: {problem}, expected {expected}")
    return [float(number) for number in NUMBER.findall(text)]


def _json(text: str) -> Any:
    """What a text means in JSON, or the text, which is then seen not to fit."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


# XML


class _GraphNode(NamedTuple):
    """A node, with the texts of its data by name."""

    id: str | None
    place: int  # among all nodes
    texts: dict[str, str]
    defaults: dict[str, str]  # of all nodes
    twice: str  # a name that two of its data have

    def text(self, name: str) -> str:
        """A text without blanks around it, "" if there is none."""
        return self.texts.get(name, self.defaults.get(name, "")).strip()

    def where(self, field: str) -> str:
        """The place of a field of the plain form in the document."""
        node = f"nodes[{self.place}]" if self.id is None else f"node {self.id}"
        name = ("obj_id" if self.text("obj_id") else "") if field == "id" else FIELDS.get(field, field)
        return f"{node}: {name}" if name else node


def _read_nodes(data: bytes) -> list[_GraphNode]:
    if len(data) > MAX_DOCUMENT_BYTES:
        raise InputError(f"found {len(data):,} bytes of XML, expected at most {MAX_DOCUMENT_BYTES:,}")
    document = _Document()
    document.parse(data)
    if not document.nodes:
        raise InputError("found GraphML without any node, expected a node for each object")
    return [document.named(place, element) for place, element in enumerate(document.nodes)]


class _GraphElement:
    """An element of the document."""

    __slots__ = ("attributes", "data", "name", "texts")

    def __init__(self, name: str, attributes: dict[str, str]) -> None:
        self.name, self.attributes = name, attributes
        self.texts: list[str] = []  # the pieces of the text directly in it
        self.data: list[tuple[str, str]] = []  # key and text of the data of a node


class _Document:
    """GraphML as expat tells it, element by element."""

    def __init__(self) -> None:
        self.nodes: list[_GraphElement] = []
        self._names: dict[str, str] = {}  # by the ids of keys
        self._defaults: dict[str, str] = {}  # texts by name
        self._open: list[_GraphElement] = []
        self._parser = SafeXml("GraphML", self._start, self._end, self._add_text)

    def parse(self, data: bytes) -> None:
        """Parse the whole document, or raise an error that names the line at fault."""
        self._parser.parse(data)

    def named(self, place: int, element: _GraphElement) -> _GraphNode:
        """A node with the names that its keys stand for."""
        texts: dict[str, str] = {}
        twice = ""
        for key, text in element.data:
            name = self._names.get(key, key)
            twice = name if name in texts else twice
            texts[name] = text
        return _GraphNode(element.attributes.get("id"), place, texts, self._defaults, twice)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._open and name != "graphml":
            raise InputError(f"{self._parser.line()}: found <{name}>, expected <graphml>")
        element = _GraphElement(name, attributes)
        self._open.append(element)
        if element.name == "node":
            self.nodes.append(element)

    def _end(self, _: str) -> None:
        element = self._open.pop()
        if element.name == "key":
            key = element.attributes.get("id", "")
            self._names[key] = element.attributes.get("attr.name", key)
        elif element.name == "data" and self._open[-1].name == "node":
            self._open[-1].data.append((element.attributes.get("key", ""), "".join(element.texts)))
        elif element.name == "default" and self._open[-1].name == "key":
            self._add_default(self._open[-1].attributes, "".join(element.texts))

    def _add_default(self, key: dict[str, str], text: str) -> None:
        if key.get("for", "all") in ("all", "node"):
            self._defaults[key.get("attr.name", key.get("id", ""))] = text

    def _add_text(self, text: str) -> None:
        if self._open[-1].name in ("data", "default"):
            self._open[-1].texts.append(text)
