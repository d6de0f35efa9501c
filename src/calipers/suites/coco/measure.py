"""The detection suite: COCO's numbers, and what they hide.

`measure` takes what was read to everything that is found out about it: the engine's curves, the detections matched by
score (for AP's replicates and the best score of a class), and one greedy class-aware matching without scores, the same
as in the dense suite (for the sweep, errors, confusion, matches and cases). `summarize` takes that to the artifact.
Without scores that rank detections there is no AP; the rest stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from calipers import __version__
from calipers.core import causes as objects
from calipers.core import sweep
from calipers.core.bootstrap import resample
from calipers.core.errors import ConfigError
from calipers.core.limits import pairs_allowed, too_many
from calipers.core.ranking import tied_share
from calipers.core.tally import Tally
from calipers.files.problems import shown
from calipers.suites.coco import errors as coco_errors
from calipers.suites.coco.columns import Detections, Instances
from calipers.suites.coco.config import Config, params
from calipers.suites.coco.curves import coco_lines, line_names, why_no_order, why_no_scores
from calipers.suites.coco.engine import THRESHOLDS, Accumulated, accumulate, usable
from calipers.suites.coco.matches import CocoMatches, by_class, match_by_score, ranked_classes
from calipers.suites.coco.overlaps import SIGMAS, overlaps
from calipers.suites.coco.precision import Replicated, class_rows, curves_tree, precision_tree, replicated
from calipers.suites.coco.replicates import RankedClass
from calipers.suites.coco.sides import Matched

Close = tuple[Any, Any, Any]  # (pairs,) truth row, pred row, overlap
MODE = "category"  # the sweep is that mode of the dense suite
LEAST = 0.1 - 1e-9  # overlaps below it decide nothing; whether 0.1 is met is decided once they are rounded


class Measured:
    """A data set with everything that was found out about it."""

    def __init__(self, found: Detections, config: Config) -> None:
        check_sigmas(found, config)
        self.found, self.config = found, config
        self.accumulated: Accumulated | None = None
        self.matches: CocoMatches | None = None
        close = _close(found, config)
        self.matched = Matched(found, close, config)
        self.no_order = _why_no_order(found, lambda: close)
        if not self.no_order:
            self.accumulated = accumulated(found, config)
            self.matches = _by_score(found, close, config.limits[-1])

    @property
    def tie_mass(self) -> float | None:
        """How much of the ranking is left to the order of images."""
        pred, good = self.found.pred, usable(self.found.pred)
        if np.isnan(pred.score[good]).any():
            return None
        rows = by_class(np.flatnonzero(good), pred.category, len(self.found.categories))
        return tied_share(pred.score[mine] for mine in rows)

    @cached_property
    def ranked(self) -> list[RankedClass]:
        """The detections of each class that take part in AP, best first."""
        if self.matches is None:
            return []
        return ranked_classes(self.found.truth, self.found.pred, self.matches, len(self.found.categories))

    @cached_property
    def causes(self) -> tuple[Any, Any]:
        """Of each object that is counted without scores why it is wrong."""
        sides, primary = self.matched, self.config.levels.primary_unit
        return coco_errors.causes(sides, sides.pairs, sides.at_primary(self.config), sides.labels, primary)


def _close(found: Detections, config: Config) -> Close:
    """Every pair of one image that is this close, or the refusal of more than a run may compare."""
    most = pairs_allowed(config.max_pairs, len(found.truth) + len(found.pred))
    try:
        return overlaps(found, config.iou_type, least=LEAST, sigmas=config.sigmas, most=most)
    except OverflowError as error:
        where = f"{_paths(found)}: image {shown(found.images.names[error.args[0]])}"
        raise too_many(where, "pairs of annotations and detections", most, "max_pairs") from error


def check_work(found: Detections, config: Config) -> None:
    """Refuse what takes more work than a run may do, without doing all of it."""
    close = _close(found, config)
    if not _why_no_order(found, lambda: close):
        _check_engine_work(found, config)


def _check_engine_work(found: Detections, config: Config) -> None:
    """The engine compares all annotations of a class on an image with the detections of it that count."""
    if len(np.unique(found.truth.category)) > config.max_classes:
        raise too_many(_paths(found), "classes with ground truth", config.max_classes, "max_classes")
    most = pairs_allowed(config.max_pairs, len(found.truth) + len(found.pred))
    classes = len(found.categories)
    groups = [side.image.astype(np.int64) * classes + side.category for side in (found.truth, found.pred)]
    here, objects = np.unique(groups[0], return_counts=True)
    there, made = np.unique(groups[1], return_counts=True)
    place = np.asarray(np.searchsorted(here, there))
    met = np.asarray(np.append(here, -1)[place] == there)
    compared = np.minimum(np.asarray(made)[met], config.limits[-1]) * np.asarray(objects)[place[met]]
    if compared.sum() > most:
        raise too_many(_paths(found), "pairs of one class on an image within max_dets", most, "max_pairs")


def _paths(found: Detections) -> str:
    return " · ".join(each.path for each in found.inputs) or "<gt> · <pred>"


def _by_score(found: Detections, close: Close, max_dets: int) -> CocoMatches:
    """Detections matched by score, among pairs of one class."""
    rows, columns, overlap = close
    same = (found.truth.category[rows] == found.pred.category[columns]) & (overlap >= THRESHOLDS[0])
    pairs = (rows[same], columns[same], overlap[same])
    return match_by_score(found.truth, found.pred, pairs, max_dets=max_dets)


def _why_no_order(found: Detections, close: Callable[[], Close]) -> str | None:
    """Why scores do not rank detections, if they do not; equal ones do no harm where any order gives the same."""
    pred, good = found.pred, usable(found.pred)
    scores = pred.score[good]
    reason = why_no_scores(scores, pred.place[good])
    if reason or len(scores) < 2 or (scores != scores[0]).any():
        return reason
    matches = _by_score(found, close(), len(pred))
    return why_no_order(scores, ranked_classes(found.truth, pred, matches, len(found.categories)))


def check_sigmas(found: Detections, config: Config) -> None:
    """Whether there is one for each keypoint."""
    points = found.truth.keypoints
    sigmas = len(config.sigmas or SIGMAS)
    if points is not None and len(points) and points.shape[1] != sigmas:
        whose = "" if config.sigmas else " (COCO's own)"
        raise ConfigError(f"sigmas: found {sigmas}{whose}, expected {points.shape[1]}, one for each keypoint")


def accumulated(found: Detections, config: Config) -> Accumulated:
    """The engine's curves under these options."""
    _check_engine_work(found, config)
    return accumulate(found, iou_type=config.iou_type, max_dets=config.limits, sigmas=config.sigmas)


