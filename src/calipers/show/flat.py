"""The headline numbers of a result as one flat dict, as experiment trackers take them.

A key is a path: the mode or the method where there is one, then the metric, `category/mean_f1`, `ours/f1`,
`pooled/frame_accuracy`. Every value is a float; what is undefined is left out. The order is that of the artifact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from calipers.core.errors import require
from calipers.results.figures import figures, scene_methods
from calipers.suites.scene.tables import extra_metrics, metric

Tree = Mapping[str, Any]
Named = tuple[str, float | None]


def flat(tree: Tree, prefix: str = "") -> dict[str, float]:
    """Every headline number by its path, with the prefix in front: what a tracker logs for a step."""
    require(isinstance(prefix, str), "prefix", prefix, "text to put in front of every name")
    numbers = [*_figures(tree), *_more(tree)]
    return {f"{prefix}{name}": float(value) for name, value in numbers if value is not None}


def _figures(tree: Tree) -> Iterator[Named]:
    for name, figure in figures(tree, replicates=False).items():
        of, _, last = name.rpartition(".")
        yield f"{of}/{last}" if of else last, figure.value


def _more(tree: Tree) -> Iterator[Named]:
    """What has no interval: how counts compare, the attributes of matched pairs, average precision, causes."""
    if tree["suite"] == "scene":
        for name, method in scene_methods(tree).items():
            yield from ((f"{name}/{ap}", metric(method, ap)) for ap in extra_metrics({name: method})[1])
            yield from _part(f"{name}/fp", method["fp_breakdown"])
    if tree["suite"] == "dense":
        rates = ("precision", "recall", "f1")
        yield from _part("attributes", {rate: tree["attributes"][rate] for rate in rates})
    if tree["suite"] in ("dense", "coco"):
        yield from _part("counts", tree["counts"])
        yield from _part("errors", tree["errors"])


def _part(name: str, numbers: Mapping[str, float | None]) -> Iterator[Named]:
    yield from ((f"{name}/{each}", value) for each, value in numbers.items())
