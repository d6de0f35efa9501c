"""The score to cut detections at, where several have the same."""

import numpy as np

from calipers.core.best_scores import best_cut
from calipers.suites.coco.curves import scored_class
from calipers.suites.coco.replicates import RankedClass


def test_the_right_one_of_a_tie_brings_the_wrong_one_along():
    # right at 0.9; right and wrong at 0.5. From 0.9: 2 · 1 / (2 + 1). From 0.5: 2 · 2 / (2 + 3), with both of them
    right = np.array([1, 1, 0], dtype=np.uint16)
    ranked = RankedClass(np.zeros(3, np.int32), right, np.zeros(3, np.uint16), np.zeros(2, np.int32))
    assert best_cut(scored_class(ranked, np.array([0.9, 0.5, 0.5]))) == (0.5, 0.8)
