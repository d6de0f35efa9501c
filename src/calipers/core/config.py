"""Options: one frozen dataclass a suite, from which keywords, flags, keys of calipers.toml and docs all come.

A field is an option. Its metadata says what it is for (`help`), how a flag writes it (`metavar`), whether it goes into
the artifact (`artifact=False` for what cannot change a number), and a second name (`alias`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from calipers.core.errors import ConfigError, require
from calipers.core.limits import CHUNK_BYTES, MAX_PAIRS
from calipers.core.option_values import path, whole

ENGINES = ("local", "dask", "ray")
C = TypeVar("C")
P = ParamSpec("P")
R = TypeVar("R")
VARIADIC = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def option(
    default: Any,
    help: str,  # noqa: A002
    *,
    metavar: str = "",
    artifact: bool = True,
    alias: str = "",
    several: bool = False,
    optional_value: bool = False,
    written: bool = False,
) -> Any:
    """A field of a suite's Config. The flag of one that takes several values may be given again; one with an optional
    value is true by its flag alone. A `FILE` is one that is read, unless it is written."""
    words = {"help": help, "metavar": metavar, "alias": alias, "optional_value": optional_value, "written": written}
    return field(default=default, metadata=words | {"artifact": artifact, "several": several})


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a suite runs, where, and over which records. None of it can change a number of a record."""

    jobs: int | None = option(
        None, "processes; the default is all cores, or one where more gain nothing", artifact=False
    )
    chunk_bytes: int = option(CHUNK_BYTES, "bytes of input that are measured at a time", artifact=False)
    engine: str = option("local", "where it runs", metavar="local|dask|ray", artifact=False)
    address: str | None = option(
        None, "the cluster, as tcp://HOST:PORT; without it one is started here", metavar="ADDRESS", artifact=False
    )
    resume: str | None = option(
        None,
        "keep finished shards in FILE, and go on from those that are there",
        metavar="FILE",
        artifact=False,
        written=True,
    )
    tally: str | None = option(
        None, "write the counts to FILE, for calipers merge", metavar="FILE", artifact=False, written=True
    )
    max_pairs: int = option(
        MAX_PAIRS,
        "pairs of objects that may be compared; more, and more than 50 an object, are refused",
        artifact=False,
    )

    only: str | None = option(
        None, "evaluate only the records whose keys are in FILE, one per line", metavar="FILE", artifact=False
    )

    def __post_init__(self) -> None:
        if self.jobs is not None:
            whole("jobs", self.jobs, 1, 1024)
        whole("chunk_bytes", self.chunk_bytes, 1, 1 << 30)
        whole("max_pairs", self.max_pairs, 0, 1 << 40)
        require(self.engine in ENGINES, "engine", self.engine, " or ".join(ENGINES))
        good = self.address is None or (isinstance(self.address, str) and bool(self.address))
        require(good, "address", self.address, "the address of a cluster")
        require(self.address is None or self.engine != "local", "address", self.address, "engine dask or ray with it")
        for name in ("resume", "tally", "only"):
            object.__setattr__(self, name, path(name, getattr(self, name)))
        if self.tally is not None and self.tally == self.resume:
            raise ConfigError(f"tally: found {self.tally!r}, which is also that of resume; expected another file")
        if self.only is not None and self.resume is not None:
            raise ConfigError(f"only: found {self.only!r}, expected it without resume: such a run is short")


def artifact_options(config: Any) -> dict[str, Any]:
    """Every option that can change a number, by name: the parameters of the artifact."""
    return {item.name: getattr(config, item.name) for item in fields(config) if item.metadata["artifact"]}


def option_files(config: Any, *, written: bool) -> dict[str, str]:
    """The files that options name, by option: those that are written, or those that are read."""
    items = [item for item in fields(config) if item.metadata["metavar"] == "FILE"]
    named = {item.name: getattr(config, item.name) for item in items if item.metadata["written"] == written}
    return {name: os.fspath(path) for name, path in named.items() if isinstance(path, (str, os.PathLike))}


def make_config(kind: type[C], options: Mapping[str, Any], *, where: str = "") -> C:
    """The suite's Config with these options; an unknown name is an error that names the nearest one."""
    options = renamed(options, second_names(kind), where)
    check_names(options, [item.name for item in fields(kind)], where)  # type: ignore[arg-type]
    return kind(**options)


def second_names(kind: type) -> dict[str, str]:
    """Options by the second name that they have, where there is one."""
    return {alias: item.name for item in fields(kind) if (alias := item.metadata.get("alias"))}


def renamed(options: Mapping[str, Any], second: Mapping[str, str], where: str = "") -> dict[str, Any]:
    """Options by their first names; one that is given by both is an error.

    >>> renamed({"out": "x", "seed": 1}, {"out": "output"})
    {'output': 'x', 'seed': 1}
    """
    for name in options:
        if second.get(name) in options:
            raise ConfigError(f"{where}{name!r} and {second[name]!r} are one option, expected one of them")
    return {second.get(name, name): value for name, value in options.items()}


def read_toml(file: Path, expected: str) -> dict[str, Any]:
    """The contents of a TOML file of options or rules; a ConfigError says why it cannot be read."""
    import tomllib

    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # TOMLDecodeError; also bytes that are no text, and numbers of 5,000 digits
        raise ConfigError(f"{file}: is not TOML: {error}") from error
    except RecursionError as error:
        raise ConfigError(f"{file}: is nested too deeply, expected {expected}") from error


def check_names(found: Iterable[str], known: Iterable[str], where: str = "", what: str = "an option") -> None:
    """Raise a ConfigError if a name is not among the known ones."""
    names = sorted(known)
    for name in found:
        if name not in names:
            from difflib import get_close_matches

            near = get_close_matches(name, names, n=1, cutoff=0.5)
            hint = f", did you mean {near[0]!r}?" if near else ""
            raise ConfigError(f"{where}{name!r:.80} is not {what}{hint} (known: {', '.join(names)})")


def checked_keywords(function: Callable[P, R]) -> Callable[P, R]:
    """A function of options whose misspelt keywords are errors that name the nearest, as everywhere.

    >>> checked_keywords(lambda old, *, force=False: None)("a", forse=True)
    Traceback (most recent call last):
    calipers.core.errors.ConfigError: 'forse' is not an option, did you mean 'force'? (known: force, old)
    """
    known = [name for name, parameter in signature(function).parameters.items() if parameter.kind not in VARIADIC]

    @wraps(function)
    def checked(*args: P.args, **keywords: P.kwargs) -> R:
        check_names(keywords, known)
        return function(*args, **keywords)

    return checked
