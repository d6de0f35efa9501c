"""A ready-made plan for suites that count: some records at a time, measured anywhere, into one `Tally`.

A suite that reads its records into a list and turns some of them into counts needs no plan of its own: with this one it
has processes, clusters, `--resume`, `--tally` and `calipers merge`. What it writes are two pure functions,
`measure(records, config) -> Tally` and `summarize(tally, config) -> dict`. With a third, `slices(records, config) ->
SliceTable`, and a Config below `SliceOptions`, its results can be sliced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

import orjson

from calipers import __version__
from calipers.core.config import artifact_options
from calipers.core.errors import RecordError
from calipers.core.parts import Packed
from calipers.core.slice_draws import Resampling
from calipers.core.slice_figures import SliceFigures
from calipers.core.slice_table import SliceTable, join_tables, pack_table, unpack_table
from calipers.core.tally import Tally
from calipers.core.versions import artifact_head
from calipers.engines import Engine
from calipers.files.only import read_only
from calipers.files.part_files import Provenance
from calipers.report import Report
from calipers.slicing import add_slices, slice_run
from calipers.suite import Suite

Records = list[tuple[str, Any]]  # key, and what JSON can hold
Measure = Callable[[Records, Any], Tally]
Slices = Callable[[Records, Any], SliceTable]
SHARD_RECORDS = 1000


class BadEntry(NamedTuple):
    """A record that cannot be used: where it stands, and why."""

    path: str
    line: int
    problem: str

    def error(self) -> RecordError:
        """The error that a run ends with."""
        return RecordError(f"{self.path}:{self.line}: {self.problem}")

    def entry(self) -> dict[str, Any]:
        """The entry that the artifact lists it by."""
        return self._asdict()


class CountingPart:
    """Counts of some records, what was bad, and what slices are made of when they are asked for."""

    __slots__ = ("bad", "inputs", "slices", "tally")

    def __init__(self, tally: Tally | None = None, bad: list[BadEntry] | None = None) -> None:
        self.tally, self.bad = tally or Tally(), bad or []
        self.inputs: list[dict[str, Any]] = []
        self.slices: SliceTable | None = None

    def add(self, later: CountingPart) -> None:
        """Add the part that follows this one."""
        self.tally += later.tally
        self.bad += later.bad
        self.inputs += later.inputs
        self.slices = join_tables(self.slices, later.slices)

    def pack(self) -> Packed:
        """The part as plain values and arrays."""
        counted = self.tally.pack()
        plain = {"tally": counted.plain, "bad": self.bad, "inputs": self.inputs}
        return pack_table(Packed(plain, counted.arrays), self.slices)

    @classmethod
    def unpack(cls, packed: Packed) -> CountingPart:
        """The part that was packed."""
        plain = packed.plain
        part = cls(Tally.unpack(Packed(plain["tally"], packed.arrays)), [BadEntry(*fault) for fault in plain["bad"]])
        part.inputs, part.slices = plain["inputs"], unpack_table(packed)
        return part


def measure_records(records: Records, *, measure: Measure, config: Any, slices: Slices | None = None) -> CountingPart:
    """Count some records into a part, with their slices where slices are asked for."""
    tally = measure(records, config)
    tally.count("records", [len(records)])
    part = CountingPart(tally)
    part.slices = slices(records, config) if slices and config.slice else None
    return part


class CountingPlan:
    """A plan over a list of records. `inputs` are entries of path, sha256 and records."""

    def __init__(
        self,
        suite: Suite,
        records: Records,
        config: Any,
        measure: Measure,
        *,
        inputs: list[dict[str, Any]],
        bad: list[BadEntry] | None = None,
        slices: Slices | None = None,
    ) -> None:
        keys = read_only(config.only) if config.only else None
        self._records = [record for record in records if keys is None or record[0] in keys]
        self._suite, self._config, self._inputs, self._bad = suite, config, inputs, bad or []
        self.max_bad = config.max_bad_records
        self.measure: Callable[[Any], CountingPart] = partial(
            measure_records, measure=measure, config=config, slices=slices
        )
        self._done = 0

    def provenance(self) -> Provenance:
        """Suite, protocol, version and parameters that parts are measured with."""
        return provenance_of(self._suite, self._config)

    def shards(self, engine: Engine) -> Iterator[Records]:
        """The records, `SHARD_RECORDS` to a shard."""
        for start in range(0, len(self._records), SHARD_RECORDS):
            yield self._records[start : start + SHARD_RECORDS]

    def identify(self, shard: Records) -> str:
        """A digest of the records of a shard."""
        return sha256(orjson.dumps(shard)).hexdigest()

    def bytes_done(self, shard: Records) -> tuple[int, int]:
        """Progress in records instead of bytes."""
        self._done += len(shard)
        return self._done, len(self._records)

    def empty(self) -> CountingPart:
        """An empty part."""
        tally = Tally()
        tally.count("records", [0])
        return CountingPart(tally)

    def unpack(self, packed: Packed) -> CountingPart:
        """A part that was packed."""
        return CountingPart.unpack(packed)

    def add_inputs(self, total: CountingPart) -> None:
        """Name the inputs, and what could not be read in them."""
        total.inputs, total.bad = self._inputs, self._bad

    def report(self, total: CountingPart) -> Report:
        """The report of the total."""
        return self._suite.report_of(total, self._config)


def provenance_of(suite: Suite, config: Any) -> Provenance:
    """Suite, protocol, version and parameters that parts are measured with."""
    options = artifact_options(config)
    return Provenance(suite.name, suite.protocol, __version__, options, options)


def report_of(
    suite: Suite,
    summarize: Callable[[Tally, Any], dict[str, Any]],
    total: CountingPart,
    config: Any,
    figures: SliceFigures | None = None,
) -> Report:
    """The report of a total: fields of every artifact, then those of the suite; `figures` are the figures of slices."""
    evaluated = int(total.tally.counts["records"][0])
    records = {"read": evaluated + len(total.bad), "evaluated": evaluated, "rejected": len(total.bad)}
    tree = {
        **artifact_head(suite.name, suite.protocol, {}, artifact_options(config)),
        "inputs": total.inputs,
        "records": records,
        **summarize(total.tally, config),
        "rejected": [bad.entry() for bad in total.bad],
    }
    report = Report(tree)
    if figures and total.slices:
        resampling = Resampling(config.seed, config.bootstrap)
        add_slices(report, (tree, slice_run(total.slices, config, figures, resampling, built_in=())))
    return report
