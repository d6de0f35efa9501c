"""`calipers.timeline`: annotations and predicted states in, a report out."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calipers.core.collecting import without_collection
from calipers.core.config import make_config
from calipers.core.errors import require
from calipers.files.attributes import read_attributes
from calipers.kernels.scan.column import keep_some_memory
from calipers.report import Report
from calipers.run import OnProgress, check_bad, refuse_elsewhere, run_plan
from calipers.suite import Job
from calipers.suites.timeline.config import Config
from calipers.suites.timeline.plan import TimelinePlan, measure_reading, report_of
from calipers.suites.timeline.read import read_timelines
from calipers.suites.timeline.summarize import OnHead

if TYPE_CHECKING:
    from typing import Unpack

    from calipers.suites.timeline.artifact_types import TimelineArtifact
    from calipers.suites.timeline.option_types import TimelineOptions
    from calipers.suites.timeline.source_types import TimelineSource


def timeline(gt: TimelineSource, pred: TimelineSource, **options: Unpack[TimelineOptions]) -> Report[TimelineArtifact]:
    """Measure predicted states along videos against ground truth.

    Args:
        gt: The annotations: the path of a JSON file, or what it would hold, `{video: {state: [[first, last], …]}}`; or
            a file of an annotation tool per video (ELAN, Audacity labels, CSV of spans), or a folder of them.
        pred: The predictions: the path of a JSON file, a timeline CSV or a folder of them, or what the JSON would hold,
            the same layout under a `states` key; or files as those of the ground truth.
        **options: Those of `calipers timeline`, see `calipers.TimelineOptions`.

    Returns:
        The report: frames, transitions, events and segments of every video, means with intervals, pooled figures.

    Raises:
        ConfigError: An option does not exist or has a value that cannot be meant.
        InputError: An input cannot be read, or more videos than `max_bad_records` are malformed.

    Examples:
        >>> truth = {"a.mp4": {"outside": [[0, 29]], "inside": [[30, 59]]}}
        >>> report = timeline(truth, {"a.mp4": {"fps": 30, "states": {"inside": [[24, 56]]}}})
        >>> report["videos"]["a.mp4"]["frame_accuracy"]
        0.85
    """
    return evaluate(gt, pred, make_config(Config, options))


def job(inputs: dict[str, Any], options: dict[str, Any]) -> Job:
    """Inputs and options of a command, checked and ready to run."""
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


@without_collection()
def evaluate(
    gt: Any, pred: Any, config: Config, *, on_head: OnHead | None = None, progress: OnProgress | None = None
) -> Report:
    """Evaluate predicted timelines against annotations; `on_head` receives what the artifact of files begins with."""
    if config.attributes is not None:
        read_attributes(config.attributes)  # before the work begins, as it can be wrong
    keep_some_memory()
    if not all(isinstance(source, (str, os.PathLike)) for source in (gt, pred)):
        return _evaluate_videos(gt, pred, config, progress)
    plan = TimelinePlan(os.fspath(gt), os.fspath(pred), config, on_head)
    return run_plan(plan, config, inputs=[gt, pred], progress=progress)


def _evaluate_videos(gt: Any, pred: Any, config: Config, progress: OnProgress | None) -> Report:
    """Videos of which a side is in memory."""
    refuse_elsewhere(config, "videos that are in memory")
    reading = read_timelines(gt, pred, spelling=config.known_states, progress=progress, fps=config.fps)
    part = measure_reading(reading, config)
    check_bad(part, config.max_bad_records)
    return report_of(part, config, lambda: reading.videos)
