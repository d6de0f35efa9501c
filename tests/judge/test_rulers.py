"""Boxes and points: verdicts worked out by hand, and against plain versions of the same rule."""

from itertools import permutations
from math import fsum, inf, nan, sqrt

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from ..profiles import examples
from .verdicts import RULERS, is_error, judged

SQUARE = [0, 0, 10, 10]
FAR = [[100 * k, 500, 100 * k + 10, 510] for k in range(5)]  # apart from each other and from the square


def score(ruler, answer, reference, **options):
    return judged(ruler, answer, reference, **options)["score"]


# One box


@pytest.mark.parametrize(
    ("other", "iou"),
    [
        ([0, 0, 10, 10], 1.0),
        ([0, 0, 10, 5], 1 / 2),  # 50 of 100
        ([5, 5, 15, 15], 1 / 7),  # 25 of 175
        ([2, 2, 4, 4], 0.04),  # 4 of 100
        ([-10, -10, 20, 20], 1 / 9),  # 100 of 900
        ([0.5, 0, 10.5, 10], 9.5 / 10.5),
        ([10, 0, 20, 10], 0.0),  # a side
        ([10, 10, 20, 20], 0.0),  # a corner
        ([50, 50, 60, 60], 0.0),
        ([3, 3, 3, 3], 0.0),  # no area
    ],
)
def test_iou_of_one_box(other, iou):
    for answer, reference in ((SQUARE, other), (other, SQUARE)):
        verdict = judged("iou", {"bbox": answer}, {"bbox": reference})
        assert verdict["score"] == round(iou, 12)
        assert verdict["pass"] is (iou >= 0.5)


def test_a_box_without_area_overlaps_nothing_not_even_itself():
    assert score("iou", {"bbox": [3, 3, 3, 9]}, {"bbox": [3, 3, 3, 9]}) == 0


def test_an_overlap_that_is_exactly_the_threshold_meets_it():
    # 11 of 20 rows
    assert judged("iou", [0, 0, 10, 11], [0, 0, 10, 20], threshold=0.55)["pass"]
    assert not judged("iou", [0, 0, 10, 11], [0, 0, 10, 20], threshold=0.551)["pass"]


@pytest.mark.parametrize("corners", [[10, 10, 0, 0], [10, 0, 0, 10], [0, 10, 10, 0]])
def test_trap_9_corners_come_in_any_order(corners):
    assert score("iou", {"bbox": corners}, {"bbox": [0, 0, 10, 5]}) == 0.5
    assert score("iou", {"bbox": [0, 0, 10, 5]}, {"bbox": corners}) == 0.5
    assert score("boxes", [corners], [SQUARE]) == 1.0


@pytest.mark.parametrize(
    ("form", "box"),
    [("xyxy", [2, 4, 12, 24]), ("xywh", [2, 4, 10, 20]), ("cxcywh", [7, 14, 10, 20])],
)
def test_formats_of_the_same_box(form, box):
    # x 2 to 12, y 4 to 24; the other half of its height
    half = {"xyxy": [2, 4, 12, 14], "xywh": [2, 4, 10, 10], "cxcywh": [7, 9, 10, 10]}[form]
    assert score("iou", {"bbox": box}, {"bbox": half}, format=form) == 0.5


@pytest.mark.parametrize("form", ["xywh", "cxcywh"])
def test_trap_9_a_negative_size_is_malformed(form):
    verdict = judged("boxes", [[5, 5, -2, 4], [5, 5, 2, 4]], [[5, 5, 2, 4]], format=form)
    assert verdict["score"] == 2 / 3
    assert [row["pred"] for row in verdict["details"]["malformed"]] == [0]
    assert is_error(judged("boxes", [[5, 5, 2, 4]], [[5, 5, 2, -4]], format=form), "reference", "-4")


@pytest.mark.parametrize("count", [1000, 1001, 5000])
def test_malformed_shapes_are_all_counted_and_the_first_are_listed(count):
    verdict = judged("boxes", [*[[1, 2]] * count, SQUARE], [SQUARE])
    details = verdict["details"]
    assert [row["pred"] for row in details["malformed"]] == list(range(1000))
    assert details.get("malformed_not_listed", 0) == count - 1000
    assert f"({count} malformed)" in verdict["reason"]
    assert details["unmatched_pred"] == list(range(count))
    assert verdict["score"] == 2 / (count + 2)


