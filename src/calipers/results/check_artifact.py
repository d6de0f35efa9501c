"""Artifacts of Calipers: whether they are whole, and what they hold."""

from __future__ import annotations

import os
from typing import Any

from calipers.artifact import check_tree
from calipers.core.survey import FileCheck, Kind, path_of
from calipers.files.clues import read_tree
from calipers.results.check_kinds import artifact_in


def examine(source: Any, kind: Kind) -> FileCheck:
    """A result: which suite made it, of how many inputs."""
    path = path_of(source, "artifact")
    tree = check_tree(path, read_tree(artifact_in(path) if os.path.isdir(path) else source))
    file = FileCheck(path, kind.name, None, None)
    records = tree.get("records") or tree.get("images") or {}
    file.counts["contents"] = {"inputs": len(tree["inputs"]), **records}
    return file
