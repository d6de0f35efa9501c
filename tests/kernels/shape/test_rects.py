"""Straight boxes by the light kernel: the numbers of the exact ruler, and only what is written in the usual way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.core.matching import UNIT
from calipers.judge.answers import _usual_boxes, parse_answer
from calipers.judge.search import ShapeSearch
from calipers.kernels.shape.rects import plain_boxes, rect_pairs
from calipers.rulers.region import region_iou

NUMBERS = st.one_of(st.integers(-1000, 1000), st.floats(-1000, 1000).map(lambda x: round(x, 3)))


@st.composite
def straight(draw):
    x1, x2 = sorted([draw(NUMBERS), draw(NUMBERS)])
    y1, y2 = sorted([draw(NUMBERS), draw(NUMBERS)])
    return [x1, y1, x2, y2]


BOXES = st.lists(straight(), min_size=1, max_size=6)


def test_pairs_are_those_that_share_area():
    # 10 x 10 and its lower half share 50 of 100; the third only touches, the fourth has no area
    pairs = rect_pairs([[0, 0, 10, 10]], [[0, 0, 10, 5], [0, 0, 10, 10], [10, 0, 20, 10], [3, 3, 3, 9]])
    assert [column.tolist() for column in pairs] == [[0, 0], [0, 1], [UNIT // 2, UNIT]]


@given(BOXES, BOXES)
def test_overlaps_are_those_of_the_exact_ruler(truth, pred):
    expected = region_iou(truth, pred)
    found = {(i, j): score for i, j, score in zip(*rect_pairs(truth, pred), strict=True)}
    for i in range(len(truth)):
        for j in range(len(pred)):
            assert abs(found.get((i, j), 0) - round(expected[i, j] * UNIT)) <= 1


@pytest.mark.parametrize("box", [[3, 0, 1, 1], [0, 0, float("nan"), 1], [0, 0, 1e101, 1], [0, 0, float("inf"), 1]])
def test_boxes_that_are_none_are_refused(box):
    assert plain_boxes([box]) is None
    with pytest.raises(ValueError, match="expected x1 <= x2"):
        rect_pairs([box], [])


@pytest.mark.parametrize("value", [[], {}, None, "abcd", [1, 2, 3], [[1, 2, 3]], [True, 0, 2, 2], [["0", 0, 1, 1]]])
def test_what_is_not_written_the_usual_way_is_left_to_the_search(value):
    assert plain_boxes(value) is None


@given(st.sampled_from(["bbox", "bounding_box", "box", "bbox_2d", "boxes"]), BOXES, st.booleans())
def test_the_short_cut_finds_what_the_search_finds(name, boxes, alone):
    answer = parse_answer({name: boxes[0] if alone else boxes})
    quick, slow = _usual_boxes(answer), ShapeSearch("box", "xyxy").find(answer.tree, None)
    assert (quick.shapes, quick.path, quick.notes, quick.scores) == (slow.shapes, slow.path, slow.notes, slow.scores)
