"""A ready-made plan for suites that count: some records at a time, measured anywhere, into one `Tally`.

A suite that reads its records into a list and turns some of them into counts needs no plan of its own: with this one it
has processes, clusters, `--resume`, `--tally` and `calipers merge`. What it writes are two pure functions,
`measure(records, config) -> Tally` and `summarize(tally, config) -> dict`.
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
from calipers.core.tally import Tally
from calipers.engines import Engine
from calipers.files.only import read_only
from calipers.files.part_files import Made
from calipers.report import Report
from calipers.suite import Suite

Records = list[tuple[str, Any]]  # key, and what JSON can hold
Measure = Callable[[Records, Any], Tally]
SHARD_RECORDS = 1000


class BadEntry(NamedTuple):
    """A record that cannot be used: where it stands, and why."""

    path: str
    line: int
    problem: str

    def error(self) -> RecordError:
        """As the end of a run."""
        return RecordError(f"{self.path}:{self.line}: {self.problem}")

    def entry(self) -> dict[str, Any]:
        """As the artifact lists it."""
        return self._asdict()


class CountingPart:
    """Counts of some records, and what was bad."""

    __slots__ = ("bad", "inputs", "tally")

    def __init__(self, tally: Tally | None = None, bad: list[BadEntry] | None = None) -> None:
        self.tally, self.bad = tally or Tally(), bad or []
        self.inputs: list[dict[str, Any]] = []

    def add(self, later: CountingPart) -> None:
        """Take in what comes after it."""
        self.tally += later.tally
        self.bad += later.bad
        self.inputs += later.inputs

    def pack(self) -> Packed:
        """Everything it holds."""
        counted = self.tally.pack()
        return Packed({"tally": counted.plain, "bad": self.bad, "inputs": self.inputs}, counted.arrays)

    @classmethod
    def unpack(cls, packed: Packed) -> CountingPart:
        """The part again."""
        plain = packed.plain
        part = cls(Tally.unpack(Packed(plain["tally"], packed.arrays)), [BadEntry(*each) for each in plain["bad"]])
        part.inputs = plain["inputs"]
        return part


def measure_records(records: Records, *, measure: Measure, config: Any) -> CountingPart:
    """Some records to a part."""
    tally = measure(records, config)
    tally.count("records", [len(records)])
    return CountingPart(tally)


class CountingPlan:
    """Records in a list, some thousand a shard. `inputs` are entries of path, sha256 and records."""

    def __init__(
        self,
        suite: Suite,
        records: Records,
        config: Any,
        measure: Measure,
        *,
        inputs: list[dict[str, Any]],
        bad: list[BadEntry] | None = None,
    ) -> None:
        keys = read_only(config.only)
        self._records = [each for each in records if keys is None or each[0] in keys]
        self._suite, self._config, self._inputs, self._bad = suite, config, inputs, bad or []
        self.most_bad = config.max_bad_records
        self.measure: Callable[[Any], CountingPart] = partial(measure_records, measure=measure, config=config)
        self._done = 0

    def made(self) -> Made:
        """Suite, protocol, version and parameters that parts are measured with."""
        return made_by(self._suite, self._config)

    def shards(self, engine: Engine) -> Iterator[Records]:
        """Some records each."""
        for start in range(0, len(self._records), SHARD_RECORDS):
            yield self._records[start : start + SHARD_RECORDS]

    def identify(self, shard: Records) -> str:
        """A digest of what it holds."""
        return sha256(orjson.dumps(shard)).hexdigest()

    def done(self, shard: Records) -> tuple[int, int]:
        """Records instead of bytes."""
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

    def finish(self, total: CountingPart) -> None:
        """Name the inputs, and what could not be read in them."""
        total.inputs, total.bad = self._inputs, self._bad

    def report(self, total: CountingPart) -> Report:
        """Counts to the report."""
        return self._suite.report_of(total, self._config)


def made_by(suite: Suite, config: Any) -> Made:
    """Suite, protocol, version and parameters that parts are measured with."""
    options = artifact_options(config)
    return Made(suite.name, suite.protocol, __version__, options, options)


def report_of(
    suite: Suite, summarize: Callable[[Tally, Any], dict[str, Any]], total: CountingPart, config: Any
) -> Report:
    """Counts to the report: what every artifact has, then what the suite adds."""
    evaluated = int(total.tally.counts["records"][0])
    records = {"read": evaluated + len(total.bad), "evaluated": evaluated, "rejected": len(total.bad)}
    tree = {
        "suite": suite.name,
        "protocol": suite.protocol,
        "calipers": __version__,
        "inputs": total.inputs,
        "params": artifact_options(config),
        "records": records,
        **summarize(total.tally, config),
        "rejected": [bad.entry() for bad in total.bad],
    }
    return Report(tree)
