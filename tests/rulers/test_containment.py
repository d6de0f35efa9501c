"""Strict and relaxed containment of centres, worked out by hand."""

import math

import numpy as np
import pytest

import calipers

LARGE = [0, 0, 0, 2, 2, 2]


@pytest.mark.parametrize(
    ("pred", "strict", "relaxed"),
    [
        ([0, 0, 0, 0.8, 0.8, 0.8], True, True),  # in the middle
        ([0.8, 0, 0, 1, 1, 1], False, True),  # from 0.3 to 1.3: its centre is within 1, the other's is not within it
        ([0.5, 0, 0, 1, 1, 1], True, True),  # from 0 to 1: a centre on a face is inside
        ([1, 0, 0, 1, 1, 1], False, True),  # the same for the large one
        ([1.1, 0, 0, 1, 1, 1], False, False),
        ([3, 0, 0, 8, 8, 8], False, True),  # the other way round
    ],
)
def test_by_hand(pred, strict, relaxed):
    assert calipers.containment(LARGE, pred) == (strict, relaxed)
    assert calipers.containment(pred, LARGE) == (strict, relaxed)


def test_bounds_of_a_turned_box_hold_more_than_the_box():
    # 4 x 0.2, turned by 45 degrees: its bounds reach 1.48 from the centre, the box at (1, -1) not at all
    bar = [0, 0, 0, 4, 0.2, 1, math.pi / 4]
    cube = [1, -1, 0, 1, 1, 1]
    assert calipers.containment(bar, cube) == (False, True)
    assert calipers.containment(bar, cube, mode="obb") == (False, False)


def test_lists_give_all_with_all_or_pairs():
    truth = np.array([LARGE, [5, 0, 0, 1, 1, 1]], dtype=float)
    pred = [[0.8, 0, 0, 1, 1, 1], [5, 0, 0, 1, 1, 1], [9, 0, 0, 1, 1, 1]]
    found = calipers.containment(truth, pred)
    assert found.strict.tolist() == [[False, False, False], [False, True, False]]
    assert found.relaxed.tolist() == [[True, False, False], [False, True, False]]
    paired = calipers.containment(truth, pred[:2], paired=True)
    assert (paired.strict.tolist(), paired.relaxed.tolist()) == ([False, True], [True, True])
    assert calipers.containment([], pred).strict.shape == (0, 3)


def test_it_is_what_the_suite_counts():
    rng = np.random.default_rng(7)
    boxes = np.hstack([rng.uniform(-1, 1, (40, 3)), rng.uniform(0.5, 2, (40, 3)), rng.uniform(-3, 3, (40, 1))])
    sides = [[{"center": b[:3], "size": b[3:6], "rotation": {"yaw": b[6]}} for b in half.tolist()] for half in
             (boxes[:20], boxes[20:])]  # fmt: skip
    for mode in ("aabb", "obb"):
        table = calipers.scene(*sides, containment=mode)["matches"]
        found = calipers.containment(boxes[:20], boxes[20:], mode=mode)
        assert len(table) > 5
        for row in table:
            at = row["gt_index"], row["pred_index"]
            assert (row["strict"], row["relaxed"]) == (found.strict[at], found.relaxed[at])


def test_what_is_no_box_no_pair_or_no_mode_is_an_error():
    with pytest.raises(calipers.InputError, match="box 0: found"):
        calipers.containment([1, 2, 3], LARGE)
    with pytest.raises(calipers.InputError, match="found 1 and 2 boxes"):
        calipers.containment([LARGE], [LARGE, LARGE], paired=True)
    with pytest.raises(calipers.ConfigError, match="mode: found 'box'"):
        calipers.containment(LARGE, LARGE, mode="box")
