"""Answers of a model beside ground truth: what they are taken for, which detections they become, and how these fit."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from calipers.core.errors import InputError
from calipers.core.interpretations import fits
from calipers.core.survey import FileCheck, SidesCheck
from calipers.core.text import whole_text
from calipers.files.answers.records import STATUSES, AnswerOptions
from calipers.files.clues import Clue
from calipers.suites.coco.check import describe_converted, describe_labels
from calipers.suites.coco.check import examine as examine_side
from calipers.suites.coco.columns import Detections
from calipers.suites.coco.config import Config
from calipers.suites.coco.other_families import compare_answers
from calipers.suites.coco.read import read_detections
from calipers.suites.coco.survey import DATASET, find_kind

ANSWERS = "answers of a model"


def examine(gt: Any, pred: Any, **options: Any) -> tuple[FileCheck, FileCheck, SidesCheck | None]:
    """Survey ground truth, answers and the two together; the comparison is None where one of them cannot be read."""
    config = Config(bootstrap=0, **options)
    asked = AnswerOptions(config.answers or "auto", config.pred_field)
    truth = examine_side(gt, find_kind(Clue(gt)) or DATASET, "gt")
    answers = FileCheck(whole_text(os.fspath(pred)), ANSWERS, "coco", "pred")
    if truth.refused:
        return truth, answers, None
    try:
        detections = read_detections(gt, pred, answers=asked)
    except InputError as error:
        answers.refuse([str(error).replace("\n", "; ")])
        return truth, answers, None
    _describe(answers, detections, truth.warnings)
    sides = compare_answers(gt, pred, asked, fits)
    describe_labels(sides, detections)
    return truth, answers, sides


def _describe(file: FileCheck, detections: Detections, known: list[str]) -> None:
    """Count answers by status, family and image, and the detections that they are."""
    tree: Mapping[str, Any] = detections.answers or {}
    total = sum(tree["families"].values())
    file.counts["answers"] = {"answers": total, **{status: tree[status] for status in STATUSES}}
    file.counts["taken for"] = {f"as {family}": n for family, n in tree["families"].items()}
    file.counts["images"] = {"with an answer": total, "without an answer": tree["missing"]}
    describe_converted(file, detections.pred)
    file.warnings += [warning for warning in detections.warnings if warning not in known]
