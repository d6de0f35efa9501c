"""The dense suite: regions and lines on an image, without confidence scores.

`measure` takes a batch to counts: overlaps once, then one greedy matching a label mode. `summarize` takes counts to the
report. In localization mode any pair may match, in phase mode only pairs of the same phase, in category mode only
pairs of the same category; a pair of empty labels never does. Regions match regions, lines match lines.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from calipers import __version__
from calipers.core import causes as objects
from calipers.core import sweep
from calipers.core.bootstrap import resample
from calipers.core.config import Running, option
from calipers.core.errors import WorkError
from calipers.core.matching import SWEEP, UNIT, Labels, Pairs, greedy
from calipers.core.option_values import checked
from calipers.core.shapes import FLAGS, Batch
from calipers.core.tally import Tally
from calipers.files.lines import MAX_EXPANSION
from calipers.files.problems import REASON_WORDS
from calipers.kernels.flatten import REASONS, take
from calipers.kernels.work import MAX_WORK
from calipers.rulers.region import region_overlaps
from calipers.rulers.tube import covered_lines, nearby_lines, stroke_width, tube_overlaps
from calipers.suites.dense import attributes, lines
from calipers.suites.dense.labels.desc import Desc
from calipers.suites.dense.labels.taxonomy import Taxonomy, built_in, load
from calipers.suites.dense.labels.vocabulary import MODES, Vocabulary, label_codes, vocabulary
from calipers.suites.dense.read import MAX_TEXT

FRAMES = ("norm1000", "pixel")
FREE_TEXT_KEYS = ("文本", "备注")


@dataclass(frozen=True, kw_only=True)
class Config(Running):
    """Every option of the dense suite."""

    tube_tolerance: float = option(8.0, "how far from a line its tube reaches, in norm1000 units")
    primary_threshold: float = option(0.5, "overlap threshold of the summary; need not be in the sweep")
    thresholds: tuple[float, ...] = option(SWEEP, "overlap thresholds of the sweep", metavar="T,T,…")
    modes: tuple[str, ...] = option(MODES, "label modes to report", metavar="MODE,…")
    top: int = option(25, "how many labels the summary shows")
    label_key: str = option("类别", "key whose value is the label")
    free_text_keys: tuple[str, ...] = option(FREE_TEXT_KEYS, "keys whose value is free text", metavar="KEY,…")
    mapping: str | None = option(None, "JSON file with umbrella phases and known keys", metavar="FILE")
    frame: str = option("norm1000", "coordinates of the records", metavar="norm1000|pixel")
    max_bad_records: int = option(0, "reject and count up to N records that cannot be read", metavar="N")
    max_work: int = option(
        MAX_WORK, "refuse records that take more steps for each number of their shapes", metavar="N", artifact=False
    )
    max_text: int = option(MAX_TEXT, "refuse records with a longer desc, in characters", metavar="N", artifact=False)
    max_expansion: int = option(
        MAX_EXPANSION, "refuse compressed input that grows to more times its size", metavar="N", artifact=False
    )
    bootstrap: int = option(1000, "replicates for the intervals; 0 is none")
    seed: int = option(0, "seed of the replicates")

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in checked(self, modes=MODES, frames=FRAMES).items():
            object.__setattr__(self, name, value)
        self.taxonomy  # noqa: B018  a mapping file that cannot be read is found out now

    @cached_property
    def taxonomy(self) -> Taxonomy:
        """The umbrellas and keys in force."""
        return built_in() if self.mapping is None else load(self.mapping)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Parses descriptions under these options."""
        return vocabulary(self.taxonomy, self.label_key, self.free_text_keys)

    @cached_property
    def levels(self) -> sweep.Levels:
        """The thresholds, as the matcher sees them."""
        return sweep.Levels(self.thresholds, self.primary_threshold)


class Matched:
    """A batch with everything that was found out about it: descriptions, labels, overlaps, one matching a mode."""

    def __init__(self, batch: Batch, config: Config, *, all_pairs: bool = False) -> None:
        truth, pred, levels = batch.truth, batch.pred, config.levels
        least = 0.0 if all_pairs else min(levels.least, objects.FAINT) / UNIT
        self.descs: list[Desc] = config.vocabulary.describe(truth.descs)
        tolerance, work = config.tube_tolerance, config.max_work
        tubes = tube_overlaps(truth, pred, stroke=stroke_width(tolerance), max_work=work)
        self.near = nearby_lines(truth, pred, tubes, tolerance=tolerance, max_work=work)
        self.pairs = Pairs.sorted(truth, region_overlaps(truth, pred, least=least, max_work=work), tubes)
        self.names: dict[str, list[str]] = {}
        self.labels: dict[str, Labels] = {}
        for mode in ("phase", "category"):
            codes, self.names[mode] = label_codes(getattr(desc, mode) for desc in self.descs)
            self.labels[mode] = Labels(take(codes, truth.desc), take(codes, pred.desc))
        self.matchings: dict[str, Pairs] = {
            mode: greedy(self.pairs, truth, pred, least=levels.least, labels=self.labels.get(mode)) for mode in MODES
        }

    def at_primary(self, mode: str, config: Config) -> Pairs:
        """The matching of a mode at the primary threshold."""
        return sweep.above(self.matchings[mode], config.levels.primary_unit)


