"""Objects out of what a vision-language model wrote.

The answer is a JSON list of objects, one object, a dict of `object_1`, `object_2`, …, or `{"objects": [...]}`.
An object is `{"type", "points", "desc"}` or names its geometry, `{"bbox_2d": [...], "desc": "..."}`; whatever else sits
in an object's place is kept as it is, since it is a prediction too, one that matches nothing. Status:

- `ok`         strict JSON, with nothing around it but white space and a ``` fence
- `repaired`   read leniently: prose around, several values, other quotes, commas missing or too many, NaN, …
- `truncated`  the text stopped inside the answer: the complete objects count, the one being written does not
- `failed`     no JSON list or dict, or one that stopped before its first object was complete

Lenient reading takes each token once and keeps a bounded stack, so its time is linear in the text, whatever the text.
Text outside the answer is skipped. There a `{` begins a value, a `[` only before another bracket (`see [3]` is prose).
When several values are found all of them count: an answer given twice is predicted twice.
"""

from __future__ import annotations

from calipers.errors import InputError

_CONTAINERS = (list, dict)
_GEOMETRIES = ("bbox_2d", "poly", "line")
_MAX_DEPTH = 32  # a proper answer needs 5
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ALIKE = {"［": "[", "］": "]", "｛": "{", "｝": "}", "(": "[", ")": "]"}  # a tuple is a list
_OPENING = {"]": "[", "}": "{"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\", "/": "/"}
_JSON_WORDS = {"true": True, "false": False, "null": None}
_OTHER_WORDS = {
    "True": True, "False": False, "None": None, "NaN": float("nan"), "nan": float("nan"),
    "Infinity": float("inf"), "inf": float("inf"), "-Infinity": float("-inf"), "-inf": float("-inf"),
}  # fmt: skip

# Patterns are possessive (`*+`): what was read is never given back, so no text makes them slow.
_ESCAPE = r"(?s)\\(u[0-9a-fA-F]{4}|.)"
_BEGIN = r"(?:\A|```\w*+\s*+)[\[［]|[\[［](?=\s*+[\[\]{［］｛])|[{｛](?!\s*+[\[［])"  # ends in a value's bracket
# A string stops short of `}, {"a`, which no valid one contains: a quote too many or too few spoils one object only.
_BODY = r"(?: [^%s\\}] | \\. | \}(?! \s*+ ,?+ \s*+ (?: \{\s*+%s\w | %sobject_ )) )*+"
_STRINGS = [(first, _BODY % (last, first, first), last) for first, last in ('""', "''", "“”", "‘’", "＂＂")]
_WORD = r"""[^\s\[\]{}()［］｛｝,，:："'“‘＂`]++ | `"""
_TOKEN = rf"""(?xs) (?: [\s:：] | (?: // | \# ) [^\n]*+ )*+ (?:
    (?P<open> [\[{{(［｛] )
  | (?P<close> [\]}})］｝] )
  | (?P<comma> [,，] )
  | (?P<string> {" | ".join(first + body + last for first, body, last in _STRINGS)} )
  | (?P<unclosed> {" | ".join(first + body + "(?=})" for first, body, _ in _STRINGS)} )
  | (?P<end> ``` | ["'“‘＂].*+ | (?:{_WORD})?+ \Z )  # the answer stops: a fence, a string or word cut off
  | (?P<word> {_WORD} )
)"""


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
        return _Scanner(value.strip(), ["JSON inside a JSON string"]).parsed()
    if not isinstance(value, list | dict):
        return _Scanner(text, []).parsed()
    places = _places(value) if isinstance(value, list) else _places(list(value.values()), list(value))
    if isinstance(value, dict) and body.count('"object') > sum(key.startswith("object") for key in value):
        lenient = _Scanner(text, ["repeated keys"]).parsed()  # keeps the objects that a repeated key hides
        if len(lenient.objects) > len(places):
            return lenient
    return ParsedText([normalised(each) for each in places], "ok", [] if body is text else ["inside a fence"])


def _strict_json(text: str) -> object:
    """The value that the text is, or None where it is not JSON."""
    import orjson

    try:
        value: object = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return value


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


class _Open:
    """A list (`keys` is None) or dict being read; `key` waits for its value, `fresh` is before an item."""

    __slots__ = ("fresh", "key", "keys", "values")

    def __init__(self, bracket: str) -> None:
        self.keys: list[str] | None = [] if bracket == "{" else None
        self.values: list[object] = []
        self.key: str | None = None
        self.fresh = True

    def add(self, value: object) -> None:
        """Take a value; in a dict, one that follows no key is the next key or, being a container, gets one."""
        if self.keys is not None:
            if self.key is None and not isinstance(value, _CONTAINERS):
                self.key = str(value)
                return
            self.keys.append(self.key if self.key is not None else f"object_{len(self.keys) + 1}")
        self.values.append(value)
        self.key = None
        self.fresh = False

    def end_item(self) -> None:
        """A comma or the closing bracket: a key still waiting gets null."""
        if self.key is not None:
            self.add(None)

    def value(self) -> list[object] | dict[str, object]:
        """The list or dict as plain data; of a repeated key the last counts, as everywhere in JSON."""
        return self.values if self.keys is None else dict(zip(self.keys, self.values, strict=True))


class _Scanner:
    """Lenient JSON: reads every outermost value of a text, whatever surrounds it."""

    def __init__(self, text: str, notes: list[str]) -> None:
        import re

        self.text = _without_surrogates(text)
        self.begin, self.token = re.compile(_BEGIN), re.compile(_TOKEN)
        self.stack: list[_Open] = []
        self.brackets = ""  # of the stack, outermost first
        self.places: list[object] = []
        self.cut = self.too_deep = False
        self.notes = dict.fromkeys(notes)  # an ordered set
        self.take = {"open": self._open, "close": self._close, "comma": self._comma}
        self.take |= {"string": self._string, "unclosed": self._unclosed, "word": self._word, "end": self._end_early}

    def parsed(self) -> ParsedText:
        """Read the whole text."""
        at = found = 0
        while not self.too_deep and (match := self.begin.search(self.text, at)):
            self._outside(at, match.end() - 1)
            at, found = self._read_value(match.end() - 1), found + 1
        if not found:
            return ParsedText([], "failed", ["no JSON list or dict"])
        self._outside(at, len(self.text))
        if found > 1:
            self._note("several values")
        status = "repaired" if not self.cut else "truncated" if self.places else "failed"
        return ParsedText([normalised(each) for each in self.places], status, list(self.notes) or ["not strict JSON"])

    def _read_value(self, start: int) -> int:
        """Read the value that begins at `start`; where it ends."""
        for token in self.token.finditer(self.text, start):
            kind = token.lastgroup or "end"
            self.take[kind](token[kind])
            if not self.stack:
                return token.end()
        return len(self.text)

    def _note(self, note: str) -> None:
        self.notes[note] = None

    def _outside(self, start: int, end: int) -> None:
        lines = self.text[start:end].split("\n") if start < end else []
        if any(line.strip() and not line.lstrip().startswith("```") for line in lines):
            self._note("text around the answer")

    def _open(self, bracket: str) -> None:
        bracket = self._plain(bracket)
        if len(self.stack) > 1 and bracket == "{" and self.stack[-1].keys and self.stack[-1].key is None:
            self._note("missing closing bracket")  # an object where the last one's next key should be
            self._pop()
        if len(self.stack) == _MAX_DEPTH:
            self._note("nested too deeply")
            self.too_deep = True
            self._end_early(bracket)
        else:
            self.stack.append(_Open(bracket))
            self.brackets += bracket

    def _close(self, bracket: str) -> None:
        """Close the innermost bracket of this kind, and with it what was left open inside."""
        opening = _OPENING[self._plain(bracket)]
        if opening not in self.brackets:
            self._note("stray closing bracket")
            return
        while not self.brackets.endswith(opening):
            self._note("missing closing bracket")
            self._pop()
        self._pop()

    def _plain(self, bracket: str) -> str:
        if bracket in _ALIKE:
            self._note("brackets that are not JSON")
        return _ALIKE.get(bracket, bracket)

    def _pop(self) -> None:
        ended = self.stack.pop()
        self.brackets = self.brackets[:-1]
        if ended.fresh and ended.key is None and ended.values:
            self._note("trailing comma")
        ended.end_item()
        if self.stack:
            self._add(ended.value())
        else:
            self.places += _places(ended.values, ended.keys)

    def _end_early(self, _: str) -> None:
        """Keep the complete objects of the value that stops here."""
        self._note("the answer stops before its end")
        self.cut = True
        outer, *inner = self.stack
        if outer.key == "objects" and inner and inner[0].keys is None:
            outer.add(inner[0].values)
        if outer.keys is None or any(map(_is_place, outer.keys)):
            self.places += _places(outer.values, outer.keys)
        self.stack, self.brackets = [], ""

    def _comma(self, _: str) -> None:
        self.stack[-1].end_item()
        self.stack[-1].fresh = True

    def _add(self, value: object) -> None:
        if not self.stack[-1].fresh:
            self._note("missing comma")
        self.stack[-1].add(value)

    def _string(self, quoted: str) -> None:
        if quoted[0] != '"':
            self._note('quotes other than "')
        if "\n" in quoted:
            self._note("line break in a string")
        self._add(_unescaped(quoted[1:-1]))

    def _unclosed(self, quoted: str) -> None:
        self._note("unclosed string")
        self._string(quoted + quoted[0])

    def _word(self, word: str) -> None:
        if word in _JSON_WORDS:
            self._add(_JSON_WORDS[word])
        elif (number := _number(word)) is not None:
            self._add(number)
        elif word in _OTHER_WORDS:
            self._note("literal that is not JSON")
            self._add(_OTHER_WORDS[word])
        else:
            self._note("unquoted text")
            if self.brackets != "[":  # between objects it is prose; elsewhere it stays, and spoils the points it is in
                self._add(word)


def _number(word: str) -> float | None:
    """The number a word spells, a long one as float; None for any other word.

    >>> [_number(word) for word in ("-12", "1.5e3", "007", "1_0", "12px", "-")]
    [-12, 1500.0, 7, None, None, None]
    """
    if word.strip("0123456789+-.eE"):
        return None
    try:
        return int(word) if len(word) < 19 and word.lstrip("+-").isdigit() else float(word)
    except ValueError:
        return None


def _unescaped(text: str) -> str:
    r"""The text of a string literal; an unknown escape stays as written.

    >>> _unescaped(r"\u4e2d\t\d") == "中\t" + r"\d"
    True
    """
    if "\\" not in text:
        return text
    import re

    return _without_surrogates(re.sub(_ESCAPE, lambda match: _character(match[1]), text))


def _character(escape: str) -> str:
    return chr(int(escape[1:], 16)) if len(escape) == 5 else _ESCAPES.get(escape, "\\" + escape)


def _without_surrogates(text: str) -> str:
    """The text with surrogate pairs joined and lone ones replaced, so that it can be written as UTF-8."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
