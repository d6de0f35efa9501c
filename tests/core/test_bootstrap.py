"""Intervals by Poisson bootstrap: the weights are Poisson(1), pure, and the same in every run over the same records.

Everything here is a pure function of written-out seeds, so the limits of the statistical checks either hold for good or
not at all; they stand at about 1 in 1000 for weights that are right.
"""

import json
import random
from fractions import Fraction
from itertools import pairwise
from math import e, factorial, frexp, isnan, nan

import numpy as np
import pytest

import calipers
from calipers.core.bootstrap import KEPT_BITS, interval, mean_intervals, resample, standard_deviation
from calipers.kernels.count.sums import key_hashes, weights

KEYS = [f"image {i}.jpg" for i in range(400)]
REPLICATES = 1000


@pytest.fixture(scope="module")
def drawn() -> np.ndarray:
    """(records, replicates) weights with seed 0."""
    return weights_of(KEYS, 0)


def weights_of(keys: list[str], seed: int, replicates: int = REPLICATES) -> np.ndarray:
    return np.array([weights(int(key), seed, replicates).tolist() for key in key_hashes(keys)])


def resampled(keys: list[str], values: np.ndarray, *, seed: int, replicates: int) -> np.ndarray:
    """A row a record in, a row a replicate out."""
    return resample(keys, np.asarray(values).T, seed=seed, replicates=replicates).T


def correlation(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(a.ravel(), b.ravel())[0, 1])


# The weights


def test_weights_are_whole_and_not_negative(drawn):
    assert (drawn == np.rint(drawn)).all()
    assert drawn.min() == 0


def test_mean_and_variance_of_the_weights_are_one(drawn):
    # 400 000 draws: standard errors sqrt(1 / n) = 0.0016 and sqrt(3 / n) = 0.0027
    assert drawn.mean() == pytest.approx(1, abs=0.005)
    assert drawn.var() == pytest.approx(1, abs=0.009)


@pytest.mark.parametrize("seed", [0, 1, 2**63 - 1])
def test_weights_follow_the_exact_probabilities(seed):
    counts = np.bincount(weights_of(KEYS, seed).astype(int).ravel(), minlength=8)
    observed = [*counts[:7], counts[7:].sum()]
    chances = [1 / (e * factorial(k)) for k in range(7)]
    expected = np.array([*chances, 1 - sum(chances)]) * len(KEYS) * REPLICATES
    chi_square = float(((observed - expected) ** 2 / expected).sum())
    assert chi_square < 24.3  # 7 degrees of freedom


def test_every_replicate_and_every_record_is_weighted_one_on_average(drawn):
    # each mean over 400 records has standard error 0.05, each over 1000 replicates 0.032
    assert abs(drawn.mean(axis=0) - 1).max() < 0.05 * 4.5
    assert abs(drawn.mean(axis=1) - 1).max() < 0.032 * 4.5


def test_weights_of_neighbouring_replicates_records_and_seeds_know_nothing_of_each_other(drawn):
    assert abs(correlation(drawn[:, :-1], drawn[:, 1:])) < 0.006
    assert abs(correlation(drawn[:, :-2], drawn[:, 2:])) < 0.006
    assert abs(correlation(drawn[:-1], drawn[1:])) < 0.006
    assert abs(correlation(drawn, weights_of(KEYS, 1))) < 0.006


def test_weights_are_a_pure_function_of_key_seed_and_replicate(drawn):
    again = weights_of(KEYS[::-1], 0)[::-1]
    assert (again == drawn).all()
    for replicates in (1, 2, 7, 999):  # odd ones too: two replicates share a hash
        assert (weights_of(KEYS, 0, replicates) == drawn[:, :replicates]).all()


def test_other_seeds_give_other_weights(drawn):
    others = [weights_of(KEYS, seed) for seed in (1, 2, 3)]
    for other in others:
        assert (other != drawn).mean() > 0.5  # two draws from Poisson(1) are equal with chance 0.309


