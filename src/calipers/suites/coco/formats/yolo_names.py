r"""The names of YOLO's classes: `names` of a data.yaml, or a file with one name per line.

YAML is parsed by PyYAML (extra `yolo`), to events: nothing is constructed, so that no tag means anything and an alias
is only a name. `names` is a list, or a map from numbers, of texts in one line each, as tools write them; every text is
taken as it is written, so that `yes` and `3` are names. Every other key is passed over, apart from `nc`, the number of
classes, which has to agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from calipers.core.errors import ConfigError, InputError
from calipers.files.encodings import encoding_hint
from calipers.files.inputs import BOM
from calipers.files.problems import shown

MAX_DOCUMENT_BYTES = 10_000_000  # bytes
MAX_YAML_BYTES = 1_000_000  # bytes; a parser in Python takes some seconds for them
MAX_CLASSES = 100_000
DEEPEST = 20  # levels of lists and maps
EXPECTED = "names: [a, b], or a name a line as - a or 0: a"
NEEDED = "YAML is read by PyYAML, which is missing: pip install 'calipers[yolo]', or write a name a line to classes.txt"
READ = ("names", "nc", "kpt_shape", "<<")  # keys that mean something

Entry = tuple[str | None, str]  # number, name


class Field(NamedTuple):
    """The value of a key, as events of PyYAML, and the line of the key."""

    line: str
    events: list[Any]


def read_list(data: bytes) -> list[str]:
    r"""Read a list of names, one per line.

    >>> read_list(b"cat\r\ntraffic light\n\n")
    ['cat', 'traffic light']
    """
    lines = [line.strip() for line in _text(data, MAX_DOCUMENT_BYTES).rstrip().splitlines()]
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
    text = _text(data, MAX_YAML_BYTES)
    if not any(key in text for key in ("names", "kpt_shape")):  # of some other program
        return None
    fields = _fields(_events(text))
    if "kpt_shape" in fields:
        raise InputError(f"{fields['kpt_shape'].line}kpt_shape: found keypoints, expected boxes or polygons")
    if "names" not in fields and "<<" in fields:
        raise InputError(f"{fields['<<'].line}found keys of another map (<<), expected {EXPECTED}")
    if "names" not in fields:
        return None
    names = _in_order(_entries(fields["names"]), fields["names"].line)
    if "nc" in fields:
        _check_count(fields["nc"], len(names))
    return names


def _text(data: bytes, max_bytes: int) -> str:
    if len(data) > max_bytes:
        raise InputError(f"found {len(data):,} bytes, expected at most {max_bytes:,}")
    try:
        return data.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        place = f"byte 0x{error.object[error.start]:02x} at position {error.start}"
        raise InputError(f"not UTF-8: {place}{encoding_hint(data)}; expected names of classes") from None


def _events(text: str) -> Iterator[Any]:
    """What PyYAML finds in a text, one thing after the other; it takes ever longer for what is nested deeply."""
    try:
        import yaml
    except ImportError:
        raise ConfigError(NEEDED) from None
    depth = 0
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            depth += is_start(event) - is_end(event)
            if depth > DEEPEST:
                raise InputError(f"{_line(event)}found more than {DEEPEST} levels, expected {EXPECTED}")
            yield event
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}: " if mark else ""
        raise InputError(f"{place}found no YAML: {error.problem or error.context}; expected {EXPECTED}") from None
    except yaml.YAMLError as error:  # a character that no text has
        raise InputError(f"found no YAML: {str(error).splitlines()[0]:.200}; expected {EXPECTED}") from None


def _kind(event: Any) -> str:
    return type(event).__name__.removesuffix("Event")


def is_start(event: Any) -> bool:
    """Whether a list or a map begins."""
    return _kind(event) in ("SequenceStart", "MappingStart")


def is_end(event: Any) -> bool:
    """Whether a list or a map ends."""
    return _kind(event) in ("SequenceEnd", "MappingEnd")


def _line(event: Any) -> str:
    return f"line {event.start_mark.line + 1}: "


def _fields(events: Iterator[Any]) -> dict[str, Field]:
    """What stands under the keys that are read; nothing if the document is no map. No key is there twice."""
    fields: dict[str, Field] = {}
    first = next((event for event in events if _kind(event) not in ("StreamStart", "DocumentStart")), None)
    if _kind(first) != "MappingStart":
        return {}
    seen: set[str] = set()
    for key, value in _pairs(events):
        if key in seen:
            raise InputError(f"{value.line}{key[:80]} is there twice, expected once")
        seen.add(key)
        fields |= {key: value} if key in READ else {}
    for event in events:
        if _kind(event) == "DocumentStart":
            raise InputError(f"{_line(event)}found a second document, expected one")
    return fields


def _pairs(events: Iterator[Any]) -> Iterator[tuple[str, Field]]:
    """The keys of a map that are texts, with what stands under them, up to its end."""
    while not is_end((key := _next_value(events))[0]):
        value = _next_value(events)
        if _kind(key[0]) == "Scalar":
            yield key[0].value, Field(_line(key[0]), value)


def _next_value(events: Iterator[Any]) -> list[Any]:
    """The events of the next value, or the one that ends what is around it."""
    value, depth = [], 0
    for event in events:
        value.append(event)
        depth += is_start(event) - is_end(event)
        if depth <= 0:
            break
    return value


def _entries(names: Field) -> list[Entry]:
    """Number, if there is one, and name of each class."""
    first, *inside = names.events
    if _kind(first) == "SequenceStart" and not first.anchor:
        return [(None, _name(event)) for event in inside[:-1]]
    if _kind(first) == "MappingStart" and not first.anchor:
        return [(key, _name(value.events[0])) for key, value in _pairs(iter(inside))]
    if _kind(first) == "Scalar" and not first.value and not first.style:
        return []
    raise _refused(first)


def _name(event: Any) -> str:
    """A text in one line, as it is written."""
    if _kind(event) != "Scalar" or event.anchor or event.style in ("|", ">") or not (event.value or event.style):
        raise _refused(event)
    if event.start_mark.line != event.end_mark.line:
        raise _refused(event)
    return str(event.value)


def _refused(event: Any) -> InputError:
    kind = _kind(event)
    if kind == "Scalar" and not event.anchor:
        content = shown(event.value) if event.value else "nothing"
    else:
        words = {"SequenceStart": "a list", "MappingStart": "a map", "Scalar": f"&{event.anchor}"}
        content = words.get(kind, "an alias")
    return InputError(f"{_line(event)}names: found {content}, expected {EXPECTED}")


def _in_order(entries: list[Entry], line: str) -> list[str]:
    """Names by their numbers, which are given for all or for none."""
    if not entries:
        raise InputError(f"{line}names: found none, expected {EXPECTED}")
    if len(entries) > MAX_CLASSES:
        raise InputError(f"{line}names: found {len(entries):,}, expected at most {MAX_CLASSES:,}")
    numbers = [key for key, _ in entries if key is not None]
    if not numbers:
        return [name for _, name in entries]
    named = dict(entries)
    wanted = [str(number) for number in range(len(entries))]
    if named.keys() != set(wanted):
        listed = ", ".join(number[:20] for number in numbers[:10])
        raise InputError(f"{line}names: found the numbers {listed}, expected 0 to {len(entries) - 1}, each once")
    return [named[number] for number in wanted]


def _check_count(count: Field, names: int) -> None:
    value = count.events[0].value if _kind(count.events[0]) == "Scalar" else ""
    if value.isdecimal() and int(value[:20]) != names:
        raise InputError(f"{count.line}nc: found {value[:20]}, expected {names}, as there are names")
