"""What is counted of objects that were matched: both sides, each label mode, causes, and sums of replicates.

Suites that sweep a matching over thresholds count all of it in one go, so that the same name in a tally means the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calipers.core.causes import Causes, count_causes, count_per_record
from calipers.core.matching import Labels
from calipers.core.sweep import Swept, count_labels, count_objects, count_sweep
from calipers.core.tally import Counts, Tally
from calipers.core.worth import count_worth

if TYPE_CHECKING:
    from calipers.core.shapes import Sides

Resample = Callable[[Counts], Any]  # (columns, records) to their sums in each replicate, (columns, replicates)


class LabelMode(NamedTuple):
    """A matching under one label mode, and the labels that it goes by, if any."""

    swept: Swept
    labels: Labels | None
    names: list[str]  # of the labels, by code


class MatchedObjects(NamedTuple):
    """The objects of some records with their matchings; causes go by the labels of one of the modes."""

    sides: Sides
    modes: Mapping[str, LabelMode]  # those that are reported
    causes: Causes
    labels: Labels
    names: list[str]
    cause_rows: Counts  # (rows, records) of `worth.cause_rows`


def count_matched(objects: MatchedObjects, tally: Tally, resample: Resample, *, confusion: bool = False) -> None:
    """Count objects, the sweep and the labels of every mode, causes, labels taken for others, and replicates."""
    count_objects(objects.sides, tally)
    count_per_record(objects.sides, tally)
    for name, (swept, labels, names) in objects.modes.items():
        count_sweep(swept, name, tally)
        if labels is not None:
            count_labels(swept.at_primary, labels.truth, labels.pred, names, name, tally)
    outcomes = objects.causes.outcomes_by_label(objects.labels, len(objects.names))
    count_causes(outcomes, objects.names, tally)
    if confusion:
        from calipers.core.confusion import count_confusion

        count_confusion(objects.causes, outcomes, objects.labels, objects.names, tally)
    _count_replicates(objects, tally, resample)


def _count_replicates(objects: MatchedObjects, tally: Tally, resample: Resample) -> None:
    """For each replicate the objects on both sides, for each mode the pairs at primary and over the sweep, causes."""
    columns = [np.diff(objects.sides.truth.offsets), np.diff(objects.sides.pred.offsets)]
    for mode in objects.modes.values():
        columns += mode.swept.matched_by_record
    sums = resample(np.concatenate([np.stack(columns), objects.cause_rows])).T
    tally.count("resampled", sums[:, :2])
    for at, name in enumerate(objects.modes):
        tally.count(f"resampled.{name}", sums[:, 2 + 2 * at : 4 + 2 * at])
    count_worth(objects.cause_rows, sums[:, len(columns) :], tally)
