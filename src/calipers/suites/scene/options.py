"""Where the options of the scene suite come from: keywords or flags, then eval_config.json, then defaults."""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from calipers.core.config import make_config
from calipers.core.errors import ConfigError, require
from calipers.suites.scene.config import Config
from calipers.suites.scene.eval_config import read_eval_config


class ChosenOptions(NamedTuple):
    """The options, what was said on the way, and the files they came from."""

    config: Config
    warnings: list[str]
    files: list[str]


def scene_options(path: Any, options: Mapping[str, Any]) -> ChosenOptions:
    """All options; those given win over those of an eval_config.json."""
    require(path is None or isinstance(path, (str, os.PathLike)), "config", path, "a path")
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
