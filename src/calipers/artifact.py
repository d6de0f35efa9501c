"""Artifacts as files: read within bounds, and checked against the schema and the arithmetic of their suite."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from calipers.core.errors import InputError
from calipers.files.clues import Clue
from calipers.files.json_checks import check_memory
from calipers.files.output import DEEPEST
from calipers.schemas import Mismatch, check_artifact
from calipers.suite import is_suite, suite_of, suites

ARTIFACT = "result.json"  # what it is called in the folder of `-o`
PART = b"calipers parts "  # how a file of parts begins
MAX_ARTIFACT_BYTES, PIECE = 1 << 30, 1 << 20  # bytes


def read_artifact(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The tree of an artifact, or of the one in a folder; anything else is an InputError that says what was found."""
    file = Path(path, ARTIFACT) if os.path.isdir(path) else Path(path)
    try:
        content = _content(file)
        if content.startswith(PART):
            raise InputError(f"{file}: is a part of a result, expected an artifact: calipers merge makes one of parts")
        check_memory(content)
        tree = orjson.loads(content)
    except FileNotFoundError:
        inside = ", expected a folder that a suite wrote (-o DIR)" if os.path.isdir(path) else ""
        raise InputError(f"{file}: is not there{inside}") from None
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror or error}") from error
    except orjson.JSONDecodeError as error:
        raise InputError(f"{file}: is not JSON: {error}; expected an artifact ({ARTIFACT})") from error
    return check_tree(str(file), tree)


def _content(file: Path) -> bytearray:
    """The content of a file within `MAX_ARTIFACT_BYTES`, also where its size is not known before its end (a pipe)."""
    content = bytearray()
    with open(file, "rb") as stream:
        while piece := stream.read(PIECE):
            content += piece
            if max(len(content), os.fstat(stream.fileno()).st_size) > MAX_ARTIFACT_BYTES:
                raise InputError(f"{file}: is larger than 1 GiB, expected an artifact ({ARTIFACT})")
    return content


def check_tree(name: str, tree: Any, check: Callable[[str, Any], None] = check_artifact) -> dict[str, Any]:
    """Check that a tree is an artifact: it fits its suite's schema, and its numbers agree. Returns the tree."""
    if _is_deeper(tree, DEEPEST):
        raise InputError(f"{name}: is nested more than {DEEPEST} deep, expected an artifact ({ARTIFACT})")
    protocol = tree.get("protocol") if isinstance(tree, dict) else None
    suite = protocol.partition("/")[0] if isinstance(protocol, str) else ""
    if not is_suite(suite) or protocol != suite_of(suite).protocol:
        actual = "no field protocol" if protocol is None else f"protocol {protocol!r:.100}"
        raise InputError(f"{name}: {actual}, expected an artifact of one of {', '.join(protocols())}{_as_input(tree)}")
    if tree.get("suite") != suite:
        raise InputError(f"{name}: suite: found {tree.get('suite')!r:.100}, expected {suite!r}")
    try:
        check(suite, tree)
    except Mismatch as problem:
        whole = f"is not a whole artifact of {protocol}: " if problem.missing else ""
        raise InputError(f"{name}: {whole}{problem}") from None
    return tree  # type: ignore[no-any-return]  # a dict, as its schema says


def _as_input(tree: Any) -> str:
    """Advice for a tree that is no result but an input of a suite; "" for any other."""
    if not isinstance(tree, (dict, list)) or not tree or "protocol" in tree:
        return ""
    clue = Clue(tree)
    for suite in suites():
        kind = suite.survey.find_kind(clue) if suite.survey else None
        if kind is not None:
            return f"; this looks like an input ({kind.name}): measure it first, calipers {suite.name} … -o DIR"
    return ""


def _is_deeper(tree: Any, max_depth: int) -> bool:
    """Whether lists and objects are nested more than `max_depth` levels deep."""
    level = [tree] if isinstance(tree, (dict, list)) else []
    for _ in range(max_depth):
        parts = (part for value in level for part in (value.values() if isinstance(value, dict) else value))
        level = [part for part in parts if isinstance(part, (dict, list))]
    return bool(level)


def protocols() -> list[str]:
    """The protocols of all suites."""
    return [suite.protocol for suite in suites()]
