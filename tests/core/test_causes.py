"""Causes that add up: worked out by hand, against a plain implementation, and by their laws."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from calipers.core.causes import CAUSES, OUTCOMES, Causes, faint_overlap, outcomes_by_record
from calipers.core.matching import UNIT, Labels, Pairs, round_overlap
from calipers.core.worth import CauseCounts, cause_rows, gains_tree

Overlaps = dict[tuple[int, int], float]


def made(overlaps: Overlaps, truth: list[int], pred: list[int]) -> tuple[Pairs, Labels]:
    """One record: the overlap of each pair, and labels as codes, -1 for none."""
    listed = sorted((i, j, round_overlap(value)) for (i, j), value in overlaps.items())
    columns = zip(*listed, strict=True) if listed else ([], [], [])
    parts = tuple(np.array(list(column), dtype=kind) for column, kind in zip(columns, ("i4", "i4", "i8"), strict=True))
    pairs = Pairs.sorted(Offsets([0, len(truth)]), parts)  # type: ignore[arg-type]
    return pairs, Labels(np.array(truth, dtype=np.int32), np.array(pred, dtype=np.int32))


class Offsets:
    def __init__(self, offsets: list[int]) -> None:
        self.offsets = np.array(offsets, dtype=np.int64)


def names(codes: Any) -> list[str]:
    return [OUTCOMES[code] for code in codes.tolist()]


def test_each_cause_by_hand() -> None:
    # truth      0 cup   1 cup   2 cup   3 pot   4 cup
    # pred 0 cup 0.9
    # pred 1 cup 0.6                                     a second one of truth 0
    # pred 2 pot         0.7                             in place, another label
    # pred 3 cup                 0.3                     the label, too little overlap
    # pred 4 cup                         0.2             neither
    # pred 5 cup                                 0.05    faint: spurious, and truth 4 is missed
    overlaps = {(0, 0): 0.9, (0, 1): 0.6, (1, 2): 0.7, (2, 3): 0.3, (3, 4): 0.2, (4, 5): 0.05}
    pairs, labels = made(overlaps, [0, 0, 0, 1, 0], [0, 0, 1, 0, 0, 0])
    causes = Causes(pairs, labels, 0.5)
    assert names(causes.truth) == ["matched", "wrong_label", "misplaced", "wrong_label_and_place", "missed"]
    assert names(causes.pred) == [
        *("matched", "duplicate", "wrong_label", "misplaced", "wrong_label_and_place", "spurious"),
    ]
    assert dict(zip(OUTCOMES, causes.counts().tolist(), strict=True)) == dict.fromkeys(OUTCOMES, 1)


def test_an_error_of_two_objects_uses_both_up() -> None:
    """Two predictions of another label in one place: one is a wrong label, the other has nobody left."""
    pairs, labels = made({(0, 0): 0.8, (0, 1): 0.9}, [0], [1, 1])
    assert names(Causes(pairs, labels, 0.5).pred) == ["spurious", "wrong_label"]


def test_wrong_labels_come_before_misplaced_ones() -> None:
    """Truth 0 could be misplaced by pred 1 of its label; pred 0 is in place, and is found first."""
    pairs, labels = made({(0, 0): 0.5, (0, 1): 0.49}, [0], [1, 0])
    causes = Causes(pairs, labels, 0.5)
    assert (names(causes.truth), names(causes.pred)) == (["wrong_label"], ["wrong_label", "spurious"])


def test_a_duplicate_is_of_a_matched_object_only() -> None:
    """Pred 1 lies on truth 0, whose partner is of another label: spurious, as truth 0 is no match."""
    pairs, labels = made({(0, 0): 0.9, (0, 1): 0.3}, [0], [1, 0])
    assert names(Causes(pairs, labels, 0.5).pred) == ["wrong_label", "spurious"]


def test_objects_without_a_label_agree_in_nothing() -> None:
    pairs, labels = made({(0, 0): 0.9}, [-1], [-1])
    assert names(Causes(pairs, labels, 0.5).truth) == ["wrong_label"]


def test_ties_go_by_truth_then_pred() -> None:
    pairs, labels = made({(0, 0): 0.7, (0, 1): 0.7, (1, 0): 0.7, (1, 1): 0.7}, [0, 0], [1, 1])
    truth, pred = Causes(pairs, labels, 0.5).pairs_of(1)
    assert list(zip(truth.tolist(), pred.tolist(), strict=True)) == [(0, 0), (1, 1)]


def test_faint_is_a_tenth_or_half_of_a_low_threshold() -> None:
    """At 0.1 an overlap of 0.06 is misplaced: faint is 0.05 there."""
    pairs, labels = made({(0, 0): 0.06}, [0], [0])
    assert names(Causes(pairs, labels, 0.1).truth) == ["misplaced"]
    assert names(Causes(pairs, labels, 0.5).truth) == ["missed"]


def test_worth_by_hand() -> None:
    # 6 matched, 1 wrong label, 2 spurious, 2 missed: gt 9, pred 9, F1 = 12 / 18
    row = np.array([[6], [1], [0], [0], [0]])
    counts = CauseCounts(row, np.array([9]), np.array([9]))
    gains = {cause: float(gain[0]) for cause, gain in counts.f1_gains().items()}
    assert gains["wrong_label"] == 2 / 18
    assert gains["spurious"] == 12 / 16 - 12 / 18
    assert gains["missed"] == 16 / 20 - 12 / 18
    assert gains["misplaced"] == gains["duplicate"] == gains["wrong_label_and_place"] == 0


def test_worth_is_undefined_without_objects() -> None:
    none = CauseCounts(np.zeros((5, 1), dtype=np.int64), np.array([0]), np.array([0]))
    tree = gains_tree(none, none, 3)
    assert tree == {"f1": {cause: {"gain": None, "interval": None} for cause in CAUSES}}


# Laws, and a plain implementation


labels_of = st.lists(st.integers(-1, 2), max_size=6)
overlap_of = st.sampled_from([0.04, 0.05, 0.1, 0.2, 0.45, 0.5, 0.7, 0.7, 0.9, 1.0])


@st.composite
def records(draw: Any) -> tuple[Overlaps, list[int], list[int]]:
    truth, pred = draw(labels_of), draw(labels_of)
    every = list(product(range(len(truth)), range(len(pred))))
    chosen = draw(st.lists(st.sampled_from(every), unique=True)) if every else []
    return {pair: draw(overlap_of) for pair in chosen}, truth, pred


def plain_causes(
    overlaps: Overlaps, truth: list[int], pred: list[int], threshold: float
) -> tuple[list[str], list[str]]:
    """The definitions, one after the other."""
    faint = min(0.1, threshold / 2)
    of_truth, of_pred = ["missed"] * len(truth), ["spurious"] * len(pred)
    order = sorted(overlaps, key=lambda pair: (-overlaps[pair], pair))

    def agree(i: int, j: int) -> bool:
        return truth[i] == pred[j] != -1

    kinds = (
        ("matched", lambda value, same: value >= threshold and same),
        ("wrong_label", lambda value, same: value >= threshold and not same),
        ("misplaced", lambda value, same: faint <= value < threshold and same),
        ("wrong_label_and_place", lambda value, same: faint <= value < threshold and not same),
    )
    for name, fits in kinds:
        for i, j in order:
            if of_truth[i] == "missed" and of_pred[j] == "spurious" and fits(overlaps[i, j], agree(i, j)):
                of_truth[i] = of_pred[j] = name
    for i, j in order:
        if of_pred[j] == "spurious" and of_truth[i] == "matched" and overlaps[i, j] >= threshold and agree(i, j):
            of_pred[j] = "duplicate"
    return of_truth, of_pred


@given(records(), st.sampled_from([0.1, 0.5, 0.7]))
def test_the_plain_implementation_agrees(record: Any, threshold: float) -> None:
    causes = Causes(*made(*record), threshold)
    assert (names(causes.truth), names(causes.pred)) == plain_causes(*record, threshold)


@given(records(), st.sampled_from([0.1, 0.5, 0.7]))
def test_causes_add_up_to_both_sides(record: Any, threshold: float) -> None:
    _, truth, pred = record
    counts = dict(zip(OUTCOMES, Causes(*made(*record), threshold).counts().tolist(), strict=True))
    two = counts["matched"] + sum(counts[cause] for cause in CAUSES[:3])
    assert two + counts["missed"] == len(truth)
    assert two + counts["duplicate"] + counts["spurious"] == len(pred)


@given(records(), st.sampled_from([0.1, 0.5]))
def test_causes_of_labels_add_up_to_all(record: Any, threshold: float) -> None:
    pairs, labels = made(*record)
    causes = Causes(pairs, labels, threshold)
    assert causes.by_label(labels, 3).sum(axis=0).tolist() == causes.counts().tolist()[1:]


@given(records())
def test_counts_by_record_are_those_of_the_record(record: Any) -> None:
    pairs, labels = made(*record)
    offsets = np.array([0, len(record[1])]), np.array([0, len(record[2])])
    table = outcomes_by_record(offsets, pairs, labels, (0.5, 0.7))
    assert table[:, :, 0].tolist() == [Causes(pairs, labels, t).counts().tolist() for t in (0.5, 0.7)]


@given(records())
def test_a_cause_that_does_not_occur_is_worth_nothing_and_the_others_something(record: Any) -> None:
    pairs, labels = made(*record)
    gt, pred = len(record[1]), len(record[2])
    rows = cause_rows((np.array([0, gt]), np.array([0, pred])), pairs, labels, (0.5, 0.5, 0.7))
    counts = CauseCounts(rows, np.array([gt]), np.array([pred]))
    outcomes = dict(zip(OUTCOMES, Causes(pairs, labels, 0.5).counts().tolist(), strict=True))
    for cause, (gain,) in counts.f1_gains().items():
        if gt + pred == 0 or (cause == "spurious" and outcomes[cause] == gt + pred):
            assert np.isnan(gain)
        elif not outcomes[cause]:
            assert gain == 0
        else:
            assert gain > 0 or (cause in ("duplicate", "spurious") and not outcomes["matched"])


@given(records())
def test_fixing_every_cause_gives_an_f1_of_1(record: Any) -> None:
    """Pairs become matches, false predictions go, missed objects are found."""
    outcomes = dict(zip(OUTCOMES, Causes(*made(*record), 0.5).counts().tolist(), strict=True))
    matched = outcomes["matched"] + sum(outcomes[cause] for cause in CAUSES[:3]) + outcomes["missed"]
    gt = len(record[1])
    pred = len(record[2]) - outcomes["duplicate"] - outcomes["spurious"] + outcomes["missed"]
    assert gt + pred == 0 or 2 * matched / (gt + pred) == 1


def test_faint_overlaps_are_whole_numbers() -> None:
    assert faint_overlap(0.5) == UNIT // 10
