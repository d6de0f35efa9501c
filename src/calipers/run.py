"""The pipeline, spelled once: read -> measure -> add up -> summarize.

A suite gives two pure functions. `measure_shard` takes some lines to counts and runs wherever the engine puts it; the
counts add up in any order to the same bits; `summarize` takes them to the report.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from calipers.config import make_config
from calipers.engines.local import run_in_order
from calipers.errors import ConfigError, InputError
from calipers.kernels.column import keep_some_memory
from calipers.output import check_free, to_json, write_file
from calipers.readers.dense import DenseReading, read_records, read_shard
from calipers.readers.lines import Shard, Source
from calipers.readers.problems import BadRecord
from calipers.report import Report, Rows, TakeCases
from calipers.suites import dense as dense_suite
from calipers.suites.dense import Config
from calipers.suites.rows import case_lines, match_rows
from calipers.tally import Tally
from calipers.text import whole_text

if TYPE_CHECKING:
    from calipers.instances import Detections
    from calipers.readers.scene import SceneReading
    from calipers.report import CocoReport, SceneReport
    from calipers.suites.coco_config import Config as CocoConfig
    from calipers.suites.scene_config import Config as SceneConfig
    from calipers.suites.timeline_config import Config as TimelineConfig

Path = str | os.PathLike[str]
OnRows = Callable[[Rows, list[bytes]], None]
OnProgress = Callable[[int, int], None]


class Part:
    """What one shard gives: counts, the bad records, and rows of objects and lines of cases when asked for."""

    __slots__ = ("bad", "cases", "matches", "size", "source", "tally")

    def __init__(
        self, source: int, size: int, tally: Tally, bad: list[BadRecord], matches: Rows, cases: list[bytes]
    ) -> None:
        self.source, self.size, self.tally, self.bad = source, size, tally, bad
        self.matches, self.cases = matches, cases


def dense(source: Any, **options: Any) -> Report:
    """Measure dumps of predicted objects against ground truth.

    `source` is a path or several (JSONL, also .gz and .zst; "-" is standard input), or a list of records. Options are
    those of `calipers dense`; see `calipers.suites.dense.Config`.

    >>> box = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
    >>> report = dense([{"gt_norm1000": [box], "pred": [box]}])
    >>> report["modes"]["category"]["primary"]["f1"]
    1.0
    """
    return evaluate(source, make_config(Config, options))


def timeline(gt: Any, pred: Any, **options: Any) -> Report:
    """Measure predicted states along videos against ground truth.

    `gt` is an annotation JSON, `pred` a predictions JSON, a timeline CSV or a folder of them; or both are what the JSON
    would hold. Options are those of `calipers timeline`; see `calipers.suites.timeline_config.Config`.

    >>> truth = {"a.mp4": {"outside": [[0, 9], [20, 29]], "inside": [[10, 19]]}}
    >>> report = timeline(truth, {"a.mp4": {"fps": 10, "states": {"inside": [[15, 19]]}}}, extent="gt")
    >>> report["videos"]["a.mp4"]["entry_timing_mae_sec"]
    0.5
    """
    from calipers.suites.timeline_config import Config as TimelineConfig

    return evaluate_timelines(gt, pred, make_config(TimelineConfig, options))


def evaluate_timelines(gt: Any, pred: Any, config: TimelineConfig, *, progress: OnProgress | None = None) -> Report:
    """The same for videos: all of them are one batch."""
    from calipers.readers.timeline import read_timelines
    from calipers.suites import timeline as suite
    from calipers.suites.timeline_rows import event_rows, timelines_of

    keep_some_memory()
    with _no_collection():
        reading = read_timelines(gt, pred, spelling=config.known_states, progress=progress)
        if len(reading.bad) > config.max_bad_records:
            raise reading.bad[config.max_bad_records].error()
        tree = suite.summarize(suite.measure(reading, config), config)
    tree["inputs"] = [each._asdict() for each in reading.inputs]
    tree["rejected"] = [bad.entry() for bad in reading.bad]
    return Report(tree, partial(event_rows, reading.videos, config), partial(timelines_of, reading.videos, config))


def scene(gt: Any, pred: Any, *, config: Path | None = None, **options: Any) -> SceneReport:
    """Measure predicted boxes in scenes against ground truth, of one method or of several.

    `gt` is a file, a folder of scenes, or what a file would hold; `pred` the same, or several: a list of "NAME=PATH",
    or a dict of paths by name. `config` is an eval_config.json. Options are those of `calipers scene`; see
    `calipers.suites.scene_config.Config`. With one method its numbers can be asked for directly.

    >>> seat = {"label": "seat", "center": [1, 1, 0.5], "size": [1, 1, 1]}
    >>> moved = {"label": "seat", "center": [1.5, 1, 0.5], "size": [1, 1, 1]}
    >>> report = scene({"objects": [seat]}, {"objects": [moved]})
    >>> report["geometry_metrics"]["mean_iou_3d"], report["geometry_metrics"]["mean_centroid_error_m"]
    (0.333333333333, 0.5)
    """
    from calipers.suites.scene_methods import methods_of
    from calipers.suites.scene_options import scene_options

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
    """The same for scenes: all of them are one batch. `files` are those the options came from."""
    from calipers.readers.scene import read_scenes

    check_free(config.write_aliases, [gt, *methods.values(), *files])
    keep_some_memory()
    with _no_collection():
        reading = read_scenes(
            gt, methods, label_source=config.label_source, max_bad=config.max_bad_records, progress=progress
        )
        if len(reading.bad) > config.max_bad_records:
            raise reading.bad[config.max_bad_records].error()
        return report_scenes(reading, config, warnings, files)


def report_scenes(
    reading: SceneReading, config: SceneConfig, warnings: Iterable[str], files: Iterable[str]
) -> SceneReport:
    """Scenes that were read to their report."""
    from calipers.report import SceneReport
    from calipers.suites import scene as suite

    reading.warnings[:0] = warnings
    measured = suite.measure(reading, config)
    tree = suite.with_inputs(suite.summarize(measured, config), reading, files)
    if config.write_aliases:
        write_file(config.write_aliases, to_json({"aliases": measured.naming.resolver.learned()}))
    return SceneReport(tree, measured)


def coco(gt: Any, pred: Any, **options: Any) -> CocoReport:
    """Measure detections on images against ground truth: the numbers of COCO, and what they hide.

    `gt` is a COCO data set (a path, or what its JSON would hold), `pred` a list of results; both may also be folders of
    YOLO, Pascal VOC or LabelMe files. Options are those of `calipers coco`; see `calipers.suites.coco_config.Config`.

    >>> cone = {"id": 0, "image_id": 1, "category_id": 7, "bbox": [0, 0, 10, 10], "area": 100, "iscrowd": 0}
    >>> gt = {"images": [{"id": 1}], "categories": [{"id": 7, "name": "cone"}], "annotations": [cone]}
    >>> report = coco(gt, [{"image_id": 1, "category_id": 7, "bbox": [0, 0, 10, 8], "score": 0.9}])
    >>> report["coco"]["AP_50"], report["sweep"]["mean_overlap_matched"]
    (1.0, 0.8)
    """
    from calipers.suites.coco_config import Config as CocoConfig

    return evaluate_detections(gt, pred, make_config(CocoConfig, options))


def coco_numbers(gt: Any, pred: Any, **options: Any) -> dict[str, float | None]:
    """Only the twelve numbers of COCO (ten for keypoints), by name: what a training loop looks at. Options as `coco`.

    >>> coco_numbers({"images": [{"id": 1}], "categories": [{"id": 1, "name": "cone"}], "annotations": []}, [])["AP"]
    """
    from calipers.suites import coco as suite
    from calipers.suites.coco_config import Config as CocoConfig

    config = make_config(CocoConfig, options)
    return suite.lines(_read_detections(gt, pred, config, None), config)


def evaluate_detections(gt: Any, pred: Any, config: CocoConfig, *, progress: OnProgress | None = None) -> CocoReport:
    """The same for detections: all images are one batch."""
    from calipers.report import CocoReport
    from calipers.suites import coco as suite

    keep_some_memory()
    with _no_collection():
        found = _read_detections(gt, pred, config, progress)
        measured = suite.measure(found, config)
        tree = suite.summarize(measured)
    tree["inputs"] = [each._asdict() for each in found.inputs]
    tree["rejected"] = [bad.entry() for bad in found.bad]
    return CocoReport(tree, measured)


def _read_detections(gt: Any, pred: Any, config: CocoConfig, progress: OnProgress | None) -> Detections:
    from calipers.readers.detections import read_detections

    found = read_detections(
        gt,
        pred,
        iou_type=config.iou_type,
        gt_format=config.gt_format,
        pred_format=config.pred_format,
        images=config.images,
        progress=progress,
    )
    if len(found.bad) > config.max_bad_records:
        raise found.bad[config.max_bad_records].error()
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
    """The pipeline. `on_rows` receives rows of objects and lines of cases, in the order of the records."""
    if not isinstance(source, (str, os.PathLike)) and not _are_paths(source):
        return _evaluate_records(_records(source), config, on_rows)
    paths = [os.fspath(path) for path in ([source] if isinstance(source, (str, os.PathLike)) else source)]
    if paths.count("-") > 1:
        raise ConfigError("-: standard input can be read only once")
    keep_some_memory()
    sources = [Source(index, path, config.chunk_bytes) for index, path in enumerate(paths)]
    work, plain = partial(measure_shard, config=config, rows=on_rows is not None), all(s.is_plain() for s in sources)
    parts = run_in_order(work, _shards(sources), config.jobs, ahead=plain)
    total, bad, read = _add_up(_watched(parts, sources, progress), config, len(sources), on_rows)
    inputs = [
        {"path": whole_text(source.path), "sha256": source.sha256, "records": read[source.index]} for source in sources
    ]
    return make_report(total, bad, inputs, config, partial(_rows_again, source, config))


def measure_shard(shard: Shard, *, config: Config, rows: bool) -> Part:
    """Some lines to counts."""
    reading = read_shard(shard, frame=config.frame, keep=rows, most_bad=config.max_bad_records)
    return measure_reading(reading, config, source=shard.source, size=shard.size, rows=rows)


def measure_reading(
    reading: DenseReading, config: Config, *, source: int = 0, size: int = 0, rows: bool = False
) -> Part:
    """A batch to counts, and to rows when asked for."""
    batch = reading.batch
    matched = dense_suite.Matched(batch, config, all_pairs=rows)
    tally = dense_suite.count(matched, batch, config)
    tally.count("records", [reading.read, len(batch), reading.skipped, len(reading.bad)])
    matches, cases = (match_rows(batch, matched, config), case_lines(batch, matched, config)) if rows else ([], [])
    return Part(source, size, tally, reading.bad, matches, cases)


def _add_up(
    parts: Iterable[Part], config: Config, sources: int, on_rows: OnRows | None
) -> tuple[Tally, list[BadRecord], list[int]]:
    total, bad, read = Tally(), list[BadRecord](), [0] * sources
    for part in parts:
        bad += part.bad
        if len(bad) > config.max_bad_records:
            raise bad[config.max_bad_records].error()
        total += part.tally
        read[part.source] += int(part.tally.counts["records"][0])
        if on_rows:
            on_rows(part.matches, part.cases)
    return total, bad, read


def make_report(
    total: Tally,
    bad: Sequence[BadRecord],
    inputs: list[dict[str, Any]],
    config: Config,
    again: Callable[[OnRows], None] | None = None,
) -> Report:
    """Counts to the report; `again` goes through the records once more, for rows and cases."""
    for entry in inputs:
        if not entry["records"] and entry["sha256"]:
            raise InputError(f"{entry['path']}: no records, expected one JSON object a line")
    tree = dense_suite.summarize(total, config)
    tree["inputs"] = inputs
    tree["rejected"] = [record.entry() for record in bad]
    if again is None:
        return Report(tree)
    return Report(tree, partial(_all_matches, again), cases=partial(_all_cases, again))


def _evaluate_records(records: list[Any], config: Config, on_rows: OnRows | None) -> Report:
    reading = read_records(records, frame=config.frame, keep=on_rows is not None)
    part = measure_reading(reading, config, rows=on_rows is not None)
    total, bad, read = _add_up([part], config, 1, on_rows)
    inputs = [{"path": "<records>", "sha256": None, "records": read[0]}]
    return make_report(total, bad, inputs, config, partial(_rows_again, records, config))


def _rows_again(source: Any, config: Config, take: OnRows) -> None:
    if source == "-" or (isinstance(source, (list, tuple)) and "-" in source):
        raise ConfigError("matches: standard input cannot be read a second time")
    evaluate(source, config, on_rows=take)


def _all_matches(again: Callable[[OnRows], None]) -> Rows:
    rows: Rows = []
    again(lambda matches, cases: rows.extend(matches))
    return rows


def _all_cases(again: Callable[[OnRows], None], take: TakeCases) -> None:
    again(lambda matches, cases: take(cases))


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


def _shards(sources: list[Source]) -> Iterator[Shard]:
    for source in sources:
        yield from source


def _watched(parts: Iterator[Part], sources: list[Source], progress: OnProgress | None) -> Iterator[Part]:
    """Tell how many of how many bytes were read."""
    for part in parts:
        if progress:
            progress(sum(source.bytes_read for source in sources), sum(source.size for source in sources))
        yield part
