"""The records of a result that were not evaluated, by their keys: what `only` takes to run them again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calipers.suite import suite_of_tree


def failed_keys(tree: Mapping[str, Any]) -> list[str]:
    """Keys of records that were rejected, skipped or in error, in the order of the result.

    A record that has nothing on both sides did not fail. A rejected line of a file is named by the file and the line.
    """
    suite = suite_of_tree(tree)
    if suite.failed_keys:
        return suite.failed_keys(tree)
    return [f"{entry['path']}:{entry['line']}" for entry in tree["rejected"]]
