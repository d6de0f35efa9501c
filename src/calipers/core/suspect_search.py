"""The search for wrong annotations among objects: every reason, with its score (see `suspects`).

    wrong_label     overlap · trust · confidence, as a mean over the results that have a prediction in its place, 0 for
                    one that says another label; trust is how often the label is right where it lies on an object
    not_annotated   mean overlap · share of results that say the label · mean confidence; where only some results agree,
                    of a score at the top: confidence · their share (`suspect_predictions`)
    never_found     (1 - Π (1 - recall of its label)) · k / (k + 1), with k neighbours, 3 at most; half of it where
                    there is one result, which may miss an object for reasons of its own
    near_duplicate  overlap · (1 - share of results that find both / 2)
    odd_size        1 - 2 / z, z robust deviations from the median of its label, on the scale of logarithms; a robust
                    deviation is 1.4826 · (1 + 5 / n) · the median absolute deviation of n sizes

Results are gone through by name, so that the order in which they are given changes nothing.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from math import fsum, log, prod
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.survey import shown_first
from calipers.core.suspect_objects import (
    MeasuredShapes,
    ObjectReader,
    ObjectRow,
    Overlaps,
    RunSummary,
    check_same_truth,
    confidence,
    truth_batches,
)
from calipers.core.suspect_predictions import not_annotated
from calipers.core.suspects import (
    NEAR_DUPLICATE,
    NEVER_FOUND,
    ODD_SIZE,
    WRONG_LABEL,
    Suspect,
    SuspectRun,
    SuspectSearch,
)

SAME_PLACE = 0.9  # overlap of a wrong label, and of near duplicates
NEIGHBOURS = 3
MAX_DISTANCES = 4_000_000  # in one record
MAD_FACTOR = 1.4826  # deviation of a normal distribution, over its median absolute deviation
# Of n values, in 1 + 5 / n, by which their deviation is widened: else one in ten clean labels would have an odd size
FEW_VALUES_FACTOR = 5
SURE_SCORE = 0.5  # score of a prediction that is worth a note where it is not listed
SINGLE_RESULT_WEIGHT = 0.5  # of an object that a single result does not find
ODD_DEVIATIONS = 4.0  # robust deviations from the median, beyond which a size is odd
MIN_DEVIATION = 0.01  # of logarithms: sizes that all but agree do not make others odd
MIN_SIZES = 10  # of a label


def find_object_suspects(runs: list[SuspectRun], reader: ObjectReader) -> SuspectSearch:
    """All suspects among objects, and what was passed over."""
    runs = sorted(runs, key=lambda run: run.name)
    summaries = [RunSummary(run, reader) for run in runs]
    check_same_truth(summaries)
    overlaps = Overlaps(reader.measure(runs[0].tree))
    truths = _Truths(summaries, overlaps)
    suspects: list[Suspect] = []
    for batch in truth_batches(reader.rows(runs[0])):
        suspects += truths.look_at(batch)
    suspects += truths.never_found()
    suspects += _odd_sizes(truths.sizes, reader.rows(runs[0]))
    suspects += not_annotated(summaries, overlaps)
    repeated = set().union(*(summary.repeated for summary in summaries))
    kept = [suspect for suspect in suspects if suspect.key not in repeated]
    return SuspectSearch(kept, list(_notes(summaries, kept, repeated, overlaps.heavy | truths.heavy)))


def _notes(summaries: list[RunSummary], kept: list[Suspect], repeated: set[str], heavy: set[str]) -> Iterator[str]:
    if repeated:
        yield f"keys of several records, passed over: {shown_first(sorted(repeated))}"
    if heavy:
        yield f"too many objects to compare, passed over: {shown_first(sorted(heavy))}"
    if len(summaries) == 1 and any(suspect.reason == NEVER_FOUND for suspect in kept):
        yield "one result alone: that it does not find an object is weak evidence, and scores half"
    if len(summaries) == 1 and summaries[0].top_score() is None:
        yield "one result without scores says nothing about objects that are not annotated; two or more do"
    if len(summaries) == 1 and (unlisted := _unlisted(summaries[0], repeated)):
        yield (
            f"one result alone: of predictions without an annotation only the top 1 % of scores are listed, from"
            f" {summaries[0].top_score():g} on; not listed with a score of {SURE_SCORE:g} or more: {unlisted:,}."
            " Two or more results find those that all agree on"
        )


def _unlisted(summary: RunSummary, repeated: set[str]) -> int:
    """Sure predictions without an annotation that are not among the top scores of a single result."""
    top = summary.top_score()
    if top is None:
        return 0
    rows = (row for key, rows in summary.spurious.items() if key not in repeated for row in rows)
    return sum(row.score is not None and SURE_SCORE <= row.score < top for row in rows)


class _SizeGroup(NamedTuple):
    """Sizes of annotations of one label, as logarithms, and which annotations they are."""

    logs: array[float]
    numbers: array[int]


class _Truths:
    """Goes through the annotations, some records at a time."""

    def __init__(self, summaries: list[RunSummary], overlaps: Overlaps) -> None:
        self._summaries, self._overlaps = summaries, overlaps
        self._labels: Counter[str | None] = Counter()
        self._alone: list[tuple[ObjectRow, int]] = []  # objects that nobody finds, how many neighbours they have
        self.sizes: dict[tuple[str, str], _SizeGroup] = {}
        self.heavy: set[str] = set()
        self._seen = 0

    def look_at(self, batch: list[list[ObjectRow]]) -> Iterator[Suspect]:
        """The suspects that records tell by themselves; sizes and what nobody finds are noted for later."""
        shapes = self._overlaps.measured(batch)
        self._note_sizes(batch, shapes)
        centers, begin = shapes.centers(), 0
        for rows in batch:
            self._labels.update(row.label for row in rows)
            self._note_alone(rows, centers[begin : begin + len(rows)])
            begin += len(rows)
            for row in rows:
                yield from self._wrong_label(row)
        yield from self._near_duplicates(batch)

    def _note_sizes(self, batch: list[list[ObjectRow]], shapes: MeasuredShapes) -> None:
        rows = (row for rows in batch for row in rows)
        for row, family, size in zip(rows, shapes.families(), shapes.sizes(), strict=True):
            if row.label is not None and size > 0:
                group = self.sizes.setdefault((row.label, family), _SizeGroup(array("d"), array("q")))
                group.logs.append(log(size))
                group.numbers.append(self._seen)
            self._seen += 1

    def _note_alone(self, rows: list[ObjectRow], centers: list[tuple[float, ...]]) -> None:
        key = rows[0].key
        missed = set.intersection(*(summary.missed.get(key, set()) for summary in self._summaries))
        if len(rows) < 2 or not missed:
            return
        if len(missed) * len(rows) > MAX_DISTANCES:
            self.heavy.add(key)
            return
        lost = set().union(*(summary.lost.get(key, set()) for summary in self._summaries))
        never_lost, places = np.array([row.place not in lost for row in rows]), np.array(centers)
        for at, row in enumerate(rows):
            if row.place in missed:
                near = nearest(places, at)
                self._alone += [(row, len(near))] if never_lost[near].all() else []

    def never_found(self) -> Iterator[Suspect]:
        """Objects that nobody finds, though their neighbours are found; that one result does not is weak evidence."""
        weight = 1.0 if len(self._summaries) > 1 else SINGLE_RESULT_WEIGHT
        for row, neighbours in self._alone:
            missing = prod(1 - summary.recall(row.label, self._labels[row.label]) for summary in self._summaries)
            yield _suspect(row, NEVER_FOUND, weight * (1 - missing) * neighbours / (neighbours + 1))

    def _wrong_label(self, row: ObjectRow) -> Iterator[Suspect]:
        """The label that results say most for an object, if one of them says it in the same place."""
        scores: dict[str, list[float]] = {}
        in_place: set[str] = set()
        for summary in self._summaries:
            pair = summary.pairs.get((row.key, row.place))
            if pair and pair.label is not None and pair.label != row.label:
                score = pair.overlap * summary.trust(pair.label) * confidence(pair.score)
                scores.setdefault(pair.label, []).append(score)
                in_place |= {pair.label} if pair.overlap >= SAME_PLACE else set()
        if in_place:
            finders = sum(self._finds(summary, row) for summary in self._summaries)
            total, label = min((-fsum(scores[label]), label) for label in in_place)
            yield _suspect(row, WRONG_LABEL, -total / max(1, finders), suggested=label)

    def _near_duplicates(self, batch: list[list[ObjectRow]]) -> Iterator[Suspect]:
        """Of two objects in one place that which fewer results find, else the later one."""
        pairs = [pair for pair in self._overlaps.pairs(batch, batch, SAME_PLACE) if pair[1] < pair[2]]
        flagged: set[tuple[int, int]] = set()
        for record, i, j, overlap in sorted(pairs, key=lambda pair: (pair[0], -pair[3], pair[1], pair[2])):
            first, second = batch[record][i], batch[record][j]
            if first.label is None or first.label != second.label or {(record, i), (record, j)} & flagged:
                continue
            finds = [[self._finds(summary, row) for summary in self._summaries] for row in (first, second)]
            place, row = (i, first) if sum(finds[0]) < sum(finds[1]) else (j, second)
            flagged.add((record, place))
            both = sum(a and b for a, b in zip(*finds, strict=True)) / len(self._summaries)
            yield _suspect(row, NEAR_DUPLICATE, overlap * (1 - both / 2))

    def _finds(self, summary: RunSummary, row: ObjectRow) -> bool:
        return row.place not in summary.lost.get(row.key, set())


def nearest(centers: NDArray[np.float64], at: int) -> NDArray[np.int64]:
    """The places of the nearest other objects, three at most; of equally near ones the first.

    >>> nearest(np.array([[0.0], [5.0], [1.0], [2.0], [9.0]]), 0).tolist()
    [2, 3, 1]
    """
    distance = ((centers - centers[at]) ** 2).sum(axis=1)
    order = np.argsort(distance, kind="stable")
    return np.asarray(order[order != at][:NEIGHBOURS])


def _suspect(row: ObjectRow, reason: str, score: float, suggested: str | None = None) -> Suspect:
    return Suspect(row.key, row.side, row.position, None, reason, row.label, suggested, score, row.place)


# Sizes


def _odd_sizes(groups: dict[tuple[str, str], _SizeGroup], rows: Iterator[ObjectRow]) -> Iterator[Suspect]:
    """Annotations beyond four robust deviations from the median of their label."""
    odd: dict[int, float] = {}
    for group in groups.values():
        deviations = robust_deviations(group.logs)
        odd |= {n: z for n, z in zip(group.numbers, deviations, strict=True) if z > ODD_DEVIATIONS}
    truths = (row for row in rows if row.side == "gt") if odd else ()
    for number, row in enumerate(truths):
        if number in odd:
            yield _suspect(row, ODD_SIZE, 1 - 2 / odd[number])


def robust_deviations(values: array[float]) -> list[float]:
    """How many robust deviations each value is from the median; 0 where there are too few values.

    >>> sizes = array("d", [1.0, 1.1, 1.2, 1.3, 1.4, 1.6, 1.7, 1.8, 1.9, 6.5])     # median 1.5, MAD 0.3
    >>> [round(z, 2) for z in robust_deviations(sizes)][-2:]
    [0.6, 7.49]
    """
    if len(values) < MIN_SIZES:
        return [0.0] * len(values)
    middle = median(values)
    widened = 1 + FEW_VALUES_FACTOR / len(values)
    spread = max(MAD_FACTOR * widened * median(abs(value - middle) for value in values), MIN_DEVIATION)
    return [abs(value - middle) / spread for value in values]
