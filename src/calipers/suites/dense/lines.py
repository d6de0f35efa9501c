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
    lines = np.asarray(batch.truth.kind)[matching.truth] == LINE
    truth, pred = np.asarray(matching.truth)[lines], np.asarray(matching.pred)[lines]
    _add("matched", _rates_of(covered, truth, pred, len(batch.pred)), len(truth), tally)
    _add("best", _best_rates(covered), int((np.asarray(batch.truth.kind) == LINE).sum()), tally)


def _rates_of(covered: CoveredPairs, truth: Any, pred: Any, width: int) -> Any:
    """The rates of given pairs; those out of reach have none and add nothing."""
    known, wanted = covered.truth * width + covered.pred, truth.astype(np.int64) * width + pred  # known is ascending
    at = np.searchsorted(known, wanted)
    is_known = at < len(known)
    is_known[is_known] = known[at[is_known]] == wanted[is_known]
    return covered.rates[:, at[is_known]]


def _best_rates(covered: CoveredPairs) -> Any:
    order = np.lexsort((covered.pred, -covered.rates[2], covered.truth))
    first = np.unique(covered.truth[order], return_index=True)[1]
    return covered.rates[:, order[first]]


def _add(name: str, rates: Any, n: int, tally: Tally) -> None:
    tally.count(f"coverage.{name}", [n])
    for rate, values in zip(RATES, rates, strict=True):
        tally.add_sum(f"coverage.{name}.{rate}", fixed(values))


def coverage_tree(tally: Tally) -> dict[str, Any]:
    """The section of the artifact about coverage."""
    return {name: _means(name, int(tally.counts[f"coverage.{name}"][0]), tally) for name in ("matched", "best")}


def _means(name: str, n: int, tally: Tally) -> dict[str, Any]:
    return {"n": n, **{rate: mean(tally.sums[f"coverage.{name}.{rate}"], n) for rate in RATES}}
