"""Dumps of records in shards: byte ranges of plain files, pieces of streams.

Here a file is cut as it is read, which also gives its digest. On a cluster that would make everything pass through one
machine, so workers do it: one task reads a plain file for its digest and its cuts, others measure what lies between
them, and a compressed file is measured whole by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from pickle import PickleBuffer
from typing import Any

from calipers import __version__
from calipers.core.config import artifact_options
from calipers.core.errors import ConfigError, InputError, keyword
from calipers.core.parts import Packed, pack_lines, unpack_lines
from calipers.core.shapes import Batch
from calipers.core.similarity import rapidfuzz_version
from calipers.core.slice_table import SliceTable, join_tables, pack_table, unpack_table
from calipers.core.tally import Tally
from calipers.core.text import whole_text
from calipers.core.versions import Engines, engines_from, join_engines
from calipers.engines import Engine
from calipers.files.answers.records import ANSWERS, check_frame, frame_doubts
from calipers.files.cut_ahead import SourceAhead
from calipers.files.lines import LineSource, Shard
from calipers.files.only import read_only
from calipers.files.part_files import Provenance
from calipers.files.placed_texts import StoredText
from calipers.files.problems import BadRecord, in_order
from calipers.files.ranges import WholeFile, cut_file
from calipers.report import Report, Rows, TakeCases
from calipers.suite import later
from calipers.suites.dense import measure as suite
from calipers.suites.dense.attributes import texts_differ
from calipers.suites.dense.cases import case_lines
from calipers.suites.dense.config import PROTOCOL, Config, params
from calipers.suites.dense.originals import KeptShard, Texts
from calipers.suites.dense.read import DenseReading, read_batches
from calipers.suites.dense.rows import match_csv, match_rows
from calipers.suites.dense.stored_rows import NOWHERE, StoredRows, StoreIn, shard_name, store_part
from calipers.suites.dense.summarize import resampled_sums, summarize

BATCH_CHUNKS = 2  # a batch holds at most so many chunks
TASK_CHUNKS = 4  # a task of a cluster holds at most so many chunks, if there are enough for FEW_TASKS
FEW_TASKS = 32
OUT_OF_BAND = 5  # the first protocol of pickles that has it
Text = bytes | memoryview
OnRows = Callable[[Any, list[Text]], None]  # rows, or lines of CSV if `takes_csv` says so; and lines of cases
Again = Callable[[OnRows], None]

add_slices = later("calipers.slicing", "add_slices")
empty_table, record_fields, slice_table, slice_total = (
    later("calipers.suites.dense.slices", name)
    for name in ("empty_table", "record_fields", "slice_table", "slice_total")
)


class DensePart:
    """The result of some records: counts, the bad ones, and rows of objects and lines of cases when asked for."""

    __slots__ = (
        "bad",
        "cases",
        "digests",
        "engines",
        "first_invalid",
        "inputs",
        "matches",
        "read",
        "slices",
        "stored",
        "stored_entry",
        "tally",
    )

    def __init__(self, tally: Tally | None = None, bad: Iterable[BadRecord] = ()) -> None:
        self.tally, self.bad = tally or Tally(), list(bad)
        self.inputs: list[dict[str, Any]] = []
        self.read: dict[int, int] = {}  # source -> records
        self.digests: dict[int, str] = {}  # source -> SHA-256, of files that were measured whole by workers
        self.engines: Engines = {}
        self.first_invalid = ""  # the first prediction that cannot be read: where it is, and why
        self.matches: Rows | list[Text] = []  # rows, or lines of CSV, many to a text
        self.cases: list[Text] = []  # lines, many to a text
        self.stored: StoredRows | None = None  # rows and cases, where these are in their files already
        self.stored_entry: StoredText | None = None  # all of it, where that is in the file of `resume` already
        self.slices: SliceTable | None = None  # what slices are made of, when they are asked for

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Texts may travel beside the pickle, and become views of bytes."""
        reduced: Any = super().__reduce_ex__(protocol)
        state = reduced[2][1]  # by slot
        wrap = PickleBuffer if protocol >= OUT_OF_BAND else bytes
        for name in ("matches", "cases"):
            state[name] = [wrap(row) if isinstance(row, Text) else row for row in state[name]]
        return reduced

    def add(self, later: DensePart) -> None:
        """Add the part that follows this one."""
        self.engines = join_engines(self.engines, later.engines)
        self.tally += later.tally
        self.bad += later.bad
        self.inputs += later.inputs
        self.digests |= later.digests
        self.first_invalid = self.first_invalid or later.first_invalid
        for source, records in later.read.items():
            self.read[source] = self.read.get(source, 0) + records
        self.matches += later.matches  # type: ignore[operator]
        self.cases += later.cases
        if later.slices is not None:
            self.slices = join_tables(self.slices, later.slices)

    def pack(self) -> Packed:
        """The part as plain values and arrays."""
        counted = self.tally.pack()
        arrays = counted.arrays | pack_lines("cases", self.cases)
        has_lines = all(isinstance(row, Text) for row in self.matches)
        if has_lines:
            arrays |= pack_lines("matches", self.matches)  # type: ignore[arg-type]
        plain = {
            "tally": counted.plain,
            "bad": [[bad.path, bad.line, bad.problem, bad.found] for bad in self.bad],
            "inputs": self.inputs,
            "read": list(self.read.items()),
            "engines": self.engines,
            "first_invalid": self.first_invalid,
            "matches": [bytes(row).decode() if isinstance(row, Text) else row for row in self.matches if not has_lines],
            "cases": [],
        }
        return pack_table(Packed(plain, arrays), self.slices)

    @classmethod
    def unpack(cls, packed: Packed) -> DensePart:
        """The part that was packed."""
        plain = packed.plain
        cases, matches = (unpack_lines(name, packed) for name in ("cases", "matches"))
        part = cls(Tally.unpack(Packed(plain["tally"], packed.arrays)), [BadRecord(*fault) for fault in plain["bad"]])
        part.inputs, part.read = plain["inputs"], dict(plain["read"])
        part.first_invalid = str(plain.get("first_invalid", ""))  # older files have none
        part.engines = engines_from(plain)
        part.matches = [*matches, *(row.encode() if isinstance(row, str) else row for row in plain["matches"])]
        part.cases = [*cases, *(line.encode() for line in plain["cases"])]  # older files have them as text
        part.slices = unpack_table(packed)
        return part


