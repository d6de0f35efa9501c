"""The options and inputs of a run of the scene suite.

Options come from keywords or flags, then eval_config.json, then defaults. Methods to compare are NAME=PATH, or a path
alone, which is called by its stem.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from calipers.core.config import make_config
from calipers.core.errors import ConfigError, unexpected
from calipers.suites.scene.config import Config
from calipers.suites.scene.eval_config import read_eval_config

EXPECTED = "a path, NAME=PATH, a list of these, a dict of paths by name, or scenes"


class ChosenOptions(NamedTuple):
    """The options, what was said on the way, and the files they came from."""

    config: Config
    warnings: list[str]
    files: list[str]


def scene_options(path: Any, options: Mapping[str, Any]) -> ChosenOptions:
    """All options; those given win over those of an eval_config.json."""
    if path is not None and not isinstance(path, (str, os.PathLike)):
        raise unexpected("config", path, "a path")
    options_in_file, warnings = ({}, []) if path is None else read_eval_config(os.fspath(path))
    learned = options_in_file.get("learned_aliases")
    if learned and "learned_aliases" not in options and not os.path.exists(learned):
        warnings.append(f"{learned}: is not there yet; no learned aliases are read")
        del options_in_file["learned_aliases"]
    config = make_config(Config, {**options_in_file, **options})
    files = [path, config.labels, config.aliases, config.learned_aliases]
    return ChosenOptions(config, warnings, [os.fspath(file) for file in files if isinstance(file, (str, os.PathLike))])


def file_digest(path: str) -> str:
    """Hash of a file's bytes, in hexadecimal."""
    try:
        with open(path, "rb") as file:
            return sha256(file.read()).hexdigest()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from error


def methods_of(pred: Any) -> dict[str, Any]:
    """Sources of predictions by the name of their method.

    >>> methods_of(["ours=out/a.json", "out/b.json"])
    {'ours': 'out/a.json', 'b': 'out/b.json'}
    """
    if isinstance(pred, (str, os.PathLike)):
        return _named([_split(pred)])
    if isinstance(pred, dict):
        by_name = bool(pred) and all(isinstance(value, (str, os.PathLike)) for value in pred.values())
        return _named([(str(name), os.fspath(path)) for name, path in pred.items()]) if by_name else {"pred": pred}
    if isinstance(pred, (list, tuple)) and pred and all(isinstance(argument, (str, os.PathLike)) for argument in pred):
        return _named([_split(argument) for argument in pred])
    if isinstance(pred, (list, tuple)) and not any(isinstance(argument, (str, os.PathLike)) for argument in pred):
        return {"pred": list(pred)}
    raise ConfigError(f"pred: found {pred!r:.80}, expected {EXPECTED}")


def _split(argument: str | os.PathLike[str]) -> tuple[str, str]:
    """Name and path; what stands before the first = is a name unless it has a slash."""
    text = os.fspath(argument)
    if not text:
        return "", ""
    name, equals, path = text.partition("=")
    whole = isinstance(argument, os.PathLike) or (os.path.exists(text) and not os.path.exists(path))
    if equals and not whole and "/" not in name and os.sep not in name:
        return name.strip(), path
    return _stem(text), text


def _stem(path: str) -> str:
    place = Path(os.path.abspath(path))
    return place.name if place.is_dir() else place.stem


def _named(pairs: list[tuple[str, str]]) -> dict[str, Any]:
    methods: dict[str, Any] = {}
    for name, path in pairs:
        if not name or not path:
            argument = f"{name}={path}" if name or path else ""
            raise ConfigError(f"pred: found {argument!r}, expected a path or NAME=PATH")
        if name in methods:
            raise ConfigError(f"pred: two methods are called {name!r} ({methods[name]} and {path}), expected NAME=PATH")
        methods[name] = path
    return methods
