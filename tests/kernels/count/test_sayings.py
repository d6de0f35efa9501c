"""Descriptions that met, and what both say, by hand and against plain Python."""

from collections import Counter
from random import Random

import numpy as np

from calipers.kernels.count.sayings import count_met, count_shared


def int32(values):
    return np.array(values, dtype=np.int32)


def test_pairs_of_codes_are_counted_each_once():
    rng = Random(3)
    for rows in (0, 1, 200):
        first, second = ([rng.randrange(9) for _ in range(rows)] for _ in range(2))
        times = [rng.randrange(1, 5) for _ in range(rows)]
        one, other, sums = (column.tolist() for column in count_met(int32(first), int32(second), None, 9))
        assert one == sorted(one)
        assert dict(zip(zip(one, other, strict=True), sums, strict=True)) == Counter(zip(first, second, strict=True))
        weighted = Counter()
        for pair, often in zip(zip(first, second, strict=True), times, strict=True):
            weighted[pair] += often
        met = count_met(int32(first), int32(second), np.array(times, dtype=np.int64), 9)
        one, other, sums = (column.tolist() for column in met)
        assert dict(zip(zip(one, other, strict=True), sums, strict=True)) == weighted


def test_entries_count_for_either_side_and_for_both():
    # Entries 0 and 1 are of key 0, entry 2 is of key 1; descriptions {0, 2}, {1, 2} and {}.
    starts, entries, keys = np.array([0, 2, 4, 4], dtype=np.int64), int32([0, 2, 1, 2]), int32([0, 0, 1])
    truth, pred, times = int32([0, 0, 2]), int32([1, 0, 0]), np.array([2, 3, 4], dtype=np.int64)
    counts = count_shared(truth, pred, times, starts, entries, keys, 2).tolist()
    assert counts == [5, 5, 9, 9, 3, 5]  # said by the truth under key 0 and 1, by the prediction, by both
