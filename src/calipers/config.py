"""Options: one frozen dataclass a suite, from which keywords, flags, keys of calipers.toml and docs all come.

A field is an option. Its metadata says what it is for (`help`), how a flag writes it (`metavar`), and whether it goes
into the artifact (`artifact=False` for what cannot change a number).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, fields
from difflib import get_close_matches
from typing import Any, TypeVar

from calipers.errors import ConfigError

C = TypeVar("C")


def option(default: Any, help: str, *, metavar: str = "", artifact: bool = True) -> Any:  # noqa: A002
    """A field of a suite's Config."""
    return field(default=default, metadata={"help": help, "metavar": metavar, "artifact": artifact})


def make_config(kind: type[C], options: Mapping[str, Any], *, where: str = "") -> C:
    """The suite's Config with these options; a name it does not know is an error that names the nearest."""
    check_names(options, [item.name for item in fields(kind)], where)  # type: ignore[arg-type]
    return kind(**options)


def check_names(found: Iterable[str], known: Iterable[str], where: str = "", what: str = "an option") -> None:
    """Every name found is a known one."""
    names = sorted(known)
    for name in found:
        if name not in names:
            near = get_close_matches(name, names, n=1, cutoff=0.5)
            hint = f", did you mean {near[0]!r}?" if near else ""
            raise ConfigError(f"{where}{name!r} is not {what}{hint} (known: {', '.join(names)})")
