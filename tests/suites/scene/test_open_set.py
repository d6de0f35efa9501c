"""Open-set recall and precision, worked out by hand.

Objects are numbered through all scenes, true ones and predictions each on their own. A pair is written as truth, pred,
IoU, and where its centroids lie: "<" says that the prediction's is in the true box, ">" that the true one is in the
predicted box, "<>" that both are, "" that none is.
"""

import numpy as np
import pytest

from calipers.core.matching import UNIT, Pairs, round_overlap
from calipers.suites.scene.counts import CountedSide
from calipers.suites.scene.open_set import Placed, Protocol, open_set_counts
from calipers.suites.scene.rates import OPEN_SET, plain, scene_rates

SEAT, TABLE, DOOR, NONE = 0, 1, 2, -1
NOTHING = dict.fromkeys(("gt", "pred", "tp", "strict", "relaxed", "iou", "error"), np.zeros(1))
NO_CLASSES = {f"class_{name}": np.zeros((3, 1)) for name in ("tp", "strict", "relaxed", "iou", "error")}


def sums(truth, pred, *rows, similarity=None, iou=0.1, threshold=0.9, clio=False, counted=None):
    """Counts of the open set, by scene."""
    rows = sorted(rows, key=lambda row: (-row[2], row[0], row[1]))
    placed = Placed(pairs(rows), *(np.array([sign in row[3] for row in rows], dtype=bool) for sign in "<>"))
    sides = side(truth), side(pred, counted)
    tasks = np.isin(np.arange(8), [code for scene in truth for code in scene])
    found = open_set_counts(*sides, placed, similarity or {}, Protocol(round_overlap(iou), threshold, clio), tasks)
    return {name: column.tolist() for name, column in found.items()}


def side(scenes, counted=None):
    return CountedSide(np.cumsum([0, *map(len, scenes)]), [code for scene in scenes for code in scene], counted)


def pairs(rows):
    truth, pred, score = ([row[k] for row in rows] for k in range(3))
    return Pairs(np.array(truth, np.int32), np.array(pred, np.int32), np.array([*map(round_overlap, score)], np.int64))


def rates(*case, **options):
    columns = sums(*case, **options)
    table = NOTHING | NO_CLASSES | {name: np.array([sum(column)]) for name, column in columns.items()}
    found = scene_rates(table)
    return {name: plain(found[name][0]) for name in OPEN_SET}


def recall(*case, **options):
    found = rates(*case, **options)
    return found["osR_strict"], found["osR_relaxed"]


def precision(*case, **options):
    found = rates(*case, **options)
    return found["osP_strict"], found["osP_relaxed"]


# By labels


def test_a_seat_found_where_it_is():
    expected = dict.fromkeys(OPEN_SET, 1.0)
    assert rates([[SEAT]], [[SEAT]], (0, 0, 0.5, "<>")) == expected


@pytest.mark.parametrize(
    ("where", "expected"), [("<>", (1.0, 1.0)), ("<", (0.0, 1.0)), (">", (0.0, 1.0)), ("", (0.0, 0.0))]
)
def test_strict_needs_both_centroids_and_relaxed_one(where, expected):
    case = [[SEAT]], [[SEAT]], (0, 0, 0.5, where)
    assert recall(*case) == expected
    assert precision(*case) == expected


def test_duplicates_and_objects_of_another_class_are_not_correct():  # trap 27
    # One seat and one table. Three predicted seats on the seat, a predicted seat on the table: 1 of 4 is correct.
    rows = (0, 0, 0.9, "<>"), (0, 1, 0.8, "<>"), (0, 2, 0.7, "<>"), (1, 3, 0.9, "<>")
    found = rates([[SEAT, TABLE]], [[SEAT] * 4], *rows)
    assert found["osP_strict"] == found["osP_relaxed"] == 1 / 4
    # The seat takes the best of its predictions, the table has none: 1 of 2 objects
    assert found["osR_strict"] == found["osR_relaxed"] == 1 / 2
    assert found["F1_os"] == 1 / 3  # 2 * (1/2 * 1/4) / (3/4)


def test_the_mean_of_both_is_that_of_the_relaxed_ones():
    # Four seats; two are found, one of them strictly; another predicted seat lies elsewhere
    found = rates([[SEAT] * 4], [[SEAT] * 3], (0, 0, 0.9, "<>"), (1, 1, 0.8, "<"))
    assert (found["osR_strict"], found["osR_relaxed"]) == (1 / 4, 2 / 4)
    assert (found["osP_strict"], found["osP_relaxed"]) == (1 / 3, 2 / 3)
    assert found["F1_os"] == pytest.approx(4 / 7, abs=1e-15)  # 2 * (1/2 * 2/3) / (1/2 + 2/3) = (2/3) / (7/6)


