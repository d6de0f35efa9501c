"""`calipers.dense`: dumps or records in, a report out."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from calipers.core.config import make_config
from calipers.core.errors import ConfigError, keyword, require
from calipers.files.answers.records import MISSING, AnswerOptions
from calipers.files.attributes import read_attributes
from calipers.files.inputs import InputFile
from calipers.files.places import expand
from calipers.kernels.scan.column import keep_memory, keep_some_memory
from calipers.report import Report
from calipers.run import OnProgress, check_bad, refuse_elsewhere, run_plan
from calipers.suite import Job
from calipers.suites.dense.config import Config
from calipers.suites.dense.part import DensePart
from calipers.suites.dense.plan import Again, DensePlan, OnRows, report_of
from calipers.suites.dense.read import DenseReading, read_records
from calipers.suites.dense.shards import WantedRows, measure_reading

if TYPE_CHECKING:
    from typing import Unpack

    from calipers.suites.dense.artifact_types import DenseArtifact
    from calipers.suites.dense.option_types import DenseOptions
    from calipers.suites.dense.source_types import DenseSource


def dense(
    source: DenseSource, *, gt: str | os.PathLike[str] | None = None, **options: Unpack[DenseOptions]
) -> Report[DenseArtifact]:
    """Measure dumps of predicted regions and lines on images against ground truth.

    Args:
        source: A path or several (JSONL, also .gz and .zst; "-" is standard input), or a record or several.
        gt: Ground truth in COCO form; `source` is then a path to answers of a model, each of which names its image.
        **options: Those of `calipers dense`, see `calipers.DenseOptions`.

    Returns:
        The report: precision, recall and F1 by label mode over a sweep of thresholds, causes of errors, intervals.

    Raises:
        ConfigError: An option does not exist or has a value that cannot be meant.
        InputError: An input cannot be read, or more records than `max_bad_records` are malformed.

    Examples:
        >>> report = dense("examples/dense/gt_vs_pred.jsonl", modes="category", bootstrap=100)
        >>> report["modes"]["category"]["primary"]["recall"]
        0.7272727272727273

        Records may also come from memory:

        >>> box = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
        >>> dense([{"gt_norm1000": [box], "pred": [box]}])["modes"]["category"]["primary"]["f1"]
        1.0
    """
    config = make_config(Config, options)
    if gt is None:
        return evaluate(source, config)
    for name, path in (("gt", gt), ("source", source)):
        require(isinstance(path, (str, os.PathLike)) and bool(os.fspath(path)), name, path, "a path")
    return evaluate_joined(os.fspath(gt), os.fspath(source), config)  # type: ignore[arg-type]


def job(inputs: dict[str, Any], options: dict[str, Any]) -> Job:
    """Inputs and options of a command, checked and ready to run."""
    config = make_config(Config, options)
    dumps, gt, pred = (inputs.get(name) for name in ("dumps", "gt", "pred"))
    if dumps is None or gt is not None or pred is not None:
        _check_sides(dumps, gt, pred)
        sides: tuple[Any, ...] = ([], (str(gt), str(pred)))
        return Job(config, [str(gt), str(pred)], partial(evaluate_joined, str(gt), str(pred), config), sides)
    dumps = list(dumps)
    return Job(config, dumps, partial(_evaluate_dumps, dumps, config), (dumps,))


def _check_sides(dumps: Any, gt: Any, pred: Any) -> None:
    """Refuse anything but dumps, or ground truth and predictions."""
    if dumps is not None:
        raise ConfigError(f"DUMP: found {dumps[0]!r:.80}, which has ground truth of its own, expected it alone")
    missing = [name for name, path in (("gt", gt), ("pred", pred)) if path is None]
    if missing:
        both = f"{keyword('gt', 'FILE')} and {keyword('pred', 'FILE')}"
        raise ConfigError(f"{missing[0]}: missing, expected DUMP... or both {both}")


def _evaluate_dumps(dumps: list[str], config: Config, **hooks: Any) -> Report:
    keep_memory()
    return evaluate(dumps, config, **hooks)


def evaluate(
    source: Any, config: Config, *, on_rows: OnRows | None = None, progress: OnProgress | None = None
) -> Report:
    """Evaluate dumps or records. `on_rows` receives rows of objects and lines of cases, in the order of the records."""
    if config.attributes is not None:
        read_attributes(config.attributes)  # before the work begins, as it can be wrong
    if not isinstance(source, (str, os.PathLike)) and not _are_paths(source):
        return _evaluate_records(_records(source), config, on_rows)
    paths = expand([os.fspath(path) for path in ([source] if isinstance(source, (str, os.PathLike)) else source)])
    keep_some_memory()
    again, as_csv = partial(_rows_again, paths, config), getattr(on_rows, "takes_csv", False)
    places = getattr(on_rows, "places", None)
    plan = DensePlan(paths, config, rows=on_rows is not None, as_csv=as_csv, places=places, again=again)
    on_part = on_rows and partial(_pass_rows, on_rows)
    return run_plan(plan, config, inputs=paths, on_part=on_part, progress=progress)


def _pass_rows(on_rows: Any, part: DensePart) -> None:
    if part.stored is not None:
        on_rows.take_stored(*part.stored)
    else:
        on_rows(part.matches, part.cases)
    part.matches, part.cases, part.case_ends, part.stored = [], [], [], None
    part.pairs = []  # are kept by now, and no part of the total


def _evaluate_records(records: list[Any], config: Config, on_rows: OnRows | None) -> Report:
    refuse_elsewhere(config, "records that are in memory")
    reading = _read(records, config, config.answer_options, keep=bool(on_rows))
    part = measure_reading(reading, config, rows=WantedRows() if on_rows else None)
    inputs = [InputFile("<records>", None, part.read[0])]
    return _report(part, config, inputs, on_rows, partial(_rows_again, records, config))


def _read(
    records: list[Any], config: Config, answers: AnswerOptions | None, *, keep: bool, **place: Any
) -> DenseReading:
    how: dict[str, Any] = {"fields": config.record_fields, "answers": answers, **place}
    return read_records(records, frame=config.frame, keep=keep, max_text=config.max_text, **how)


def _report(part: DensePart, config: Config, inputs: list[InputFile], on_rows: OnRows | None, again: Again) -> Report:
    check_bad(part, config.max_bad_records)
    part.inputs = [entry._asdict() for entry in inputs]
    if on_rows:
        _pass_rows(on_rows, part)
    return report_of(part, config, again)


def evaluate_joined(
    gt: str, pred: str, config: Config, *, on_rows: OnRows | None = None, progress: OnProgress | None = None
) -> Report:
    """Evaluate answers of a model against ground truth in COCO form."""
    from calipers.suites.dense.coco_truth import join_answers

    if config.attributes is not None:
        read_attributes(config.attributes)  # before the work begins, as it can be wrong
    refuse_elsewhere(config, "ground truth and answers that are joined")
    joined = join_answers(gt, pred, frame=config.frame, options=config.joined_options)
    reading = _read(joined.records, config, None, keep=bool(on_rows), path=pred, lines=joined.lines)
    reading.answers, reading.bad = joined.counts, [*joined.bad, *reading.bad]
    reading.read += len(joined.bad)
    part = measure_reading(reading, config, rows=WantedRows() if on_rows else None)
    part.tally.count(MISSING, [joined.missing])
    report = _report(part, config, joined.inputs, on_rows, partial(_joined_again, gt, pred, config))
    report.notes.extend(joined.notes)
    return report


def _joined_again(gt: str, pred: str, config: Config, take: OnRows) -> None:
    evaluate_joined(gt, pred, config, on_rows=take)


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
