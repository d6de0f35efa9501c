"""Precision, recall and F1 over a sweep of overlap thresholds.

With `gt` ground-truth objects, `pred` predictions and `matched` pairs at a threshold:

    precision = matched / pred          undefined without predictions
    recall    = matched / gt            undefined without ground truth
    f1        = 2 matched / (gt + pred) undefined only without either
    mean_f1   = the mean of f1 over the thresholds of the sweep

By type, ground truth of the type is what recall is over, and predictions of the type what precision is over; a poly
that a box found counts for the recall of poly and the precision of bbox_2d. F1 of a type is the harmonic mean of the
two: 0 when they sum to 0 or one is undefined, undefined when both are.

A matching is made once, at the lowest threshold; a pair counts at every threshold its overlap meets. `Levels` are all
thresholds that matter, in order: the sweep, the primary one, and 0.5 for the mean overlap of matched pairs.
"""

from __future__ import annotations

from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calipers.core.bootstrap import interval
from calipers.core.matching import Pairs, round_overlap
from calipers.core.shapes import KINDS
from calipers.core.tally import Counts, Tally, count_codes, mean, ratio
from calipers.kernels.count.assign import count_levels

if TYPE_CHECKING:
    from calipers.core.shapes import Sides

TIGHTNESS_AT = 0.5


class Levels:
    """The thresholds of an evaluation, as integers in ascending order."""

    def __init__(self, thresholds: tuple[float, ...], primary: float) -> None:
        self.thresholds, self.primary = thresholds, primary
        self.units = sorted({round_overlap(value) for value in (*thresholds, primary, TIGHTNESS_AT)})
        swept = {round_overlap(value) for value in thresholds}
        self.in_sweep = np.array([unit in swept for unit in self.units])

    def __len__(self) -> int:
        return len(self.units)

    @property
    def min_overlap(self) -> int:
        """The overlap that a pair has to reach to be considered at all."""
        return self.units[0]

    @property
    def primary_and_sweep(self) -> tuple[float, ...]:
        """The primary threshold, then those of the sweep."""
        return (self.primary, *self.thresholds)

    @property
    def primary_unit(self) -> int:
        """The primary threshold, as pairs are compared with it."""
        return round_overlap(self.primary)

    def index(self, threshold: float) -> int:
        """Where a threshold stands among all."""
        return self.units.index(round_overlap(threshold))


def above(pairs: Pairs, min_overlap: int) -> Pairs:
    """The pairs of a matching at a threshold."""
    keep = np.asarray(pairs.score) >= min_overlap
    return Pairs(*(np.asarray(column)[keep] for column in (pairs.truth, pairs.pred, pairs.score)))


def count_objects(batch: Sides, tally: Tally) -> None:
    """Objects by type on both sides; the fourth is a type that could not be read."""
    tally.count("truth", count_codes(batch.truth.kind, 4))
    tally.count("pred", count_codes(batch.pred.kind, 4))


class Swept:
    """A matching of a batch, and what is counted of its pairs at all thresholds."""

    def __init__(self, matching: Pairs, batch: Sides, levels: Levels) -> None:
        self.truth, self.pred = np.asarray(matching.truth), np.asarray(matching.pred)
        self.score = np.asarray(matching.score)
        self.batch, self.levels = batch, levels

    @cached_property
    def counted(self) -> LevelCounts:
        """What is counted of the pairs."""
        truth, pred, levels = self.batch.truth, self.batch.pred, self.levels
        swept = np.concatenate([[0], np.cumsum(levels.in_sweep)])
        units, tight = np.array(levels.units, dtype=np.int64), round_overlap(TIGHTNESS_AT)
        primary = levels.index(levels.primary)
        columns = count_levels(self, truth.offsets, truth.kind, pred.kind, units, swept, primary, tight)
        return LevelCounts(*(np.asarray(column) for column in columns))

    @property
    def at_primary(self) -> Pairs:
        """The pairs at the primary threshold."""
        return above(Pairs(self.truth, self.pred, self.score), self.levels.primary_unit)

    @property
    def matched_by_record(self) -> tuple[Counts, Counts]:
        """Pairs matched in each record: at the primary threshold, and summed over the sweep."""
        return self.counted.at_primary, self.counted.over_sweep


class LevelCounts(NamedTuple):
    """Pairs of a matching, counted."""

    truth: Counts  # (4 * (levels + 1),) by kind of the truth, and how many thresholds they meet
    pred: Counts  # the same by kind of the prediction
    at_primary: Counts  # (records,)
    over_sweep: Counts  # (records,)
    overlap: Counts  # (2,) the sum of overlaps from TIGHTNESS_AT on: its upper part and its lower 32 bits
    met: Counts  # (pairs,) how many thresholds each of them meets


def count_sweep(swept: Swept, mode: str, tally: Tally) -> None:
    """Matched pairs by type and threshold, (4, levels) for either side, and the overlap of those at 0.5."""
    counted = swept.counted
    tally.count(f"{mode}.truth", _at_least(counted.truth))
    tally.count(f"{mode}.pred", _at_least(counted.pred))
    tally.add_sum(f"{mode}.overlap", (int(counted.overlap[0]) << 32) + int(counted.overlap[1]))