def measure(found: Detections, config: Config) -> Measured:
    """What was read to everything that is found out about it."""
    return Measured(found, config)


def lines(found: Detections, config: Config) -> dict[str, float | None]:
    """Only the lines of COCO."""
    check_sigmas(found, config)
    if _why_no_order(found, lambda: _close(found, config)):
        return dict.fromkeys(line_names(config.iou_type, config.limits))
    return coco_lines(accumulated(found, config), config.iou_type, config.limits)


def summarize(measured: Measured) -> dict[str, Any]:
    """The artifact, but for its inputs."""
    found, config = measured.found, measured.config
    tally, replicates = _count(measured), replicated(measured)
    return {
        "suite": "coco",
        "protocol": "coco/1",
        "calipers": __version__,
        "inputs": [],
        "params": params(config),
        "images": _images_tree(found),
        "objects": _objects_tree(measured),
        **precision_tree(measured, replicates),
        "per_class": class_rows(measured),
        "curves": curves_tree(measured),
        "confusion": _confusion(measured),
        "errors": coco_errors.errors_tree(*measured.causes),
        "sweep": sweep.mode_tree(MODE, tally, config.levels, labelled=True),
        "counts": objects.counts_tree(tally),
        "invalid_reasons": _reasons(found.pred),
        "absent_classes": _absent_classes(found, measured.matched),
        "warnings": list(found.warnings),
        "bootstrap": _bootstrap_tree(tally, replicates, config),
    }


