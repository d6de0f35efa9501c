"""What each cause of errors is worth in AP_50, for the artifact: TIDE's oracles, with intervals.

Causes are found image by image, so that in a replicate of the bootstrap an image brings its errors along: AP_50 with
and without them is computed anew in each. The interval is made as that of AP: as wide as the replicates vary, around
the gain.
"""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.core.bootstrap import around
from calipers.core.ranking import curve_of
from calipers.suites.coco.curves import mean_of
from calipers.suites.coco.replicates import RankedClass, Replicates, replicate_values
from calipers.suites.coco.tide import ORACLES, Oracles

if TYPE_CHECKING:
    from calipers.suites.coco.measure import MeasuredImages

NO_KEYPOINTS = "causes in AP are those of boxes and masks, not of keypoints"


def ap_worth_tree(measured: MeasuredImages) -> tuple[dict[str, Any] | None, str | None]:
    """What each cause is worth in AP_50, or why that is not known."""
    if measured.no_ap or measured.matches is None or measured.tide is None:
        return None, measured.no_ap or NO_KEYPOINTS
    oracles = Oracles(measured.detections, measured.matches, measured.tide)
    comparison, records = OracleComparison(measured, oracles.now()), measured.busy_images
    tree = {}
    for name in ORACLES:
        gain, draws = comparison.gain(oracles.mended(name))
        tree[name] = {"gain": gain, "interval": around(gain, draws, records=records)}
    return tree, None


class OracleComparison:
    """AP_50 under oracles against AP_50 without any."""

    def __init__(self, measured: MeasuredImages, now: list[RankedClass]) -> None:
        self.measured = measured
        self.detected = np.array([len(ranked.image) > 0 for ranked in now], dtype=bool)  # (classes,)
        self.present = np.array([len(ranked.objects) > 0 for ranked in now], dtype=bool)  # (classes,)
        self.average = _mean_average(now, self.present)
        self.detected_in = self._drawn([ranked._replace(objects=ranked.image) for ranked in now]).present
        drawn = self._drawn(now)
        self.present_in, self.drawn = drawn.present, drawn.mean_average[0]  # (classes, replicates), (replicates,)

    def gain(self, then: list[RankedClass]) -> tuple[float | None, Any]:
        """What AP_50 gains, in the whole set and in every replicate."""
        left = np.array([len(ranked.objects) > 0 for ranked in then], dtype=bool)
        average = _mean_average(then, self.present & (left | self.detected))
        gain = None if average is None or self.average is None else max(average - self.average, 0.0)
        drawn = self._drawn(then)
        total = np.nan_to_num(drawn.mean_average[0]) * drawn.present.sum(axis=0)
        classes = (self.present_in & (drawn.present | self.detected_in)).sum(axis=0)
        return gain, np.where(classes > 0, total / np.maximum(classes, 1), np.nan) - self.drawn

    def _drawn(self, classes: list[RankedClass]) -> Replicates:
        config, names = self.measured.config, self.measured.detections.images.names
        needed = [_to_last_hit(ranked) for ranked in classes]
        return replicate_values(
            names, needed, thresholds=1, recall_target=0.0, seed=config.seed, replicates=config.bootstrap
        )


def _to_last_hit(ranked: RankedClass) -> RankedClass:
    """A class without the detections after its last right one, which no precision that counts depends on."""
    hits = np.flatnonzero(ranked.hits)
    end = int(hits[-1]) + 1 if len(hits) else 0
    return ranked._replace(image=ranked.image[:end], hits=ranked.hits[:end], ignored=ranked.ignored[:end])


def _mean_average(classes: list[RankedClass], counted: Any) -> float | None:
    """The mean of average precision over some classes; that of a class without objects is 0."""
    known: dict[tuple[bytes, int], float | None] = {}  # thousands of classes have few objects, and are alike
    averages = []
    for ranked in compress(classes, counted.tolist()):
        hits, objects = ranked.hits > 0, len(ranked.objects)
        alike = hits.tobytes(), objects
        if alike not in known:
            known[alike] = mean_of(curve_of(hits, objects).tolist()) if objects else 0.0
        averages.append(known[alike])
    return mean_of(averages)
