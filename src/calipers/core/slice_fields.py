"""Fields that results are sliced by: how they are asked for, the value of each record, and the groups they make.

A slice is asked for as `FIELD`, `FIELD:10,20,50` (edges between numbers) or `A×B` (or `A*B`, two fields crossed).
Numbers become quartiles, with edges at the 25, 50 and 75 % quantiles over the records that were evaluated, or the
groups between the edges that are given; a value on an edge goes up. Texts, true and false are their own groups: the 50
most frequent, the others together as `(other)`. A record without the field is `(missing)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest, nsmallest
from itertools import pairwise, repeat
from types import NoneType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.errors import ConfigError
from calipers.core.parts import Packed
from calipers.kernels.count.object_sums import order_statistics

MISSING, OTHER = "(missing)", "(other)"
OBJECTS, SIZE = "objects", "size"  # fields that every record has: how much ground truth, and how large its objects are
SIZES = ("small", "medium", "large")
MAX_VALUES = 50
CROSS = " × "
ABSENT, NUMBER = -1, -2  # codes beside those of texts
LARGEST = 1e300  # that numbers are below


class FieldSpec(NamedTuple):
    """A field, and the edges between its groups where they are given."""

    name: str
    edges: tuple[float, ...] | None = None


class SliceSpec(NamedTuple):
    """One field, or two that are crossed."""

    fields: tuple[FieldSpec, ...]

    @property
    def name(self) -> str:
        """As the artifact names it."""
        return "×".join(field.name for field in self.fields)


def parse_slice(text: str) -> SliceSpec:
    """A slice as it is asked for.

    >>> parse_slice("weather×speed:10,20").fields
    (FieldSpec(name='weather', edges=None), FieldSpec(name='speed', edges=(10.0, 20.0)))
    """
    parts = [part.strip() for part in text.replace("*", "×").split("×")]
    if not all(parts) or len(parts) > 2 or len(set(parts)) < len(parts):
        raise ConfigError(f"slice: found {text!r:.80}, expected FIELD, FIELD:10,20,50 or two of them as A×B")
    return SliceSpec(tuple(_parse_field(part, text) for part in parts))


def _parse_field(part: str, text: str) -> FieldSpec:
    name, colon, edges = part.rpartition(":")
    if not colon:
        return FieldSpec(part)
    try:
        numbers = tuple(float(edge) for edge in edges.split(","))
    except ValueError:
        return FieldSpec(part)  # the colon belongs to the name
    rising = all(a < b for a, b in pairwise(numbers)) and all(np.isfinite(numbers))
    if not name or not rising:
        raise ConfigError(f"slice: found {text!r:.80}, expected edges that ascend: FIELD:10,20,50")
    return FieldSpec(name, numbers)


class FieldValues:
    """The value of one field in each record: a number, a text, or nothing."""

    __slots__ = ("_codes", "codes", "numbers", "texts")

    def __init__(self) -> None:
        self.codes: list[NDArray[np.int32]] = []  # of texts, ABSENT or NUMBER
        self.numbers: list[NDArray[np.float64]] = []  # 0 where there is none
        self.texts: list[str] = []
        self._codes: dict[str, int] = {}

    def extend(self, field: str, values: Sequence[Any]) -> None:
        """Take in the values of some records, as JSON has them."""
        kinds = set(map(type, values))
        if kinds <= {str, NoneType}:
            self._extend_texts(values)
        elif not (kinds <= {float, int} and self._extend_numbers(values)):
            self._extend_any(field, values)

    def _extend_texts(self, values: Sequence[str | None]) -> None:
        for text in dict.fromkeys(values):
            if text is not None:
                self._code(text)
        codes = map(self._codes.get, values, repeat(ABSENT))  # type: ignore[arg-type]
        self.codes.append(np.fromiter(codes, dtype=np.int32, count=len(values)))
        self.numbers.append(np.zeros(len(values)))

    def _extend_numbers(self, values: Sequence[float]) -> bool:
        """Take in numbers, if all of them are such that nothing is to be said about them."""
        try:
            numbers = np.array(values, dtype=np.float64)
        except OverflowError:  # a whole number beyond all floats
            return False
        if not (np.abs(numbers) < LARGEST).all():
            return False
        self.codes.append(np.full(len(values), NUMBER, dtype=np.int32))
        self.numbers.append(numbers)
        return True

    def _extend_any(self, field: str, values: Sequence[Any]) -> None:
        codes, numbers = [ABSENT] * len(values), [0.0] * len(values)
        for at, value in enumerate(values):
            if value.__class__ is str and value in self._codes:  # as most are
                codes[at] = self._codes[value]
            elif isinstance(value, (int, float)) and not isinstance(value, bool):
                codes[at], numbers[at] = NUMBER, _finite(field, value)
            elif value is not None:
                codes[at] = self._code(_as_text(field, value))
        self.codes.append(np.array(codes, dtype=np.int32))
        self.numbers.append(np.array(numbers, dtype=np.float64))

    def _code(self, text: str) -> int:
        if text not in self._codes:
            self._codes[text] = len(self.texts)
            self.texts.append(text)
        return self._codes[text]

    def add(self, later: FieldValues) -> None:
        """Take in the values of records that come after it."""
        own = np.array([self._code(text) for text in later.texts] + [NUMBER, ABSENT], dtype=np.int32)
        self.codes += [own[codes] for codes in later.codes]  # -2 and -1 are the last two
        self.numbers += later.numbers

    def columns(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Codes and numbers of all records."""
        if len(self.codes) != 1:
            self.codes = [np.concatenate([np.empty(0, np.int32), *self.codes])]
            self.numbers = [np.concatenate([np.empty(0), *self.numbers])]
        return self.codes[0], self.numbers[0]

    def count_others(self) -> int:
        """How many records have a text that is none of the most frequent."""
        codes, _ = self.columns()
        counts: list[int] = np.bincount(codes[codes >= 0]).tolist()
        return sum(counts) - sum(nlargest(MAX_VALUES, counts))

    def pack(self) -> Packed:
        """The values as plain values and arrays."""
        codes, numbers = self.columns()
        return Packed({"texts": self.texts}, {"codes": codes, "numbers": numbers})

    @classmethod
    def unpack(cls, packed: Packed) -> FieldValues:
        """The values again."""
        values = cls()
        values.texts = list(packed.plain["texts"])
        values._codes = {text: code for code, text in enumerate(values.texts)}
        values.codes, values.numbers = [packed.arrays["codes"]], [packed.arrays["numbers"]]
        return values


