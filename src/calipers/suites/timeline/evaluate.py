"""`calipers.timeline`: annotations and predicted states in, a report out."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

from calipers.core.collecting import without_collection
from calipers.core.config import make_config
from calipers.core.errors import require
from calipers.kernels.column import keep_some_memory
from calipers.report import Report
from calipers.run import OnProgress, check_bad, check_kept, refuse_elsewhere, run_plan
from calipers.suite import Job
from calipers.suites.timeline.config import Config
from calipers.suites.timeline.plan import TimelinePlan, measure_reading, report_of
from calipers.suites.timeline.read import read_timelines


def timeline(gt: Any, pred: Any, **options: Any) -> Report:
    """Measure predicted states along videos against ground truth.

    `gt` is an annotation JSON, `pred` a predictions JSON, a timeline CSV or a folder of them; or both are what the JSON
    would hold. Options are those of `calipers timeline`; see `calipers.suites.timeline.config.Config`.

    >>> truth = {"a.mp4": {"outside": [[0, 9], [20, 29]], "inside": [[10, 19]]}}
    >>> report = timeline(truth, {"a.mp4": {"fps": 10, "states": {"inside": [[15, 19]]}}}, extent="gt")
    >>> report["videos"]["a.mp4"]["entry_timing_mae_sec"]
    0.5
    """
    return evaluate(gt, pred, make_config(Config, options))


def job(inputs: dict[str, Any], options: dict[str, Any]) -> Job:
    """What the command runs."""
    gt, pred, config = inputs["gt"], inputs["pred"], make_config(Config, options)
    return Job(config, [gt, pred], partial(evaluate, gt, pred, config), (gt, pred))


def check_places(job: Job, output: str | None) -> None:
    """Refuse to write tables where they would be read as predictions the next time."""
    pred = job.paths[1]
    for name, path in (("output", output), ("tally", job.config.tally), ("resume", job.config.resume)):
        require(not path or not _is_inside(path, pred), name, path, "a place outside the folder of predictions")


def _is_inside(output: str, folder: str) -> bool:
    is_folder = Path(folder).is_dir() and not output.endswith(".json")
    return is_folder and Path(output).resolve().is_relative_to(Path(folder).resolve())


def evaluate(gt: Any, pred: Any, config: Config, *, progress: OnProgress | None = None) -> Report:
    """Evaluate predicted timelines against annotations."""
    keep_some_memory()
    with without_collection():
        if not all(isinstance(source, (str, os.PathLike)) for source in (gt, pred)):
            return _evaluate_videos(gt, pred, config, progress)
        check_kept(config, [gt, pred])
        return run_plan(TimelinePlan(os.fspath(gt), os.fspath(pred), config), config, progress=progress)


def _evaluate_videos(gt: Any, pred: Any, config: Config, progress: OnProgress | None) -> Report:
    """Videos of which a side is in memory."""
    refuse_elsewhere(config, "videos that are in memory")
    reading = read_timelines(gt, pred, spelling=config.known_states, progress=progress)
    part = measure_reading(reading, config)
    check_bad(part, config.max_bad_records)
    return report_of(part, config, lambda: reading.videos)
