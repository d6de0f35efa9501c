"""Trees to bytes. Writers take any tree: one that was mutated need not have the shape of its format any more."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from random import Random
from typing import Any

from fuzz.values import Pairs, Raw

Writer = Callable[[Any, Random], bytes]


class Style:
    """How one file is written: blanks, escapes and forms of numbers."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.comma, self.colon = rng.choice([(b",", b":"), (b", ", b": "), (b" ,\t", b" :\r"), (b",\n", b":\n ")])
        self.is_ascii = rng.random() < 0.3
        self.escapes = 0.05 if rng.random() < 0.2 else 0.0
        self.forms = 0.3 if rng.random() < 0.2 else 0.0
        self.is_loose = False  # whether a whole number may be written as 1.0

    def text(self, value: str) -> bytes:
        """A text in quotes; letters may be written as escapes, which mean the same."""
        if self.rng.random() < self.escapes:
            return ('"' + "".join(f"\\u{ord(letter):04x}" for letter in value if ord(letter) < 65536) + '"').encode()
        return json.dumps(value, ensure_ascii=self.is_ascii).encode("utf-8", "surrogatepass")

    def number(self, value: float) -> bytes:
        """A number, maybe in another form of the same value."""
        if isinstance(value, float) and not math.isfinite(value):
            return b"NaN" if math.isnan(value) else b"Infinity" if value > 0 else b"-Infinity"
        if isinstance(value, int) and abs(value) >= 10**400:
            return b"-" * (value < 0) + b"1" + b"0" * 400
        whole = isinstance(value, int) and not self.is_loose
        if self.forms and not whole and abs(value) < 1e15 and self.rng.random() < self.forms:
            return self.rng.choice([f"{value:.17e}", f"{float(value)!r}", f"{float(value):.20g}"]).encode()
        return repr(value).encode()


def write_json(tree: Any, rng: Random) -> bytes:
    """One value."""
    return _json(tree, Style(rng))


def _json(tree: Any, style: Style) -> bytes:
    if isinstance(tree, Raw):
        return tree.data
    if isinstance(tree, (dict, Pairs)):
        items = tree.items() if isinstance(tree, dict) else tree
        parts = [style.text(str(key)) + style.colon + _json(value, style) for key, value in items]
        return b"{" + style.comma.join(parts) + b"}"
    if isinstance(tree, (list, tuple)):
        return b"[" + style.comma.join(_json(item, style) for item in tree) + b"]"
    if tree is None or isinstance(tree, bool):
        return {None: b"null", True: b"true", False: b"false"}[tree]
    return style.number(tree) if isinstance(tree, (int, float)) else style.text(str(tree))


def write_lines(tree: Any, rng: Random) -> bytes:
    """A value a line."""
    style = Style(rng)
    style.is_loose = True
    style.comma, style.colon = rng.choice([(b",", b":"), (b", ", b": "), (b"\t,", b" : ")])
    rows = tree if isinstance(tree, list) and not isinstance(tree, Pairs) else [tree]
    ends = rng.choice([b"\n", b"\n", b"\r\n", b"\n\n"])
    return ends.join(_json(row, style) for row in rows) + rng.choice([ends, ends, b""])


def write_kept_lines(tree: Any, rng: Random) -> bytes:
    """A value a line, as Calipers itself writes them."""
    style = Style(rng)
    style.comma, style.colon = b",", b":"
    rows = tree if isinstance(tree, list) and not isinstance(tree, Pairs) else [tree]
    return b"".join(_json(row, style) + b"\n" for row in rows)


def _plain(value: Any) -> str:
    """A cell."""
    if isinstance(value, Raw):
        return value.data[:3000].decode("utf-8", "replace")
    if isinstance(value, int) and abs(value) >= 10**400:
        return "1" + "0" * 400
    return value if isinstance(value, str) else "" if value is None else repr(value)[:3000]


def write_csv(tree: Any, rng: Random) -> bytes:
    """A row a line, in quotes where that is needed, or anyway."""
    quotes, ends = rng.random() < 0.2, rng.choice(["\n", "\n", "\r\n"])
    rows = tree if isinstance(tree, list) else [[tree]]
    lines = [",".join(_cell(cell, quotes) for cell in (row if isinstance(row, list) else [row])) for row in rows]
    return (ends.join(lines) + rng.choice([ends, ""])).encode("utf-8", "surrogatepass")


