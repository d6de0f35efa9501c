"""Average precision and precision at high recall, worked out by hand on ranked hits and misses.

There are 101 recall steps: 0, 0.01, … 1. A recall of 1/2 reaches the first 51 of them.
"""

import pytest

from calipers.core.ranking import Ranked, count_false_positives, detection_tree, has_order, join, precision_curve


def ranked(objects, *detections):
    """`detections` are (score, whether it found its object)."""
    found = Ranked()
    found.objects = objects
    found.scores = [score for score, _ in detections]
    found.hits = [hit for _, hit in detections]
    return found


def tree(target=0.9, **classes):
    return detection_tree(classes, target)


def both(objects, *detections):
    """AP and precision at a recall of 0.9 or more."""
    found = tree(cone=ranked(objects, *detections))
    assert found["map_50_by_class"] == {"cone": found["map_50"]}
    assert found["precision_at_recall_by_class"] == {"cone": found["precision_at_recall"]}
    return found["map_50"], found["precision_at_recall"]


# One class


def test_every_object_found_and_nothing_else_is_perfect():
    assert both(2, (0.9, True), (0.1, True)) == (1.0, 1.0)


def test_misses_below_all_hits_cost_nothing():
    assert both(2, (0.9, True), (0.8, True), (0.7, False)) == (1.0, 1.0)


def test_precision_is_the_best_at_a_recall_or_beyond():
    # hit, miss, hit: precision 1, 1/2, 2/3 at recall 1/2, 1/2, 1: 51 steps of 1, the 50 beyond of 2/3
    found = both(2, (0.9, True), (0.8, False), (0.7, True))
    assert found == pytest.approx(((51 + 50 * 2 / 3) / 101, 2 / 3), abs=1e-15)


def test_a_later_rise_lifts_what_is_before_it():
    # miss, hit, hit: precision 0, 1/2, 2/3 at recall 0, 1/2, 1: 2/3 everywhere
    assert both(2, (0.9, False), (0.8, True), (0.7, True)) == pytest.approx((2 / 3, 2 / 3), abs=1e-15)


def test_recall_that_is_never_reached_has_precision_0():
    # One of three: recall 1/3 reaches the steps 0 to 0.33
    assert both(3, (0.9, True), (0.5, False)) == (pytest.approx(34 / 101, abs=1e-15), 0.0)


def hits(count):
    return [(1 - place / 100, True) for place in range(count)]


def test_high_recall_that_is_reached_in_part():
    # 24 of 25: recall 0.96 reaches 97 steps, of those from 0.90 on 7 of 11
    assert both(25, *hits(24)) == pytest.approx((97 / 101, 7 / 11), abs=1e-15)


def test_recall_steps_are_those_of_pycocotools_to_the_bit():
    # 19 of 20 is 0.95, and the step is 0.9500000000000001: it reaches one step less than by hand, as it does there
    assert both(20, *hits(19)) == pytest.approx((95 / 101, 5 / 11), abs=1e-15)


def test_objects_without_any_detection_score_0():
    assert both(4) == (0.0, 0.0)


def test_the_order_is_that_of_scores_and_not_as_given():
    assert both(2, (0.1, False), (0.9, True), (0.5, True)) == (1.0, 1.0)


def test_ties_stand_in_the_order_given():
    high = (0.9, False)
    assert both(1, high, (0.5, True), (0.5, False)) == (0.5, 0.5)
    assert both(1, high, (0.5, False), (0.5, True)) == pytest.approx((1 / 3, 1 / 3), abs=1e-15)


def test_scores_may_be_any_numbers():
    assert both(2, (-7.5, False), (40, True), (0.0, True)) == (1.0, 1.0)


def test_the_curve_has_a_value_for_every_recall_step():
    curve = precision_curve(ranked(2, (0.9, True), (0.8, False), (0.7, True)))
    assert curve.tolist() == [1.0] * 51 + [2 / 3] * 50


@pytest.mark.parametrize(
    ("target", "expected"),
    [(0, (51 + 50 * 2 / 3) / 101), (0.5, (1 + 50 * 2 / 3) / 51), (0.501, 2 / 3), (0.51, 2 / 3), (1, 2 / 3)],
)
def test_the_target_is_the_first_step_that_counts(target, expected):
    found = tree(target, cone=ranked(2, (0.9, True), (0.8, False), (0.7, True)))
    assert found["precision_at_recall"] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("percent", range(101))
def test_every_target_that_is_a_step_meets_that_step(percent):
    # Recall 1/2 is reached with precision 1 and nothing beyond: of the steps from the target on, those to 0.50
    found = tree(percent / 100, cone=ranked(2, (0.9, True)))
    reached = max(0, 51 - percent) / (101 - percent)
    assert found["precision_at_recall"] == pytest.approx(reached, abs=1e-15)


