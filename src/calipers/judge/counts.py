"""How many there are, against how many there should be.

A side is a number, an object that names one (`count`, `counts`, `total`, `number`), with a number for each label if it
is an object itself, or a list, of shapes or of labels, whose items are counted. In a text without any of these the last
whole number counts. Malformed shapes count as well: they were claimed.

The score is 1 - (d - threshold) / larger, of the difference `d` and the larger of both counts, and at most 1; two times
nothing scores 1. With exact labels, differences and larger counts are those of each label, added up.
"""

from __future__ import annotations

import re

from calipers.core.errors import InputError
from calipers.judge.answers import find_shapes, parse_answer
from calipers.judge.hosts import failed, make_verdict
from calipers.judge.kinds import TELLING_NAMES, by_plain_name, shown
from calipers.judge.labels import shortened
from calipers.judge.search import follow, names_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from calipers.judge.answers import Answer
    from calipers.judge.hosts import Case
    from calipers.judge.options import Options

NAMES = ("count", "counts", "total", "number")
KINDS = ("box", "point", "polygon", "rotated", "line", "cuboid", "interval")  # of shapes, the first that is there
LARGEST = 10**15
_WHOLE_NUMBER = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d{1,15})(?![\w]|[.,]\d)")


class CountOfSide:
    """A `total`, the counts `by_label` where every item has one, and `notes` on how they were read."""

    __slots__ = ("by_label", "notes", "total")

    def __init__(self, total: int, by_label: dict[str, int] | None, notes: list[str]) -> None:
        self.total, self.by_label, self.notes = total, by_label, notes


def count_verdict(case: Case, options: Options, beside: dict[str, Any]) -> dict[str, Any]:
    """The verdict on a count."""
    exact = options.labels == "exact"
    try:
        truth = _counted(case.reference, "reference", options, exact=exact)
        pred = _counted(case.answer, "answer", options, exact=exact)
    except InputError as error:
        return failed("count", str(error), **beside)
    difference, larger = _difference(truth, pred, exact=exact)
    beyond = max(0.0, difference - options.threshold)
    note = "" if exact else _label_note(truth, pred)
    details: dict[str, Any] = {"count": pred.total, "expected": truth.total, "difference": pred.total - truth.total}
    if truth.by_label is not None and pred.by_label is not None:
        details["by_label"] = _side_by_side(truth.by_label, pred.by_label)
    details |= beside | {"notes": [*pred.notes, *([note] if note else [])]}
    reason = _reason(truth, pred, options, difference) + (f"; {note}" if note else "")
    text = f"the count is right to within {options.threshold:g}" if options.threshold else "the count is right"
    return make_verdict(not beyond, 1.0 - min(1.0, beyond / larger) if larger else 1.0, reason, text, details)


def _difference(truth: CountOfSide, pred: CountOfSide, *, exact: bool) -> tuple[int, int]:
    """By how much the counts differ, and the larger of both; with exact labels the sums of these over labels."""
    if not exact:
        return abs(pred.total - truth.total), max(pred.total, truth.total)
    rows = _side_by_side(truth.by_label or {}, pred.by_label or {}).values()
    return sum(abs(row["pred"] - row["gt"]) for row in rows), sum(max(row.values()) for row in rows)


def _side_by_side(truth: dict[str, int], pred: dict[str, int]) -> dict[str, dict[str, int]]:
    labels = sorted(truth.keys() | pred.keys())
    return {label: {"gt": truth.get(label, 0), "pred": pred.get(label, 0)} for label in labels}


def _reason(truth: CountOfSide, pred: CountOfSide, options: Options, difference: int) -> str:
    reason = f"count {pred.total}, expected {truth.total}"
    if options.labels == "exact":
        rows = _side_by_side(truth.by_label or {}, pred.by_label or {}).items()
        wrong = [
            f"{row['pred']} {shortened(label)}, expected {row['gt']}" for label, row in rows if row["gt"] != row["pred"]
        ]
        reason += "".join(f"; {line}" for line in wrong[:3]) + (
            f"; and {len(wrong) - 3} more" if len(wrong) > 3 else ""
        )
    elif difference:
        reason += f": {difference} too {'many' if pred.total > truth.total else 'few'}"
    if difference and options.threshold:
        reason += f", {'within' if difference <= options.threshold else 'beyond'} {options.threshold:g}"
    return reason


def _label_note(truth: CountOfSide, pred: CountOfSide) -> str:
    """A note where counts by label differ and labels were ignored."""
    if not truth.by_label or not pred.by_label or truth.by_label == pred.by_label:
        return ""
    rows = _side_by_side(truth.by_label, pred.by_label).items()
    label, row = next((label, row) for label, row in rows if row["gt"] != row["pred"])
    counts = f"{row['pred']} {shortened(label)}, expected {row['gt']}"
    return f"labels were ignored: {counts} (labels=exact would count it)"


