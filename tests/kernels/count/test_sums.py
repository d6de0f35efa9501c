"""Weighted sums of the bootstrap: exact, whatever the size of the values. Their statistics are in test_bootstrap."""

import random

import numpy as np
import pytest

from calipers.kernels.count.sums import grouped_sums, small_weighted_sums, weight_table, weighted_sums, weights


def keys(count: int) -> np.ndarray:
    rng = random.Random(count)
    return np.array([rng.getrandbits(64) for _ in range(count)], np.uint64)


def expected_sums(own_keys: np.ndarray, rows: list[list[int]], seed: int, replicates: int) -> list[int]:
    """In whole numbers of any size."""
    drawn = [[int(weight) for weight in weights(int(key), seed, replicates)] for key in own_keys]
    columns = len(rows[0])
    return [
        sum(weight[b] * row[c] for weight, row in zip(drawn, rows, strict=True))
        for c in range(columns)
        for b in range(replicates)
    ]


@pytest.mark.parametrize(
    "values",
    [
        *((0, 1), (0, 9), (1, 1000), (10**6, 2 * 10**6), (2**24 - 1, 2**24 + 1), (10**9, 2**40), (1, 2**40), (-9, 9)),
        (322_000, 323_000),  # two columns go into one number up to 2 ** 26 // (16 * 13)
    ],
    ids=lambda pair: f"{pair[0]} to {pair[1]}",
)
@pytest.mark.parametrize("columns", [1, 2, 7, 8])
def test_sums_are_exact_whatever_the_size_of_the_values(values, columns):
    rng = random.Random(columns)
    rows = [[rng.choice((values[0], rng.randint(*values), values[1])) for _ in range(columns)] for _ in range(300)]
    found = weighted_sums(keys(300), np.array(rows).T.reshape(-1), columns, 3, 11)
    assert found.tolist() == expected_sums(keys(300), rows, 3, 11)


def test_small_and_large_values_in_turn_are_exact():
    rows = [[2_000_001, 1_200_001], [1, 1_200_001], [0, 2**40 + 1], [7, 0]] * 100
    found = weighted_sums(keys(400), np.array(rows).T.reshape(-1), 2, 0, 101)
    assert found.tolist() == expected_sums(keys(400), rows, 0, 101)


def test_many_records_are_exact():
    rows = [[1 + i % 7] for i in range(20_000)]
    found = weighted_sums(keys(20_000), np.array(rows).T.reshape(-1), 1, 0, 3)
    assert found.tolist() == expected_sums(keys(20_000), rows, 0, 3)


@pytest.mark.parametrize("replicates", [0, 1, 2, 3, 8])
def test_any_number_of_replicates_will_do(replicates):
    rows = [[1, 5], [2, 6]]
    found = weighted_sums(keys(2), np.array(rows).T.reshape(-1), 2, 9, replicates)
    assert found.tolist() == expected_sums(keys(2), rows, 9, replicates)
    assert len(weights(1, 2, replicates)) == replicates


def test_no_records_sum_to_zero():
    assert weighted_sums(keys(0), np.array([], np.int64), 2, 0, 3).tolist() == [0] * 6


def test_a_weight_above_four_is_drawn_like_any_other():
    drawn = np.concatenate([np.asarray(weights(key, 0, 1000)) for key in range(1000)])
    # of a million draws, P(X = k) = 1 / (e k!): 3066 fives, 511 sixes, 73 sevens, 9 eights
    counts = np.bincount(drawn.astype(int), minlength=9)[5:9]
    assert counts == pytest.approx([3066, 511, 73, 9], abs=0, rel=1)
    assert abs(counts[0] - 3066) < 4 * 55
    assert abs(counts[1] - 511) < 4 * 23


@pytest.mark.parametrize(
    ("records", "replicates", "seed"),
    [(303, 257, 4), (17, 64, 0), (4, 8, 1), (3, 7, 2), (2, 1000, 1), (1, 129, 7)],
)
def test_weights_of_four_records_side_by_side_are_those_of_each(records, replicates, seed):
    own = keys(records)
    drawn = np.array([weights(int(key), seed, replicates) for key in own])
    assert drawn.max() >= (7 if records == 303 else 2)
    rows = np.stack([np.arange(records), np.ones(records, np.int64), np.arange(records) == records - 1]).astype(
        np.int64
    )
    for first in (0, 2, 66):
        found = weighted_sums(own, rows.reshape(-1), 3, seed, replicates - first if first < replicates else 0, first)
        assert np.asarray(found).reshape(3, -1).tolist() == (rows @ drawn[:, first:]).tolist()


