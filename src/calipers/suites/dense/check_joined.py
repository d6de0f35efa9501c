"""Answers of a model beside ground truth in COCO form: what they are taken for, which images they are about, and fit.

Both are joined as a run of the suite joins them, so that what is refused here is what ends a run.
"""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import islice
from typing import Any

from calipers.core.errors import InputError
from calipers.core.interpretations import SAMPLE
from calipers.core.survey import FileCheck, SidesCheck, compared_labels, nothing_evaluated
from calipers.core.text import whole_text
from calipers.files.answers.image_names import unanswered
from calipers.suites.dense.check import (
    RecordSurvey,
    compare_sides,
    describe_side,
    object_counts,
    self_check,
    survey_reading,
)
from calipers.suites.dense.check_answers import describe_answers
from calipers.suites.dense.coco_truth import AnsweredImages, JoinedRecords, join_images, pred_name
from calipers.suites.dense.config import Config
from calipers.suites.dense.read import DenseReading, read_records

TRUTH, ANSWERS = "COCO data set, as norm1000", "answers of a model, as norm1000"


def examine(gt: Any, pred: Any, **options: Any) -> tuple[FileCheck, FileCheck, SidesCheck | None]:
    """Ground truth, answers, and the two together; None where one of them cannot be read."""
    config = Config(bootstrap=0, **options)
    config = replace(config, answers=config.joined_options.family)
    truth = FileCheck(whole_text(os.fspath(gt)), TRUTH, "dense", "gt")
    answers = FileCheck(whole_text(os.fspath(pred)), ANSWERS, "dense", "pred")
    try:
        images = AnsweredImages(os.fspath(gt), config.frame)
    except InputError as error:
        truth.refuse([str(error)])
        return truth, answers, None
    try:
        joined = join_images(images, os.fspath(pred), config.joined_options)
    except InputError as error:
        answers.refuse([str(error)])
        return truth, answers, None
    reading = _read(joined, config)
    part = survey_reading(reading, config, _in_lines(joined))
    _describe_truth(truth, joined, images.truth_name, part)
    _describe_answers(answers, joined, part)
    if not len(reading.batch.keys) and not answers.refused:
        answers.refuse([nothing_evaluated("record", reading.read)])
    return truth, answers, _compare(truth.path, answers.path, reading, part, config)


def _read(joined: JoinedRecords, config: Config) -> DenseReading:
    """The records of a run, with all that are bad."""
    path = joined.inputs[1].path
    reading = read_records(joined.records, frame=config.frame, keep=True, path=path, lines=joined.lines)
    reading.bad = [*joined.bad, *reading.bad]
    reading.read += len(joined.bad)
    return reading


def _in_lines(joined: JoinedRecords) -> Any:
    """How records are found by the lines of their answers."""
    records = dict(zip(joined.lines, joined.records, strict=True))
    return lambda places: ((place, records[line]) for line, place in places.items())


def _describe_truth(file: FileCheck, joined: JoinedRecords, name: str, part: RecordSurvey) -> None:
    file.counts = {
        "images": {
            "images": len(joined.records),
            "without objects": sum(not record[name] for record in joined.records),
            "crowd regions, left out": joined.crowds,
        },
        "ground truth": object_counts(part.truth),
    }
    describe_side(file, "ground truth", part.truth)
    file.itself = self_check([part], part.truth)


def _describe_answers(file: FileCheck, joined: JoinedRecords, part: RecordSurvey) -> None:
    describe_answers(file, [joined.counts], joined.inputs[1].records)
    answered = len(joined.records) - joined.missing
    file.counts["images"] = {"with an answer": answered, "without an answer": joined.missing}
    file.counts["predictions"] = object_counts(part.pred)
    file.refuse(part.first_bad, part.bad)
    describe_side(file, "predicted", part.pred)
    file.warnings += [unanswered(joined.missing)] if joined.missing and not joined.bad else []
    file.warnings += joined.respelled


def _compare(gt: str, pred: str, reading: DenseReading, part: RecordSurvey, config: Config) -> SidesCheck:
    """Predictions against ground truth, on the first images that something was predicted on."""
    predicted = [record for record in reading.batch.raw if record[pred_name(config.frame)]]
    sides = compare_sides(pred, list(islice(predicted, SAMPLE)), config)
    sides.gt = gt
    sides.labels = compared_labels(*(_labels(side.labels) for side in (part.truth, part.pred)))
    sides.sample = (sides.sample or {}) | {"of": len(predicted), "what": "images with predictions"}
    return sides


def _labels(labels: Any) -> dict[str, int]:
    return {label: n for label, n in labels.items() if label}
