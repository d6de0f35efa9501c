"""Dumps of records in shards: byte ranges of plain files, pieces of streams.

Here a file is cut as it is read, which also gives its digest. On a cluster of other machines that would make everything
pass through this one, so workers do it: one task reads a plain file for its digest and its cuts, and others measure
what lies between them. Of a cluster that was started here workers measure while the file is still cut. A compressed
file is measured whole by one worker of a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from calipers import __version__
from calipers.core.config import artifact_options
from calipers.core.errors import ConfigError, InputError
from calipers.core.parts import Packed
from calipers.core.similarity import rapidfuzz
from calipers.core.text import whole_text
from calipers.engines import Engine
from calipers.files.answers.records import ANSWERS, check_frame, frame_doubts
from calipers.files.cut_ahead import SourceAhead, end_begun
from calipers.files.lines import LineSource, Shard
from calipers.files.only import read_only
from calipers.files.part_files import Provenance
from calipers.files.places import is_open_here
from calipers.files.ranges import WholeFile, cut_file, join_shards
from calipers.report import Report, Rows, TakeCases
from calipers.suite import later
from calipers.suites.dense.config import PROTOCOL, Config, params
from calipers.suites.dense.part import DensePart
from calipers.suites.dense.shards import WantedRows, measure_shard, restore_shard
from calipers.suites.dense.stored_rows import StoreIn, Text, shard_name
from calipers.suites.dense.summarize import resampled_sums, summarize

TASK_CHUNKS = 4  # a task of a cluster holds at most so many chunks, if there are enough for FEW_TASKS
FEW_TASKS = 32
LARGE_BYTES = 32 << 20  # of a dump in which some texts will surely be compared by their edits
OnRows = Callable[[Any, list[Text]], None]  # rows, or lines of CSV if `takes_csv` says so; and lines of cases
Again = Callable[[OnRows], None]

add_slices = later("calipers.slicing", "add_slices")
empty_table, slice_total = (later("calipers.suites.dense.slices", name) for name in ("empty_table", "slice_total"))


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
        self._kept = ":pairs" if rows else ""  # what a part is kept with beside counts
        self.max_bad = config.max_bad_records
        here = replace(config, resume=None, tally=None, engine="local", address=None)
        only = read_only(config.only) if config.only else None
        stored = StoreIn(rows=places, named=self._kept, max_bad=self.max_bad)
        wanted = WantedRows(as_csv, keeps_pairs=config.resume is not None) if rows else None
        self.measure: Callable[[Any], DensePart] = partial(
            measure_shard, config=here, only=only, rows=wanted, places=stored
        )
        self.restore = wanted and partial(restore_shard, config=here, only=only, rows=wanted, places=stored)
        self._paths, self._sources = paths, list[LineSource]()
        self._digests: dict[int, str] = {}  # of files that workers cut
        self._done: dict[int, int] = {}  # bytes of each input

    def provenance(self) -> Provenance:
        """Suite, protocol, version and parameters that a part is measured with."""
        return provenance_of(self.config)

    def shards(self, engine: Engine) -> Iterator[Shard | WholeFile]:
        """The inputs as byte ranges and pieces."""
        is_alone = self.config.engine == "local" and self.config.jobs == 1
        source_of = partial(
            SourceAhead,
            chunk_bytes=self.config.chunk_bytes,
            repeatable=self.config.resume is not None,
            max_expansion=self.config.max_expansion,
            holds_lines=is_alone,
        )
        self._sources = [source_of(index, path) for index, path in enumerate(self._paths)]
        if not (is_alone or engine.remote):
            self._load_for_workers()
        if not engine.remote or self.config.resume:
            for number, shard in enumerate(chain.from_iterable(self._sources)):
                shard.number = number
                yield shard
            return
        if not engine.own:
            end_begun()
        plain = [source for source in self._sources if source.is_plain()]
        cut = iter(engine.in_order(cut_file, [_to_be_cut(source) for source in plain if not engine.own]))
        for source in self._sources:
            if source in plain and engine.own:
                yield from join_shards(source, source.size, _task_bytes(source))
            elif source in plain:
                file = next(cut)
                self._digests[source.index] = file.sha256
                yield from file.shards
            elif is_open_here(source.path):
                yield from source
            else:
                yield WholeFile(source.index, source.path, source.size, source.chunk_bytes)

    def _load_for_workers(self) -> None:
        """Load what measuring a large dump takes: workers are copies of this process."""
        if self.config.slice:
            empty_table(self.config)
        if self.config.free_text_keys and any(source.size >= LARGE_BYTES for source in self._sources):
            rapidfuzz()

    def identify(self, shard: Any) -> str:
        """A text of the shard's input, its place in that, and a digest of its bytes."""
        return shard_name(shard, self._kept)

    def bytes_done(self, shard: Any) -> tuple[int, int]:
        """Progress in bytes as they are stored: of what was measured, or for a stream, of what was read."""
        if isinstance(shard, Shard) and shard.is_piece:
            self._done[shard.source] = self._sources[shard.source].bytes_read
        else:
            self._done[shard.source] = self._done.get(shard.source, 0) + shard.size
        return sum(self._done.values()), sum(source.size for source in self._sources)

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
    """A file that workers cut."""
    return WholeFile(source.index, source.path, source.size, _task_bytes(source))


def _task_bytes(source: LineSource) -> int:
    """How much of a file a task of a cluster measures; more of a large one, as each task costs some milliseconds."""
    return source.chunk_bytes * min(max(1, source.size // (FEW_TASKS * source.chunk_bytes)), TASK_CHUNKS)


def provenance_of(config: Config) -> Provenance:
    """Suite, protocol, version and parameters that a part is measured with."""
    return Provenance("dense", PROTOCOL, __version__, params(config), artifact_options(config))


def unpack(packed: Packed) -> DensePart:
    """A part that was packed."""
    return DensePart.unpack(packed)


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