def test_a_task_has_as_many_tries_as_objects():
    # Two seats, three predicted ones; the best overlaps are both with the first seat, so the second finds nobody
    rows = (0, 0, 0.9, "<>"), (0, 1, 0.8, "<>"), (1, 2, 0.5, "<>")
    assert recall([[SEAT, SEAT]], [[SEAT] * 3], *rows) == (1 / 2, 1 / 2)
    assert precision([[SEAT, SEAT]], [[SEAT] * 3], *rows) == (2 / 3, 2 / 3)


def test_a_task_with_more_objects_than_fitting_predictions_misses_the_rest():
    # Four seats, two predicted ones, and a table that is no try for a seat although it lies on one
    rows = (0, 0, 0.9, "<>"), (1, 1, 0.8, "<"), (2, 2, 0.7, "<>")
    found = rates([[SEAT] * 4], [[SEAT, SEAT, TABLE]], *rows)
    assert (found["osR_strict"], found["osR_relaxed"]) == (1 / 4, 2 / 4)
    # A table is no task here: it is not among the relevant
    assert (found["osP_strict"], found["osP_relaxed"]) == (1 / 2, 2 / 2)


def test_equal_predictions_stand_by_their_overlap_then_by_index():
    # One seat, three predicted ones. The best overlap has its centroids elsewhere, and is the only try.
    rows = (0, 2, 0.9, ""), (0, 0, 0.5, "<>"), (0, 1, 0.5, "<>")
    assert recall([[SEAT]], [[SEAT] * 3], *rows) == (0.0, 0.0)
    # With equal overlaps the first is tried
    rows = (0, 1, 0.5, "<>"), (0, 2, 0.5, "")
    assert recall([[SEAT]], [[DOOR, SEAT, SEAT]], *rows) == (1.0, 1.0)
    rows = (0, 1, 0.5, ""), (0, 2, 0.5, "<>")
    assert recall([[SEAT]], [[DOOR, SEAT, SEAT]], *rows) == (0.0, 0.0)


def test_overlap_with_an_object_of_another_class_does_not_rank():
    # Prediction 0 lies on the table, prediction 1 on the seat, a little less
    rows = (1, 0, 0.9, "<>"), (0, 1, 0.2, "<>")
    assert recall([[SEAT, TABLE]], [[SEAT, SEAT]], *rows) == (1 / 2, 1 / 2)


def test_partners_are_the_closest_and_not_those_that_are_correct():
    # The seat's closest prediction has no centroid inside; the other has, and is a duplicate
    rows = (0, 0, 0.9, ""), (0, 1, 0.5, "<>")
    assert precision([[SEAT]], [[SEAT, SEAT]], *rows) == (0.0, 0.0)


def test_below_the_threshold_of_overlap_nothing_is_correct():
    case = [[SEAT]], [[SEAT]], (0, 0, 0.24, "<>")
    assert recall(*case, iou=0.24) == precision(*case, iou=0.24) == (1.0, 1.0)
    assert recall(*case, iou=0.25) == precision(*case, iou=0.25) == (0.0, 0.0)


def test_objects_without_a_class_are_no_task_and_no_try():
    rows = (0, 0, 0.9, "<>"), (1, 1, 0.8, "<>"), (0, 1, 0.7, "<>")
    found = sums([[NONE, SEAT]], [[NONE, SEAT]], *rows)
    assert found["os_gt"] == [1]
    assert found["os_relevant"] == [1]
    assert found["os_correct_strict"] == found["os_found_strict"] == [1]


def test_predictions_left_out_neither_try_nor_count():
    # Their pairs are gone before; by similarity the one left out would come first
    for similarity in (None, {0: {SEAT: 0.99}, 1: {SEAT: 0.95}}):
        case = [[SEAT]], [[SEAT, SEAT]], (0, 1, 0.5, "<>")
        found = sums(*case, counted=[False, True], similarity=similarity)
        assert (found["os_found_strict"], found["os_relevant"], found["os_correct_strict"]) == ([1], [1], [1])


def test_a_box_that_could_not_be_read_is_relevant_and_takes_a_try():
    # Prediction 1 has a label and no box, so no pair: with equal similarity it stands last, and finds nothing
    case = [[SEAT, SEAT]], [[SEAT, SEAT]], (0, 0, 0.9, "<>")
    assert recall(*case) == (1 / 2, 1 / 2)
    assert precision(*case) == (1 / 2, 1 / 2)


# Scenes


def test_tries_and_partners_are_those_of_one_scene():
    # Two seats in the first scene, none in the second, where both predictions are: none may be tried there
    found = sums([[SEAT, SEAT], [TABLE]], [[], [SEAT, SEAT, TABLE]], (2, 2, 0.9, "<>"))
    assert found["os_gt"] == [2, 1]
    assert found["os_found_strict"] == [0, 1]
    # A seat is a task, as the first scene has some, and so the seats of the second are relevant, and wrong
    assert found["os_relevant"] == [0, 3]
    assert found["os_correct_strict"] == [0, 1]


