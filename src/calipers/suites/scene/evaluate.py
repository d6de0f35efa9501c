"""`calipers.scene`: ground truth and methods in, a report out."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from typing import Any

from calipers.core.collecting import without_collection
from calipers.core.errors import require
from calipers.files.output import check_free
from calipers.kernels.column import keep_some_memory
from calipers.report import Report
from calipers.run import OnProgress, check_bad, check_kept, refuse_elsewhere, run_plan
from calipers.suite import Job
from calipers.suites.scene.config import Config
from calipers.suites.scene.folder import written_files
from calipers.suites.scene.methods import methods_of
from calipers.suites.scene.options import scene_options
from calipers.suites.scene.plan import ScenePart, ScenePlan, report_scenes
from calipers.suites.scene.read import read_scenes


def scene(gt: Any, pred: Any, *, config: str | os.PathLike[str] | None = None, **options: Any) -> Report:
    """Measure predicted boxes in scenes against ground truth, of one method or of several.

    `gt` is a file, a folder of scenes, or what a file would hold; `pred` the same, or several: a list of "NAME=PATH",
    or a dict of paths by name. `config` is an eval_config.json. Options are those of `calipers scene`; see
    `calipers.suites.scene.config.Config`. `report.method(name)` has the numbers of a method.

    >>> seat = {"label": "seat", "center": [1, 1, 0.5], "size": [1, 1, 1]}
    >>> moved = {"label": "seat", "center": [1.5, 1, 0.5], "size": [1, 1, 1]}
    >>> found = scene({"objects": [seat]}, {"objects": [moved]}).method()["geometry_metrics"]
    >>> found["mean_iou_3d"], found["mean_centroid_error_m"]
    (0.333333333333, 0.5)
    """
    chosen = scene_options(config, options)
    return evaluate(gt, methods_of(pred), chosen.config, chosen.warnings, files=chosen.files)


def job(inputs: dict[str, Any], options: dict[str, Any]) -> Job:
    """What the command runs; an eval_config.json may be among the options."""
    gt, methods = inputs["gt"], methods_of(inputs["pred"])
    require(all(isinstance(path, str) for path in methods.values()), "pred", inputs["pred"], "paths")
    chosen = scene_options(options.pop("config", None), options)
    run = partial(evaluate, gt, methods, chosen.config, chosen.warnings, files=chosen.files)
    return Job(chosen.config, [gt, *methods.values(), *chosen.files], run, (gt, methods))


def check_places(job: Job, output: str | None) -> None:
    """Refuse to overwrite an input, or to write into a folder of scenes, where it would be read as one of them."""
    if output:
        is_artifact = output.endswith(".json")
        for name in () if is_artifact else written_files(list(job.sides[1])):
            check_free(os.path.join(output, name), job.paths)
        _check_outside("output", output, os.path.dirname(os.path.abspath(output)) if is_artifact else output, job.paths)
    for name in ("tally", "resume"):
        path = getattr(job.config, name)
        if path is not None:
            _check_outside(name, path, os.path.dirname(os.path.abspath(path)), job.paths)


def _check_outside(name: str, path: str, target: str, inputs: list[str]) -> None:
    inside = [each for each in inputs if os.path.isdir(each) and os.path.realpath(target) == os.path.realpath(each)]
    require(not inside, name, path, "a place outside the folders of scenes")


def evaluate(
    gt: Any,
    methods: dict[str, Any],
    config: Config,
    warnings: Iterable[str] = (),
    *,
    files: Iterable[str] = (),
    progress: OnProgress | None = None,
) -> Report:
    """Evaluate predicted boxes in scenes. `files` are those the options came from."""
    inputs = [gt, *methods.values(), *files]
    check_free(config.write_aliases, inputs)
    keep_some_memory()
    with without_collection():
        if all(isinstance(source, (str, os.PathLike)) for source in (gt, *methods.values())):
            check_kept(config, inputs)
            return run_plan(ScenePlan(gt, methods, config, warnings, files), config, progress=progress)
        refuse_elsewhere(config, "scenes that are in memory")
        reading = read_scenes(
            gt, methods, label_source=config.label_source, max_bad=config.max_bad_records, progress=progress
        )
        check_bad(ScenePart(reading), config.max_bad_records)
        return report_scenes(reading, config, warnings, files)
