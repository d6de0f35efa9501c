"""Boxes and masks on images, by hand and to the bit as pycocotools has them; rows twice, or outside of their image."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycocotools import mask as reference

from calipers.kernels.shape.cocoboxes import box_pairs, measure_rle, outside, repeated

# Overlaps


def pairs(truth, pred, crowd=None, min_overlap=0.0, truth_ends=None, pred_ends=None):
    crowd = np.array(crowd or [0] * len(truth), dtype=np.uint8)
    ends = [np.array(e or [0, len(side)], dtype=np.int64) for e, side in ((truth_ends, truth), (pred_ends, pred))]
    flat = [np.array(side, dtype=np.float64).reshape(-1) for side in (truth, pred)]
    rows, columns, overlap = box_pairs(flat[0], ends[0], crowd, flat[1], ends[1], min_overlap)
    return list(zip(rows, columns, overlap, strict=True))


def test_iou_is_shared_over_covered():
    # 10 x 10 and the 10 x 5 half of it: 50 / 100
    assert pairs([[0, 0, 10, 10]], [[0, 0, 10, 5]]) == [(0, 0, 0.5)]


def test_with_a_crowd_it_is_the_share_of_the_prediction():
    # 4 x 5 of the 4 x 10 prediction lie in the crowd: 20 / 40
    assert pairs([[0, 0, 100, 5]], [[10, 0, 4, 10]], crowd=[1]) == [(0, 0, 0.5)]


def test_touching_boxes_and_boxes_without_area_overlap_nothing():
    assert pairs([[0, 0, 10, 10]], [[10, 0, 10, 10], [0, 10, 5, 5], [3, 3, 0, 4]]) == []


def test_a_box_that_is_not_there_overlaps_nothing():
    assert pairs([[0, 0, 10, 10]], [[np.nan] * 4]) == []


def test_pairs_stay_on_their_image():
    found = pairs([[0, 0, 2, 2]] * 2, [[0, 0, 2, 2]] * 3, truth_ends=[0, 1, 2], pred_ends=[0, 2, 3])
    assert [(row, column) for row, column, _ in found] == [(0, 0), (0, 1), (1, 2)]


def test_min_overlap_leaves_out_what_is_below_it_and_keeps_what_meets_it():
    assert pairs([[0, 0, 10, 10]], [[0, 0, 10, 5], [0, 0, 10, 4]], min_overlap=0.5) == [(0, 0, 0.5)]


@pytest.mark.parametrize("whole", [True, False])
def test_to_the_bit_as_pycocotools(whole):
    mask = pytest.importorskip("pycocotools.mask")
    rng = np.random.default_rng(5)
    truth, pred = (rng.uniform(0, 40, (60, 4)) for _ in range(2))
    if whole:
        truth, pred = truth.round(), pred.round()
    crowd = (rng.random(60) < 0.3).astype(np.uint8)
    theirs = mask.iou(pred, truth, crowd.tolist()).T
    ours = np.zeros((60, 60))
    for row, column, overlap in pairs(truth, pred, crowd=crowd.tolist(), min_overlap=5e-324):
        ours[row, column] = overlap
    assert (ours == theirs).all()


# Rows

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


# Masks

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