def _finite(field: str, value: float) -> float:
    number = float(value) if abs(value) < LARGEST else float("nan")
    if number != number:
        raise ConfigError(f"slice: {field!r:.80} has the value {value!r:.40}, expected finite numbers")
    return number


def _as_text(field: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        kind = "a list" if isinstance(value, list) else "an object"
        raise ConfigError(f"slice: {field!r:.80} is {kind} in a record, expected text, a number, true, false or null")
    return value


class Groups(NamedTuple):
    """The groups that records fall into, in the order in which they are named."""

    names: list[str]
    codes: NDArray[np.int64]  # (records,)


def group_field(spec: FieldSpec, values: FieldValues) -> Groups:
    """The group of every record by one field."""
    codes, numbers = values.columns()
    numeric, texts = int((codes == NUMBER).sum()), int((codes >= 0).sum())
    if not numeric and not texts:
        raise ConfigError(f"slice: no record has a value of {spec.name!r:.80}")
    if numeric and texts:
        raise ConfigError(
            f"slice: {spec.name!r:.80} is a number in {numeric:,} records and text in {texts:,} (such as"
            f" {values.texts[0]!r:.40}), expected one of the two"
        )
    if spec.edges is not None and texts:
        raise ConfigError(f"slice: {spec.name!r:.80} is text, expected numbers for the edges {_listed(spec.edges)}")
    return _number_groups(spec, codes, numbers) if numeric else _text_groups(codes, values.texts)


def _listed(edges: tuple[float, ...]) -> str:
    return ",".join(f"{edge:g}" for edge in edges)


def _number_groups(spec: FieldSpec, codes: NDArray[np.int32], numbers: NDArray[np.float64]) -> Groups:
    known = codes == NUMBER
    edges = list(dict.fromkeys(spec.edges if spec.edges is not None else _quartiles(numbers[known])))
    groups = np.where(known, np.searchsorted(edges, numbers, side="right"), len(edges) + 1)
    return _present(Groups([*interval_names(edges), MISSING], groups))


def _quartiles(numbers: NDArray[np.float64]) -> list[float]:
    return [float(edge) for edge in np.quantile(numbers, [0.25, 0.5, 0.75], method="linear")]


def interval_names(edges: list[float]) -> list[str]:
    """What groups between edges are called.

    >>> interval_names([10, 20.5])
    ['< 10', '10 – 20.5', '>= 20.5']
    """
    shown = [f"{edge:.0f}" if edge == int(edge) and abs(edge) < 1e15 else f"{edge:.6g}" for edge in edges]
    shown = shown if len(set(shown)) == len(edges) else [repr(float(edge)) for edge in edges]
    return [f"< {shown[0]}", *(f"{a} – {b}" for a, b in pairwise(shown)), f">= {shown[-1]}"]


class SizeEdges(NamedTuple):
    """The edges between groups of sizes, and what the groups are called, the last of which is no size."""

    edges: NDArray[np.float64]
    names: list[str]

    def codes(self, sizes: NDArray[Any]) -> NDArray[np.int64]:
        """The group of every size; NaN is none.

        >>> edges = SizeEdges(np.array([2.0, 3.0]), ["small", "medium", "large", "(missing)"])
        >>> edges.codes(np.array([1.0, 2.0, 9.0, np.nan]))
        array([0, 1, 2, 3])
        """
        edges = self.edges.astype(sizes.dtype)  # so that a size on an edge is on it, however it was rounded
        return np.where(np.isnan(sizes), len(edges) + 1, np.searchsorted(edges, sizes, side="right"))


def size_edges(spec: FieldSpec, reference: NDArray[np.float32]) -> SizeEdges:
    """The edges that are given, or the terciles of some sizes.

    >>> size_edges(FieldSpec("size"), np.array([1, 4, 7], np.float32)).edges.tolist()
    [3.0, 5.0]
    """
    if spec.edges is not None:
        return SizeEdges(np.array(spec.edges), [*interval_names(list(spec.edges)), MISSING])
    return SizeEdges(quantiles(reference, (1 / 3, 2 / 3)) if len(reference) else np.zeros(2), [*SIZES, MISSING])


def quantiles(values: NDArray[np.float32], shares: Sequence[float]) -> NDArray[np.float64]:
    """Linear quantiles as those of numpy, to the bit, of millions of numbers in less time and without a copy.

    >>> quantiles(np.array([3, 1, 2, 10], np.float32), [0.5]).tolist()
    [2.5]
    """
    at = (len(values) - 1) * np.array(shares)
    below = at.astype(np.int64)
    places = np.stack([below, np.minimum(below + 1, len(values) - 1)], axis=1)
    low, high = np.asarray(order_statistics(values, places.reshape(-1))).reshape(-1, 2).T
    apart, share = high - low, at - below
    between: NDArray[np.float64] = np.where(share < 0.5, low + apart * share, high - apart * (1 - share))
    return between


def _text_groups(codes: NDArray[np.int32], texts: list[str]) -> Groups:
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    frequent = nsmallest(MAX_VALUES, range(len(texts)), key=lambda code: (-int(counts[code]), texts[code]))
    place = np.full(len(texts) + 1, MAX_VALUES, dtype=np.int64)
    place[frequent] = np.arange(len(frequent))
    names = [texts[code] for code in frequent]
    place[-1] = MAX_VALUES + 1  # ABSENT
    padded = [*names, *[OTHER] * (MAX_VALUES - len(names)), OTHER, MISSING]
    return _present(Groups(padded, place[codes]))


def _present(groups: Groups) -> Groups:
    """Without the groups that no record is in; those of one name are one, as comparisons and gates go by names.

    >>> _present(Groups(["(missing)", "day", "(missing)"], np.array([0, 2, 0])))  # once as a text, once for no value
    Groups(names=['(missing)'], codes=array([0, 0, 0]))
    """
    is_there = np.bincount(groups.codes, minlength=len(groups.names)) > 0
    places: dict[str, int] = {}
    own = [places.setdefault(name, len(places)) if is_there[at] else 0 for at, name in enumerate(groups.names)]
    return Groups(list(places), np.array(own, dtype=np.int64)[groups.codes])


def cross(first: Groups, second: Groups) -> Groups:
    """Every two groups that a record is in."""
    names = [f"{a}{CROSS}{b}" for a in first.names for b in second.names]
    return _present(Groups(names, first.codes * len(second.names) + second.codes))
