"""Objects out of what a vision-language model wrote.

The answer is a JSON list of objects, one object, a dict of `object_1`, `object_2`, …, or `{"objects": [...]}`.
An object is `{"type", "points", "desc"}` or names its geometry, `{"bbox_2d": [...], "desc": "..."}`, also `box`,
`poly`, `polygon` and `line`; a `point_2d` is a box without area. Whatever else sits in an object's place is kept as it
is, since it is a prediction too, one that matches nothing. Families that write otherwise are in `answers`. Status:

- `ok`         strict JSON, with nothing around it but white space and a ``` fence
- `repaired`   read leniently (see `lenient_json`): prose around, several values, other quotes, commas, NaN, …;
               or strict JSON in which an object gives a key twice
- `truncated`  the text stopped inside the answer: the complete objects count, the one being written does not
- `failed`     no JSON list or dict, or one that stopped before its first object was complete; thinking without an end

When several values are found all of them count: an answer given twice is predicted twice. Of a key given twice in an
object the last counts; where it is the place of an object (`object_1`, `objects`), all of them do.
"""

from __future__ import annotations

from calipers.core.errors import InputError, require
from calipers.files.json_checks import repeats_keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from calipers.core.lenient_json import Value

GEOMETRIES = {"bbox_2d": "bbox_2d", "box": "bbox_2d", "poly": "poly", "polygon": "poly", "line": "line"}
POINT = "point_2d"
SCORES = ("score", "confidence")
MAX_IMAGE_SIDE = 1e9  # pixels of a side
_THINKING, _THOUGHT = "<think>", "</think>"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


class ParsedText:
    """Predicted `objects`, the `status` of the text they were read from, and `notes` on what was found and done.

    `family` is what the text was read as.
    """

    __slots__ = ("family", "notes", "objects", "status")

    def __init__(self, objects: list[object], status: str, notes: list[str]) -> None:
        self.objects = objects
        self.status = status
        self.notes = notes
        self.family = "json"

    def with_note(self, note: str) -> ParsedText:
        """This reading with one note more, in front of the others."""
        self.notes = [note, *self.notes]
        return self

    def __repr__(self) -> str:
        return f"ParsedText({len(self.objects)} objects, {self.status}: {'; '.join(self.notes) or 'clean'})"


def parse_objects(
    text: str, family: str = "json", *, width: float | None = None, height: float | None = None
) -> ParsedText:
    """Read the objects in what a model wrote; every text has a reading.

    Args:
        text: The answer: JSON, in a fence or in prose, damaged or cut off; or what `family` writes.
        family: Whose answer it is: `json`, `qwen2`, `qwen2.5`, `qwen3`, `gemini`, `internvl`, `paligemma`, `florence`,
            `kosmos`, `deepseek`, `molmo`, or `auto`, which goes by its signs and notes what it was taken for.
        width: Of the image as the model was given it, in pixels; needed for `qwen2.5`.
        height: The same.

    Returns:
        The `objects`, in norm1000; the `status` of the text, which is `ok`, `repaired`, `truncated` or `failed`;
            `notes` on what was found and done; and the `family` it was read as.

    Raises:
        InputError: `text` is not a text, or a size is missing that is needed.
        ConfigError: There is no such family, or a size is no positive number.

    Examples:
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
        >>> parse_objects("<ref>cat</ref><box>[[1, 2, 3, 4]]</box>", "auto")
        ParsedText(1 objects, ok: taken for internvl)
        >>> parse_objects('[{"box_2d": [100, 200, 300, 400], "label": "cat"}]', "gemini").objects
        [{'type': 'bbox_2d', 'points': [200, 100, 400, 300], 'desc': 'cat'}]
    """
    if not isinstance(text, str):
        raise InputError(f"text: found {text!r:.80}, expected the model's answer as text")
    answer = text.rpartition(_THOUGHT)[2]
    if answer == text and text.lstrip().startswith(_THINKING):
        return _only_thinking(family, width, height)
    parsed = read_json(answer, normalised) if family == "json" else _read_family(answer, family, width, height)
    return parsed.with_note("thinking left out") if answer != text else parsed


def _only_thinking(family: str, width: float | None, height: float | None) -> ParsedText:
    """The reading of a text that stops before its answer begins."""
    parsed = _read_family("", family, width, height)
    parsed.notes = [*parsed.notes[: family == "auto"], "the answer stops in its thinking"]
    parsed.objects, parsed.status = [], "failed"
    return parsed