def _at_least(exact: Counts) -> Counts:
    """From those that meet just so many thresholds those that meet each, (4, levels)."""
    return np.asarray(exact.reshape(4, -1)[:, :0:-1].cumsum(axis=1)[:, ::-1])


def count_labels(matching: Pairs, truth: Any, pred: Any, names: list[str], mode: str, tally: Tally) -> None:
    """Ground truth, predictions and matched pairs of every label, at the primary threshold."""
    size = len(names) + 1  # code -1, no label, comes first and is left out
    table = np.stack(
        [count_codes(codes, size, lowest=-1)[1:] for codes in (truth, pred, np.asarray(truth)[matching.truth])],
        axis=1,
    )
    tally.count_rows(mode, names, table)


def rates(gt: Any, pred: Any, matched: Any) -> dict[str, Any]:
    """The figures of one line of a table."""
    gt, pred, matched = int(gt), int(pred), int(matched)
    return {
        "gt": gt,
        "pred": pred,
        "matched": matched,
        "precision": ratio(matched, pred),
        "recall": ratio(matched, gt),
        "f1": ratio(2 * matched, gt + pred),
    }


def mode_tree(mode: str, tally: Tally, levels: Levels, *, labelled: bool) -> dict[str, Any]:
    """The section of the artifact about one label mode."""
    gt, pred = tally.counts["truth"].sum(), tally.counts["pred"].sum()
    matched = tally.counts[f"{mode}.truth"].sum(axis=0)  # (levels,)
    swept = [levels.index(value) for value in levels.thresholds]
    tight = int(matched[levels.index(TIGHTNESS_AT)])
    return {
        "thresholds": [
            {"iou": value, **rates(gt, pred, matched[at])} for value, at in zip(levels.thresholds, swept, strict=True)
        ],
        "primary": {
            "iou": levels.primary,
            **rates(gt, pred, matched[levels.index(levels.primary)]),
            "interval": _intervals(mode, tally),
        },
        "mean_f1": ratio(2 * matched[swept].sum(), len(swept) * (gt + pred)),
        "mean_f1_interval": _mean_interval(mode, tally, len(swept)),
        "mean_overlap_matched": mean(tally.sums[f"{mode}.overlap"], tight),
        "by_type": {name: _type_tree(kind, mode, tally, levels) for kind, name in enumerate(KINDS)},
        "by_label": _label_rows(tally.tables.get(mode, {})) if labelled else [],
    }


def _type_tree(kind: int, mode: str, tally: Tally, levels: Levels) -> dict[str, Any]:
    rows = [_type_rates(kind, mode, tally, levels, value) for value in levels.thresholds]
    defined = [row["f1"] for row in rows if row["f1"] is not None]
    return {
        "thresholds": rows,
        "primary": _type_rates(kind, mode, tally, levels, levels.primary),
        "mean_f1": fsum(defined) / len(defined) if defined else None,
    }


def _type_rates(kind: int, mode: str, tally: Tally, levels: Levels, threshold: float) -> dict[str, Any]:
    gt, pred = int(tally.counts["truth"][kind]), int(tally.counts["pred"][kind])
    matched_gt = int(tally.counts[f"{mode}.truth"][kind, levels.index(threshold)])
    matched_pred = int(tally.counts[f"{mode}.pred"][kind, levels.index(threshold)])
    precision, recall = ratio(matched_pred, pred), ratio(matched_gt, gt)
    return {
        "iou": threshold,
        "gt": gt,
        "pred": pred,
        "matched_gt": matched_gt,
        "matched_pred": matched_pred,
        "precision": precision,
        "recall": recall,
        "f1": harmonic(precision, recall),
    }


def harmonic(precision: float | None, recall: float | None) -> float | None:
    """Harmonic mean of two rates that do not share their counts.

    >>> harmonic(0.5, 1.0), harmonic(None, 1.0), harmonic(0.0, 0.0), harmonic(None, None)
    (0.6666666666666666, 0.0, 0.0, None)
    """
    if precision is None and recall is None:
        return None
    if precision is None or recall is None or precision + recall == 0:
        return 0.0
    return 2 * precision * recall / (precision + recall)


def _label_rows(table: dict[str, Counts]) -> list[dict[str, Any]]:
    ordered = sorted(table.items(), key=lambda item: (-item[1][0], item[0]))
    return [{"label": name, **rates(*row)} for name, row in ordered]


# the resampled sums: two columns for all modes, two for each
def _intervals(mode: str, tally: Tally) -> dict[str, list[float] | None]:
    sums, records = tally.counts.get("resampled"), int(tally.counts["records"][1])
    if sums is None or not sums.size:
        return {"precision": None, "recall": None, "f1": None}
    gt, pred, matched = sums[:, 0], sums[:, 1], tally.counts[f"resampled.{mode}"][:, 0]
    return {
        "precision": interval(matched, pred, records=records),
        "recall": interval(matched, gt, records=records),
        "f1": interval(2 * matched, gt + pred, records=records),
    }


def _mean_interval(mode: str, tally: Tally, thresholds: int) -> list[float] | None:
    sums, records = tally.counts.get("resampled"), int(tally.counts["records"][1])
    if sums is None or not sums.size:
        return None
    swept = tally.counts[f"resampled.{mode}"][:, 1]
    return interval(2 * swept, thresholds * (sums[:, 0] + sums[:, 1]), records=records)
