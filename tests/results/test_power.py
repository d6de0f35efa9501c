"""The gate knows noise: equal models hardly ever fail, and drops of the stated size are found as often as stated.

Models are made up record by record (see made_up.py), many pairs for each claim, from written-out seeds.
"""

from collections import Counter
from functools import cache, lru_cache

import numpy as np
import pytest
import scipy

from calipers.results.gate import gate
from calipers.results.power import quantile

from ..profiles import share, size
from .made_up import pair

PAIRS = size(500)
REPLICATES = 1000 if share() == 1 else 400


def states(records: int, allowed: dict[str, float], *, drop: float = 0.0, seed: int = 0) -> Counter:
    """How often a gate says what of all pairs; the state is that of the whole gate."""
    return Counter(gate(new, old, max_drop=allowed).state for old, new in pairs(records, drop, seed))


@lru_cache(1)  # tests that differ in their rules alone come one after another
def pairs(records: int, drop: float, seed: int) -> list[tuple[dict, dict]]:
    """The old and the new result of all pairs."""
    rng = np.random.default_rng(seed)
    return [pair(rng, records, drop=drop, replicates=REPLICATES) for _ in range(PAIRS)]


@pytest.mark.parametrize(("records", "allowed"), [(5, 0.0), (12, 0.0), (60, 0.0), (60, 0.01), (60, 0.05), (200, 0.02)])
def test_of_many_pairs_of_equal_models_at_most_5_percent_fail(records, allowed):
    assert states(records, {"recall": allowed})["fail"] <= 0.05 * PAIRS


def test_many_rules_raise_no_more_false_alarms_than_one():
    found = states(40, dict.fromkeys(("recall", "precision", "f1", "mean_f1"), 0.0), seed=1)
    assert found["fail"] <= 0.05 * PAIRS


def test_with_enough_records_equal_models_pass():
    """400 records detect drops of 0.03, so a rule of 0.05 can be decided."""
    assert states(400, {"recall": 0.05}, seed=2) == {"pass": PAIRS}


@pytest.mark.parametrize(("records", "share"), [(40, 0.0), (150, 0.0), (150, 0.5)])
def test_a_drop_of_the_stated_size_is_found_in_80_percent(records, share):
    """Whatever is allowed, up to about two thirds of that size; shares are within 2.8 sigma of 0.80."""
    stated = smallest_drop(records, smallest_drop(records, 0.05))
    found = states(records, {"recall": share * stated}, drop=stated, seed=4)
    assert found["fail"] / PAIRS == pytest.approx(0.80, abs=2.8 * (0.8 * 0.2 / PAIRS) ** 0.5)


@cache
def smallest_drop(records: int, drop: float) -> float:
    """What gates state on average of models that differ by so much, since models that find less vary more."""
    rng = np.random.default_rng(3)
    models = (pair(rng, records, drop=drop, replicates=REPLICATES) for _ in range(40))
    gates = (gate(new, old, max_drop={"recall": 0}) for old, new in models)
    return float(np.mean([each.rows[0]["detectable_drop"] for each in gates]))


def test_a_drop_within_the_rule_hardly_ever_fails_where_the_set_is_large_enough():
    """400 records detect 0.03; a real drop of 0.03 under a rule of 0.06 is two standard deviations away from it."""
    assert states(400, {"recall": 0.06}, drop=0.03, seed=5)["fail"] <= 0.05 * PAIRS


@pytest.mark.parametrize("rules", [1, 2, 5, 20, 100])
def test_quantiles_are_those_of_student(rules):
    share = 1 - 0.025 / rules
    for freedom in (1, 2, 3, 4, 5, 10, 30, 40, 41, 200, 100_000):
        assert quantile(share, freedom) == pytest.approx(scipy.stats.t.ppf(share, freedom), rel=1e-5), freedom
    assert quantile(0.80, 30) == pytest.approx(scipy.stats.t.ppf(0.80, 30), rel=1e-6)
