"""Pairs of objects that overlap, as the file of `--resume` keeps them for a run that writes rows.

With these and the lines of its records, a shard that was finished has its rows and cases made again, and no shape is
compared. They take a twentieth of the bytes that rows and cases would.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.matching import UNIT, Pairs
from calipers.core.shapes import Batch, Objects

NAME = "pairs/"  # of arrays of a part
SMALL = 256  # objects of a record whose places take a byte


class KeptPairs(NamedTuple):
    """Pairs of some records, record by record; objects by their places in the record."""

    counts: NDArray[Any]  # (records,) pairs
    truth: NDArray[Any]  # (pairs,)
    pred: NDArray[Any]  # (pairs,)
    score: NDArray[Any]  # (pairs,) overlap in units of 1e-12

    @classmethod
    def of(cls, batch: Batch, pairs: Pairs) -> KeptPairs:
        """The pairs of a batch."""
        first = np.asarray(batch.truth.offsets)[:-1]
        record = np.repeat(np.arange(len(batch)), _sizes(batch.truth))[np.asarray(pairs.truth)]  # (pairs,)
        truth, pred = np.asarray(pairs.truth) - first[record], np.asarray(pairs.pred)
        pred = pred - np.asarray(batch.pred.offsets)[record]
        counts = np.bincount(record, minlength=len(batch)).astype(np.int32)
        return cls(counts, _small(truth), _small(pred), np.asarray(pairs.score))


def _sizes(objects: Objects) -> NDArray[Any]:
    return np.diff(np.asarray(objects.offsets))


def _small(places: NDArray[Any]) -> NDArray[Any]:
    """Places in as few bytes as all of them need."""
    return places.astype(np.uint8 if not len(places) or places.max() < SMALL else np.int32)


def pack_pairs(parts: Sequence[KeptPairs]) -> dict[str, NDArray[Any]]:
    """Pairs of neighbouring records as arrays of a part; none where none were kept."""
    if not parts:
        return {}
    columns = (np.concatenate(column) for column in zip(*parts, strict=True))
    return {NAME + name: column for name, column in zip(KeptPairs._fields, columns, strict=True)}


def unpack_pairs(arrays: dict[str, NDArray[Any]]) -> list[KeptPairs]:
    """The pairs that were packed."""
    if NAME + KeptPairs._fields[0] not in arrays:
        return []
    return [KeptPairs(*(arrays[NAME + name] for name in KeptPairs._fields))]


class PairsAgain:
    """Gives the pairs of a shard back to its records, batch by batch, however they are batched."""

    def __init__(self, kept: KeptPairs) -> None:
        self._kept, self._records, self._pairs = kept, 0, 0
        for name, column in zip(KeptPairs._fields, kept, strict=True):
            if column.ndim != 1 or column.dtype.kind not in "iu" or (len(column) and column.min() < 0):
                raise ValueError(
                    f"{name} of pairs: found {column.dtype}, expected a column of whole numbers, none below 0"
                )
        size = len(kept.score)
        if not len(kept.truth) == len(kept.pred) == size == sum(kept.counts.tolist()):
            raise ValueError(f"pairs: found {sum(kept.counts.tolist())} of records, expected {size}")
        if size and kept.score.max() > UNIT:
            raise ValueError(f"score of pairs: found {kept.score.max()}, expected at most {UNIT}")

    def take(self, batch: Batch) -> Pairs:
        """The pairs of the next records."""
        counts = self._kept.counts[self._records : self._records + len(batch)]
        if len(counts) < len(batch):
            raise ValueError(f"pairs of {self._records + len(counts)} records, expected those of more")
        behind = self._pairs + int(counts.sum())
        record = np.repeat(np.arange(len(batch)), counts)  # (pairs,)
        sides = zip((self._kept.truth, self._kept.pred), (batch.truth, batch.pred), strict=True)
        truth, pred = (_places(column[self._pairs : behind], side, record) for column, side in sides)
        score = self._kept.score[self._pairs : behind].astype(np.int64)
        self._records, self._pairs = self._records + len(batch), behind
        return Pairs.sorted(batch.truth, (truth, pred, score))

    def check_end(self) -> None:
        """Refuse pairs of records that were not there."""
        if self._records != len(self._kept.counts):
            raise ValueError(f"pairs of {len(self._kept.counts)} records, expected those of {self._records}")


def _places(places: NDArray[Any], objects: Objects, record: NDArray[Any]) -> NDArray[Any]:
    """Places in records to places in a batch."""
    if (places >= _sizes(objects)[record]).any():
        raise ValueError("pairs: found an object that its record does not have")
    located: NDArray[Any] = (places + np.asarray(objects.offsets)[record]).astype(np.int32)
    return located
