"""Of boxes that show the same thing, the one with the highest score stays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.detectors.model import BoxesFound
from calipers.detectors.nms import suppress


def found(*rows):
    """Rows of left, top, right, bottom, score, class."""
    table = np.array(rows, dtype=np.float64).reshape(-1, 6)
    return BoxesFound(table[:, :4], table[:, 4], table[:, 5].astype(np.int64))


def kept(*rows, iou=0.5, most=300, agnostic=False):
    return suppress(found(*rows), iou=iou, max_boxes=most, agnostic=agnostic).tolist()


def test_nothing_stays_of_nothing():
    assert kept() == []


def test_a_box_removes_those_it_overlaps_by_more():
    # IoU of the first two: 80 / 100
    rows = [(0, 0, 10, 10, 0.6, 0), (0, 0, 10, 8, 0.9, 0), (20, 0, 30, 10, 0.1, 0)]
    assert kept(*rows) == [1, 2]
    assert kept(*rows, iou=0.79) == [1, 2]
    assert kept(*rows, iou=0.81) == [1, 0, 2]


@pytest.mark.parametrize("percent", [1, 5, 30, 45, 55, 60, 70, 90, 99])
def test_an_overlap_equal_to_the_threshold_removes_nothing(percent):
    rows = [(0, 0, 10, 10, 0.9, 0), (0, 0, 10, percent / 10, 0.8, 0)]
    assert kept(*rows, iou=percent / 100) == [0, 1]
    assert kept(*rows, iou=percent / 100 - 1e-9) == [0]


def test_a_threshold_of_1_removes_nothing_and_one_of_0_whatever_touches():
    rows = [(0, 0, 10, 10, 0.9, 0), (0, 0, 10, 10, 0.8, 0), (9, 9, 20, 20, 0.7, 0), (20, 20, 30, 30, 0.6, 0)]
    assert kept(*rows, iou=1.0) == [0, 1, 2, 3]
    assert kept(*rows, iou=0.0) == [0, 3]


def test_what_was_removed_removes_nothing():
    # 0 removes 1 (IoU 2/3), which would have removed 2; 0 and 2 share a third
    rows = [(0, 0, 10, 10, 0.9, 0), (2, 0, 12, 10, 0.8, 0), (5, 0, 15, 10, 0.7, 0)]
    assert kept(*rows, iou=0.5) == [0, 2]


def test_equal_scores_stay_in_the_order_given():
    rows = [(0, 0, 10, 10, 0.5, 0), (0, 0, 10, 9, 0.5, 0), (50, 0, 60, 10, 0.5, 0)]
    assert kept(*rows) == [0, 2]
    assert kept(*reversed(rows)) == [0, 1]


def test_classes_do_not_touch_each_other_unless_asked():
    rows = [(0, 0, 10, 10, 0.9, 0), (0, 0, 10, 10, 0.8, 1), (0, 0, 10, 10, 0.7, 0)]
    assert kept(*rows) == [0, 1]
    assert kept(*rows, agnostic=True) == [0]


def test_only_so_many_stay_over_all_classes():
    rows = [(0, 0, 10, 10, 0.7, 0), (20, 0, 30, 10, 0.9, 1), (40, 0, 50, 10, 0.8, 0)]
    assert kept(*rows, most=2) == [1, 2]


def test_classes_that_are_not_wanted_do_not_count_among_so_many():
    rows = [(20 * place, 0, 20 * place + 10, 10, score, code) for place, (score, code) in enumerate(SCORES)]
    wanted = np.array([False, True])
    for most, expected in ((1, [0, 1]), (2, [0, 1, 3]), (3, [0, 1, 2, 3])):
        assert suppress(found(*rows), iou=0.5, max_boxes=most, agnostic=False, wanted=wanted).tolist() == expected
        assert found(*rows).best(most, wanted).scores.tolist() == [SCORES[row][0] for row in expected]


SCORES = [(0.9, 0), (0.8, 1), (0.7, 0), (0.6, 1), (0.5, 0)]  # and their classes


def test_a_class_that_is_not_wanted_still_removes_boxes_of_others_where_asked():
    rows = [(0, 0, 10, 10, 0.9, 0), (0, 0, 10, 10, 0.8, 1)]
    assert suppress(found(*rows), iou=0.5, max_boxes=1, agnostic=True, wanted=np.array([False, True])).tolist() == [0]


def test_boxes_without_area_or_without_numbers_touch_nothing():
    rows = [
        (0, 0, 10, 10, 0.5, 0),
        (5, 5, 5, 5, 0.9, 0),
        (9, 9, 1, 1, 0.8, 0),
        (np.nan, 0, 10, 10, 0.7, 0),
        (-np.inf, -np.inf, np.inf, np.inf, 0.6, 0),
    ]
    assert kept(*rows, iou=0.0) == [1, 2, 3, 4, 0]


def reference(rows, iou, most, agnostic):
    """The definition, one pair at a time."""
    order = sorted(range(len(rows)), key=lambda row: -rows[row][4])
    stay = []
    for row in order:
        rivals = [other for other in stay if agnostic or rows[other][5] == rows[row][5]]
        if all(round(one_iou(rows[row], rows[other]), 12) <= iou for other in rivals):
            stay.append(row)
    return stay[:most]


def one_iou(a, b):
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)]
    return width * height / (sum(areas) - width * height)


@st.composite
def boxes(draw):
    left, top = draw(st.integers(0, 20)), draw(st.integers(0, 20))
    width, height = draw(st.integers(0, 12)), draw(st.integers(0, 12))
    score = draw(st.sampled_from([0.1, 0.25, 0.3, 0.5, 0.75, 0.9]))  # with many ties
    return float(left), float(top), float(left + width), float(top + height), score, draw(st.integers(0, 2))


@given(
    st.lists(boxes(), max_size=40),
    st.sampled_from([0.0, 0.1, 0.25, 0.45, 0.5, 0.7, 1.0]),
    st.integers(1, 50),
    st.booleans(),
)
def test_it_agrees_with_the_definition(rows, iou, most, agnostic):
    assert kept(*rows, iou=iou, most=most, agnostic=agnostic) == reference(rows, iou, most, agnostic)


@given(st.lists(boxes(), max_size=30), st.integers(1, 20), st.booleans(), st.tuples(*[st.booleans()] * 3))
def test_what_is_wanted_is_the_best_of_what_stays_without_a_limit(rows, most, agnostic, wanted):
    everything = reference(rows, 0.45, len(rows), agnostic)
    best = [row for row in everything if wanted[rows[row][5]]][:most]
    stay = suppress(found(*rows), iou=0.45, max_boxes=most, agnostic=agnostic, wanted=np.array(wanted)).tolist()
    assert [row for row in stay if wanted[rows[row][5]]] == best
    assert set(stay) - set(best) <= set(everything[:most])