# Several classes


def test_the_mean_is_over_classes_with_ground_truth():
    # Never found counts as 0. Never in the truth has no AP, and is named with its number of detections.
    found = tree(
        barrel=ranked(1, (0.9, True)), cone=ranked(3), worker=ranked(0, (0.8, False), (0.7, False)), arrow=ranked(0)
    )
    assert found["map_50_by_class"] == found["precision_at_recall_by_class"] == {"barrel": 1.0, "cone": 0.0}
    assert found["map_50"] == found["precision_at_recall"] == 0.5
    assert found["classes_without_ground_truth"] == {"arrow": 0, "worker": 2}


def test_classes_stand_in_order_of_their_names():
    found = tree(b=ranked(1), c=ranked(1), a=ranked(1))
    assert list(found["map_50_by_class"]) == list(found["precision_at_recall_by_class"]) == ["a", "b", "c"]


def test_without_ground_truth_of_any_class_there_is_no_mean():
    for classes in ({}, {"cone": ranked(0, (0.9, False), (0.8, False))}):
        found = tree(**classes)
        assert (found["map_50"], found["precision_at_recall"], found["map_50_by_class"]) == (None, None, {})


# Trap 5: equal scores


@pytest.mark.parametrize("score", [0.5, None])
def test_trap_5_scores_that_are_all_equal_or_absent_give_no_order(score):
    found = tree(cone=ranked(1, (score, True)), sign=ranked(1, (score, False), (score, True)))
    assert (found["map_50"], found["precision_at_recall"], found["tied_score_share"]) == (None, None, None)
    assert found["map_50_by_class"] == found["precision_at_recall_by_class"] == {"cone": None, "sign": None}


def test_trap_5_one_detection_without_a_score_has_no_place_among_others():
    assert both(2, (0.9, True), (None, True), (0.7, True)) == (None, None)


def test_a_single_detection_needs_no_order_but_a_score():
    assert both(1, (0.5, True)) == (1.0, 1.0)
    assert both(1, (None, True)) == (None, None)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [([], True), ([0.5], True), ([None], False), ([0.5, 0.5], False), ([0.0, -0.0], False), ([0.5, 0.5, 0.4], True)],
)
def test_scores_tell_detections_apart(scores, expected):
    found = [place % 2 == 0 for place in range(len(scores))]
    assert has_order({"cone": ranked(1, *zip(scores, found, strict=True))}) is expected


@pytest.mark.parametrize("found", [[True], [True, True], [False, False, False]])
def test_equal_scores_are_in_any_order_where_all_are_right_or_all_wrong(found):
    cone, sign = ranked(3, *((0.5, right) for right in found)), ranked(1, (0.5, not found[0]))
    assert has_order({"cone": cone, "sign": sign, "hat": ranked(0, (0.5, False), (0.5, False))})
    assert not has_order({"cone": cone, "sign": ranked(2, (0.5, True), (0.5, False))})


def test_nine_of_ten_without_a_false_one_is_a_precision_of_one_at_recall_nine_tenths():
    nine = tree(cone=ranked(10, *((1 - k / 10, True) for k in range(9))))
    assert nine["precision_at_target"] == nine["precision_at_target_by_class"]["cone"] == 1.0
    assert nine["precision_at_recall"] == pytest.approx(1 / 11)  # of 11 recall steps from 0.90 on one is reached


def test_trap_5_the_share_of_tied_scores_is_told():
    # cone: two of three share 0.5; sign: 0.5 only once. Two of four.
    cone = ranked(2, (0.5, True), (0.5, False), (0.25, True))
    assert tree(cone=cone, sign=ranked(1, (0.5, True)))["tied_score_share"] == 0.5
    assert tree(cone=ranked(1))["tied_score_share"] is None


# Parts and false positives


def test_parts_join_in_their_order_and_stay_as_they_are():
    first, second = {"cone": ranked(1, (0.5, True))}, {"cone": ranked(2, (0.9, False)), "sign": ranked(1)}
    joined = join([first, second])
    assert (joined["cone"].scores, joined["cone"].hits, joined["cone"].objects) == ([0.5, 0.9], [True, False], 3)
    assert joined["sign"].objects == 1
    assert (first["cone"].scores, first["cone"].objects) == ([0.5], 1)
    assert join([]) == {}


@pytest.mark.parametrize(("least", "expected"), [(0.0, 4), (0.5, 3), (0.51, 2), (1.0, 1)])
def test_false_positives_are_misses_of_the_score_or_more_in_any_class(least, expected):
    cone = ranked(1, (0.9, True), (0.5, False), (0.4, False))
    assert count_false_positives({"cone": cone, "worker": ranked(0, (0.6, False), (None, False))}, least) == expected