def _count(measured: Measured) -> Tally:
    """The sweep, as the dense suite counts it."""
    sides, config, tally = measured.matched, measured.config, Tally()
    images = _images_tree(measured.found)
    tally.count("records", list(images.values())[:4])
    sweep.count_objects(sides, tally)
    objects.count_per_record(sides, tally)
    tally.count("per_record", [0, 0, 0, -images["skipped_empty"]])  # nothing on both sides is not counted right
    swept = sweep.Swept(sides.matching, sides, config.levels)
    sweep.count_sweep(swept, MODE, tally)
    names, labels = measured.found.categories.names, sides.labels
    sweep.count_labels(sides.at_primary(config), labels.truth, labels.pred, names, MODE, tally)
    columns = [np.diff(sides.truth.offsets), np.diff(sides.pred.offsets), *sweep.matched_by_record(swept)]
    sums = resample(sides.keys, np.stack(columns), seed=config.seed, replicates=config.bootstrap).T
    tally.count("resampled", sums[:, :2])
    tally.count(f"resampled.{MODE}", sums[:, 2:])
    return tally


def _images_tree(found: Detections) -> dict[str, int]:
    busy = np.diff(found.truth.offsets) + np.diff(found.pred.offsets) > 0
    total, evaluated = found.total, int(np.count_nonzero(busy))
    empty = len(busy) - evaluated
    silent = (np.diff(found.truth.offsets) > 0) & (np.diff(found.pred.offsets) == 0)
    return {
        "total": total,
        "evaluated": evaluated,
        "skipped_empty": empty,
        "rejected": total - len(busy),
        "without_pred": int(np.count_nonzero(silent)),
    }


def _objects_tree(measured: Measured) -> dict[str, int]:
    truth, pred, matches = measured.found.truth, measured.found.pred, measured.matches
    cut = 0 if matches is None else len(pred) - len(pred.problems) - int(np.count_nonzero(matches.kept))
    return {
        "gt": len(truth),
        "crowd": int(np.count_nonzero(truth.crowd)),
        "pred": len(pred),
        "invalid_pred": len(pred.problems),
        "cut_by_max_dets": cut,
        "absent_class_pred": sum(row["pred"] for row in _absent_classes(measured.found, measured.matched)),
        "in_crowd": int(np.count_nonzero(measured.matched.aside)),
        "unlabelled": len(truth) - int(np.count_nonzero(truth.crowd)) - len(measured.matched.truth),
    }


def _absent_classes(found: Detections, sides: Matched) -> list[dict[str, Any]]:
    """Classes that are predicted and have nothing to be found."""
    classes = len(found.categories)
    gt, pred = np.bincount(sides.truth.category, None, classes), np.bincount(found.pred.category, None, classes)
    return [
        {"category_id": int(found.categories.ids[k]), "name": found.categories.names[k], "pred": int(pred[k])}
        for k in np.flatnonzero((gt == 0) & (pred > 0)).tolist()
    ]


def _confusion(measured: Measured) -> dict[str, Any]:
    sides, config, names = measured.matched, measured.config, measured.found.categories.names
    primary = config.levels.primary_unit
    return coco_errors.confusion_tree(sides, sides.pairs, sides.at_primary(config), sides.labels, primary, names)


def _reasons(pred: Instances) -> dict[str, int]:
    counts = Counter(pred.problems.values())
    return {words: counts[words] for words in sorted(counts)}


def _bootstrap_tree(tally: Tally, replicates: Replicated, config: Config) -> dict[str, Any]:
    """Values and sums of every replicate, so that two results over the same images can be compared in pairs."""
    columns = np.concatenate([tally.counts["resampled"], tally.counts[f"resampled.{MODE}"]], axis=1)
    names = ("gt", "pred", "matched", "matched_over_sweep")
    return {
        "replicates": config.bootstrap,
        "seed": config.seed,
        "values": {name: [_defined(value) for value in values.tolist()] for name, values in replicates.values.items()},
        "bias": replicates.bias,
        "sums": dict(zip(names, columns.T.tolist(), strict=True)),
    }


def _defined(value: float) -> float | None:
    return None if value != value else value  # NaN
