"""Shards of a dump to parts: counts, and where they are asked for, rows of objects and lines of cases.

A shard that an earlier run finished is not measured again: its counts are those that were kept, and rows and cases are
made from its lines and the pairs that were kept with the counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from calipers.core.errors import keyword
from calipers.core.parts import Packed
from calipers.core.shapes import Batch
from calipers.core.similarity import rapidfuzz_version
from calipers.files.lines import LineSource, Shard
from calipers.files.part_files import blaming
from calipers.files.problems import BadRecord, in_order
from calipers.files.ranges import WholeFile
from calipers.suite import later
from calipers.suites.dense import measure as suite
from calipers.suites.dense.attributes import texts_differ
from calipers.suites.dense.cases import case_lines
from calipers.suites.dense.config import Config
from calipers.suites.dense.kept_pairs import KeptPairs, PairsAgain
from calipers.suites.dense.originals import KeptShard, LineTexts
from calipers.suites.dense.part import DensePart
from calipers.suites.dense.read import DenseReading, read_batches
from calipers.suites.dense.rows import match_csv, match_rows
from calipers.suites.dense.stored_rows import NOWHERE, StoreIn, Text, store_part, store_rows

BATCH_CHUNKS = 2  # a batch holds at most so many chunks

slice_table = later("calipers.suites.dense.slices", "slice_table")


class WantedRows(NamedTuple):
    """How a run wants rows of objects and lines of cases."""

    as_csv: bool = False  # rows as lines of CSV, where they can be
    keeps_pairs: bool = False  # of which a run that goes on later makes them again


class ShardRecords:
    """The records of a shard, batch by batch, with their lines where rows are made of these."""

    def __init__(self, shard: Shard, config: Config, only: frozenset[str] | None, *, rows: bool, max_bad: int) -> None:
        has_lines = rows and config.frame == "norm1000" and config.answer_options is None
        self._kept = KeptShard(shard) if has_lines else None
        self._batches = read_batches(
            self._kept or shard,
            frame=config.frame,
            keep=rows and not has_lines,
            max_bad=max_bad,
            most_bytes=BATCH_CHUNKS * config.chunk_bytes,
            max_text=config.max_text,
            only=only,
            fields=config.record_fields,
            answers=config.answer_options,
        )

    def __iter__(self) -> Iterator[DenseReading]:
        return self._batches

    @property
    def texts(self) -> LineTexts | None:
        """The lines that were read so far, by number; None where the reader keeps records."""
        return self._kept.texts if self._kept else None


def measure_shard(
    shard: Shard | WholeFile,
    *,
    config: Config,
    only: frozenset[str] | None = None,
    rows: WantedRows | None = None,
    places: StoreIn = NOWHERE,
    keep: int | None = None,
) -> DensePart:
    """Some lines to counts. Rows, and the part itself if `keep` says where, are stored where that is possible."""
    if isinstance(shard, WholeFile):
        return _measure_file(shard, config, only, rows)
    part = DensePart()
    records = ShardRecords(shard, config, only, rows=rows is not None, max_bad=config.max_bad_records)
    for reading in records:
        part.add(measure_reading(reading, config, source=shard.source, rows=rows, texts=records.texts))
    if keep is not None or places.rows is not None:
        store_part(part, shard, places._replace(parts=keep))
    return part


def _measure_file(file: WholeFile, config: Config, only: frozenset[str] | None, rows: WantedRows | None) -> DensePart:
    """The digest of a file and its counts."""
    source = LineSource(file.source, file.path, file.chunk_bytes, max_expansion=config.max_expansion)
    part = DensePart()
    for shard in source:
        if len(part.bad) <= config.max_bad_records:
            part.add(measure_shard(shard, config=config, only=only, rows=rows))
    part.digests[file.source] = source.sha256
    return part


def restore_shard(
    shard: Shard,
    packed: Packed,
    path: str,
    *,
    config: Config,
    only: frozenset[str] | None = None,
    rows: WantedRows,
    places: StoreIn = NOWHERE,
) -> DensePart:
    """The part of a shard as it was kept in a file, with rows and cases, which it was kept without."""
    with blaming(path):
        part = DensePart.unpack(packed)
        max_bad = max(config.max_bad_records, len(part.bad))
        records = ShardRecords(shard, config, only, rows=True, max_bad=max_bad)
        refused, pairs = {bad.line for bad in part.bad}, PairsAgain(*part.pairs)
        for reading in records:
            heavy = [record for record, line in enumerate(reading.batch.lines) if line in refused]
            batch = reading.batch.without(heavy) if heavy else reading.batch
            matched = suite.MatchedBatch(batch, config, pairs=pairs.take(batch))
            _add_rows(part, matched, batch, config, rows, records.texts)
        pairs.check_end()
        part.pairs = []
    store_rows(part, shard.number, places.rows)
    return part


def measure_reading(
    reading: DenseReading,
    config: Config,
    *,
    source: int = 0,
    rows: WantedRows | None = None,
    texts: LineTexts | None = None,
) -> DensePart:
    """A batch to counts, and to rows when asked for.

    Rows are made from `texts`, the lines of the records, or without them from the records that the reader kept.
    """
    matched, batch, heavy = suite.match_measurable(reading.batch, config, all_pairs=rows is not None)
    bad = _all_bad(reading, heavy, config)
    tally = suite.count(matched, batch, config)
    tally.count("records", [reading.read, len(batch.keys), reading.skipped, len(bad)])
    if reading.answers is not None:
        reading.answers.count_in(tally)
    part = DensePart(tally, bad)
    if config.slice:
        part.slices = slice_table(batch, matched.swept, config)
        part.slices.known = reading.known
    part.read[source], part.first_invalid = reading.read, suite.first_invalid(batch)
    part.engines = rapidfuzz_version() if texts_differ(tally) else {}
    if rows:
        _add_rows(part, matched, batch, config, rows, texts)
        part.pairs = [KeptPairs.of(batch, matched.pairs)] if rows.keeps_pairs else []
    return part


def _add_rows(
    part: DensePart,
    matched: suite.MatchedBatch,
    batch: Batch,
    config: Config,
    rows: WantedRows,
    texts: LineTexts | None,
) -> None:
    """Append rows and cases of a batch."""
    lines: Text | None = match_csv(batch, matched, config, texts) if rows.as_csv else None
    part.matches += match_rows(batch, matched, config, texts) if lines is None else [lines]  # type: ignore[operator]
    part.cases.append((cases := case_lines(batch, matched, config, texts)).text)
    part.case_ends.append((cases.ends, cases.unmatched))


def bad_records(reading: DenseReading, config: Config) -> list[BadRecord]:
    """All records of a batch that a run refuses: those that cannot be read, and those too hard to measure."""
    return _all_bad(reading, suite.match_measurable(reading.batch, config)[2], config)


def _all_bad(reading: DenseReading, heavy: list[int], config: Config) -> list[BadRecord]:
    if not reading.bad and not heavy:
        return []
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
