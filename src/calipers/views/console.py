"""The summary of a report for a terminal, by its suite."""

from __future__ import annotations

from typing import Any


def summary(tree: dict[str, Any]) -> str:
    """The whole summary, without a line break at the end."""
    if tree["suite"] == "timeline":
        from calipers.views import timeline_summary

        return timeline_summary.summary(tree)
    if tree["suite"] == "scene":
        from calipers.views import scene_summary

        return scene_summary.summary(tree)
    if tree["suite"] == "coco":
        from calipers.views import coco_summary

        return coco_summary.summary(tree)
    from calipers.views import dense_summary

    return dense_summary.summary(tree)
