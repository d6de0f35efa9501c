"""Do matched pairs say the same? Attributes, free texts and station distances.

Over pairs matched in localization mode at the primary threshold:

- attributes, leaving out the label and free texts: every key=value of the ground truth and of the prediction counts
  once, and matches when both say the same value under the same key. Precision, recall and F1 over all of them;
  accuracy of a key is the share of its ground-truth values that the prediction says too. Unnamed attributes of the
  slash form are among them: those of a pair are compared as sets, and all of them count under one key, UNNAMED;
- free text, by key, where the ground truth has one (a prediction without it says nothing): white space removed, the
  share that is exactly the same, and the mean of 1 - edit distance / longer length (1 for two empty texts);
- station distance, where both sides read as a number: the share that is exactly the same, and the mean error.

Text and distance of the slash form, which its labels imply, count like those that have a key.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.core.matching import UNIT, Pairs
from calipers.core.shapes import Batch
from calipers.core.similarity import fixed_similarity
from calipers.core.tally import Tally, count_codes, mean, ratio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from calipers.suites.dense.labels.desc import Desc

RARE = 256  # a key that fewer than one of so many descriptions say is rare
DISTANCE_KEY = "站点距离"
METRES = "米"
UNNAMED = "(unnamed, slash form)"  # no key of a description: it has a comma, which would end its field
LARGEST = np.finfo(np.float64).max
Attributes = dict[str, str]


def count_attributes(
    matching: Pairs, batch: Batch, descs: list[Desc], label_key: str, text_keys: tuple[str, ...], tally: Tally
) -> None:
    """`descs` are the distinct descriptions of the batch, read."""
    pairs = DescPairs(matching, batch, len(descs))
    tally.count("attribute_pairs", [len(matching)])
    by_key: dict[str, KeyedTexts] = {}
    _add_by_key(by_key, [desc.attributes for desc in descs])
    for key in sorted(by_key):
        if key not in text_keys and key != label_key:
            _count_values(key, pairs, by_key[key], tally)
    _count_unnamed(pairs, [desc.unnamed for desc in descs], tally)
    _add_by_key(by_key, [desc.implied for desc in descs])
    for key in sorted(by_key.keys() & set(text_keys)):
        _count_texts(key, pairs, by_key[key], tally)
    _count_distances(pairs, by_key.get(DISTANCE_KEY, KeyedTexts()), tally)


class DescPairs:
    """Pairs of descriptions that met, each once, with how often they did."""

    __slots__ = ("_by_pred", "_by_truth", "descs", "pred", "times", "truth")

    def __init__(self, matching: Pairs, batch: Batch, descs: int) -> None:
        truth, pred = np.take(batch.truth.desc, matching.truth), np.take(batch.pred.desc, matching.pred)
        met, self.times = count_codes(truth * np.int64(descs) + pred, descs * descs)
        self.truth, self.pred = met // max(descs, 1), met % max(descs, 1)
        self.descs = descs
        self._by_truth = self._by_pred = np.empty(0, dtype=np.intp)  # rows in the order of a side, once asked for

    def about(self, descs: list[int]) -> Any:
        """The rows in which one of some descriptions is on either side, each once."""
        if not len(self._by_truth):
            self._by_truth, self._by_pred = (np.argsort(side, kind="stable") for side in (self.truth, self.pred))
        both = ((self.truth, self._by_truth), (self.pred, self._by_pred))
        rows = np.concatenate([_rows_of(side, order, descs) for side, order in both])
        return np.unique(rows, return_index=True)[0]  # asked for no index, numpy imports all about masked arrays


def _rows_of(side: Any, order: Any, descs: list[int]) -> Any:
    """The rows of a side that hold one of some descriptions."""
    starts, ends = (np.searchsorted(side, descs, where, sorter=order) for where in ("left", "right"))
    return np.concatenate([order[start:end] for start, end in zip(starts, ends, strict=True)])


class KeyedTexts:
    """The texts that descriptions give under one key, and which of them give one."""

    __slots__ = ("descs", "values")

    def __init__(self) -> None:
        self.descs: list[int] = []
        self.values: list[str] = []

    def codes(self, values: list[str], texts: list[str], count: int) -> Any:
        """For each of `count` descriptions the place of its value among distinct texts; -1 where it says nothing."""
        places = {text: place for place, text in enumerate(texts)}
        codes = np.full(count, -1, dtype=np.int32)
        codes[self.descs] = [*map(places.__getitem__, values)]
        return codes


def _add_by_key(by_key: dict[str, KeyedTexts], attributes: list[Attributes]) -> None:
    """Add what each description says under its keys; those with the same keys are added together."""
    alike: dict[tuple[str, ...], list[int]] = {}
    for desc, pairs in enumerate(attributes):
        if pairs:
            alike.setdefault(tuple(pairs), []).append(desc)
    for keys, descs in alike.items():
        columns = zip(*[attributes[desc].values() for desc in descs], strict=True)
        for key, values in zip(keys, columns, strict=True):
            texts = by_key.setdefault(key, KeyedTexts())
            texts.descs += descs
            texts.values += values


def _count_values(key: str, pairs: DescPairs, texts: KeyedTexts, tally: Tally) -> None:
    if len(texts.descs) * RARE < pairs.descs:  # or many keys that are said once would take their square
        rows, known = pairs.about(texts.descs), dict(zip(texts.descs, texts.values, strict=True))
        meant, heard, times = (side[rows].tolist() for side in (pairs.truth, pairs.pred, pairs.times))
        both = [(known.get(truth), known.get(pred), n) for truth, pred, n in zip(meant, heard, times, strict=True)]
        counts = [
            sum(n for truth, _, n in both if truth is not None),
            sum(n for _, pred, n in both if pred is not None),
            sum(n for truth, pred, n in both if truth is not None and truth == pred),
        ]
    else:
        counts = _count_all(pairs, texts.codes(texts.values, [*dict.fromkeys(texts.values)], pairs.descs))
    if any(counts):
        tally.count_row("attributes", key, counts)


def _count_all(pairs: DescPairs, codes: Any) -> list[int]:
    """How often the truth says something, the prediction does, and both the same."""
    meant, heard = codes.take(pairs.truth), codes.take(pairs.pred)
    by_truth, alike = meant >= 0, (meant >= 0) & (meant == heard)
    return [int(pairs.times @ which) for which in (by_truth, heard >= 0, alike)]


def _count_unnamed(pairs: DescPairs, sets: list[frozenset[str]], tally: Tally) -> None:
    """Attributes without a key: those of the truth, of the prediction, and what both sets of a pair have."""
    sizes = np.array([*map(len, sets)], dtype=np.int64)
    meant, heard = sizes.take(pairs.truth), sizes.take(pairs.pred)
    same = pairs.truth == pairs.pred
    differ = np.flatnonzero((meant > 0) & (heard > 0) & ~same)
    others = zip(*(side[differ].tolist() for side in (pairs.truth, pairs.pred, pairs.times)), strict=True)
    shared = sum(len(sets[truth] & sets[pred]) * n for truth, pred, n in others)
    counts = [int(pairs.times @ meant), int(pairs.times @ heard), int(pairs.times[same] @ meant[same]) + shared]
    if any(counts):
        tally.count_row("attributes", UNNAMED, counts)


def _count_texts(key: str, pairs: DescPairs, keyed: KeyedTexts, tally: Tally) -> None:
    joined = {value: "".join(value.split()) for value in dict.fromkeys(keyed.values)}
    texts = [*dict.fromkeys(["", *joined.values()])]
    codes = keyed.codes([*map(joined.__getitem__, keyed.values)], texts, pairs.descs)
    has = codes.take(pairs.truth) >= 0
    if not has.any():
        return
    meant, heard, times = codes.take(pairs.truth[has]), np.maximum(codes.take(pairs.pred[has]), 0), pairs.times[has]
    alike = meant == heard
    same = int(times[alike].sum())
    tally.count_row("texts", key, [times.sum(), same])
    met, which = np.unique(meant[~alike] * np.int64(len(texts)) + heard[~alike], return_inverse=True)
    often = np.zeros(len(met), dtype=np.int64)  # the same two texts meet in many pairs of descriptions
    np.add.at(often, which, times[~alike])
    others = zip((met // len(texts)).tolist(), (met % len(texts)).tolist(), often.tolist(), strict=True)
    units = sum(fixed_similarity(texts[a], texts[b]) * n for a, b, n in others)
    tally.add_sum(f"text.{key}", same * UNIT + units)


def _count_distances(pairs: DescPairs, texts: KeyedTexts, tally: Tally) -> None:
    numbers = np.full(pairs.descs, np.nan)
    numbers[texts.descs] = [read_number(value) for value in texts.values]
    with np.errstate(over="ignore"):
        error = abs(numbers.take(pairs.truth) - numbers.take(pairs.pred))  # NaN where one side says no number
    error = np.minimum(error, LARGEST)
    times = pairs.times[~np.isnan(error)]
    error = error[~np.isnan(error)]
    tally.count("distance", [times.sum(), times[error == 0].sum()])
    tally.add_sum("distance", sum(_units(e) * n for e, n in zip(error.tolist(), times.tolist(), strict=True)))


def _units(error: float) -> int:
    """A distance in units of 1e-12, however large."""
    return round(error * UNIT) if error < UNIT else int(error) * UNIT


def read_number(text: str) -> float:
    """A finite decimal number, in metres if a unit is given, or NaN.

    >>> read_number(" 98 "), read_number("98米"), read_number("1_0"), read_number("1e999"), read_number("98公里")
    (98.0, 98.0, nan, nan, nan)
    """
    try:
        number = float("nan") if "_" in text else float(text.strip().removesuffix(METRES))
    except ValueError:
        return float("nan")
    return number if abs(number) < float("inf") else float("nan")


def texts_differ(tally: Tally) -> bool:
    """Whether texts were compared by their edits: those that are exactly the same are not."""
    return any(int(n) > int(same) for n, same in tally.tables.get("texts", {}).values())


def attributes_tree(tally: Tally) -> dict[str, Any]:
    """The section of the artifact about attributes."""
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
