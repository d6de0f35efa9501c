"""The suites as functions: inputs and options in, a report out.

What all of them share, from shards to the total, is in `run`; how an input is cut into shards is in `plans`.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from calipers.core.config import make_config
from calipers.core.errors import ConfigError
from calipers.files.output import check_free
from calipers.files.places import expand
from calipers.kernels.column import keep_some_memory
from calipers.report import Report
from calipers.run import OnProgress, check_bad, check_kept, refuse_elsewhere, run_plan
from calipers.suites.dense.measure import Config
from calipers.suites.dense.plan import DensePart, DensePlan, OnRows, measure_reading, report_of
from calipers.suites.dense.read import read_records

if TYPE_CHECKING:
    from calipers.report import CocoReport, SceneReport
    from calipers.suites.coco.columns import Detections
    from calipers.suites.coco.config import Config as CocoConfig
    from calipers.suites.scene.config import Config as SceneConfig
    from calipers.suites.timeline.config import Config as TimelineConfig

Path = str | os.PathLike[str]


def dense(source: Any, **options: Any) -> Report:
    """Measure dumps of predicted objects against ground truth.

    `source` is a path or several (JSONL, also .gz and .zst; "-" is standard input), or a list of records. Options are
    those of `calipers dense`; see `calipers.suites.dense.measure.Config`.

    >>> box = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
    >>> report = dense([{"gt_norm1000": [box], "pred": [box]}])
    >>> report["modes"]["category"]["primary"]["f1"]
    1.0
    """
    return evaluate(source, make_config(Config, options))


def timeline(gt: Any, pred: Any, **options: Any) -> Report:
    """Measure predicted states along videos against ground truth.

    `gt` is an annotation JSON, `pred` a predictions JSON, a timeline CSV or a folder of them; or both are what the JSON
    would hold. Options are those of `calipers timeline`; see `calipers.suites.timeline.config.Config`.

    >>> truth = {"a.mp4": {"outside": [[0, 9], [20, 29]], "inside": [[10, 19]]}}
    >>> report = timeline(truth, {"a.mp4": {"fps": 10, "states": {"inside": [[15, 19]]}}}, extent="gt")
    >>> report["videos"]["a.mp4"]["entry_timing_mae_sec"]
    0.5
    """
    from calipers.suites.timeline.config import Config as TimelineConfig

    return evaluate_timelines(gt, pred, make_config(TimelineConfig, options))


def evaluate_timelines(gt: Any, pred: Any, config: TimelineConfig, *, progress: OnProgress | None = None) -> Report:
    """The same for videos."""
    from calipers.suites.timeline.plan import TimelinePlan

    keep_some_memory()
    with _no_collection():
        if not all(isinstance(given, (str, os.PathLike)) for given in (gt, pred)):
            return _evaluate_videos(gt, pred, config, progress)
        check_kept(config, [gt, pred])
        return run_plan(TimelinePlan(os.fspath(gt), os.fspath(pred), config), config, progress=progress)


def _evaluate_videos(gt: Any, pred: Any, config: TimelineConfig, progress: OnProgress | None) -> Report:
    """Videos of which a side is in memory."""
    from calipers.suites.timeline.plan import measure_reading
    from calipers.suites.timeline.plan import report_of as report_videos
    from calipers.suites.timeline.read import read_timelines

    refuse_elsewhere(config, "videos that are in memory")
    reading = read_timelines(gt, pred, spelling=config.known_states, progress=progress)
    part = measure_reading(reading, config)
    check_bad(part, config.max_bad_records)
    return report_videos(part, config, lambda: reading.videos)


def scene(gt: Any, pred: Any, *, config: Path | None = None, **options: Any) -> SceneReport:
    """Measure predicted boxes in scenes against ground truth, of one method or of several.

    `gt` is a file, a folder of scenes, or what a file would hold; `pred` the same, or several: a list of "NAME=PATH",
    or a dict of paths by name. `config` is an eval_config.json. Options are those of `calipers scene`; see
    `calipers.suites.scene.config.Config`. With one method its numbers can be asked for directly.

    >>> seat = {"label": "seat", "center": [1, 1, 0.5], "size": [1, 1, 1]}
    >>> moved = {"label": "seat", "center": [1.5, 1, 0.5], "size": [1, 1, 1]}
    >>> report = scene({"objects": [seat]}, {"objects": [moved]})
    >>> report["geometry_metrics"]["mean_iou_3d"], report["geometry_metrics"]["mean_centroid_error_m"]
    (0.333333333333, 0.5)
    """
    from calipers.suites.scene.methods import methods_of
    from calipers.suites.scene.options import scene_options

    chosen = scene_options(config, options)
    return evaluate_scenes(gt, methods_of(pred), chosen.config, chosen.warnings, files=chosen.files)


def evaluate_scenes(
    gt: Any,
    methods: dict[str, Any],
    config: SceneConfig,
    warnings: Iterable[str] = (),
    *,
    files: Iterable[str] = (),
    progress: OnProgress | None = None,
) -> SceneReport:
    """The same for scenes. `files` are those the options came from."""
    from calipers.suites.scene.plan import ScenePart, ScenePlan, report_scenes
    from calipers.suites.scene.read import read_scenes

    inputs = [gt, *methods.values(), *files]
    check_free(config.write_aliases, inputs)
    keep_some_memory()
    with _no_collection():
        if all(isinstance(given, (str, os.PathLike)) for given in (gt, *methods.values())):
            check_kept(config, inputs)
            plan = ScenePlan(gt, methods, config, warnings, files)
            return cast("SceneReport", run_plan(plan, config, progress=progress))
        refuse_elsewhere(config, "scenes that are in memory")
        reading = read_scenes(
            gt, methods, label_source=config.label_source, max_bad=config.max_bad_records, progress=progress
        )
        check_bad(ScenePart(reading), config.max_bad_records)
        return report_scenes(reading, config, warnings, files)


def coco(gt: Any, pred: Any, **options: Any) -> CocoReport:
    """Measure detections on images against ground truth: the numbers of COCO, and what they hide.

    `gt` is a COCO data set (a path, or what its JSON would hold), `pred` a list of results; both may also be folders of
    YOLO, Pascal VOC or LabelMe files. Options are those of `calipers coco`; see `calipers.suites.coco.config.Config`.

    >>> cone = {"id": 0, "image_id": 1, "category_id": 7, "bbox": [0, 0, 10, 10], "area": 100, "iscrowd": 0}
    >>> gt = {"images": [{"id": 1}], "categories": [{"id": 7, "name": "cone"}], "annotations": [cone]}
    >>> report = coco(gt, [{"image_id": 1, "category_id": 7, "bbox": [0, 0, 10, 8], "score": 0.9}])
    >>> report["coco"]["AP_50"], report["sweep"]["mean_overlap_matched"]
    (1.0, 0.8)
    """
    from calipers.suites.coco.config import Config as CocoConfig

    return evaluate_detections(gt, pred, make_config(CocoConfig, options))


def coco_numbers(gt: Any, pred: Any, **options: Any) -> dict[str, float | None]:
    """Only the twelve numbers of COCO (ten for keypoints), by name: what a training loop looks at. Options as `coco`.

    >>> coco_numbers({"images": [{"id": 1}], "categories": [{"id": 1, "name": "cone"}], "annotations": []}, [])["AP"]
    """
    from calipers.suites.coco import measure as suite
    from calipers.suites.coco.config import Config as CocoConfig

    config = make_config(CocoConfig, options)
    if (config.engine, config.resume, config.tally) != ("local", None, None):
        raise ConfigError("engine, resume and tally: coco_numbers keeps nothing, expected calipers.coco for that")
    return suite.lines(_read_detections(gt, pred, config, None), config)


def evaluate_detections(gt: Any, pred: Any, config: CocoConfig, *, progress: OnProgress | None = None) -> CocoReport:
    """The same for detections: files are read in shards, and all images are one batch."""
    from calipers.suites.coco.plan import CocoPart, CocoPlan
    from calipers.suites.coco.plan import report_of as report_detections

    keep_some_memory()
    with _no_collection():
        if all(isinstance(given, (str, os.PathLike)) for given in (gt, pred)):
            check_kept(config, [gt, pred])
            return cast(
                "CocoReport", run_plan(CocoPlan(gt, pred, config, progress=progress), config, progress=progress)
            )
        refuse_elsewhere(config, "detections that are in memory")
        return report_detections(CocoPart(found=[_read_detections(gt, pred, config, progress)]), config)


def _read_detections(gt: Any, pred: Any, config: CocoConfig, progress: OnProgress | None) -> Detections:
    from calipers.suites.coco.plan import check_detections
    from calipers.suites.coco.read import read_detections

    found = read_detections(
        gt,
        pred,
        iou_type=config.iou_type,
        gt_format=config.gt_format,
        pred_format=config.pred_format,
        images=config.images,
        federated=not config.ignore_federated,
        progress=progress,
    )
    check_detections(found, config)
    return found


@contextmanager
def _no_collection() -> Iterator[None]:
    """Trees of JSON are objects by the hundred thousand, none of them garbage; to look for cycles would cost more."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def evaluate(
    source: Any, config: Config, *, on_rows: OnRows | None = None, progress: OnProgress | None = None
) -> Report:
    """The same for records. `on_rows` receives rows of objects and lines of cases, in the order of the records."""
    if not isinstance(source, (str, os.PathLike)) and not _are_paths(source):
        return _evaluate_records(_records(source), config, on_rows)
    paths = expand([os.fspath(path) for path in ([source] if isinstance(source, (str, os.PathLike)) else source)])
    check_kept(config, paths)
    keep_some_memory()
    plan = DensePlan(paths, config, rows=on_rows is not None, again=partial(_rows_again, paths, config))
    return run_plan(plan, config, on_part=on_rows and partial(_take_rows, on_rows), progress=progress)