def test_scenes_are_pooled():
    # 1 of 1 and 1 of 3 is 2 of 4
    rows = (0, 0, 0.9, "<>"), (1, 1, 0.8, "<>")
    assert recall([[SEAT], [SEAT] * 3], [[SEAT], [SEAT]], *rows) == (2 / 4, 2 / 4)
    assert precision([[SEAT], [SEAT] * 3], [[SEAT], [SEAT]], *rows) == (1.0, 1.0)


# Undefined


def test_without_objects_of_a_class_recall_is_undefined_and_so_is_the_mean():
    found = rates([[NONE]], [[SEAT]], (0, 0, 0.9, "<>"))
    assert found == dict.fromkeys(OPEN_SET)  # nor is any prediction relevant without a task


def test_without_relevant_predictions_precision_is_undefined():
    found = rates([[SEAT]], [[DOOR]], (0, 0, 0.9, "<>"))
    assert (found["osR_relaxed"], found["osP_relaxed"], found["F1_os"]) == (0.0, None, None)


def test_where_both_are_zero_the_mean_is_zero():
    found = rates([[SEAT]], [[SEAT]])
    assert found == dict.fromkeys(OPEN_SET, 0.0)


def test_no_scenes_at_all():
    assert rates([], []) == dict.fromkeys(OPEN_SET)


# By similarities


def test_the_most_similar_are_tried_whatever_their_label():
    # One seat; predictions labelled door and seat with similarities 0.8 and 0.6 to a seat: the door is tried
    similarity = {0: {SEAT: 0.8}, 1: {SEAT: 0.6}}
    case = [[SEAT]], [[DOOR, SEAT]]
    assert recall(*case, (0, 0, 0.3, "<>"), (0, 1, 0.9, ""), similarity=similarity) == (1.0, 1.0)
    assert recall(*case, (0, 0, 0.3, ""), (0, 1, 0.9, "<>"), similarity=similarity) == (0.0, 0.0)


def test_equal_similarities_stand_by_their_overlap_then_by_index():
    similarity = {0: {SEAT: 0.8}, 1: {SEAT: 0.8}, 2: {SEAT: 0.7}}
    case = [[SEAT]], [[NONE, NONE, NONE]]
    assert recall(*case, (0, 1, 0.4, "<>"), (0, 0, 0.3, ""), similarity=similarity) == (1.0, 1.0)
    assert recall(*case, (0, 0, 0.3, "<>"), (0, 1, 0.3, ""), similarity=similarity) == (1.0, 1.0)
    assert recall(*case, (0, 0, 0.3, ""), (0, 1, 0.3, "<>"), (0, 2, 0.9, "<>"), similarity=similarity) == (0.0, 0.0)


def test_a_similarity_that_is_not_positive_is_no_try():
    rows = (0, 0, 0.9, "<>"), (1, 1, 0.8, "<>")
    case = [[SEAT, SEAT]], [[SEAT, SEAT]], *rows
    assert recall(*case, similarity={0: {SEAT: 0.0}, 1: {SEAT: -0.5}}) == (0.0, 0.0)
    assert recall(*case, similarity={0: {SEAT: 1e-9}, 1: {}}) == (1 / 2, 1 / 2)  # given similarities replace the label


def test_one_prediction_may_be_tried_for_several_tasks():
    # It is fairly like both, and lies on both: found twice, relevant once
    similarity = {0: {SEAT: 0.95, TABLE: 0.92}}
    found = sums([[SEAT, TABLE]], [[NONE]], (0, 0, 0.9, "<>"), (1, 0, 0.5, "<"), similarity=similarity)
    assert (found["os_found_strict"], found["os_found_relaxed"]) == ([1], [2])
    assert (found["os_relevant"], found["os_correct_strict"]) == ([1], [1])


def test_a_similarity_of_exactly_the_threshold_is_relevant():
    # 0.9 reaches 0.9, 0.89 does not: 1 of 1
    similarity = {0: {SEAT: 0.9}, 1: {SEAT: 0.89}}
    found = sums([[SEAT]], [[NONE, NONE]], (0, 0, 0.5, "<>"), similarity=similarity)
    assert (found["os_relevant"], found["os_correct_strict"]) == ([1], [1])


def test_a_relevant_prediction_is_matched_within_its_best_task():
    # More like a table, and it lies on the seat: wrong. Were it matched with any task it reaches, it would be correct.
    case = [[SEAT, TABLE]], [[SEAT]], (0, 0, 0.9, "<>")
    assert precision(*case, similarity={0: {SEAT: 0.95, TABLE: 0.96}}) == (0.0, 0.0)
    assert precision(*case, similarity={0: {SEAT: 0.96, TABLE: 0.95}}) == (1.0, 1.0)