def test_weights_are_the_same_on_every_machine_and_in_every_version():
    key = reference_hash("image 0.jpg")
    assert key_hashes(["image 0.jpg", "图/1 2 3 4 5 6 7"]).tolist() == [key, reference_hash("图/1 2 3 4 5 6 7")]
    assert weights(key, 0, 16).tolist() == reference_weights(key, 0, 16)
    assert weights(key, 2**63 - 1, 15).tolist() == reference_weights(key, 2**63 - 1, 15)
    assert reference_weights(0, 0, 12) == weights(0, 0, 12).tolist()


def mix(x: int) -> int:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return x ^ x >> 31


def reference_hash(key: str) -> int:
    """Eight bytes at a time, after the length."""
    text = key.encode()
    state = mix((len(text) + 0x9E3779B97F4A7C15) % 2**64)
    for at in range(0, len(text), 8):
        state = mix(state ^ int.from_bytes(text[at : at + 8], "little"))
    return state


def reference_weights(key: int, seed: int, replicates: int) -> list[float]:
    """A mixed product of key and seed; 32 bits a draw; the weight is how many steps of Poisson(1) they reach."""
    steps = [sum(2**32 / (e * factorial(j)) for j in range(k + 1)) // 1 for k in range(13)]
    state, drawn = mix(key ^ mix((seed + 0x9E3779B97F4A7C15) % 2**64)), []
    while len(drawn) < replicates:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        product = state * (state ^ 0xE7037ED1A0B428DB)
        bits = (product >> 64) ^ product % 2**64
        drawn += [float(sum(half >= step for step in steps)) for half in (bits % 2**32, bits >> 32)]
    return drawn[:replicates]


def test_keys_are_told_apart_to_the_last_character():
    keys = ["", "a", "A", "a ", "\u00e1", "a\u0301", "图", "\udcff", "1", "01"]
    assert len(set(key_hashes(keys).tolist())) == len(keys)
    assert len(key_hashes([])) == 0


# The sums


def values_of(count: int) -> np.ndarray:
    rng = random.Random(count)
    return np.array([[rng.randint(0, 9), rng.randint(0, 9), rng.randint(0, 10**6)] for _ in range(count)])


def test_a_replicate_is_the_sum_of_weight_times_value(drawn):
    values = values_of(len(KEYS))
    assert (resampled(KEYS, values, seed=0, replicates=REPLICATES) == drawn.T @ values).all()


def test_sums_are_integers_and_merge_over_shards_in_any_order():
    values = values_of(len(KEYS))
    whole = resampled(KEYS, values, seed=5, replicates=100)
    assert whole.dtype == np.int64
    for cuts in ([], [1], [200], [3, 50, 51, 399]):
        edges = [0, *cuts, len(KEYS)]
        shards = [slice(a, b) for a, b in pairwise(edges)]
        sums = [resampled(KEYS[shard], values[shard], seed=5, replicates=100) for shard in shards[::-1]]
        assert (sum(sums) == whole).all()


def test_the_order_of_records_does_not_matter():
    values, order = values_of(len(KEYS)), random.Random(1).sample(range(len(KEYS)), len(KEYS))
    shuffled = resampled([KEYS[i] for i in order], values[order], seed=0, replicates=50)
    assert (shuffled == resampled(KEYS, values, seed=0, replicates=50)).all()


@pytest.mark.parametrize("largest", [9, 2**36, 2**45, 2**46 - 1, 2**50])
def test_sums_of_numbers_of_either_sign_are_exact(largest):
    rng = random.Random(largest)
    values = np.array([[rng.choice((-largest, largest, rng.randint(-largest, largest)))] for _ in range(90)])
    found = resampled(KEYS[:90], values, seed=2, replicates=33)[:, 0].tolist()
    drawn = weights_of(KEYS[:90], 2, 33).T.tolist()
    assert found == [sum(n * value for n, (value,) in zip(row, values.tolist(), strict=True)) for row in drawn]


@pytest.mark.parametrize(("records", "replicates"), [(0, 10), (5, 0), (0, 0)])
def test_without_records_or_replicates_there_is_nothing_to_add(records, replicates):
    sums = resampled(KEYS[:records], np.zeros((records, 3)), seed=0, replicates=replicates)
    assert sums.shape == (replicates, 3)
    assert not sums.any()


# The intervals


def test_the_interval_leaves_out_a_fortieth_at_either_end():
    shuffled = random.Random(1).sample(range(1000), 1000)
    assert interval(shuffled, [1000] * 1000, records=9) == [0.025, 0.974]
    assert interval(range(40), [100] * 40, records=2) == [0.01, 0.38]
    assert interval([7] * 40, [10] * 40, records=2) == [0.7, 0.7]


def test_replicates_without_a_denominator_are_left_out():
    # 40 defined ones, 0.00 … 0.39, among as many undefined
    assert interval([*range(40), *[0] * 40], [*[100] * 40, *[0] * 40], records=2) == [0.01, 0.38]


@pytest.mark.parametrize(
    ("numerators", "denominators", "records"),
    [
        (range(1000), [1000] * 1000, 1),
        (range(1000), [1000] * 1000, 0),
        (range(39), [100] * 39, 9),
        ([*range(39), 0], [*[100] * 39, 0], 9),
        ([0] * 100, [0] * 100, 9),
        ([], [], 9),
    ],
    ids=["one record", "no record", "39 replicates", "39 defined", "none defined", "no replicates"],
)
def test_too_little_gives_no_interval(numerators, denominators, records):
    assert interval(numerators, denominators, records=records) is None


def test_95_percent_intervals_hold_a_known_ratio_about_95_percent_of_the_time():
    # 400 experiments, each of 80 records with 1 to 9 objects of which each is found with chance 0.7
    rng, held = random.Random(3), 0
    for experiment in range(400):
        sizes = [rng.randint(1, 9) for _ in range(80)]
        found = [[sum(rng.random() < 0.7 for _ in range(size)), size] for size in sizes]
        sums = resampled([f"{experiment}/{i}" for i in range(80)], found, seed=0, replicates=200)
        low, high = interval(sums[:, 0], sums[:, 1], records=80)
        held += low <= 0.7 <= high
    assert 0.91 <= held / 400 <= 0.98  # standard error 0.011; few replicates make the interval a little short


# Intervals of means


def exact_interval(keys: list[str], values: list[float], seed: int, replicates: int) -> list[float] | None:
    """The same in fractions, from values cut to some bits of the largest; told in ten digits."""
    known = [(key, value) for key, value in zip(keys, values, strict=True) if not isnan(value)]
    unit = Fraction(2) ** (frexp(max((abs(value) for _, value in known), default=0))[1] - KEPT_BITS)
    cut = [round(Fraction(value) / unit) * unit for _, value in known]
    drawn = [weights(int(key), seed, replicates).tolist() for key in key_hashes([key for key, _ in known])]
    means = []
    for b in range(replicates):
        times = [row[b] for row in drawn]
        if sum(times):
            means.append(sum(n * value for n, value in zip(times, cut, strict=True)) / sum(times))
    if len(known) < 2 or len(means) < 40:
        return None
    tail = len(means) // 40
    return [float(f"{float(sorted(means)[place]):.10g}") for place in (tail, -1 - tail)]


def columns_of_values(records: int) -> np.ndarray:
    """(7, records): rates, whole numbers, signed, huge, tiny, often undefined, always the same."""
    rng = random.Random(records)
    columns = [
        [rng.random() for _ in range(records)],
        [rng.randint(0, 500) for _ in range(records)],
        [rng.uniform(-40, 40) for _ in range(records)],
        [rng.uniform(0, 1e300) for _ in range(records)],
        [rng.uniform(0, 1e-200) for _ in range(records)],
        [rng.choice((nan, nan, rng.random())) for _ in range(records)],
        [0.1] * records,
    ]
    return np.array(columns)


@pytest.mark.parametrize("records", [2, 3, 7, 8, 9, 100, 500])  # eight are added at once
def test_an_interval_of_a_mean_is_exact(records):
    keys, values, replicates = [f"video {i}" for i in range(records)], columns_of_values(records), 50
    found = mean_intervals(keys, values, seed=3, replicates=replicates)
    assert found == [exact_interval(keys, column, 3, replicates) for column in values.tolist()]


def test_an_interval_of_a_mean_is_near_that_of_the_values_as_they_are(drawn):
    values = columns_of_values(len(KEYS))[[0, 1, 2, 3, 4, 6]]
    means = np.sort(values @ drawn / drawn.sum(axis=0), axis=1)
    found = mean_intervals(KEYS, values, seed=0, replicates=REPLICATES)
    assert np.array(found) == pytest.approx(means[:, [25, 974]], rel=1e-9, abs=1e-9)


def test_the_order_of_records_changes_no_bit_of_an_interval():
    values, rng = columns_of_values(len(KEYS)), random.Random(8)
    expected = mean_intervals(KEYS, values, seed=0, replicates=100)
    for _ in range(3):
        order = rng.sample(range(len(KEYS)), len(KEYS))
        assert mean_intervals([KEYS[i] for i in order], values[:, order], seed=0, replicates=100) == expected


def test_columns_know_nothing_of_each_other():
    values = columns_of_values(50)
    expected = mean_intervals(KEYS[:50], values, seed=0, replicates=100)
    alone = [mean_intervals(KEYS[:50], values[[k]], seed=0, replicates=100)[0] for k in range(7)]
    assert alone == expected
    assert mean_intervals(KEYS[:50], values[::-1], seed=0, replicates=100) == expected[::-1]


def test_a_record_where_a_mean_is_undefined_does_not_count():
    values = [[1.0, 2.0, nan, 4.0], [nan, 8.0, 9.0, nan]]
    found = mean_intervals(KEYS[:4], values, seed=0, replicates=200)
    assert found[:1] == mean_intervals([KEYS[0], KEYS[1], KEYS[3]], [[1.0, 2.0, 4.0]], seed=0, replicates=200)
    assert found[1:] == mean_intervals(KEYS[1:3], [[8.0, 9.0]], seed=0, replicates=200) == [[8.0, 9.0]]


@pytest.mark.parametrize(
    ("records", "replicates"), [(0, 1000), (1, 1000), (5, 0), (5, 39)], ids=["none", "one", "no draws", "few draws"]
)
def test_too_little_gives_no_interval_of_a_mean(records, replicates):
    values = np.ones((3, records))
    assert mean_intervals(KEYS[:records], values, seed=0, replicates=replicates) == [None] * 3


def test_a_mean_that_is_defined_once_or_never_has_no_interval():
    values = [[nan, nan, nan], [nan, 5.0, nan], [1.0, 1.0, 1.0]]
    assert mean_intervals(KEYS[:3], values, seed=0, replicates=100) == [None, None, [1.0, 1.0]]
    assert mean_intervals(KEYS[:3], np.zeros((0, 3)), seed=0, replicates=100) == []


def test_the_interval_hangs_on_keys_and_seed():
    values = columns_of_values(30)[:1]
    found = {str(mean_intervals(KEYS[a : a + 30], values, seed=s, replicates=99)) for a, s in ((0, 0), (0, 1), (9, 0))}
    assert len(found) == 3


# In a report


def dump(miss_rate: float, seed: int, count: int = 60) -> list[dict]:
    """The same records for any miss rate, with other predictions."""
    rng = random.Random(seed)
    records = []
    for i in range(count):
        sides = [[40 * k, 10 * i, 40 * k + 30, 10 * i + 9] for k in range(1 + i % 5)]
        truth = [{"type": "bbox_2d", "points": side, "desc": "类别=标签"} for side in sides]
        records.append({"id": i, "gt_norm1000": truth, "pred": [t for t in truth if rng.random() > miss_rate]})
    return records


def sums_of(report) -> dict[str, list[int]]:
    return report["bootstrap"]["sums"]


def test_a_run_compared_with_itself_differs_in_no_replicate(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, dump(0.3, 1))))
    one, two = calipers.dense(path, jobs=1), calipers.dense(path, jobs=2, chunk_bytes=500)
    shuffled = calipers.dense(random.Random(1).sample(dump(0.3, 1), 60))
    assert sums_of(one) == sums_of(two) == sums_of(shuffled)
    f1 = [[2 * m / (g + p) for m, g, p in triples(report)] for report in (one, two)]
    assert [a - b for a, b in zip(*f1, strict=True)] == [0.0] * 1000


