"""Laws that every matcher keeps, and each matcher against its definition, written out.

A case is a list of records; a record says how many objects it has on both sides and the overlap of some pairs. A new
matcher joins MATCHERS and is held to all laws.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calipers.core.matching import Labels, Pairs, by_confidence, greedy, optimal, round_overlap
from calipers.kernels.count.assign import gather_codes

from ..profiles import examples

Triple = tuple[int, int, int]  # truth, pred, overlap


class Side:
    """As much of `Objects` as a matcher looks at."""

    def __init__(self, sizes: list[int]) -> None:
        self.offsets = np.cumsum([0, *sizes], dtype=np.int64)

    def __len__(self) -> int:
        return int(self.offsets[-1])


@dataclass(frozen=True)
class Case:
    """Some records, with a label and, for predictions, a confidence for each object."""

    records: tuple[tuple[int, int, tuple[Triple, ...]], ...]
    truth_labels: tuple[int, ...]
    pred_labels: tuple[int, ...]
    confidence: tuple[float, ...]

    @property
    def truth(self) -> Side:
        return Side([truths for truths, _, _ in self.records])

    @property
    def pred(self) -> Side:
        return Side([preds for _, preds, _ in self.records])

    @property
    def labels(self) -> Labels:
        return Labels(column(self.truth_labels), column(self.pred_labels))

    @property
    def triples(self) -> list[Triple]:
        """All pairs, with indices that run through all records."""
        starts = zip(self.truth.offsets.tolist(), self.pred.offsets.tolist(), strict=True)
        return [
            (i + first_truth, j + first_pred, overlap)
            for (first_truth, first_pred), (_, _, pairs) in zip(starts, self.records, strict=False)
            for i, j, overlap in pairs
        ]

    def pairs(self, rng: random.Random | None = None) -> Pairs:
        """The pairs, sorted; with `rng` they come in two parts, in any order within their record."""
        triples = self.triples
        if rng is None:
            return Pairs.sorted(self.truth, as_part(triples))
        record = np.searchsorted(self.truth.offsets, range(len(self.truth)), side="right")
        mixed = sorted(rng.sample(triples, len(triples)), key=lambda triple: record[triple[0]])
        sides = [rng.random() < 0.5 for _ in mixed]
        parts = [[triple for triple, here in zip(mixed, sides, strict=True) if here is side] for side in (True, False)]
        return Pairs.sorted(self.truth, *map(as_part, parts))

    def allowed(self, least: int, labelled: bool) -> list[Triple]:
        """Pairs that may match, by the definition."""
        return [
            (i, j, overlap)
            for i, j, overlap in self.triples
            if overlap >= least and (not labelled or -1 != self.truth_labels[i] == self.pred_labels[j])
        ]


def column(codes):
    """Codes as the suite has them: an int32 column."""
    return gather_codes(list(codes), np.arange(len(codes), dtype=np.int32))


def as_part(triples: list[Triple]) -> tuple:
    truth, pred, overlap = zip(*triples, strict=True) if triples else ((), (), ())
    return np.array(truth, np.int32), np.array(pred, np.int32), np.array(overlap, np.int64)


def triples_of(pairs: Pairs) -> list[Triple]:
    return list(zip(pairs.truth.tolist(), pairs.pred.tolist(), pairs.score.tolist(), strict=True))


# The matchers, with one signature


def run_greedy(case, pairs, least, labels):
    return greedy(pairs, case.truth, case.pred, min_overlap=least, labels=labels)


def run_optimal(case, pairs, least, labels):
    return optimal(pairs, min_overlap=least, labels=labels)


def run_by_confidence(case, pairs, least, labels):
    return by_confidence(pairs, case.truth, case.confidence, min_overlap=least, labels=labels)


MATCHERS: dict[str, Callable] = {"greedy": run_greedy, "optimal": run_optimal, "by_confidence": run_by_confidence}


@pytest.fixture(params=MATCHERS)
def match(request):
    """(case, least, labelled, rng) -> the pairs it takes."""

    def call(case: Case, least: int = 1, labelled: bool = False, rng: random.Random | None = None) -> list[Triple]:
        labels = case.labels if labelled else None
        return triples_of(MATCHERS[request.param](case, case.pairs(rng), least, labels))

    return call


# Cases


def make_case(rng: random.Random, *, records: int = 3, largest: int = 6, levels: int = 5) -> Case:
    """Few different overlaps, labels and confidences, so that ties abound."""
    made = []
    for _ in range(records):
        truths, preds = rng.randint(0, largest), rng.randint(0, largest)
        density = rng.choice((0.3, 0.7, 1.0))
        cells = [(i, j) for i in range(truths) for j in range(preds) if rng.random() < density]
        made.append((truths, preds, tuple((i, j, rng.randint(1, levels)) for i, j in cells)))
    truths, preds = (sum(record[side] for record in made) for side in (0, 1))
    return Case(
        tuple(made),
        tuple(rng.randint(-1, 1) for _ in range(truths)),
        tuple(rng.randint(-1, 1) for _ in range(preds)),
        tuple(rng.choice((0.1, 0.5, 0.9)) for _ in range(preds)),
    )


def one_record(truths: int, preds: int, *pairs: Triple, confidence: tuple = ()) -> Case:
    return Case(((truths, preds, pairs),), (0,) * truths, (0,) * preds, confidence or (1.0,) * preds)


CASES = [make_case(random.Random(seed)) for seed in range(120)]
LARGE = [make_case(random.Random(seed), records=2, largest=40, levels=1000) for seed in range(8)]
WAYS = [(1, False), (3, False), (1, True), (3, True)]


# Laws


@pytest.mark.parametrize(("least", "labelled"), WAYS)
def test_every_object_has_at_most_one_partner(match, least, labelled):
    for case in CASES + LARGE:
        taken = match(case, least, labelled)
        assert len({i for i, _, _ in taken}) == len({j for _, j, _ in taken}) == len(taken)


@pytest.mark.parametrize(("least", "labelled"), WAYS)
def test_only_pairs_of_enough_overlap_and_equal_labels_are_taken_with_their_own_overlap(match, least, labelled):
    for case in CASES + LARGE:
        assert set(match(case, least, labelled)) <= set(case.allowed(least, labelled))


@pytest.mark.parametrize(("least", "labelled"), WAYS)
def test_no_pair_is_left_whose_two_objects_are_both_free(match, least, labelled):
    for case in CASES + LARGE:
        taken = match(case, least, labelled)
        truths, preds = {i for i, _, _ in taken}, {j for _, j, _ in taken}
        assert all(i in truths or j in preds for i, j, _ in case.allowed(least, labelled))


@pytest.mark.parametrize(("least", "labelled"), WAYS)
def test_the_order_in_which_pairs_are_found_does_not_matter(match, least, labelled):
    for case in CASES + LARGE:
        expected = match(case, least, labelled)
        for seed in range(3):
            assert match(case, least, labelled, random.Random(seed)) == expected


@pytest.mark.parametrize(("least", "labelled"), WAYS)
def test_records_do_not_know_of_each_other(match, least, labelled):
    for case in CASES:
        together = match(case, least, labelled)
        apart, truths, preds = [], 0, 0
        for record in case.records:
            alone = Case(
                (record,),
                case.truth_labels[truths : truths + record[0]],
                case.pred_labels[preds : preds + record[1]],
                case.confidence[preds : preds + record[1]],
            )
            apart += [(i + truths, j + preds, overlap) for i, j, overlap in match(alone, least, labelled)]
            truths, preds = truths + record[0], preds + record[1]
        assert together == apart


def test_what_is_taken_comes_best_first_within_its_record(match):
    for case in CASES + LARGE:
        order = {(i, j): at for at, (i, j, _) in enumerate(triples_of(case.pairs()))}
        places = [order[i, j] for i, j, _ in match(case)]
        assert places == sorted(places)


def test_an_overlap_of_just_the_threshold_is_enough_and_one_unit_less_is_not(match):
    case = one_record(2, 2, (0, 0, round_overlap(0.55)), (1, 1, round_overlap(0.55) - 1))
    assert match(case, round_overlap(0.55)) == [(0, 0, 550_000_000_000)]


def test_no_label_agrees_with_nothing_not_even_with_no_label(match):
    #        truth  -1  0  1        each overlaps each
    #        pred   -1  1  0
    pairs = tuple((i, j, 5) for i in range(3) for j in range(3))
    case = Case(((3, 3, pairs),), (-1, 0, 1), (-1, 1, 0), (1.0,) * 3)
    assert match(case, labelled=True) == [(1, 2, 5), (2, 1, 5)]


def test_labels_may_keep_the_best_pair_apart(match):
    case = Case(((1, 2, ((0, 0, 9), (0, 1, 4))),), (3,), (2, 3), (0.9, 0.1))
    assert match(case) == [(0, 0, 9)]
    assert match(case, labelled=True) == [(0, 1, 4)]


@pytest.mark.parametrize(("truths", "preds"), [(0, 0), (3, 0), (0, 3), (2, 2)])
def test_without_pairs_nothing_is_taken(match, truths, preds):
    assert match(one_record(truths, preds)) == []
    assert match(one_record(truths, preds), labelled=True) == []


def test_perfect_predictions_are_all_taken(match):
    case = one_record(3, 3, *((i, j, 10 if i == j else 3) for i in range(3) for j in range(3)))
    assert match(case, 1, True) == [(0, 0, 10), (1, 1, 10), (2, 2, 10)]


@pytest.mark.parametrize("name", MATCHERS)
def test_the_pairs_and_labels_given_are_left_as_they_are(name):
    for case in CASES[:20]:
        pairs, labels = case.pairs(), case.labels
        before = triples_of(pairs)
        MATCHERS[name](case, pairs, 2, labels)
        assert triples_of(pairs) == before
        assert (tuple(labels.truth), tuple(labels.pred)) == (case.truth_labels, case.pred_labels)


@pytest.mark.parametrize("name", MATCHERS)
def test_labels_may_be_a_plain_list(name):
    case = one_record(1, 1, (0, 0, 5))
    assert triples_of(MATCHERS[name](case, case.pairs(), 1, Labels([0], [0]))) == [(0, 0, 5)]
    assert triples_of(MATCHERS[name](case, case.pairs(), 1, Labels([0], [1]))) == []


# Greedy


def greedy_reference(allowed: list[Triple]) -> set[Triple]:
    """The closest pair first; ties by truth index, then pred index."""
    taken: set[Triple] = set()
    for i, j, overlap in sorted(allowed, key=lambda triple: (-triple[2], triple[0], triple[1])):
        if all(i != other_i and j != other_j for other_i, other_j, _ in taken):
            taken.add((i, j, overlap))
    return taken


@pytest.mark.parametrize(("least", "labelled"), WAYS)
def test_greedy_is_its_definition(least, labelled):
    for case in CASES + LARGE:
        found = run_greedy(case, case.pairs(), least, case.labels if labelled else None)
        assert set(triples_of(found)) == greedy_reference(case.allowed(least, labelled))


@st.composite
def any_case(draw) -> Case:
    """A record of up to 12 by 12 with any overlaps, in any number of ties."""
    truths, preds = draw(st.integers(0, 12)), draw(st.integers(0, 12))
    cells = st.tuples(st.integers(0, max(0, truths - 1)), st.integers(0, max(0, preds - 1)))
    scores = draw(st.dictionaries(cells, st.integers(1, 6) | st.integers(1, 10**12), max_size=60))
    pairs = tuple((i, j, score) for (i, j), score in scores.items()) if truths and preds else ()
    labels = st.integers(-1, 2)
    return Case(
        ((truths, preds, pairs),),
        tuple(draw(st.lists(labels, min_size=truths, max_size=truths))),
        tuple(draw(st.lists(labels, min_size=preds, max_size=preds))),
        (0.5,) * preds,
    )


@settings(deadline=None, max_examples=examples(150))
@given(any_case(), st.integers(1, 7), st.integers(0, 7) | st.integers(0, 10**12), st.booleans())
def test_greedy_at_a_higher_threshold_is_the_head_of_greedy_at_a_lower_one(case, low, more, labelled):
    labels = case.labels if labelled else None
    at_low = triples_of(run_greedy(case, case.pairs(), low, labels))
    at_high = triples_of(run_greedy(case, case.pairs(), low + more, labels))
    assert at_high == at_low[: len(at_high)]
    assert all(overlap < low + more for _, _, overlap in at_low[len(at_high) :])
    assert set(at_high) == greedy_reference(case.allowed(low + more, labelled))


def test_greedy_breaks_ties_by_truth_index_then_pred_index():
    #            pred 0   1
    # truth 0         5   5
    # truth 1         5   -
    case = one_record(2, 2, (1, 0, 5), (0, 1, 5), (0, 0, 5))
    assert triples_of(run_greedy(case, case.pairs(), 1, None)) == [(0, 0, 5)]


def test_greedy_takes_the_closest_pair_even_where_that_costs_a_pair():
    #            pred 0   1
    # truth 0         8   7
    # truth 1         6   -       greedy: 0-0 alone; optimal: 0-1 and 1-0
    case = one_record(2, 2, (0, 0, 8), (0, 1, 7), (1, 0, 6))
    assert triples_of(run_greedy(case, case.pairs(), 1, None)) == [(0, 0, 8)]
    assert triples_of(run_optimal(case, case.pairs(), 1, None)) == [(0, 1, 7), (1, 0, 6)]


# Optimal


def best_by_all_permutations(case: Case, least: int, labelled: bool) -> tuple[int, int]:
    """(pairs, total overlap) of the best of all one-to-one matchings of a record, by trying every one."""
    scores = {(i, j): overlap for i, j, overlap in case.allowed(least, labelled)}
    truths, preds = len(case.truth), len(case.pred)
    if truths > preds:
        scores, truths, preds = {(j, i): overlap for (i, j), overlap in scores.items()}, preds, truths
    best = (0, 0)
    for order in permutations(range(preds), truths):
        taken = [scores[i, j] for i, j in enumerate(order) if (i, j) in scores]
        best = max(best, (len(taken), sum(taken)))
    return best


def best_by_subsets(case: Case, least: int, labelled: bool) -> tuple[int, int]:
    """The same, truth by truth, with the best result for every set of taken predictions."""
    partners: dict[int, list[tuple[int, int]]] = {}
    for i, j, overlap in case.allowed(least, labelled):
        partners.setdefault(i, []).append((j, overlap))
    best = {0: (0, 0)}
    for choices in partners.values():
        for taken, (count, total) in list(best.items()):
            for j, overlap in choices:
                if not taken >> j & 1:
                    key = taken | 1 << j
                    best[key] = max(best.get(key, (0, 0)), (count + 1, total + overlap))
    return max(best.values())


def size_and_total(pairs: Pairs) -> tuple[int, int]:
    return len(pairs), sum(pairs.score.tolist())


@pytest.mark.parametrize(("least", "labelled"), WAYS)
def test_optimal_has_most_pairs_and_then_the_largest_total_of_all_permutations(least, labelled):
    for seed in range(60):
        case = make_case(random.Random(seed), records=1, largest=6, levels=9)
        found = run_optimal(case, case.pairs(), least, case.labels if labelled else None)
        assert size_and_total(found) == best_by_all_permutations(case, least, labelled)


@pytest.mark.parametrize("levels", [3, 10**12])
def test_optimal_is_exact_to_the_last_unit_on_larger_records(levels):
    for seed in range(15):
        case = make_case(random.Random(seed), records=1, largest=11, levels=levels)
        found = run_optimal(case, case.pairs(), 1, None)
        assert size_and_total(found) == best_by_subsets(case, 1, False)


def test_one_more_pair_is_worth_any_overlap():
    #            pred 0       1
    # truth 0       1.0   1e-12
    # truth 1     1e-12       -
    case = one_record(2, 2, (0, 0, 10**12), (0, 1, 1), (1, 0, 1))
    assert triples_of(run_optimal(case, case.pairs(), 1, None)) == [(0, 1, 1), (1, 0, 1)]


def test_optimal_never_has_fewer_pairs_than_the_others_nor_less_overlap_for_as_many():
    for case in CASES + LARGE:
        best = size_and_total(run_optimal(case, case.pairs(), 1, None))
        for other in (run_greedy, run_by_confidence):
            assert size_and_total(other(case, case.pairs(), 1, None)) <= best


def test_greedy_has_at_least_half_the_pairs_of_optimal():
    for case in CASES + LARGE:
        most = len(run_optimal(case, case.pairs(), 1, None))
        assert 2 * len(run_greedy(case, case.pairs(), 1, None)) >= most


# By confidence


def by_confidence_reference(case: Case, allowed: list[Triple]) -> set[Triple]:
    """Predictions by confidence, ties by index; each takes the closest truth that is free, ties by index."""
    taken: set[Triple] = set()
    for pred in sorted(range(len(case.pred)), key=lambda j: (-case.confidence[j], j)):
        free = [(-o, i) for i, j, o in allowed if j == pred and all(i != other for other, _, _ in taken)]
        if free:
            taken.add((min(free)[1], pred, -min(free)[0]))
    return taken


@pytest.mark.parametrize(("least", "labelled"), WAYS)
def test_by_confidence_is_its_definition(least, labelled):
    for case in CASES + LARGE:
        found = run_by_confidence(case, case.pairs(), least, case.labels if labelled else None)
        assert set(triples_of(found)) == by_confidence_reference(case, case.allowed(least, labelled))


def test_the_surer_prediction_chooses_first_even_where_another_is_closer():
    case = one_record(1, 2, (0, 0, 9), (0, 1, 5), confidence=(0.2, 0.8))
    assert triples_of(run_by_confidence(case, case.pairs(), 1, None)) == [(0, 1, 5)]


def test_equal_confidence_is_settled_by_index_and_equal_overlap_by_truth_index():
    case = one_record(2, 2, (0, 0, 5), (1, 0, 5), (0, 1, 9), confidence=(0.5, 0.5))
    assert triples_of(run_by_confidence(case, case.pairs(), 1, None)) == [(0, 0, 5)]


def test_with_confidences_in_the_order_of_best_overlap_by_confidence_is_greedy():
    for seed in range(40):
        rng = random.Random(seed)
        cells = [(i, j) for i in range(6) for j in range(6)]
        overlaps = rng.sample(range(1, 1000), len(cells))
        pairs = tuple((i, j, overlap) for (i, j), overlap in zip(cells, overlaps, strict=True))
        matched = triples_of(run_greedy(case := one_record(6, 6, *pairs), case.pairs(), 1, None))
        confidence = {j: overlap / 1000 for _, j, overlap in matched}
        sure = one_record(6, 6, *pairs, confidence=tuple(confidence.get(j, 0.0) for j in range(6)))
        assert triples_of(run_by_confidence(sure, sure.pairs(), 1, None)) == matched


def test_the_reference_for_subsets_agrees_with_all_permutations():
    for seed in range(20):
        case = make_case(random.Random(seed), records=1, largest=5)
        assert best_by_subsets(case, 1, False) == best_by_all_permutations(case, 1, False)
