"""What the first records of a source tell: whether it is a dump, and in which frame it is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

import orjson

from calipers.core.errors import InputError, keyword
from calipers.files.answers.image_names import IMAGE_FIELDS
from calipers.files.answers.missing_field import ONE_LIST, is_coco_result
from calipers.files.lines import LineSource
from calipers.suites.dense.interpretations import Record

PEEKED = 100  # records
PIECE = 1 << 20  # bytes
TRUTH_FIELDS = {"gt_norm1000", "gt_norm", "gt"}


def looks_like_answers(source: Any) -> bool:
    """Whether records are answers, which name their image and have no ground truth of their own, and no dump."""
    records = list(islice(_plain_records(source), PEEKED))
    return bool(records) and all(map(_is_answer, records))


def refuse_others(source: Any, path: str) -> None:
    """Tell what is no dump by its first records: detections, and answers without their ground truth."""
    records = list(islice(_plain_records(source), PEEKED))
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


def _is_answer(record: Record) -> bool:
    """Whether a record names its image and says something of it, but has nothing to compare that with.

    >>> _is_answer({"image": "a.jpg", "text": "[]"}), _is_answer({"image": "a.jpg", "gt": [], "pred": "[]"})
    (True, False)
    """
    said = [value for name, value in record.items() if name not in IMAGE_FIELDS and isinstance(value, (str, list))]
    names_image = any(name in record for name in IMAGE_FIELDS) and not is_coco_result(record)
    return bool(said) and names_image and not TRUTH_FIELDS & record.keys()


def frame_of(source: Any) -> str:
    """The frame that records are in: pixel if all that the first ones have of ground truth is in pixels."""
    records = list(islice(_plain_records(source), PEEKED))
    normed = sum("gt_norm1000" in record or "gt_norm" in record for record in records)
    pixel = sum("gt" in record and not {"gt_norm1000", "gt_norm"} & record.keys() for record in records)
    return "pixel" if pixel > normed else "norm1000"


def _plain_records(source: Any) -> Iterator[Record]:
    """Records that are JSON objects, whatever is in them."""
    if not isinstance(source, (str, os.PathLike)):
        yield from (item for item in listed(source) if isinstance(item, dict))
        return
    for shard in LineSource(0, os.fspath(source), PIECE):
        for _, line in shard.lines():
            with suppress(orjson.JSONDecodeError):
                if isinstance(record := orjson.loads(line or b"null"), dict):
                    yield record


def listed(source: Any) -> list[Any]:
    """Records in memory as a list: a single one is one of one."""
    return [source] if isinstance(source, dict) else list(source)