def _cell(value: Any, quotes: bool) -> str:
    text = _plain(value)
    return '"' + text.replace('"', '""') + '"' if quotes or any(mark in text for mark in ',"\n\r') else text


def write_table(tree: Any, rng: Random) -> bytes:
    """Words with blanks between them, a row a line."""
    rows = tree if isinstance(tree, list) else [[tree]]
    blank = rng.choice([" ", " ", "\t", "  "])
    lines = [blank.join(map(_plain, row if isinstance(row, list) else [row])) for row in rows]
    return ("\n".join(lines) + rng.choice(["\n", ""])).encode("utf-8", "surrogatepass")


def write_text(tree: Any, _: Random) -> bytes:
    """A text as it is."""
    parts = tree if isinstance(tree, list) else [tree]
    return "".join(map(_plain, parts)).encode("utf-8", "surrogatepass")


def write_bytes(tree: Any, _: Random) -> bytes:
    """What is no text, such as a picture: its bytes are all there is to mutate."""
    return tree if isinstance(tree, bytes) else repr(tree)[:3000].encode()


def write_xml(tree: Any, rng: Random) -> bytes:
    """Elements are [name, {attributes}, [children and texts]]."""
    head = rng.choice(['<?xml version="1.0" encoding="UTF-8"?>\n', "", '<?xml version="1.0"?>'])
    return (head + _xml(tree)).encode("utf-8", "surrogatepass")


def _xml(tree: Any) -> str:
    if not isinstance(tree, list) or isinstance(tree, Pairs) or len(tree) != 3 or not isinstance(tree[0], str):
        parts = [tree] if not isinstance(tree, list) else [part for part in tree if isinstance(part, (list, str))]
        return "".join(_xml(part) if isinstance(part, list) else _escaped(_plain(part)) for part in parts)
    name, attributes, children = tree
    pairs = attributes.items() if isinstance(attributes, dict) else attributes if isinstance(attributes, Pairs) else ()
    said = "".join(f' {_plain(key)}="{_escaped(_plain(value))}"' for key, value in pairs)
    return f"<{name}{said}>{_xml_all(children)}</{name}>"


def _xml_all(children: Any) -> str:
    parts = children if isinstance(children, list) else [children]
    return "".join(_xml(part) if isinstance(part, list) else _escaped(_plain(part)) for part in parts)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def write_toml(tree: Any, rng: Random) -> bytes:
    """Tables of keys; a list of objects is an array of tables."""
    lines: list[bytes] = []
    for name, value in _items(tree):
        key = _toml_key(name)
        if (
            isinstance(value, list)
            and not isinstance(value, Pairs)
            and all(isinstance(e, (dict, Pairs)) for e in value)
        ):
            for table in value:
                lines += [b"[[" + key + b"]]", *_toml_lines(table, rng)]
        elif isinstance(value, (dict, Pairs)):
            lines += [b"[" + key + b"]", *_toml_lines(value, rng)]
        else:
            lines.insert(0, key + b" = " + _toml(value, rng))
    return b"\n".join(lines) + b"\n"


def _items(tree: Any) -> list[Any]:
    if isinstance(tree, dict):
        return list(tree.items())
    return list(tree) if isinstance(tree, Pairs) else [["value", tree]]


def _toml_lines(table: Any, rng: Random) -> list[bytes]:
    return [_toml_key(key) + b" = " + _toml(value, rng) for key, value in _items(table)]


def _toml_key(key: Any) -> bytes:
    text = str(key)
    plain = text.replace("_", "").replace("-", "").replace(".", "")
    return text.encode() if plain.isascii() and plain.isalnum() else json.dumps(text).encode()


def _toml(value: Any, rng: Random) -> bytes:
    if isinstance(value, Raw):
        return value.data
    if isinstance(value, (dict, Pairs)):
        return b"{" + b", ".join(_toml_lines(value, rng)) + b"}"
    if isinstance(value, list):
        return b"[" + b", ".join(_toml(item, rng) for item in value) + b"]"
    if isinstance(value, float) and not math.isfinite(value):
        return b"nan" if math.isnan(value) else b"inf" if value > 0 else b"-inf"
    return b'""' if value is None else _json(value, Style(rng))
