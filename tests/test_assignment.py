"""The optimal matching: its groups, exact even when large, and where it stops. Its laws are in contracts."""

import random

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from calipers.errors import CalipersError
from calipers.matching import Pairs, optimal


def pairs_of(scores: dict[tuple[int, int], int]) -> Pairs:
    """Pairs in the order matchers need, as if of one record."""
    ordered = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    truth, pred = np.array([cell for cell, _ in ordered], np.int32).reshape(-1, 2).T
    return Pairs(truth, pred, np.array([score for _, score in ordered], np.int64))


def size_and_total(pairs: Pairs) -> tuple[int, int]:
    return len(pairs), sum(pairs.score.tolist())


def chain(length: int) -> dict[tuple[int, int], int]:
    """Truth i overlaps pred i and pred i + 1: all hang together."""
    return {(i, i + step): 5 for i in range(length) for step in (0, 1) if i + step < length}


def test_a_group_of_93_is_exact_to_the_last_unit():
    rng = random.Random(1)
    scores = np.array([[rng.randint(1, 10**12) for _ in range(93)] for _ in range(93)])
    rows, columns = linear_sum_assignment(scores, maximize=True)  # every pair is there, so overlaps alone decide
    found = optimal(pairs_of({(i, j): int(scores[i, j]) for i in range(93) for j in range(93)}), least=1)
    assert size_and_total(found) == (93, int(scores[rows, columns].sum()))


def test_a_larger_group_is_refused_with_its_size_and_a_way_out():
    with pytest.raises(CalipersError, match=r"a group of 94 objects, expected at most 93 .* use greedy"):
        optimal(pairs_of(chain(94)), least=1)


def test_the_limit_is_on_the_smaller_side_of_a_group():
    wide = {(i, j): 5 for i in range(2) for j in range(300)}
    assert size_and_total(optimal(pairs_of(wide), least=1)) == (2, 10)


def test_many_small_groups_are_no_large_one():
    apart = {(2 * k + i, 2 * k + j): 5 for k in range(100) for i in range(2) for j in range(2)}
    assert size_and_total(optimal(pairs_of(apart), least=1)) == (200, 1000)


def test_pairs_below_the_threshold_hold_no_group_together():
    scores = chain(94) | {(50, 50): 1, (50, 51): 1, (49, 50): 1}
    assert len(optimal(pairs_of(scores), least=2)) == 93


def test_a_chain_is_matched_end_to_end():
    # truth 0 1 2 3 with pred 0 1 2 3; the middle pairs overlap most, yet taking them costs the ends
    #   0-0: 1   0-1: 9   1-1: 1   1-2: 9   2-2: 1   2-3: 9   3-3: 1
    scores = {(0, 0): 1, (0, 1): 9, (1, 1): 1, (1, 2): 9, (2, 2): 1, (2, 3): 9, (3, 3): 1}
    assert optimal(pairs_of(scores), least=1).truth.tolist() == [0, 1, 2, 3]
    assert size_and_total(optimal(pairs_of(scores), least=1)) == (4, 4)