@pytest.mark.parametrize("largest", [255, 256, 65535, 65536])
@pytest.mark.parametrize("other", [0, 7, -1])
def test_the_largest_of_one_byte_and_of_two_add_up_as_those_beyond(largest, other):
    rows = [[largest, other, 1]] * 4200
    found = weighted_sums(keys(4200), np.array(rows).T.reshape(-1), 3, 5, 9).tolist()
    times = found[18:]
    assert found[:9] == [largest * count for count in times]
    assert found[9:18] == [other * count for count in times]
    assert times == [sum(weights(key, 5, 9)[b] for key in keys(4200)) for b in range(9)]


def test_more_bytes_than_32_bits_hold_are_exact():
    records = (1 << 19) + 17  # 32 by 32, those of the largest byte move on to 64 bits once before the last
    own = np.arange(records, dtype=np.uint64)
    found = weighted_sums(own, np.full(2 * records, 65535), 2, 5, 2)
    times = np.asarray(weight_table(own, 5, 2)).reshape(records, 2).sum(axis=0, dtype=np.int64)
    assert np.asarray(found).reshape(2, 2).tolist() == [(65535 * times).tolist()] * 2


@pytest.mark.parametrize("columns", [1, 3, 4, 9])
@pytest.mark.parametrize("replicates", [1, 8, 16, 250, 264])  # rows of sums end within a register, and within a block
@pytest.mark.parametrize("records", [16, 37, 57])  # 32 and 5 or 25 more
def test_bytes_have_the_same_sums_in_registers_of_all_widths(columns, replicates, records):
    rng = random.Random(replicates)
    rows = [[rng.randint(0, 65535 if column == 1 else 255) for column in range(columns)] for _ in range(records)]
    values, own = np.array(rows).T.reshape(-1), keys(records)
    widths = [weighted_sums(own, values, columns, 3, replicates, 0, bits).tolist() for bits in (128, 256, 512)]
    assert widths == [expected_sums(own, rows, 3, replicates)] * 3


@pytest.mark.parametrize("records", [0, 1, 15, 16, 17, 40])
@pytest.mark.parametrize("columns", [0, 1, 5])
def test_values_of_16_bits_have_the_sums_of_those_of_64(records, columns):
    rng = np.random.default_rng([records, columns])
    values = rng.integers(0, [[256], [65536], [1], [2], [1000]][:columns] or 1, (columns, records)).reshape(-1)
    values[:1] = 65535
    small = small_weighted_sums(keys(records), values.astype(np.uint16), columns, 7, 33)
    assert small.tolist() == weighted_sums(keys(records), values, columns, 7, 33).tolist()


def grouped(own, rows, ends, places, groups, seed, replicates):
    flat = np.array(places, np.int64).reshape(-1)
    sums = grouped_sums(own, rows.reshape(-1), len(rows), np.array(ends, np.int64), flat, groups, seed, replicates)
    return np.asarray(sums).reshape(groups, len(rows), replicates)


def test_the_sums_of_cells_are_added_to_each_of_their_groups():
    # two fields, groups 0 and 1 of the first, 2 of the second: records a, b | c are cells of 0 and 2, and of 1 and 2
    own, rows = keys(3), np.array([[1, 2, 300]])
    a, b, c = (np.asarray(weights(int(key), 4, 6)) for key in own)
    found = grouped(own, rows, [2, 3], [[0, 2], [1, 2]], 3, 4, 6)
    assert found[:, 0].tolist() == [(a + 2 * b).tolist(), (300 * c).tolist(), (a + 2 * b + 300 * c).tolist()]


@pytest.mark.parametrize("largest", [1, 255, 65535, 2**40, -9])
@pytest.mark.parametrize("seed", range(8))
def test_sums_of_groups_are_those_of_their_records(seed, largest):
    rng = np.random.default_rng([seed, abs(largest)])
    records, cells, fields, groups = int(rng.integers(0, 90)), int(rng.integers(1, 9)), int(rng.integers(0, 4)), 5
    ends = [*sorted(rng.integers(0, records + 1, cells - 1).tolist()), records]
    places = np.array([rng.permutation(groups)[:fields] for _ in range(cells)], np.int64).reshape(cells, fields)
    own, rows = keys(records), rng.integers(min(largest, 0), max(largest, 1), (3, records))
    wanted = np.zeros((groups, 3, 11), np.int64)
    for begin, end, into in zip([0, *ends], ends, places, strict=False):
        few = np.ascontiguousarray(rows[:, begin:end])
        wanted[into] += np.asarray(weighted_sums(own[begin:end], few.reshape(-1), 3, seed, 11)).reshape(3, 11)
    assert grouped(own, rows, ends, places, groups, seed, 11).tolist() == wanted.tolist()
