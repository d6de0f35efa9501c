"""Which classes are taken for which: pairs by their two classes, and what is left of each class on both sides.

A pair is a match, or an error of two objects whose place is right (`wrong_label` of `calipers.core.causes`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.core.causes import MATCHED, WRONG_LABEL, Causes
from calipers.core.matching import Labels


def confusion_tree(causes: Causes, labels: Labels, names: list[str]) -> dict[str, Any]:
    """Pairs by their two classes, and all other objects of each class on both sides."""
    truth_codes, pred_codes = np.asarray(labels.truth), np.asarray(labels.pred)
    truth, pred = causes.pairs_of(MATCHED, WRONG_LABEL)
    met = truth_codes[truth].astype(np.int64) * len(names) + pred_codes[pred]  # a table of all pairs can be vast
    return {
        "matched": _by_names(met, names),
        "missed": _by_name(truth_codes[_left(causes.truth)], names),
        "background": _by_name(pred_codes[_left(causes.pred)], names),
    }


def _left(outcomes: Any) -> Any:
    return (outcomes != MATCHED) & (outcomes != WRONG_LABEL)


def _by_names(codes: Any, names: list[str]) -> dict[str, dict[str, int]]:
    """How often each pair of classes met, in the order of classes."""
    found: dict[str, dict[str, int]] = {}
    for code, count in zip(*(each.tolist() for each in np.unique(codes, return_counts=True)), strict=True):
        truth, pred = divmod(code, len(names))
        found.setdefault(names[truth], {})[names[pred]] = count
    return found


def _by_name(codes: Any, names: list[str]) -> dict[str, int]:
    counts = np.bincount(codes, minlength=len(names))
    return {names[code]: int(counts[code]) for code in np.flatnonzero(counts).tolist()}
