"""`calipers.match`: cases worked out by hand, laws on random matrices, and scipy as a second opinion."""

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import calipers
from calipers.core.match_matrix import HOW, Matching

UNIT = 10**12
ROOM = [[0.9, 0.8, 0.0], [0.7, 0.0, 0.0], [0.0, 0.0, 0.4]]  # (truths, predictions)


def indices(matching: Matching) -> list[tuple[int, int]]:
    return [(pair.gt, pair.pred) for pair in matching.pairs]


# By hand


def test_greedy_takes_the_closest_pair_first():
    """0.9 goes to (0, 0), which leaves truth 1 with nobody; 0.4 is below 0.5."""
    matching = calipers.match(ROOM)
    assert matching.pairs == ((0, 0, 0.9),)
    assert (matching.unmatched_gt, matching.unmatched_pred) == ((1, 2), (1, 2))


def test_optimal_makes_as_many_pairs_as_possible():
    """Two pairs of 0.8 + 0.7 instead of one of 0.9."""
    matching = calipers.match(ROOM, "optimal")
    assert matching.pairs == ((0, 1, 0.8), (1, 0, 0.7))
    assert (matching.unmatched_gt, matching.unmatched_pred) == ((2,), (2,))


def test_of_as_many_pairs_optimal_has_the_largest_total():
    """Both diagonals are two pairs: 0.6 + 0.9 is more than 0.7 + 0.7."""
    assert indices(calipers.match([[0.6, 0.7], [0.7, 0.9]], "optimal")) == [(0, 0), (1, 1)]


def test_by_score_goes_through_predictions_by_score():
    """Prediction 1 comes first and takes truth 0, prediction 0 is left with truth 1."""
    matching = calipers.match(ROOM, "by_score", scores=[0.5, 0.9, 0.1])
    assert matching.pairs == ((0, 1, 0.8), (1, 0, 0.7))


def test_ties_go_to_the_lower_indices():
    same = [[0.8, 0.8], [0.8, 0.8]]
    assert indices(calipers.match(same)) == [(0, 0), (1, 1)]
    assert indices(calipers.match(same, "by_score", scores=[0.5, 0.5])) == [(0, 0), (1, 1)]
    assert indices(calipers.match([[0.8, 0.8]], "by_score", scores=[0.5, 0.5])) == [(0, 0)]


@pytest.mark.parametrize("how", ["greedy", "optimal"])
def test_a_threshold_is_met_exactly(how):
    """0.1 + 0.2 + 0.25 is 0.55 but for a bit; overlaps are rounded to 12 decimals."""
    assert indices(calipers.match([[0.1 + 0.2 + 0.25]], how, threshold=0.55)) == [(0, 0)]
    assert indices(calipers.match([[0.5499999]], how, threshold=0.55)) == []


@pytest.mark.parametrize(("how", "scores"), [("greedy", None), ("optimal", None), ("by_score", [0.9, 0.1, 0.1])])
def test_only_equal_labels_match_and_no_label_matches_nothing(how, scores):
    labels = {"gt_labels": ["a", "b", None], "pred_labels": ["b", "a", None]}
    matching = calipers.match([[0.9, 0.6, 0.9], [0.7, 0.9, 0.9], [0.9, 0.9, 1.0]], how, scores=scores, **labels)
    assert matching.pairs == ((0, 1, 0.6), (1, 0, 0.7))
    assert (matching.unmatched_gt, matching.unmatched_pred) == ((2,), (2,))


@pytest.mark.parametrize(
    ("overlaps", "truths", "preds"), [([], 0, 0), ([[], []], 2, 0), (np.zeros((0, 3)), 0, 3), (np.zeros((2, 2)), 2, 2)]
)
@pytest.mark.parametrize("how", HOW)
def test_nothing_matches_nothing(overlaps, truths, preds, how):
    scores = np.zeros(preds) if how == "by_score" else None
    assert calipers.match(overlaps, how, scores=scores) == ((), tuple(range(truths)), tuple(range(preds)))


def test_overlaps_of_a_ruler_can_be_matched_and_stay_as_they_are():
    overlaps = calipers.region_iou([[0, 0, 10, 10], [20, 0, 30, 10]], [[20, 0, 30, 8], [0, 0, 10, 9]])
    before = overlaps.copy()
    assert calipers.match(overlaps).pairs == ((0, 1, 0.9), (1, 0, 0.8))
    assert (overlaps == before).all()


# What is refused


