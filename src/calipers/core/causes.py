"""Why objects are wrong: causes that add up, and counts per record.

Causes, at a threshold t, after the label-aware matching, with faint = min(0.1, t / 2). Errors of two objects come
first, found one to one among objects without a partner, cause by cause, the closest pair first:

    wrong_label            overlap of t or more, and the labels differ (or either object has none)
    misplaced              the same label, and an overlap from faint up to t
    wrong_label_and_place  labels differ, and an overlap from faint up to t

What is then left is wrong alone:

    duplicate   a prediction with an overlap of t or more with a matched object of its label
    spurious    any other prediction, also one that could not be read
    missed      any other ground truth

No object has two causes: matched + the errors of two objects + missed = ground truth, and matched + the errors of two
objects + duplicate + spurious = predictions. By label, an error of two objects counts under the label of its truth.

Counts per record: `mae` is the mean of |predicted - ground truth| over records; `over_rate`, `under_rate` and
`equal_rate` are the shares of records with more, fewer and as many predictions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.core.matching import Labels, Pairs, round_overlap
from calipers.core.tally import Counts, Tally, count_codes, ratio
from calipers.kernels.count import causes as kernel

if TYPE_CHECKING:
    from calipers.core.shapes import Sides

CAUSES = ("wrong_label", "misplaced", "wrong_label_and_place", "duplicate", "spurious", "missed")
OF_TWO_OBJECTS = CAUSES[:3]
OUTCOMES = ("matched", *CAUSES)  # by code
MATCHED, WRONG_LABEL, MISPLACED, WRONG_LABEL_AND_PLACE, DUPLICATE, SPURIOUS, MISSED = range(7)
MAX_FAINT_OVERLAP = 0.1


def faint_overlap(threshold: float) -> int:
    """The least overlap of two objects of one error, in units of 1e-12.

    >>> faint_overlap(0.5), faint_overlap(0.1)
    (100000000000, 50000000000)
    """
    return round_overlap(min(MAX_FAINT_OVERLAP, threshold / 2))


class Causes:
    """What became of every object, as an index into OUTCOMES, and its pair in a match or an error of two objects."""

    __slots__ = ("pairs", "places", "pred", "truth")

    def __init__(self, pairs: Pairs, labels: Labels, threshold: float) -> None:
        truths, preds = len(labels.truth), len(labels.pred)
        min_overlap, faint = round_overlap(threshold), faint_overlap(threshold)
        columns = kernel.find_causes(pairs, truths, preds, min_overlap, faint, labels.truth, labels.pred)
        self.truth, self.pred = np.asarray(columns[0]), np.asarray(columns[1])  # (objects,)
        self.places = np.split(np.asarray(columns[2]), [truths])  # (objects,) of either side: its pair, -1 without
        self.pairs = pairs

    def pairs_of(self, *outcomes: int) -> tuple[Any, Any]:
        """Truth and pred of every pair of some outcomes, by truth."""
        is_one = np.isin(np.arange(len(OUTCOMES)), outcomes)
        places = self.places[0][is_one.take(self.truth)]
        return np.asarray(self.pairs.truth)[places], np.asarray(self.pairs.pred)[places]

    def counts(self, counted: Any = None) -> Counts:
        """How many of each outcome, matched pairs and errors of two objects once; only predictions that are counted."""
        pred = self.pred if counted is None else self.pred[counted]
        return _all_counts(count_codes(self.truth, len(OUTCOMES)), count_codes(pred, len(OUTCOMES)))

    def outcomes_by_label(self, labels: Labels, names: int, counted: Any = None) -> tuple[Counts, Counts]:
        """How many truths of each label have each outcome, and how many predictions: (labels + 1, outcomes) each, the
        last row for objects without a label."""
        kept = slice(None) if counted is None else counted
        sides = (labels.truth, self.truth), (np.asarray(labels.pred)[kept], self.pred[kept])
        counts = (kernel.count_outcomes(codes, outcomes, names) for codes, outcomes in sides)
        truths, preds = (np.asarray(column).reshape(names + 1, -1) for column in counts)
        return truths, preds

    def by_label(self, labels: Labels, names: int, counted: Any = None) -> Counts:
        """How many of each cause for each label: (labels + 1, causes), the last for objects without a label."""
        return causes_by_label(*self.outcomes_by_label(labels, names, counted))


def _all_counts(truths: Counts, preds: Counts) -> Counts:
    """How many of each outcome, of those on both sides."""
    counts = truths.copy()
    counts[[DUPLICATE, SPURIOUS]] = preds[[DUPLICATE, SPURIOUS]]
    return counts


def causes_by_label(truths: Counts, preds: Counts) -> Counts:
    """Causes for each label, of outcomes on both sides: errors of two objects count under the label of their truth."""
    alone = np.isin(np.arange(len(OUTCOMES)), (DUPLICATE, SPURIOUS))
    return (truths + preds * alone)[:, 1:]


def outcomes_by_record(offsets: tuple[Any, Any], pairs: Pairs, labels: Labels, thresholds: tuple[float, ...]) -> Counts:
    """How many of each outcome in each record at each threshold: (thresholds, outcomes, records).

    `offsets` say where the objects of each record begin, on the side of truth and of predictions.
    """
    min_overlaps = np.array([round_overlap(value) for value in thresholds], dtype=np.int64)
    faint = np.array([faint_overlap(value) for value in thresholds], dtype=np.int64)
    counts = kernel.count_causes(pairs, *offsets, min_overlaps, faint, labels.truth, labels.pred)
    return np.asarray(counts).reshape(len(thresholds), len(OUTCOMES), len(offsets[0]) - 1)


def count_causes(outcomes: tuple[Counts, Counts], names: list[str], tally: Tally) -> None:
    """Count each outcome, in all and for each label, from `outcomes_by_label`."""
    truths, preds = outcomes
    tally.count("errors", _all_counts(truths.sum(axis=0), preds.sum(axis=0)))
    table = causes_by_label(truths, preds)
    tally.count("errors.unlabelled", table[-1])
    tally.count_rows("errors", names, table[:-1])


def errors_tree(counts: Any) -> dict[str, int]:
    """How often each outcome, for the artifact."""
    return {name: int(value) for name, value in zip(OUTCOMES, counts, strict=True)}


def label_errors_tree(rows: dict[str, Counts], unlabelled: Counts) -> list[dict[str, Any]]:
    """How often each cause for each label that has an error: most errors first, those without a label last."""
    ordered = sorted(rows.items(), key=lambda item: (-int(item[1].sum()), item[0]))
    named: list[tuple[str | None, Counts]] = [(name, row) for name, row in ordered if row.any()]
    named += [(None, unlabelled)] if unlabelled.any() else []
    return [{"label": name, **dict(zip(CAUSES, row.tolist(), strict=True))} for name, row in named]


def count_per_record(batch: Sides, tally: Tally) -> None:
    """Count |predicted - ground truth|, and records with more, fewer and as many predictions."""
    excess = np.diff(batch.pred.offsets) - np.diff(batch.truth.offsets)
    tally.count("per_record", [abs(excess).sum(), (excess > 0).sum(), (excess < 0).sum(), (excess == 0).sum()])


def counts_tree(tally: Tally) -> dict[str, float | None]:
    """The count diagnostics of the artifact."""
    evaluated = tally.counts["records"][1]
    names = ("mae", "over_rate", "under_rate", "equal_rate")
    return {name: ratio(value, evaluated) for name, value in zip(names, tally.counts["per_record"], strict=True)}
