"""What scores of detections on frames are worth: calibration, in all and by label, and operating points.

Detections were matched by score within their label on each frame, at an IoU of 0.50. All videos with detections on
both sides count together. Boxes that could not be read, and those without a score beside others of their video that
have one, are left out. See `calipers.core.scores` for what is made of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from typing import Any, NamedTuple

import numpy as np

from calipers.core.best_scores import ScoredClass
from calipers.core.calibration import ScoredHits
from calipers.core.ranking import ByClass
from calipers.core.scores import ScoredDetections, scores_tree
from calipers.files.problems import shown
from calipers.suites.timeline.config import Config
from calipers.suites.timeline.extras import Timed

NOT_GIVEN = "no video has detections on both sides"
Rows = Iterable[tuple[int, Timed]]  # the place of a video, with what it has beside states


class RankedBoxes(NamedTuple):
    """Detections that could be read, video by video, and objects; NaN is no score."""

    score: Any  # (detections,)
    hit: Any  # (detections,)
    fit: Any  # (detections,) overlap with the object it found, else 0
    label: Any  # (detections,) of `labels`
    video: Any  # (detections,) its place
    objects: Any  # (objects, 2) label and video
    labels: list[str]


def detection_scores_tree(videos: Rows, names: list[str], config: Config) -> dict[str, Any]:
    """Calibration and operating points of all videos, or the reason why there are none."""
    boxed = [(row, counted.boxes.classes, minutes) for row, (counted, minutes) in videos if counted.boxes]
    boxes = _gathered([(row, classes) for row, classes, _ in boxed])
    reason = _why_none(boxes, names) if boxed else NOT_GIVEN
    scored = None if reason else _scored(boxes, _total([minutes for _, _, minutes in boxed]))
    return scores_tree(scored, reason, names, seed=config.seed, replicates=config.bootstrap)


def _scored(boxes: RankedBoxes, minutes: float | None) -> ScoredDetections:
    """The detections of all videos, together and by label."""
    order = _by_label(boxes)
    classes = [_scored_label(boxes, code, mine) for code, mine in enumerate(order)]
    return ScoredDetections(
        ScoredHits(boxes.score, boxes.hit),
        len(boxes.objects),
        minutes,
        "minute",
        boxes.labels,
        classes,
        lambda code: boxes.fit[order[code]],
    )


def _total(minutes: list[float | None]) -> float | None:
    """Minutes of all videos, unless those of one are not known."""
    known = [value for value in minutes if value is not None]
    return fsum(known) if len(known) == len(minutes) else None


def _gathered(videos: list[tuple[int, ByClass]]) -> RankedBoxes:
    """The detections and objects of all videos in columns."""
    labels = sorted({label for _, classes in videos for label in classes})
    place = {label: code for code, label in enumerate(labels)}
    rows = [
        (np.nan if score is None else score, hit, fit, place[label], row)
        for row, classes in videos
        for label, ranked in classes.items()
        for score, hit, valid, fit in zip(ranked.scores, ranked.hits, ranked.valid, ranked.fits, strict=True)
        if valid
    ]
    score, hit, fit, label, video = np.array(rows, dtype=np.float64).reshape(-1, 5).T
    objects = [
        (place[label], row)
        for row, classes in videos
        for label, ranked in classes.items()
        for _ in range(ranked.objects)
    ]
    numbers = np.array(objects, dtype=np.int32).reshape(-1, 2)
    return RankedBoxes(score, hit > 0, fit, label.astype(np.int64), video.astype(np.int32), numbers, labels)


def _why_none(boxes: RankedBoxes, names: list[str]) -> str | None:
    """Why scores are no probabilities, if one is missing or not from 0 to 1."""
    missing, outside = np.isnan(boxes.score), (boxes.score < 0) | (boxes.score > 1)
    for some, problem in ((missing, "no score"), (outside, "a score outside 0 to 1")):
        if some.any():
            first = int(np.flatnonzero(some)[0])
            value = "" if missing[first] else f", with {float(boxes.score[first])!r}"
            where = f"the first is in {shown(names[int(boxes.video[first])])}{value}"
            return f"{np.count_nonzero(some):,} of {len(some):,} detections have {problem} ({where})"
    return None


def _by_label(boxes: RankedBoxes) -> list[Any]:
    """The detections of each label, the surest first, ties in the order of videos."""
    order = np.argsort(-boxes.score, kind="stable")
    return [order[boxes.label[order] == code] for code in range(len(boxes.labels))]


def _scored_label(boxes: RankedBoxes, code: int, mine: Any) -> ScoredClass:
    objects = boxes.objects[boxes.objects[:, 0] == code, 1]
    return ScoredClass(boxes.score[mine], boxes.hit[mine], boxes.video[mine], objects)
