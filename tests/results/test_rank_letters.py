"""Letters of groups: two results share one if and only if their pair is not separated."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calipers.results import rank_letters
from calipers.results.rank_letters import letter, letters, split_letters

from ..profiles import examples


def held(count, separated, groups):
    own = split_letters(groups)
    apart = {frozenset(pair) for pair in separated}
    wrong = [pair for pair in combinations(range(count), 2) if bool(own[pair[0]] & own[pair[1]]) == ({*pair} in apart)]
    return wrong == [] and all(own)


graphs = st.integers(1, 12).flatmap(
    lambda count: st.tuples(
        st.just(count),
        st.sets(st.sampled_from([*combinations(range(count), 2)])) if count > 1 else st.just(set()),
    )
)


@settings(max_examples=examples(300), deadline=None)
@given(graphs)
def test_two_share_a_letter_if_and_only_if_they_are_not_separated(graph):
    count, separated = graph
    assert held(count, separated, letters(count, separated))


@settings(max_examples=examples(100), deadline=None)
@given(graphs)
def test_so_they_do_where_splitting_would_take_too_long(graph):
    count, separated = graph
    groups = rank_letters._covering(count, sorted(separated))
    shared = {pair for group in groups for pair in combinations([k for k in range(count) if group >> k & 1], 2)}
    assert shared == {*combinations(range(count), 2)} - separated


def test_the_order_of_pairs_changes_nothing():
    pairs = [(0, 3), (1, 3), (0, 2), (0, 4), (1, 4), (2, 4)]
    assert letters(5, pairs) == letters(5, pairs[::-1]) == letters(5, [(b, a) for a, b in pairs])
    assert letters(5, pairs) == ["a", "ab", "bc", "cd", "d"]


def test_letters_of_a_chain_by_hand():
    #   0-1 1-2 2-3 cannot be told apart, all others can
    assert letters(4, [(0, 2), (0, 3), (1, 3)]) == ["a", "ab", "bc", "c"]


def test_a_letter_that_no_pair_needs_is_left_out():
    # a ring: 0-1, 1-2, 2-3 and 0-3 are together, 0-2 and 1-3 apart; all four letters are needed
    assert letters(4, [(0, 2), (1, 3)]) == ["ab", "ac", "cd", "bd"]
    # a triangle 0 1 2 with one more at each side: the three groups at its sides hold its pairs as well
    sun = {(0, 5), (1, 4), (2, 3), (3, 4), (3, 5), (4, 5)}
    assert letters(6, sun) == ["ab", "ac", "bc", "a", "b", "c"]


def test_beyond_z_letters_are_apart():
    groups = letters(30, combinations(range(30), 2))
    assert (groups[25], groups[26], groups[29]) == ("z", "aa", "ad")
    assert held(30, [*combinations(range(30), 2)], groups)
    together = letters(30, [pair for pair in combinations(range(30), 2) if pair != (27, 28)])
    assert together[27] == together[28] == "ab"
    assert letters(30, [pair for pair in combinations(range(30), 2) if pair not in ((0, 28), (0, 29))])[0] == "a b"


def test_one_result_and_none():
    assert (letters(1, []), letters(0, [])) == (["a"], [])


@pytest.mark.parametrize(("number", "name"), [(0, "a"), (26, "aa"), (701, "zz"), (702, "aaa")])
def test_names_of_letters(number, name):
    assert letter(number) == name


def test_a_hundred_results_in_a_tangle_are_grouped_in_time():
    import random

    rng = random.Random(0)
    separated = [pair for pair in combinations(range(100), 2) if rng.random() < 0.5]
    assert held(100, separated, letters(100, separated))
