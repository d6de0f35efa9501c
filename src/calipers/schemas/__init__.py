"""The JSON Schema of every artifact, and whether a tree fits it and its own arithmetic.

`schema.json` in the folder of a suite is the schema of its artifact, as `calipers schema SUITE` prints it. What is read
from a file is checked against it, and its numbers against each other, before anything else looks at it: a tree that
passes has every field that tables, pages and comparisons use. `rank.json` and `suspects.json` in this folder are the
schemas of what those commands print.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import orjson

from calipers.core.arithmetic import Place, Tree, equal
from calipers.core.errors import ConfigError
from calipers.core.json_schema import Check, Mismatch, compiled
from calipers.suite import is_suite, suite_names, suite_of

__all__ = ["Mismatch", "check_artifact", "check_shape", "schema", "schema_text"]


OTHERS = ("rank", "suspects")  # what is no artifact of a suite and has a schema in this folder


def _read(package: str, name: str) -> bytes:
    from importlib.resources import files  # most runs read no schema

    try:
        return files(package).joinpath(name).read_bytes()
    except FileNotFoundError as error:
        hint = "is it among the package-data of the package?"
        raise ConfigError(
            f"schema: the package {package} has no {name}, expected that of its artifact; {hint}"
        ) from error


def schema_text(name: str) -> bytes:
    """The schema of a suite's artifact, or of what another command prints, as the file has it."""
    if name in OTHERS:
        return _read(__name__, f"{name}.json")
    if not is_suite(name):
        raise ConfigError(f"schema: found {name!r:.80}, expected one of {', '.join([*suite_names(), *OTHERS])}")
    return _read(suite_of(name).schema, "schema.json")


def schema(name: str) -> dict[str, Any]:
    """Read the JSON Schema of the artifact of a suite, or of a ranking ("rank"): what `calipers schema` prints.

    Args:
        name: The suite: `dense`, `timeline`, `scene`, `coco`, or one of another package.

    Returns:
        The schema, as plain dicts and lists.

    Raises:
        ConfigError: There is no suite of this name.

    Examples:
        >>> schema("coco")["title"]
        'Artifact of the detection suite'
    """
    return orjson.loads(schema_text(name))  # type: ignore[no-any-return]


@cache
def _check(name: str) -> Check:
    return compiled(schema(name))


def check_shape(suite: str, tree: Any) -> None:
    """Raise a `Mismatch` unless the tree fits the schema of the suite and has all its replicates."""
    _check(suite)(tree)
    for name, method in tree.get("methods", {}).items():
        _check_replicates(method, ("methods", name, "bootstrap"))
    if "bootstrap" in tree:
        _check_replicates(tree, ("bootstrap",))
    if check := suite_of(suite).check_replicates:
        check(tree)


def check_artifact(suite: str, tree: Any) -> None:
    """Raise a `Mismatch` unless the tree fits the schema of the suite and its numbers fit each other."""
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
