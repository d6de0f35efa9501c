"""JSON as models write it: every list and object in a text, whatever surrounds it and whatever is wrong with it.

Read leniently are other quotes, commas missing or too many, brackets of other kinds or never closed, comments, words
without quotes, NaN, a key given twice in an object. Status:

- `repaired`   every value came to its end; the notes, if there are any, say what had to be repaired
- `truncated`  the text stopped inside a value: what was being written is marked (`CutList`, `CutDict`)
- `failed`     no list or object, or more of them one after the other than any answer has

Each token is taken once and the stack is bounded, so time is linear in the text, whatever the text.
Text outside values is skipped. There a `{` begins a value, a `[` only before another bracket (`see [3]` is prose), or,
when numbers in prose are asked for, a `[` or `(` before a number or another bracket.
A word without quotes is a text; between the items of an outermost list it is prose too.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

REPEATED = "repeated keys"  # the note on an object that gives a key twice
_CONTAINERS = (list, dict)
_MAX_DEPTH = 32  # a proper answer needs 5
_MAX_VALUES = 100_000  # outermost ones; a text of more is no answer
_JSON_BRACKETS = {"［": "[", "］": "]", "｛": "{", "｝": "}", "(": "[", ")": "]"}  # a tuple is a list
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
_BEGIN_NUMBERS = r"[\[(［](?=\s*+[-+.\d\[(［])"
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


class CutList(list[object]):
    """A list that was being written when the text stopped: its items, the last of which may be cut itself."""

    __slots__ = ()
    is_cut = True


class CutDict(dict[str, object]):
    """An object that was being written when the text stopped, with the keys that have a value."""

    __slots__ = ()
    is_cut = True


class Value:
    """An outermost list (`keys` is None) or object as it was written: repeated keys are all here, in order."""

    __slots__ = ("cut", "keys", "values")

    def __init__(self, keys: list[str] | None, values: list[object], cut: bool) -> None:
        self.keys, self.values, self.cut = keys, values, cut

    def tree(self) -> list[object] | dict[str, object]:
        """The value as plain data; of a repeated key the last counts, as everywhere in JSON."""
        if self.keys is None:
            return CutList(self.values) if self.cut else self.values
        pairs = zip(self.keys, self.values, strict=True)
        return CutDict(pairs) if self.cut else dict(pairs)

    def __repr__(self) -> str:
        return f"Value({self.tree()!r}{', cut' if self.cut else ''})"


class LenientResult:
    """The `values` of a text, the text `outside` of them, the `status` and `notes` on what was found and done."""

    __slots__ = ("notes", "outside", "status", "values")

    def __init__(self, values: list[Value], outside: list[str], status: str, notes: list[str]) -> None:
        self.values, self.outside, self.status, self.notes = values, outside, status, notes


def read_values(text: str, *, numbers: bool = False, keep_words: bool = False) -> LenientResult:
    """Every outermost list and object of a text.

    With `numbers` lists of numbers in prose count too. With `keep_words` a word in an outermost list is prose only
    after another list or object: `[10px, 20px]` is then a list of two texts instead of an empty one.

    >>> read_values("Sure: {'a': [1, 2,], 'a': 3} and [4]").values
    [Value({'a': 3})]
    >>> read_values('{"a": 1, "a": 2}').values[0].keys, read_values("From [1, 2] to (3, 4)", numbers=True).values
    (['a', 'a'], [Value([1, 2]), Value([3, 4])])
    >>> cut = read_values('{"a": [[1, 2], [3,')
    >>> cut.status, cut.values, cut.notes
    ('truncated', [Value({'a': [[1, 2], [3]]}, cut)], ['the answer stops before its end'])
    """
    return _Scanner(text, _BEGIN_NUMBERS if numbers else _BEGIN, keep_words).read()


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

    def ended(self, *, cut: bool = False) -> Value:
        """The value of the list or object read so far."""
        return Value(self.keys, self.values, cut)


class _Scanner:
    """Reads every outermost value of a text, whatever surrounds it."""

    def __init__(self, text: str, begin: str, keep_words: bool) -> None:
        import re

        self.text, self.keep_words = _without_surrogates(text), keep_words
        self.begin = re.compile(begin)
        self.stack: list[_Open] = []
        self.brackets = ""  # of the stack, outermost first
        self.values: list[Value] = []
        self.outside: list[str] = []
        self.cut = self.too_deep = False
        self.notes: dict[str, None] = {}  # an ordered set
        self.handlers: dict[str, Callable[[str], None]] = {
            "open": self._open,
            "close": self._close,
            "comma": self._comma,
            "string": self._string,
            "unclosed": self._unclosed,
            "word": self._word,
            "end": self._end_early,
        }

    def read(self) -> LenientResult:
        """Read the whole text."""
        at = 0
        while not self.too_deep and (match := self.begin.search(self.text, at)):
            self._outside(at, match.end() - 1)
            at = self._read_value(match.end() - 1)
            if len(self.values) > _MAX_VALUES:
                return LenientResult(
                    [], [], "failed", [f"more than {_MAX_VALUES:,} lists and dicts one after the other"]
                )
        if not self.values:
            return LenientResult([], [self.text], "failed", ["no JSON list or dict"])
        self._outside(at, len(self.text))
        if len(self.values) > 1:
            self._note("several values")
        return LenientResult(self.values, self.outside, "truncated" if self.cut else "repaired", list(self.notes))

    def _read_value(self, start: int) -> int:
        """Read the value that begins at `start`; where it ends."""
        import re

        for token in re.compile(_TOKEN).finditer(self.text, start):  # compiled once, and only if there is a value
            kind = token.lastgroup or "end"
            self.handlers[kind](token[kind])
            if not self.stack:
                return token.end()
        return len(self.text)

    def _note(self, note: str) -> None:
        self.notes[note] = None

    def _outside(self, start: int, end: int) -> None:
        if start >= end:
            return
        self.outside.append(self.text[start:end])
        lines = self.outside[-1].split("\n")
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
        if bracket in _JSON_BRACKETS:
            self._note("brackets that are not JSON")
        return _JSON_BRACKETS.get(bracket, bracket)

    def _pop(self) -> None:
        ended = self.stack.pop()
        self.brackets = self.brackets[:-1]
        if ended.fresh and ended.key is None and ended.values:
            self._note("trailing comma")
        ended.end_item()
        self._note_repeated(ended)
        if self.stack:
            self._add(ended.ended().tree())
        else:
            self.values.append(ended.ended())

    def _note_repeated(self, ended: _Open) -> None:
        if ended.keys and len(set(ended.keys)) < len(ended.keys):
            self._note(REPEATED)

    def _end_early(self, _: str) -> None:
        """The value stops here: each bracket still open is a cut one, and the last thing in the one around it."""
        self._note("the answer stops before its end")
        self.cut = True
        while len(self.stack) > 1:
            inner = self.stack.pop()
            self._note_repeated(inner)
            self.stack[-1].add(inner.ended(cut=True).tree())
        self._note_repeated(self.stack[0])
        self.values.append(self.stack.pop().ended(cut=True))
        self.brackets = ""

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
            if not self._is_prose():  # elsewhere it stays, and spoils the points it is in
                self._add(word)

    def _is_prose(self) -> bool:
        """Whether a word here stands between objects."""
        if self.brackets != "[" or not self.keep_words:
            return self.brackets == "["
        return bool(self.stack[0].values) and isinstance(self.stack[0].values[-1], _CONTAINERS)


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
