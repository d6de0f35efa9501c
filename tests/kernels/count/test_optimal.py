"""The optimal matching: worked by hand, against every other matching, and against scipy. Its laws are in contracts."""

import random
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
import scipy
from hypothesis import example, given, settings
from hypothesis import strategies as st

from calipers.core.matching import Pairs
from calipers.core.matching import optimal as match_optimal
from calipers.kernels.count.optimal import optimal

from ...profiles import examples

Scores = dict[tuple[int, int], int]  # (truth, pred) -> score
LARGEST = 2**63 - 1


def sorted_cells(scores: Scores) -> list[tuple[int, int]]:
    """In the order of `Pairs`, as if of one record."""
    return sorted(scores, key=lambda cell: (-scores[cell], cell))


def pairs_of(scores: Scores, order: list[tuple[int, int]] | None = None) -> SimpleNamespace:
    cells = sorted_cells(scores) if order is None else order
    truth, pred = (np.array([cell[side] for cell in cells], np.int32) for side in (0, 1))
    return SimpleNamespace(truth=truth, pred=pred, score=np.array([scores[cell] for cell in cells], np.int64))


def taken(scores: Scores, min_overlap: int = 1, labels: tuple = ()) -> list[tuple[int, int]]:
    """The cells of the matching, in the order they come out."""
    truth, pred, score = optimal(pairs_of(scores), min_overlap, *(np.array(side, np.int32) for side in labels))
    cells = list(zip(truth.tolist(), pred.tolist(), strict=True))
    assert score.tolist() == [scores[cell] for cell in cells]
    return cells


def size_and_total(scores: Scores, cells: list[tuple[int, int]]) -> tuple[int, int]:
    assert len({i for i, _ in cells}) == len({j for _, j in cells}) == len(cells)
    return len(cells), sum(scores[cell] for cell in cells)


def found(scores: Scores) -> tuple[int, int]:
    return size_and_total(scores, taken(scores))


def table(*rows: tuple[int, ...]) -> Scores:
    """Truths down, preds across; 0 is no pair."""
    return {(i, j): score for i, row in enumerate(rows) for j, score in enumerate(row) if score}


# By hand


def test_two_pairs_are_better_than_the_closest_one():
    # greedy takes 0-0 (9) and nothing is left for truth 1
    assert taken(table((9, 1), (8, 0))) == [(1, 0), (0, 1)]


def test_of_equally_many_pairs_the_larger_total_counts():
    # straight 9 + 1 = 10, crossed 8 + 3 = 11
    assert taken(table((9, 8), (3, 1))) == [(0, 1), (1, 0)]
    # straight 9 + 3 = 12, crossed 8 + 3 = 11
    assert taken(table((9, 8), (3, 3))) == [(0, 0), (1, 1)]


def test_a_chain_is_matched_end_to_end():
    # the steep pairs score most, yet taking them costs the two ends: 4 pairs of 1 beat 3 pairs of 9
    chain = table((1, 9, 0, 0), (0, 1, 9, 0), (0, 0, 1, 9), (0, 0, 0, 1))
    assert taken(chain) == [(0, 0), (1, 1), (2, 2), (3, 3)]


def test_a_truth_too_many_is_the_one_that_costs_least():
    # without truth 0: 5 + 6 = 11; without 1: 7 + 6 = 13; without 2: 7 + 5 = 12 (0-0, 1-1)
    assert taken(table((7, 0), (5, 5), (0, 6))) == [(0, 0), (2, 1)]


def test_a_pred_too_many_is_the_one_that_costs_least():
    assert taken(table((7, 5, 0), (0, 5, 6))) == [(0, 0), (1, 2)]


def test_a_late_truth_can_move_all_before_it():
    # truths 0 to 3 sit at their best; truth 4 fits nowhere but at pred 0, and everyone moves one to the right
    rows = [tuple(5 - (j - i) if 0 <= j - i <= 1 else 0 for j in range(5)) for i in range(4)]
    assert taken(table(*rows, (1, 0, 0, 0, 0))) == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]


@pytest.mark.parametrize("scores", [{}, {(0, 0): 3}, {(7, 2): 3}, {(0, 5): 3}, {(5, 0): 3}])
def test_no_pair_gives_none_and_one_gives_itself(scores):
    assert taken(scores) == list(scores)


def test_pairs_keep_their_order():
    scores = table((1, 2, 9), (2, 9, 1), (9, 1, 2))
    order = [(2, 2), (2, 0), (0, 0), (1, 1), (0, 1), (0, 2), (1, 0)]
    truth, pred, score = optimal(pairs_of(scores, order), 1)
    assert (truth.tolist(), pred.tolist(), score.tolist()) == ([2, 1, 0], [0, 1, 2], [9, 9, 9])