def _take_rows(on_rows: OnRows, part: DensePart) -> None:
    on_rows(part.matches, part.cases)
    part.matches, part.cases = [], []


def _evaluate_records(records: list[Any], config: Config, on_rows: OnRows | None) -> Report:
    refuse_elsewhere(config, "records that are in memory")
    part = measure_reading(
        read_records(records, frame=config.frame, keep=bool(on_rows), max_text=config.max_text),
        config,
        rows=bool(on_rows),
    )
    check_bad(part, config.max_bad_records)
    part.inputs = [{"path": "<records>", "sha256": None, "records": part.read[0]}]
    if on_rows:
        _take_rows(on_rows, part)
    return report_of(part, config, partial(_rows_again, records, config))


def _rows_again(source: Any, config: Config, take: OnRows) -> None:
    if "-" in source:
        raise ConfigError("matches: standard input cannot be read a second time")
    evaluate(source, replace(config, resume=None, tally=None), on_rows=take)


def _records(source: Any) -> list[Any]:
    if isinstance(source, dict):
        return [source]
    if not isinstance(source, Iterable) or isinstance(source, (bytes, bytearray)):
        raise ConfigError(f"source: found {source!r:.80}, expected paths or records")
    return list(source)


def _are_paths(source: Any) -> bool:
    return (
        isinstance(source, (list, tuple))
        and bool(source)
        and all(isinstance(item, (str, os.PathLike)) for item in source)
    )
