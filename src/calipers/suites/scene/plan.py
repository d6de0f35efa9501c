"""Scenes in shards: some of them each, read by workers, on all sides.

What a label means depends on all labels, so parts hold scenes as they were read, and they are measured together. Parts
that were made apart may have scenes in common: each then has its ground truth of one and its predictions of another.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from calipers import __version__
from calipers.core.config import artifact_options
from calipers.core.errors import InputError, keyword, require
from calipers.core.parts import Packed
from calipers.core.text import whole_text
from calipers.engines import Engine
from calipers.files.inputs import InputFile
from calipers.files.output import to_json, write_file
from calipers.files.part_files import Provenance
from calipers.report import Report
from calipers.suites.scene import measure as suite
from calipers.suites.scene.cases import scene_case_lines
from calipers.suites.scene.config import PROTOCOL, Config, params
from calipers.suites.scene.joining import join_bad, join_readings
from calipers.suites.scene.labels.resolve import LabelRules, known_from, load_known
from calipers.suites.scene.packing import pack_reading, unpack_reading
from calipers.suites.scene.read import BadScene, SceneReading, find_sources, input_of
from calipers.suites.scene.rows import match_rows
from calipers.suites.scene.shards import SceneShard, cut_scenes, keep_only, read_shard, shard_text
from calipers.suites.scene.slices import slice_methods
from calipers.suites.scene.summarize import option_inputs, summarize, with_inputs


class ScenePart:
    """Some scenes as they were read and, once all of them were, what they came from."""

    __slots__ = ("bad", "beside", "inputs", "known", "readings", "sides", "warnings")

    def __init__(self, *readings: SceneReading) -> None:
        self.readings = list(readings)
        self.bad: list[BadScene] = [bad for reading in readings for bad in reading.bad]
        self.inputs: list[dict[str, Any]] = []
        self.sides: list[list[InputFile]] = []  # the inputs of each side
        self.beside: list[dict[str, Any]] = []  # the files that options came from
        self.warnings: list[str] = []  # what those files gave rise to
        self.known: LabelRules | None = None  # what label files said

    def name_inputs(self, sides: list[list[InputFile]], beside: list[dict[str, Any]]) -> None:
        """Name the input files in the report."""
        self.sides, self.beside = sides, beside
        self.inputs = [*(entry._asdict() for side in sides for entry in side), *beside]

    def add(self, later: ScenePart) -> None:
        """Add the part that follows this one."""
        self._check_comparable(later)
        self.readings += later.readings
        self.bad = join_bad([*self.bad, *later.bad])
        self.known = self.known or later.known
        self.warnings += [warning for warning in later.warnings if warning not in self.warnings]
        both = zip(self.sides, later.sides, strict=False)
        sides = [_distinct(mine + theirs) for mine, theirs in both] or self.sides or later.sides
        self.name_inputs(sides, _distinct(self.beside + later.beside))

    def _check_comparable(self, later: ScenePart) -> None:
        """Methods and label files are not among the options."""
        mine, theirs = ([whole_text(name) for name in part.methods] for part in (self, later))
        if self.readings and later.readings and mine != theirs:
            raise InputError(
                f"parts of different methods: {', '.join(mine)} and {', '.join(theirs)}, expected the same in each "
                f"({keyword('pred', 'NAME=PATH')} says what a method is called)"
            )
        if self.known and later.known and self.known != later.known:
            raise InputError("parts with different label files, expected the same for each")

    @property
    def methods(self) -> list[str]:
        """What the methods are called."""
        return self.readings[0].methods if self.readings else []

    def joined(self) -> SceneReading:
        """All scenes in one."""
        joined = join_readings(self.readings, self.sides or [[] for _ in self.readings[0].sides])
        self.readings = [joined]
        return joined

    def pack(self) -> Packed:
        """The part as plain values and arrays."""
        reading = pack_reading(self.joined())
        beside = {"beside": self.beside, "warnings": [whole_text(warning) for warning in self.warnings]}
        known = self.known and self.known.to_text()
        return Packed({"reading": reading.plain, "known": known, **beside}, reading.arrays)

    @classmethod
    def unpack(cls, packed: Packed) -> ScenePart:
        """The part that was packed."""
        plain = packed.plain
        reading = unpack_reading(Packed(plain["reading"], packed.arrays))
        part = cls(reading)
        part.known, part.warnings = known_from(plain["known"]) if plain["known"] else None, plain["warnings"]
        part.name_inputs([side.inputs for side in reading.sides], plain["beside"])
        return part


def _distinct(items: list[Any]) -> list[Any]:
    """Each item once, in the order they came."""
    return [item for place, item in enumerate(items) if item not in items[:place]]


class ScenePlan:
    """Ground truth and methods, each a file or a folder. `files` are those the options came from."""

    usual_jobs = 1  # boxes take as long to be sent as to be read, and are measured together

    def __init__(
        self,
        gt: Any,
        methods: Mapping[str, Any],
        config: Config,
        warnings: Iterable[str] = (),
        files: Iterable[str] = (),
    ) -> None:
        kept = config.resume or config.tally
        require(not (kept and callable(config.embed)), "embed", config.embed, f"true or false: {kept} cannot hold it")
        self.config, self._warnings, self._files = config, list(warnings), list(files)
        self.max_bad = config.max_bad_records
        self.measure: Callable[[SceneShard], ScenePart] = partial(
            measure_shard, methods=list(methods), label_source=config.label_source, max_bad=config.max_bad_records
        )
        self._sources = find_sources(gt, methods)
        if config.only:
            keep_only(self._sources, config.only)
        self._done = self._size = 0

    def made(self) -> Provenance:
        """Suite, protocol, version and parameters that a part is measured with."""
        return made_by(self.config)

    def shards(self, engine: Engine) -> Iterator[SceneShard]:
        """The scenes in shards of some each."""
        shards = list(cut_scenes(self._sources, self.config.chunk_bytes))
        self._size = sum(shard.size for shard in shards)
        yield from shards

    def identify(self, shard: SceneShard) -> str:
        """A text of the shard's files, their sizes and their times."""
        return shard_text(shard)

    def done(self, shard: SceneShard) -> tuple[int, int]:
        """Progress in bytes of files."""
        self._done += shard.size
        return self._done, self._size

    def empty(self) -> ScenePart:
        """An empty part."""
        return ScenePart()

    def unpack(self, packed: Packed) -> ScenePart:
        """A part that was packed."""
        return unpack(packed)

    def finish(self, total: ScenePart) -> None:
        """Name the inputs, and read what stands beside them."""
        total.known, total.warnings = load_known(self.config), self._warnings
        sides = zip(self._sources, total.joined().sides, strict=True)
        total.name_inputs([[input_of(source, side.scenes)] for source, side in sides], option_inputs(self._files))

    def report(self, total: ScenePart) -> Report:
        """Scenes to the report."""
        return report_of(total, self.config)


