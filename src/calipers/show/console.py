"""The summary of a report for a terminal, by its suite."""

from __future__ import annotations

from typing import Any


def summary(tree: dict[str, Any]) -> str:
    """The whole summary, without a line break at the end."""
    if tree["suite"] == "timeline":
        from calipers.suites.timeline import summary as timeline_summary

        return timeline_summary.summary(tree)
    if tree["suite"] == "scene":
        from calipers.suites.scene import summary as scene_summary

        return scene_summary.summary(tree)
    if tree["suite"] == "coco":
        from calipers.suites.coco import summary as coco_summary

        return coco_summary.summary(tree)
    from calipers.suites.dense import summary as dense_summary

    return dense_summary.summary(tree)
