"""The JSON Schema of every artifact, and whether a tree fits it and its own arithmetic.

`schema.json` in the folder of a suite is the schema of its artifact, as `calipers schema SUITE` prints it. What is read
from a file is checked against it, and its numbers against each other, before anything else looks at it: a tree that
passes has every field that tables, pages and comparisons use.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import orjson

from calipers.core.arithmetic import Place, Tree, equal
from calipers.core.errors import ConfigError
from calipers.core.json_schema import Check, Mismatch, compiled
from calipers.suite import is_suite, suite_names, suite_of

__all__ = ["Mismatch", "check_artifact", "check_shape", "schema", "schema_text"]


def schema_text(name: str) -> bytes:
    """The schema of a suite's artifact, as the file has it."""
    if not is_suite(name):
        raise ConfigError(f"schema: found {name!r:.80}, expected one of {', '.join(suite_names())}")
    return files(suite_of(name).schema).joinpath("schema.json").read_bytes()


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of the artifact of a suite, by its name.

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
    for name, method in tree.get("methods", {}).items():
        _check_replicates(method, ("methods", name, "bootstrap"))
    if "bootstrap" in tree:
        _check_replicates(tree, ("bootstrap",))
    if check := suite_of(suite).check_replicates:
        check(tree)


def check_artifact(suite: str, tree: Any) -> None:
    """Nothing if the tree fits the schema of the suite and its numbers fit each other, else a `Mismatch`."""
    check_shape(suite, tree)
    if check := suite_of(suite).check_numbers:
        check(tree)


def _check_replicates(tree: Tree, place: Place) -> None:
    """The replicates of each figure are as many as the artifact says."""
    bootstrap = tree["bootstrap"]
    for kind in ("sums", "values"):
        for name, values in bootstrap.get(kind, {}).items():
            if values or kind == "sums":
                equal(len(values), bootstrap["replicates"], (*place, kind, name), "replicates", "replicates in it")
