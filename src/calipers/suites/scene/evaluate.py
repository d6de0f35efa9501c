"""`calipers.scene`: ground truth and methods in, a report out."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from calipers.core.collecting import without_collection
from calipers.core.config import option_files
from calipers.core.errors import require, unexpected
from calipers.files.attributes import read_attributes
from calipers.files.output import check_free
from calipers.kernels.scan.column import keep_some_memory
from calipers.report import Report
from calipers.run import OnProgress, check_bad, refuse_elsewhere, run_plan
from calipers.suite import Job
from calipers.suites.scene.config import Config
from calipers.suites.scene.folder import written_files
from calipers.suites.scene.options import methods_of, scene_options
from calipers.suites.scene.plan import ScenePart, ScenePlan, report_scenes
from calipers.suites.scene.read import read_scenes
from calipers.suites.scene.scene_files import find_many, inner_place

if TYPE_CHECKING:
    from typing import Unpack

    from calipers.suites.scene.artifact_types import SceneArtifact
    from calipers.suites.scene.option_types import SceneOptions
    from calipers.suites.scene.source_types import SceneMethods, SceneSource


def scene(
    gt: SceneSource,
    pred: SceneMethods,
    *,
    config: str | os.PathLike[str] | None = None,
    **options: Unpack[SceneOptions],
) -> Report[SceneArtifact]:
    """Measure predicted boxes in scenes against ground truth, of one method or of several.

    Args:
        gt: A file, a folder of scenes, or what a file would hold.
        pred: The same, or several methods: a list of "NAME=PATH", or a dict of paths by name.
        config: The path of an eval_config.json; keywords win over it.
        **options: Those of `calipers scene`, see `calipers.SceneOptions`.

    Returns:
        The report. `report.method(name)` has the numbers of a method; of a single one they can be asked for directly.

    Raises:
        ConfigError: An option does not exist or has a value that cannot be meant, or two methods have one name.
        InputError: An input cannot be read, or more scenes than `max_bad_records` are malformed.

    Examples:
        >>> seat = {"label": "seat", "center": [0, 0, 0.5], "size": [1, 1, 1]}
        >>> report = scene([seat], [seat | {"center": [0.5, 0, 0.5]}])
        >>> report["geometry_metrics"]["mean_iou_3d"], report.method()["geometry_metrics"]["mean_centroid_error_m"]
        (0.333333333333, 0.5)
    """
    chosen = scene_options(config, options)
    return evaluate(gt, methods_of(pred), chosen.config, chosen.warnings, files=chosen.files)


def job(inputs: dict[str, Any], options: dict[str, Any]) -> Job:
    """The job that the command runs; an eval_config.json may be among the options."""
    gt, methods = inputs["gt"], methods_of(inputs["pred"])
    if not all(isinstance(path, str) for path in methods.values()):
        raise unexpected("pred", inputs["pred"], "paths")
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
    inside = [entry for entry in inputs if os.path.isdir(entry) and os.path.realpath(target) == os.path.realpath(entry)]
    require(not inside, name, path, "a place outside the folders of scenes")


@without_collection()
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
    if config.attributes is not None:
        read_attributes(config.attributes)  # before the work begins, as it can be wrong
    inputs = [gt, *methods.values(), *files]
    if config.write_aliases is not None:
        check_free(config.write_aliases, [*inputs, *option_files(config, written=False).values()])
    keep_some_memory()
    if all(map(_is_cut_by_file, (gt, *methods.values()))):
        plan = ScenePlan(gt, methods, config, warnings, files)
        return run_plan(plan, config, inputs=inputs, progress=progress)
    refuse_elsewhere(config, "scenes that are in memory, or all in one file")
    reading = read_scenes(
        gt, methods, label_source=config.label_source, max_bad=config.max_bad_records, progress=progress
    )
    check_bad(ScenePart(reading), config.max_bad_records)
    return report_scenes(reading, config, warnings, files)


def _is_cut_by_file(source: Any) -> bool:
    """Whether a source has a file for each scene, so that shards can be read anywhere."""
    return isinstance(source, (str, os.PathLike)) and find_many(inner_place(os.fspath(source))) is None
