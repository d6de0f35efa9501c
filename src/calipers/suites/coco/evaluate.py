"""`calipers.coco`: ground truth and detections in, a report out."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

from calipers.core.collecting import without_collection
from calipers.core.config import make_config
from calipers.core.errors import ConfigError
from calipers.files.output import check_free
from calipers.kernels.column import keep_some_memory
from calipers.report import ARTIFACT, Report
from calipers.run import OnProgress, check_kept, refuse_elsewhere, run_plan
from calipers.suite import Job
from calipers.suites.coco import measure as suite
from calipers.suites.coco.columns import Detections
from calipers.suites.coco.config import Config
from calipers.suites.coco.plan import CocoPart, CocoPlan, check_detections, report_of
from calipers.suites.coco.read import read_detections


def coco(gt: Any, pred: Any, **options: Any) -> Report:
    """Measure detections on images against ground truth: the numbers of COCO, and what they hide.

    `gt` is a COCO data set (a path, or what its JSON would hold), `pred` a list of results; both may also be folders of
    YOLO, Pascal VOC or LabelMe files. Options are those of `calipers coco`; see `calipers.suites.coco.config.Config`.

    >>> cone = {"id": 0, "image_id": 1, "category_id": 7, "bbox": [0, 0, 10, 10], "area": 100, "iscrowd": 0}
    >>> gt = {"images": [{"id": 1}], "categories": [{"id": 7, "name": "cone"}], "annotations": [cone]}
    >>> report = coco(gt, [{"image_id": 1, "category_id": 7, "bbox": [0, 0, 10, 8], "score": 0.9}])
    >>> report["coco"]["AP_50"], report["sweep"]["mean_overlap_matched"]
    (1.0, 0.8)
    """
    return evaluate(gt, pred, make_config(Config, options))


def coco_numbers(gt: Any, pred: Any, **options: Any) -> dict[str, float | None]:
    """Only the twelve numbers of COCO (ten for keypoints), by name: what a training loop looks at. Options as `coco`.

    >>> coco_numbers({"images": [{"id": 1}], "categories": [{"id": 1, "name": "cone"}], "annotations": []}, [])["AP"]
    """
    config = make_config(Config, options)
    if (config.engine, config.resume, config.tally) != ("local", None, None):
        raise ConfigError("engine, resume and tally: coco_numbers keeps nothing, expected calipers.coco for that")
    return suite.lines(_read(gt, pred, config, None), config)


def job(inputs: dict[str, Any], options: dict[str, Any]) -> Job:
    """What the command runs."""
    gt, pred, config = inputs["gt"], inputs["pred"], make_config(Config, options)
    return Job(config, [gt, pred], partial(evaluate, gt, pred, config), (gt, pred))


def check_places(job: Job, output: str | None) -> None:
    """Refuse to overwrite an input with the artifact."""
    if output:
        check_free(output if output.endswith(".json") else f"{output}/{ARTIFACT}", job.paths)


def evaluate(gt: Any, pred: Any, config: Config, *, progress: OnProgress | None = None) -> Report:
    """Evaluate detections: files are read in shards, and all images are one batch."""
    keep_some_memory()
    with without_collection():
        if all(isinstance(source, (str, os.PathLike)) for source in (gt, pred)):
            check_kept(config, [gt, pred])
            return run_plan(CocoPlan(gt, pred, config, progress=progress), config, progress=progress)
        refuse_elsewhere(config, "detections that are in memory")
        return report_of(CocoPart(found=[_read(gt, pred, config, progress)]), config)


def _read(gt: Any, pred: Any, config: Config, progress: OnProgress | None) -> Detections:
    detections = read_detections(
        gt,
        pred,
        iou_type=config.iou_type,
        gt_format=config.gt_format,
        pred_format=config.pred_format,
        images=config.images,
        federated=not config.ignore_federated,
        progress=progress,
    )
    check_detections(detections, config)
    return detections