class DensePlan:
    """Dumps by path, in their order."""

    parts_keep_themselves = True

    def __init__(
        self,
        paths: list[str],
        config: Config,
        *,
        rows: bool = False,
        as_csv: bool = False,
        places: int | None = None,
        again: Again | None = None,
    ) -> None:
        if paths.count("-") > 1:
            raise ConfigError("-: standard input can be read only once")
        self.config, self._again = config, again
        self._kept = ":csv" if rows and as_csv else ":rows" if rows else ""  # what a part has beside counts
        self.max_bad = config.max_bad_records
        here = replace(config, resume=None, tally=None, engine="local", address=None)
        only = read_only(config.only) if config.only else None
        stored = StoreIn(rows=places, named=self._kept, max_bad=self.max_bad)
        self.measure: Callable[[Any], DensePart] = partial(
            measure_shard, config=here, rows=rows, as_csv=as_csv, only=only, places=stored
        )
        if config.slice:
            record_fields(config)  # loaded before workers are copied from this process
        self._paths, self._sources = paths, list[LineSource]()
        self._digests: dict[int, str] = {}  # of files that workers cut
        self._done = 0

    def provenance(self) -> Provenance:
        """Suite, protocol, version and parameters that a part is measured with."""
        return provenance_of(self.config)

    def shards(self, engine: Engine) -> Iterator[Shard | WholeFile]:
        """The inputs as byte ranges and pieces."""
        is_alone = self.config.engine == "local" and self.config.jobs == 1
        source_of = partial(
            SourceAhead,
            chunk_bytes=self.config.chunk_bytes,
            digests=self.config.resume is not None,
            max_expansion=self.config.max_expansion,
            holds_lines=is_alone,
        )
        self._sources = [source_of(index, path) for index, path in enumerate(self._paths)]
        if not engine.remote or self.config.resume:
            for number, shard in enumerate(chain.from_iterable(self._sources)):
                shard.number = number
                yield shard
            return
        plain = [source for source in self._sources if source.is_plain()]
        cut = iter(engine.in_order(cut_file, [_to_be_cut(source) for source in plain]))
        for source in self._sources:
            if source in plain:
                file = next(cut)
                self._digests[source.index] = file.sha256
                yield from file.shards
            elif source.path == "-":
                yield from source
            else:
                yield WholeFile(source.index, source.path, source.size, source.chunk_bytes)

    def identify(self, shard: Any) -> str:
        """A text of the shard's input, its place in that, and a digest of its bytes."""
        return shard_name(shard, self._kept)

    def bytes_done(self, shard: Any) -> tuple[int, int]:
        """Progress in bytes as they are stored."""
        self._done += shard.size
        total = sum(source.size for source in self._sources)
        return max(self._done, sum(source.bytes_read for source in self._sources)), total

    def empty(self) -> DensePart:
        """An empty part."""
        return DensePart()

    def unpack(self, packed: Packed) -> DensePart:
        """A part that was packed."""
        return unpack(packed)

    def add_inputs(self, total: DensePart) -> None:
        """Name the inputs in the total."""
        total.inputs = [
            {
                "path": whole_text(source.path),
                "sha256": self._digests.get(source.index) or total.digests.get(source.index) or source.sha256,
                "records": total.read.get(source.index, 0),
            }
            for source in self._sources
            if self.config.only is None or total.read.get(source.index)
        ]

    def report(self, total: DensePart) -> Report:
        """Counts to the report."""
        return report_of(total, self.config, self._again)


