"""The numbers of an artifact against each other: counts that add up, rates that are the ratio of their counts.

An artifact was written by a suite, then copied, kept and maybe edited. A schema sees that a recall lies between 0 and
1; these rules see that it is matched / gt. Trees come here after their schema, so every field is there and of its kind.
The rules of a suite are in `arithmetic_<suite>.py`; none asks for more than the suite promises, so that every artifact
it writes can be read.
"""

from __future__ import annotations

from collections.abc import Callable

from calipers.core.arithmetic import Place, Tree, equal
from calipers.core.json_schema import Mismatch
from calipers.suites.coco.arithmetic import check_coco
from calipers.suites.dense.arithmetic import check_dense
from calipers.suites.scene.arithmetic import check_scene
from calipers.suites.timeline.arithmetic import check_timeline

RULES: dict[str, Callable[[Tree], None]] = {
    "dense": check_dense,
    "timeline": check_timeline,
    "scene": check_scene,
    "coco": check_coco,
}


def check_replicates(tree: Tree) -> None:
    """The replicates of each figure are there, as many as the artifact says."""
    for name, method in tree.get("methods", {}).items():
        _check_lengths(method, ("methods", name, "bootstrap"))
    if "bootstrap" in tree:
        _check_lengths(tree, ("bootstrap",))
    columns = [f"{mode}.{column}" for mode in tree.get("modes", ()) for column in ("matched", "matched_over_sweep")]
    for name in columns:
        if name not in tree["bootstrap"]["sums"]:
            raise Mismatch("is missing", "bootstrap", "sums", missing=name)


def _check_lengths(tree: Tree, place: Place) -> None:
    bootstrap = tree["bootstrap"]
    for kind in ("sums", "values"):
        for name, values in bootstrap.get(kind, {}).items():
            if values or kind == "sums":
                equal(len(values), bootstrap["replicates"], (*place, kind, name), "replicates", "replicates in it")
