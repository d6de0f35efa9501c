"""Why detections are wrong, and which classes are taken for which.

Every detection is right, or wrong by the first that applies to the object it overlaps best, whatever its class:

    background     no overlap of 0.1 (also a detection that could not be read)
    localisation   an overlap below the threshold with an object of its class
    both           an overlap below the threshold with an object of another class
    class          enough overlap with an object of another class
    duplicate      enough overlap with an object of its class that is taken

`missed` is the ground truth without a partner. Confusion has matched pairs on its diagonal; what is left on both sides
is matched once more, whatever the class.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.core.causes import DUPLICATE, MATCHED, MISPLACED, MISSED, SPURIOUS, WRONG_LABEL, closest, find_causes
from calipers.core.matching import Labels, Pairs, greedy

if TYPE_CHECKING:
    from calipers.core.shapes import Sides

ERRORS = ("localisation", "class", "both", "duplicate", "background", "missed")
WORDS = {MATCHED: "matched", MISSED: "missed", MISPLACED: "localisation", WRONG_LABEL: "class"}
WORDS |= {DUPLICATE: "duplicate", SPURIOUS: "background"}
BOTH = max(WORDS) + 1
WORDS[BOTH] = "both"


def causes(sides: Sides, pairs: Pairs, matching: Pairs, labels: Labels, primary: int) -> tuple[Any, Any]:
    """The cause of each ground-truth object and of each prediction, as keys of WORDS."""
    truth, pred = find_causes(sides, pairs, matching, labels, primary)
    near, _, agree = closest(pairs, labels, len(sides.pred))
    other = np.zeros(len(sides.pred), dtype=bool)
    other[near] = ~agree
    return truth, np.where((pred == MISPLACED) & other, BOTH, pred)


def errors_tree(truth: Any, pred: Any) -> dict[str, int]:
    """How often each error."""
    counts = Counter(truth[truth == MISSED].tolist()) + Counter(pred[pred != MATCHED].tolist())
    codes = {name: code for code, name in WORDS.items()}
    return {name: counts[codes[name]] for name in ERRORS}


def confusion_tree(
    sides: Sides, pairs: Pairs, matching: Pairs, labels: Labels, primary: int, names: list[str]
) -> dict[str, Any]:
    """Pairs by their two classes, and what is left of each class on both sides."""
    truth_codes, pred_codes = np.asarray(labels.truth), np.asarray(labels.pred)
    free_truth, free_pred = np.ones(len(sides.truth), dtype=bool), np.ones(len(sides.pred), dtype=bool)
    met: list[Any] = []  # codes of both classes in one number, as a table of all pairs of classes can be vast
    for some in (matching, None):
        found = some or greedy(_between(pairs, free_truth, free_pred), sides.truth, sides.pred, least=primary)
        rows, columns = np.asarray(found.truth), np.asarray(found.pred)
        met.append(truth_codes[rows].astype(np.int64) * len(names) + pred_codes[columns])
        free_truth[rows] = free_pred[columns] = False
    return {
        "matched": _by_names(np.concatenate(met), names),
        "missed": _by_name(truth_codes[free_truth], names),
        "background": _by_name(pred_codes[free_pred], names),
    }


def _between(pairs: Pairs, truth: Any, pred: Any) -> Pairs:
    """The pairs whose two sides are both free."""
    columns = [np.asarray(column) for column in (pairs.truth, pairs.pred, pairs.score)]
    keep = truth[columns[0]] & pred[columns[1]]
    return Pairs(*(column[keep] for column in columns))


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
