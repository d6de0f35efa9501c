"""The score that serves a class best, and how sure it is: its values in the replicates of the bootstrap over records.

The best score gives the largest F1 = 2 right / (objects + kept) of all that one could cut at; of equally good ones it
is the highest. A record is an image, a scene or a video. In a replicate a record counts as often as its weight says,
with all its detections and objects. The best score is found anew in it; there is none without a right detection. The
interval holds the middle 95 % of the replicates that have one. It needs two records with something of the class.

The replicates are the first of those of all other intervals: all of them up to a million detections, fewer of more.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.bootstrap import middle
from calipers.core.calibration import BINS, ScoredHits, binned, calibration_error, equal_width
from calipers.core.lrp import lrp_entry
from calipers.kernels.count.cuts import CUT_REPLICATES, best_cuts
from calipers.kernels.count.sums import key_hashes, weight_table

MAX_DRAWN = 1_000_000_000  # detections in all replicates
MIN_DRAWN_REPLICATES = 100  # replicates, however many detections there are
MAX_CLASSES_AT_ONCE = 4000  # classes whose values in replicates are in memory at once
MAX_DETECTIONS_AT_ONCE = 1 << 20  # detections of classes whose cuts are in memory at once

Floats = NDArray[np.float64]
Flags = NDArray[np.uint8]
FitOf = Callable[[int], Floats]  # of a class: how far each of its detections overlaps the object it found


class ScoredClass(NamedTuple):
    """The detections of a class that count, the surest first; and its objects."""

    score: Floats  # (detections,)
    right: NDArray[np.bool_]  # (detections,)
    record: NDArray[np.int32]  # (detections,)
    objects: NDArray[np.int32]  # (objects,) the record of each


NO_DETECTIONS = ScoredClass(np.empty(0), np.empty(0, bool), np.empty(0, np.int32), np.empty(0, np.int32))


class ClassCuts(NamedTuple):
    """The detections of a class down to the last right one, the surest first, and its objects."""

    score: Floats  # (detections,)
    record: NDArray[np.int32]  # (detections,)
    right: Flags  # (detections,)
    stop: Flags  # (detections,) one may cut behind it: it is the last of its score, which a right one has too
    objects: NDArray[np.int32]  # (objects,) the record of each
    records: int  # that have something of the class


def best_cut(scored: ScoredClass) -> tuple[float | None, float | None]:
    """The score at which a cut gives a class its best F1, and that F1; of equally good scores the highest.

    >>> nowhere = np.zeros(3, np.int32)
    >>> best_cut(ScoredClass(np.array([0.9, 0.5, 0.5]), np.array([True, True, False]), nowhere, nowhere[:2]))
    (0.5, 0.8)
    """
    objects, score = len(scored.objects), scored.score
    if not objects or not len(score):
        return None, None
    hits, kept = np.cumsum(scored.right), np.arange(1, len(score) + 1)
    ends = np.flatnonzero(np.append(score[1:] != score[:-1], True))  # one cannot cut between equal scores
    f1 = 2 * hits[ends] / (objects + kept[ends])
    best = int(np.argmax(f1))
    return (float(score[ends[best]]), float(f1[best])) if f1[best] > 0 else (None, 0.0)


def class_cuts(scored: ScoredClass) -> ClassCuts:
    """Where the detections of a class may be cut, down to the last right one."""
    score, right = scored.score, scored.right.astype(np.uint8)
    records = len(np.unique(np.concatenate([scored.record, scored.objects])))
    ends = np.searchsorted(-score, np.unique(-score[scored.right]), side="right")  # no cut between equal scores
    last = int(ends[-1]) if len(ends) else 0
    stop = np.zeros(last, dtype=np.uint8)
    stop[ends - 1] = 1
    return ClassCuts(score[:last], scored.record[:last], right[:last], stop, scored.objects, records)


def _cut_size(scored: ScoredClass) -> int:
    """How many detections `class_cuts` keeps, of a class that has a right one.

    >>> nowhere = np.zeros(4, np.int32)
    >>> _cut_size(ScoredClass(np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, True, False, False]), nowhere, nowhere))
    3
    """
    lowest = scored.score[np.flatnonzero(scored.right)[-1]]
    return int(np.searchsorted(-scored.score, -lowest, side="right"))


def class_scores_tree(
    keys: Sequence[str],
    names: Sequence[str],
    classes: Sequence[ScoredClass],
    fit_of: FitOf,
    *,
    seed: int,
    replicates: int,
) -> dict[str, Any]:
    """Of every class its calibration error, the score that serves it best with an interval, and its optimal LRP.

    `classes` may be made on access; those with a best score are accessed twice.
    """
    entries: dict[str, dict[str, Any]] = {}
    served, sizes = [], []
    for k, (name, scored) in enumerate(zip(names, classes, strict=True)):
        best_score, best_f1 = best_cut(scored)
        entries[name] = {
            "ece": _class_calibration_error(scored) if len(scored.score) else None,
            "n": len(scored.score),
            "best_f1": best_f1,
            "best_score": best_score,
            "best_score_interval": None,
            **lrp_entry(scored.score, scored.right, fit_of(k), len(scored.objects)),
        }
        if best_score is not None:
            served.append(k)
            sizes.append(_cut_size(scored))
    intervals = best_score_intervals(keys, classes, served, sizes, seed=seed, replicates=replicates)
    for k, interval in zip(served, intervals, strict=True):
        entries[names[k]]["best_score_interval"] = interval
    return entries


def _class_calibration_error(scored: ScoredClass) -> float | None:
    hits = ScoredHits(scored.score, scored.right)
    return calibration_error(binned(hits, equal_width(hits.score), BINS))


def best_score_intervals(
    keys: Sequence[str],
    classes: Sequence[ScoredClass],
    served: Sequence[int],
    sizes: Sequence[int],
    *,
    seed: int,
    replicates: int,
) -> list[list[float] | None]:
    """The 95 % interval of the best score of classes that have one, to the same bits whatever the number of threads.

    `served` are the places of these classes, `sizes` how many detections the cuts of each have.
    """
    drawn = max(MAX_DRAWN // max(sum(sizes), 1), MIN_DRAWN_REPLICATES)
    intervals: list[list[float] | None] = []
    for some in _batches(sizes):
        cuts = [class_cuts(classes[served[k]]) for k in some]
        values = best_scores(keys, cuts, seed=seed, replicates=min(replicates, drawn))
        intervals += [
            middle(row, records=one.records) if one.records > 1 else None for row, one in zip(values, cuts, strict=True)
        ]
    return intervals


def _batches(sizes: Sequence[int]) -> Iterator[range]:
    """Ranges of neighbouring classes within both limits at once; a class beyond them stands alone."""
    first = total = 0
    for k, size in enumerate(sizes):
        if k > first and (k - first == MAX_CLASSES_AT_ONCE or total + size > MAX_DETECTIONS_AT_ONCE):
            yield range(first, k)
            first, total = k, 0
        total += size
    if sizes:
        yield range(first, len(sizes))


def best_scores(keys: Sequence[str], classes: Sequence[ClassCuts], *, seed: int, replicates: int) -> Floats:
    """The score that gives each class the best F1 in each replicate, (classes, replicates); NaN without any.

    >>> cuts = ClassCuts(np.array([0.9, 0.5, 0.5]), np.array([0, 1, 1], np.int32), np.array([1, 0, 1], np.uint8),
    ...     np.array([1, 0, 1], np.uint8), np.array([0, 1], np.int32), 2)
    >>> best_scores(["a", "b"], [cuts], seed=0, replicates=4).tolist()
    [[0.9, nan, nan, 0.5]]
    """
    hashes, columns = np.asarray(key_hashes(keys)), _columns(classes)
    scores = np.concatenate([*(cuts.score for cuts in classes), [np.nan]])  # place -1 is none

    def block(first: int) -> Floats:
        weights = weight_table(hashes, seed, CUT_REPLICATES, first)
        places = np.asarray(best_cuts(weights, *columns)).reshape(len(classes), CUT_REPLICATES)
        return np.asarray(scores[places])

    with ThreadPoolExecutor(os.cpu_count()) as threads:  # the kernels hold no lock
        blocks = list(threads.map(block, range(0, replicates, CUT_REPLICATES)))
    return np.concatenate([np.empty((len(classes), 0)), *blocks], axis=1)[:, :replicates]


def _columns(classes: Sequence[ClassCuts]) -> tuple[Any, ...]:
    """All classes one after another, and where each of them ends."""
    ends, object_ends = (
        np.cumsum([len(getattr(cuts, name)) for cuts in classes], dtype=np.int64) for name in ("record", "objects")
    )
    record, right, stop, objects = (
        np.concatenate([np.empty(0, kind), *(getattr(cuts, name) for cuts in classes)]).astype(kind, copy=False)
        for name, kind in (("record", np.int32), ("right", np.uint8), ("stop", np.uint8), ("objects", np.int32))
    )
    return ends, record, right, stop, object_ends, objects
