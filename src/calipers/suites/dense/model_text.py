"""Objects out of what a vision-language model wrote.

The answer is a JSON list of objects, one object, a dict of `object_1`, `object_2`, …, or `{"objects": [...]}`.
An object is `{"type", "points", "desc"}` or names its geometry, `{"bbox_2d": [...], "desc": "..."}`; whatever else sits
in an object's place is kept as it is, since it is a prediction too, one that matches nothing. Status:

- `ok`         strict JSON, with nothing around it but white space and a ``` fence
- `repaired`   read leniently (see `lenient_json`): prose around, several values, other quotes, commas, NaN, …;
               or strict JSON in which an object gives a key twice
- `truncated`  the text stopped inside the answer: the complete objects count, the one being written does not
- `failed`     no JSON list or dict, or one that stopped before its first object was complete

When several values are found all of them count: an answer given twice is predicted twice. Of a key given twice in an
object the last counts; where it is the place of an object (`object_1`, `objects`), all of them do.
"""

from __future__ import annotations

from calipers.core.errors import InputError
from calipers.files.repeated_keys import repeats_keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from calipers.core.lenient_json import Value

_GEOMETRIES = ("bbox_2d", "poly", "line")
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


class ParsedText:
    """Predicted `objects`, the `status` of the text they were read from, and `notes` on what was found and done."""

    __slots__ = ("notes", "objects", "status")

    def __init__(self, objects: list[object], status: str, notes: list[str]) -> None:
        self.objects = objects
        self.status = status
        self.notes = notes

    def __repr__(self) -> str:
        return f"ParsedText({len(self.objects)} objects, {self.status}: {'; '.join(self.notes) or 'clean'})"


def parse_objects(text: str) -> ParsedText:
    """The objects in a model's answer; every text has a reading.

    >>> parse_objects('[{"bbox_2d": [1, 2, 3, 4], "desc": "类别=标签"}]').objects
    [{'type': 'bbox_2d', 'points': [1, 2, 3, 4], 'desc': '类别=标签'}]
    >>> parse_objects("Sure: [{'line': [0, 0, 9, 9], 'label': 'a'},]")
    ParsedText(1 objects, repaired: text around the answer; quotes other than "; trailing comma)
    >>> parse_objects('[{"bbox_2d": [1, 2, 3, 4], "label": "a", "label": "b"}]')
    ParsedText(1 objects, repaired: repeated keys)
    >>> parse_objects('{"object_1": {"poly": [0, 0, 9, 0, 9, 9]}, "object_2": {"po')
    ParsedText(1 objects, truncated: the answer stops before its end)
    >>> parse_objects("I see nothing."), parse_objects("[]")
    (ParsedText(0 objects, failed: no JSON list or dict), ParsedText(0 objects, ok: clean))
    """
    if not isinstance(text, str):
        raise InputError(f"text: found {text!r:.80}, expected the model's answer as text")
    answer = text.rpartition("</think>")[2]
    if answer != text:
        parsed = parse_objects(answer)
        return ParsedText(parsed.objects, parsed.status, ["thinking left out", *parsed.notes])
    text = text.strip().strip("\ufeff").strip()
    body = text.strip("`").lstrip(_LETTERS).strip() if text.startswith("```") else text
    value = _strict_json(body)
    if isinstance(value, str):
        return _read_leniently(value.strip(), ["JSON inside a JSON string"])
    if not isinstance(value, list | dict):
        return _read_leniently(text, [])
    places = _places(value) if isinstance(value, list) else _places(list(value.values()), list(value))
    notes = [] if body is text else ["inside a fence"]
    objects = [normalised(each) for each in places]
    return _with_repeats(text, objects, notes) if repeats_keys(body, value) else ParsedText(objects, "ok", notes)


def _with_repeats(text: str, objects: list[object], notes: list[str]) -> ParsedText:
    """Objects of a text that gives a key twice; with those that a repeated place hides, if there are any."""
    from calipers.core.lenient_json import REPEATED

    lenient = _read_leniently(text, [])
    return lenient if len(lenient.objects) > len(objects) else ParsedText(objects, "repaired", [*notes, REPEATED])


def _strict_json(text: str) -> object:
    """The value that the text is, or None where it is not JSON."""
    import orjson

    try:
        value: object = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return value


def _read_leniently(text: str, notes: list[str]) -> ParsedText:
    from calipers.core.lenient_json import read_values

    reading = read_values(text)
    places = [place for value in reading.values for place in _places_of(value)]
    if reading.status == "failed":
        return ParsedText([], "failed", reading.notes)
    status = "failed" if reading.status == "truncated" and not places else reading.status
    objects = [normalised(each) for each in places]
    return ParsedText(objects, status, [*notes, *reading.notes] or ["not strict JSON"])


def _places_of(value: Value) -> list[object]:
    """What sits where objects belong in a value; of a cut one, what is complete."""
    if not value.cut:
        return _places(value.values, value.keys)
    if value.keys is None:
        return _complete(value.values)
    kept = list(zip(value.keys, value.values, strict=True))
    if kept and _is_cut(kept[-1][1]):
        key, last = kept.pop()
        if key == "objects" and isinstance(last, list):
            kept.append((key, _complete(last)))
    keys = [key for key, _ in kept]
    return _places([each for _, each in kept], keys) if any(map(_is_place, keys)) else []


def _complete(values: list[object]) -> list[object]:
    """Without the last if the text stopped in it."""
    return values[:-1] if values and _is_cut(values[-1]) else values


def _is_cut(value: object) -> bool:
    from calipers.core.lenient_json import CutDict, CutList

    return isinstance(value, CutDict | CutList)


def _places(values: list[object], keys: list[str] | None = None) -> list[object]:
    """What sits where objects belong, in order of appearance, in an outermost list or, with `keys`, dict.

    >>> _places([[7, 8], 9, "-"], ["objects", "object_1", "image"])
    [7, 8, 9]
    >>> _places([[1, 2, 3, 4], "a"], ["bbox_2d", "desc"])
    [{'bbox_2d': [1, 2, 3, 4], 'desc': 'a'}]
    """
    if not keys:
        return values
    if not any(map(_is_place, keys)):
        return [dict(zip(keys, values, strict=True))]
    places: list[object] = []
    for key, value in zip(keys, values, strict=True):
        if _is_place(key):
            places += value if key == "objects" and isinstance(value, list) else [value]
    return places


def _is_place(key: str) -> bool:
    """Whether an outermost dict holds objects under this key: `objects`, `object_1`, `object_2`, …"""
    return key == "objects" or (key.startswith("object_") and key[7:].isdecimal())


def normalised(value: object) -> object:
    """An object as type, points and desc; what names no geometry, or several, as it is.

    >>> normalised({"label": "a", "line": [0, 0, 5, 5]})
    {'type': 'line', 'points': [0, 0, 5, 5], 'desc': 'a'}
    >>> normalised({"desc": "a"}), normalised(3)
    ({'desc': 'a'}, 3)
    """
    if not isinstance(value, dict):
        return value
    desc = value.get("desc", value.get("label", ""))
    if "type" in value and "points" in value:
        return {"type": value["type"], "points": value["points"], "desc": desc}
    named = [name for name in _GEOMETRIES if name in value]
    return {"type": named[0], "points": value[named[0]], "desc": desc} if len(named) == 1 else value
