"""Verdicts on two sides that come without a payload: `gt=` and `pred=`."""

import numpy as np
import pytest

import calipers
from calipers import judge

SIDES = {  # ground truth, prediction
    "iou": ([0, 0, 10, 10], [0, 0, 10, 5]),
    "boxes": ([[0, 0, 10, 10], [20, 0, 30, 10]], "[[0, 0, 10, 9]]"),
    "polygon": ([[0, 0], [10, 0], [10, 10]], {"polygon": [[0, 0], [10, 0], [10, 10]]}),
    "rotated": ([5, 5, 10, 10, 0], [5, 5, 10, 5, 0]),
    "line": ([[0, 0], [99, 0]], [[0, 0], [99, 0]]),
    "point": ([300, 200], "(303, 204)"),
    "box3d": ([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]),
    "click": ([0, 0, 10, 10], "click(3, 4)"),
    "intervals": ([[0, 9], [20, 29]], [[0, 9]]),
    "count": (9, "There are 7."),
    "map": ([[0, 0, 10, 10]], {"boxes": [[0, 0, 10, 10], [50, 0, 60, 10]], "scores": [0.9, 0.2]}),
}


@pytest.mark.parametrize("ruler", judge.__all__)
def test_two_sides_are_a_payload_of_reference_and_answer(ruler):
    gt, pred = SIDES[ruler]
    verdict = getattr(judge, ruler)(gt=gt, pred=pred)
    assert verdict == getattr(judge, ruler)({"candidate_answer": pred, "reference_answer": gt})
    assert verdict == getattr(judge, ruler)(pred=pred, gt=gt)
    assert "error" not in verdict["details"]


def test_the_sides_are_not_mixed_up():
    verdict = judge.boxes(gt=[[0, 0, 10, 10], [20, 0, 30, 10]], pred=[[0, 0, 10, 9]])
    assert (verdict["details"]["recall"], verdict["details"]["precision"]) == (0.5, 1.0)


def test_arrays_are_lists_and_no_answer_is_an_empty_text():
    assert judge.boxes(gt=np.array([[0, 0, 10, 10]]), pred=np.array([[0, 0, 10, 8]]))["score"] == 1.0
    assert judge.boxes(gt=[[0, 0, 10, 10]]) == judge.boxes(
        {"candidate_answer": "", "reference_answer": [[0, 0, 10, 10]]}
    )


@pytest.mark.parametrize("sides", [{"pred": []}, {"payload": {}, "gt": []}, {"payload": {}, "gt": [], "pred": []}])
def test_half_of_the_sides_or_sides_beside_a_payload_are_refused(sides):
    with pytest.raises(calipers.ConfigError, match="expected a payload, or gt and pred"):
        judge.boxes(**sides)


def test_nothing_at_all_is_a_verdict_as_ever():
    assert judge.boxes()["score"] == judge.boxes(None)["score"] == 0.0