def test_pairs_below_the_threshold_or_of_other_labels_do_not_count():
    scores = table((9, 1), (8, 0))
    assert taken(scores, min_overlap=2) == [(0, 0)]
    assert taken(scores, labels=([0, 1], [1, 0])) == [(1, 0), (0, 1)]
    assert taken(scores, labels=([0, 1], [0, 0])) == [(0, 0)]
    assert taken(scores, labels=([-1, 1], [-1, -1])) == []


# Ties


def test_a_single_object_takes_the_highest_score_then_the_lowest_index():
    assert taken({(0, 4): 2, (0, 3): 5, (0, 1): 5, (0, 2): 5}) == [(0, 1)]
    assert taken({(4, 0): 2, (3, 0): 5, (1, 0): 5, (2, 0): 5}) == [(1, 0)]
    assert taken({(3, 8): 2, (3, 9): 5, (3, 6): 5}) == [(3, 6)]  # also where its number is not 0
    assert taken({(8, 3): 2, (9, 3): 5, (6, 3): 5}) == [(6, 3)]


def test_equals_are_paired_by_index():
    assert taken(dict.fromkeys(product(range(3), range(5)), 5)) == [(0, 0), (1, 1), (2, 2)]
    assert taken(dict.fromkeys(product(range(5), range(3)), 5)) == [(0, 0), (1, 1), (2, 2)]


def test_points_on_a_line_are_paired_in_order_where_distances_tie():
    # truths at 10 and 12, preds at 13 and 15: |10-13| + |12-15| = 6 = |10-15| + |12-13|
    assert sorted(taken(table((7, 5), (9, 7)))) == [(0, 0), (1, 1)]


@settings(deadline=None)
@given(st.data())
def test_the_order_of_pairs_changes_nothing(data):
    cells = st.tuples(st.integers(0, 5), st.integers(0, 5))
    scores = data.draw(st.dictionaries(cells, st.integers(1, 3)))
    truth, pred, _ = optimal(pairs_of(scores, data.draw(st.permutations(list(scores)))), 1)
    assert set(zip(truth.tolist(), pred.tolist(), strict=True)) == set(taken(scores))


# Against every other matching


def best_of_all(scores: Scores) -> tuple[int, int]:
    """(pairs, total) truth by truth, with the best result for every set of taken preds, in Python's own integers."""
    best = {frozenset(): (0, 0)}
    for truth in {i for i, _ in scores}:
        for used, (count, total) in list(best.items()):
            for (i, j), score in scores.items():
                if i == truth and j not in used:
                    key = used | {j}
                    best[key] = max(best.get(key, (0, 0)), (count + 1, total + score))
    return max(best.values())


@settings(deadline=None, max_examples=examples(400))
@given(
    st.dictionaries(
        st.tuples(st.integers(0, 6), st.integers(0, 6)),
        st.integers(1, 4) | st.integers(1, 10**12) | st.integers(2**62 - 2, 2**62) | st.integers(1, LARGEST),
        max_size=30,
    )
)
@example(table((LARGEST, LARGEST - 1), (LARGEST - 1, LARGEST - 3)))
@example(table((LARGEST, 1), (1, 0)))
@example(dict.fromkeys(product(range(7), range(6)), LARGEST))
def test_no_matching_is_better(scores):
    assert found(scores) == best_of_all(scores)


def test_one_more_pair_of_1_outweighs_any_number_of_the_largest_scores():
    # a ladder of the largest scores (i, i + 1), with a 1 below each step: 50 pairs of 1 beat 49 of the largest
    scores = {(i, i + 1): LARGEST for i in range(49)} | {(i, i): 1 for i in range(50)}
    assert found(scores) == (50, 50)


def test_huge_scores_are_exact_to_the_last_unit():
    # 100 truths and preds; straight pairs score 2 ** 62 each, crossed neighbours 1 more than that in sum
    scores = {(i, i): 2**62 for i in range(100)}
    scores |= {(i, i ^ 1): 2**62 + (i & 1) for i in range(100)}
    assert found(scores) == (100, 100 * 2**62 + 50)


# Against scipy


def best_by_scipy(scores: Scores) -> tuple[int, int]:
    """(pairs, total): a pair is worth more than all scores together; exact as long as sums fit a float's 53 bits."""
    truths, preds = (1 + max(cell[side] for cell in scores) for side in (0, 1))
    more = min(truths, preds) * max(scores.values()) + 1
    assert more * (min(truths, preds) + 1) < 2**53
    worth = np.zeros((truths, preds))
    for cell, score in scores.items():
        worth[cell] = more + score
    rows, columns = scipy.optimize.linear_sum_assignment(worth, maximize=True)
    cells = [cell for cell in zip(rows.tolist(), columns.tolist(), strict=True) if cell in scores]
    return len(cells), sum(scores[cell] for cell in cells)


