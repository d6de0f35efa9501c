"""Which boxes of scenes have no partner, for comparisons: the artifact has them all."""

from __future__ import annotations

from collections.abc import Mapping

from calipers.core.changes import ChangedObjects, Failures, MatchRows, Tree
from calipers.suites.scene.artifact import usual_form


def failures(tree: Tree, rows: MatchRows, groups: Mapping[str, str]) -> Failures:
    """Boxes without a partner, of some methods, which are called by other names."""
    unmatched = Failures()
    methods = usual_form(dict(tree))["methods"]
    for name, group in groups.items():
        unmatched.missed.update((group, row["scene"], row["index"]) for row in methods[name]["unmatched_gt"])
        unmatched.false.update((group, row["scene"]) for row in methods[name]["unmatched_pred"])
    return unmatched


CHANGED = ChangedObjects(
    ("method", "record", "index"),
    ("method", "record"),
    failures,
    "the place among the boxes of the scene's file, from 0",
)
