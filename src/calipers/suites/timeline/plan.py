"""States along videos in shards: byte ranges of JSON by video, or some timeline CSVs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from calipers import __version__
from calipers.core.config import artifact_options
from calipers.core.parts import Packed
from calipers.engines import Engine
from calipers.files.only import read_only
from calipers.files.part_files import Made
from calipers.report import Report
from calipers.suites.timeline import measure as suite
from calipers.suites.timeline.cases import case_lines, cases_of
from calipers.suites.timeline.columns import Videos
from calipers.suites.timeline.config import Config, params
from calipers.suites.timeline.part import TimelinePart
from calipers.suites.timeline.read import TimelineReading, read_timelines
from calipers.suites.timeline.rows import event_rows
from calipers.suites.timeline.shards import Cut, Shard, Whole, cut_videos, name_inputs, read_shard


class TimelinePlan:
    """Ground truth and predictions by path."""

    def __init__(self, truth: str, pred: str, config: Config) -> None:
        self.config, self.most_bad = config, config.max_bad_records
        self._truth, self._pred = truth, pred
        self._cut = Cut([], [], None, [])
        self._done = 0
        self._only = read_only(config.only)

    @property
    def measure(self) -> Callable[[Shard], TimelinePart]:
        """Some videos to counts."""
        return partial(measure_shard, config=self.config, only=self._only)

    def made(self) -> Made:
        """What parts are made by."""
        return made_by(self.config)

    def shards(self, engine: Engine) -> list[Shard]:
        """Some videos each, in the order of their names."""
        self._cut = cut_videos(
            self._truth,
            self._pred,
            known=self.config.known_states,
            most=self.config.chunk_bytes,
            identify=self.config.resume is not None,
        )
        return self._cut.shards

    def identify(self, shard: Shard) -> str:
        """What it holds."""
        return shard.identity

    def done(self, shard: Shard) -> tuple[int, int]:
        """Bytes of both sides."""
        self._done += shard.size
        return self._done, self._cut.size

    def empty(self) -> TimelinePart:
        """What no videos give."""
        return TimelinePart()

    def unpack(self, packed: Packed) -> TimelinePart:
        """A part that was packed."""
        return unpack(packed)

    def finish(self, total: TimelinePart) -> None:
        """Name the inputs, and bring warnings into the order of files."""
        total.warnings.sort(key=lambda warning: warning[0])
        if self._cut.inputs:
            inputs = name_inputs(self._cut, self._pred, total.digests)
            total.inputs = [each._asdict() for each in inputs]
            total.without_truth = self._cut.without_truth
        last = self._cut.csvs.warnings if self._cut.csvs else []
        total.warnings = [(0, text) for text in (*(text for _, text in total.warnings), *last)]
        total.digests = {}

    def report(self, total: TimelinePart) -> Report:
        """Counts to the report."""
        kept = total.videos
        return report_of(total, self.config, lambda: kept or self._videos())

    def _videos(self) -> Videos:
        """All of them, read once more."""
        known = self.config.known_states
        return read_timelines(self._truth, self._pred, spelling=known, only=self._only).videos


def made_by(config: Config) -> Made:
    """What parts are made by."""
    return Made("timeline", "timeline/1", __version__, params(config), artifact_options(config))


def unpack(packed: Packed) -> TimelinePart:
    """A part that was packed."""
    return TimelinePart.unpack(packed)


def measure_shard(shard: Shard, *, config: Config, only: frozenset[str] | None = None) -> TimelinePart:
    """Some videos to counts."""
    reading, warnings, digests = read_shard(shard, config.known_states, only)
    part = measure_reading(reading, config)
    part.warnings, part.digests = warnings, digests
    if not isinstance(shard, Whole):
        part.inputs = []  # of which this is only a piece
    return part


def measure_reading(reading: TimelineReading, config: Config) -> TimelinePart:
    """Videos that were read to counts."""
    measured, part = suite.measure(reading, config), TimelinePart()
    part.counts, part.extras, part.videos = [measured.counts], measured.extras, reading.videos
    part.errors, part.bad = measured.errors, measured.bad
    part.without_truth = measured.without_truth
    part.warnings = [(0, warning) for warning in measured.warnings]
    part.inputs = [each._asdict() for each in reading.inputs]
    return part


def report_of(total: TimelinePart, config: Config, videos: Callable[[], Videos] | None = None) -> Report:
    """Counts to the report; `videos` gives their intervals, for rows and pictures."""
    measured = total.measured()
    tree = suite.summarize(measured, config)
    tree["inputs"] = total.inputs
    tree["rejected"] = [bad.entry() for bad in measured.bad]
    if videos is None:
        return Report(tree)
    kept = cache(videos)
    return Report(
        tree,
        matches=lambda: event_rows(kept(), config),
        cases=lambda take: take(case_lines(tree, kept(), config)),
        cases_of=lambda names: cases_of(tree, kept(), config, names),
    )
