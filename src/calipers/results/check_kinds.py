"""What an input is, told by its content: which suite reads it, and whether it holds ground truth or predictions."""

from __future__ import annotations

import os
from typing import Any

from calipers.artifact import ARTIFACT, PART
from calipers.core.errors import InputError
from calipers.core.survey import Kind
from calipers.files.clues import Clue, words_for
from calipers.files.problems import shown
from calipers.suite import built_in, suites, unloadable_suites


def find_kind(source: Any) -> Kind:
    """The kind of an input, a path or a value; an error says that it is none that a suite reads."""
    clue = Clue(source)
    if (artifact := _artifact_kind(clue)) is not None:
        return artifact
    for survey in sorted((suite for suite in suites() if suite.survey), key=lambda suite: suite.name in built_in()):
        kind: Kind | None = survey.survey.find_kind(clue)
        if kind is not None:
            return kind
    raise InputError(f"{clue.path}: {_described(clue)}, expected {expected()}")


def expected() -> str:
    """The kinds of input that can be read, for messages."""
    names = [suite.survey.kinds[0].name.partition(",")[0] for suite in suites() if suite.survey]
    broken = "".join(f" ({problem})" for problem in unloadable_suites().values())
    return f"{', '.join(dict.fromkeys(names))}, or an artifact of Calipers{broken}"


def _artifact_kind(clue: Clue) -> Kind | None:
    """The kind of an artifact, or of a folder of `-o`; a part of a result, or nothing at all, is an error."""
    if clue.is_folder:
        inside = Clue(artifact_in(clue.path))
        return _artifact_kind(inside) if os.path.isfile(inside.path) else None
    if not clue.is_path or clue.path == "-" or clue.is_csv:
        return _kind_of_artifact(clue)
    if not clue.head:
        raise InputError(f"{clue.path}: found nothing in it, expected {expected()}")
    if clue.head.startswith(PART):
        wrong = f"is a part of a result, expected {expected()}"
        raise InputError(f"{clue.path}: {wrong}: calipers merge makes one of parts")
    return _kind_of_artifact(clue)


def _kind_of_artifact(clue: Clue) -> Kind | None:
    tree = clue.object or {}
    return Kind(f"artifact of Calipers, {tree['protocol']}", None) if "suite" in tree and "protocol" in tree else None


def _described(clue: Clue) -> str:
    if clue.is_folder:
        return "found a folder with none of these files"
    if clue.tree is None and clue.head:
        line = clue.head.partition(b"\n")[0].decode(errors="replace").strip()
        return f"found text that begins with {shown(line)}"
    return f"found {words_for(clue.tree)}"


def artifact_in(folder: str) -> str:
    """Where a suite puts its artifact in a folder (-o DIR)."""
    return os.path.join(folder, ARTIFACT)
