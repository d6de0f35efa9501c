"""Files as inputs: their bytes and digests, and JSON in which no key is given twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any, NamedTuple

import orjson

from calipers.core.errors import InputError
from calipers.core.text import whole_text
from calipers.files.encodings import encoding_hint, has_zeros
from calipers.files.json_checks import REPEATED_TOO_DEEP, RepeatedKeyDict, as_object, check_memory, repeats_keys
from calipers.files.places import open_place

BOM = b"\xef\xbb\xbf"
OnProgress = Callable[[int, int], None]


class InputFile(NamedTuple):
    """An input as the artifact names it."""

    path: str
    sha256: str | None
    records: int


class ParsedJson(NamedTuple):
    """A JSON text as a tree, and what is wrong with the text if that can still be had."""

    tree: Any
    problem: str  # why a strict parser refuses it: NaN or a number beyond floats
    has_doubles: bool  # some objects are `RepeatedKeyDict`


def read_bytes(path: str) -> bytes:
    """The bytes of a file; an InputError says why it cannot be read."""
    try:
        with open_place(path) as file:
            return file.read()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def folder_digest(digests: Iterable[tuple[str, str]]) -> str:
    """One digest for several files, each given by its path within the folder and its own digest."""
    lines = sorted(f"{digest}  {whole_text(name)}\n" for name, digest in digests)
    return sha256("".join(lines).encode()).hexdigest()


def parse_json(data: bytes, path: str, expected: str) -> ParsedJson:
    """The tree of a JSON text; what is no JSON is an error that says what was expected."""
    text, problem = data.removeprefix(BOM), ""
    check_memory(text)
    try:
        tree = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        problem = str(error)
        tree = _slowly(text, path, problem, expected)
    if not repeats_keys(text, tree):
        return ParsedJson(tree, problem, False)
    return ParsedJson(_slowly(text, path, REPEATED_TOO_DEEP, expected), problem, True)


def find_doubled(value: Any, place: str = "") -> tuple[str, str] | None:
    """Where a key was given twice, and which.

    >>> find_doubled(parse_json(b'{"a": [{}, {"b": 1, "b": 2}]}', "", "").tree)
    ('a[1]', 'b')
    """
    if isinstance(value, RepeatedKeyDict):
        return place, value.twice
    inside: Iterable[tuple[str, Any]] = ()
    if isinstance(value, dict):
        inside = ((f"{place}.{key}" if place else key, item) for key, item in value.items())
    elif isinstance(value, list):
        inside = ((f"{place}[{index}]", item) for index, item in enumerate(value))
    return next((repeated for where, item in inside if (repeated := find_doubled(item, where)) is not None), None)


def _slowly(text: bytes, path: str, problem: str, expected: str) -> Any:
    """Parse with Python's json, which accepts more and reports keys given twice; raises an InputError."""
    try:
        decoded = text.decode("utf-8")
        tree = json.loads(decoded, object_pairs_hook=as_object)
        json.dumps(tree, ensure_ascii=False).encode("utf-8")  # half of a surrogate pair is not text
    except UnicodeDecodeError as error:
        place = f"byte 0x{text[error.start]:02x} at position {error.start}"
        raise InputError(f"{path}: not UTF-8: {place}{encoding_hint(text)}; expected {expected}") from error
    except (ValueError, RecursionError) as error:
        hint = encoding_hint(text) if has_zeros(text) else ""
        raise InputError(f"{path}: not JSON: {problem}{hint}; expected {expected}") from error
    return tree
