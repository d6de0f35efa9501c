"""Answers of models read as those of another family, for a result that may come from the wrong one.

Whether a box is in pixels or in norm1000, and whether x or y comes first, is a matter of the family, which no single
answer tells. So the answers of a sample are read once more as each of the families that write the same words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from calipers.core.errors import keyword
from calipers.core.interpretations import Interpretation
from calipers.files.answers.class_names import fold
from calipers.files.answers.records import JSON_FAMILIES, AnswerOptions, with_objects
from calipers.suites.dense.coco_truth import pred_name
from calipers.suites.dense.config import Config
from calipers.suites.dense.interpretations import Sampled

Record = dict[str, Any]
LABELS = ("desc", "label")


def family_readings(records: list[Record], config: Config) -> Iterator[Interpretation]:
    """What the answers of some records score as those of another family.

    There is nothing to try where records are no answers, or where these are not kept beside what was read from them.
    """
    if config.answer_options is None or not _are_answers(records, config):
        return
    for family in JSON_FAMILIES:
        changed = _read_again(records, config, family) if family != config.answers else None
        if changed:
            advice = f"rerun with {keyword('answers', family)}"
            yield Interpretation(
                f"answers as {family} writes them", advice, Sampled(changed, config.frame).trial(config)
            )


def _are_answers(records: list[Record], config: Config) -> bool:
    """Whether the answers of records, read once more, are the objects of the records; labels may be respelled."""
    again = _read_again(records, config, config.answers or "auto")
    return again is not None and _folded(again, config) == _folded(records, config)


def _folded(records: list[Record], config: Config) -> list[Record]:
    """Records whose predicted labels are without case and with single spaces."""
    name = pred_name(config.frame)
    return [{**record, name: [_folded_object(item) for item in record[name]]} for record in records]


def _folded_object(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    return {field: fold(value) if field in LABELS else value for field, value in item.items()}


def _read_again(records: list[Record], config: Config, family: str) -> list[Record] | None:
    """Records whose answers are read as those of a family; None where one is not there any more."""
    name = pred_name(config.frame)
    options, changed = AnswerOptions(family, config.pred_field), list[Record]()
    for record in records:
        answer = {field: value for field, value in record.items() if field != name}
        read = {**record, name: []} if not record[name] else with_objects(answer, name, options, config.frame)
        if isinstance(read, str):
            return None
        changed.append(read if isinstance(read, dict) else read.record)
    return changed
