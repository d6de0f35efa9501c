"""What results say about the objects of records, in short: enough to look for wrong annotations, whatever the suite.

A suite reads objects as rows (`ObjectReader`); of each result only its errors are kept, so that memory grows with what
is wrong and not with the data.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from itertools import groupby
from math import ceil
from operator import attrgetter
from typing import Any, NamedTuple, Protocol

from calipers.core.errors import ConfigError, WorkError
from calipers.core.suspects import SuspectRun, Tree

FOUND = ("matched", "wrong_label")  # there is a prediction in its place
TOP_SHARE = 100  # one of so many predictions has a score at the top
RECORDS_AT_ONCE = 1000
DIGEST_MODULUS = 1 << 128  # digests add up to numbers below it
EXACT = 1 << 53  # whole numbers below it are floats too


class ObjectRow(NamedTuple):
    """An object that is counted."""

    key: str
    side: str
    position: int  # in its record, from 0
    place: int  # as cases call it
    label: str | None
    score: float | None
    outcome: str  # one of `core.causes.OUTCOMES`
    shape: Any  # what the suite measures; None without one


class LabelPair(NamedTuple):
    """An annotation and a prediction in its place that says another label."""

    key: str
    place: int  # of the annotation
    label: str | None
    overlap: float
    score: float | None


class MeasuredShapes(Protocol):
    """Shapes of some records, in columns."""

    def families(self) -> list[str]:
        """What each shape can be compared with."""

    def sizes(self) -> list[float]:
        """How large each shape is."""

    def centers(self) -> list[tuple[float, ...]]:
        """Where each shape is."""

    def overlaps(self, other: Any, min_overlap: float) -> Iterator[tuple[int, int, float]]:
        """Positions of every two shapes of one record that overlap so much; a WorkError names records beyond reason."""


Measure = Callable[[list[list[Any]]], MeasuredShapes]


class ObjectReader(NamedTuple):
    """How a suite reads the objects of a result. Rows come record by record, those of a side by index."""

    rows: Callable[[SuspectRun], Iterator[ObjectRow]]
    pairs: Callable[[SuspectRun], Iterator[LabelPair]]
    measure: Callable[[Tree], Measure]


def confidence(score: float | None) -> float:
    """A score clipped to 0 to 1; a missing score counts as 1."""
    return 1.0 if score is None else min(max(score, 0.0), 1.0)


class RunSummary:
    """What is kept of one result."""

    def __init__(self, run: SuspectRun, reader: ObjectReader) -> None:
        self.name = run.name
        self.missed: dict[str, set[int]] = {}  # places of annotations by record, without any prediction
        self.lost: dict[str, set[int]] = {}  # those without one in their place
        self.lost_labels: Counter[str | None] = Counter()
        self.spurious: dict[str, list[ObjectRow]] = {}
        self.digest = self.truths = 0
        self.repeated: set[str] = set()  # keys of several records
        self._right: Counter[str | None] = Counter()
        self._wrong: Counter[str | None] = Counter()
        self._scores = array("d")
        self._read(reader.rows(run))
        self.pairs = {(pair.key, pair.place): pair for pair in reader.pairs(run)}

    def _read(self, rows: Iterable[ObjectRow]) -> None:
        seen: set[tuple[str, str]] = set()
        last: dict[str, tuple[str, int]] = {}
        for row in rows:
            before, index = last.get(row.side, ("", -1))
            if row.key != before or row.position <= index:
                if (row.side, row.key) in seen:
                    self.repeated.add(row.key)
                seen.add((row.side, row.key))
            last[row.side] = row.key, row.position
            (self._read_truth if row.side == "gt" else self._read_pred)(row)

    def _read_truth(self, row: ObjectRow) -> None:
        text = repr((row.key, row.position, row.label, _as_floats(row.shape))).encode("utf-8", "surrogatepass")
        self.digest = (self.digest + int.from_bytes(blake2b(text, digest_size=16).digest(), "big")) % DIGEST_MODULUS
        self.truths += 1
        if row.outcome not in FOUND:
            self.lost.setdefault(row.key, set()).add(row.place)
            self.lost_labels[row.label] += 1
        if row.outcome == "missed":
            self.missed.setdefault(row.key, set()).add(row.place)

    def _read_pred(self, row: ObjectRow) -> None:
        if row.shape is None:
            return
        if row.score is not None:
            self._scores.append(row.score)
        self._right[row.label] += row.outcome == "matched"
        self._wrong[row.label] += row.outcome == "wrong_label"
        if row.outcome == "spurious":
            self.spurious.setdefault(row.key, []).append(row)

    def trust(self, label: str | None) -> float:
        """The share of predictions of a label on an object that are right, with one right prediction added."""
        right, wrong = self._right[label], self._wrong[label]
        return (right + 1) / (right + wrong + 1)

    def recall(self, label: str | None, truths: int) -> float:
        """The share of annotations of a label that have a prediction in their place."""
        return 1 - self.lost_labels[label] / truths

    def top_score(self) -> float | None:
        """The score from which on a prediction is among the top 1 %; None without scores, or where all are equal."""
        ordered = sorted(self._scores, reverse=True)
        if not ordered or (len(ordered) > 1 and ordered[0] == ordered[-1]):
            return None
        return ordered[ceil(len(ordered) / TOP_SHARE) - 1]


def _as_floats(shape: Any) -> Any:
    """A shape with whole numbers as floats: 1 and 1.0 are one number, however a file spells it."""
    if isinstance(shape, dict):
        return {name: _as_floats(value) for name, value in shape.items()}
    if isinstance(shape, (list, tuple)):
        return [_as_floats(value) for value in shape]
    return float(shape) if isinstance(shape, int) and abs(shape) < EXACT else shape


def check_same_truth(summaries: list[RunSummary]) -> None:
    """Refuse results over different annotations."""
    first = summaries[0]
    for other in summaries[1:]:
        if (other.digest, other.truths) != (first.digest, first.truths):
            difference = f"{first.truths:,} and {other.truths:,}" if first.truths != other.truths else "not the same"
            raise ConfigError(
                f"{first.name} and {other.name}: have {difference} annotations, expected results over the same records"
                " and ground truth"
            )


def truth_batches(rows: Iterable[ObjectRow]) -> Iterator[list[list[ObjectRow]]]:
    """The annotations of some records at a time."""
    batch: list[list[ObjectRow]] = []
    for _, own in groupby((row for row in rows if row.side == "gt"), key=attrgetter("key")):
        batch.append(list(own))
        if len(batch) == RECORDS_AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


class Overlaps:
    """Overlaps of objects within records; records that take too much work to compare are passed over, and named."""

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self.heavy: set[str] = set()

    def measured(self, records: list[list[ObjectRow]]) -> MeasuredShapes:
        """The shapes of all objects, record by record."""
        return self._measure([[row.shape for row in rows] for rows in records])

    def pairs(
        self, left: list[list[ObjectRow]], right: list[list[ObjectRow]], min_overlap: float
    ) -> list[tuple[int, int, int, float]]:
        """Record, places in both lists, and the overlap of every two objects that overlap so much."""
        left = list(left)
        while True:
            owners = [_positions(side) for side in (left, right)]
            try:
                overlapping = list(self.measured(left).overlaps(self.measured(right), min_overlap))
            except WorkError as error:
                for record in error.records:
                    self.heavy.update(row.key for row in left[record])
                    left[record] = []
                continue
            return [(*owners[0][a], owners[1][b][1], overlap) for a, b, overlap in overlapping]


def _positions(records: list[list[ObjectRow]]) -> list[tuple[int, int]]:
    """Record and place in it, for each object."""
    return [(record, place) for record, rows in enumerate(records) for place in range(len(rows))]