@pytest.mark.parametrize("ruler", ["iou", "point"])
def test_a_ruler_of_one_takes_one(ruler):
    key = "boxes" if ruler == "iou" else "points"
    rows = [[0, 0, 1, 1], [5, 5, 6, 6]]
    assert is_error(judged(ruler, {key: rows}, {key: rows[:1]}), "2", "answer")
    assert is_error(judged(ruler, {key: rows[:1]}, {key: rows}), "2", "reference")
    assert is_error(judged(ruler, {key: []}, {key: rows[:1]}), "answer")
    assert score(ruler, {key: rows[:1]}, {key: rows[:1]}) == 1.0


# Many boxes: (answer, reference, precision, recall, F1)

COUNTED = {
    "all found": (FAR, FAR, 1, 1, 1),
    "a duplicate": ([SQUARE, SQUARE], [SQUARE], 1 / 2, 1, 2 / 3),
    "three of a kind": ([SQUARE] * 3, [SQUARE, FAR[0]], 1 / 3, 1 / 2, 2 / 5),
    "misses": ([FAR[1]], FAR[:3], 1, 1 / 3, 1 / 2),
    "extras": (FAR, FAR[2:3], 1 / 5, 1, 1 / 3),
    "both": ([*FAR[:2], SQUARE], FAR[:4], 2 / 3, 1 / 2, 4 / 7),
    "below the threshold": ([[5, 5, 15, 15]], [SQUARE], 0, 0, 0),  # 1/7
    "nothing said": ([], FAR[:2], 0, 0, 0),
    "nothing to find": (FAR[:2], [], 0, 0, 0),
}


@pytest.mark.parametrize("match", ["greedy", "optimal", "gt-order"])
@pytest.mark.parametrize("name", COUNTED)
def test_boxes_are_counted(name, match):
    answer, reference, precision, recall, f1 = COUNTED[name]
    verdict = judged("boxes", {"boxes": answer}, {"boxes": reference}, match=match)
    assert verdict["score"] == f1
    assert verdict["pass"] is (f1 >= 0.5)
    if answer and reference:
        assert (verdict["details"]["precision"], verdict["details"]["recall"]) == (precision, recall)


def test_details_say_who_is_whose_partner():
    #  reference  0: square        1: far           2: another
    #  answer     2: its top half  0: the same box  1: elsewhere
    verdict = judged("boxes", [FAR[0], FAR[3], [0, 0, 10, 5]], [SQUARE, FAR[0], FAR[1]])
    details = verdict["details"]
    assert details["pairs"] == [{"gt": 0, "pred": 2, "iou": 0.5}, {"gt": 1, "pred": 0, "iou": 1.0}]
    assert (details["unmatched_gt"], details["unmatched_pred"]) == ([2], [1])
    assert details["mean_iou"] == 0.75
    assert (len(verdict["hits"]), len(verdict["misses"])) == (1, 2)  # found; one too many and one missed


@pytest.mark.parametrize(("pass_at", "passed"), [(0.6, True), (2 / 3, True), (0.67, False), (0, True)])
def test_boxes_pass_at_a_score(pass_at, passed):
    assert judged("boxes", [SQUARE, SQUARE], [SQUARE], pass_at=pass_at)["pass"] is passed


@pytest.mark.parametrize("ruler", [ruler for ruler in RULERS if ruler not in ("iou", "point", "click")])
def test_nothing_where_nothing_should_be_is_perfect(ruler):
    keys = {"polygon": "polygons", "line": "lines", "box3d": "cuboids", "intervals": "intervals", "rotated": "rotated"}
    for empty in ([], {keys.get(ruler, "boxes"): []}):
        verdict = judged(ruler, empty, empty)
        assert (verdict["score"], verdict["pass"], verdict["misses"]) == (1.0, True, [])


MALFORMED = {
    "three numbers": [0, 0, 10],
    "five numbers": [0, 0, 10, 10, 10],
    "a text": [0, 0, "10", 10],
    "true": [0, 0, 10, True],
    "null": [0, 0, None, 10],
    "NaN": [0, 0, nan, 10],
    "infinity": [0, 0, inf, 10],
    "too large": [0, 0, 1e300, 10],
    "a huge integer": [0, 0, 10**400, 10],
    "nested": [[0, 0], [10, 10]],
    "no list": "box",
    "an object without a box": {"label": "cat"},
}


