"""Predictions of a record as people have them: objects that name their geometry, or a model's answer as text.

Answers are read as those of a family and brought to the frame of the records, so that whatever follows sees objects as
everywhere. Counted for each family: answers by status, their objects, those that reach outside the frame, and how many
of these another reading would bring inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from calipers.core.errors import InputError, keyword
from calipers.core.tally import Tally
from calipers.files.answers.families import FAMILIES, Size
from calipers.files.answers.json_keys import scaled
from calipers.files.answers.missing_field import EXPECTED, missing_field
from calipers.files.answers.model_text import MAX_IMAGE_SIDE, ParsedText, normalised, parse_objects
from calipers.files.json_checks import RepeatedKeyDict
from calipers.files.problems import shown

STATUSES = ("ok", "repaired", "truncated", "failed")
ANSWERS = "answers"  # rows by family: answers by status, then objects, those outside the frame, those that would fit
MISSING = "answers.missing"  # images that no answer was given for
MARGIN = 0.02  # of the frame, by which an object may reach outside and still be meant so
SOME = 20  # one of so many objects outside the frame is worth a line
FARTHEST = 1e100  # that a number may lie from the image; NaN and infinity do farther
SIZE_NAMES = (("input_width", "input_height"), ("width", "height"))
PIXEL_FAMILY = "qwen2.5"
POINT_FAMILY = "molmo"
POINTS = "which have no area and match nothing; calipers judge click measures points in boxes"
JSON_FAMILIES = (PIXEL_FAMILY, "qwen3", "gemini")  # that write the same words and mean other places


class AnswerOptions(NamedTuple):
    """The family of answers and the field they are in; None in place of it where predictions are objects in lists."""

    family: str
    field: str | None = None


class AnswerCounts:
    """Rows of counts by family."""

    def __init__(self) -> None:
        self.rows: dict[str, list[int]] = {}

    def add(self, answer: ReadAnswer) -> None:
        """Count one answer."""
        row = self.rows.setdefault(answer.family, [0] * (len(STATUSES) + 3))
        row[STATUSES.index(answer.status)] += 1
        for at, n in enumerate(answer.fit, len(STATUSES)):
            row[at] += n

    def count_in(self, tally: Tally) -> None:
        """Add the rows to a tally."""
        for family, row in self.rows.items():
            tally.count_row(ANSWERS, family, row)


class ReadAnswer(NamedTuple):
    """A record with the objects of its answer in place of it, and what is counted of the answer."""

    record: dict[str, Any]
    family: str
    status: str
    fit: tuple[int, int, int]  # objects, those outside the frame, those of them that another reading brings inside


def plain_objects(items: list[Any]) -> list[Any]:
    """Predicted objects, those that name their geometry as type, points and desc."""
    if all(not isinstance(item, dict) or "type" in item for item in items):
        return items
    return [_named(item) if isinstance(item, dict) and "type" not in item else item for item in items]


def _named(item: dict[str, Any]) -> Any:
    """An object by its geometry; that it gives a key twice is kept in mind."""
    named = normalised(item)
    if type(item) is not RepeatedKeyDict or named is item or not isinstance(named, dict):
        return named
    doubled = RepeatedKeyDict(named)
    doubled.repeated = item.repeated
    return doubled


def with_objects(
    record: dict[str, Any], name: str, options: AnswerOptions, frame: str, names: Iterable[str] | None = None
) -> ReadAnswer | str:
    """A record whose predictions, to be called `name`, are read from its answer; or what is wrong with it.

    `names` are the fields that stand in the answer, where the record has others beside.
    """
    field = options.field or next((candidate for candidate in (name, "pred") if candidate in record), "")
    if field not in record:
        usual = name if name == "pred" else f"{name} or pred"
        return missing_field(record, field or usual, bool(options.field), names)
    answer, family, size = record[field], options.family, _size(record)
    if not isinstance(answer, (str, list)):
        return f"{field}: found {shown(answer)}, expected {EXPECTED}"
    if _is_chat(answer):
        return f"{field}: found chat messages with role and content, expected the answer: the content of the last one"
    if family == PIXEL_FAMILY and (problem := _size_problem(record)):
        return problem
    parsed = _parsed(answer, family, size or (None, None))
    fit = (len(parsed.objects), 0, 0)
    if frame != "pixel" or parsed.family != "json":  # which are in the frame of the records, whatever that is
        fit = _fit(parsed, size)
    if frame == "pixel" and parsed.family != "json":
        _to_pixels(parsed, record)
    objects = [_refused(item) for item in parsed.objects]
    return ReadAnswer({**record, name: objects}, parsed.family, parsed.status, fit)


def _is_chat(answer: str | list[Any]) -> bool:
    """Whether an answer is a conversation, which holds the answer in one of its messages."""
    return bool(answer) and all(isinstance(item, dict) and {"role", "content"} <= item.keys() for item in answer)


def _refused(item: object) -> object:
    """An object in a form that the family does not write, marked with an unknown type so that it counts as invalid."""
    return {"type": None, **item} if isinstance(item, dict) and "type" not in item else item


def _parsed(answer: str | list[Any], family: str, size: Size) -> ParsedText:
    """An answer as text, or objects that only have to be brought to their form."""
    if isinstance(answer, str):
        return parse_objects(answer, family, width=size[0], height=size[1])
    if family == "auto":
        is_gemini = any(isinstance(item, dict) and "box_2d" in item for item in answer)
        family = "gemini" if is_gemini else "json"
    shape = FAMILIES[family].shape
    parsed = ParsedText(plain_objects(answer) if shape is None else [shape(size)(item) for item in answer], "ok", [])
    parsed.family = family
    return parsed


def _size(record: dict[str, Any]) -> tuple[float, float] | None:
    """Width and height of the image as the model was given it, of the image itself where nothing else is said."""
    for names in SIZE_NAMES:
        sizes: list[Any] = [record.get(name) for name in names]
        width, height = (float(size) if is_side(size) else None for size in sizes)
        if width is not None and height is not None:
            return width, height
    return None


def _size_problem(record: dict[str, Any]) -> str:
    """Why answers in pixels cannot be read: the size of the image is not known; "" where it is."""
    for names in SIZE_NAMES:
        sides = {name: record[name] for name in names if record.get(name) is not None}
        wrong = next((name for name, value in sides.items() if not is_side(value)), None)
        if wrong is not None:
            return f"{wrong}: found {shown(sides[wrong])}, expected a positive number of pixels"
        if len(sides) == len(names):
            return ""
        if sides:
            (missing,) = set(names) - set(sides)
            return f"{missing} missing, expected it beside {next(iter(sides))}"
    return "width and height missing (or input_width and input_height), in whose pixels qwen2.5 answers"


def is_side(value: Any) -> bool:
    """Whether a value can be the width or the height of an image."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= MAX_IMAGE_SIDE


