"""Tallies: integers that add in any order and grouping to the same bits."""

import pickle
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calipers.core.tally import Tally, fixed, mean, ratio

from ..profiles import examples


def contents(tally: Tally) -> tuple:
    """All a tally holds, in an order of its own."""
    return (
        {name: (values.shape, values.tolist()) for name, values in tally.counts.items()},
        tally.sums,
        {table: {name: row.tolist() for name, row in rows.items()} for table, rows in tally.tables.items()},
    )


def made(counts=(), sums=(), rows=()) -> Tally:
    tally = Tally()
    for name, values in counts:
        tally.count(name, values)
    for name, value in sums:
        tally.add_sum(name, value)
    for table, name, values in rows:
        tally.count_row(table, name, values)
    return tally


whole = st.integers(-(2**40), 2**40)
names = st.sampled_from("abc")
tallies = st.builds(
    made,
    st.lists(st.tuples(names, st.tuples(whole, whole)), max_size=4),
    st.lists(st.tuples(names, st.integers(-(10**30), 10**30)), max_size=4),
    st.lists(st.tuples(names, names, st.tuples(whole, whole, whole)), max_size=4),
)


@settings(deadline=None, max_examples=examples(60))
@given(tallies, tallies, tallies)
def test_adding_is_commutative_and_associative_and_knows_a_zero(a, b, c):
    assert contents(a + b) == contents(b + a)
    assert contents((a + b) + c) == contents(a + (b + c))
    assert contents(a + Tally()) == contents(a) == contents(Tally() + a)


@settings(deadline=None, max_examples=examples(60))
@given(st.lists(tallies, max_size=8), st.randoms(use_true_random=False))
def test_any_order_and_any_tree_of_additions_give_the_same(parts, rng):
    in_turn = Tally()
    for part in parts:
        in_turn += part
    rest = rng.sample(parts, len(parts)) or [Tally()]
    while len(rest) > 1:
        rest.append(rest.pop(rng.randrange(len(rest))) + rest.pop(rng.randrange(len(rest))))
    assert contents(rest[0]) == contents(in_turn)


def test_counts_add_element_by_element():
    tally = made(counts=[("a", [1, 2]), ("a", [10, 20]), ("b", [[1], [2]])])
    assert contents(tally)[0] == {"a": ((2,), [11, 22]), "b": ((2, 1), [[1], [2]])}


def test_sums_outgrow_64_bits():
    assert made(sums=[("a", 2**63 - 1), ("a", 2**63 - 1)]).sums == {"a": 2**64 - 2}


def test_rows_of_a_table_come_into_being_when_named():
    tally = made(rows=[("t", "x", [1, 0]), ("t", "y", [0, 1]), ("t", "x", [1, 1])])
    assert contents(tally)[2] == {"t": {"x": [2, 1], "y": [0, 1]}}


def test_adding_changes_neither_summand():
    a, b = made([("n", [1])], [("s", 1)], [("t", "x", [1])]), made([("n", [2])], [("s", 2)], [("t", "x", [2])])
    before = contents(a), contents(b)
    total = a + b
    total += a
    total.count("n", [5])
    total.count_row("t", "x", [5])
    assert (contents(a), contents(b)) == before
    assert contents(total) == ({"n": ((1,), [9])}, {"s": 4}, {"t": {"x": [9]}})


def test_a_summand_that_counts_on_does_not_change_the_total():
    total, part = Tally(), made([("n", [1])], [("s", 1)], [("t", "x", [1])])
    total += part
    part += made([("n", [7])], [("s", 7)], [("t", "x", [7])])
    assert contents(total) == ({"n": ((1,), [1])}, {"s": 1}, {"t": {"x": [1]}})


def test_a_tally_added_to_itself_is_doubled():
    tally = made([("n", [3])], [("s", 4)], [("t", "x", [5])])
    tally += tally
    assert contents(tally) == ({"n": ((1,), [6])}, {"s": 8}, {"t": {"x": [10]}})