def triples(report):
    sums = sums_of(report)
    return zip(sums["category.matched"], sums["gt"], sums["pred"], strict=True)


def test_two_runs_over_the_same_records_share_their_weights_replicate_by_replicate():
    good, bad = calipers.dense(dump(0.1, 1)), calipers.dense(dump(0.5, 2))
    assert sums_of(good)["gt"] == sums_of(bad)["gt"]
    recalls = [np.array(sums_of(run)["category.matched"]) / np.array(sums_of(run)["gt"]) for run in (good, bad)]
    assert ((recalls[0] - recalls[1]) > 0.15).all()


def test_other_seeds_give_other_sums_and_the_same_estimates():
    one, two = calipers.dense(dump(0.3, 1), seed=1), calipers.dense(dump(0.3, 1), seed=2)
    assert sums_of(one)["gt"] != sums_of(two)["gt"]
    assert one["bootstrap"]["seed"] == 1
    figures = [dict(report["modes"]["category"]["primary"]) for report in (one, two)]
    intervals = [figure.pop("interval") for figure in figures]
    assert figures[0] == figures[1]
    assert intervals[0] != intervals[1]


def test_the_sums_are_those_of_the_weights():
    report = calipers.dense(dump(0.3, 1), bootstrap=50)
    drawn = weights_of([str(i) for i in range(60)], 0, 50)
    assert sums_of(report)["gt"] == (drawn.T @ [1 + i % 5 for i in range(60)]).tolist()


