"""The JSON Schema of every artifact, and whether a tree fits it and its own arithmetic.

`<suite>.json` beside this file is the schema of a suite's artifact, as `calipers schema SUITE` prints it. What is read
from a file is checked against it (`validate.py`), and its numbers against each other (`arithmetic.py`), before anything
else looks at it: a tree that passes has every field that tables, pages and comparisons use.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import orjson

from calipers.core.errors import ConfigError
from calipers.core.json_schema import Check, Mismatch, compiled
from calipers.schemas.arithmetic import RULES, check_replicates

__all__ = ["SUITES", "Mismatch", "check_artifact", "check_shape", "schema", "schema_text"]
SUITES = tuple(RULES)  # a suite has a schema of its name, and rules for its arithmetic


def schema_text(name: str) -> bytes:
    """The schema of a suite's artifact, as the file has it."""
    if name not in SUITES:
        raise ConfigError(f"schema: found {name!r:.80}, expected one of {', '.join(SUITES)}")
    return files(__name__).joinpath(f"{name}.json").read_bytes()


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of the artifact of a suite: dense, timeline, scene or coco.

    >>> schema("dense")["title"]
    'Artifact of the dense suite'
    """
    return orjson.loads(schema_text(name))  # type: ignore[no-any-return]


@cache
def _check(name: str) -> Check:
    return compiled(schema(name))


def check_shape(suite: str, tree: Any) -> None:
    """Nothing if the tree fits the schema of the suite and has all its replicates, else a `Mismatch`."""
    _check(suite)(tree)
    check_replicates(tree)


def check_artifact(suite: str, tree: Any) -> None:
    """Nothing if the tree fits the schema of the suite and its numbers fit each other, else a `Mismatch`."""
    check_shape(suite, tree)
    RULES[suite](tree)
