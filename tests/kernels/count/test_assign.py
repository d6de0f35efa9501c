"""Sorting pairs, matching them greedily, and finding each object's best. The matchers' laws are in contracts."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

from calipers.kernels.count import assign


def part(*triples) -> tuple:
    truth, pred, score = zip(*triples, strict=True) if triples else ((), (), ())
    return np.array(truth, np.int32), np.array(pred, np.int32), np.array(score, np.int64)


def triples(columns) -> list[tuple[int, int, int]]:
    return list(zip(*(column.tolist() for column in columns), strict=True))


def pairs(*given) -> SimpleNamespace:
    truth, pred, score = part(*given)
    return SimpleNamespace(truth=truth, pred=pred, score=score)


# Sorting


def test_pairs_are_sorted_within_their_record_by_overlap_then_truth_then_pred():
    offsets = np.array([0, 2, 4], np.int64)
    found = assign.sort_by_overlap(offsets, part((0, 1, 5), (0, 0, 5), (1, 0, 9), (1, 1, 5), (2, 3, 1), (3, 2, 8)))
    assert triples(found) == [(1, 0, 9), (0, 0, 5), (0, 1, 5), (1, 1, 5), (3, 2, 8), (2, 3, 1)]


def test_parts_are_merged_record_by_record():
    offsets = np.array([0, 1, 1, 2], np.int64)
    found = assign.sort_by_overlap(offsets, part((0, 0, 1), (1, 2, 1)), part(), part((0, 1, 2), (1, 3, 2)))
    assert triples(found) == [(0, 1, 2), (0, 0, 1), (1, 3, 2), (1, 2, 1)]


@pytest.mark.parametrize("offsets", [[0], [0, 0, 0], [0, 5]])
def test_no_pairs_are_sorted_to_none(offsets):
    assert triples(assign.sort_by_overlap(np.array(offsets, np.int64), part())) == []
    assert triples(assign.sort_by_overlap(np.array(offsets, np.int64))) == []


@pytest.mark.parametrize("count", [2, 31, 32, 33, 34, 100, 1000])
def test_short_and_long_records_are_sorted_alike(count):
    rng = random.Random(count)
    cells = rng.sample([(i, j) for i in range(40) for j in range(40)], count)
    given = [(i, j, rng.choice((1, 2, 3, 2**62))) for i, j in cells]
    found = assign.sort_by_overlap(np.array([0, 40], np.int64), part(*given))
    assert triples(found) == sorted(given, key=lambda triple: (-triple[2], triple[0], triple[1]))


@pytest.mark.parametrize("bits", [128, 256, 512])
@pytest.mark.parametrize("scores", [(0, 1), (10**12, 10**12 - 1, 5), (2**40 - 1, 2**40 - 2), (2**40, -(2**62), 7)])
def test_pairs_have_one_order_in_registers_of_any_width(bits, scores):
    """Also where objects are too far apart, or overlaps too large, for a word; and where pairs are equal."""
    rng = random.Random(sum(scores))
    for count in (1, 4, 5, 8, 9, 17, 40, 95, 96, 97, 130):
        for truths, preds, first_pred in ((12, 12, 0), (4096, 4096, 2**31 - 4097), (4097, 3, 0), (3, 4097, 5)):
            given = [
                (7 + rng.randrange(truths), first_pred + rng.randrange(preds), rng.choice(scores)) for _ in range(count)
            ]
            given += [(7, first_pred, 1), (6 + truths, first_pred + preds - 1, 1)]
            columns = part(*sorted(given))
            found = assign.sort_by_overlap(np.array([0, 7, 7 + truths], np.int64), columns, register_bits=bits)
            assert triples(found) == sorted(given, key=lambda triple: (-triple[2], triple[0], triple[1]))


# Greedy


def test_a_pair_is_taken_when_both_objects_are_free():
    given = pairs((0, 0, 9), (0, 1, 8), (1, 0, 7), (1, 1, 6))
    assert triples(assign.greedy(given, 2, 2, 1)) == [(0, 0, 9), (1, 1, 6)]


def test_a_threshold_keeps_pairs_out():
    given = pairs((0, 0, 9), (1, 1, 6))
    assert triples(assign.greedy(given, 2, 2, 6)) == [(0, 0, 9), (1, 1, 6)]
    assert triples(assign.greedy(given, 2, 2, 7)) == [(0, 0, 9)]
    assert triples(assign.greedy(given, 2, 2, 2**62)) == []


def test_only_equal_labels_match_and_none_matches_nothing():
    given = pairs((0, 0, 9), (0, 1, 8), (1, 2, 7), (2, 2, 6))
    truth, pred = np.array([4, -1, 0], np.int32), np.array([5, 4, -1], np.int32)
    assert triples(assign.greedy(given, 3, 3, 1, truth, pred)) == [(0, 1, 8)]


def test_nothing_is_matched_where_nothing_is():
    assert triples(assign.greedy(pairs(), 0, 0, 1)) == []
    assert triples(assign.greedy(pairs(), 3, 2, 1)) == []


# Pairs as columns of objects


def test_partners_and_values_stand_at_their_objects():
    own, others, values = np.array([3, 0], np.int32), np.array([5, 6], np.int32), np.array([10, 1 << 40], np.int64)
    partners, scores = assign.spread_pairs(own, others, values, 4)
    assert partners.tolist() == [6, -1, -1, 5]
    assert scores.tolist() == [1 << 40, -1, -1, 10]


def test_without_pairs_no_object_has_a_partner():
    nobody = np.array([], np.int32), np.array([], np.int32), np.array([], np.int64)
    assert [column.tolist() for column in assign.spread_pairs(*nobody, 2)] == [[-1, -1], [-1, -1]]
    assert [column.tolist() for column in assign.spread_pairs(*nobody, 0)] == [[], []]


# First pairs


def test_the_first_pair_of_each_object_is_found():
    index = np.array([2, 0, 2, 3, 0], np.int32)
    assert assign.first_pairs(index, 5).tolist() == [1, -1, 0, 3, -1]


def test_without_pairs_no_object_has_a_first_one():
    assert assign.first_pairs(np.array([], np.int32), 3).tolist() == [-1, -1, -1]
    assert assign.first_pairs(np.array([], np.int32), 0).tolist() == []


def test_of_sorted_pairs_the_first_is_the_best():
    rng = random.Random(1)
    given = [(i, j, rng.randint(1, 9)) for i in range(8) for j in range(8) if rng.random() < 0.5]
    truth, pred, score = assign.sort_by_overlap(np.array([0, 8], np.int64), part(*given))
    first = assign.first_pairs(pred, 9).tolist()
    for j in range(9):
        own = [(-overlap, i) for i, other, overlap in given if other == j]
        assert first[j] == -1 if not own else (-score[first[j]], truth[first[j]]) == min(own)


# Counting


def test_pairs_of_any_number_are_sorted():
    rng = random.Random(2)
    for count in (1, 9, 33, 120, 500, 513, 700):
        given = {(rng.randrange(40), rng.randrange(40), rng.randrange(5)) for _ in range(count)}
        shuffled = sorted(given, key=lambda _: rng.random())
        found = triples(assign.sort_by_overlap(np.array([0, 40], np.int64), part(*shuffled)))
        assert found == sorted(given, key=lambda pair: (-pair[2], pair[0], pair[1]))


def test_pairs_are_counted_by_kind_level_and_record():
    rng = np.random.default_rng(4)
    truths, preds = 50, 60
    offsets = np.array([0, 0, 20, 20, 45, 50, 50], np.int64)
    kinds = rng.integers(0, 4, truths).astype(np.uint8), rng.integers(0, 4, preds).astype(np.uint8)
    units, swept = np.array([3, 5, 8], np.int64), np.array([0, 0, 1, 2], np.int64)
    for order in (np.arange(40), rng.permutation(40)):  # records in order, and not
        truth, pred = (rng.integers(0, count, 40).astype(np.int32) for count in (truths, preds))
        truth = np.sort(truth, kind="stable")[order]
        score = rng.integers(0, 10, 40) + (rng.integers(0, 2, 40) << 33)
        given = SimpleNamespace(truth=truth, pred=pred, score=score)
        found = [np.array(column) for column in assign.count_levels(given, offsets, *kinds, units, swept, 1, 5)]
        met = np.searchsorted(units, score, side="right")
        record = np.searchsorted(offsets, truth, side="right") - 1
        for side, kind, counts in zip((truth, pred), kinds, found, strict=False):
            assert counts.tolist() == np.bincount(kind[side] * 4 + met, minlength=16).tolist()
        assert found[2].tolist() == np.bincount(record[met > 1], minlength=6).tolist()
        assert found[3].tolist() == np.bincount(record, weights=swept[met], minlength=6).tolist()
        assert (int(found[4][0]) << 32) + int(found[4][1]) == score[score >= 5].sum()
        assert found[5].tolist() == met.tolist()
