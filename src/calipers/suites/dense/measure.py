"""The dense suite: a batch to counts. Overlaps once, then one greedy matching for each label mode.

In localization mode any pair may match, in phase mode only pairs of the same phase, in category mode only pairs of the
same category; a pair of empty labels never does. Regions match regions, lines match lines.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import partial
from operator import attrgetter

import numpy as np

from calipers.core import sweep
from calipers.core.bootstrap import resample_hashed
from calipers.core.causes import Causes, faint_overlap
from calipers.core.errors import WorkError
from calipers.core.matched_objects import LabelMode, MatchedObjects, count_matched
from calipers.core.matching import UNIT, Labels, Pairs, greedy
from calipers.core.shapes import FLAGS, Batch
from calipers.core.tally import Tally
from calipers.core.worth import cause_rows
from calipers.files.problems import REASON_WORDS
from calipers.kernels.count.assign import gather_codes
from calipers.kernels.scan.flatten import KINDS, REASONS
from calipers.rulers.region import region_overlaps
from calipers.rulers.tube import covered_lines, nearby_lines, stroke_width, tube_overlaps
from calipers.suites.dense import attributes, lines
from calipers.suites.dense.config import Config
from calipers.suites.dense.desc import Desc
from calipers.suites.dense.labels import LABELLED_MODES, MODES, label_codes


class MatchedBatch:
    """A batch with its descriptions, labels and overlaps, and one matching per label mode."""

    def __init__(self, batch: Batch, config: Config, *, all_pairs: bool = False, pairs: Pairs | None = None) -> None:
        """With `all_pairs` also those too far apart to matter; with `pairs` none are looked for."""
        truth, pred = batch.truth, batch.pred
        self.descs: list[Desc] = config.vocabulary.describe(truth.descs)
        codes = {mode: label_codes(map(attrgetter(mode), self.descs)) for mode in LABELLED_MODES}
        levels = config.levels
        self.pairs = self._compared(batch, config, all_pairs) if pairs is None else pairs
        self.names: dict[str, list[str]] = {mode: names for mode, (_, names) in codes.items()}
        self.labels: dict[str, Labels] = {
            mode: Labels(gather_codes(of_desc, truth.desc), gather_codes(of_desc, pred.desc))
            for mode, (of_desc, _) in codes.items()
        }
        self.matchings: dict[str, Pairs] = {
            mode: greedy(self.pairs, truth, pred, min_overlap=levels.min_overlap, labels=self.labels.get(mode))
            for mode in MODES
        }
        self.causes = Causes(self.pairs, self.labels["category"], levels.primary)
        self.swept = {mode: sweep.Swept(self.matchings[mode], batch, levels) for mode in config.modes}

    def _compared(self, batch: Batch, config: Config, all_pairs: bool) -> Pairs:
        """The pairs that overlap. Notes which lines are within reach of each other as well."""
        truth, pred = batch.truth, batch.pred
        min_overlap = 0.0 if all_pairs else faint_overlap(config.levels.min_overlap / UNIT) / UNIT
        tolerance, work = config.tube_tolerance, config.max_work
        tubes = tube_overlaps(truth, pred, stroke=stroke_width(tolerance), max_work=work)
        self.near = nearby_lines(truth, pred, tubes, tolerance=tolerance, max_work=work)
        return Pairs.sorted(truth, region_overlaps(truth, pred, min_overlap=min_overlap, max_work=work), tubes)

    def at_primary(self, mode: str, config: Config) -> Pairs:
        """The matching of a mode at the primary threshold."""
        return sweep.above(self.matchings[mode], config.levels.primary_unit)


def match_measurable(batch: Batch, config: Config, *, all_pairs: bool = False) -> tuple[MatchedBatch, Batch, list[int]]:
    """A batch matched, without the records whose shapes take too much work to compare; these come last."""
    heavy: list[int] = []
    whole = batch
    while True:
        try:
            return MatchedBatch(batch, config, all_pairs=all_pairs), batch, sorted(heavy)
        except WorkError as error:
            left = [record for record in range(len(whole)) if record not in set(heavy)]
            heavy += [left[record] for record in error.records]
            batch = batch.without(error.records)


def measure(batch: Batch, config: Config) -> Tally:
    """One batch to counts."""
    return count(MatchedBatch(batch, config), batch, config)


def count(matched: MatchedBatch, batch: Batch, config: Config) -> Tally:
    """The counts of a matched batch."""
    tally = Tally()
    _count_matched(matched, batch, config, tally)
    _count_state(matched.labels["category"], batch, tally)
    _count_located(matched, batch, config, tally)
    return tally


def _count_state(labels: Labels, batch: Batch, tally: Tally) -> None:
    """Predictions that cannot be read, shapes that were altered, and valid objects that no label can match."""
    flags = np.concatenate([batch.truth.flags, batch.pred.flags])
    reasons = np.bincount(batch.pred.reason, minlength=len(REASONS))
    reasons[0] = 0  # valid
    sides = ((labels.truth, batch.truth), (labels.pred, batch.pred))
    nameless = [np.count_nonzero((np.asarray(codes) < 0) & (np.asarray(side.reason) == 0)) for codes, side in sides]
    tally.count("invalid", reasons)
    tally.count("flags", [np.count_nonzero(flags & FLAGS[name]) for name in ("clamped", "repaired", "degenerate")])
    tally.count("unlabelled", nameless)


def _count_matched(matched: MatchedBatch, batch: Batch, config: Config, tally: Tally) -> None:
    """The modes that are reported, causes in category mode, and replicates."""
    modes = {
        mode: LabelMode(matched.swept[mode], matched.labels.get(mode), matched.names.get(mode, []))
        for mode in config.modes
    }
    labels, offsets = matched.labels["category"], (batch.truth.offsets, batch.pred.offsets)
    causes = cause_rows(offsets, matched.pairs, labels, config.levels.primary_and_sweep)
    objects = MatchedObjects(batch, modes, matched.causes, labels, matched.names["category"], causes)
    resample = partial(resample_hashed, batch.hashes, seed=config.seed, replicates=config.bootstrap, threads=False)
    count_matched(objects, tally, resample, confusion=True)


def _count_located(matched: MatchedBatch, batch: Batch, config: Config, tally: Tally) -> None:
    """Attributes and coverage, of what is matched whatever its label."""
    located = matched.at_primary("localization", config)
    attributes.count_attributes(located, batch, matched.descs, config.label_key, config.free_text_keys, tally)
    covered = covered_lines(batch.truth, batch.pred, matched.near, tolerance=config.tube_tolerance)
    lines.count_coverage(lines.CoveredPairs(*covered), located, batch, tally)


def first_invalid(batch: Batch) -> str:
    """The first prediction of a batch that cannot be read: where it is, and why; nothing if all can."""
    reasons = np.flatnonzero(batch.pred.reason)
    if not len(reasons):
        return ""
    at = int(reasons[0])
    record = bisect_right(batch.pred.offsets.tolist(), at) - 1
    name = REASONS[batch.pred.reason[at]]
    index = at - batch.pred.offsets[record]
    expected = f", expected {' or '.join(KINDS)}" if name == "type" else ""
    return f"{batch.path}:{batch.lines[record]}: pred[{index}]: {REASON_WORDS.get(name, name)}{expected}"
