"""Do matched pairs say the same? Attributes, free texts and station distances.

Over pairs matched in localization mode at the primary threshold:

- attributes, leaving out the label and free texts: every key=value of the ground truth and of the prediction counts
  once, and matches when both say the same value under the same key. Precision, recall and F1 over all of them;
  accuracy of a key is the share of its ground-truth values that the prediction says too;
- free text, by key, where the ground truth has one (a prediction without it says nothing): white space removed, the
  share that is exactly the same, and the mean of 1 - edit distance / longer length (1 for two empty texts);
- station distance, where both sides read as a number: the share that is exactly the same, and the mean error.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from calipers.kernels.agree import count_agreement
from calipers.matching import UNIT, Pairs
from calipers.records import Batch
from calipers.tally import Tally, mean, ratio

DISTANCE_KEY = "站点距离"
Attributes = dict[str, str]


def count_attributes(
    matching: Pairs,
    batch: Batch,
    attributes: list[Attributes],
    label_key: str,
    text_keys: tuple[str, ...],
    tally: Tally,
) -> None:
    """`attributes` are those of each distinct description of the batch."""
    truth, pred = np.take(batch.truth.desc, matching.truth), np.take(batch.pred.desc, matching.pred)  # (pairs,)
    tally.count("attribute_pairs", [len(truth)])
    for key in sorted({key for each in attributes for key in each}):
        if key in text_keys:
            _count_texts(key, truth, pred, attributes, tally)
        elif key != label_key:
            _count_values(key, truth, pred, attributes, tally)
    _count_distances(truth, pred, attributes, tally)


def _count_values(key: str, truth: Any, pred: Any, attributes: list[Attributes], tally: Tally) -> None:
    known: dict[str, int] = {}
    codes = [known.setdefault(each[key], len(known)) if key in each else -1 for each in attributes]
    counts = count_agreement(np.array(codes, dtype=np.int32), truth, pred)
    if any(counts):
        tally.count_row("attributes", key, counts)


def _count_texts(key: str, truth: Any, pred: Any, attributes: list[Attributes], tally: Tally) -> None:
    """Distinct pairs of texts are compared once."""
    known: dict[str, int] = {"": 0}
    codes = np.array([known.setdefault("".join(each.get(key, "").split()), len(known)) for each in attributes])
    has = np.array([key in each for each in attributes]).take(truth)
    if not has.any():
        return
    meant, said = codes.take(truth[has]), codes.take(pred[has])
    pairs, times = np.unique(meant[meant != said] * len(known) + said[meant != said], return_counts=True)
    texts = list(known)
    units = [fixed_similarity(texts[pair // len(known)], texts[pair % len(known)]) for pair in pairs.tolist()]
    same = int((meant == said).sum())
    tally.count_row("texts", key, [len(meant), same])
    tally.add_sum(f"text.{key}", same * UNIT + sum(a * b for a, b in zip(units, times.tolist(), strict=True)))


@lru_cache(maxsize=1 << 16)
def fixed_similarity(a: str, b: str) -> int:
    """The similarity of two texts in units of 1e-12."""
    return round(text_similarity(a, b) * UNIT)


def text_similarity(a: str, b: str) -> float:
    """1 - edit distance / longer length, white space apart.

    >>> text_similarity("4G-RRU3", "4G - RRU5"), text_similarity("", " "), text_similarity("甲", "")
    (0.8571428571428572, 1.0, 0.0)
    """
    a, b = "".join(a.split()), "".join(b.split())
    if a == b:
        return 1.0
    from rapidfuzz.distance import Levenshtein

    return 1 - Levenshtein.distance(a, b) / max(len(a), len(b))


def _count_distances(truth: Any, pred: Any, attributes: list[Attributes], tally: Tally) -> None:
    numbers = np.array([read_number(each.get(DISTANCE_KEY, "")) for each in attributes])
    a, b = numbers.take(truth), numbers.take(pred)
    both = ~(np.isnan(a) | np.isnan(b))
    a, b = a[both], b[both]
    tally.count("distance", [len(a), (a == b).sum()])
    tally.add_sum("distance", sum(_units(error) for error in abs(a - b).tolist()))


def _units(error: float) -> int:
    """A distance in units of 1e-12, however large."""
    return round(error * UNIT) if error < UNIT else int(error) * UNIT


def read_number(text: str) -> float:
    """A finite decimal number, or NaN.

    >>> read_number(" 98 "), read_number("1_0"), read_number("1e999"), read_number("远")
    (98.0, nan, nan, nan)
    """
    try:
        number = float("nan") if "_" in text else float(text)
    except ValueError:
        return float("nan")
    return number if abs(number) < float("inf") else float("nan")


def attributes_tree(tally: Tally) -> dict[str, Any]:
    """What the artifact says about attributes."""
    table = tally.tables.get("attributes", {})
    gt, pred, matched = (sum(int(row[column]) for row in table.values()) for column in range(3))
    return {
        "pairs": int(tally.counts["attribute_pairs"][0]),
        "precision": ratio(matched, pred),
        "recall": ratio(matched, gt),
        "f1": ratio(2 * matched, gt + pred),
        "by_key": {key: _key_tree(*(int(value) for value in table[key])) for key in sorted(table)},
        "text": {key: _text_tree(key, tally) for key in sorted(tally.tables.get("texts", {}))},
        "distance": _distance_tree(tally),
    }


def _key_tree(gt: int, pred: int, matched: int) -> dict[str, Any]:
    return {"gt": gt, "pred": pred, "matched": matched, "accuracy": ratio(matched, gt)}


def _text_tree(key: str, tally: Tally) -> dict[str, Any]:
    n, exact = (int(value) for value in tally.tables["texts"][key])
    return {"n": n, "exact": ratio(exact, n), "similarity": mean(tally.sums[f"text.{key}"], n)}


def _distance_tree(tally: Tally) -> dict[str, Any]:
    n, exact = (int(value) for value in tally.counts["distance"])
    return {"n": n, "exact": ratio(exact, n), "mae": mean(tally.sums["distance"], n)}
