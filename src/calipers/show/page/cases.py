"""Which failures a page shows: the worst of them, and at least one of every kind.

Cases are lines of JSON, a record each, that end with `"unmatched"`: how many objects have no partner. That number is
read from the end of a line, so that of a million lines only the worst few have to be understood.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heappush, heappushpop
from typing import Any, NamedTuple

import orjson

from calipers.files.output import json_line
from calipers.show.page.sections import Part

MOST = 200  # cases on a page, if nobody asks for another number
LARGEST = 600_000  # bytes of cases on a page, if nobody asks for a number of them
CHOICE = 4  # times as many are looked at, so that rare kinds of failure have a chance

Case = dict[str, Any]
Lookup = Callable[[Iterable[str]], dict[str, Case]]


class Limit(NamedTuple):
    """How many cases a page may show, and how many bytes they may take."""

    cases: int = MOST
    bytes: int | None = LARGEST

    @classmethod
    def of(cls, cases: int | None) -> Limit:
        """The usual limits, or as many cases as were asked for, whatever their size."""
        return cls() if cases is None else cls(cases, None)


class WorstCases:
    """Takes lines of cases as they come and keeps the worst; among equals the first."""

    def __init__(self, limit: Limit | None = None, lookup: Lookup | None = None) -> None:
        """`lookup` finds the cases of some records by their keys."""
        self.limit, self.lookup = limit or Limit(), lookup
        self.total = 0
        self._kept: list[tuple[int, int, bytes]] = []  # a heap: unmatched objects, place from the end, line

    def add(self, lines: Iterable[bytes]) -> None:
        """Look at some more lines."""
        room = CHOICE * self.limit.cases
        for line in lines:
            entry = (_unmatched(line), -self.total, line)
            self.total += 1
            if len(self._kept) < room:
                heappush(self._kept, entry)
            elif room:
                heappushpop(self._kept, entry)

    def parsed(self) -> list[Case]:
        """The kept ones, worst first, then by key."""
        found = [orjson.loads(line) for _, _, line in self._kept]
        return sorted(found, key=lambda case: (-case["unmatched"], case["key"]))

    def of(self, keys: Iterable[str]) -> dict[str, Case]:
        """The cases of some records, by key."""
        return self.lookup(keys) if self.lookup else {}


def _unmatched(line: bytes) -> int:
    """The number at the end of a line; one without it is not among the worst.

    >>> _unmatched(b'{"key":"a","unmatched":12}')
    12
    """
    head, _, number = line.rstrip().rstrip(b"}").rpartition(b":")
    return int(number) if head.endswith(b'"unmatched"') and number.isdigit() else 0


def drawn_cases(
    cases: list[Case], limit: Limit, tags_of: Callable[[Case], list[str]], draw: Callable[[Case], Part]
) -> list[Part]:
    """The cases that a page shows, worst first, as many as the limit allows.

    Half of the room goes to the worst case of every tag, so that whatever is clicked leads somewhere.
    """
    found: dict[int, Part] = {}
    size = 0
    for place in _order([tags_of(case) for case in cases], limit.cases // 2)[: limit.cases]:
        part = draw(cases[place])
        size += len(json_line(part)) - len(part.get("image", ""))  # pictures have a limit of their own
        if limit.bytes is not None and size > limit.bytes and found:
            break
        found[place] = part
    return _with_own_keys([found[place] for place in sorted(found)])


def _order(tags: list[list[str]], most: int) -> list[int]:
    """Places of cases: first those that bring a new tag, then the others.

    >>> _order([["a"], ["a"], ["a", "b"]], 2)
    [0, 2, 1]
    """
    seen: set[str] = set()
    first: list[int] = []
    for place, own in enumerate(tags):
        if len(first) < most and not seen.issuperset(own):
            first.append(place)
            seen.update(own)
    return first + sorted(set(range(len(tags))) - set(first))


def _with_own_keys(parts: list[Part]) -> list[Part]:
    """Two records may have the same key; on a page each needs its own."""
    taken: set[str] = set()
    for part in parts:
        key, again = part["key"], 1
        while part["key"] in taken:
            again += 1
            part["key"] = f"{key} ({again})"
        taken.add(part["key"])
    return parts


def left_out(shown: int, total: int, what: str) -> list[str]:
    """What has to be said of the cases that are not on the page.

    >>> left_out(2, 1200, "records")
    ['2 of 1,200 records with failures are drawn here, the worst and some of every kind; cases.jsonl has all of them.']
    """
    if shown == total:
        return []
    kept = f"{shown:,} of {total:,} {what} with failures are drawn here, the worst and some of every kind"
    return [f"{kept}; cases.jsonl has all of them."]
