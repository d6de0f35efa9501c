"""Which failures a page draws: the worst of them, and at least one of every kind. It lists many more.

Of those that are listed, as many as there is room for are drawn when they come into sight.

Cases are lines of JSON, a record each, that end with `"unmatched"`: how many objects have no partner. That number is
read from the end of a line, so that of a million lines only the worst few have to be understood.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

import numpy as np
import orjson
from numpy.typing import NDArray

from calipers.core.text import whole_text
from calipers.files.output import json_line
from calipers.files.placed_texts import StoredLines, StoredText
from calipers.kernels.scan.weave import end_numbers
from calipers.show.page.folded import Folded, TextTable, fold
from calipers.show.page.listing import ErrorCounts, ErrorTable, Part

CASES = "cases.jsonl"
MOST = 200  # drawn cases on a page, if nobody asks for another number
LARGEST = 600_000  # bytes of drawings on a page, if nobody asks for a number of them
LISTED = 5000  # cases on a page at most, drawn or not
LARGEST_LIST = 700_000  # bytes of cases that are listed without a drawing
LARGEST_FOLDED = 1_200_000  # bytes of drawings that are unfolded on demand, if nobody asks for a number of cases
UNMATCHED = b"unmatched"  # the last field of a line
LARGEST_KEPT = 32_000_000  # bytes of lines of cases that are kept until the page is made
LARGEST_NUMBER = np.iinfo(np.int64).max  # of unmatched objects: a line may say any
AT_ONCE = 1 << 20  # bytes of lines that are looked at together

Case = dict[str, Any]
Source = TypeVar("Source")  # what a case is drawn from
Text = bytes | memoryview
Whole = NDArray[np.int64]
Line = bytes | StoredText
Lookup = Callable[[Iterable[str]], dict[str, Case]]
SlicesOf = Callable[[list[str]], list[dict[str, list[str]]]]


class Limit(NamedTuple):
    """How many cases a page may show, and how many bytes they may take."""

    cases: int = MOST
    bytes: int | None = LARGEST

    @classmethod
    def of(cls, cases: int | None) -> Limit:
        """The usual limits, or as many cases as were asked for, whatever their size."""
        return cls() if cases is None else cls(cases, None)


class ListedCase(NamedTuple):
    """A case as it is listed, and its place among the others: worst first, then by key."""

    order: tuple[int, str]
    part: Part


class CaseViews(NamedTuple):
    """How a page shows lines of cases: listed, drawn with their pictures, and drawn without, folded."""

    list_line: Callable[[bytes], ListedCase]
    draw: Callable[[bytes], Part]
    fold: Callable[[bytes, TextTable], Folded]

    @classmethod
    def of(
        cls,
        list_case: Callable[[Case], Part],
        draw: Callable[[Case], Part],
        draw_plainly: Callable[[Case], Part] | None = None,
        parse_listed: Callable[[bytes], Case] = orjson.loads,
    ) -> CaseViews:
        """Views of cases that are parsed; `parse_listed` may leave out what is only drawn."""

        def list_line(line: bytes) -> ListedCase:
            case = parse_listed(line)
            return ListedCase((-case["unmatched"], case["key"]), list_case(case))

        def fold_line(line: bytes, table: TextTable) -> Folded:
            return Folded.of(fold((draw_plainly or draw)(orjson.loads(line)), table), table)

        return cls(list_line, lambda line: draw(orjson.loads(line)), fold_line)


class WorstCases:
    """Takes lines of cases as they come and keeps the worst, as many as there is room for; among equals the first."""

    def __init__(self, limit: Limit | None = None, lookup: Lookup | None = None) -> None:
        """`lookup` finds the cases of some records by their keys."""
        self.limit, self.lookup = limit or Limit(), lookup
        self.slices_of: SlicesOf | None = None  # the slices of records by keys, in each part of the artifact, if known
        self.total = 0
        self.read: Callable[[StoredText], bytes] | None = None  # a line that is stored
        self.lines: dict[int, Line] = {}  # those that are kept, by their place among all
        self._kept = np.zeros((3, 0), np.int64)  # of these, worst first: unmatched objects, place, bytes
        self._most_left_out = -1  # unmatched objects of any line that is not kept

    def add(self, texts: Iterable[Text], begin: int | None = None) -> None:
        """Look at some more lines, which may come many to a text.

        Where they stand in a file from `begin` on, they are read from there when the page is made.
        """
        block: list[Text] = []
        size = 0
        for text in texts:
            block.append(text)
            size += len(text)
            if size >= AT_ONCE or text[-1:] != b"\n":
                begin = self._add_block(block, begin)
                block, size = [], 0
        self._add_block(block, begin)

    def _add_block(self, texts: list[Text], begin: int | None) -> int | None:
        """Look at the lines of some texts together. Returns where those that follow begin."""
        text = texts[0] if len(texts) == 1 else b"".join(texts)
        ends, numbers = (np.array(column) for column in end_numbers(text, UNMATCHED))
        for at in np.flatnonzero(numbers < 0).tolist():
            numbers[at] = min(_unmatched(bytes(text[ends[at - 1] if at else 0 : ends[at]])), LARGEST_NUMBER)
        self._add_lines(ends, numbers, partial(_copied, text) if begin is None else partial(_stored, begin))
        return None if begin is None else begin + len(text)

    def add_stored(self, lines: StoredLines) -> None:
        """Look at some more lines, which stand in a file."""
        self._add_lines(np.asarray(lines.ends), np.asarray(lines.numbers), partial(_stored, lines.begin))

    def _add_lines(self, ends: Whole, unmatched: Whole, line_of: Callable[[int, int], Line]) -> None:
        """Keep those that are among the worst of all so far. Whatever is behind one that was left out is so, too."""
        sizes = np.diff(ends, prepend=0)
        new = np.flatnonzero(unmatched > self._most_left_out)
        known, own = len(self._kept[0]), np.stack([unmatched[new], self.total + new, sizes[new]])
        self.total += len(ends)
        lines = np.concatenate([self._kept, own], axis=1)
        order = np.lexsort((lines[1], -lines[0]))
        count = self._room_for(lines[2][order])
        if count < len(order):
            self._most_left_out = int(lines[0][order[count]])
        for place in lines[1][order[count:][order[count:] < known]].tolist():
            del self.lines[place]
        for at in new[order[:count][order[:count] >= known] - known].tolist():
            self.lines[self.total - len(ends) + at] = line_of(int(ends[at] - sizes[at]), int(ends[at]))
        self._kept = lines[:, order[:count]]

    def _room_for(self, sizes: Whole) -> int:
        """How many lines are kept, of all in their order, by their bytes."""
        room = max(LISTED, self.limit.cases) if self.limit.cases else 0
        fitting = int(np.searchsorted(np.cumsum(sizes), LARGEST_KEPT, side="right"))
        return min(len(sizes), room, max(fitting, self.limit.cases))

    def text(self, line: Line) -> bytes:
        """A line that was kept, from its file if it is stored."""
        if isinstance(line, bytes):
            return line
        if self.read is None:
            raise TypeError("lines are stored, expected to know where")
        return self.read(line)

    def listed(self, list_line: Callable[[bytes], ListedCase]) -> list[tuple[Part, Line]]:
        """The kept ones as they are listed, with their lines, in order; one is read at a time."""
        entries = [(*list_line(self.text(line)), line) for _, line in sorted(self.lines.items())]
        return [(part, line) for _, part, line in sorted(entries, key=itemgetter(0))]

    def of(self, keys: Iterable[str]) -> dict[str, Case]:
        """The cases of some records, by key."""
        return self.lookup(keys) if self.lookup else {}


def _copied(text: Text, begin: int, end: int) -> bytes:
    return bytes(text[begin:end])


def _stored(start: int, begin: int, end: int) -> StoredText:
    return StoredText(start + begin, end - begin)


def _unmatched(line: bytes) -> int:
    """The number at the end of a line; one without it is not among the worst.

    >>> _unmatched(b'{"key":"a","unmatched":12}')
    12
    """
    head, _, number = line.rstrip().rstrip(b"}").rpartition(b":")
    return int(number) if head.endswith(b'"unmatched"') and number.isdigit() else 0


def shown_cases(cases: WorstCases, views: CaseViews) -> list[Part]:
    """The cases that a page shows, worst first: as many drawings as the limit allows, all others listed without.

    Half of the room goes to the worst case of every kind of error, so that whatever is clicked leads to a drawing.
    Listed ones have a drawing to unfold, without a picture, while there is room for it.
    """
    limit, listed = cases.limit, cases.listed(views.list_line)
    order = _order([part["errors"] for part, _ in listed], limit.cases // 2)
    parts = _drawn((cases.text(listed[place][1]) for place in order[: limit.cases]), limit, views.draw)
    drawn = dict(zip(order, parts, strict=False))
    size = 0
    drawings = FoldedDrawings(views.fold, cases.text, LARGEST_FOLDED if limit.bytes is not None else 0)
    for place, (part, line) in enumerate(listed):
        if place not in drawn:
            size += _listed_size(part)
            if size > LARGEST_LIST:
                break
            drawn[place] = drawings.folded(part, line)
    return _with_own_keys([drawn[place] for place in sorted(drawn)])


def beside_each_other(cases: list[Part], group: str, member: str, members: list[str]) -> list[Part]:
    """Cases with the same facet `group` together, by facet `member` in a given order; the group with the worst first.

    A member that is not given comes last: cases are read from files, which anyone may have written.

    >>> cases = [
    ...     {"facets": {"room": [room], "by": [name]}, "score": score}
    ...     for room, name, score in (("hall", "b", 3), ("attic", "b", 2), ("hall", "a", 1))
    ... ]
    >>> [(*case["facets"].values(), case["score"]) for case in beside_each_other(cases, "room", "by", ["a", "b"])]
    [(['hall'], ['a'], 3), (['hall'], ['b'], 3), (['attic'], ['b'], 2)]
    >>> [case["facets"]["by"] for case in beside_each_other(cases, "room", "by", ["b"])]
    [['b'], ['a'], ['b']]
    """
    worst: dict[str, float] = {}
    places = {whole_text(name): place for place, name in enumerate(members)}
    for case in cases:
        [name] = case["facets"][group]
        worst[name] = max(case["score"], worst.get(name, 0))

    def place(case: Part) -> tuple[float, str, int]:
        [name] = case["facets"][group]
        return -worst[name], name, places.get(case["facets"][member][0], len(places))

    return [case | {"score": worst[case["facets"][group][0]]} for case in sorted(cases, key=place)]


class FoldedDrawings:
    """Draws cases for later, as many as there is room for."""

    def __init__(self, fold: Callable[[bytes, TextTable], Folded], read: Callable[[Line], bytes], room: int) -> None:
        self._fold, self._read, self._room, self._size, self._table = fold, read, room, 0, TextTable()

    def folded(self, part: Part, line: Line) -> Part:
        """A listed case with its drawing, or without where there is no room."""
        if self._size + self._table.size >= self._room:
            return part
        drawing = self._fold(self._read(line), self._table)
        self._size += drawing.size
        return part | {"folded": drawing}


def _listed_size(part: Part) -> int:
    """About how many bytes a case takes that is only listed."""
    title = len(part["title"]) if part["title"] != part["key"] else 0
    return len(json_line([part["key"], part.get("facets")])) + title + 6 * len(part["errors"].places)


def drawn_cases(cases: list[Case], limit: Limit, draw: Callable[[Case], Part]) -> list[Part]:
    """The first cases, drawn, as many as the limit allows."""
    return _with_own_keys(_drawn(cases[: limit.cases], limit, draw))


def _drawn(cases: Iterable[Source], limit: Limit, draw: Callable[[Source], Part]) -> list[Part]:
    parts: list[Part] = []
    size = 0
    for case in cases:
        part = draw(case)
        counted = {name: value for name, value in part.items() if name not in ("errors", "image")}
        size += len(json_line(counted))  # pictures have a limit of their own
        if limit.bytes is not None and size > limit.bytes and parts:
            break
        parts.append(part)
    return parts


def _order(cases: Sequence[ErrorCounts], most: int) -> list[int]:
    """Places of cases: first those that bring a new kind of error, then the others.

    >>> from calipers.show.page.listing import ErrorFacets
    >>> missed, spurious = ErrorFacets("missed", "a"), ErrorFacets("spurious", "a")
    >>> _order([ErrorCounts.of(errors) for errors in ([missed], [missed], [missed, spurious])], 2)
    [0, 2, 1]
    """
    seen = set[tuple[str, ...]]()
    places: dict[ErrorTable, set[int]] = {}  # of errors whose kinds were all seen
    first: list[int] = []
    for place, errors in enumerate(cases):
        known = places.setdefault(errors.table, set())
        if len(first) < most and not known.issuperset(errors.places):
            kinds = errors.kinds()
            if not seen.issuperset(kinds):
                first.append(place)
                seen |= kinds
            known.update(errors.places)
    return first + sorted(set(range(len(cases))) - set(first))


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


def left_out(parts: Sequence[Part], total: int, what: str) -> list[str]:
    """A note about the cases that are not drawn on the page, or not even listed.

    >>> left_out([{"shapes": []}, {"folded": 0}], 2, "records")
    []
    >>> left_out([{"shapes": []}, {}], 2, "records")
    ['1 of 2 records with failures are drawn, the worst and some of every kind; the others are listed.']
    >>> left_out([{"shapes": []}, {}], 1200, "records")[0][-62:]
    'every kind; 1 more is listed, and cases.jsonl has all of them.'
    """
    drawn = sum("shapes" in part or "folded" in part for part in parts)
    if drawn == total:
        return []
    kept = f"{drawn:,} of {total:,} {what} with failures are drawn, the worst and some of every kind"
    if len(parts) == total:
        return [f"{kept}; the others are listed."]
    left = len(parts) - drawn
    return [f"{kept}; {left:,} more {'is' if left == 1 else 'are'} listed, and cases.jsonl has all of them."]
