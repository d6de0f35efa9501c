"""What to say of a record without the field that should hold an answer: which fields there are, and which is meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from calipers.core.errors import keyword
from calipers.files.answers.image_names import IMAGE_FIELDS

MAX_NAMED, LONGEST_NAME = 8, 40
EXPECTED = "the answer of a model as text or its objects in a list"
RESULT, SHAPES = {"image_id", "category_id"}, {"bbox", "segmentation", "keypoints"}  # fields of a COCO result
ONE_LIST = "found COCO results, one on each line, expected all of them in one list, [{…}, {…}], in a .json file"


def is_coco_result(fields: Iterable[str]) -> bool:
    """Whether these are the fields of a detection in COCO's form.

    >>> is_coco_result(["image_id", "category_id", "bbox", "score"]), is_coco_result(["image_id", "bbox"])
    (True, False)
    """
    names = set(fields)
    return names >= RESULT and not names.isdisjoint(SHAPES)


def missing_field(record: Mapping[str, Any], field: str, asked: bool, names: Iterable[str] | None = None) -> str:
    """The problem of a record without the field `field`; `names` are the fields to list, if not all of the record.

    >>> missing_field({"image": "a.jpg", "response": "[]"}, "pred", False).partition("; ")[2]
    'found fields image, response; name the one that holds the answer: `pred_field="response"`'
    >>> print(missing_field({"response": "[]"}, "respnse", True))
    no predictions: expected respnse, did you mean response? found fields response
    """
    from difflib import get_close_matches

    fields = list(record if names is None else names)
    if is_coco_result(fields):
        return ONE_LIST
    if asked and (near := get_close_matches(field, [name[:LONGEST_NAME] for name in fields], n=1)):
        return f"no predictions: expected {field}, did you mean {near[0]}? {listed_fields(fields)}"
    problem = f"no predictions: expected {field}, {EXPECTED}"
    if not fields:
        return problem
    likely = list(_likely(record, fields))
    option = keyword("pred_field", likely[0] if len(likely) == 1 else "FIELD")
    return f"{problem}; {listed_fields(fields)}; name the one that holds the answer: {option}"


def _likely(record: Mapping[str, Any], fields: list[str]) -> Iterator[str]:
    """The fields that can hold an answer, of those whose names can stand in a command as they are."""
    for name in fields:
        is_word = name.replace("_", "").isalnum() and len(name) <= LONGEST_NAME
        if (
            is_word
            and name not in IMAGE_FIELDS
            and not name.startswith("gt")
            and isinstance(record.get(name), (str, list))
        ):
            yield name


def listed_fields(fields: list[str]) -> str:
    """The fields of a record, as a message lists them.

    >>> listed_fields(["id", "predictions"])
    'found fields id, predictions'
    """
    more = f" and {len(fields) - MAX_NAMED:,} more" if len(fields) > MAX_NAMED else ""
    return f"found fields {', '.join(name[:LONGEST_NAME] for name in fields[:MAX_NAMED])}{more}"