@pytest.mark.parametrize(
    ("overlaps", "message"),
    [
        ([0.5, 0.5], "overlaps: found 1 dimensions, expected 2"),
        ([[[0.5]]], "overlaps: found 3 dimensions, expected 2"),
        ([[0.5], [0.5, 0.5]], "overlaps: found rows of different lengths"),
        ([[0.5, float("nan")]], r"overlaps\[0\]\[1\]: found nan, expected a number from 0 to 1"),
        ([[0.5], [1.5]], r"overlaps\[1\]\[0\]: found 1.5, expected a number from 0 to 1"),
        ([[-0.1]], r"overlaps\[0\]\[0\]: found -0.1"),
        ([["0.5"]], "overlaps: found .*, expected a matrix of numbers"),
        ([[None]], "overlaps: found .*, expected a matrix of numbers"),
        ([[0.5j]], "overlaps: found .*, expected a matrix of numbers"),
    ],
)
def test_what_is_no_matrix_of_overlaps_is_refused(overlaps, message):
    with pytest.raises(calipers.InputError, match=message):
        calipers.match(overlaps)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"how": "hungarian"}, "ConfigError", "how: found 'hungarian', expected greedy or optimal or by_score"),
        ({"threshold": 0}, "ConfigError", "threshold: found 0, expected a number above 0 and at most 1"),
        ({"threshold": 1.5}, "ConfigError", "threshold: found 1.5"),
        ({"max_pairs": -1}, "ConfigError", "max_pairs: found -1"),
        ({"how": "by_score"}, "ConfigError", "scores: found no scores, expected one for each prediction"),
        ({"scores": [1, 2]}, "ConfigError", "scores: found scores with 'greedy'"),
        ({"how": "by_score", "scores": [1]}, "InputError", "scores: found .*, expected 2 finite numbers"),
        ({"how": "by_score", "scores": [1, float("inf")]}, "InputError", "scores: found .*, expected 2 finite numbers"),
        ({"how": "by_score", "scores": ["a", "b"]}, "InputError", "scores: found .*, expected one number for each"),
        ({"gt_labels": ["a"]}, "ConfigError", "labels: found gt_labels alone"),
        ({"pred_labels": ["a", "b"]}, "ConfigError", "labels: found pred_labels alone"),
        ({"gt_labels": ["a"], "pred_labels": ["a"]}, "InputError", "pred_labels: found .*, expected 2 labels"),
        ({"gt_labels": [[]], "pred_labels": ["a", "b"]}, "InputError", "gt_labels: found .*, expected 1 labels"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(options, error, message):
    with pytest.raises(getattr(calipers, error), match=message):
        calipers.match([[0.5, 0.6]], **options)


def test_more_pairs_than_allowed_are_refused():
    """200 objects may have 50 pairs each, whatever the limit; there are 100 · 101 = 10,100."""
    with pytest.raises(
        calipers.InputError, match="more than 10,050 pairs that meet the threshold; `max_pairs=…` lifts"
    ):
        calipers.match(np.ones((100, 101)), max_pairs=0)
    assert len(calipers.match(np.ones((100, 101)), max_pairs=10_100).pairs) == 100


# Laws

matrices = st.integers(0, 6).flatmap(
    lambda truths: st.integers(0, 6).flatmap(
        lambda preds: arrays(np.float64, (truths, preds), elements=st.integers(0, 20).map(lambda k: k / 20))
    )
)
thresholds = st.sampled_from([0.05, 0.5, 0.75, 1.0])


def options_of(how: str, preds: int) -> dict:
    return {"scores": [(k * 7) % 5 for k in range(preds)]} if how == "by_score" else {}


@given(matrices, thresholds, st.sampled_from(HOW))
def test_everybody_has_at_most_one_partner_and_nobody_is_lost(matrix, threshold, how):
    matching = calipers.match(matrix, how, threshold=threshold, **options_of(how, matrix.shape[1]))
    truths, preds = [pair.gt for pair in matching.pairs], [pair.pred for pair in matching.pairs]
    assert truths == sorted(truths)
    assert sorted([*truths, *matching.unmatched_gt]) == list(range(matrix.shape[0]))
    assert sorted([*preds, *matching.unmatched_pred]) == list(range(matrix.shape[1]))
    assert all(pair.overlap == matrix[pair.gt, pair.pred] >= threshold for pair in matching.pairs)


@given(matrices, thresholds, st.sampled_from(HOW))
def test_no_pair_is_left_over(matrix, threshold, how):
    matching = calipers.match(matrix, how, threshold=threshold, **options_of(how, matrix.shape[1]))
    assert not any(matrix[i, j] >= threshold for i in matching.unmatched_gt for j in matching.unmatched_pred)


@given(matrices, thresholds)
def test_optimal_is_at_least_as_good_as_greedy(matrix, threshold):
    """More pairs, or as many with a total that is not smaller."""
    assert worth(calipers.match(matrix, "optimal", threshold=threshold)) >= worth(
        calipers.match(matrix, threshold=threshold)
    )


def worth(matching: Matching) -> tuple[int, int]:
    return len(matching.pairs), sum(round(pair.overlap * UNIT) for pair in matching.pairs)


@given(matrices, thresholds)
def test_optimal_is_as_good_as_that_of_scipy(matrix, threshold):
    units = np.rint(matrix * UNIT)
    values = np.where(matrix >= threshold, units + 8 * UNIT, 0)  # one more pair is worth more than all overlaps
    rows, columns = scipy.optimize.linear_sum_assignment(values, maximize=True)
    kept = [(i, j) for i, j in zip(rows, columns, strict=True) if matrix[i, j] >= threshold]
    expected = len(kept), int(sum(units[i, j] for i, j in kept))
    assert worth(calipers.match(matrix, "optimal", threshold=threshold)) == expected


@given(matrices, thresholds)
def test_greedy_above_a_threshold_is_the_head_of_greedy_below_it(matrix, threshold):
    low = calipers.match(matrix, threshold=0.05)
    assert calipers.match(matrix, threshold=threshold).pairs == tuple(p for p in low.pairs if p.overlap >= threshold)
