"""The shapes in an answer, whatever form they were given in.

A text is the JSON in it: without thinking, code fences and prose, read leniently where it is damaged, and notes say
what was done. A text that stops in its thinking holds no answer. Of a key that an object gives twice the last counts,
and a note says so. Anything else is itself. Where the shapes of a value are is told in `search`. Of a text:

- If several values of a text hold shapes the last one counts, since drafts come first. One that holds nothing but
  malformed shapes, or is just `[]`, counts only when no other does.
- Lists of numbers in prose, as in `at (10, 20)`, count when nothing else was found: the last one that is a proper
  shape, of two numbers or more.
"""

from __future__ import annotations

from calipers.judge.kinds import AnswerShapes, Unread
from calipers.judge.quick_json import parse
from calipers.kernels.shape.rects import plain_boxes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Answer", "AnswerShapes", "Unread", "find_shapes", "parse_answer"]

_USUAL_NAMES = frozenset({"bbox", "bounding_box", "box", "bbox_2d", "boxes"})
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NO_JSON = object()


class Answer:
    """The last value of an answer as a `tree`, all its `values`, the prose `outside` of them, and `notes`."""

    __slots__ = ("notes", "outside", "tree", "values")

    def __init__(self, values: list[Any], notes: list[str], outside: list[str]) -> None:
        self.values, self.notes, self.outside = values, notes, outside
        self.tree = values[-1] if values else None


# From text to values


def parse_answer(value: Any) -> Answer:
    """An answer as data; every text has a reading.

    >>> parse_answer('Sure:\\n```json\\n{"bbox": [1, 2, 3, 4]}\\n```').tree
    {'bbox': [1, 2, 3, 4]}
    >>> parse_answer("{'bbox': [1, 2, 3, 4,]}").notes, parse_answer("I see nothing.").notes
    (['quotes other than "', 'trailing comma'], ['no JSON list or dict'])
    >>> parse_answer('{"box": [1, 2, 3, 4], "box": [1, 2, 3, 5]}').notes
    ['repeated keys']
    >>> parse_answer("<think>Perhaps [[1, 2, 3, 4]], or").notes
    ['the answer stops in its thinking']
    """
    if not isinstance(value, str):
        return Answer([value.tolist() if hasattr(value, "tolist") else value], [], [])
    text = value.rpartition("</think>")[2]
    notes = ["thinking left out"] if len(text) < len(value) else []
    if not notes and text.lstrip().startswith("<think>"):
        return Answer([], ["the answer stops in its thinking"], [])
    text, parsed = _strictly(text, notes)
    if isinstance(parsed, str):
        notes.append("JSON inside a JSON string")
        text, parsed = _strictly(parsed, notes)
    return _out_of_prose(text, notes) if parsed is _NO_JSON else Answer([parsed], notes, [])


def _strictly(text: str, notes: list[str]) -> tuple[str, Any]:
    """The text without white space around it, and the JSON that it is, maybe in a fence."""
    text = text.strip().strip("\ufeff").strip()
    return text, _json(text.strip("`").lstrip(_LETTERS).strip() if text.startswith("```") else text, notes)


def _json(text: str, notes: list[str]) -> Any:
    """The JSON that a text is; a note is added where an object of it gives a key twice."""
    try:
        value = parse(text)
        repeated = text.count(":") > 1 and _repeats_keys(text, value)
    except (ValueError, RecursionError):  # no JSON, an integer of thousands of digits, nested too deeply
        return _NO_JSON
    if repeated:
        notes.append("repeated keys")
    return value


def _repeats_keys(text: str, tree: Any) -> bool:
    from calipers.files.json_checks import repeats_keys  # most answers have one key, and need no such look

    return repeats_keys(text, tree)


def _out_of_prose(text: str, notes: list[str]) -> Answer:
    """Strict JSON with prose around it at once, for that is quick; anything else leniently."""
    start = min((place for place in (text.find("{"), text.find("[")) if place >= 0), default=len(text))
    end = max(text.rfind("}"), text.rfind("]")) + 1
    outside = [text[:start], text[end:]]
    if text[start : start + 1] == "{" or text[start + 1 : start + 9].lstrip()[:1] in ("[", "{"):  # see [3] is prose
        notes_inside: list[str] = []
        inner = _NO_JSON if "［" in text or "｛" in text else _json(text[start:end], notes_inside)
        if inner is not _NO_JSON:
            return Answer([inner], [*notes, "text around the answer", *notes_inside], outside)
    from calipers.core.lenient_json import read_values

    reading = read_values(text, keep_words=True)
    notes = [*notes, *reading.notes] or ["not strict JSON"]
    return Answer([value.tree() for value in reading.values], notes, reading.outside)