@pytest.mark.parametrize("box", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_box_of_the_answer_matches_nothing(box):
    verdict = judged("boxes", {"boxes": [box, SQUARE]}, {"boxes": [SQUARE]})
    assert verdict["score"] == 2 / 3  # 1 of 2, 1 of 1
    assert verdict["details"]["pairs"] == [{"gt": 0, "pred": 1, "iou": 1.0}]
    assert verdict["details"]["unmatched_pred"] == [0]
    [row] = verdict["details"]["malformed"]
    assert row["pred"] == 0
    assert row["reason"]


@pytest.mark.parametrize("box", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_box_of_the_reference_is_an_error(box):
    assert is_error(judged("boxes", {"boxes": [SQUARE]}, {"boxes": [SQUARE, box]}), "reference")


# Who takes whom
#
#   x    0   3 4   7     10    13 14    17
#   g1   |---------------|
#   p1       |-----------------|             g1 ∩ p1   7 of 13
#   g2         |------------------|          g2 ∩ p1   9 of 11
#   p2             |-------------------|     g2 ∩ p2   7 of 13, g1 ∩ p2 3 of 17

G1, P1, G2, P2 = ([x, 0, x + 10, 10] for x in (0, 3, 4, 7))


@pytest.mark.parametrize(
    ("match", "reference", "f1", "mean_iou"),
    [
        ("gt-order", [G1, G2], 1.0, 7 / 13),  # g1 takes p1, g2 what is left
        ("gt-order", [G2, G1], 0.5, 9 / 11),  # g2 takes p1, and g1 is left with too little
        ("greedy", [G1, G2], 0.5, 9 / 11),
        ("greedy", [G2, G1], 0.5, 9 / 11),
        ("optimal", [G1, G2], 1.0, 7 / 13),
        ("optimal", [G2, G1], 1.0, 7 / 13),
    ],
)
@pytest.mark.parametrize("answer", [[P1, P2], [P2, P1]])
def test_trap_32_only_gt_order_depends_on_the_order(match, reference, answer, f1, mean_iou):
    verdict = judged("boxes", answer, reference, match=match)
    assert (verdict["score"], verdict["details"]["mean_iou"]) == (f1, pytest.approx(mean_iou, abs=1e-12))


coordinate = st.integers(0, 8)
box = st.tuples(coordinate, coordinate, coordinate, coordinate).map(list)
box_lists = st.lists(box, max_size=6)


def partners(answer, reference, **options):
    """The coordinates of both, with their overlap, in a fixed order."""
    found = judged("boxes", answer, reference, **options)["details"]["pairs"]
    return sorted((upright(reference[row["gt"]]), upright(answer[row["pred"]]), row["iou"]) for row in found)


def upright(box):
    return [min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3])]


@pytest.mark.parametrize("match", ["greedy", "optimal"])
@settings(max_examples=examples(60), deadline=None)
@given(box_lists, box_lists, st.randoms(use_true_random=False))
def test_trap_32_the_order_of_lists_does_not_matter(match, answer, reference, rng):
    before = partners(answer, reference, match=match, threshold=0.2)
    assert partners(*shuffled(rng, answer, reference), match=match, threshold=0.2) == before


def shuffled(rng, *lists):
    return [rng.sample(each, len(each)) for each in lists]


def plain_iou(a, b):
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    shared = max(0, wide) * max(0, high)
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared
    return shared / union if union > 0 else 0.0


def test_the_mean_overlap_does_not_depend_on_the_order_of_lists():
    # IoU 0.6, 1 and 8/23; one after another in floats, 0.6 + 1.0 + 0.347826086957 is not 1.0 + 0.347826086957 + 0.6
    pairs = [([4, 3, 8, 7], [4, 4, 8, 8]), ([4, 0, 5, 3], [4, 0, 5, 3]), ([0, 3, 5, 6], [0, 1, 4, 5])]
    means = set()
    for some in permutations(pairs):
        details = judged("boxes", [pred for _, pred in some], [truth for truth, _ in some], threshold=0.3)["details"]
        assert len(details["pairs"]) == 3
        means.add(details["mean_iou"])
    assert means == {fsum([0.6, 1.0, 0.347826086957]) / 3}


def plain_in_order(answer, reference, least):
    """Each true box in turn takes the best box that is left, the first of equals, if it is good enough."""
    left, found = dict(enumerate(answer)), []
    for i, truth in enumerate(reference):
        best = max(left, key=lambda j: (plain_iou(truth, left[j]), -j), default=None)
        if best is not None and plain_iou(truth, left[best]) >= least:
            found.append((i, best, plain_iou(truth, left.pop(best))))
    return found


def plain_greedy(answer, reference, least):
    """The closest pair first; of equals the first by coordinates of the true box, then of the other."""
    every = [(-plain_iou(a, b), a, b, i, j) for i, a in enumerate(reference) for j, b in enumerate(answer)]
    found: dict[int, int] = {}
    for iou, _, _, i, j in sorted(every):
        if -iou >= least and i not in found and j not in found.values():
            found[i] = j
    return sorted(found.items())


