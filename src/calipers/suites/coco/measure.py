"""The detection suite: COCO's numbers, and what they hide.

`measure` takes what was read to everything that is found out about it: the engine's curves, the detections matched by
score (for AP's replicates and the best score of a class), and one greedy class-aware matching without scores, the same
as in the dense suite (for the sweep, errors, confusion, matches and cases). `summarize` takes that to the artifact.
Without scores that rank detections there is no AP; the rest stands.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from calipers.core import worth
from calipers.core.calibration import why_not_calibrated
from calipers.core.causes import (
    Causes,
    faint_overlap,
)
from calipers.core.errors import ConfigError
from calipers.core.limits import pairs_allowed, too_many
from calipers.core.matching import UNIT
from calipers.core.ranking import tied_share
from calipers.core.versions import Engines
from calipers.files.problems import shown
from calipers.suites.coco.columns import Detections
from calipers.suites.coco.config import Config
from calipers.suites.coco.curves import coco_lines, line_names, precisions_at_target, why_no_order, why_no_scores
from calipers.suites.coco.engine import THRESHOLDS, Accumulated, accumulate, usable, usable_scores
from calipers.suites.coco.matches import (
    CocoMatches,
    by_class,
    match_by_score,
    ranked_classes,
    ranked_columns,
    ranked_rows,
    rows_of,
)
from calipers.suites.coco.overlaps import SIGMAS, hotcoco_version, overlaps
from calipers.suites.coco.replicates import RankedClass, RankedColumns, in_columns
from calipers.suites.coco.sides import MatchedSides
from calipers.suites.coco.tide import TideErrors, tide_errors

Close = tuple[Any, Any, Any]  # (pairs,) truth row, pred row, overlap
NO_OBJECTS = "the ground truth has no object that has to be found"
A_HAIR = 1e-9  # whether an overlap meets a threshold is decided once it is rounded


class MatchedImages:
    """Images with their overlaps and matchings, each of which is local to an image."""

    def __init__(self, detections: Detections, config: Config, close: Close) -> None:
        self.detections, self.config = detections, config
        self.matched = MatchedSides(detections, close, config)
        self.by_score = _by_score(detections, close, config.limits[-1], config.iou_type)  # whatever scores are worth
        keypoints = config.iou_type == "keypoints"
        self.by_tide: TideErrors | None = None if keypoints else tide_errors(detections, close, self.by_score)
        self.uncut = _uncut(detections, close)

    @property
    def engines(self) -> Engines:
        """Libraries that the numbers come from: none for boxes and keypoints, which Calipers compares itself."""
        return {}

    def cause_table(self) -> Any:
        """The rows of causes in each image, at the primary threshold and over the sweep."""
        sides, levels = self.matched, self.config.levels
        offsets = sides.truth.offsets, sides.pred.offsets
        return worth.cause_rows(offsets, sides.pairs, sides.labels, levels.primary_and_sweep)

    @cached_property
    def causes(self) -> Causes:
        """Of each object that is counted without scores what became of it."""
        return Causes(self.matched.pairs, self.matched.labels, self.config.levels.primary)


class MeasuredImages(MatchedImages):
    """A data set with its overlaps, matchings and counts."""

    def __init__(self, detections: Detections, config: Config) -> None:
        check_sigmas(detections, config)
        super().__init__(detections, config, _close(detections, config))
        self.accumulated: Accumulated | None = None
        self.no_order = _why_no_order(detections, lambda: self.uncut)
        self.matches: CocoMatches | None = None if self.no_order else self.by_score
        self.tide = None if self.no_order else self.by_tide
        if not self.no_order:
            _check_engine_work(detections, config)
            self.accumulated = accumulated(detections, self.by_score, config)
        # also where all scores are equal, which rank nothing
        self.scored: CocoMatches | None = None if self.no_probabilities else self.by_score

    @property
    def engines(self) -> Engines:
        """The version of hotcoco, if it compared masks."""
        if self.config.iou_type != "segm" or self.accumulated is None or not len(self.accumulated.held):
            return {}
        return hotcoco_version()

    def let_go_of_causes(self) -> None:
        """Does nothing: images measured here keep what gains in AP are computed from."""

    @property
    def busy_images(self) -> int:
        """How many images have something on either side."""
        truth, pred = self.detections.truth.offsets, self.detections.pred.offsets
        return int(np.count_nonzero(np.diff(truth) + np.diff(pred)))

    @cached_property
    def no_probabilities(self) -> str | None:
        """Why scores cannot be held against how often detections are right, if they cannot."""
        return why_not_calibrated(*usable_scores(self.detections.pred))

    @property
    def tie_mass(self) -> float | None:
        """How much of the ranking is left to the order of images."""
        pred = self.detections.pred
        if np.isnan(usable_scores(pred)[0]).any():
            return None
        rows = by_class(rows_of(usable(pred)), pred.category, len(self.detections.categories))
        return tied_share(pred.score[mine] for mine in rows)

    @cached_property
    def ranked_columns(self) -> RankedColumns:
        """The detections that take part in AP, class by class, best first."""
        if self.matches is None:
            return in_columns([])
        return ranked_columns(
            self.detections.truth, self.detections.pred, self.matches, len(self.detections.categories)
        )

    @cached_property
    def ranked(self) -> list[RankedClass]:
        """The detections of each class that take part in AP, best first; no copies."""
        return self.ranked_columns.classes()

    @property
    def no_ap(self) -> str | None:
        """Why there is no AP, if there is none: nothing to rank by, or nothing to find."""
        return self.no_order or (None if any(len(ranked.objects) for ranked in self.ranked) else NO_OBJECTS)

    @cached_property
    def at_target(self) -> list[float | None]:
        """For each class the precision at the target recall."""
        return precisions_at_target(self.ranked, self.config.recall_target)


def close_pairs(detections: Detections, config: Config, most: int, least: float = 0.0) -> Close:
    """Every pair of one image that is this close; more than `most` of them raise an OverflowError with the image."""
    min_overlap = max(faint_overlap(config.levels.min_overlap / UNIT) / UNIT - A_HAIR, least)
    return overlaps(detections, config.iou_type, min_overlap=min_overlap, sigmas=config.sigmas, most=most)


def _close(detections: Detections, config: Config, min_overlap: float = 0.0) -> Close:
    """Every pair of one image that is this close, or the refusal of more than a run may compare."""
    limit = pairs_allowed(config.max_pairs, len(detections.truth) + len(detections.pred))
    try:
        return close_pairs(detections, config, limit, min_overlap)
    except OverflowError as error:
        where = f"{_paths(detections)}: image {shown(detections.images.names[error.args[0]])}"
        raise too_many(where, "pairs of annotations and detections", limit, "max_pairs") from error


def check_work(detections: Detections, config: Config) -> None:
    """Refuse what takes more work than a run may do, without doing all of it."""
    close = _close(detections, config)
    if not _why_no_order(detections, lambda: _uncut(detections, close)):
        _check_engine_work(detections, config)


def _check_engine_work(detections: Detections, config: Config) -> None:
    """The engine compares all annotations of a class on an image with the detections of it that count."""
    if len(np.unique(detections.truth.category)) > config.max_classes:
        raise too_many(_paths(detections), "classes with ground truth", config.max_classes, "max_classes")
    limit = pairs_allowed(config.max_pairs, len(detections.truth) + len(detections.pred))
    if count_compared(detections, config) > limit:
        raise too_many(_paths(detections), "pairs of one class on an image within max_dets", limit, "max_pairs")


def count_compared(detections: Detections, config: Config) -> int:
    """How many pairs of one class on an image are within the limits on detections."""
    classes = len(detections.categories)
    groups = [side.image.astype(np.int64) * classes + side.category for side in (detections.truth, detections.pred)]
    here, objects = np.unique(groups[0], return_counts=True)
    there, made = np.unique(groups[1], return_counts=True)
    place = np.asarray(np.searchsorted(here, there))
    met = np.asarray(np.append(here, -1)[place] == there)
    compared = np.minimum(np.asarray(made)[met], config.limits[-1]) * np.asarray(objects)[place[met]]
    return int(compared.sum())


def _paths(detections: Detections) -> str:
    return " · ".join(entry.path for entry in detections.inputs) or "<gt> · <pred>"


def _by_score(detections: Detections, close: Close, max_dets: int, iou_type: str) -> CocoMatches:
    """Detections matched by score, among pairs of one class."""
    rows, columns, overlap = close
    same = (detections.truth.category[rows] == detections.pred.category[columns]) & (overlap >= THRESHOLDS[0])
    pairs = (rows[same], columns[same], overlap[same])
    return match_by_score(detections.truth, detections.pred, pairs, max_dets=max_dets, iou_type=iou_type)


def all_equal(scores: Any) -> bool:
    """Whether no two of some scores differ."""
    return not len(scores) or bool((scores == scores[0]).all())


def _uncut(detections: Detections, close: Close) -> CocoMatches | None:
    """Detections matched without a limit on their number, where all scores are equal; else nobody asks for that."""
    if not all_equal(usable_scores(detections.pred)[0]):
        return None
    return _by_score(detections, close, len(detections.pred), "bbox")


def _why_no_order(detections: Detections, uncut: Callable[[], CocoMatches | None]) -> str | None:
    """Why scores do not rank detections, if they do not; equal ones do no harm where any order gives the same."""
    pred = detections.pred
    scores, places = usable_scores(pred)
    reason = why_no_scores(scores, places)
    if reason or len(scores) < 2 or (matches := uncut()) is None:
        return reason
    return why_no_order(scores, ranked_classes(detections.truth, pred, matches, len(detections.categories)))


def check_sigmas(detections: Detections, config: Config) -> None:
    """Whether there is one for each keypoint."""
    points = detections.truth.keypoints
    sigmas = len(config.sigmas or SIGMAS)
    if points is not None and len(points) and points.shape[1] != sigmas:
        whose = "" if config.sigmas else " (COCO's own)"
        raise ConfigError(f"sigmas: found {sigmas}{whose}, expected {points.shape[1]}, one for each keypoint")


def accumulated(detections: Detections, matches: CocoMatches, config: Config) -> Accumulated:
    """The curves of classes with ground truth under these options."""
    held = np.unique(detections.truth.category).astype(np.int64)
    ranked = ranked_rows(detections.truth, detections.pred, matches, held)
    return accumulate(ranked, held, config.iou_type, config.limits)


def match_images(detections: Detections, config: Config) -> MatchedImages:
    """Match what was read: all that is local to an image, with the limits of a run."""
    check_sigmas(detections, config)
    _check_engine_work(detections, config)
    return MatchedImages(detections, config, _close(detections, config))


def measure(detections: Detections, config: Config) -> MeasuredImages:
    """Measure what was read: overlaps, matchings, counts."""
    return MeasuredImages(detections, config)


def lines(detections: Detections, config: Config) -> dict[str, float | None]:
    """Only the lines of COCO."""
    check_sigmas(detections, config)
    close = _close(detections, config, float(THRESHOLDS[0]))
    if _why_no_order(detections, lambda: _uncut(detections, close)):
        return dict.fromkeys(line_names(config.iou_type, config.limits))
    _check_engine_work(detections, config)
    matches = _by_score(detections, close, config.limits[-1], config.iou_type)
    return coco_lines(accumulated(detections, matches, config), config.iou_type, config.limits)