def test_of_equal_tasks_the_first_class_is_the_best():
    similarity = {0: {TABLE: 0.95, SEAT: 0.95}}
    assert precision([[SEAT, TABLE]], [[TABLE]], (0, 0, 0.9, "<>"), similarity=similarity) == (1.0, 1.0)
    assert precision([[SEAT, TABLE]], [[TABLE]], (1, 0, 0.9, "<>"), similarity=similarity) == (0.0, 0.0)


def test_likeness_to_a_class_that_is_no_task_does_not_count():
    # There is no door in the ground truth, so a seat is the best task although a door is more like it
    similarity = {0: {DOOR: 0.99, SEAT: 0.91}}
    assert precision([[SEAT]], [[DOOR]], (0, 0, 0.9, "<>"), similarity=similarity) == (1.0, 1.0)
    assert precision([[SEAT]], [[DOOR]], (0, 0, 0.9, "<>"), similarity={0: {DOOR: 0.99}}) == (None, None)


def test_some_predictions_may_have_similarities_and_others_only_labels():
    # Prediction 1 has the label: its similarity is 1, more than 0.95
    rows = (0, 0, 0.9, ""), (0, 1, 0.2, "<>")
    found = sums([[SEAT]], [[NONE, SEAT]], *rows, similarity={0: {SEAT: 0.95}})
    assert (found["os_found_strict"], found["os_relevant"]) == ([1], [2])
    assert found["os_correct_strict"] == [0]  # the closest is a partner, and not correct


@pytest.mark.parametrize("clio", [False, True])
def test_any_overlap_may_match_unless_more_is_asked_for(clio):
    case = [[SEAT]], [[SEAT]], (0, 0, 1 / UNIT, "<>")
    assert rates(*case, iou=1 / UNIT, clio=clio) == dict.fromkeys(OPEN_SET, 1.0)
    assert rates(*case, iou=0.5, clio=clio)["osR_relaxed"] == 0.0


# Clio's protocol


@pytest.mark.parametrize(
    ("where", "expected"), [("<>", (1.0, 1.0)), (">", (0.0, 1.0)), ("<", (0.0, 0.0)), ("", (0.0, 0.0))]
)
def test_clio_relaxed_is_that_the_estimate_contains_the_centroid(where, expected):
    case = [[SEAT]], [[SEAT]], (0, 0, 0.5, where)
    assert recall(*case, clio=True) == expected
    assert precision(*case, clio=True) == expected


def test_clio_relevance_is_relative_to_the_best_of_the_task_in_the_scene():
    # Best of seats 0.4: above 0.9 * 0.4 = 0.36 are 0.4 and 0.37, and 0.36 itself is not. Tables: 0.2 is the best there.
    similarity = {0: {SEAT: 0.4}, 1: {SEAT: 0.37}, 2: {SEAT: 0.9 * 0.4}, 3: {TABLE: 0.2}}
    found = sums([[SEAT, TABLE]], [[NONE] * 4], similarity=similarity, clio=True)
    assert found["os_relevant"] == [3]
    assert sums([[SEAT, TABLE]], [[NONE] * 4], similarity=similarity)["os_relevant"] == [0]


def test_clio_best_of_a_task_is_among_predictions_that_are_most_like_it():
    # Prediction 0 is 0.8 like a seat, but a table by 0.9; so the best seat is prediction 1 with 0.3
    similarity = {0: {SEAT: 0.8, TABLE: 0.9}, 1: {SEAT: 0.3, TABLE: 0.1}}
    found = sums([[SEAT, TABLE]], [[NONE] * 2], (0, 1, 0.5, "<>"), similarity=similarity, clio=True)
    assert (found["os_relevant"], found["os_correct_strict"]) == ([2], [1])


def test_clio_scenes_have_a_best_of_their_own():
    similarity = {0: {SEAT: 0.9}, 1: {SEAT: 0.1}}
    found = sums([[SEAT], [SEAT]], [[NONE], [NONE]], similarity=similarity, clio=True)
    assert found["os_relevant"] == [1, 1]


def test_clio_needs_a_positive_similarity():
    similarity = {0: {SEAT: 0.0}, 1: {SEAT: -0.2}}
    found = sums([[SEAT]], [[SEAT] * 2], (0, 0, 0.5, "<>"), similarity=similarity, clio=True)
    assert (found["os_relevant"], found["os_found_strict"]) == ([0], [0])


def test_clio_with_labels_only_takes_every_prediction_of_a_task():
    # All are 1, which is above 0.9 * 1
    rows = (0, 0, 0.9, "<>"), (0, 1, 0.5, "<>")
    found = sums([[SEAT]], [[SEAT, SEAT, DOOR]], *rows, clio=True)
    assert (found["os_relevant"], found["os_correct_strict"]) == ([2], [1])
