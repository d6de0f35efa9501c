"""Causes counted in each record are those that are found for every object."""

from types import SimpleNamespace

import numpy as np
import pytest

from calipers.kernels.count import causes


@pytest.mark.parametrize("objects", [1, 7, 64, 65, 130])  # objects of up to 64 are bits of a word
def test_counts_of_a_record_are_those_of_its_objects(objects):
    rng = np.random.default_rng(objects)
    labels = [rng.integers(-1, 3, objects).astype(np.int32) for _ in range(2)]
    truth, pred = (side.ravel().astype(np.int32) for side in np.nonzero(rng.random((objects, objects)) < 0.2))
    score = np.sort(rng.integers(1, 40, len(truth)), kind="stable")[::-1].astype(np.int64)
    mixed = rng.permutation(len(truth))
    pairs = SimpleNamespace(truth=truth[mixed], pred=pred[mixed], score=score)
    offsets = np.array([0, objects], np.int64)
    least, faint = np.array([30, 20, 5], np.int64), np.array([6, 10, 5], np.int64)
    counts = np.array(causes.count_causes(pairs, offsets, offsets, least, faint, *labels)).reshape(3, 7)
    for row, at, dim in zip(counts, least.tolist(), faint.tolist(), strict=True):
        of_truth, of_pred, _ = causes.find_causes(pairs, objects, objects, at, dim, *labels)
        by_truth, by_pred = (np.bincount(side, minlength=7) for side in (of_truth, of_pred))
        assert row.tolist() == [*by_truth[:4], *by_pred[4:6], by_truth[6]]


def test_outcomes_are_counted_by_label_and_those_without_one_last():
    labels, outcomes = np.array([1, -1, 1, 0], np.int32), np.array([2, 6, 2, 0], np.uint8)
    counts = np.array(causes.count_outcomes(labels, outcomes, 2)).reshape(3, 7)
    assert counts.tolist() == [[1, 0, 0, 0, 0, 0, 0], [0, 0, 2, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1]]
