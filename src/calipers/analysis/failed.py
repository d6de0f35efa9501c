"""The records of a result that were not evaluated, by their keys: what `only` takes to run them again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calipers.errors import ConfigError


def failed_keys(tree: Mapping[str, Any]) -> list[str]:
    """Keys of records that were rejected, skipped or in error, in the order of the result.

    A record that has nothing on both sides did not fail. A rejected line of a dump is named by its file and line.
    """
    if tree["suite"] == "coco":
        raise ConfigError("failed: of detections single annotations are rejected, expected dense, timeline or scene")
    if tree["suite"] == "timeline":
        return list(tree["not_evaluated"])
    if tree["suite"] == "scene":
        return [entry["scene"] for entry in tree.get("rejected", ())]
    return [f"{entry['path']}:{entry['line']}" for entry in tree["rejected"]]