uprights = st.lists(box.map(upright), max_size=7)
thresholds = st.sampled_from([0.1, 0.25, 0.3, 1 / 3, 0.5, 0.75, 1.0])


@settings(max_examples=examples(200), deadline=None)
@given(uprights, uprights, thresholds)
def test_gt_order_is_the_plain_script(answer, reference, least):
    pairs = judged("boxes", answer, reference, match="gt-order", threshold=least)["details"]["pairs"]
    expected = [{"gt": i, "pred": j, "iou": round(iou, 12)} for i, j, iou in plain_in_order(answer, reference, least)]
    assert pairs == expected


@settings(max_examples=examples(200), deadline=None)
@given(uprights, uprights, thresholds)
def test_greedy_is_the_closest_pair_first_with_ties_by_coordinates(answer, reference, least):
    pairs = judged("boxes", answer, reference, threshold=least)["details"]["pairs"]
    assert [(row["gt"], row["pred"]) for row in pairs] == plain_greedy(answer, reference, least)


def matrix(answer, reference, least):
    """Overlaps that are enough, else 0, plus 100 for each pair: the most pairs go first."""
    ious = np.array([[plain_iou(a, b) for b in answer] for a in reference]).reshape(len(reference), len(answer))
    return np.where(ious >= least, ious + 100, 0.0)


def gain(answer, reference, least):
    pairs = judged("boxes", answer, reference, match="optimal", threshold=least)["details"]["pairs"]
    return fsum(100 + row["iou"] for row in pairs)


@settings(max_examples=examples(150), deadline=None)
@given(uprights, uprights, thresholds)
def test_optimal_gains_as_much_as_scipy(answer, reference, least):
    gains = matrix(answer, reference, least)
    best = gains[scipy.optimize.linear_sum_assignment(gains, maximize=True)].sum()
    assert gain(answer, reference, least) == pytest.approx(best, abs=1e-9)


@settings(max_examples=examples(60), deadline=None)
@given(uprights.map(lambda boxes: boxes[:4]), uprights.map(lambda boxes: boxes[:4]))
def test_optimal_gains_as_much_as_the_best_of_all_ways(answer, reference):
    gains = matrix(answer, reference, 0.25)
    gains = gains if len(reference) <= len(answer) else gains.T
    ways = permutations(range(gains.shape[1]), len(gains))
    assert gain(answer, reference, 0.25) == pytest.approx(max(sum(gains[i, j] for i, j in enumerate(w)) for w in ways))


# Points: (answer, reference, metric, threshold, distance, score)


@pytest.mark.parametrize(
    ("answer", "metric", "threshold", "distance", "expected"),
    [
        ([3, 4], "euclidean", None, 5, 1),  # within 10
        ([30, 40], "euclidean", None, 50, 0),
        ([9, 12], "euclidean", None, 15, 0.5),  # half-way from 10 to 20
        ([6, 8], "euclidean", 10, 10, 1),
        ([3, 4], "euclidean", 4, 5, 0.75),  # 2 - 5/4
        ([3, 4], "euclidean", 2.5, 5, 0),  # twice the threshold
        ([3, 4], "manhattan", 7, 7, 1),
        ([3, 4], "manhattan", 5, 7, 0.6),  # 2 - 7/5
        ([3, -4], "chebyshev", 4, 4, 1),
        ([3, -4], "chebyshev", 3, 4, 2 / 3),  # 2 - 4/3
        ([2, 3, 6], "euclidean", 7, 7, 1),
        ([-7], "euclidean", 5, 7, 0.6),
        ([0, 0], "euclidean", 0, 0, 1),
        ([0, 1e-9], "euclidean", 0, 1e-9, 0),  # only the point itself
        ([0, 0], "manhattan", 0, 0, 1),
        ([0, 0.5], "chebyshev", 0, 0.5, 0),
    ],
)
def test_points_by_their_distance_from_the_origin(answer, metric, threshold, distance, expected):
    given_threshold = {} if threshold is None else {"threshold": threshold}
    verdict = judged("point", {"point": answer}, {"coordinates": [0] * len(answer)}, metric=metric, **given_threshold)
    assert verdict["details"]["distance"] == distance
    assert verdict["score"] == pytest.approx(expected, abs=1e-12)
    assert verdict["pass"] is (distance <= (10 if threshold is None else threshold))


