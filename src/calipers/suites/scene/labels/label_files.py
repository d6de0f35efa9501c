"""Label files: which labels are canonical, and what else they are called.

`canonical_labels.json` is `{"canonical_labels": ["seat", "table", "door"]}`, or the list alone. No two of them may be
the same once normalised.

`label_aliases.json` is `{"aliases": {label: canonical}, "contains_rules": {words: canonical}}`, where either may be
missing, or a flat `{label: canonical}`, which is taken as aliases. Beside them `metadata` may tell where aliases came
from, as in files of learned aliases; it is not read. Spellings that are the same once normalised must
have the same target. Whether a target is canonical is not asked here.

In place of a path the value itself may be given. What is wrong is a ConfigError: the file, the key, what was found
there and what was expected.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from calipers.core.errors import ConfigError
from calipers.core.option_values import file_bytes
from calipers.core.text import whole_text
from calipers.core.words import normalise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike
    from typing import TypeAlias

    CanonicalSource: TypeAlias = str | PathLike[str] | Sequence[str] | Mapping[str, Any]
    AliasesSource: TypeAlias = "str | PathLike[str] | Mapping[str, Any] | Aliases"

SECTIONS = ("aliases", "contains_rules")
METADATA = "metadata"  # of learned aliases: by which method, and how sure
LONGEST_SHOWN = 60

_ABSENT = object()


class Aliases(NamedTuple):
    """Other names of canonical labels, as written in the file."""

    aliases: dict[str, str]  # a label -> the canonical label it stands for
    contains_rules: dict[str, str]  # words -> the canonical label of what has them in its name
    where: str = "label aliases"  # the file, for messages
    unread: tuple[str, ...] = ()  # keys beside the two sections, which say nothing


def load_canonical(source: CanonicalSource) -> list[str]:
    """The canonical labels, trimmed, in their order.

    >>> load_canonical({"canonical_labels": ["seat", "table", "door"]})
    ['seat', 'table', 'door']
    >>> load_canonical(["seat", "Seat "])
    Traceback (most recent call last):
    calipers.core.errors.ConfigError: canonical labels: [1]: found 'Seat ', the same label as [0], expected it once
    """
    where, tree = _source(source, "canonical labels")
    at = ""
    if isinstance(tree, Mapping):
        at, tree = "canonical_labels", tree.get("canonical_labels", _ABSENT)
    if not isinstance(tree, list | tuple):
        raise _refusal(f"{where}: {at}" if at else where, tree, "a list of labels")
    places: dict[str, int] = {}
    labels = [_label(label, f"{where}: {at}[{place}]") for place, label in enumerate(tree)]
    for place, label in enumerate(labels):
        first = places.setdefault(normalise(label), place)
        if first != place:
            raise _refusal(f"{where}: {at}[{place}]", tree[place], "it once", f", the same label as {at}[{first}]")
    return labels


def load_aliases(source: AliasesSource) -> Aliases:
    """The aliases and the contains-rules.

    >>> load_aliases({"chair": "seat"}).aliases
    {'chair': 'seat'}
    >>> load_aliases({"contains_rules": {"door": "door"}}).contains_rules
    {'door': 'door'}
    >>> load_aliases({"s": ["chair", "stool"]})
    Traceback (most recent call last):
    calipers.core.errors.ConfigError: label aliases: 's': found a list, expected the canonical label that it stands for
    """
    if isinstance(source, Aliases):
        where, tree = source.where, {"aliases": source.aliases, "contains_rules": source.contains_rules}
        return _sections(tree, where)._replace(unread=source.unread)
    where, content = _source(source, "label aliases")
    if not isinstance(content, Mapping):
        raise _refusal(where, content, "an object of labels and what they stand for")
    if any(not isinstance(content.get(section, ""), str) for section in SECTIONS):
        return _sections(content, where)
    return Aliases(_entries(content, where), {}, where)


def _sections(tree: Mapping[str, Any], where: str) -> Aliases:
    others = [str(key) for key in tree if key not in (*SECTIONS, METADATA)]
    for key in others:
        if isinstance(tree.get(key), Mapping):  # it may hold entries that are meant to count
            raise ConfigError(
                f"{where}: found an object under {key!r}, expected one under {' and '.join(SECTIONS)} only"
            )
    aliases, rules = (_entries(tree.get(section, {}), f"{where}: {section}") for section in SECTIONS)
    return Aliases(aliases, rules, where, tuple(others))


def _entries(section: object, where: str) -> dict[str, str]:
    """The entries of a section, once it is sure that they do not contradict each other."""
    if not isinstance(section, Mapping):
        raise _refusal(where, section, "an object of labels and what they stand for")
    spellings: dict[str, str] = {}
    for key, target in section.items():
        text = normalise(_label(key, f"{where}: a key"))
        if not isinstance(target, str) or not target.strip():
            raise _refusal(f"{where}: {key!r}", target, "the canonical label that it stands for")
        first = spellings.setdefault(text, key)
        if normalise(section[first]) != normalise(target):
            more = f", but {section[first]!r} for {first!r}, which is the same label"
            raise _refusal(f"{where}: {key!r}", target, "one target", more)
    return dict(section)


def _label(value: object, where: str) -> str:
    """A label of which something is left when it is normalised, trimmed."""
    if isinstance(value, str) and normalise(value):
        return whole_text(value.strip())
    raise _refusal(where, value, "a label with a letter or a number")


# From a file to a value


def _source(source: object, name: str) -> tuple[str, object]:
    """Where labels come from, for messages, and what is there."""
    if isinstance(source, str | os.PathLike):
        file = os.fspath(source)
        return file, _parse(file_bytes(file, f"a file of {name}"), file, name)
    return name, source


def _parse(content: bytes, file: str, name: str) -> object:
    import json  # and not orjson, which does not tell when a key is given twice

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        tree: dict[str, Any] = {}
        for key, value in pairs:
            if tree.setdefault(key, value) != value:
                twice = f"{_shown(tree[key])} and {_shown(value)}"
                raise ConfigError(f"{file}: {key!r}: found twice, with {twice}, expected it once")
        return tree

    try:
        return json.loads(content, object_pairs_hook=once)
    except RecursionError as error:
        raise ConfigError(f"{file}: is nested too deeply, expected a file of {name}") from error
    except ValueError as error:
        raise ConfigError(f"{file}: is not JSON ({error}), expected a file of {name}") from error


def _refusal(where: str, value: object, expected: str, more: str = "") -> ConfigError:
    return ConfigError(f"{where}: found {_shown(value)}{more}, expected {expected}")


def _shown(value: object) -> str:
    """A value as a message shows it: in short."""
    if value is _ABSENT:
        return "nothing"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…"
