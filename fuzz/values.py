"""Values that readers trip over: numbers at the edge of their types, texts that are hardly texts, deep nests."""

from __future__ import annotations

import math
from random import Random
from typing import Any


class Raw:
    """Bytes that are written as they are, in the place of a value."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data


class Pairs(list[Any]):
    """An object as a list of keys and values, so that a key can be there twice."""


NUMBERS: list[Any] = [
    0,
    -1,
    1,
    -0.0,
    0.5,
    1e-300,
    5e-324,
    1e16,
    1e100,
    1e155,
    1.7976931348623157e308,
    -1e308,
    math.nan,
    math.inf,
    -math.inf,
    2**31 - 1,
    2**31,
    2**32,
    2**53 + 1,
    2**63 - 1,
    2**63,
    -(2**63),
    -(2**63) - 1,
    2**64,
    10**22,
    10**400,
    -(10**400),
    999,
    1000,
    1001,
    1000.0000001,
    0.1 + 0.2,
]
WRITTEN = [
    b"1e999",
    b"-1e999",
    b"1E5",
    b"1.0e+2",
    b"-0",
    b"0.00000000000000000000000000000000000001",
    b"1" * 400,
    b"1" * 5000,
    b"0." + b"3" * 500,
    b"1e-999",
    b"01",
    b"+1",
    b".5",
    b"1.",
    b"1_000",
    b"0x10",
    b"NaN",
    b"-Infinity",
    b"Infinity",
    b"nul",
    b"tru",
    b"True",
    b"'a'",
    b"undefined",
]
TEXTS = [
    "",
    " ",
    "a",
    "0",
    "12",
    "-1",
    "1e999",
    "NaN",
    "null",
    "é",
    "e\u0301",
    "类别=标签",
    "类别=",
    "=,;=",
    "\u200b",
    "\u202e",
    "\ufeff",
    "\U0001f469\u200d\U0001f469",
    "\ud800",
    "\udc80 half",
    "\x00",
    "a\x00b",
    "\x1b[31m",
    "\x7f\x9b",
    "\r\n",
    "\t",
    "\u2028",
    '"',
    "\\",
    "'",
    "</script>",
    "]]>",
    "=1+1",
    "../../x",
    "/dev/zero",
    "C:\\a",
    "a/b",
    ".",
    "..",
    "-",
    "{}",
    "[1",
    "%s%n",
    "{0.__class__}",
    "x" * 300,
    "\u00df",
    "İ",
    "ﬃ",
]
CONTAINERS: list[Any] = [[], {}, [[]], [{}], {"": {}}, [None], {"a": None}]
DEPTHS = (3, 30, 126, 260, 1100, 5000)


def odd_number(rng: Random) -> Any:
    """A number where another one was expected."""
    return Raw(rng.choice(WRITTEN)) if rng.random() < 0.25 else rng.choice(NUMBERS)


def odd_text(rng: Random) -> str:
    """A text where another one was expected; seldom a long one."""
    if rng.random() < 0.03:
        return rng.choice("xé\u4e2d\x00") * rng.choice((1000, 5000, 70_000))
    return rng.choice(TEXTS)


def deep(rng: Random) -> Raw:
    """Something in many brackets."""
    depth = rng.choice(DEPTHS)
    opening, closing = rng.choice([(b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]")])
    return Raw(opening * depth + rng.choice([b"1", b"", b"null"]) + closing * rng.choice((depth, depth, depth - 1)))


def odd_value(rng: Random) -> Any:
    """Anything."""
    kind = rng.random()
    if kind < 0.35:
        return odd_number(rng)
    if kind < 0.65:
        return odd_text(rng)
    if kind < 0.8:
        return rng.choice([None, True, False])
    if kind < 0.96:
        return rng.choice(CONTAINERS)
    return deep(rng)