def test_intervals_surround_their_numbers_and_come_from_the_sums():
    report = calipers.dense(dump(0.3, 1))
    sums = {name: np.array(values) for name, values in sums_of(report).items()}
    for mode, tree in report["modes"].items():
        matched, swept = sums[f"{mode}.matched"], sums[f"{mode}.matched_over_sweep"]
        expected = {
            "precision": interval(matched, sums["pred"], records=60),
            "recall": interval(matched, sums["gt"], records=60),
            "f1": interval(2 * matched, sums["gt"] + sums["pred"], records=60),
        }
        assert tree["primary"]["interval"] == expected
        assert tree["mean_f1_interval"] == interval(2 * swept, 10 * (sums["gt"] + sums["pred"]), records=60)
        for name, (low, high) in expected.items():
            assert low <= tree["primary"][name] <= high


@pytest.mark.parametrize(("records", "options"), [(1, {}), (60, {"bootstrap": 0}), (60, {"bootstrap": 39}), (0, {})])
def test_an_undefined_interval_is_null(records, options):
    report = calipers.dense(dump(0.3, 1)[:records], **options)
    for tree in report["modes"].values():
        assert tree["primary"]["interval"] == {"precision": None, "recall": None, "f1": None}
        assert tree["mean_f1_interval"] is None


def test_an_interval_is_null_only_where_its_number_is_undefined():
    silent = [{**record, "pred": []} for record in dump(0, 1)]
    primary = calipers.dense(silent)["modes"]["category"]["primary"]
    assert primary["precision"] is None
    assert primary["interval"] == {"precision": None, "recall": [0.0, 0.0], "f1": [0.0, 0.0]}


@pytest.mark.parametrize("columns", [[[1], [10]], [[1, 2, 3]], [[]], [1, 2, 3], [[1]] * 40])
def test_a_column_has_a_value_for_each_record(columns):
    with pytest.raises(ValueError, match="expected"):
        resample(["a", "b"], columns, seed=0, replicates=4)


def test_many_keys_without_values_are_refused():
    with pytest.raises(ValueError, match="values: found 3 entries, expected 900000"):
        resample([""] * 300_000, [[1]] * 3, seed=0, replicates=4)


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 127, 128, 129, 999, 1000, 1001, 10_000])
def test_the_standard_deviation_is_that_of_numpy(count):
    rng = np.random.default_rng(count)
    for values in (rng.random(count), rng.normal(1e9, 1e-3, count), np.full(count, 0.1), 10 ** rng.normal(0, 9, count)):
        assert standard_deviation(values) == float(np.std(values))
