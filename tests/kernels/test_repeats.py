"""Rows that are there twice, and rows outside of their image."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from calipers.kernels.repeats import outside, repeated

few = st.sampled_from([0.0, 1.0, 2.5])
rows = st.tuples(st.integers(0, 2), st.integers(0, 1), few, few, few | st.just(float("nan")))


def marked(given_rows, images):
    """Rows of image, category, x, y and score."""
    image = np.array([row[0] for row in given_rows], np.int32)
    category = np.array([row[1] for row in given_rows], np.int32)
    box = np.array([[row[2], row[3], 1, 1] for row in given_rows]).reshape(-1)
    score = np.array([row[4] for row in given_rows], np.float64)
    return repeated(np.searchsorted(image, np.arange(images + 1)), category, box, score).tolist()


def test_the_first_of_equal_rows_is_no_repetition():
    row = (0, 1, 2.0, 3.0, 0.5)
    assert marked([row, row, (0, 1, 2.0, 3.0, 0.25), row, (1, 1, 2.0, 3.0, 0.5)], 2) == [0, 1, 0, 1, 0]


def test_scores_that_are_missing_are_equal_and_boxes_that_are_missing_are_none():
    nan = float("nan")
    assert marked([(0, 0, 1.0, 1.0, nan)] * 2, 1) == [0, 1]
    assert marked([(0, 0, nan, 1.0, 0.5)] * 2, 1) == [0, 0]


def test_no_rows():
    assert marked([], 3) == []


@given(st.lists(rows, max_size=60))
def test_as_a_set_finds_them(given_rows):
    given_rows = sorted(given_rows, key=lambda row: row[0])
    seen, expected = set(), []
    for row in map(repr, given_rows):
        expected.append(int(row in seen))
        seen.add(row)
    assert marked(given_rows, 3) == expected


def test_boxes_that_share_nothing_with_their_image():
    # an image of 10 x 8, and one of which only the width is known
    width, height = np.array([10.0, 10.0]), np.array([8.0, np.nan])
    boxes = [[10, 0, 1, 1], [9.9, 0, 1, 1], [0, 8, 1, 1], [-2, 0, 1.9, 1], [-2, 0, 2.1, 1], [0, -2, 1, 1], [np.nan] * 4]
    rows = np.array(boxes).reshape(-1)
    assert outside(np.zeros(7, np.int32), rows, width, height).tolist() == [1, 0, 1, 1, 0, 1, 0]
    assert outside(np.ones(7, np.int32), rows, width, height).tolist() == [0] * 7
