"""What the first records of a source tell: whether it is a dump, and in which frame it is."""

from __future__ import annotations

from typing import Any

from calipers.core.errors import InputError, keyword
from calipers.files.answers.missing_field import ONE_LIST, is_coco_result
from calipers.files.answers.peek import first_records, looks_like_answers


def refuse_others(source: Any, path: str) -> None:
    """Tell what is no dump by its first records: detections, and answers without their ground truth."""
    records = first_records(source)
    if records and all(map(is_coco_result, records)):
        raise InputError(f"{path}: {ONE_LIST}")
    if looks_like_answers(source):
        raise InputError(_answers_alone(path))


def _answers_alone(path: str) -> str:
    """What to say of answers that are given without their ground truth."""
    sides = f"{keyword('gt', 'FILE')} {keyword('pred', 'FILE')}"
    return (
        f"{path}: answers that name their image, without ground truth, expected a dump that has both; calipers check"
        f" {sides} looks at them beside their ground truth, calipers dense {sides} (or calipers coco) measures them"
    )


def frame_of(source: Any) -> str:
    """The frame that records are in: pixel if all that the first ones have of ground truth is in pixels."""
    records = first_records(source)
    normed = sum("gt_norm1000" in record or "gt_norm" in record for record in records)
    pixel = sum("gt" in record and not {"gt_norm1000", "gt_norm"} & record.keys() for record in records)
    return "pixel" if pixel > normed else "norm1000"