def _counted(value: Any, side: str, options: Options, *, exact: bool) -> CountOfSide:
    """The count of a side; an error if there is none, or none by label where that is asked for."""
    answer = parse_answer(value)
    counted = _of_values(answer, side, options) or _of_shapes(answer, options) or _of_list(answer) or _of_prose(answer)
    if counted is None:
        raise InputError(f"{side}: no count found, expected a number, an object with a count, or a list")
    if exact and counted.by_label is None and counted.total:
        raise InputError(f"{side}: no labels found, expected a count for each label with labels=exact")
    counted.notes[:0] = answer.notes
    return counted


def _of_values(answer: Answer, side: str, options: Options) -> CountOfSide | None:
    """The last number that a value is, or names as its count."""
    for value in reversed(answer.values):
        for place in follow([value], options.at.split(".")) if options.at else (value,):
            number = _named_count(place) if isinstance(place, dict) else place
            if isinstance(number, dict):
                by_label = {str(label): _whole(count, side) for label, count in number.items()}
                return CountOfSide(sum(by_label.values()), by_label, [])
            if number is not None and isinstance(number, (int, float)):
                return CountOfSide(_whole(number, side), None, [])
    return None


def _named_count(node: dict[Any, Any]) -> Any:
    named = by_plain_name(node)
    return next((named[name] for name in NAMES if isinstance(named.get(name), (int, float, dict))), None)


def _whole(number: Any, side: str) -> int:
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 <= number <= LARGEST or number % 1:
        raise InputError(f"{side}: found {shown(number)}, expected a whole number from 0 to {LARGEST:g} as count")
    return int(number)


def _of_shapes(answer: Answer, options: Options) -> CountOfSide | None:
    """How many shapes there are, of the first kind that is there."""
    return _of_kinds(answer, options, KINDS[:1]) or _of_kinds(answer, options, _kinds_left(answer, options))


def _of_kinds(answer: Answer, options: Options, kinds: tuple[str, ...]) -> CountOfSide | None:
    for kind in kinds:
        shapes = find_shapes(answer, kind, at=options.at, format=options.format, many=True)
        if not shapes.missing and shapes.holds():
            by_label = _tallied(shapes.labels) if shapes.labels else None
            return CountOfSide(len(shapes.shapes), by_label, shapes.notes)
    return None


def _kinds_left(answer: Answer, options: Options) -> tuple[str, ...]:
    """The kinds after the first that a search could find, by the names in an answer: each takes a look at all of it."""
    names, others = names_in(answer.values), KINDS[1:]
    places = follow(answer.values, options.at.split(".")) if options.at else answer.values
    if "x" in names or any(map(_has_rows, places)):  # points of a polygon, shapes without a name
        return others
    if any(isinstance(place, (list, tuple)) for place in places) or not any(map(_has_bracket, answer.outside)):
        return tuple(kind for kind in others if not names.isdisjoint(TELLING_NAMES[kind]))
    return others  # in prose


def _has_bracket(text: str) -> bool:
    return any(bracket in text for bracket in "[(［")


def _has_rows(place: Any) -> bool:
    """Whether a list has numbers, or lists with something other than texts: a shape without a name, maybe."""
    return isinstance(place, (list, tuple)) and any(map(_may_be_shape, place))


def _may_be_shape(item: Any) -> bool:
    if not isinstance(item, (list, tuple)):
        return isinstance(item, (int, float))
    return not all(isinstance(part, str) for part in item)


def _of_list(answer: Answer) -> CountOfSide | None:
    """How many texts or objects a list has; texts are labels."""
    lists = [value for value in answer.values if isinstance(value, (list, tuple))]
    if not lists or not all(isinstance(item, (str, dict)) for item in lists[-1]):
        return None
    return CountOfSide(len(lists[-1]), _tallied(lists[-1]), [])


def _tallied(labels: Any) -> dict[str, int] | None:
    """How often each label occurs; None if one is none."""
    if not all(isinstance(label, str) for label in labels):
        return None
    by_label: dict[str, int] = {}
    for label in labels:
        by_label[label.strip()] = by_label.get(label.strip(), 0) + 1
    return by_label


def _of_prose(answer: Answer) -> CountOfSide | None:
    """The last whole number of a text."""
    numbers = [number for text in answer.outside for number in _WHOLE_NUMBER.findall(text)]
    if not numbers:
        return None
    note = "number in prose" if len(numbers) == 1 else f"the last of {len(numbers)} numbers in prose"
    return CountOfSide(int(numbers[-1].replace(",", "")), None, [note])
