"""The fields of a record that say which objects it has, and how large its image is."""

from __future__ import annotations

from typing import Any

from calipers.core.errors import keyword
from calipers.files.problems import shown

LARGEST_SIZE = 1e9
IN_PIXELS = f"{keyword('frame', 'pixel')} reads gt and pred as pixels"


def side_names(record: dict[str, Any], frame: str) -> tuple[str, str, str]:
    """The names of ground truth and predictions, or what is wrong."""
    if frame == "pixel":
        truth, pred = "gt", "pred"
    else:
        if "coord_mode" in record and record["coord_mode"] == "pixel":
            return "", "", f'coord_mode: found "pixel", expected norm1000 coordinates ({IN_PIXELS})'
        truth = "gt_norm1000" if "gt_norm1000" in record else "gt_norm"
        pred = "pred_norm1000" if "pred_norm1000" in record else "pred"
    if truth not in record:
        return "", "", _missing_truth(record, frame)
    if pred not in record:
        expected = "pred" if frame == "pixel" else "pred_norm1000 or pred"
        return "", "", f"no predictions: expected {expected}, a list (empty when nothing was predicted)"
    return truth, pred, ""


def _missing_truth(record: dict[str, Any], frame: str) -> str:
    if frame == "pixel":
        return "no ground truth: expected gt, a list of objects in pixels"
    if "gt" in record:
        return f"only gt in pixels, expected gt_norm1000 ({IN_PIXELS} of width and height)"
    return "no ground truth: expected gt_norm1000 (or gt_norm), a list of objects"


def image_size(record: dict[str, Any]) -> tuple[float, float, str]:
    """Width and height of the image of a record, or what is wrong."""
    sizes = []
    for name in ("width", "height"):
        value = record.get(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= LARGEST_SIZE:
            return 0.0, 0.0, f"{name}: found {shown(value)}, expected a positive number, to read pixels"
        sizes.append(float(value))
    return sizes[0], sizes[1], ""
