"""What parsers of JSON leave unchecked: room for large texts, keys given twice in an object, numbers beyond floats.

orjson ends the process (signal 11) when an allocation fails while it parses. So room for what a large text may become
is asked for first, and given back; nothing of it is touched. Of a key given twice all parsers pass over the first in
silence: the last one counts.
"""

from __future__ import annotations

from calipers.kernels.scan.jsontext import count_colons, count_keys, count_written_keys, find_room

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any, TypeGuard

LARGE = 1 << 20  # bytes
GROWTH = 8  # a text of small objects takes about so many times its size
LARGEST_FLOAT = 1.7976931348623157e308
REPEATED_TOO_DEEP = "a key is there twice, and something is nested too deeply"


def check_memory(text: bytes | bytearray) -> None:
    """A MemoryError if there is no room for what a large text holds."""
    if len(text) > LARGE:
        find_room(GROWTH * len(text))


class RepeatedKeyDict(dict[str, "Any"]):
    """An object in which keys were given twice: `repeated` are all of them, `twice` is the first."""

    repeated: tuple[str, ...]

    @property
    def twice(self) -> str:
        """The first key that was given twice."""
        return self.repeated[0]


def repeats_keys(text: str | bytes, tree: Any) -> bool:
    """Whether an object of a JSON text gives a key twice; `tree` is what the text was read as.

    ValueError where the tree is nested too deeply to be gone through.

    >>> repeats_keys('[{"a": 1, "a": 2}]', [{"a": 2}]), repeats_keys('[{"a": ":"}, {"a": 2}]', [{"a": ":"}, {"a": 2}])
    (True, False)
    """
    if isinstance(text, str):
        text = text.encode("utf-8", "surrogatepass")
    keys = count_keys(tree)
    return count_colons(text) > keys and count_written_keys(text) > keys  # a key has a colon, and so has some text


def first_repeated(record: Any, names: Collection[str] | None = None) -> str:
    """The first of these keys that an object gives twice, or of all keys; "" if there is none."""
    repeated = record.repeated if isinstance(record, RepeatedKeyDict) else ()
    return next((name for name in repeated if names is None or name in names), "")


def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """For `json.loads`: an object from its keys and values, `RepeatedKeyDict` if it gives a key twice.

    >>> as_object([("a", 1), ("b", 2), ("a", 3)]).repeated, as_object([("a", 1)])
    (('a',), {'a': 1})
    """
    tree = dict(pairs)
    if len(tree) == len(pairs):
        return tree
    doubled, seen = RepeatedKeyDict(tree), set[str]()
    doubled.repeated = tuple(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    return doubled


def is_finite_number(value: object) -> TypeGuard[float]:
    """Whether a value of JSON is a number that a float can hold: neither a boolean nor NaN nor infinite.

    >>> is_finite_number(2), is_finite_number(True), is_finite_number(float("nan")), is_finite_number(10**400)
    (True, False, False, False)
    """
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and -LARGEST_FLOAT <= value <= LARGEST_FLOAT  # type: ignore[operator]
