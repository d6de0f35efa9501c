"""Which pairs are told apart: worked out by hand, against scipy, and against what compare and gate say of two."""

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from calipers.core.bootstrap import middle
from calipers.core.figures import Figure
from calipers.core.student import two_sided
from calipers.results.compare import change, compare
from calipers.results.gate import gate
from calipers.results.rank import rank
from calipers.results.rank_pairs import best_shares, holm, separate_pairs
from calipers.show.figures import figures

from ..profiles import examples
from .made_up import pair

BY_TURNS = np.tile([1.0, -1.0, 1.0, -1.0], 10)
IN_TWOS = np.tile([1.0, 1.0, -1.0, -1.0], 10)  # not correlated with the other


def figure(value, replicates, n=10, *, up=True, moved=False):
    drawn = None if replicates is None else np.asarray(replicates, dtype=np.float64)
    return Figure("f1", value, None, drawn, up, n, moved)


def three():
    """a is better than b by 0.10 ± 0.02, b is better than c by 0.01 ± 0.02, independently."""
    a = 0.80 + 0.01 * BY_TURNS * IN_TWOS
    b = a - (0.10 + 0.02 * BY_TURNS)
    c = b - (0.01 + 0.02 * IN_TWOS)
    return [figure(0.80, a), figure(0.70, b), figure(0.69, c)]


def test_three_models_by_hand():
    # s = sd · √(10 / 9), t = difference / s, 9 degrees of freedom; chances from a table of Student's t:
    #   a, b: sd 0.02          s 0.021082  t 4.7434  p 0.00105
    #   a, c: sd 0.02 · √2     s 0.029814  t 3.6896  p 0.00500
    #   b, c: sd 0.02          s 0.021082  t 0.4743  p 0.64654, and its interval reaches 0: 1
    pairs = separate_pairs(three())
    assert pairs.difference == pytest.approx([-0.10, -0.11, -0.01])
    assert pairs.p == pytest.approx([0.001054, 0.005002, 1.0], abs=1e-6)
    # Holm over three: 0.00105 ≤ 0.05 / 3, 0.00500 ≤ 0.05 / 2, 1 > 0.05
    assert pairs.separated_pairs() == [(0, 1), (0, 2)]
    difference, interval, separated = pairs.at(1, 0)
    assert (difference, interval, separated) == (pytest.approx(0.10), pytest.approx([0.08, 0.12]), True)


def test_the_pair_of_two_places_is_the_one_asked_for():
    rng = np.random.default_rng(3)
    found = [figure(float(value), value + 0.01 * rng.normal(size=60)) for value in (0.9, 0.8, 0.6, 0.3, 0.1)]
    pairs = separate_pairs(found)
    for one in range(5):
        for other in range(5):
            if one != other:
                ends = change(found[one], found[other])
                difference, interval, _ = pairs.at(one, other)
                assert (difference, interval) == (pytest.approx(ends.difference), pytest.approx(ends.interval))


# Against others


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.floats(0, 0.2) | st.just(0.0), min_size=1, max_size=40))
def test_holm_is_the_textbook_procedure(chances):
    """Adjusted: the largest so far of (m - k + 1) · p, from the smallest on; separated if at most 0.05."""
    order = sorted(range(len(chances)), key=lambda k: chances[k])
    adjusted, largest = {}, 0.0
    for place, k in enumerate(order):
        largest = max(largest, (len(chances) - place) * chances[k])
        adjusted[k] = largest
    expected = [adjusted[k] <= 0.05 for k in range(len(chances))]
    close = any(abs(value - 0.05) < 1e-12 for value in adjusted.values())  # a product and a quotient round differently
    assert close or holm(np.array(chances)).tolist() == expected


def test_holm_on_an_example_of_statsmodels():
    # statsmodels.stats.multitest.multipletests([0.001, 0.0125, 0.013, 0.03, 0.2], method="holm")
    #   adjusted 0.005, 0.05, 0.05, 0.06, 0.2
    assert holm(np.array([0.013, 0.001, 0.2, 0.0125, 0.03])).tolist() == [True, True, False, True, False]


@pytest.mark.parametrize("freedom", [1, 2, 3, 9, 40, 41, 60, 200, 10_000])
def test_chances_are_those_of_scipy(freedom):
    deviates = np.array([0.0, 0.3, 1.0, 2.0, 3.5, 6.0])
    expected = 2 * scipy.stats.t.sf(deviates, freedom)
    assert two_sided(deviates, freedom) == pytest.approx(expected, rel=2e-4, abs=1e-12)


def drawn_models(seed, count=6, records=60):
    """Figures of models over the same records, of which each finds a little less than the one before."""
    rng = np.random.default_rng(seed)
    hard = rng.beta(6, 3, records)
    weights = rng.poisson(1, (400, records))
    found = []
    for k in range(count):
        hits = rng.binomial(5, np.clip(hard - 0.02 * k, 0, 1)) / 5
        found.append(figure(float(hits.mean()), weights @ hits / weights.sum(axis=1), records))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_separated_pairs_are_those_of_an_independent_implementation(seed):
    found = drawn_models(seed)
    chances, places = [], []
    for j in range(len(found)):
        for i in range(j):
            draws = found[j].replicates - found[i].replicates
            spread = np.std(draws) * np.sqrt(60 / 59)
            p = 2 * scipy.stats.t.sf(abs(found[j].value - found[i].value) / spread, 59)
            low, high = middle(draws, records=60)
            chances.append(1.0 if low <= 0 <= high else p)
            places.append((i, j))
    order = np.argsort(chances)
    expected = set()
    for k, at in enumerate(order):
        if chances[at] > 0.05 / (len(order) - k):
            break
        expected.add(places[at])
    assert set(separate_pairs(found).separated_pairs()) == expected


