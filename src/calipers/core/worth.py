"""The gain of each cause of errors: F1 if every error of it were right, minus F1.

With m matches, k errors of the cause, gt and pred objects:

    wrong_label, misplaced, wrong_label_and_place   2 (m + k) / (gt + pred)        a pair that is right
    duplicate, spurious                             2 m / (gt + pred - k)          predictions that are gone
    missed                                          2 (m + k) / (gt + pred + k)    objects that are found

`f1` is that of the primary threshold. For `mean_f1` causes are found anew at each threshold of the sweep, and gains
are averaged. Intervals come from the replicates of the bootstrap, in each of which the gain is computed anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.core.bootstrap import middle
from calipers.core.causes import (
    CAUSES,
    DUPLICATE,
    MATCHED,
    MISPLACED,
    OF_TWO_OBJECTS,
    WRONG_LABEL,
    WRONG_LABEL_AND_PLACE,
    outcomes_by_record,
)
from calipers.core.matching import Labels, Pairs
from calipers.core.tally import Counts, Tally

NAME = "causes"  # of its counts in a tally
AT_PRIMARY = DUPLICATE + 1  # rows of the primary threshold: matched, errors of two objects, duplicate


class CauseCounts:
    """Outcomes at the primary threshold and over a sweep, in records, in replicates, or (one column) in all.

    Rows are as few as gains need: what was missed and what is spurious follow from the objects of both sides.
    """

    __slots__ = ("gt", "pred", "primary", "sweep", "swept")

    def __init__(self, rows: Any, gt: Any, pred: Any) -> None:
        self.primary, self.gt, self.pred = rows[:AT_PRIMARY], gt, pred  # (rows, columns), (columns,)
        rest = rows[AT_PRIMARY:]
        self.swept = rest[:2]  # wrong_label and misplaced, summed over the sweep
        self.sweep = rest[2:].reshape(
            3, len(rest[2:]) // 3, len(gt)
        )  # matched, errors of two objects, duplicate: (3, sweep, columns)

    @staticmethod
    def rows(outcomes: Counts) -> Counts:
        """The rows for outcomes (1 + sweep, outcomes, records), the primary threshold first."""
        primary, sweep = outcomes[0, :AT_PRIMARY], outcomes[1:]
        if not len(sweep):
            return primary
        of_two = sweep[:, WRONG_LABEL : WRONG_LABEL_AND_PLACE + 1].sum(axis=1)
        summed = sweep[:, WRONG_LABEL : MISPLACED + 1].sum(axis=0)
        return np.concatenate([primary, summed, sweep[:, MATCHED], of_two, sweep[:, DUPLICATE]])

    def f1_gains(self) -> dict[str, Any]:
        """What each cause is worth in F1 at the primary threshold; NaN where undefined."""
        matched, wrong_label, misplaced, both, duplicate = self.primary
        placed = matched + wrong_label + misplaced + both
        objects = self.gt + self.pred
        of_two = dict(zip(OF_TWO_OBJECTS, (wrong_label, misplaced, both), strict=True))
        gains = {cause: _made_right(errors, objects) for cause, errors in of_two.items()}
        spurious, missed = self.pred - placed - duplicate, self.gt - placed
        return gains | _alone(matched[None], duplicate[None], spurious[None], missed[None], objects)

    def mean_f1_gains(self) -> dict[str, Any]:
        """What each cause is worth in the mean of F1 over the sweep; NaN where undefined."""
        matched, of_two, duplicate = self.sweep
        wrong_label, misplaced = self.swept
        summed = wrong_label, misplaced, of_two.sum(axis=0) - wrong_label - misplaced
        objects, thresholds = self.gt + self.pred, len(matched)
        named = dict(zip(OF_TWO_OBJECTS, summed, strict=True))
        gains = {cause: _made_right(errors, thresholds * objects) for cause, errors in named.items()}
        spurious, missed = self.pred - matched - of_two - duplicate, self.gt - matched - of_two
        return gains | _alone(matched, duplicate, spurious, missed, objects)


def _made_right(errors: Any, objects: Any) -> Any:
    """The gain of errors of two objects that are right: 2 k / (gt + pred)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return 2 * errors / objects


def _alone(matched: Any, duplicate: Any, spurious: Any, missed: Any, objects: Any) -> dict[str, Any]:
    """The gains of errors of one object, averaged over thresholds: counts are (thresholds, columns)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        f1 = 2 * matched / objects
        return {
            "duplicate": _mean(2 * matched / (objects - duplicate) - f1),
            "spurious": _mean(2 * matched / (objects - spurious) - f1),
            "missed": _mean(2 * (matched + missed) / (objects + missed) - f1),
        }


def _mean(gains: Any) -> Any:
    total = np.zeros(gains.shape[1])
    for row in gains:  # one after the other: the same bits everywhere
        total = total + row
    return total / len(gains)


def cause_rows(offsets: tuple[Any, Any], pairs: Pairs, labels: Labels, thresholds: tuple[float, ...]) -> Counts:
    """The rows of `CauseCounts` in each record, (rows, records): of the primary threshold, and a sweep after it."""
    return CauseCounts.rows(outcomes_by_record(offsets, pairs, labels, thresholds))


def count_worth(columns: Counts, sums: Any, tally: Tally) -> None:
    """Count the rows of `cause_rows`, and their sums in each replicate, (replicates, rows)."""
    tally.count(NAME, columns.sum(axis=1))
    tally.count(f"resampled.{NAME}", sums)


def worth_tree(tally: Tally) -> dict[str, Any]:
    """What each cause is worth in F1 at the primary threshold, and in the mean over the sweep."""
    gt, pred = (tally.counts[side].sum(keepdims=True) for side in ("truth", "pred"))
    whole = CauseCounts(tally.counts[NAME][:, None], gt, pred)
    sides = tally.counts["resampled"].T
    draws = CauseCounts(tally.counts[f"resampled.{NAME}"].T, sides[0], sides[1])
    return gains_tree(whole, draws, int(tally.counts["records"][1]))


def gains_tree(whole: CauseCounts, draws: CauseCounts, records: int) -> dict[str, Any]:
    """What each cause is worth, with the 95 % interval of its values in replicates."""
    tree = {"f1": _with_intervals(whole.f1_gains(), draws.f1_gains(), records)}
    if len(whole.swept):
        tree["mean_f1"] = _with_intervals(whole.mean_f1_gains(), draws.mean_f1_gains(), records)
    return tree


def _with_intervals(gains: dict[str, Any], draws: dict[str, Any], records: int) -> dict[str, Any]:
    return {
        cause: {"gain": _defined(gains[cause]), "interval": middle(draws[cause], records=records)} for cause in CAUSES
    }


def _defined(gain: Any) -> float | None:
    value = float(gain[0])
    return None if value != value else value  # NaN
