"""States along videos in shards: byte ranges of JSON by video, or some timeline CSVs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

from calipers import __version__
from calipers.core.config import artifact_options
from calipers.core.parts import Packed
from calipers.engines import Engine
from calipers.files.only import read_only
from calipers.files.part_files import Provenance
from calipers.report import Report
from calipers.suites.timeline import measure as suite
from calipers.suites.timeline.cases import case_lines, cases_of
from calipers.suites.timeline.columns import Videos
from calipers.suites.timeline.config import PROTOCOL, Config, params
from calipers.suites.timeline.part import TimelinePart
from calipers.suites.timeline.read import TimelineReading, read_timelines
from calipers.suites.timeline.rows import event_rows
from calipers.suites.timeline.shards import (
    Shard,
    ShardCut,
    WholeInputs,
    cut_videos,
    is_one_shard,
    name_inputs,
    read_shard,
)
from calipers.suites.timeline.summarize import OnHead, summarize


class TimelinePlan:
    """Ground truth and predictions by path."""

    def __init__(self, truth: str, pred: str, config: Config, on_head: OnHead | None = None) -> None:
        self.config, self.max_bad, self._on_head = config, config.max_bad_records, on_head
        self._truth, self._pred = truth, pred
        self.worker_paths = truth, pred
        self._cut = ShardCut([], [], None, [])
        self._done = 0
        self._only = read_only(config.only) if config.only else None
        self.measure: Callable[[Shard], TimelinePart] = partial(measure_shard, config=config, only=self._only)

    @property
    def usual_jobs(self) -> int | None:
        """One process where there is nothing to share, else all cores."""
        return 1 if is_one_shard(self._truth, self._pred, self.config.chunk_bytes) else None

    def provenance(self) -> Provenance:
        """Suite, protocol, version and parameters that a part is measured with."""
        return provenance_of(self.config)

    def shards(self, engine: Engine) -> Iterator[Shard]:
        """Some videos each, in the order of their names."""
        self._cut = cut_videos(
            self._truth,
            self._pred,
            known=self.config.known_states,
            most=self.config.chunk_bytes,
            identify=self.config.resume is not None,
        )
        yield from self._cut.shards

    def identify(self, shard: Shard) -> str:
        """A digest of the videos of a shard."""
        return shard.identity

    def bytes_done(self, shard: Shard) -> tuple[int, int]:
        """Progress in bytes of both sides."""
        self._done += shard.size
        return self._done, self._cut.size

    def empty(self) -> TimelinePart:
        """An empty part."""
        return TimelinePart()

    def unpack(self, packed: Packed) -> TimelinePart:
        """A part that was packed."""
        return unpack(packed)

    def add_inputs(self, total: TimelinePart) -> None:
        """Name the inputs, and bring warnings into the order of files."""
        total.warnings.sort(key=lambda warning: warning[0])
        if self._cut.inputs:
            inputs = name_inputs(self._cut, self._pred, total.digests)
            total.inputs = [entry._asdict() for entry in inputs]
            total.without_truth = self._cut.without_truth
        last = self._cut.csvs.warnings if self._cut.csvs else []
        total.warnings = [(0, text) for text in (*(text for _, text in total.warnings), *last)]
        total.digests = {}

    def report(self, total: TimelinePart) -> Report:
        """Counts to the report."""
        kept = total.videos
        return report_of(total, self.config, lambda: kept or self._videos(), self._on_head)

    def _videos(self) -> Videos:
        """All videos, read again."""
        known, fps = self.config.known_states, self.config.fps
        return read_timelines(self._truth, self._pred, spelling=known, only=self._only, fps=fps).videos


def provenance_of(config: Config) -> Provenance:
    """Suite, protocol, version and parameters that a part is measured with."""
    return Provenance("timeline", PROTOCOL, __version__, params(config), artifact_options(config))


def unpack(packed: Packed) -> TimelinePart:
    """A part that was packed."""
    return TimelinePart.unpack(packed)


def measure_shard(shard: Shard, *, config: Config, only: frozenset[str] | None = None) -> TimelinePart:
    """Some videos to counts."""
    reading, warnings, digests = read_shard(shard, config.known_states, only, config.fps)
    part = measure_reading(reading, config)
    part.warnings, part.digests = warnings, digests
    if not isinstance(shard, WholeInputs):
        part.inputs = []  # of which this is only a piece
    return part


def measure_reading(reading: TimelineReading, config: Config) -> TimelinePart:
    """Videos that were read to counts."""
    measured, part = suite.measure(reading, config), TimelinePart()
    part.counts, part.extras, part.videos = [measured.counts], measured.extras, reading.videos
    part.engines = measured.engines
    part.errors, part.bad = measured.errors, measured.bad
    part.without_truth = measured.without_truth
    part.warnings = [(0, warning) for warning in measured.warnings]
    part.inputs = [entry._asdict() for entry in reading.inputs]
    return part


def report_of(
    total: TimelinePart,
    config: Config,
    videos: Callable[[], Videos] | None = None,
    on_head: OnHead | None = None,
) -> Report:
    """Counts to the report; `videos` gives their intervals, for rows and pictures. `on_head` receives what the artifact
    begins with as soon as that is known."""
    measured = total.measured()
    tree = summarize(measured, config, on_head and (lambda head: on_head(head | {"inputs": total.inputs})))
    tree["inputs"] = total.inputs
    tree["rejected"] = [bad.entry() for bad in measured.bad]
    report = Report(tree) if videos is None else _report_with_rows(tree, cache(videos), config)
    if config.slice:
        from calipers.suites.timeline.slices import slice_videos  # which most runs do without

        slice_videos(report, measured, config)
    return report


def _report_with_rows(tree: dict[str, Any], videos: Callable[[], Videos], config: Config) -> Report:
    return Report(
        tree,
        matches=lambda: event_rows(videos(), config),
        cases=lambda take: take(case_lines(tree, videos(), config)),
        cases_of=lambda names: cases_of(tree, videos(), config, names),
    )