def test_counting_leaves_the_array_it_is_given_alone():
    given_values = np.array([1, 2])
    tally = made(counts=[("a", given_values), ("a", given_values)])
    assert given_values.tolist() == [1, 2]
    assert tally.counts["a"].tolist() == [2, 4]


def test_a_tally_survives_a_pickle():
    tally = made([("n", [[1, 2]])], [("s", 10**30)], [("t", "标签", [5])])
    assert contents(pickle.loads(pickle.dumps(tally))) == contents(tally)


@pytest.mark.parametrize("largest", [5, 2**31 - 1, 2**31, 2**62])
@pytest.mark.parametrize("sign", [1, -1])
def test_many_counts_of_any_size_survive_a_pickle(largest, sign):
    tally = made([("n", sign * np.arange(largest - 1999, largest + 1))])
    again = pickle.loads(pickle.dumps(tally))
    again += tally
    assert contents(again) == contents(tally + tally)
    assert again.counts["n"].dtype == np.int64


# Fractions as integers


def test_fractions_are_summed_in_units_of_a_trillionth():
    assert fixed([]) == 0
    assert fixed([1.0, 0.5, 0.25]) == 1_750_000_000_000
    assert fixed([1 / 3] * 3) == 999_999_999_999  # each is 333333333333 units


def test_a_sum_of_fractions_does_not_depend_on_their_order():
    rng = random.Random(1)
    values = [rng.random() for _ in range(1000)]
    shuffled = rng.sample(values, len(values))
    assert sum(values) != sum(shuffled)
    assert fixed(values) == fixed(shuffled) == fixed(values[:300]) + fixed(values[300:])


def test_a_sum_of_fractions_may_outgrow_64_bits():
    assert fixed(np.ones(9_300_000)) == 9_300_000 * 10**12  # 2 ** 63 is 9.22e18


def test_a_mean_is_undefined_without_anything_to_average():
    assert mean(0, 0) is None
    assert mean(0, 4) == 0.0
    assert mean(1_500_000_000_000, 2) == 0.75
    assert mean(3 * 10**30, 3) == 1e18


@pytest.mark.parametrize("kind", [int, np.int64, np.int32])
def test_a_ratio_is_a_plain_float_and_undefined_without_a_whole(kind):
    assert ratio(kind(1), kind(4)) == 0.25
    assert type(ratio(kind(1), kind(4))) is float
    assert ratio(kind(0), kind(3)) == 0.0
    assert ratio(kind(0), kind(0)) is None


def test_a_ratio_of_integers_beyond_floats_is_rounded_once():
    assert ratio(2**53 + 1, 2**53 + 1) == 1.0
    assert ratio(10**400, 2 * 10**400) == 0.5


def test_rows_are_added_many_at_a_time_as_one_by_one():
    """Rows of zeros have no place in a table, and a table without rows none in a tally."""
    many, single = Tally(), Tally()
    many.count_rows("t", ["a", "b", "c"], [[1, 2], [0, 0], [3, 4]])
    many.count_rows("t", iter(["c", "d"]), [[5, 6], [0, 7]])
    many.count_rows("empty", ["a"], [[0, 0]])
    many.count_rows("empty", [], np.zeros((0, 2)))
    for name, row in (("a", [1, 2]), ("c", [3, 4]), ("c", [5, 6]), ("d", [0, 7])):
        single.count_row("t", name, row)
    assert contents(many) == contents(single) == ({}, {}, {"t": {"a": [1, 2], "c": [8, 10], "d": [0, 7]}})


def test_adding_to_a_total_leaves_the_part_as_it_was():
    part, total = made(rows=[("t", "a", [1])]), Tally()
    total += part
    total += part
    assert (contents(part)[2], contents(total)[2]) == ({"t": {"a": [1]}}, {"t": {"a": [2]}})
