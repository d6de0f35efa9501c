r"""The names of YOLO's classes: `names` of a data.yaml, or a file with a name a line.

Of YAML only what such files use is read: `names` as a list or as a map from numbers, in brackets or a line each, with
or without quotes. Anything else under `names` is refused, and every other key is passed over, apart from `nc`, the
number of classes, which has to agree.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from calipers.core.errors import InputError
from calipers.files.inputs import BOM
from calipers.files.problems import shown

LARGEST = 10_000_000  # bytes
MOST_CLASSES = 100_000
EXPECTED = "names: [a, b], or a name a line as - a or 0: a"

_KEY = re.compile(r"""(?:'(?P<single>[^']*)'|"(?P<double>[^"]*)"|(?P<plain>[A-Za-z_][\w.-]*))\s*:(?P<rest>\s.*|)""")
_QUOTED = r"""'(?:[^']|'')*'|"(?:[^"\\]|\\.)*\""""
_TOKEN = re.compile(
    rf"(?P<mark>[\[\]{{}},:])|(?P<text>{_QUOTED}|[^\s\[\]{{}},:#'\"&*!|>%@`](?:[^\[\]{{}},:#\n]|:(?=\S)|(?<=\S)#)*)"
)
_GAP = re.compile(r"(?:\s|(?<!\S)#[^\n]*)*")
_ENTRY = re.compile(r"""(?:-|(?P<key>\d+|'\d+'|"\d+")\s*:)(?:\s+(?P<text>.*))?""")
_IN_QUOTES, _AFTER, _COMMENT = (re.compile(part) for part in (_QUOTED, r"\s*(?:(?<=\s)#.*)?", r"(?<=\s)#"))
_NO_NAME = ("'", '"', *"&*!|>%@`[]{},#")  # what YAML means something else by at the beginning

Entry = tuple[str | None, str]  # number, name


def read_list(data: bytes) -> list[str]:
    r"""A name a line.

    >>> read_list(b"cat\r\ntraffic light\n\n")
    ['cat', 'traffic light']
    """
    lines = [line.strip() for line in _text(data).rstrip().splitlines()]
    for number, line in enumerate(lines, 1):
        if not line:
            raise InputError(f"line {number}: found nothing, expected the name of class {number - 1}")
    return lines


def read_yaml(data: bytes) -> list[str] | None:
    """`names` in the order of their numbers, None if there are none.

    >>> read_yaml(b"nc: 2  # classes\\nnames: [cat, 'traffic light']")
    ['cat', 'traffic light']
    >>> read_yaml(b"names:\\n  1: dog\\n  0: cat\\n")
    ['cat', 'dog']
    """
    lines = _text(data).splitlines()
    keys = dict(_top_keys(lines))
    if "kpt_shape" in keys:
        raise InputError(f"line {keys['kpt_shape'] + 1}: kpt_shape: found keypoints, expected boxes or polygons")
    if "names" not in keys:
        return None
    names = _in_order(_entries(lines, keys["names"]), keys["names"] + 1)
    if "nc" in keys:
        _check_count(lines[keys["nc"]], keys["nc"] + 1, len(names))
    return names


def _text(data: bytes) -> str:
    if len(data) > LARGEST:
        raise InputError(f"found {len(data):,} bytes, expected at most {LARGEST:,}")
    try:
        return data.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        place = f"byte 0x{error.object[error.start]:02x} at position {error.start}"
        raise InputError(f"not UTF-8: {place}; expected names of classes") from None


def _top_keys(lines: list[str]) -> Iterator[tuple[str, int]]:
    """Keys that are not indented, with the places of their lines."""
    seen: set[str] = set()
    for place, line in enumerate(lines):
        if match := _KEY.fullmatch(line):
            key = match["single"] or match["double"] or match["plain"] or ""
            if key in seen and key == "names":
                raise InputError(f"line {place + 1}: names is there twice, expected once")
            seen.add(key)
            yield key, place


