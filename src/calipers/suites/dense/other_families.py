"""Answers of models read as those of another family, for a result that may come from the wrong one.

Whether a box is in pixels or in norm1000, and whether x or y comes first, is a matter of the family, which no single
answer tells. So the answers of a sample are read once more as each of the families that write the same words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from calipers.core.errors import keyword
from calipers.core.interpretations import Interpretation
from calipers.files.answers.records import JSON_FAMILIES, AnswerOptions, with_objects
from calipers.suites.dense.config import Config
from calipers.suites.dense.interpretations import Sampled

Record = dict[str, Any]


def family_readings(records: list[Record], config: Config) -> Iterator[Interpretation]:
    """What the answers of some records score as those of another family.

    There is nothing to try where records are no answers, or where these are not kept beside what was read from them.
    """
    if config.answers is None or _read_again(records, config, config.answers) != records:
        return
    for family in JSON_FAMILIES:
        changed = _read_again(records, config, family) if family != config.answers else None
        if changed:
            advice = f"rerun with {keyword('answers', family)}"
            yield Interpretation(
                f"answers as {family} writes them", advice, Sampled(changed, config.frame).trial(config)
            )


def _read_again(records: list[Record], config: Config, family: str) -> list[Record] | None:
    """Records whose answers are read as those of a family; None where one is not there any more."""
    name = "pred" if config.frame == "pixel" else "pred_norm1000"
    options, changed = AnswerOptions(family, config.pred_field), list[Record]()
    for record in records:
        answer = {field: value for field, value in record.items() if field != name}
        read = {**record, name: []} if not record[name] else with_objects(answer, name, options, config.frame)
        if isinstance(read, str):
            return None
        changed.append(read if isinstance(read, dict) else read.record)
    return changed