def test_of_two_results_a_ranking_says_what_a_gate_says_and_never_more_than_a_comparison():
    rng = np.random.default_rng(7)
    told = 0
    for drop in [0.0, 0.05, 0.1, 0.2] * 10:
        old, new = pair(rng, 30, drop=drop)
        row = rank({"old": old, "new": new}, figure="recall", baseline="old")["figures"]["category.recall"]
        [verdict] = [each["verdict"] for each in row if each["name"] == "new"]
        failed = [gate(b, a, max_drop={"recall": 0.0}).state == "fail" for a, b in ((old, new), (new, old))]
        assert verdict == {(True, False): "worse", (False, True): "better", (False, False): "cannot tell"}[(*failed,)]
        [said] = [each for each in compare(old, new)["metrics"] if each["metric"] == "category.recall"]
        assert verdict in ("cannot tell", said["verdict"])
        told += verdict != "cannot tell"
    assert told > 10


# Odd figures


def test_lower_is_better_turns_the_best_around():
    a, b = figure(1.0, np.full(40, 1.0), up=False), figure(2.0, np.full(40, 2.0), up=False)
    assert best_shares([a, b]) == [1.0, 0.0]


def test_three_that_always_tie_have_a_third_each():
    assert best_shares([figure(1.0, np.full(1000, 1.0)) for _ in range(3)]) == [1 / 3] * 3


def test_ties_are_shared_and_undefined_replicates_are_nobodys():
    nan = np.nan
    #                 both      a       b       neither
    a = figure(0.5, [1.0, 2.0, 1.0, nan] * 10)
    b = figure(0.5, [1.0, 1.0, nan, nan] * 10)
    # of three replicates that count: a tie, a, and a again, as b is undefined there
    assert best_shares([a, b]) == pytest.approx([2.5 / 3, 0.5 / 3])


def test_replicates_that_tell_only_how_far_a_number_varies_are_moved_to_it():
    ramp = np.arange(41) / 1000
    high, low = figure(0.8, 0.70 + ramp, moved=True), figure(0.7, 0.90 + ramp, moved=True)
    assert best_shares([high, low]) == [1.0, 0.0]
    pairs = separate_pairs([high, low])
    assert pairs.separated.tolist() == [True]
    assert [pairs.low[0], pairs.high[0]] == pytest.approx([-0.1, -0.1])


def test_results_that_differ_by_rounding_are_not_told_apart():
    a = figure(0.3, np.full(40, 0.3))
    b = figure(0.1 + 0.2, np.full(40, 0.1 + 0.2))
    assert not separate_pairs([b, a]).separated.any()


def test_a_constant_difference_is_told_apart():
    varying = 0.5 + 0.1 * BY_TURNS
    assert separate_pairs([figure(0.5, varying), figure(0.25, varying - 0.25)]).separated.all()


@pytest.mark.parametrize("n", [0, 1])
def test_of_fewer_than_two_records_nothing_is_told(n):
    pairs = separate_pairs([figure(0.9, np.full(40, 0.9), n), figure(0.1, np.full(40, 0.1), n)])
    assert not pairs.separated.any()
    assert pairs.at(0, 1)[1] is None


def test_without_replicates_nothing_is_told():
    pairs = separate_pairs([figure(0.9, None), figure(0.1, np.full(40, 0.1))])
    assert not pairs.separated.any()
    assert best_shares([figure(0.9, None), figure(0.1, np.full(40, 0.1))]) == [None, 1.0]


# How often it is wrong, and how often right


def equal_models(rng, count, records, drop=0.0):
    """Artifacts of equally good models; the last one is truly worse by `drop`."""
    from .made_up import artifact

    keys = [f"{rng.integers(1 << 60):x}-{k}" for k in range(records)]
    gt = 1 + rng.poisson(5, records)
    chance = np.clip(rng.beta(6, 3, records), max(drop, 0.01), 1)
    for k in range(count):
        hits = rng.binomial(gt, chance - (drop if k == count - 1 else 0.0))
        yield figures(artifact(keys, gt, hits + rng.poisson(1, records), hits, replicates=400))["category.recall"]


def test_of_equal_models_hardly_any_are_told_apart():
    rng = np.random.default_rng(11)
    alarms = [separate_pairs(list(equal_models(rng, 5, 40))).separated.any() for _ in range(150)]
    # 5 % of 150 sets are 7.5; more than 14 would be rarer than one in a hundred
    assert sum(alarms) <= 14


def test_a_model_that_is_much_worse_is_found():
    rng = np.random.default_rng(12)
    found = 0
    for _ in range(40):
        pairs = separate_pairs(list(equal_models(rng, 5, 40, drop=0.2)))
        found += {(k, 4) for k in range(4)} <= set(pairs.separated_pairs())
    assert found >= 32