def _entries(lines: list[str], place: int) -> list[Entry]:
    """What stands under `names`."""
    match = _KEY.fullmatch(lines[place])
    rest = match["rest"].strip() if match else ""
    if rest.startswith(("[", "{")):
        return _flow("\n".join([rest, *lines[place + 1 :]]), place + 1)
    if rest and not rest.startswith("#"):
        raise InputError(f"line {place + 1}: names: found {shown(rest)}, expected {EXPECTED}")
    return list(_block(lines, place + 1))


def _block(lines: list[str], start: int) -> Iterator[Entry]:
    """An entry a line, up to the next key."""
    indent = None
    for place, line in enumerate(lines[start:], start):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        depth = len(line) - len(line.lstrip(" "))
        if not depth and not text.startswith("- "):
            return
        match, indent = _ENTRY.fullmatch(text), depth if indent is None else indent
        scalar = _scalar(match["text"] or "") if match else ""
        if not match or not scalar or depth != indent:
            raise InputError(f"line {place + 1}: names: found {shown(text)}, expected {EXPECTED}")
        yield match["key"], _unquoted(scalar, place + 1)


def _scalar(text: str) -> str:
    """A name as it is written, without the comment after it; "" if it is none."""
    if quoted := _IN_QUOTES.match(text):
        return quoted[0] if _AFTER.fullmatch(text, quoted.end()) else ""
    comment = _COMMENT.search(text)
    plain = (text[: comment.start()] if comment else text).strip()
    return "" if plain.startswith(_NO_NAME) or ": " in plain else plain


def _flow(text: str, line: int) -> list[Entry]:
    """Entries in brackets, which may run over several lines."""
    entries: list[Entry] = []
    tokens = _tokens(text, line)
    is_map = next(tokens) == "{"
    end = "}" if is_map else "]"
    for token in tokens:
        if token == end:
            return entries
        key = token if is_map else None
        if is_map and next(tokens, "") != ":":
            break
        name = next(tokens, "") if is_map else token
        after = next(tokens, "")
        if name in _MARKS or after not in (",", end):
            break
        entries.append((key, _unquoted(name, line)))
        if after == end:
            return entries
    raise InputError(f"line {line}: names: found {shown(text[:80])}, expected {EXPECTED}")


_MARKS = set("[]{},:") | {""}


def _tokens(text: str, line: int) -> Iterator[str]:
    """Marks and names in brackets."""
    at = _GAP.match(text, 0).end()  # type: ignore[union-attr]
    while match := _TOKEN.match(text, at):
        yield match[0].strip()
        at = _GAP.match(text, match.end()).end()  # type: ignore[union-attr]
    raise InputError(f"line {line}: names: found {shown(text[at : at + 40])} in brackets, expected {EXPECTED}")


def _unquoted(text: str, line: int) -> str:
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text))
    except ValueError:
        raise InputError(f"line {line}: names: found {text[:80]}, expected a text in quotes") from None


def _in_order(entries: list[Entry], line: int) -> list[str]:
    """Names by their numbers, which are given for all or for none."""
    if not entries:
        raise InputError(f"line {line}: names: found none, expected {EXPECTED}")
    if len(entries) > MOST_CLASSES:
        raise InputError(f"line {line}: names: found {len(entries):,}, expected at most {MOST_CLASSES:,}")
    if all(key is None for key, _ in entries):
        return [name for _, name in entries]
    numbers = [(key or "").strip("'\"") for key, _ in entries]
    named = dict(zip(numbers, (name for _, name in entries), strict=True))
    wanted = [str(number) for number in range(len(entries))]
    if named.keys() != set(wanted):
        found = ", ".join(numbers[:10])
        raise InputError(f"line {line}: names: found the numbers {found}, expected 0 to {len(entries) - 1}, each once")
    return [named[number] for number in wanted]


def _check_count(line: str, number: int, names: int) -> None:
    count = line.partition(":")[2].partition("#")[0].strip()
    if count.isdecimal() and int(count[:20]) != names:
        raise InputError(f"line {number}: nc: found {count[:20]}, expected {names}, as there are names")
