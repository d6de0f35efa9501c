"""Answers of models as they were read, and as those of another family: what a low score of them may come from.

Pixels or norm1000, x or y first: that is a matter of the family, which no single answer tells. Besides, any model may
write fractions or percent where it was asked for 0 to 1000. Boxes have no other reading here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from calipers.core.errors import InputError, keyword
from calipers.core.interpretations import Interpretation, Rule, Trial, ranked, sample_of
from calipers.core.survey import SidesCheck, path_of
from calipers.files.answers.records import JSON_FAMILIES, AnswerOptions
from calipers.suites.coco.check import AP, F1, MAX_PAIRS, OVERLAP, SAMPLE
from calipers.suites.coco.columns import Detections
from calipers.suites.coco.config import Config
from calipers.suites.coco.interpretations import DetectionRows, TruthSide, coco_trial, crowding, has_ap
from calipers.suites.coco.read import read_detections


def compare_answers(gt: Any, pred: Any, asked: AnswerOptions, rule: Rule, **options: Any) -> SidesCheck:
    """Answers against ground truth on a sample of images, as they were read and as those of other families."""
    detections = read_detections(gt, pred, answers=asked, **options)
    is_ranked = has_ap(detections.pred.score, len(detections.categories))
    sides = SidesCheck(path_of(gt, "gt"), path_of(pred, "pred"), AP if is_ranked else F1, OVERLAP)
    sides.is_checkable = False
    now = _trial(detections)
    if now is not None:
        sides.score, sides.overlap = now
        sides.sample = sample_of(min(SAMPLE, len(detections.images)), None, "images")
        readings = chain(_readings(gt, pred, asked, options), _scaled(detections))
        sides.readings = ranked(now, readings, rule)
    return sides


def _readings(gt: Any, pred: Any, asked: AnswerOptions, options: dict[str, Any]) -> Iterator[Interpretation]:
    for family in JSON_FAMILIES:
        trial = None if family == asked.family else _trial_as(gt, pred, asked._replace(family=family), options)
        if trial is not None:
            advice = f"rerun with {keyword('answers', family)}"
            yield Interpretation(f"answers as {family} writes them", advice, trial)


def _scaled(detections: Detections) -> Iterator[Interpretation]:
    """What answers score whose numbers were fractions or percent, taken for norm1000."""
    for name, factor in (("fractions 0–1", 1000), ("percent 0–100", 10)):
        trial = _trial(detections, factor)
        if trial is not None:
            yield Interpretation(f"{name} -> norm1000", f"multiply by {factor}", trial)


def _trial_as(gt: Any, pred: Any, asked: AnswerOptions, options: dict[str, Any]) -> Trial | None:
    """What answers score as those of a family; None if they cannot be."""
    try:
        return _trial(read_detections(gt, pred, answers=asked, **options))
    except InputError:
        return None


def _trial(detections: Detections, factor: float = 1) -> Trial | None:
    """What detections, scaled, score on the first images with annotations; None if there is too much on them."""
    guess, ground = detections.pred, TruthSide(detections, SAMPLE)
    ids = detections.images.ids[guess.image], detections.categories.ids[guess.category]
    rows = DetectionRows(*ids, guess.box * factor, guess.score, {}, {})
    if crowding(ground, rows, MAX_PAIRS):
        return None
    return coco_trial(ground, rows, ground.ids(rows), rows.box, Config(bootstrap=0))