@pytest.mark.parametrize(
    ("answer", "distance", "expected", "passed"),
    [
        ([5, 0], 0, 1, True),  # as far as it likes
        ([3, 4], 0.4, 0.6, True),  # 1 - 3/5
        ([1, 1], 1 - sqrt(0.5), sqrt(0.5), True),
        ([1, 2], 1 - sqrt(0.2), sqrt(0.2), False),  # 0.55 away
        ([0, 7], 1, 0, False),
        ([-1, 0], 2, 0, False),  # trap 33: not -1
        ([-3, 4], 1.6, 0, False),
        ([0, 0], 1, 0, False),  # no direction
    ],
)
def test_trap_33_points_by_their_cosine(answer, distance, expected, passed):
    verdict = judged("point", {"point": answer}, {"point": [2, 0]}, metric="cosine")
    assert verdict["details"]["distance"] == pytest.approx(distance, abs=1e-12)
    assert verdict["score"] == pytest.approx(expected, abs=1e-12)
    assert verdict["pass"] is passed


def test_the_cosine_has_a_threshold_of_its_own():
    assert judged("point", [3, 4], [2, 0], metric="cosine", threshold=0.4)["pass"]
    verdict = judged("point", [3, 4], [2, 0], metric="cosine", threshold=0.3)
    assert (verdict["pass"], verdict["score"]) == (False, pytest.approx(0.6))


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.floats(-1e90, 1e90), min_size=1, max_size=4), st.data())
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "cosine"])
def test_scores_of_points_stay_in_their_range(metric, point, data):
    other = data.draw(st.lists(st.floats(-1e90, 1e90), min_size=len(point), max_size=len(point)))
    verdicts = [judged("point", a, b, metric=metric) for a, b in ((point, other), (other, point))]  # lawful: 0 to 1
    assert verdicts[0]["score"] == verdicts[1]["score"]
    same = judged("point", point, point, metric=metric, threshold=0)
    assert same["pass"] or metric == "cosine"


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_points_of_other_dimensions_are_an_error(metric):
    assert is_error(judged("point", {"point": [1, 2, 3]}, {"point": [1, 2]}, metric=metric), "3", "2", "dimension")


@pytest.mark.parametrize("point", [["1", 2], [True, 2], [nan, 2], [inf, 2], [None, 2], "here"], ids=repr)
def test_a_malformed_point_is_an_error(point):
    assert is_error(judged("point", {"point": point}, {"point": [1, 2]}), "answer")
    assert is_error(judged("point", {"point": [1, 2]}, {"point": point}), "reference")


# Centres of shapes, where a point is asked for


@pytest.mark.parametrize(
    ("name", "answer", "reference", "distance"),
    [
        ("bbox", [0, 0, 10, 10], [4, 3, 14, 13], 5.0),
        (
            "polygon",
            [[0, 0], [9, 0], [0, 9]],
            [[0, 0], [9, 0], [9, 12], [0, 12]],
            sqrt(1.5**2 + 3**2),
        ),  # (3, 3), (4.5, 6)
        ("rotated", [5, 5, 4, 2, 30], [5, 8, 1, 1, 0], 3.0),
        ("cuboid", [0, 0, 0, 1, 1, 1], [0, 0, 2, 1, 1, 1], 2.0),
        ("polygon", [[0, 0], [2, 0], [4, 0]], [[2, 0], [2, 0], [2, 0]], 0.0),  # without area: the mean of vertices
    ],
)
def test_a_shape_stands_for_its_centre(name, answer, reference, distance):
    verdict = judged("point", {name: answer}, {name: reference})
    assert verdict["details"]["distance"] == pytest.approx(distance, abs=1e-12)
    assert verdict["pass"]


def test_several_centres_are_matched_one_to_one():
    reference = {"boxes": [[10, 10, 50, 50], [100, 100, 150, 150]]}
    assert judged("point", {"boxes": reference["boxes"][::-1]}, reference)["score"] == 1.0
    verdict = judged("point", {"boxes": [[10, 22, 50, 62]]}, reference)  # 12 off: 1 - 2 / 10; the other one is missed
    assert (verdict["pass"], verdict["score"]) == (False, 0.4)
    assert is_error(judged("point", {"boxes": [[1, 2]]}, reference), "answer: found 2 numbers")
    assert judged("point", {"boxes": []}, {"boxes": []})["score"] == 1.0


def test_the_reasoning_of_matched_shapes_says_precision_and_recall():
    verdict = judged("boxes", [SQUARE], [SQUARE, FAR[0]])
    assert verdict["reasoning"] == f"{verdict['reason']} (precision 1.000, recall 0.500)"
    assert judged("boxes", [], [SQUARE])["reasoning"].endswith("(precision —, recall 0.000)")
