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

from array import array
from itertools import chain, repeat
from threading import local
from typing import Any

import numpy as np

from calipers.core.matching import UNIT, Pairs
from calipers.core.shapes import Batch
from calipers.core.similarity import fixed_similarities
from calipers.core.tally import Counts, Tally, mean, ratio, weighted_sum
from calipers.kernels.count.sayings import count_met, count_shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from calipers.suites.dense.desc import Desc

DISTANCE_KEY = "站点距离"
METRES = "米"
UNNAMED = "(unnamed, slash form)"  # no key of a description: it has a comma, which would end its field
LARGEST = np.finfo(np.float64).max
MAX_DESCS = 10_000  # that are kept from batch to batch
MAX_TEXTS = 500  # of one key whose similarities are, 8 MB at most


def count_attributes(
    matching: Pairs, batch: Batch, descs: list[Desc], label_key: str, text_keys: tuple[str, ...], tally: Tally
) -> None:
    """`descs` are the distinct descriptions of the batch, read."""
    book = _open_book(text_keys, len(descs))
    pairs = DescPairs(matching, batch, book, descs)
    tally.count("attribute_pairs", [len(matching.truth)])
    keys, counts = book.count_entries(pairs)
    compared = [at for at, key in enumerate(keys) if key != label_key and key not in text_keys]
    tally.count_rows("attributes", [keys[at] for at in compared], counts[compared])
    for key, keyed in book.texts.items():
        _count_texts(key, pairs, keyed, tally)
    _count_distances(pairs, np.array(book.distances), tally)


class DescPairs:
    """Pairs of descriptions that met, by their places in a book, each once, with how often they did."""

    __slots__ = ("pred", "times", "truth")

    def __init__(self, matching: Pairs, batch: Batch, book: DescBook, descs: list[Desc]) -> None:
        places = book.places(descs)
        truth, pred = np.take(batch.truth.desc, matching.truth), np.take(batch.pred.desc, matching.pred)
        met = count_met(places.take(truth), places.take(pred), None, len(book))
        self.truth, self.pred, self.times = (np.asarray(column) for column in met)


class DescBook:
    """What descriptions say, as codes and numbers. It is kept from batch to batch, as most of them come again."""

    def __init__(self, text_keys: tuple[str, ...]) -> None:
        self.text_keys = text_keys
        self.texts = {key: KeyedTexts() for key in sorted(set(text_keys))}
        self.distances = array("d")  # NaN where there is none
        self._places: dict[Desc, int] = {}
        self._keys: dict[str, int] = {}
        self._values: dict[tuple[str, str], int] = {}  # a code for each value under a key
        self._key_of, self._entries, self._starts = array("i"), array("i"), array("q", [0])

    def __len__(self) -> int:
        return len(self._places)

    def places(self, descs: list[Desc]) -> Any:
        """Where each description stands; one that is new is added."""
        known = self._places
        return np.array([known[desc] if desc in known else self._add(desc) for desc in descs], dtype=np.int32)

    def _add(self, desc: Desc) -> int:
        unnamed = zip(repeat(UNNAMED), desc.unnamed)
        self._entries.extend(sorted(map(self._code, chain(desc.attributes.items(), unnamed))))
        self._starts.append(len(self._entries))
        attributes = {**desc.attributes, **desc.implied}
        for key, keyed in self.texts.items():
            keyed.add(attributes.get(key))
        self.distances.append(read_number(attributes.get(DISTANCE_KEY, "")))
        return self._places.setdefault(desc, len(self._places))

    def _code(self, entry: tuple[str, str]) -> int:
        code = self._values.setdefault(entry, len(self._values))
        if code == len(self._key_of):
            self._key_of.append(self._keys.setdefault(entry[0], len(self._keys)))
        return code

    def count_entries(self, pairs: DescPairs) -> tuple[list[str], Counts]:
        """All keys, and (keys, 3) how many values of each the truth says, the prediction, and both."""
        columns = np.array(self._starts), np.array(self._entries, np.int32), np.array(self._key_of, np.int32)
        counts = count_shared(pairs.truth, pairs.pred, pairs.times, *columns, len(self._keys))
        return [*self._keys], np.asarray(counts).reshape(3, -1).T


class KeyedTexts:
    """The texts that descriptions give under one key, without white space."""

    __slots__ = ("_units", "codes", "known")

    def __init__(self) -> None:
        self.codes = array("i")  # of each description, -1 where it says nothing
        self.known = {"": 0}
        self._units = np.zeros((0, 0), np.int64)  # how alike two texts are, by their codes; -1 where they never met

    def add(self, text: str | None) -> None:
        """Add what one more description says."""
        joined = "" if text is None else "".join(text.split())
        self.codes.append(-1 if text is None else self.known.setdefault(joined, len(self.known)))

    def similarities(self, one: Any, other: Any) -> Counts:
        """How alike texts are, by their codes, in units of 1e-12: (pairs,). Those of a few texts are remembered."""
        if len(self.known) > MAX_TEXTS:
            return self._compared(one, other)
        if len(self.known) > len(self._units):
            grown = np.full((2 * len(self.known),) * 2, -1)
            grown[: len(self._units), : len(self._units)] = self._units
            self._units = grown
        units: Counts = self._units[one, other]
        new = np.flatnonzero(units < 0)
        if len(new):
            units[new] = self._units[one[new], other[new]] = self._compared(one[new], other[new])
        return units

    def _compared(self, one: Any, other: Any) -> Counts:
        texts = [*self.known]
        return fixed_similarities(*([texts[code] for code in column.tolist()] for column in (one, other)))


_KEPT = local()  # a thread has its own


def _open_book(text_keys: tuple[str, ...], fresh: int) -> DescBook:
    """The book of this thread, a new one where the old is full or is about other keys."""
    book: DescBook | None = getattr(_KEPT, "book", None)
    if book is None or book.text_keys != text_keys or len(book) + fresh > MAX_DESCS:
        book = _KEPT.book = DescBook(text_keys)
    return book


def _count_texts(key: str, pairs: DescPairs, keyed: KeyedTexts, tally: Tally) -> None:
    codes = np.array(keyed.codes, np.int32)
    has = codes.take(pairs.truth) >= 0
    if not has.any():
        return
    meant, heard, times = codes.take(pairs.truth[has]), np.maximum(codes.take(pairs.pred[has]), 0), pairs.times[has]
    alike = meant == heard
    same = int(times[alike].sum())
    met = count_met(meant[~alike], heard[~alike], times[~alike], len(keyed.known))  # the same two meet in many pairs
    one, other, often = (np.asarray(column) for column in met)
    similar = keyed.similarities(one, other)
    tally.count_row("texts", key, [times.sum(), same])
    tally.add_sum(f"text.{key}", same * UNIT + weighted_sum(similar, often))


def _count_distances(pairs: DescPairs, numbers: Any, tally: Tally) -> None:
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
