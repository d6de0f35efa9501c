"""Rows that are there twice."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from calipers.kernels.repeats import repeated

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
