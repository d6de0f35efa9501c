"""`calipers.coco`: ground truth and detections in, a report out."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from calipers.artifact import ARTIFACT
from calipers.core.collecting import without_collection
from calipers.core.config import make_config
from calipers.core.errors import ConfigError
from calipers.files.attributes import read_attributes
from calipers.files.output import check_free
from calipers.kernels.scan.column import keep_some_memory
from calipers.report import Report
from calipers.run import OnProgress, refuse_elsewhere, run_plan
from calipers.suite import Job
from calipers.suites.coco import measure as suite
from calipers.suites.coco.columns import Detections
from calipers.suites.coco.config import Config
from calipers.suites.coco.plan import CocoPart, CocoPlan, check_detections, report_of
from calipers.suites.coco.read import are_lines, read_detections
from calipers.suites.coco.slices import image_fields

if TYPE_CHECKING:
    from typing import Unpack

    from calipers.suites.coco.artifact_types import CocoArtifact
    from calipers.suites.coco.option_types import CocoOptions
    from calipers.suites.coco.row_stream import OnRows
    from calipers.suites.coco.source_types import CocoPredictions, CocoTruth


def coco(gt: CocoTruth, pred: CocoPredictions, **options: Unpack[CocoOptions]) -> Report[CocoArtifact]:
    """Measure detections on images against ground truth: the numbers of COCO, and what they hide.

    Args:
        gt: A COCO data set: a path, or what its JSON would hold; or a folder of YOLO, Pascal VOC or LabelMe files.
        pred: Results in COCO's form: a path, or a list of detections; or such a folder; or answers of models, as JSON
            lines or a list of dicts, with `answers`.
        **options: Those of `calipers coco`, see `calipers.CocoOptions`.

    Returns:
        The report: AP and AR with intervals, by class, and the sweep of the dense suite, which needs no scores.

    Raises:
        ConfigError: An option does not exist or has a value that cannot be meant.
        InputError: An input cannot be read, or more annotations than `max_bad_records` are malformed.

    Examples:
        >>> cone = {"id": 1, "image_id": 4, "category_id": 7, "bbox": [0, 0, 10, 10], "area": 100, "iscrowd": 0}
        >>> data = {"images": [{"id": 4}], "categories": [{"id": 7, "name": "cone"}], "annotations": [cone]}
        >>> found = [{"image_id": 4, "category_id": 7, "bbox": [0, 0, 10, 8], "score": 0.9}]
        >>> report = coco(data, found)
        >>> report["coco"]["AP_50"], report["coco"]["AP"], report["sweep"]["mean_overlap_matched"]
        (1.0, 0.7, 0.8)
    """
    return evaluate(gt, pred, make_config(Config, options))


def coco_numbers(gt: CocoTruth, pred: CocoPredictions, **options: Unpack[CocoOptions]) -> dict[str, float | None]:
    """Compute the twelve numbers of COCO alone (ten for keypoints): what a training loop looks at.

    Args:
        gt: As for `calipers.coco`.
        pred: As for `calipers.coco`.
        **options: Those of `calipers.coco` but for `engine`, `resume` and `tally`, since nothing is kept.

    Returns:
        The numbers by name; one that is undefined is None.

    Raises:
        ConfigError: An option does not exist or has a value that cannot be meant.
        InputError: An input cannot be read.

    Examples:
        >>> cone = {"id": 1, "image_id": 4, "category_id": 7, "bbox": [0, 0, 10, 10], "area": 100, "iscrowd": 0}
        >>> data = {"images": [{"id": 4}], "categories": [{"id": 7, "name": "cone"}], "annotations": [cone]}
        >>> coco_numbers(data, [{"image_id": 4, "category_id": 7, "bbox": [0, 0, 10, 8], "score": 0.9}])["AR_100"]
        0.7
    """
    config = _with_answers(pred, make_config(Config, options))
    if (config.engine, config.resume, config.tally) != ("local", None, None):
        raise ConfigError("engine, resume and tally: coco_numbers keeps nothing, expected calipers.coco for that")
    return suite.lines(_read(gt, pred, config, None), config)


def job(inputs: dict[str, Any], options: dict[str, Any]) -> Job:
    """Inputs and options of a command, checked and ready to run."""
    gt, pred, config = inputs["gt"], inputs["pred"], make_config(Config, options)
    return Job(config, [gt, pred], partial(evaluate, gt, pred, config), (gt, pred))


def check_places(job: Job, output: str | None) -> None:
    """Refuse to overwrite an input with the artifact."""
    if output:
        check_free(output if output.endswith(".json") else f"{output}/{ARTIFACT}", job.paths)


@without_collection()
def evaluate(
    gt: Any, pred: Any, config: Config, *, on_rows: OnRows | None = None, progress: OnProgress | None = None
) -> Report:
    """Evaluate detections: files are read in shards, and all images are one batch.

    `on_rows` receives rows of objects and lines of cases where all images are measured in this process.
    """
    if config.attributes is not None:
        read_attributes(config.attributes)  # before the work begins, as it can be wrong
    keep_some_memory()
    config = _with_answers(pred, config)
    if config.answers is not None:
        refuse_elsewhere(config, "ground truth and answers that are joined")
    elif all(isinstance(source, (str, os.PathLike)) for source in (gt, pred)):
        plan = CocoPlan(gt, pred, config, progress=progress, on_rows=on_rows)
        return run_plan(plan, config, inputs=[gt, pred], progress=progress)
    refuse_elsewhere(config, "detections that are in memory")
    return report_of(CocoPart(detections=_read(gt, pred, config, progress)), config, on_rows)


def _with_answers(pred: Any, config: Config) -> Config:
    """Options that take lines of JSON for answers of models, unless they say what the predictions are."""
    lines = are_lines(pred) and config.pred_format is None and config.iou_type != "keypoints"
    return replace(config, answers="auto") if lines and config.answers is None else config


def _read(gt: Any, pred: Any, config: Config, progress: OnProgress | None) -> Detections:
    detections = read_detections(
        gt,
        pred,
        iou_type=config.iou_type,
        gt_format=config.gt_format,
        pred_format=config.pred_format,
        images=config.images,
        federated=not config.ignore_federated,
        fields=image_fields(config) if config.slice else (),
        answers=config.answer_options,
        progress=progress,
    )
    check_detections(detections, config)
    return detections
