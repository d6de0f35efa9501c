"""The records of a result that were not evaluated, by their keys: what `only` takes to run them again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calipers.core.errors import ConfigError


def failed_keys(tree: Mapping[str, Any]) -> list[str]:
    """Keys of records that were rejected, skipped or in error, in the order of the result.

    A record that has nothing on both sides did not fail. A rejected line of a dump is named by its file and line. Of
    detections it is the images whose annotations were rejected, each once.
    """
    if tree["suite"] == "coco":
        return _images(tree["rejected"])
    if tree["suite"] == "timeline":
        return list(tree["not_evaluated"])
    if tree["suite"] == "scene":
        return [entry["scene"] for entry in tree.get("rejected", ())]
    return [f"{entry['path']}:{entry['line']}" for entry in tree["rejected"]]


def _images(rejected: list[dict[str, Any]]) -> list[str]:
    """The images of annotations; one that names no image of the data set leaves none out."""
    if any("image" not in entry for entry in rejected):
        raise ConfigError("failed: this result does not name the images of rejected annotations, expected a newer one")
    return list(dict.fromkeys(entry["image"] for entry in rejected if entry["image"] is not None))
