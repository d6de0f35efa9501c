"""Coverage of lines: did the prediction miss a part, or invent one?

`matched`: the means of recall, precision and f1 over line pairs matched in localization mode at the primary threshold.
`best`: over every ground-truth line, those of the prediction of its record that covers it best by f1 (ties: the first
one); 0 where no line was predicted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.core.matching import Pairs
from calipers.core.shapes import KINDS, Batch
from calipers.core.tally import Tally, fixed, mean

LINE = KINDS.index("line")
RATES = ("recall", "precision", "f1")


class CoveredPairs:
    """Line pairs of one record within reach of each other, in the order of truth and pred."""

    def __init__(self, truth: Any, pred: Any, recall: Any, precision: Any, f1: Any) -> None:
        self.truth, self.pred = np.asarray(truth, dtype=np.int64), np.asarray(pred, dtype=np.int64)
        self.rates = np.stack([recall, precision, f1]) if len(self.truth) else np.zeros((3, 0))  # (3, pairs)


def count_coverage(covered: CoveredPairs, matching: Pairs, batch: Batch, tally: Tally) -> None:
    """Sums of the rates, of matched pairs and of best pairs."""
    is_line = np.asarray(batch.truth.kind) == LINE
    partner = np.full(len(is_line), -1, dtype=np.int32)
    partner[matching.truth] = matching.pred
    n = int(np.count_nonzero(is_line & (partner >= 0)))
    matched = partner.take(covered.truth) == covered.pred  # those out of reach have no rates and add nothing
    best = _best_rates(covered)
    _add("matched", covered.rates[:, matched], n, tally)
    _add("best", best, int(np.count_nonzero(is_line)), tally)


def _best_rates(covered: CoveredPairs) -> Any:
    """Of each truth the rates of the pair with the largest f1, the first one of equals."""
    begins = np.flatnonzero(np.diff(covered.truth, prepend=-1))  # truths ascend
    if not len(begins):
        return covered.rates
    f1 = covered.rates[2]
    best = np.flatnonzero(f1 == np.repeat(np.maximum.reduceat(f1, begins), np.diff(begins, append=len(f1))))
    return covered.rates[:, best[np.flatnonzero(np.diff(covered.truth[best], prepend=-1))]]


def _add(name: str, rates: Any, n: int, tally: Tally) -> None:
    tally.count(f"coverage.{name}", [n])
    for rate, values in zip(RATES, rates, strict=True):
        tally.add_sum(f"coverage.{name}.{rate}", fixed(values))


def coverage_tree(tally: Tally) -> dict[str, Any]:
    """The section of the artifact about coverage."""
    return {name: _means(name, int(tally.counts[f"coverage.{name}"][0]), tally) for name in ("matched", "best")}


def _means(name: str, n: int, tally: Tally) -> dict[str, Any]:
    return {"n": n, **{rate: mean(tally.sums[f"coverage.{name}.{rate}"], n) for rate in RATES}}