def _read_family(text: str, family: str, width: float | None, height: float | None) -> ParsedText:
    from calipers.files.answers.families import read_answer

    for name, size in (("width", width), ("height", height)):
        is_number = isinstance(size, (int, float)) and not isinstance(size, bool) and 0 < size <= MAX_IMAGE_SIDE
        require(size is None or is_number, name, size, "a positive number of pixels")
    return read_answer(text, family, width, height)


def read_json(text: str, shape: Callable[[object], object]) -> ParsedText:
    """Objects of a text that is JSON, or should be; `shape` brings each to type, points and desc."""
    text = text.strip().strip("\ufeff").strip()
    body = text.strip("`").lstrip(_LETTERS).strip() if text.startswith("```") else text
    value = _strict_json(body)
    if isinstance(value, str):
        return _read_leniently(value.strip(), ["JSON inside a JSON string"], shape)
    if not isinstance(value, list | dict):
        return _read_leniently(text, [], shape)
    places = _places(value) if isinstance(value, list) else _places(list(value.values()), list(value))
    parsed = ParsedText([shape(place) for place in places], "ok", [] if body is text else ["inside a fence"])
    return _with_repeats(text, parsed, shape) if repeats_keys(body, value) else parsed


def _with_repeats(text: str, strict: ParsedText, shape: Callable[[object], object]) -> ParsedText:
    """Objects of a text that gives a key twice; with those that a repeated place hides, if there are any."""
    from calipers.core.lenient_json import REPEATED

    lenient = _read_leniently(text, [], shape)
    if len(lenient.objects) > len(strict.objects):
        return lenient
    return ParsedText(strict.objects, "repaired", [*strict.notes, REPEATED])


def _strict_json(text: str) -> object:
    """The value that the text is, or None where it is not JSON."""
    import orjson

    try:
        value: object = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return value


def _read_leniently(text: str, notes: list[str], shape: Callable[[object], object]) -> ParsedText:
    from calipers.core.lenient_json import read_values

    reading = read_values(text)
    places = [place for value in reading.values for place in _places_of(value)]
    if reading.status == "failed":
        return ParsedText([], "failed", reading.notes)
    status = "failed" if reading.status == "truncated" and not places else reading.status
    objects = [shape(candidate) for candidate in places]
    return ParsedText(objects, status, [*notes, *reading.notes] or ["not strict JSON"])


def _places_of(value: Value) -> list[object]:
    """The candidates for objects in a value; of one that was cut off, those that are complete."""
    if not value.cut:
        return _places(value.values, value.keys)
    if value.keys is None:
        return _complete(value.values)
    entries = list(zip(value.keys, value.values, strict=True))
    if entries and _is_cut(entries[-1][1]):
        key, last = entries.pop()
        if key == "objects" and isinstance(last, list):
            entries.append((key, _complete(last)))
    keys = [key for key, _ in entries]
    return _places([item for _, item in entries], keys) if any(map(_is_place, keys)) else []


def _complete(values: list[object]) -> list[object]:
    """The values without the last one if the text stopped in it."""
    return values[:-1] if values and _is_cut(values[-1]) else values


def _is_cut(value: object) -> bool:
    from calipers.core.lenient_json import CutDict, CutList

    return isinstance(value, CutDict | CutList)


def _places(values: list[object], keys: list[str] | None = None) -> list[object]:
    """The candidates for objects, in order of appearance, in an outermost list or, with `keys`, dict.

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
    >>> normalised({"box": [1, 2, 3, 4]}), normalised({"point_2d": [5, 6]})["points"]
    ({'type': 'bbox_2d', 'points': [1, 2, 3, 4], 'desc': ''}, [5, 6, 5, 6])
    """
    if not isinstance(value, dict):
        return value
    desc = {"desc": value.get("desc", value.get("label", "")), **scored(value)}
    if "type" in value and "points" in value:
        return {"type": value["type"], "points": value["points"], **desc}
    named = [name for name in (*GEOMETRIES, POINT) if name in value]
    if len(named) != 1:
        return value
    if named == [POINT]:
        return {"type": "bbox_2d", "points": _without_area(value[POINT]), **desc}
    return {"type": GEOMETRIES[named[0]], "points": value[named[0]], **desc}


def scored(value: dict[str, object]) -> dict[str, object]:
    """The score of an object, where the model gives one: `score` or `confidence`.

    >>> scored({"confidence": 0.5}), scored({"label": "a"})
    ({'score': 0.5}, {})
    """
    name = next((name for name in SCORES if name in value), None)
    return {} if name is None else {"score": value[name]}


def _without_area(point: object) -> object:
    """The box from a point to itself; None, which no reader takes for points, for what is no point."""
    return [*point, *point] if isinstance(point, list) and len(point) == 2 else None
