"""The taxonomy of a domain: which labels are umbrellas, and which keys its descriptions use.

An umbrella is a coarse label that covers several types, such as 螺丝、光纤插头 (screws and fibre plugs). A known key
begins a field of its own even after free text; any other key there is part of the text.

A mapping file is JSON: `object_types.<key>` has a `chinese_label` and a list `attributes`, each with a `name` and
`values`. From it are read

- the umbrellas: the object types with an attribute named `type`. The values of that attribute are the types, either a
  list, or an object from what annotators chose to what descriptions say;
- the known keys: the names of all attributes, and what `chinese_name` or `chinese_label` of an attribute says. An
  attribute `type` with a Chinese name is known by that name only.

A mapping file replaces the umbrellas and adds to `KEYS`, which are always known. Anything else in it is ignored.

The built-in taxonomy is a literal here, so that starting up parses nothing; `mapping.json` next to this file says the
same as data, and a test keeps the two equal.
"""

from __future__ import annotations

import os

from calipers.core.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

KEYS = frozenset(
    {
        "类别",
        "品牌",
        "可见性",
        "挡风板需求",
        "挡风板符合性",
        "安装方向",
        "符合性",
        "问题",
        "保护措施",
        "保护细节",
        "弯曲半径",
        "捆扎",
        "文本",
        "可读性",
        "站点距离",
        "组",
        "安装状态",
        "标签",
        "套管保护",
        "备注",
    }
)
UMBRELLAS: dict[str, tuple[str, ...]] = {
    "螺丝、光纤插头": ("BBU安装螺丝", "机柜处接地螺丝", "地排处接地螺丝", "ODF端光纤插头", "BBU端光纤插头"),
}
BUILT_IN_FILE = os.path.join(os.path.dirname(__file__), "mapping.json")

_ABSENT = object()


class Taxonomy:
    """What is known of a domain: `umbrellas` (label -> its types) and `keys`; `sha256` names the file it came from."""

    __slots__ = ("_sha256", "keys", "umbrellas")

    umbrellas: dict[str, tuple[str, ...]]
    keys: frozenset[str]
    _sha256: str | None

    def __init__(
        self, umbrellas: dict[str, tuple[str, ...]], keys: frozenset[str], *, sha256: str | None = None
    ) -> None:
        self.umbrellas = umbrellas
        self.keys = keys
        self._sha256 = sha256

    @property
    def sha256(self) -> str:
        """Hash of the mapping file's bytes, in hexadecimal; that of the built-in file unless another was given."""
        if self._sha256 is None:
            self._sha256 = _hash(_read(BUILT_IN_FILE))
        return self._sha256


_BUILT_IN: list[Taxonomy] = []  # made when it is first asked for


def built_in() -> Taxonomy:
    """The taxonomy used when no mapping file is given; always the same object.

    >>> list(built_in().umbrellas)
    ['螺丝、光纤插头']
    >>> "文本" in built_in().keys, "光纤" in built_in().keys
    (True, False)
    """
    if not _BUILT_IN:
        _BUILT_IN.append(Taxonomy(UMBRELLAS, KEYS))
    return _BUILT_IN[0]


def load(path: str | PathLike[str]) -> Taxonomy:
    """The taxonomy of a mapping file; ConfigError if the file cannot be read or is not a mapping.

    >>> load("none.json")
    Traceback (most recent call last):
    calipers.core.errors.ConfigError: none.json: cannot be read (No such file or directory), expected a mapping file
    """
    file = os.fspath(path)
    content = _read(file)
    umbrellas: dict[str, tuple[str, ...]] = {}
    keys = set(KEYS)
    for kind, attribute, where, at in _attributes(_parse(content, file), file):
        name = _text(attribute, "name", at)
        keys.update(_known_by(name, attribute))
        if name == "type":
            label = _text(kind, "chinese_label", where)
            umbrellas[label] = tuple(dict.fromkeys((*umbrellas.get(label, ()), *_types(attribute, at))))
    return Taxonomy(umbrellas, frozenset(keys), sha256=_hash(content))


def _attributes(mapping: object, file: str) -> Iterator[tuple[dict[str, object], dict[str, object], str, str]]:
    """Every attribute of a mapping: its object type, itself, and where the two are."""
    types = _object(mapping, file).get("object_types", _ABSENT)
    for key, value in _object(types, f"{file}: object_types").items():
        where = f"{file}: object_types.{key}"
        kind = _object(value, where)
        for index, attribute in enumerate(_list(kind.get("attributes", []), f"{where}.attributes")):
            at = f"{where}.attributes[{index}]"
            yield kind, _object(attribute, at), where, at


def _known_by(name: str, attribute: dict[str, object]) -> list[str]:
    """The keys under which descriptions may give an attribute."""
    names = [attribute.get("chinese_name"), attribute.get("chinese_label")]
    chinese = [text.strip() for text in names if isinstance(text, str) and text.strip()]
    return chinese if name == "type" and chinese else [name, *chinese]


def _types(attribute: dict[str, object], at: str) -> list[str]:
    """The types an umbrella's attribute lists; none if it lists no values."""
    values = attribute.get("values", [])
    if isinstance(values, dict):
        return [_string(value, f"{at}.values.{key}") for key, value in values.items()]
    if isinstance(values, list):
        return [_string(value, f"{at}.values[{index}]") for index, value in enumerate(values)]
    raise _refusal(f"{at}.values", values, "a list or an object of strings")


def _read(file: str) -> bytes:
    from calipers.core.option_values import file_bytes  # a reward does without

    return file_bytes(file, "a mapping file")


def _parse(content: bytes, file: str) -> object:
    import orjson  # 25 ms, spent only when a mapping file is given

    try:
        parsed: object = orjson.loads(content.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        raise ConfigError(f"{file}: is not JSON ({error}), expected a mapping file") from error
    return parsed


def _hash(content: bytes) -> str:
    from hashlib import sha256

    return sha256(content).hexdigest()


def _object(value: object, where: str) -> dict[str, object]:
    if isinstance(value, dict):
        return value
    raise _refusal(where, value, "an object")


def _list(value: object, where: str) -> list[object]:
    if isinstance(value, list):
        return value
    raise _refusal(where, value, "a list")


def _text(parent: dict[str, object], key: str, where: str) -> str:
    """A field that has to be there and say something, trimmed."""
    return _string(parent.get(key, _ABSENT), f"{where}.{key}")


def _string(value: object, where: str) -> str:
    if isinstance(value, str) and value.strip():
        return value.strip()
    raise _refusal(where, value, "a string that is not empty")


def _refusal(where: str, value: object, expected: str) -> ConfigError:
    return ConfigError(f"{where}: found {_shown(value)}, expected {expected}")


def _shown(value: object) -> str:
    """A value as a message shows it: in short."""
    if value is _ABSENT:
        return "nothing"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return repr(value[:60] if isinstance(value, str) else value)
