"""How many, and why not: count diagnostics per record, and the causes of errors.

Counts: `mae` is the mean of |predicted - ground truth| over records; `over_rate`, `under_rate` and `equal_rate` are the
shares of records with more, fewer and as many predictions.

Causes, for every object at the primary threshold in category mode. Ground truth is `matched` or `missed`. A prediction
that is not matched is judged by its best overlap with any ground truth of its family, the first that applies:

    spurious      no overlap of 0.1 (also every prediction that could not be read)
    misplaced     an overlap below the primary threshold
    wrong_label   enough overlap, and the object it overlaps best has another category (or either has none)
    duplicate     enough overlap with an object of its category that is taken
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.core.matching import Labels, Pairs, round_overlap
from calipers.core.tally import Counts, Tally, ratio
from calipers.kernels.assign import first_pairs

if TYPE_CHECKING:
    from calipers.core.shapes import Sides

CAUSES = ("matched", "missed", "misplaced", "wrong_label", "duplicate", "spurious")
MATCHED, MISSED, MISPLACED, WRONG_LABEL, DUPLICATE, SPURIOUS = range(6)
FAINT = round_overlap(0.1)


def count_per_record(batch: Sides, tally: Tally) -> None:
    """|difference|, and records with more, fewer and as many predictions."""
    excess = np.diff(batch.pred.offsets) - np.diff(batch.truth.offsets)
    tally.count("per_record", [abs(excess).sum(), (excess > 0).sum(), (excess < 0).sum(), (excess == 0).sum()])


def counts_tree(tally: Tally) -> dict[str, float | None]:
    """The count diagnostics of the artifact."""
    evaluated = tally.counts["records"][1]
    names = ("mae", "over_rate", "under_rate", "equal_rate")
    return {name: ratio(value, evaluated) for name, value in zip(names, tally.counts["per_record"], strict=True)}


def find_causes(batch: Sides, pairs: Pairs, matching: Pairs, labels: Labels, primary: int) -> tuple[Counts, Counts]:
    """The cause of each ground-truth object and of each prediction, as indices into CAUSES."""
    truth = np.full(len(batch.truth), MISSED)
    truth[matching.truth] = MATCHED
    pred = _unmatched_causes(pairs, labels, len(batch.pred), primary)
    pred[matching.pred] = MATCHED
    return truth, pred


def _unmatched_causes(pairs: Pairs, labels: Labels, count: int, primary: int) -> Any:
    near, score, agree = closest(pairs, labels, count)
    causes = np.full(count, SPURIOUS)
    enough = np.where(score < primary, MISPLACED, np.where(agree, DUPLICATE, WRONG_LABEL))
    causes[near] = np.where(score < FAINT, SPURIOUS, enough)
    return causes


def closest(pairs: Pairs, labels: Labels, count: int) -> tuple[Any, Any, Any]:
    """Predictions that overlap anything: the best overlap, and whether that object has the same label."""
    best = np.asarray(first_pairs(pairs.pred, count))  # (objects,) position of its best pair, -1 without one
    near = np.flatnonzero(best >= 0)
    score, partner = np.asarray(pairs.score)[best[near]], np.asarray(pairs.truth)[best[near]]
    theirs, own = np.asarray(labels.truth)[partner], np.asarray(labels.pred)[near]
    return near, score, (own >= 0) & (own == theirs)


def count_causes(truth: Counts, pred: Counts, tally: Tally) -> None:
    """How often each cause; matched pairs once."""
    counts = np.bincount(pred, minlength=len(CAUSES))
    counts[MISSED] = (truth == MISSED).sum()
    tally.count("errors", counts)


def errors_tree(tally: Tally) -> dict[str, int]:
    """The error causes of the artifact."""
    return {name: int(value) for name, value in zip(CAUSES, tally.counts["errors"], strict=True)}
