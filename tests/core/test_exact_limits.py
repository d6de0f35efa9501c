"""Limits that are met exactly: what reaches one is within it, and rounding does not move it."""

import numpy as np
import pytest

from calipers.core.errors import InputError
from calipers.core.limits import PairBudget
from calipers.core.ranking import precision_at


def test_a_budget_can_be_spent_to_the_last_pair():
    budget = PairBudget(3, 0, "pairs of boxes")
    budget.spend(2, "a.mp4")
    budget.spend(1, "b.mp4")
    with pytest.raises(InputError, match=r"^c\.mp4: more than 3 pairs of boxes; `max_pairs=…` lifts this limit$"):
        budget.spend(1, "c.mp4")


@pytest.mark.parametrize(("hits", "objects", "target"), [(7, 25, 0.28), (7, 100, 0.07), (9, 10, 0.9)])
def test_a_target_recall_that_is_met_exactly_is_reached(hits, objects, target):
    # 0.28 * 25 and 0.07 * 100 are 7.000000000000001 as floats, which would ask for an eighth object
    assert precision_at(np.ones(hits, dtype=bool), objects, target) == 1.0
    assert precision_at(np.ones(hits - 1, dtype=bool), objects, target) == 0.0
