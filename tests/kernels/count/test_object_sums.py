"""What is noted of a matching at its objects, by hand."""

import numpy as np

from calipers.kernels.count.object_sums import mark_matched


def test_a_truth_gets_a_digit_and_a_prediction_loses_a_bit():
    found, left = np.array([0, 7, 0], np.int64), np.array([0b11, 0b11, 0b01], np.uint8)
    truth, pred = np.array([2, 1], np.int32), np.array([0, 2], np.int32)
    mark_matched(found, left, truth, pred, np.array([4, 1], np.int64), 12, 0b10)
    assert found.tolist() == [0, 7 + 1 * 12, 4 * 12]
    assert left.tolist() == [0b01, 0b11, 0b01]  # the last was taken away before, and stays