def _to_pixels(parsed: ParsedText, record: dict[str, Any]) -> None:
    """Objects in norm1000 as pixels of the record, which the reader has still to find in order."""
    width, height = record.get("width"), record.get("height")
    if not (isinstance(width, (int, float)) and isinstance(height, (int, float))):
        return
    x, y = (width, 1000), (height, 1000)
    parsed.objects = [
        {**item, "points": scaled(item["points"], x, y)} if isinstance(item, dict) and "points" in item else item
        for item in parsed.objects
    ]


def _fit(parsed: ParsedText, size: Size | None) -> tuple[int, int, int]:
    """Objects, those outside the frame, and those of them that lie inside as the other of pixels and norm1000."""
    places = [_numbers(item["points"]) for item in parsed.objects if isinstance(item, dict) and "points" in item]
    outside = [numbers for numbers in places if not _is_inside(numbers, (1000, 1000))]
    if not outside or size is None:
        return len(places), len(outside), 0
    limits = size
    if parsed.family == PIXEL_FAMILY:  # its pixels, taken for norm1000
        limits = (1_000_000 / (size[0] or 1), 1_000_000 / (size[1] or 1))
    return len(places), len(outside), sum(_is_inside(numbers, limits) for numbers in outside)


def _numbers(points: Any) -> list[float]:
    """The numbers of points, flat; none where one of them is no place at all, which makes the object invalid."""
    if not isinstance(points, list):
        return []
    flat = [value for point in points for value in (point if isinstance(point, list) else (point,))]
    return flat if all(isinstance(value, (int, float)) and -FARTHEST < value < FARTHEST for value in flat) else []


def _is_inside(numbers: list[float], limits: Size) -> bool:
    """Whether x and y lie in an image of this size, or hardly outside."""
    sides = [limit or 0 for limit in limits]
    return all(-MARGIN * sides[at % 2] <= value <= (1 + MARGIN) * sides[at % 2] for at, value in enumerate(numbers))


def answers_tree(tally: Tally) -> dict[str, Any]:
    """The section of the artifact about answers, absent where none was read."""
    rows = tally.tables.get(ANSWERS, {})
    if not rows:
        return {}
    families = {name: int(rows[name][: len(STATUSES)].sum()) for name in sorted(rows)}
    total = np.sum([row[: len(STATUSES)] for row in rows.values()], axis=0)
    missing = {"missing": int(tally.counts[MISSING][0])} if MISSING in tally.counts else {}
    return {"answers": {"families": families, **dict(zip(STATUSES, total.tolist(), strict=True)), **missing}}


def check_frame(tally: Tally) -> None:
    """Refuse answers of a family most of whose objects are not in its frame, and say what would fit."""
    for family, row in sorted(tally.tables.get(ANSWERS, {}).items()):
        objects, outside, fitting = (int(n) for n in row[len(STATUSES) :])
        if 2 * outside > objects:
            share_outside = f"{outside:,} of {objects:,} objects in {family} answers reach outside"
            raise InputError("".join(_advice(family, share_outside, 2 * fitting > outside)))


def frame_doubts(tally: Tally) -> Iterator[str]:
    """A line for a family some of whose objects are outside its frame, all of which another reading brings inside.

    One for points, too, which are in their frame and yet match nothing.
    """
    for family, row in sorted(tally.tables.get(ANSWERS, {}).items()):
        objects, outside, fitting = (int(n) for n in row[len(STATUSES) :])
        if family == POINT_FAMILY and objects:
            yield f"answers: {family} writes points, {objects:,} here, {POINTS}"
        if outside == fitting and 0 < objects <= SOME * outside and 2 * outside <= objects:
            share_outside = f"{outside:,} of {objects:,} objects in {family} answers reach outside"
            yield "".join(_advice(family, share_outside, True)).replace("\n", "; ")


def _advice(family: str, share_outside: str, other_fits: bool) -> Iterator[str]:
    if family == PIXEL_FAMILY:
        yield f"answers: {share_outside} the image of width and height\n"
        yield (
            f"in norm1000 they fit, which {keyword('answers', 'qwen3')} reads"
            if other_fits
            else "expected input_width and input_height, the size of the image as the model was given it"
        )
        return
    yield f"answers: {share_outside} the frame of 0 to 1000\n"
    if other_fits:
        yield f"as pixels of width and height they fit, which {keyword('answers', PIXEL_FAMILY)} reads"
    else:
        size = "width and height (or input_width and input_height) of its image in the record"
        yield f"if they are pixels, {keyword('answers', PIXEL_FAMILY)} reads them with {size}"
