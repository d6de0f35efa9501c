"""Dumps of records in shards: byte ranges of plain files, pieces of streams.

Here a file is cut as it is read, which also gives its digest. On a cluster that would make everything pass through one
machine, so workers do it: one task takes the digest of a file, others count its lines range by range, and a compressed
file is measured whole by one of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from calipers import __version__
from calipers.core.config import artifact_options
from calipers.core.errors import ConfigError, InputError, keyword
from calipers.core.parts import Packed
from calipers.core.shapes import Batch
from calipers.core.tally import Tally
from calipers.core.text import whole_text
from calipers.engines import Engine
from calipers.files.lines import Shard, Source
from calipers.files.only import read_only
from calipers.files.part_files import Made
from calipers.files.problems import REASON_WORDS, BadRecord, in_order
from calipers.files.ranges import WholeFile, count_lines, cut_ranges, ranges_of
from calipers.kernels.flatten import REASONS
from calipers.report import Report, Rows, TakeCases
from calipers.suites.dense import measure as suite
from calipers.suites.dense.config import Config, params
from calipers.suites.dense.read import DenseReading, read_batches
from calipers.suites.dense.rows import case_lines, match_rows
from calipers.suites.dense.summarize import summarize

BATCH_CHUNKS = 2  # a batch holds at most so many chunks
TASK_CHUNKS = 4  # a task of a cluster holds at most so many chunks, if there are enough for FEW_TASKS
FEW_TASKS = 32
OnRows = Callable[[Rows, list[bytes]], None]
Again = Callable[[OnRows], None]


class DensePart:
    """What some records gave: counts, the bad ones, and rows of objects and lines of cases when asked for."""

    __slots__ = ("bad", "cases", "digests", "first_invalid", "inputs", "matches", "read", "tally")

    def __init__(self, tally: Tally | None = None, bad: Iterable[BadRecord] = ()) -> None:
        self.tally, self.bad = tally or Tally(), list(bad)
        self.inputs: list[dict[str, Any]] = []
        self.read: dict[int, int] = {}  # source -> records
        self.digests: dict[int, str] = {}  # source -> SHA-256, of files that were read by workers
        self.first_invalid = ""  # the first prediction that cannot be read: where it is, and why
        self.matches: Rows = []
        self.cases: list[bytes] = []

    def add(self, later: DensePart) -> None:
        """Take in what comes after it."""
        self.tally += later.tally
        self.bad += later.bad
        self.inputs += later.inputs
        self.digests |= later.digests
        self.first_invalid = self.first_invalid or later.first_invalid
        for source, records in later.read.items():
            self.read[source] = self.read.get(source, 0) + records
        self.matches += later.matches
        self.cases += later.cases

    def pack(self) -> Packed:
        """Everything it holds."""
        counted = self.tally.pack()
        plain = {
            "tally": counted.plain,
            "bad": [[bad.path, bad.line, bad.problem, bad.found] for bad in self.bad],
            "inputs": self.inputs,
            "read": list(self.read.items()),
            "first_invalid": self.first_invalid,
            "matches": self.matches,
            "cases": [line.decode() for line in self.cases],
        }
        return Packed(plain, counted.arrays)

    @classmethod
    def unpack(cls, packed: Packed) -> DensePart:
        """The part again."""
        plain = packed.plain
        part = cls(Tally.unpack(Packed(plain["tally"], packed.arrays)), [BadRecord(*each) for each in plain["bad"]])
        part.inputs, part.read = plain["inputs"], dict(plain["read"])
        part.first_invalid = str(plain.get("first_invalid", ""))  # which files of before lack
        part.matches, part.cases = plain["matches"], [line.encode() for line in plain["cases"]]
        return part


class DensePlan:
    """Dumps by path, in their order."""

    def __init__(self, paths: list[str], config: Config, *, rows: bool = False, again: Again | None = None) -> None:
        if paths.count("-") > 1:
            raise ConfigError("-: standard input can be read only once")
        self.config, self._rows, self._again = config, rows, again
        self.most_bad = config.max_bad_records
        here = replace(config, resume=None, tally=None, engine="local", address=None)
        self.measure: Callable[[Any], DensePart] = partial(
            measure_shard, config=here, rows=rows, only=read_only(config.only)
        )
        keep = config.resume is not None
        self._sources = [
            Source(index, path, config.chunk_bytes, digests=keep, max_expansion=config.max_expansion)
            for index, path in enumerate(paths)
        ]
        self._done = 0

    def made(self) -> Made:
        """What parts are made by."""
        return made_by(self.config)

    def shards(self, engine: Engine) -> Iterator[Shard | WholeFile]:
        """Byte ranges and pieces."""
        if not engine.remote or self.config.resume:
            for source in self._sources:
                yield from source
            return
        plain = [source.is_plain() for source in self._sources]
        for source, is_plain in zip(self._sources, plain, strict=True):
            if is_plain:
                yield WholeFile(source.index, source.path, source.size, source.chunk_bytes, measured=False)
        for source, is_plain in zip(self._sources, plain, strict=True):
            if is_plain:
                yield from _cut_by_workers(source, engine)
            elif source.path == "-":
                yield from source
            else:
                yield WholeFile(source.index, source.path, source.size, source.chunk_bytes, measured=True)

    def identify(self, shard: Any) -> str:
        """Which input it is of, as parts count records by that, where it lies and what it holds."""
        place = f"{shard.source}:{whole_text(shard.path)}:{shard.first_line}:{shard.offset}:{shard.size}"
        return f"{place}:{shard.digest}{':rows' if self._rows else ''}"

    def done(self, shard: Any) -> tuple[int, int]:
        """Bytes as they are stored."""
        self._done += getattr(shard, "weight", shard.size)
        total = sum(source.size for source in self._sources)
        return max(self._done, sum(source.bytes_read for source in self._sources)), total

    def empty(self) -> DensePart:
        """What no records give."""
        return DensePart()

    def unpack(self, packed: Packed) -> DensePart:
        """A part that was packed."""
        return unpack(packed)

    def finish(self, total: DensePart) -> None:
        """Name the inputs."""
        total.inputs = [
            {
                "path": whole_text(source.path),
                "sha256": total.digests.get(source.index) or source.sha256,
                "records": total.read.get(source.index, 0),
            }
            for source in self._sources
            if self.config.only is None or total.read.get(source.index)
        ]

    def report(self, total: DensePart) -> Report:
        """Counts to the report."""
        return report_of(total, self.config, self._again)


def _cut_by_workers(source: Source, engine: Engine) -> Iterator[Shard]:
    """Of large files tasks are larger too, since each costs a cluster some milliseconds."""
    chunks = min(max(1, source.size // (FEW_TASKS * source.chunk_bytes)), TASK_CHUNKS)
    ranges = ranges_of(source.index, source.path, source.size, chunks * source.chunk_bytes)
    yield from cut_ranges(zip(ranges, engine.in_order(count_lines, ranges), strict=True))


def made_by(config: Config) -> Made:
    """What parts are made by."""
    return Made("dense", "dense/1", __version__, params(config), artifact_options(config))


def unpack(packed: Packed) -> DensePart:
    """A part that was packed."""
    return DensePart.unpack(packed)


def measure_shard(
    shard: Shard | WholeFile, *, config: Config, rows: bool, only: frozenset[str] | None = None
) -> DensePart:
    """Some lines to counts."""
    if isinstance(shard, WholeFile):
        return _measure_file(shard, config, rows, only)
    most_bad, most_bytes, part = config.max_bad_records, BATCH_CHUNKS * config.chunk_bytes, DensePart()
    limits = {"most_bad": most_bad, "most_bytes": most_bytes, "max_text": config.max_text}
    for reading in read_batches(shard, frame=config.frame, keep=rows, only=only, **limits):
        part.add(measure_reading(reading, config, source=shard.source, rows=rows))
    return part


def _measure_file(file: WholeFile, config: Config, rows: bool, only: frozenset[str] | None) -> DensePart:
    """The digest of a file, and its counts if nobody else takes them."""
    source = Source(file.source, file.path, file.chunk_bytes, max_expansion=config.max_expansion)
    part = DensePart()
    for shard in source:
        if file.measured and len(part.bad) <= config.max_bad_records:
            part.add(measure_shard(shard, config=config, rows=rows, only=only))
    part.digests[file.source] = source.sha256
    return part


def measure_reading(reading: DenseReading, config: Config, *, source: int = 0, rows: bool = False) -> DensePart:
    """A batch to counts, and to rows when asked for."""
    matched, batch, heavy = suite.match_measurable(reading.batch, config, all_pairs=rows)
    bad = _all_bad(reading, heavy, config)
    tally = suite.count(matched, batch, config)
    tally.count("records", [reading.read, len(batch), reading.skipped, len(bad)])
    part = DensePart(tally, bad)
    part.read[source], part.first_invalid = reading.read, _first_invalid(batch)
    if rows:
        part.matches, part.cases = match_rows(batch, matched, config), case_lines(batch, matched, config)
    return part


def _first_invalid(batch: Batch) -> str:
    """The first prediction of a batch that cannot be read: where it is, and why; nothing if all can."""
    reasons = np.flatnonzero(batch.pred.reason)
    if not len(reasons):
        return ""
    at = int(reasons[0])
    record = bisect_right(batch.pred.offsets.tolist(), at) - 1
    name = REASONS[batch.pred.reason[at]]
    index = at - batch.pred.offsets[record]
    return f"{batch.path}:{batch.lines[record]}: pred[{index}]: {REASON_WORDS.get(name, name)}"


def bad_records(reading: DenseReading, config: Config) -> list[BadRecord]:
    """All records of a batch that a run refuses: those that cannot be read, and those too hard to measure."""
    return _all_bad(reading, suite.match_measurable(reading.batch, config)[2], config)


def _all_bad(reading: DenseReading, heavy: list[int], config: Config) -> list[BadRecord]:
    return in_order([*reading.bad, *(_too_heavy(reading.batch, record, config) for record in heavy)])


def _too_heavy(batch: Batch, record: int, config: Config) -> BadRecord:
    sides = (("gt", batch.truth), ("pred", batch.pred))
    sizes = [
        f"{side.offsets[record + 1] - side.offsets[record]} objects with"
        f" {side.starts[side.offsets[record + 1]] - side.starts[side.offsets[record]]} numbers in {name}"
        for name, side in sides
    ]
    return BadRecord(
        batch.path,
        batch.lines[record],
        f"comparing its shapes takes more than {config.max_work} steps for each of their numbers"
        f" ({keyword('max_work', 'N')} allows more)",
        " and ".join(sizes),
    )


def report_of(total: DensePart, config: Config, again: Again | None = None) -> Report:
    """Counts to the report; `again` goes through the records once more, for rows and cases."""
    for entry in total.inputs:
        if not entry["records"] and entry["sha256"]:
            raise InputError(f"{entry['path']}: no records, expected one JSON object a line")
    tree = summarize(total.tally, config)
    tree["inputs"] = total.inputs
    tree["rejected"] = [record.entry() for record in total.bad]
    matches, cases = (None, None) if again is None else (partial(_all_matches, again), partial(_all_cases, again))
    return Report(tree, matches=matches, cases=cases, first_invalid=total.first_invalid)


def _all_matches(again: Again) -> Rows:
    rows: Rows = []
    again(lambda matches, cases: rows.extend(matches))
    return rows


def _all_cases(again: Again, take: TakeCases) -> None:
    again(lambda matches, cases: take(cases))
