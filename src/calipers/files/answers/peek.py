"""Whether the first records of a source are answers of models, which name their image and have no ground truth."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

import orjson

from calipers.core.errors import InputError
from calipers.files.answers.image_names import IMAGE_FIELDS
from calipers.files.answers.missing_field import is_coco_result
from calipers.files.lines import LineSource

PEEKED = 100  # records
PIECE = 1 << 20  # bytes
TRUTH_FIELDS = {"gt_norm1000", "gt_norm", "gt"}
Record = dict[str, Any]


def looks_like_answers(source: Any) -> bool:
    """Whether records are answers, which name their image and have no ground truth of their own, and no dump."""
    records = first_records(source)
    return bool(records) and all(map(_is_answer, records))


def _is_answer(record: Record) -> bool:
    """Whether a record names its image and says something of it, but has nothing to compare that with.

    >>> _is_answer({"image": "a.jpg", "text": "[]"}), _is_answer({"image": "a.jpg", "gt": [], "pred": "[]"})
    (True, False)
    """
    contents = [value for name, value in record.items() if name not in IMAGE_FIELDS and isinstance(value, (str, list))]
    names_image = any(name in record for name in IMAGE_FIELDS) and not is_coco_result(record)
    return bool(contents) and names_image and not TRUTH_FIELDS & record.keys()


def first_records(source: Any) -> list[Record]:
    """The first records that are JSON objects, whatever is in them."""
    return list(islice(_plain_records(source), PEEKED))


def _plain_records(source: Any) -> Iterator[Record]:
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


def are_answer_files(gt: Any, pred: Any) -> bool:
    """Whether there are files on both sides, and predictions name their image and have no ground truth of their own."""
    if not all(isinstance(source, (str, os.PathLike)) and os.fspath(source) != "-" for source in (gt, pred)):
        return False
    try:
        return not os.path.isdir(pred) and looks_like_answers(pred)
    except InputError:  # which is told where it is read
        return False