def random_scores(rng: random.Random, truths: int, preds: int, density: float, highest: int) -> Scores:
    cells = product(range(truths), range(preds))
    return {cell: rng.randint(1, highest) for cell in cells if rng.random() < density}


@pytest.mark.parametrize(("truths", "preds"), [(20, 20), (150, 150), (60, 200), (200, 60), (200, 190)])
@pytest.mark.parametrize("density", [0.01, 0.03, 0.2, 1.0])
def test_scipy_finds_nothing_better(truths, preds, density):
    for highest in (1, 3, 1000, 10**8):
        scores = {(0, 0): 1} | random_scores(random.Random(highest), truths, preds, density, highest)
        assert found(scores) == best_by_scipy(scores)


def test_a_full_table_of_overlaps_is_exact_to_the_last_unit():
    rng = random.Random(1)
    scores = np.array([[rng.randint(1, 10**12) for _ in range(200)] for _ in range(200)])
    # every pair is there, so overlaps alone decide
    rows, columns = scipy.optimize.linear_sum_assignment(scores, maximize=True)
    cells = {(i, j): int(scores[i, j]) for i in range(200) for j in range(200)}
    assert found(cells) == (200, int(scores[rows, columns].sum()))


def test_products_of_indices_are_matched_in_order():
    # by the rearrangement inequality, and the case in which every truth that comes in moves all others
    scores = {(i, j): (i + 1) * (j + 1) for i in range(100) for j in range(100)}
    assert sorted(taken(scores)) == [(i, i) for i in range(100)]


# Many objects


def test_groups_do_not_matter_to_each_other():
    rng = random.Random(3)
    parts = [random_scores(rng, rng.randint(1, 6), rng.randint(1, 6), 0.6, 4) for _ in range(300)]
    together, expected = {}, []
    for number, part in enumerate(parts):
        start = 6 * number
        together |= {(start + i, start + j): score for (i, j), score in part.items()}
        expected += [(start + i, start + j) for i, j in taken(part)]
    assert sorted(taken(together)) == sorted(expected)


def neighbours(size: int, reach: int) -> tuple[np.ndarray, np.ndarray]:
    """Each truth with the preds around its own place."""
    truth = np.repeat(np.arange(size), 2 * reach + 1)
    pred = truth + np.tile(np.arange(-reach, reach + 1), size)
    inside = (pred >= 0) & (pred < size)
    return truth[inside], pred[inside]


def solve_columns(truth: np.ndarray, pred: np.ndarray, score: np.ndarray) -> tuple[int, int]:
    order = np.lexsort((pred, truth, -score))
    result = match_optimal(
        Pairs(*(column[order].astype(kind) for column, kind in ((truth, "i"), (pred, "i"), (score, "q")))),
        min_overlap=1,
    )
    assert len(set(result.truth)) == len(set(result.pred)) == len(result)
    return len(result), sum(result.score)


def test_ten_thousand_that_hang_together():
    truth, pred = neighbours(10_000, 15)
    score = np.random.default_rng(0).integers(1, 10**6, len(truth))
    matrix = scipy.sparse.coo_array((score, (truth, pred))).tocsr()
    rows, columns = scipy.sparse.csgraph.min_weight_full_bipartite_matching(matrix, maximize=True)
    total = matrix[rows, columns].sum()
    assert solve_columns(truth, pred, score) == (10_000, int(total))


@pytest.mark.parametrize("backwards", [False, True])
def test_ten_thousand_in_a_ladder_move_when_the_last_comes(backwards):
    # truth i overlaps pred i (1) and pred i + 1 (9), the last truth only its own: all 1s are needed
    truth = np.repeat(np.arange(10_000), 2)
    pred = truth + np.tile([0, 1], 10_000)
    score = np.where(pred > truth, 9, 1)
    inside = pred < 10_000
    truth, pred, score = truth[inside], pred[inside], score[inside]
    assert solve_columns(9_999 - truth if backwards else truth, pred, score) == (10_000, 10_000)


def test_ten_thousand_truths_for_nine_thousand_preds():
    truth, pred = neighbours(10_000, 15)
    inside = pred % 10 != 0
    equal = np.full(inside.sum(), 5)
    assert solve_columns(truth[inside], pred[inside], equal) == (9_000, 45_000)
