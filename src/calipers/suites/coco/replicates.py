"""How sure average precision is: its values in the replicates of a Poisson bootstrap over images.

In a replicate an image counts as often as its weight says (see `calipers.core.bootstrap`), with all its detections and
objects, each copy right behind the other. Average precision, recall and precision at a target recall are then those of
`metrics.detections`, class by class; a value of a replicate is the mean over the classes that have an object in it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, pairwise
from math import fsum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.ranking import curve_of, first_step
from calipers.kernels.count.replicates import REPLICATES, mean_values
from calipers.kernels.count.sums import key_hashes, weight_table

MAX_THRESHOLDS = 16  # bits of `hits`
Values = NDArray[np.float64]


class RankedClass(NamedTuple):
    """The detections of one class, best first, and the objects that count."""

    image: NDArray[np.int32]  # (detections,) index of the image
    hits: NDArray[np.uint16]  # (detections,) bit t: a true positive at threshold t
    ignored: NDArray[np.uint16]  # (detections,) bit t: left out at threshold t
    objects: NDArray[np.int32]  # (objects,) index of the image of each


class RankedColumns(NamedTuple):
    """All classes one after another: what `RankedClass` has of each, and where each of them ends."""

    ends: NDArray[np.int64]  # (classes,) of the detections
    image: NDArray[np.int32]  # (detections,)
    hits: NDArray[np.uint16]  # (detections,)
    ignored: NDArray[np.uint16]  # (detections,)
    object_ends: NDArray[np.int64]  # (classes,)
    objects: NDArray[np.int32]  # (objects,)

    def classes(self) -> list[RankedClass]:
        """The part of the columns of each class, without copies."""
        return [
            RankedClass(self.image[begin:end], self.hits[begin:end], self.ignored[begin:end], self.objects[first:last])
            for (begin, end), (first, last) in zip(_spans(self.ends), _spans(self.object_ends), strict=True)
        ]

    def to_last_hits(self) -> RankedColumns:
        """Every class without the detections after its last right one, which no precision that counts depends on."""
        starts, right = _starts(self.ends), np.flatnonzero(self.hits).astype(np.int32)
        before, until = np.searchsorted(right, starts), np.searchsorted(right, self.ends)
        stops = np.where(until > before, np.append(right, np.int32(0))[until - 1] + 1, starts)
        kept = _between(starts, stops, len(self.image))
        return self._replace(
            ends=np.cumsum(stops - starts), image=self.image[kept], hits=self.hits[kept], ignored=self.ignored[kept]
        )

    def _only(self, detections: NDArray[np.bool_], objects: NDArray[np.bool_]) -> RankedColumns:
        """Some of the rows, for whoever knows where classes end then."""
        return self._replace(
            image=self.image[detections],
            hits=self.hits[detections],
            ignored=self.ignored[detections],
            objects=self.objects[objects],
        )

    def of_classes(self, chosen: NDArray[np.bool_]) -> RankedColumns:
        """Some of the classes; without a copy if all are."""
        if chosen.all():
            return self
        counts, objects = np.diff(self.ends, prepend=0), np.diff(self.object_ends, prepend=0)
        own_detections, own_objects = np.repeat(chosen, counts), np.repeat(chosen, objects)
        ends, object_ends = np.cumsum(counts[chosen]), np.cumsum(objects[chosen])
        return self._only(own_detections, own_objects)._replace(ends=ends, object_ends=object_ends)

    def on_busy_images(self, images: int) -> tuple[RankedColumns, NDArray[np.intp]]:
        """Classes whose images are numbered without those that have nothing, and which of the images the others are.

        There is no copy if all images have something.
        """
        busy = np.zeros(images, dtype=bool)
        busy[self.image] = busy[self.objects] = True
        if busy.all():
            return self, np.flatnonzero(busy)
        place = np.cumsum(busy, dtype=np.int32) - np.int32(1)
        return self._replace(image=place[self.image], objects=place[self.objects]), np.flatnonzero(busy)

    def within(self, inside: NDArray[np.bool_]) -> RankedColumns:
        """The detections and objects of every class on some of the images."""
        own_detections, own_objects = inside[self.image], inside[self.objects]
        ends, object_ends = (
            _counted_to(flags, at) for flags, at in ((own_detections, self.ends), (own_objects, self.object_ends))
        )
        return self._only(own_detections, own_objects)._replace(ends=ends, object_ends=object_ends)


class Replicates(NamedTuple):
    """Means over classes in each replicate; NaN in one without any object."""

    mean_average: Values  # (thresholds, replicates) average precision
    mean_recall: Values  # (thresholds, replicates) recall of all detections
    mean_beyond: Values  # (replicates,) precision at the target recall and beyond, at threshold 0
    mean_at_target: Values  # (replicates,) precision at the target recall itself, at threshold 0
    present: NDArray[np.bool_]  # (classes, replicates) whether a class has an object, and is in the means


def replicate_values(
    keys: Sequence[str],
    classes: RankedColumns,
    *,
    thresholds: int,
    recall_target: float | None,
    seed: int,
    replicates: int,
) -> Replicates:
    """Values in each replicate, to the same bits whatever the number of threads; without a target none about it.

    >>> found, none = np.array([1, 0, 1], np.uint16), np.zeros(3, np.uint16)
    >>> ranked = RankedClass(np.array([0, 1, 1], np.int32), found, none, np.array([0, 1], np.int32))
    >>> columns = in_columns([ranked])
    >>> values = replicate_values(["a", "b"], columns, thresholds=1, recall_target=0.9, seed=0, replicates=4)
    >>> values.mean_recall.tolist()
    [[1.0, nan, nan, 1.0]]
    """
    _check(classes, len(keys), thresholds)
    classes, busy = classes.on_busy_images(len(keys))
    hashes = np.asarray(key_hashes([keys[place] for place in busy.tolist()]))  # no other weights are looked at
    from_step = first_step(recall_target or 0.0)

    def block(first: int) -> tuple[Values, NDArray[np.bool_]]:
        weights = weight_table(hashes, seed, REPLICATES, first)
        means, present = mean_values(weights, *classes, thresholds, from_step, recall_target)
        return np.asarray(means, dtype=np.float64).reshape(-1, REPLICATES), _bits(np.asarray(present))

    with ThreadPoolExecutor(os.cpu_count()) as threads:  # the kernels hold no lock
        blocks = list(threads.map(block, range(0, replicates, REPLICATES)))
    nothing = np.empty((2 * thresholds + 2, 0)), np.empty((len(classes.ends), 0), dtype=bool)
    rows, present = (np.concatenate(parts, axis=1)[:, :replicates] for parts in zip(nothing, *blocks, strict=True))
    rows = np.minimum(rows, 1.0)  # sums of steps can end a hair above
    return Replicates(rows[:thresholds], rows[thresholds:-2], rows[-2], rows[-1], present)


def value_of_images(classes: RankedColumns, inside: NDArray[np.bool_]) -> float | None:
    """The mean over classes of average precision at the first threshold, on some of the images; None without objects.

    >>> found, none = np.array([1, 0, 1], np.uint16), np.zeros(3, np.uint16)
    >>> ranked = RankedClass(np.array([0, 1, 1], np.int32), found, none, np.array([0, 1], np.int32))
    >>> columns = in_columns([ranked])
    >>> value_of_images(columns, np.array([True, False])), value_of_images(columns, np.array([False, True]))
    (1.0, 0.5)
    """
    weights = np.repeat(inside.astype(np.uint8), REPLICATES)
    means, _ = mean_values(weights, *classes, 1, 0, 0.0)
    value = min(float(np.asarray(means)[0]), 1.0)
    return None if np.isnan(np.asarray(means)[0]) else value


def values_of_classes(classes: RankedColumns) -> Values:
    """Average precision of each class at the first threshold; 0 without objects.

    >>> right, none = np.array([1, 0, 1], np.uint16), np.zeros(3, np.uint16)
    >>> found = RankedClass(np.array([0, 1, 1], np.int32), right, none, np.array([0, 1], np.int32))
    >>> empty = RankedClass(*(column[:0] for column in found))
    >>> values_of_classes(in_columns([found, empty])).round(4).tolist()
    [0.835, 0.0]
    """
    values = np.zeros(len(classes.ends))
    for k, ranked in enumerate(classes.classes()):
        if len(ranked.objects):
            is_hit = ranked.hits[ranked.ignored & 1 == 0] & 1 > 0
            values[k] = curve_of(is_hit, len(ranked.objects)).mean()
    return values


def excess(values: Values, whole: Values, present: NDArray[np.bool_]) -> float:
    """How much higher a mean over classes lies in replicates than in the whole set, on average, class against class.

    `whole` has the value of each class in the whole set. A replicate is compared with the mean of these over the
    classes that it has itself: a rare class that is left out of many replicates would pass for a change else.

    >>> excess(np.array([0.6, 0.9]), np.array([0.5, 0.5, 1.0]), np.array([[1, 0], [1, 1], [0, 1]], bool))
    0.125
    """
    total = np.zeros(len(values))
    for value, here in zip(whole.tolist(), present, strict=True):
        total += value * here
    some = ~np.isnan(values)
    gains = values[some] - total[some] / present.sum(axis=0)[some]
    return fsum(gains.tolist()) / len(gains) if len(gains) else 0.0


def _bits(words: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """(words, 64) the bits of each, the lowest first."""
    return (words[:, None] >> np.arange(REPLICATES, dtype=np.uint64) & np.uint64(1)).astype(bool)


def _check(classes: RankedColumns, images: int, thresholds: int) -> None:
    """Check what the kernel relies on: it looks up the weights of every image it is given."""
    if not 0 < thresholds <= MAX_THRESHOLDS:
        raise ValueError(f"{thresholds} thresholds: expected 1 to {MAX_THRESHOLDS}")
    for places in (classes.image, classes.objects):
        if len(places) and not 0 <= places.min() <= places.max() < images:
            raise ValueError(f"an image from {places.min()} to {places.max()}: expected 0 to {images - 1}")


def in_columns(classes: Sequence[RankedClass]) -> RankedColumns:
    """All classes one after another."""
    if any(not len(ranked.image) == len(ranked.hits) == len(ranked.ignored) for ranked in classes):
        raise ValueError("image, hits and ignored of a class are not of one length")
    ends = np.array(list(accumulate(len(ranked.image) for ranked in classes)), dtype=np.int64)
    object_ends = np.array(list(accumulate(len(ranked.objects) for ranked in classes)), dtype=np.int64)
    return RankedColumns(
        ends,
        _joined([ranked.image for ranked in classes], np.int32),
        _joined([ranked.hits for ranked in classes], np.uint16),
        _joined([ranked.ignored for ranked in classes], np.uint16),
        object_ends,
        _joined([ranked.objects for ranked in classes], np.int32),
    )


def _joined(columns: Sequence[NDArray[Any]], dtype: type[np.generic]) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype), *columns]).astype(dtype, copy=False)


def _starts(ends: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], ends[:-1]])[: len(ends)]


def _spans(ends: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Begin and end of each group."""
    return pairwise([0, *ends.tolist()])


def _between(starts: NDArray[np.int64], stops: NDArray[np.int64], rows: int) -> NDArray[np.bool_]:
    """(rows,) whether a row is in one of some spans, which follow each other.

    >>> _between(np.array([0, 2, 2]), np.array([1, 2, 4]), 5).tolist()
    [True, False, True, True, False]
    """
    some, steps = stops > starts, np.zeros(rows + 1, np.int8)
    steps[starts[some]] += 1
    steps[stops[some]] -= 1
    return np.cumsum(steps[:rows], dtype=np.int8).view(bool)


def _counted_to(flags: NDArray[np.bool_], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many flags are set before each end."""
    return np.asarray(np.concatenate([[0], np.cumsum(flags)])[ends], dtype=np.int64)
