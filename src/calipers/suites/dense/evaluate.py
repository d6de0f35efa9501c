"""`calipers.dense`: dumps or records in, a report out."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from calipers.core.config import make_config
from calipers.core.errors import ConfigError
from calipers.files.places import expand
from calipers.kernels.column import keep_memory, keep_some_memory
from calipers.report import Report
from calipers.run import OnProgress, check_bad, check_kept, refuse_elsewhere, run_plan
from calipers.suite import Job
from calipers.suites.dense.config import Config
from calipers.suites.dense.plan import DensePart, DensePlan, OnRows, measure_reading, report_of
from calipers.suites.dense.read import read_records


def dense(source: Any, **options: Any) -> Report:
    """Measure dumps of predicted objects against ground truth.

    `source` is a path or several (JSONL, also .gz and .zst; "-" is standard input), or a list of records. Options are
    those of `calipers dense`; see `calipers.suites.dense.config.Config`.

    >>> box = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
    >>> report = dense([{"gt_norm1000": [box], "pred": [box]}])
    >>> report["modes"]["category"]["primary"]["f1"]
    1.0
    """
    return evaluate(source, make_config(Config, options))


def job(inputs: dict[str, Any], options: dict[str, Any]) -> Job:
    """What the command runs."""
    dumps, config = list(inputs["dumps"]), make_config(Config, options)
    return Job(config, dumps, partial(_evaluate_dumps, dumps, config), (dumps,))


def _evaluate_dumps(dumps: list[str], config: Config, **hooks: Any) -> Report:
    keep_memory()
    return evaluate(dumps, config, **hooks)


def evaluate(
    source: Any, config: Config, *, on_rows: OnRows | None = None, progress: OnProgress | None = None
) -> Report:
    """Evaluate dumps or records. `on_rows` receives rows of objects and lines of cases, in the order of the records."""
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