# From values to shapes


def find_shapes(
    answer: Answer,
    kind: str,
    *,
    at: str | None = None,
    format: str = "xyxy",  # noqa: A002
    many: bool = False,
) -> AnswerShapes:
    """The shapes of a kind in an answer; `at` is the path to them: keys, and numbers for items of lists.

    Of several values the last that can be measured counts. But where `many` shapes are asked for, and values with one
    shape each have nothing but white space between them (a value a line), or are numbers in prose, they count together.

    Boxes come back as x1, y1, x2, y2, polygons and lines as x, y, x, y, …, cuboids as numbers or objects.

    >>> find_shapes(parse_answer({"boundingBox": [30, 40, 10, 20]}), "box").shapes
    [[10, 20, 30, 40]]
    >>> result = find_shapes(parse_answer('{"objects": [{"box": [1, 2, 3], "score": 0.9}]}'), "box", format="xywh")
    >>> result.shapes, result.scores, result.path
    ([Unread('found 3 numbers, expected x, y, width, height')], [0.9], 'objects')
    """
    if kind == "box" and not at and format == "xyxy" and (usual := _usual_boxes(answer)):
        return usual
    from calipers.judge.search import ShapeSearch

    tried = [ShapeSearch(kind, format).find(value, at) for value in answer.values]
    usable = [shapes for shapes in tried if not shapes.missing]
    if not usable and not at:
        usable = _in_prose(answer.outside, kind, format)
    if not usable:
        notes = [note for shapes in tried for note in shapes.notes]
        return AnswerShapes([], notes, None)
    if (
        len(usable) > 1
        and many
        and all(len(shapes.shapes) == 1 for shapes in usable)
        and not _has_words(answer, usable)
    ):
        notes = [f"{len(usable)} values with one {kind} each are taken together"]
        labels = [shapes.labels[0] if shapes.labels else None for shapes in usable]
        one_each = [shapes.shapes[0] for shapes in usable]
        return AnswerShapes(one_each, notes, usable[-1].path, labels=labels if any(labels) else None)
    chosen = next((shapes for shapes in reversed(usable) if shapes.holds()), usable[-1])
    if len(usable) > 1:
        chosen.notes.append(f"{len(usable)} values hold one {kind} or more, the last that can be measured counts")
    return chosen


def _has_words(answer: Answer, groups: list[AnswerShapes]) -> bool:
    """Whether there are words around the JSON values of a text; never for numbers found in prose."""
    return groups[0].notes != ["numbers in prose"] and any(text.strip() for text in answer.outside)


def _usual_boxes(answer: Answer) -> AnswerShapes | None:
    """What the search would find in {"boxes": [[x1, y1, x2, y2], …]} and its like, at a tenth of the time."""
    if type(answer.tree) is not dict or len(answer.tree) != 1 or len(answer.values) != 1:
        return None
    ((name, value),) = answer.tree.items()
    shapes = plain_boxes(value) if name in _USUAL_NAMES else None
    return None if shapes is None else AnswerShapes(shapes, [], name)


def _in_prose(outside: list[str], kind: str, form: str) -> list[AnswerShapes]:
    """Proper shapes among the lists of numbers in prose."""
    if not any(bracket in text for text in outside for bracket in "[(［"):
        return []
    from calipers.core.lenient_json import read_values
    from calipers.judge.search import ShapeSearch

    readings = [read_values(text, numbers=True, keep_words=True) for text in outside]
    groups = []
    for value in (value for reading in readings for value in reading.values if not value.cut):
        finder = ShapeSearch(kind, form)
        finder.gather(value.tree())
        if finder.shapes and all(type(shape) is not Unread and len(shape) > 1 for shape in finder.shapes):
            groups.append(AnswerShapes(finder.shapes, ["numbers in prose"], ""))
    return groups
