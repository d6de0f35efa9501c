"""Options as types: the source of every `option_types.py`, made from the dataclass that defines the options.

An option is written as a caller may give it, which is wider than what the dataclass holds afterwards: a list of values
may be one value or text with commas, a file may be any path.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import Field, fields
from textwrap import fill
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

PATHS = ("FILE", "DIR")  # what a flag shows for its value
PLAIN = {NoneType: "None", os.PathLike: "os.PathLike[str]", object: "object"}
HEAD = '''"""Options of {what} as types, for editors and type checkers.

Made from `{config}` by tests/generated/regenerate.py; not to be changed by hand.
"""

from __future__ import annotations

{imports}

class {name}(TypedDict, total=False):
    """Every option of {what}, by keyword.

    Attributes:
{texts}
    """

{fields}
'''


def source(name: str, what: str, config: str, options: Mapping[str, tuple[list[str], str]]) -> str:
    """A module with one TypedDict: types and help of options by name."""
    fields = "\n".join(f"    {option}: {' | '.join(types)}" for option, (types, _) in options.items())
    texts = "\n".join(_wrapped(f"{option}: {text}.") for option, (_, text) in options.items())
    return HEAD.format(what=what, config=config, name=name, imports=_imports(fields), texts=texts, fields=fields)


def _wrapped(text: str) -> str:
    return fill(text, 120, initial_indent=" " * 8, subsequent_indent=" " * 12, break_long_words=False)


def _imports(body: str) -> str:
    names = [name for name in ("Mapping", "Sequence") if f"{name}[" in body]
    lines = ["import os"] if "os." in body else []
    lines += [f"from collections.abc import {', '.join(names)}"] if names else []
    return "\n".join([*lines, "from typing import TypedDict", ""])


def config_options(config: type[Any]) -> dict[str, tuple[list[str], str]]:
    """Types and help of the options of a dataclass, in its order."""
    hints = get_type_hints(config)
    return {
        name: (accepted(hints[item.name], is_path=item.metadata["metavar"] in PATHS), said)
        for item in fields(config)
        for name, said in {item.name: _said(item), item.metadata["alias"]: f"Another name of {item.name}"}.items()
        if name
    }


def class_options(annotated: type[Any], help_texts: Mapping[str, str]) -> dict[str, tuple[list[str], str]]:
    """The same of a class whose attributes are options, where they have a text."""
    hints = get_type_hints(annotated)
    return {name: (accepted(hints[name]), _help(text)) for name, text in help_texts.items()}


def accepted(held: Any, *, is_path: bool = False) -> list[str]:
    """What a caller may give for an option that is held as this type.

    >>> accepted(tuple[float, ...] | None), accepted(str | None, is_path=True)
    (['float', 'str', 'Sequence[float]', 'None'], ['str', 'os.PathLike[str]', 'None'])
    """
    parts: list[str] = []
    for part in get_args(held) if get_origin(held) in (Union, UnionType) else [held]:
        parts += _accepted_part(part, is_path)
    ordered = [part for part in parts if part != "None"] + ["None"] * ("None" in parts)
    return list(dict.fromkeys(ordered))


def _accepted_part(part: Any, is_path: bool) -> list[str]:
    if get_origin(part) is tuple:
        [item, _] = get_args(part)
        return [_written(item), "str", f"Sequence[{_written(item)}]"]
    return [_written(part), "os.PathLike[str]"] if part is str and is_path else [_written(part)]


def _written(part: Any) -> str:
    if part in PLAIN:
        return PLAIN[part]
    if (origin := get_origin(part)) in (Mapping, Sequence):
        return f"{origin.__name__}[{', '.join(map(_written, get_args(part)))}]"
    return str(part.__name__)


def _said(item: Field[Any]) -> str:
    """The help of an option, its choices where the flag shows them, and its default unless that is nothing."""
    choices = item.metadata["metavar"].split("|")
    listed = f": {', '.join(choices[:-1])} or {choices[-1]}" if len(choices) > 1 else ""
    default = ", ".join(map(str, item.default)) if isinstance(item.default, tuple) else str(item.default)
    return _help(item.metadata["help"]) + listed + (f" [default: {default}]" if item.default not in (None, ()) else "")


def _help(text: str) -> str:
    plain = " ".join(text.split()).rstrip(".")
    return plain[:1].upper() + plain[1:]