def match_measurable(batch: Batch, config: Config, *, all_pairs: bool = False) -> tuple[Matched, Batch, list[int]]:
    """A batch matched, without the records whose shapes take too much work to compare; these come last."""
    heavy: list[int] = []
    left = list(range(len(batch)))
    while True:
        try:
            return Matched(batch, config, all_pairs=all_pairs), batch, sorted(heavy)
        except WorkError as error:
            heavy += [left[record] for record in error.records]
            left = [record for record in left if record not in set(heavy)]
            batch = batch.without(error.records)


def measure(batch: Batch, config: Config) -> Tally:
    """One batch to counts."""
    return count(Matched(batch, config), batch, config)


def count(matched: Matched, batch: Batch, config: Config) -> Tally:
    """What was found out, as counts."""
    tally = Tally()
    _count_state(batch, tally)
    sweep.count_objects(batch, tally)
    objects.count_per_record(batch, tally)
    _count_unlabelled(matched.labels["category"], batch, tally)
    swept = {mode: sweep.Swept(matched.matchings[mode], batch, config.levels) for mode in config.modes}
    for mode in config.modes:
        sweep.count_sweep(swept[mode], mode, tally)
        if labels := matched.labels.get(mode):
            at_primary = matched.at_primary(mode, config)
            sweep.count_labels(at_primary, labels.truth, labels.pred, matched.names[mode], mode, tally)
    _count_primary(matched, batch, config, tally)
    _resample(swept, batch, config, tally)
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


def _count_primary(matched: Matched, batch: Batch, config: Config, tally: Tally) -> None:
    """Causes in category mode; attributes and coverage in localization mode."""
    category, located = matched.at_primary("category", config), matched.at_primary("localization", config)
    causes = objects.find_causes(batch, matched.pairs, category, matched.labels["category"], config.levels.primary_unit)
    objects.count_causes(*causes, tally)
    attributes.count_attributes(located, batch, matched.descs, config.label_key, config.free_text_keys, tally)
    covered = covered_lines(batch.truth, batch.pred, matched.near, tolerance=config.tube_tolerance)
    lines.count_coverage(lines.CoveredPairs(*covered), located, batch, tally)


def _resample(swept: dict[str, sweep.Swept], batch: Batch, config: Config, tally: Tally) -> None:
    """For each replicate the objects on both sides, and for each mode the pairs at primary and over the sweep."""
    columns = [np.diff(batch.truth.offsets), np.diff(batch.pred.offsets)]
    for mode in config.modes:
        columns += sweep.matched_by_record(swept[mode])
    sums = resample(batch.keys, np.stack(columns), seed=config.seed, replicates=config.bootstrap).T
    tally.count("resampled", sums[:, :2])
    for at, mode in enumerate(config.modes):
        tally.count(f"resampled.{mode}", sums[:, 2 + 2 * at : 4 + 2 * at])


def summarize(tally: Tally, config: Config) -> dict[str, Any]:
    """Counts to the artifact, but for its inputs."""
    read, evaluated, skipped, rejected = (int(value) for value in tally.counts["records"])
    clamped, repaired, degenerate = (int(value) for value in tally.counts["flags"])
    return {
        "suite": "dense",
        "protocol": "dense/1",
        "calipers": __version__,
        "inputs": [],
        "params": params(config),
        "records": {"read": read, "evaluated": evaluated, "skipped_empty": skipped, "rejected": rejected},
        "objects": {
            "gt": int(tally.counts["truth"].sum()),
            "pred": int(tally.counts["pred"].sum()),
            "invalid_pred": int(tally.counts["invalid"].sum()),
            "clamped": clamped,
            "repaired": repaired,
            "degenerate": degenerate,
        },
        "modes": {
            mode: sweep.mode_tree(mode, tally, config.levels, labelled=mode != "localization") for mode in config.modes
        },
        "counts": objects.counts_tree(tally),
        "errors": objects.errors_tree(tally),
        "attributes": attributes.attributes_tree(tally),
        "coverage": lines.coverage_tree(tally),
        "invalid_reasons": {
            REASON_WORDS.get(name, name): int(n) for name, n in zip(REASONS, tally.counts["invalid"], strict=True) if n
        },
        "unlabelled": dict(zip(("gt", "pred"), tally.counts["unlabelled"].tolist(), strict=True)),
        "bootstrap": _bootstrap_tree(tally, config),
    }


def params(config: Config) -> dict[str, Any]:
    """Every parameter, given or default, that can change a number."""
    plain = {item.name: getattr(config, item.name) for item in fields(config) if item.metadata["artifact"]}
    plain["thresholds"], plain["modes"] = list(config.thresholds), list(config.modes)
    plain["free_text_keys"] = list(config.free_text_keys)
    tolerance = plain.pop("tube_tolerance")
    return {
        "tube_tolerance": tolerance,
        "stroke_width": stroke_width(tolerance),
        **plain,
        "mapping_sha256": config.taxonomy.sha256,
        "rulers": {"region": "exact-area", "line": "tube-cells"},
        "matching": {"algorithm": "greedy_1to1", "tie_break": ["score_desc", "gt_index_asc", "pred_index_asc"]},
    }


def _bootstrap_tree(tally: Tally, config: Config) -> dict[str, Any]:
    """The sums of every replicate, so that two results over the same records can be compared in pairs."""
    sums = {"gt": tally.counts["resampled"][:, 0], "pred": tally.counts["resampled"][:, 1]}
    for mode in config.modes:
        sums[f"{mode}.matched"] = tally.counts[f"resampled.{mode}"][:, 0]
        sums[f"{mode}.matched_over_sweep"] = tally.counts[f"resampled.{mode}"][:, 1]
    return {"replicates": config.bootstrap, "seed": config.seed, "sums": {k: v.tolist() for k, v in sums.items()}}