def _to_be_cut(source: LineSource) -> WholeFile:
    """A file that a worker cuts; shards of large files are larger, as each costs a cluster some milliseconds."""
    chunks = min(max(1, source.size // (FEW_TASKS * source.chunk_bytes)), TASK_CHUNKS)
    return WholeFile(source.index, source.path, source.size, chunks * source.chunk_bytes)


def provenance_of(config: Config) -> Provenance:
    """Suite, protocol, version and parameters that a part is measured with."""
    return Provenance("dense", PROTOCOL, __version__, params(config), artifact_options(config))


def unpack(packed: Packed) -> DensePart:
    """A part that was packed."""
    return DensePart.unpack(packed)


def measure_shard(
    shard: Shard | WholeFile,
    *,
    config: Config,
    rows: bool,
    as_csv: bool = False,
    only: frozenset[str] | None = None,
    places: StoreIn = NOWHERE,
    keep: int | None = None,
) -> DensePart:
    """Some lines to counts. Rows, and the part itself if `keep` says where, are stored where that is possible."""
    if isinstance(shard, WholeFile):
        return _measure_file(shard, config, rows, as_csv, only)
    part = DensePart()
    kept = KeptShard(shard) if rows and config.frame == "norm1000" and config.answer_options is None else None
    readings = read_batches(
        kept or shard,
        frame=config.frame,
        keep=rows and kept is None,
        max_bad=config.max_bad_records,
        most_bytes=BATCH_CHUNKS * config.chunk_bytes,
        max_text=config.max_text,
        only=only,
        fields=record_fields(config) if config.slice else (),
        answers=config.answer_options,
    )
    for reading in readings:
        texts = kept.texts if kept else None
        part.add(measure_reading(reading, config, source=shard.source, rows=rows, as_csv=as_csv, texts=texts))
    if keep is not None or places.rows is not None:
        store_part(part, shard, places._replace(parts=keep))
    return part


def _measure_file(file: WholeFile, config: Config, rows: bool, as_csv: bool, only: frozenset[str] | None) -> DensePart:
    """The digest of a file and its counts."""
    source = LineSource(file.source, file.path, file.chunk_bytes, max_expansion=config.max_expansion)
    part = DensePart()
    for shard in source:
        if len(part.bad) <= config.max_bad_records:
            part.add(measure_shard(shard, config=config, rows=rows, as_csv=as_csv, only=only))
    part.digests[file.source] = source.sha256
    return part


def measure_reading(
    reading: DenseReading,
    config: Config,
    *,
    source: int = 0,
    rows: bool = False,
    as_csv: bool = False,
    texts: Texts | None = None,
) -> DensePart:
    """A batch to counts, and to rows when asked for; where it can be, as lines of CSV if these are.

    Rows are made from `texts`, the lines of the records, or without them from the records that the reader kept.
    """
    matched, batch, heavy = suite.match_measurable(reading.batch, config, all_pairs=rows)
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
        lines: Text | None = match_csv(batch, matched, config, texts) if as_csv else None
        part.matches = match_rows(batch, matched, config, texts) if lines is None else [lines]
        part.cases = [case_lines(batch, matched, config, texts)]
    return part


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


def report_of(total: DensePart, config: Config, again: Again | None = None) -> Report:
    """Counts to the report; `again` goes through the records once more, for rows and cases."""
    for entry in total.inputs:
        if not entry["records"] and entry["sha256"]:
            raise InputError(f"{entry['path']}: no records, expected one JSON object a line")
    has_answers = ANSWERS in total.tally.tables
    if has_answers:
        check_frame(total.tally)
    tree = summarize(total.tally, config, total.engines)
    tree["inputs"] = total.inputs
    tree["rejected"] = [record.entry() for record in total.bad]
    matches, cases = (None, None) if again is None else (partial(_all_matches, again), partial(_all_cases, again))
    report = Report(tree, matches=matches, cases=cases, first_invalid=total.first_invalid)
    if has_answers:
        report.notes.extend(frame_doubts(total.tally))
    if config.slice:
        sums = resampled_sums(total.tally, config)
        add_slices(report, (report.tree, slice_total(total.slices or empty_table(config), sums, config)))
    return report


def _all_matches(again: Again) -> Rows:
    rows: Rows = []
    again(lambda matches, cases: rows.extend(matches))
    return rows


def _all_cases(again: Again, take: TakeCases) -> None:
    again(lambda matches, cases: take(line for text in cases for line in bytes(text).splitlines(keepends=True)))
