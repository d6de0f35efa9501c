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

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain, repeat
from operator import attrgetter, itemgetter, mul
from typing import Any

import numpy as np

from calipers.core.matching import UNIT, Pairs
from calipers.core.shapes import Batch
from calipers.core.similarity import fixed_similarity
from calipers.core.tally import Tally, mean, ratio
from calipers.kernels.count.sayings import count_met, count_shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from calipers.suites.dense.labels.desc import Desc

DISTANCE_KEY = "站点距离"
METRES = "米"
UNNAMED = "(unnamed, slash form)"  # no key of a description: it has a comma, which would end its field
LARGEST = np.finfo(np.float64).max


def count_attributes(
    matching: Pairs, batch: Batch, descs: list[Desc], label_key: str, text_keys: tuple[str, ...], tally: Tally
) -> None:
    """`descs` are the distinct descriptions of the batch, read."""
    pairs = DescPairs(matching, batch, len(descs))
    tally.count("attribute_pairs", [len(matching)])
    _count_entries(pairs, descs, {label_key, *text_keys}, tally)
    by_key = {key: KeyedTexts() for key in sorted({DISTANCE_KEY, *text_keys})}
    for said in ("attributes", "implied"):
        for desc, texts in enumerate(map(attrgetter(said), descs)):
            for key, keyed in by_key.items() if texts else ():
                if key in texts:
                    keyed.descs.append(desc)
                    keyed.values.append(texts[key])
    for key in sorted(set(text_keys)):
        _count_texts(key, pairs, by_key[key], tally)
    _count_distances(pairs, by_key[DISTANCE_KEY], tally)


class DescPairs:
    """Pairs of descriptions that met, each once, with how often they did."""

    __slots__ = ("descs", "pred", "times", "truth")

    def __init__(self, matching: Pairs, batch: Batch, descs: int) -> None:
        truth, pred = np.take(batch.truth.desc, matching.truth), np.take(batch.pred.desc, matching.pred)
        met = count_met(truth, pred, None, descs)
        self.truth, self.pred, self.times = (np.asarray(column) for column in met)
        self.descs = descs


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


def _count_entries(pairs: DescPairs, descs: list[Desc], left_out: set[str], tally: Tally) -> None:
    """What descriptions say under their keys, but some; unnamed attributes are under a key of their own."""
    known: defaultdict[tuple[str, str], int] = defaultdict()
    known.default_factory = known.__len__  # a code for each value under a key
    rows = [sorted(map(known.__getitem__, _entries(desc))) for desc in descs]
    starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    entries = np.fromiter(chain.from_iterable(rows), dtype=np.int32, count=starts[-1])
    named = [*map(itemgetter(0), known)]
    keys = [*dict.fromkeys(named)]
    codes = {key: code for code, key in enumerate(keys)}
    key_of = np.array([*map(codes.__getitem__, named)], dtype=np.int32)
    counts = count_shared(pairs.truth, pairs.pred, pairs.times, starts, entries, key_of, len(keys))
    for key, row in zip(keys, np.asarray(counts).reshape(3, len(keys)).T, strict=True):
        if key not in left_out and row.any():
            tally.count_row("attributes", key, row)


def _entries(desc: Desc) -> Iterable[tuple[str, str]]:
    """What a description says: keys and values."""
    unnamed = zip(repeat(UNNAMED), desc.unnamed)
    return chain(desc.attributes.items(), unnamed) if desc.unnamed else desc.attributes.items()


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
    met = count_met(meant[~alike], heard[~alike], times[~alike], len(texts))  # the same two meet in many pairs
    one, other = (map(texts.__getitem__, codes.tolist()) for codes in met[:2])
    units = sum(map(mul, map(fixed_similarity, one, other), met[2].tolist()))
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
