"""Objects and records written short, and one call that measures them."""

import calipers


def box(x1, y1, x2, y2, desc="类别=甲"):
    return {"type": "bbox_2d", "points": [x1, y1, x2, y2], "desc": desc}


def poly(*points, desc="类别=甲"):
    return {"type": "poly", "points": list(points), "desc": desc}


def line(*points, desc="类别=线"):
    return {"type": "line", "points": list(points), "desc": desc}


def record(gt, pred, **fields):
    return {**fields, "gt_norm1000": list(gt), "pred": list(pred)}


def measure(*records, **options):
    """A report without intervals, unless asked for."""
    return calipers.dense(list(records), **{"bootstrap": 0} | options)


def matched(report, mode="localization"):
    """Matched pairs at each threshold of the sweep."""
    return [row["matched"] for row in report["modes"][mode]["thresholds"]]


def partners(report, mode="localization"):
    """(ground truth, prediction) of every pair at the primary threshold."""
    found = [row for row in report.matches() if row["side"] == "gt" and row[f"{mode}_partner"] is not None]
    return [(row["index"], row[f"{mode}_partner"]) for row in found]
