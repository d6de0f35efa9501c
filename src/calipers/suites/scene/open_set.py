"""Open-set recall and precision: does the most fitting object found for a task lie where it should?

A task is a class of the ground truth. How well a prediction fits a task is its similarity to it, given with the
prediction, or 1 if its label is the task and 0 if not.

- osR: in each scene, each task takes as many predictions as it has objects there: the most similar ones of positive
  similarity, ties by the best IoU with the task's objects, then by index. They match those objects one to one.
- osP: a prediction whose similarity to its best task (ties: the first class) reaches the threshold is relevant, and is
  matched one to one with the objects of that task. A duplicate, or an object of another class, is not correct.

Pairs match greedily, the closest first, among those that overlap at all, or by an IoU that is asked for. A matched
pair is correct strictly when both centroids lie in the box of the other, relaxed when at least one does.

Clio's own protocol differs: a prediction is relevant when its similarity to its best task is above the threshold times
the best such similarity in its scene, relaxed means that the prediction contains the centroid of the object, and equal
similarities are ranked by index alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.matching import Pairs, greedy
from calipers.suites.scene.counts import CountedSide
from calipers.suites.scene.rates import OPEN_SET_SUMS

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Fits(NamedTuple):
    """How well predictions fit tasks: one entry for each positive similarity, in the order of predictions."""

    pred: Ints
    task: Ints  # code of the class
    similarity: Floats

    def where(self, mask: Any) -> Fits:
        """The entries that a mask selects."""
        return Fits(self.pred[mask], self.task[mask], self.similarity[mask])


class Placed(NamedTuple):
    """Overlapping pairs, best first within a scene, and whether centroids are contained."""

    pairs: Pairs
    pred_in_truth: Mask
    truth_in_pred: Mask


class Protocol(NamedTuple):
    """What counts as relevant and correct."""

    min_overlap: int  # overlap of a matching pair, in units of 1e-12; 1 is any
    threshold: float
    clio: bool = False


def fits_of(pred: CountedSide, tasks: Mask, similarity: dict[int, dict[int, float]]) -> Fits:
    """Similarities to the tasks: as given, or else by label."""
    by_label = pred.counted & (pred.classes >= 0)
    by_label[list(similarity)] = False
    named = np.flatnonzero(by_label)
    entries = [(index, task, value) for index, row in similarity.items() for task, value in row.items()]
    index, task, value = np.array(entries, dtype=np.float64).reshape(-1, 3).T
    fits = Fits(
        np.concatenate([named, index.astype(np.int64)]),
        np.concatenate([pred.classes[named], task]).astype(np.int64),
        np.concatenate([np.ones(len(named)), value]),
    )
    fits = fits.where(np.lexsort((fits.task, fits.pred)))
    return fits.where(tasks[fits.task] & (fits.similarity > 0) & pred.counted[fits.pred])


def open_set_counts(
    truth: CountedSide,
    pred: CountedSide,
    placed: Placed,
    similarity: dict[int, dict[int, float]],
    protocol: Protocol,
    tasks: Mask,
) -> dict[str, Floats]:
    """The sums of osR and osP, for each scene. `tasks` says which classes the ground truth has, here or elsewhere."""
    scenes = truth.scenes
    fits = fits_of(pred, tasks, similarity)
    overlap = np.zeros(len(fits.pred)) if protocol.clio else _best_overlap(fits, truth, placed.pairs)
    chosen = fits.where(_most_similar(fits, truth, pred, overlap))
    relevant = fits.where(_relevant(fits, pred, protocol))
    matched, correct = (_matched(entries, truth, placed, protocol, scenes) for entries in (chosen, relevant))
    gt = np.bincount(truth.scene[truth.classes >= 0], None, scenes)
    sums = (gt, *matched, np.bincount(pred.scene[relevant.pred], None, scenes), *correct)
    return {name: np.asarray(column, np.float64) for name, column in zip(OPEN_SET_SUMS, sums, strict=True)}


def _most_similar(fits: Fits, truth: CountedSide, pred: CountedSide, overlap: Any) -> Mask:
    """Entries among the first n of their task in a scene, where n is the number of objects of the task there."""
    group = pred.scene[fits.pred] * (fits.task.max(initial=0) + 1) + fits.task
    order = np.lexsort((fits.pred, -overlap, -fits.similarity, group))
    rank = np.empty(len(order), dtype=np.int64)
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    rank[order] = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    width = max(fits.task.max(initial=0), truth.classes.max(initial=0)) + 1
    has_class = truth.classes >= 0
    groups, sizes = np.unique(truth.scene[has_class] * width + truth.classes[has_class], return_counts=True)
    task_group = pred.scene[fits.pred] * width + fits.task
    place = np.searchsorted(groups, task_group)
    objects = np.where(np.append(groups, -1)[place] == task_group, np.append(sizes, 0)[place], 0)
    return np.asarray(rank < objects)


def _best_overlap(fits: Fits, truth: CountedSide, pairs: Pairs) -> Ints:
    """For each entry the best overlap of its prediction with an object of its task."""
    entry, row = _entries_of_pairs(fits, truth, pairs)
    best = np.zeros(len(fits.pred), dtype=np.int64)
    np.maximum.at(best, entry, np.asarray(pairs.score)[row])
    return best


def _entries_of_pairs(fits: Fits, truth: CountedSide, pairs: Pairs) -> tuple[Ints, Ints]:
    """Every entry with every pair of its prediction and an object of its task: (entry, row of pairs), by row."""
    pred, task = np.asarray(pairs.pred, dtype=np.int64), truth.classes[np.asarray(pairs.truth)].astype(np.int64)
    width = max(fits.task.max(initial=-1), task.max(initial=-1)) + 1
    key, wanted = fits.pred * width + fits.task, pred * width + task  # a prediction has one entry for a task
    entry = np.searchsorted(key, wanted)
    row = np.flatnonzero((task >= 0) & (np.append(key, -1)[entry] == wanted))
    return entry[row], row


def _relevant(fits: Fits, pred: CountedSide, protocol: Protocol) -> Mask:
    """One entry for each relevant prediction: that of its best task."""
    order = np.lexsort((fits.task, -fits.similarity, fits.pred))
    best = np.zeros(len(order), dtype=bool)
    best[order[np.flatnonzero(np.diff(fits.pred[order], prepend=-1))]] = True
    if not protocol.clio:
        return np.asarray(best & (fits.similarity >= protocol.threshold))
    group = pred.scene[fits.pred] * (fits.task.max(initial=0) + 1) + fits.task
    groups, place = np.unique(group, return_inverse=True)
    largest = np.zeros(len(groups))
    np.maximum.at(largest, place[best], fits.similarity[best])
    return np.asarray(best & (fits.similarity > protocol.threshold * largest[place]))


def _matched(fits: Fits, truth: CountedSide, placed: Placed, protocol: Protocol, scenes: int) -> tuple[Ints, Ints]:
    """Correct matches for each scene, strict and relaxed, where entries match objects of their task one to one."""
    entry, row = _entries_of_pairs(fits, truth, placed.pairs)
    columns = np.asarray(placed.pairs.truth)[row], entry.astype(np.int32), np.asarray(placed.pairs.score)[row]
    matching = greedy(Pairs(*columns), truth.scene, fits.pred, min_overlap=protocol.min_overlap)
    partner = np.full(len(truth.scene), -1)
    partner[np.asarray(matching.truth)] = np.asarray(matching.pred)
    taken = partner[columns[0]] == entry
    inside, holds = placed.pred_in_truth[row][taken], placed.truth_in_pred[row][taken]
    scene = truth.scene[columns[0][taken]]
    relaxed = holds if protocol.clio else inside | holds
    return (
        np.bincount(scene[inside & holds], None, scenes),
        np.bincount(scene[relaxed], None, scenes),
    )
