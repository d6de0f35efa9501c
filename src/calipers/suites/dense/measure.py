"""The dense suite: a batch to counts. Overlaps once, then one greedy matching for each label mode.

In localization mode any pair may match, in phase mode only pairs of the same phase, in category mode only pairs of the
same category; a pair of empty labels never does. Regions match regions, lines match lines.
"""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter

import numpy as np

from calipers.core import sweep, worth
from calipers.core.bootstrap import resample_hashed
from calipers.core.causes import Causes, count_causes, count_per_record, faint_overlap
from calipers.core.confusion import count_confusion
from calipers.core.errors import WorkError
from calipers.core.matching import UNIT, Labels, Pairs, greedy
from calipers.core.shapes import FLAGS, Batch
from calipers.core.tally import Tally
from calipers.files.problems import REASON_WORDS
from calipers.kernels.count.assign import gather_codes
from calipers.kernels.scan.flatten import REASONS
from calipers.rulers.region import region_overlaps
from calipers.rulers.tube import covered_lines, nearby_lines, stroke_width, tube_overlaps
from calipers.suites.dense import attributes, lines
from calipers.suites.dense.config import Config
from calipers.suites.dense.labels.desc import Desc
from calipers.suites.dense.labels.vocabulary import MODES, label_codes


class MatchedBatch:
    """A batch with its descriptions, labels and overlaps, and one matching per label mode."""

    def __init__(self, batch: Batch, config: Config, *, all_pairs: bool = False) -> None:
        truth, pred, levels = batch.truth, batch.pred, config.levels
        min_overlap = 0.0 if all_pairs else faint_overlap(levels.min_overlap / UNIT) / UNIT
        self.descs: list[Desc] = config.vocabulary.describe(truth.descs)
        tolerance, work = config.tube_tolerance, config.max_work
        tubes = tube_overlaps(truth, pred, stroke=stroke_width(tolerance), max_work=work)
        self.near = nearby_lines(truth, pred, tubes, tolerance=tolerance, max_work=work)
        self.pairs = Pairs.sorted(truth, region_overlaps(truth, pred, min_overlap=min_overlap, max_work=work), tubes)
        self.names: dict[str, list[str]] = {}
        self.labels: dict[str, Labels] = {}
        for mode in ("phase", "category"):
            codes, self.names[mode] = label_codes(map(attrgetter(mode), self.descs))
            self.labels[mode] = Labels(gather_codes(codes, truth.desc), gather_codes(codes, pred.desc))
        self.matchings: dict[str, Pairs] = {
            mode: greedy(self.pairs, truth, pred, min_overlap=levels.min_overlap, labels=self.labels.get(mode))
            for mode in MODES
        }
        self.causes = Causes(self.pairs, self.labels["category"], levels.primary)
        self.swept = {mode: sweep.Swept(self.matchings[mode], batch, levels) for mode in config.modes}

    def at_primary(self, mode: str, config: Config) -> Pairs:
        """The matching of a mode at the primary threshold."""
        return sweep.above(self.matchings[mode], config.levels.primary_unit)


def match_measurable(batch: Batch, config: Config, *, all_pairs: bool = False) -> tuple[MatchedBatch, Batch, list[int]]:
    """A batch matched, without the records whose shapes take too much work to compare; these come last."""
    heavy: list[int] = []
    left = list(range(len(batch)))
    while True:
        try:
            return MatchedBatch(batch, config, all_pairs=all_pairs), batch, sorted(heavy)
        except WorkError as error:
            heavy += [left[record] for record in error.records]
            left = [record for record in left if record not in set(heavy)]
            batch = batch.without(error.records)


def measure(batch: Batch, config: Config) -> Tally:
    """One batch to counts."""
    return count(MatchedBatch(batch, config), batch, config)


def count(matched: MatchedBatch, batch: Batch, config: Config) -> Tally:
    """The counts of a matched batch."""
    tally = Tally()
    _count_state(batch, tally)
    sweep.count_objects(batch, tally)
    count_per_record(batch, tally)
    _count_unlabelled(matched.labels["category"], batch, tally)
    swept = matched.swept
    for mode in config.modes:
        sweep.count_sweep(swept[mode], mode, tally)
        if labels := matched.labels.get(mode):
            at_primary = matched.at_primary(mode, config)
            sweep.count_labels(at_primary, labels.truth, labels.pred, matched.names[mode], mode, tally)
    _count_primary(matched, batch, config, tally)
    _resample(swept, matched, batch, config, tally)
    return tally


def _count_state(batch: Batch, tally: Tally) -> None:
    flags = np.concatenate([batch.truth.flags, batch.pred.flags])
    reasons = np.bincount(batch.pred.reason, minlength=len(REASONS))
    reasons[0] = 0  # valid
    tally.count("invalid", reasons)
    tally.count("flags", [np.count_nonzero(flags & FLAGS[name]) for name in ("clamped", "repaired", "degenerate")])


def _count_unlabelled(labels: Labels, batch: Batch, tally: Tally) -> None:
    """Valid objects that no label can match."""
    sides = ((labels.truth, batch.truth), (labels.pred, batch.pred))
    nameless = [np.count_nonzero((np.asarray(codes) < 0) & (np.asarray(side.reason) == 0)) for codes, side in sides]
    tally.count("unlabelled", nameless)


def _count_primary(matched: MatchedBatch, batch: Batch, config: Config, tally: Tally) -> None:
    """Causes in category mode; attributes and coverage in localization mode."""
    located = matched.at_primary("localization", config)
    labels, names = matched.labels["category"], matched.names["category"]
    outcomes = matched.causes.outcomes_by_label(labels, len(names))
    count_causes(outcomes, names, tally)
    count_confusion(matched.causes, outcomes, labels, names, tally)
    attributes.count_attributes(located, batch, matched.descs, config.label_key, config.free_text_keys, tally)
    covered = covered_lines(batch.truth, batch.pred, matched.near, tolerance=config.tube_tolerance)
    lines.count_coverage(lines.CoveredPairs(*covered), located, batch, tally)


def _resample(swept: dict[str, sweep.Swept], matched: MatchedBatch, batch: Batch, config: Config, tally: Tally) -> None:
    """For each replicate the objects on both sides, for each mode the pairs at primary and over the sweep, causes."""
    columns = [np.diff(batch.truth.offsets), np.diff(batch.pred.offsets)]
    for mode in config.modes:
        columns += swept[mode].matched_by_record
    causes = worth.cause_rows(
        (batch.truth.offsets, batch.pred.offsets),
        matched.pairs,
        matched.labels["category"],
        config.levels.primary_and_sweep,
    )
    table = np.concatenate([np.stack(columns), causes])
    sums = resample_hashed(batch.hashes, table, seed=config.seed, replicates=config.bootstrap, threads=False).T
    tally.count("resampled", sums[:, :2])
    for at, mode in enumerate(config.modes):
        tally.count(f"resampled.{mode}", sums[:, 2 + 2 * at : 4 + 2 * at])
    worth.count_worth(causes, sums[:, len(columns) :], tally)


def first_invalid(batch: Batch) -> str:
    """The first prediction of a batch that cannot be read: where it is, and why; nothing if all can."""
    reasons = np.flatnonzero(batch.pred.reason)
    if not len(reasons):
        return ""
    at = int(reasons[0])
    record = bisect_right(batch.pred.offsets.tolist(), at) - 1
    name = REASONS[batch.pred.reason[at]]
    index = at - batch.pred.offsets[record]
    return f"{batch.path}:{batch.lines[record]}: pred[{index}]: {REASON_WORDS.get(name, name)}"
