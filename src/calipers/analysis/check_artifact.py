"""Artifacts of Calipers: what they say they are."""

from __future__ import annotations

import os
from typing import Any

from calipers.analysis.check_kinds import Kind, artifact_in, read_tree
from calipers.analysis.check_parts import FileCheck, path_of
from calipers.errors import InputError

PROTOCOLS = {"dense": "dense/1", "timeline": "timeline/1", "scene": "scene/1", "coco": "coco/1"}
NEEDED = ("calipers", "inputs", "params")


def examine(given: Any, kind: Kind) -> FileCheck:
    """A result: which suite made it, of how many inputs."""
    path = path_of(given, "artifact")
    tree = read_tree(artifact_in(path) if os.path.isdir(path) else given)
    missing = [name for name in NEEDED if name not in tree]
    if missing:
        raise InputError(f"{path}: no {' and no '.join(missing)}, expected an artifact of Calipers")
    file = FileCheck(path, kind.name, None, None)
    inputs = tree["inputs"] if isinstance(tree["inputs"], list) else []
    records = tree.get("records") or tree.get("images") or {}
    known = {name: n for name, n in records.items() if isinstance(n, int)} if isinstance(records, dict) else {}
    file.counts["contents"] = {"inputs": len(inputs), **known}
    if PROTOCOLS.get(tree["suite"]) != tree["protocol"]:
        file.warnings.append(f"the protocol {tree['protocol']} is not one of {', '.join(PROTOCOLS.values())}")
    return file
