"""Masks as runs: the areas and boxes that pycocotools finds, and nothing for runs that are none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycocotools import mask as reference

from calipers.kernels.rle import measure_rle

# . . # .      runs go down the columns: 6 cells of background, 2 of the mask, 1 + 3 of background
# . . # .
# . . . .
TWO_CELLS = ([6, 2, 4], 3, 4)


def test_a_mask_by_hand():
    assert measure_rle(*TWO_CELLS) == (2, 2, 0, 1, 2)


def test_a_run_over_the_end_of_a_column_is_as_high_as_the_image():
    assert measure_rle([5, 2, 5], 3, 4) == (2, 1, 0, 2, 3)


def test_masks_with_nothing_and_with_everything():
    assert measure_rle([12], 3, 4) == (0, 0, 0, 0, 0)
    assert measure_rle([0, 12], 3, 4) == (12, 0, 0, 4, 3)


@pytest.mark.parametrize(
    "counts",
    [
        [],
        [11],
        [13],
        [-1, 13],
        [2**70],
        [True, 11],
        [6.0, 6],
        ["6", 6],
        [None],
        "",
        "é",
        "\ud800",
        "o" * 99,
        b"\x00",
        b"\xff",
        "<1",
        5,
        None,
        {"a": 1},
    ],
)
def test_runs_that_are_not_those_of_the_image(counts):
    assert measure_rle(counts, 3, 4) is None


@pytest.mark.parametrize("size", [(0, 4), (3, 0), (-3, -4), (1 << 40, 1 << 40)])
def test_sizes_that_no_image_has(size):
    assert measure_rle([12], *size) is None


@given(st.integers(1, 20), st.integers(1, 20), st.sampled_from([0.02, 0.2, 0.5, 0.9]), st.integers(0, 2**32))
def test_texts_and_lists_say_what_pycocotools_says(height, width, share, seed):
    cells = np.asfortranarray(np.random.default_rng(seed).random((height, width)) < share, dtype=np.uint8)
    rle = reference.encode(cells)
    expected = int(reference.area(rle)), *map(int, reference.toBbox(rle))
    flat = np.concatenate([[0], cells.reshape(-1, order="F"), [2]])
    changes = np.flatnonzero(np.diff(flat[1:]))
    runs = np.diff(np.concatenate([[-1], changes]))
    counts = ([0] if flat[1] else []) + runs.tolist()
    assert measure_rle(rle["counts"], height, width) == expected
    assert measure_rle(rle["counts"].decode(), height, width) == expected
    assert measure_rle(counts, height, width) == expected


@given(st.binary(max_size=12), st.integers(1, 9), st.integers(1, 9))
def test_any_bytes_do_no_harm(data, height, width):
    found = measure_rle(data, height, width)
    assert found is None or 0 <= found[0] <= height * width
