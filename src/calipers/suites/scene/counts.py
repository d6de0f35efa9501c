"""Matched boxes to counts: by scene, by class, by range and by the cause of a false positive.

A class counts a true positive where both sides of a matched pair carry it; a matched pair of different labels is a miss
of the one and a false positive of the other. Objects without a class count in the general sums only.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calipers.core.matching import UNIT, Pairs
from calipers.core.tally import exact_sum, ratio
from calipers.suites.scene.rates import CLASS_SUMS, over, plain

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
CLASSES_AT_ONCE = 16  # of class_blocks
FALSE_POSITIVE_CAUSES = ("unresolved_label", "no_overlap", "low_iou", "wrong_label", "duplicate")


class CountedSide:
    """One side of a comparison: for each object its scene, its class (-1 is none), and whether it counts at all."""

    __slots__ = ("classes", "counted", "scene", "scenes")

    def __init__(self, offsets: Any, classes: Any, counted: Any = None) -> None:
        ends = np.asarray(offsets)
        self.scenes = len(ends) - 1
        self.scene = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        self.classes = np.asarray(classes, dtype=np.int32)
        self.counted = np.ones(len(self.scene), dtype=bool) if counted is None else np.asarray(counted, dtype=bool)


class Matches:
    """Matched pairs, with the measurements of each pair."""

    __slots__ = ("error", "pred", "relaxed", "score", "strict", "truth")

    def __init__(self, pairs: Pairs, pred_in_truth: Any, truth_in_pred: Any, distance: Any) -> None:
        self.truth, self.pred, self.score = (np.asarray(column) for column in (pairs.truth, pairs.pred, pairs.score))
        inside, holds = np.asarray(pred_in_truth, dtype=bool), np.asarray(truth_in_pred, dtype=bool)
        self.strict, self.relaxed = inside & holds, inside | holds
        self.error = np.asarray(distance, dtype=np.float64)

    def __len__(self) -> int:
        return len(self.score)


class Counts:
    """Sums of each scene, general (scenes,) and by class, with the totals over all scenes."""

    __slots__ = ("classes", "matches", "pred", "scenes", "truth")

    def __init__(self, truth: CountedSide, pred: CountedSide, matches: Matches, scenes: int, classes: int) -> None:
        self.truth, self.pred, self.matches = truth, pred, matches
        self.scenes, self.classes = scenes, classes

    def by_scene(self) -> dict[str, Floats]:
        """The sums that rates are made of, for each scene."""
        matches, scene = self.matches, self.truth.scene[self.matches.truth]
        columns = {"tp": None, "strict": matches.strict, "relaxed": matches.relaxed, "error": matches.error}
        columns["iou"] = matches.score / UNIT
        sums = {name: np.bincount(scene, weights, self.scenes) for name, weights in columns.items()}
        sums["gt"] = np.bincount(self.truth.scene, None, self.scenes)
        sums["pred"] = np.bincount(self.pred.scene[self.pred.counted], None, self.scenes)
        return {name: np.asarray(column, dtype=np.float64) for name, column in sums.items()}

    def class_blocks(self) -> Iterator[tuple[Ints, dict[str, Floats]]]:
        """A few classes at a time: the scenes in which they are found, and their sums there (classes, scenes).

        A table of all classes by all scenes would be as large as their product, and all but empty. Classes that are
        never found are left out.
        """
        agreed = np.flatnonzero(self.agreed())
        order = agreed[np.argsort(self._shared_class()[agreed], kind="stable")]
        codes = self._shared_class()[order]
        starts = np.flatnonzero(np.diff(codes, prepend=-1))
        for part in np.split(order, starts[CLASSES_AT_ONCE::CLASSES_AT_ONCE]) if len(order) else ():
            yield self._class_block(part)

    def _class_block(self, pairs: Ints) -> tuple[Ints, dict[str, Floats]]:
        """The sums of pairs with the same class on both sides; they come class by class."""
        matches = self.matches
        scenes, scene = np.unique(self.truth.scene[matches.truth[pairs]], return_inverse=True)
        classes, code = np.unique(self._shared_class()[pairs], return_inverse=True)
        columns = {"tp": None, "strict": matches.strict, "relaxed": matches.relaxed, "error": matches.error}
        columns["iou"] = matches.score / UNIT
        size, place = len(classes) * len(scenes), code * len(scenes) + scene
        flat = {
            name: np.bincount(place, None if weights is None else weights[pairs], size)
            for name, weights in columns.items()
        }
        return scenes, {
            f"class_{name}": np.asarray(flat[name], dtype=np.float64).reshape(len(classes), len(scenes))
            for name in CLASS_SUMS
        }

    def totals(self) -> dict[str, Floats]:
        """The counts over all scenes, each as one draw; sums of fractions are exact, then rounded."""
        matches, codes = self.matches, np.where(self.agreed(), self._shared_class(), -1)
        sums: dict[str, Any] = {
            "gt": len(self.truth.scene),
            "pred": int(self.pred.counted.sum()),
            "tp": len(matches),
            "strict": int(matches.strict.sum()),
            "relaxed": int(matches.relaxed.sum()),
            "iou": exact_sum(matches.score) / UNIT,
            "error": fsum(matches.error.tolist()),
        }
        agreed = codes >= 0
        sums |= {
            "class_tp": np.bincount(codes[agreed], None, self.classes),
            "class_strict": np.bincount(codes[agreed & matches.strict], None, self.classes),
            "class_relaxed": np.bincount(codes[agreed & matches.relaxed], None, self.classes),
            "class_iou": np.zeros(self.classes),
            "class_error": np.zeros(self.classes),
        }
        for code, pairs in self._pairs_by_class(codes):
            sums["class_iou"][code] = exact_sum(matches.score[pairs]) / UNIT
            sums["class_error"][code] = fsum(matches.error[pairs].tolist())
        return {name: np.array(value, dtype=np.float64)[..., None] for name, value in sums.items()}

    def _pairs_by_class(self, codes: Ints) -> Iterator[tuple[int, Ints]]:
        """Each class that has pairs, with these."""
        order = np.argsort(codes, kind="stable")[np.count_nonzero(codes < 0) :]
        starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
        yield from zip(codes[order[starts]].tolist(), np.split(order, starts[1:]), strict=True) if len(order) else ()

    def agreed(self) -> Mask:
        """Which pairs carry the same class on both sides."""
        codes = self.truth.classes[self.matches.truth]
        return np.asarray((codes >= 0) & (codes == self.pred.classes[self.matches.pred]))

    def _shared_class(self) -> Ints:
        return np.asarray(self.truth.classes[self.matches.truth], dtype=np.int64)


def class_table(counts: Counts, names: list[str]) -> dict[str, dict[str, Any]]:
    """For each class its counts, rates and localisation."""
    sums = {name: column[..., 0] for name, column in counts.totals().items()}
    gt = np.bincount(counts.truth.classes[counts.truth.classes >= 0], None, len(names))
    predicted = counts.pred.classes[counts.pred.counted & (counts.pred.classes >= 0)]
    pred = np.bincount(predicted, None, len(names))
    means = {part: over(sums[f"class_{part}"], sums["class_tp"]) for part in CLASS_SUMS}
    return {
        name: {
            **_detection(int(sums["class_tp"][code]), int(gt[code]), int(pred[code])),
            "mean_iou_3d": plain(means["iou"][code]),
            "strict_accuracy": plain(means["strict"][code]),
            "relaxed_accuracy": plain(means["relaxed"][code]),
            "mean_centroid_error_m": plain(means["error"][code]),
        }
        for code, name in enumerate(names)
    }


def _detection(tp: int, gt: int, pred: int) -> dict[str, Any]:
    return {
        "tp": tp,
        "fp": pred - tp,
        "fn": gt - tp,
        "precision": ratio(tp, pred),
        "recall": ratio(tp, gt),
        "f1": ratio(2 * tp, gt + pred),
    }


def range_counts(counts: Counts, truth_distance: Any, pred_distance: Any, limits: tuple[float, ...]) -> Ints:
    """(3, ranges) gt, tp and fp by distance from the origin in the ground plane, from each limit up to the next.

    A matched pair stands where its ground truth is, everything else where it is itself. A prediction without a place
    (NaN) is in none.
    """
    buckets = len(limits) + 1
    truth = np.searchsorted(limits, truth_distance, side="right")
    pred = np.searchsorted(limits, pred_distance, side="right")
    spurious = counts.pred.counted & ~np.isnan(pred_distance)
    spurious[counts.matches.pred] = False
    gt, tp = np.bincount(truth, None, buckets), np.bincount(truth[counts.matches.truth], None, buckets)
    return np.stack([gt, tp, np.bincount(pred[spurious], None, buckets)])


def range_table(counts: Ints, limits: tuple[float, ...]) -> list[Any]:
    """The table of `range_counts`."""
    ends = [0.0, *limits, None]
    return [
        {"from_m": ends[k], "to_m": ends[k + 1], "gt": gt, "pred": tp + fp} | _detection(tp, gt, tp + fp)
        for k, (gt, tp, fp) in enumerate(counts.T.tolist())
    ]


def scene_table(counts: Counts, names: list[str]) -> dict[str, dict[str, Any]]:
    """For each scene its counts and what its matched pairs have on average."""
    sums = counts.by_scene()
    iou, error = over(sums["iou"], sums["tp"]), over(sums["error"], sums["tp"])
    columns = [sums[name].astype(int).tolist() for name in ("gt", "pred", "tp")]
    return {
        name: {"gt": gt, "pred": pred}
        | _detection(tp, gt, pred)
        | {"mean_iou_3d": plain(iou[k]), "mean_centroid_error_m": plain(error[k])}
        for k, (name, gt, pred, tp) in enumerate(zip(names, *columns, strict=True))
    }


def false_positive_causes(counts: Counts, pairs: Pairs, min_overlap: int, labelled: bool) -> tuple[Ints, Ints]:
    """Predictions that found nothing, and why: the first of FALSE_POSITIVE_CAUSES that applies, as a code.

    The label names no class; it overlaps nothing; it overlaps nothing enough; labels are required, and nothing that it
    overlaps enough has its label; else what it overlaps was taken by another.
    """
    free = counts.pred.counted.copy()
    free[counts.matches.pred] = False
    spurious = np.flatnonzero(free)
    truth, pred, score = (np.asarray(column) for column in (pairs.truth, pairs.pred, pairs.score))
    best, best_own = np.zeros(len(free), dtype=np.int64), np.zeros(len(free), dtype=np.int64)
    np.maximum.at(best, pred, score)
    own = counts.truth.classes[truth] == counts.pred.classes[pred]
    np.maximum.at(best_own, pred[own], score[own])
    cause = np.full(len(free), FALSE_POSITIVE_CAUSES.index("duplicate"))
    if labelled:
        cause[best_own < min_overlap] = FALSE_POSITIVE_CAUSES.index("wrong_label")
    cause[best < min_overlap] = FALSE_POSITIVE_CAUSES.index("low_iou")
    cause[best == 0] = FALSE_POSITIVE_CAUSES.index("no_overlap")
    cause[counts.pred.classes < 0] = FALSE_POSITIVE_CAUSES.index("unresolved_label")
    return spurious, cause[spurious]
