"""The numbers of a detection report under the names that torchmetrics' `MeanAveragePrecision` gives them.

Undefined is None, where torchmetrics has -1. `classes` are those that have an object or a detection, by id, and
`map_per_class` and `mar_100_per_class` are in their order.
"""

from __future__ import annotations

from typing import Any

from calipers.core.errors import ConfigError
from calipers.core.tables import Tree

AREAS = ("small", "medium", "large")


def torchmetrics_numbers(tree: Tree) -> dict[str, Any]:
    """Every number that torchmetrics has, by its name.

    A ConfigError for keypoints, which it does not measure.
    """
    lines, params = tree["coco"], tree["params"]
    if params["iou_type"] == "keypoints":
        raise ConfigError("style: found 'torchmetrics' for keypoints, expected boxes or masks: it has no others")
    limits = [str(most) for most in params["max_dets"]]
    rows = [row for row in tree["per_class"] if row["gt"] or row["pred"]]
    return {
        "map": lines["AP"],
        **{f"map_{part}": lines[f"AP_{part}"] for part in ("50", "75", *AREAS)},
        **{f"mar_{part}": lines[f"AR_{part}"] for part in (*limits, *AREAS)},
        "map_per_class": [row["AP"] for row in rows],
        f"mar_{limits[-1]}_per_class": [row.get("AR") for row in rows],
        "classes": [row["category_id"] for row in rows],
    }
