"""Events that overlap on one side: pairs counted without listing them, against the matcher that lists them all."""

import random

import pytest

from calipers.core.matching import Pairs, optimal
from calipers.kernels.count.events import most_pairs
from calipers.kernels.scan.column import int_column, long_column


def shared(a, b):
    return min(a[1], b[1]) - max(a[0], b[0]) + 1


def listed(truth, pred, least):
    """The same by listing every pair."""
    rows = [(shared(a, b), i, j) for i, a in enumerate(truth) for j, b in enumerate(pred) if shared(a, b) >= least]
    rows.sort(key=lambda row: (-row[0], row[1], row[2]))
    frames, one, other = ([row[k] for row in rows] for k in range(3))
    matched = optimal(Pairs(int_column(one), int_column(other), long_column(frames)), min_overlap=1)
    return len(matched)


def first_met(truth, pred, least):
    pairs = ((b[0], a[0]) for b in pred for a in truth if shared(a, b) >= least)
    return next(pairs, (-1, -1))


def some_events(draw, count, longest):
    found = []
    for _ in range(count):
        start = draw.randrange(30)
        found.append((start, start + draw.randrange(longest)))
    return sorted(found, key=lambda event: (event[0], -event[1]))


def test_the_event_that_ends_first_takes_the_partner_that_ends_first():
    # truth  ==========          pred    ===
    #        =====                              =====
    assert most_pairs([(0, 9), (0, 4)], [(3, 5), (8, 12)], 1) == (2, 3, 0)


def test_events_that_share_too_little_do_not_meet():
    assert most_pairs([(0, 9)], [(8, 20)], 2) == (1, 8, 0)
    assert most_pairs([(0, 9)], [(8, 20)], 3) == (0, -1, -1)


@pytest.mark.parametrize("seed", range(300))
def test_as_many_pairs_as_the_matcher_finds(seed):
    draw = random.Random(seed)
    truth, pred = (some_events(draw, draw.randrange(9), draw.choice([2, 6, 20])) for _ in range(2))
    least = draw.choice([1, 1, 2, 4])
    assert most_pairs(truth, pred, least) == (listed(truth, pred, least), *first_met(truth, pred, least))


def test_events_that_all_overlap_are_counted_without_their_pairs():
    many = [(k, 1_000_000 + k) for k in range(200_000)]  # 40 billion pairs would neither fit nor end
    assert most_pairs(many, many, 1)[0] == 200_000
    later = [(start + 5_000_000, end + 5_000_000) for start, end in many]
    assert most_pairs(many, later, 1) == (0, -1, -1)
