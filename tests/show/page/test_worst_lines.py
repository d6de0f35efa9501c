"""Which lines of cases a page keeps: the worst, and among equals the first, however the lines come."""

import random

import orjson
import pytest

from calipers.files.placed_texts import StoredLines, StoredText
from calipers.kernels.scan.weave import end_numbers
from calipers.show.page import cases
from calipers.show.page.cases import Limit, ListedCase, WorstCases


def line(number, size=0):
    return b'{"key":"%s","unmatched":%d}\n' % (b"k" * size, number)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (b'{"unmatched":12}\n', 12),
        (b'{"a":{"unmatched":7}}  \r\n', 7),
        (b'{"unmatched":7,"a":1}\n', 0),
        (b'{"x-unmatched":7}\n', 0),
        (b'{"unmatched":-7}\n', 0),
        (b'{"unmatched":7 }\n', 0),
        (b'"unmatched":7', 7),
        (b"7\n", 0),
        (b"\n", 0),
        (b'{"unmatched":123456789012345678}\n', 123456789012345678),
        (b'{"unmatched":1234567890123456789}\n', -1),
    ],
)
def test_the_number_at_the_end_of_a_line(text, number):
    ends, numbers = end_numbers(text, b"unmatched")
    assert (ends.tolist(), numbers.tolist()) == ([len(text)], [number])
    assert cases._unmatched(text) == number or number == -1


def test_lines_of_a_text_end_behind_their_breaks():
    ends, numbers = end_numbers(line(3) + line(5) + b"{}", b"unmatched")
    assert ends.tolist() == [25, 50, 52]  # {"key":"","unmatched":3} has 24 bytes, and its break is one more
    assert numbers.tolist() == [3, 5, 0]


def plainly_kept(lines, limit):
    """All lines in their order, worst first, up to where there is no more room."""
    room, size, kept = max(cases.LISTED, limit.cases) if limit.cases else 0, 0, []
    for unmatched, place in sorted((-cases._unmatched(each), place) for place, each in enumerate(lines))[:room]:
        size += len(lines[place])
        if size > cases.LARGEST_KEPT and len(kept) >= limit.cases:
            break
        kept.append((unmatched, place))
    return {place: lines[place] for _, place in kept}


@pytest.mark.parametrize("limit", [None, Limit(2, None), Limit(0)])
@pytest.mark.parametrize("at_once", [1, 100, 1 << 20])
def test_kept_are_the_worst_whether_lines_come_one_by_one_or_together(monkeypatch, limit, at_once):
    monkeypatch.setattr(cases, "LISTED", 7)
    monkeypatch.setattr(cases, "LARGEST_KEPT", 300)
    monkeypatch.setattr(cases, "AT_ONCE", at_once)
    rng = random.Random(at_once)
    for _ in range(20):
        lines = [line(rng.randrange(6), rng.randrange(60)) for _ in range(200)]
        cut = rng.randrange(200)
        together, single, stored = WorstCases(limit), WorstCases(limit), WorstCases(limit)
        together.add([b"".join(lines[:cut]), b"".join(lines[cut:])])
        single.add(lines)
        stored.add(lines[:cut], 1000)
        stored.add_stored(StoredLines(1000 + size(lines[:cut]), 0, *end_numbers(b"".join(lines[cut:]), b"unmatched")))
        assert single.lines == together.lines == plainly_kept(lines, Limit() if limit is None else limit)
        assert together.total == single.total == stored.total == 200
        begins = {place: StoredText(1000 + size(lines[:place]), len(each)) for place, each in single.lines.items()}
        assert stored.lines == begins


def size(lines):
    return sum(map(len, lines))


def test_a_number_of_many_digits_is_among_the_worst(monkeypatch):
    monkeypatch.setattr(cases, "LISTED", 2)
    worst = WorstCases(Limit(2))
    worst.add([line(3) + line(10**20) + line(4) + line(10**17)])
    assert sorted(worst.lines) == [1, 3]


def test_the_last_line_of_a_text_needs_no_break():
    worst = WorstCases()
    worst.add([line(3) + line(2)[:-1], line(1), b"", line(5)[:-1]])
    assert [worst.lines[place] for place in range(4)] == [line(3), line(2)[:-1], line(1), line(5)[:-1]]


def test_cases_of_one_key_are_listed_as_they_came():
    """As many are wrong in each, so nothing but their place tells them apart."""
    worst, places = WorstCases(), list(range(50))
    worst.add(b'{"place":%d,"unmatched":%d}\n' % (place, 1 + (place == 7)) for place in places)
    listed = worst.listed(lambda text: ListedCase((-orjson.loads(text)["unmatched"], "key"), orjson.loads(text)))
    assert [part["place"] for part, _ in listed] == [7, *(place for place in places if place != 7)]
