"""Which lines of cases a page keeps: the worst, and among equals the first, however the lines come."""

import random

import pytest

from calipers.kernels.scan.weave import end_numbers
from calipers.show.page import cases
from calipers.show.page.cases import Limit, WorstCases


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
    """Each line joins the others, and while these are too many, the least of them goes."""
    kept = []
    for place, each in enumerate(lines):
        kept = sorted([*kept, (cases._unmatched(each), -place, each)])
        room = max(cases.LISTED, limit.cases) if limit.cases else 0
        while len(kept) > room or (sum(len(k[2]) for k in kept) > cases.LARGEST_KEPT and len(kept) > limit.cases):
            kept = kept[1:]
    return kept


@pytest.mark.parametrize("limit", [None, Limit(2, None), Limit(0)])
def test_kept_are_the_worst_whether_lines_come_one_by_one_or_together(monkeypatch, limit):
    monkeypatch.setattr(cases, "LISTED", 5)
    monkeypatch.setattr(cases, "LARGEST_KEPT", 300)
    rng = random.Random(0)
    lines = [line(rng.randrange(6), rng.randrange(60)) for _ in range(200)]
    together, single = WorstCases(limit), WorstCases(limit)
    together.add([b"".join(lines[:120]), b"".join(lines[120:])])
    single.add(lines)
    assert sorted(together._kept) == sorted(single._kept)
    assert together.total == single.total == 200
    assert sorted(single._kept) == sorted(plainly_kept(lines, Limit() if limit is None else limit))


def test_a_number_of_many_digits_is_the_worst():
    worst = WorstCases()
    worst.add([line(3) + line(10**20)])
    assert max(worst._kept)[0] == 10**20
