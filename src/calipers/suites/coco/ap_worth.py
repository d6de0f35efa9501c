"""What each cause of errors is worth in AP_50, for the artifact: TIDE's oracles, with intervals.

Causes are found image by image, so that in a replicate of the bootstrap an image brings its errors along: AP_50 with
and without them is computed anew in each. The interval is made as that of AP: as wide as the replicates vary, around
the gain.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.core.bootstrap import around
from calipers.core.freed_memory import return_memory_of_many
from calipers.core.ranking import curve_of
from calipers.suites.coco.curves import mean_of
from calipers.suites.coco.replicates import RankedColumns, Replicates, replicate_values
from calipers.suites.coco.tide import ORACLES, Oracles

if TYPE_CHECKING:
    from calipers.suites.coco.measure import MeasuredImages

FEW = 4096  # detections, of more than which no other class has the same
NO_KEYPOINTS = "causes in AP are those of boxes and masks, not of keypoints"


def ap_worth_tree(measured: MeasuredImages) -> tuple[dict[str, Any] | None, str | None]:
    """The gain in AP_50 of each cause, or the reason why it is undefined."""
    if measured.no_ap or measured.matches is None or measured.tide is None:
        return None, measured.no_ap or NO_KEYPOINTS
    oracles = Oracles(measured.detections, measured.matches, measured.tide)
    comparison, records = OracleComparison(measured, oracles.now()), measured.busy_images
    tree = {}
    for name in ORACLES:
        return_memory_of_many(len(oracles.counted))
        gain, draws = comparison.gain(oracles.mended(name))
        tree[name] = {"gain": gain, "interval": around(gain, draws, records=records)}
    return tree, None


class OracleComparison:
    """AP_50 under oracles against AP_50 without any."""

    def __init__(self, measured: MeasuredImages, now: RankedColumns) -> None:
        self.measured = measured
        self.detected = np.diff(now.ends, prepend=0) > 0  # (classes,)
        self.present = np.diff(now.object_ends, prepend=0) > 0  # (classes,)
        self.average = _mean_average(now, self.present)
        self.detected_in = self._drawn(now._replace(object_ends=now.ends, objects=now.image)).present
        drawn = self._drawn(now)
        self.present_in, self.drawn = drawn.present, drawn.mean_average[0]  # (present, replicates), (replicates,)

    def gain(self, then: RankedColumns) -> tuple[float | None, Any]:
        """What AP_50 gains, in the whole set and in every replicate."""
        left = np.diff(then.object_ends, prepend=0) > 0
        average = _mean_average(then, self.present & (left | self.detected))
        gain = None if average is None or self.average is None else max(average - self.average, 0.0)
        drawn = self._drawn(then)
        total = np.nan_to_num(drawn.mean_average[0]) * drawn.present.sum(axis=0)
        classes = (self.present_in & (drawn.present | self.detected_in)).sum(axis=0)
        return gain, np.where(classes > 0, total / np.maximum(classes, 1), np.nan) - self.drawn

    def _drawn(self, classes: RankedColumns) -> Replicates:
        config, names = self.measured.config, self.measured.detections.images.names
        return replicate_values(
            names,
            classes.to_last_hits().of_classes(self.present),  # no oracle gives a class objects
            thresholds=1,
            recall_target=None,
            seed=config.seed,
            replicates=config.bootstrap,
        )


def _mean_average(classes: RankedColumns, counted: Any) -> float | None:
    """The mean of average precision over some classes; that of a class without objects is 0."""
    hits, ends, object_ends = classes.hits > 0, [0, *classes.ends.tolist()], [0, *classes.object_ends.tolist()]
    known = cache(_average)  # thousands of classes have few detections and objects, and are alike
    averages = []
    for k in np.flatnonzero(counted).tolist():
        begin, end, objects = ends[k], ends[k + 1], object_ends[k + 1] - object_ends[k]
        right = hits[begin:end]
        averages.append(known(right.tobytes(), objects) if end - begin <= FEW else _average(right, objects))
    return mean_of(averages)


def _average(right: Any, objects: int) -> float | None:
    """Average precision of a class, of which detections are right, the surest first; they may be given as bytes."""
    if not objects:
        return 0.0
    return mean_of(curve_of(np.frombuffer(right, dtype=bool), objects).tolist())