def made_by(config: Config) -> Provenance:
    """Suite, protocol, version and parameters that a part is measured with."""
    options = {name: _plain(value) for name, value in artifact_options(config).items()}
    return Provenance("scene", PROTOCOL, __version__, params(config, []) | options, options)


def _plain(value: Any) -> Any:
    """An option as JSON has it."""
    if isinstance(value, (str, os.PathLike)):
        return whole_text(os.fspath(value))
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def unpack(packed: Packed) -> ScenePart:
    """A part that was packed."""
    return ScenePart.unpack(packed)


def measure_shard(shard: SceneShard, *, methods: list[str], label_source: str, max_bad: int) -> ScenePart:
    """Some scenes, read. What they are called is known only when all of them are."""
    return ScenePart(read_shard(shard, methods, label_source=label_source, max_bad=max_bad))


def report_of(total: ScenePart, config: Config) -> Report:
    """Scenes to the report."""
    return _report(total.joined(), config, total.known or load_known(config), total.warnings, total.beside)


def report_scenes(reading: SceneReading, config: Config, warnings: Iterable[str], files: Iterable[str]) -> Report:
    """Scenes that were read at once, to their report."""
    known = load_known(config)
    return _report(reading, config, known, warnings, option_inputs(files))


def _report(
    reading: SceneReading, config: Config, known: LabelRules, warnings: Iterable[str], beside: list[dict[str, Any]]
) -> Report:
    measured = suite.measure(reading, config, known)
    tree = with_inputs(summarize(measured, config), reading, beside)
    tree["warnings"] = [*warnings, *tree["warnings"]]
    if config.write_aliases:
        write_file(config.write_aliases, to_json({"aliases": measured.naming.resolver.learned()}))
    report = Report(
        tree,
        matches=lambda: match_rows(measured),
        cases=lambda take: take(scene_case_lines(measured)),
        measured=measured,
    )
    if config.slice:
        slice_methods(report, measured, config)
    return report
