"""Which labels are taken for which: pairs by their two labels, and what is left of each label on both sides.

A pair is a match, or an error of two objects whose place is right (`wrong_label` of `calipers.core.causes`). `missed`
has all other ground truth, `background` all other predictions.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from calipers.core.causes import MATCHED, WRONG_LABEL, Causes
from calipers.core.matching import Labels
from calipers.core.tally import Counts, Tally
from calipers.kernels.count.sayings import count_met

MAX_LABELS = 30
NO_LABEL, OTHER_LABEL = "(none)", "(other)"
Cells = dict[tuple[str, str], int]  # labels of truth and pred, "" for none


def count_confusion(
    causes: Causes, outcomes: tuple[Counts, Counts], labels: Labels, names: list[str], tally: Tally
) -> None:
    """Count pairs by their two labels, and objects without such a pair by theirs, which `outcomes_by_label` has."""
    named = ["", *names]  # code -1 is no label
    truth, pred = causes.pairs_of(MATCHED, WRONG_LABEL)
    codes = np.take(labels.truth, truth) + np.int32(1), np.take(labels.pred, pred) + np.int32(1)
    truth_codes, pred_codes, counts = (np.asarray(column) for column in count_met(*codes, None, len(named)))
    pairs = zip(truth_codes.tolist(), pred_codes.tolist(), strict=True)
    keys = [_key(named[own], named[other]) for own, other in pairs]
    tally.count_rows("confusion", keys, counts[:, np.newaxis])
    for name, counted in zip(("missed", "background"), outcomes, strict=True):
        left = np.delete(counted, (MATCHED, WRONG_LABEL), axis=1).sum(axis=1)
        tally.count_rows(f"confusion.{name}", [*names, ""], left[:, np.newaxis])


def _key(truth: str, pred: str) -> str:
    """Two labels as one text, whatever they hold.

    >>> _key("a", "b"), _labels("1:ab")
    ('1:ab', ('a', 'b'))
    """
    return f"{len(truth)}:{truth}{pred}"


def _labels(key: str) -> tuple[str, str]:
    size, both = key.split(":", 1)
    return both[: int(size)], both[int(size) :]


def confusion_tree(tally: Tally) -> dict[str, Any]:
    """Counts of label pairs for the artifact, frequent labels first.

    Labels beyond the most frequent ones are counted together, objects without a label under a name of their own.
    """
    cells: Cells = {_labels(key): int(row[0]) for key, row in tally.tables.get("confusion", {}).items()}
    left = {
        name: {label: int(row[0]) for label, row in tally.tables.get(f"confusion.{name}", {}).items()}
        for name in ("missed", "background")
    }
    shown = _shown_names(cells, left)
    order = {name: at for at, name in enumerate(dict.fromkeys(shown.values()))}
    matched: Counter[tuple[str, str]] = Counter()
    for (truth, pred), count in cells.items():
        matched[shown[truth], shown[pred]] += count
    rows: dict[str, dict[str, int]] = {}
    for truth, pred in sorted(matched, key=lambda pair: (order[pair[0]], order[pair[1]])):
        rows.setdefault(truth, {})[pred] = matched[truth, pred]
    return {"matched": rows} | {name: _by_label(counts, shown, order) for name, counts in left.items()}


def _shown_names(cells: Cells, left: dict[str, dict[str, int]]) -> dict[str, str]:
    """The name that every label is shown by, in the order in which labels are shown."""
    sizes: Counter[str] = Counter()
    for (truth, pred), count in cells.items():
        sizes[truth] += count
        sizes[pred] += count
    for counts in left.values():
        sizes.update(counts)
    nameless = sizes.pop("", None) is not None
    ordered = sorted(sizes, key=lambda label: (-sizes[label], label))
    shown = {label: label for label in ordered[:MAX_LABELS]} | dict.fromkeys(ordered[MAX_LABELS:], OTHER_LABEL)
    return shown | ({"": NO_LABEL} if nameless else {})


def _by_label(counts: dict[str, int], shown: dict[str, str], order: dict[str, int]) -> dict[str, int]:
    summed: Counter[str] = Counter()
    for label, count in counts.items():
        summed[shown[label]] += count
    return {label: summed[label] for label in sorted(summed, key=order.__getitem__)}
