"""Scenes in shards: some of them each, on all sides.

What a label means depends on all labels. Where others take part, shards are gone over twice: workers find the labels of
each, these are resolved here, and workers measure each with what its labels mean (`calipers.suites.scene.kept`). One
process alone reads everything once and measures it together. So are the parts of `tally`, which hold scenes as they
were read: beside other parts a label may mean something else, and parts that were made apart may have scenes in common,
each of which then has its ground truth of one and its predictions of another.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any

from calipers import __version__
from calipers.core.config import artifact_options
from calipers.core.errors import InputError, changed_during_run, keyword, require
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
from calipers.suites.scene.first_pass import FirstPass, find_labels, shards_with_labels
from calipers.suites.scene.joining import join_bad, join_readings
from calipers.suites.scene.kept import KeptScenes, join_kept, keep_scenes, kept_methods, unpack_kept
from calipers.suites.scene.labels.resolve import LabelRules, Naming, load_rules, rules_from
from calipers.suites.scene.packing import pack_reading, unpack_reading
from calipers.suites.scene.read import BadScene, SceneReading, find_sources, input_of, read_sources
from calipers.suites.scene.rows import match_rows
from calipers.suites.scene.shards import SceneShard, cut_scenes, keep_only, read_shard, shard_text
from calipers.suites.scene.slices import slice_methods
from calipers.suites.scene.summarize import option_inputs, summarize, with_inputs

UNSENT: dict[str, Any] = dict.fromkeys(("aliases", "labels", "learned_aliases", "resume", "write_aliases")) | {
    "embed": False
}  # options that workers have no use for, among them functions that do not travel


class ScenePart:
    """Some scenes as they were read, or what is kept of them; once all of them were, what they came from."""

    __slots__ = ("bad", "beside", "inputs", "kept", "readings", "rules", "sides", "warnings")

    def __init__(self, *readings: SceneReading, kept: Iterable[KeptScenes] = ()) -> None:
        self.readings, self.kept = list(readings), list(kept)
        self.bad: list[BadScene] = [bad for reading in self._all() for bad in reading.bad]
        self.inputs: list[dict[str, Any]] = []
        self.sides: list[list[InputFile]] = []  # the inputs of each side
        self.beside: list[dict[str, Any]] = []  # the files that options came from
        self.warnings: list[str] = []  # what those files gave rise to
        self.rules: LabelRules | None = None  # what label files said

    def _all(self) -> list[SceneReading]:
        return [*self.readings, *(scenes.reading for scenes in self.kept)]

    def name_inputs(self, sides: list[list[InputFile]], beside: list[dict[str, Any]]) -> None:
        """Name the input files in the report."""
        self.sides, self.beside = sides, beside
        self.inputs = [*(entry._asdict() for side in sides for entry in side), *beside]

    def add(self, later: ScenePart) -> None:
        """Add the part that follows this one."""
        self._check_comparable(later)
        self.readings += later.readings
        self.kept += later.kept
        self.bad = join_bad([*self.bad, *later.bad])
        self.rules = self.rules or later.rules
        self.warnings += [warning for warning in later.warnings if warning not in self.warnings]
        both = zip(self.sides, later.sides, strict=False)
        sides = [_distinct(mine + theirs) for mine, theirs in both] or self.sides or later.sides
        self.name_inputs(sides, _distinct(self.beside + later.beside))

    def _check_comparable(self, later: ScenePart) -> None:
        """Methods and label files are not among the options."""
        mine, theirs = ([whole_text(name) for name in part.methods] for part in (self, later))
        if mine and theirs and mine != theirs:
            raise InputError(
                f"parts of different methods: {', '.join(mine)} and {', '.join(theirs)}, expected the same in each "
                f"({keyword('pred', 'NAME=PATH')} says what a method is called)"
            )
        if self.rules and later.rules and self.rules != later.rules:
            raise InputError("parts with different label files, expected the same for each")

    @property
    def methods(self) -> list[str]:
        """What the methods are called."""
        return next((reading.methods for reading in self._all()), [])

    def joined(self) -> SceneReading:
        """All scenes in one; without shapes if they were measured already."""
        sides = self.sides or [[] for _ in self._all()[0].sides]
        if self.kept:
            self.kept = [join_kept(self.kept, sides)]
            return self.kept[0].reading
        self.readings = [join_readings(self.readings, sides)]
        return self.readings[0]

    def pack(self) -> Packed:
        """The part as plain values and arrays."""
        if self.kept:
            scenes = join_kept(self.kept, [[] for _ in self.kept[0].reading.sides]).pack()
            return Packed({"kept": scenes.plain}, scenes.arrays)
        reading = pack_reading(self.joined())
        beside = {"beside": self.beside, "warnings": [whole_text(warning) for warning in self.warnings]}
        rules = self.rules and self.rules.to_text()
        return Packed({"reading": reading.plain, "known": rules, **beside}, reading.arrays)

    @classmethod
    def unpack(cls, packed: Packed) -> ScenePart:
        """The part that was packed."""
        plain = packed.plain
        if "kept" in plain:
            return cls(kept=[unpack_kept(Packed(plain["kept"], packed.arrays))])
        reading = unpack_reading(Packed(plain["reading"], packed.arrays))
        part = cls(reading)
        part.rules, part.warnings = rules_from(plain["known"]) if plain["known"] else None, plain["warnings"]
        part.name_inputs([side.inputs for side in reading.sides], plain["beside"])
        return part


def _distinct(items: list[Any]) -> list[Any]:
    """Each item once, in the order they came."""
    return [item for place, item in enumerate(items) if item not in items[:place]]


class ScenePlan:
    """Ground truth and methods, each a file or a folder. `files` are those the options came from."""

    parts_grow = True
    usual_jobs = 1  # what others measure is read twice, and takes its time to be sent

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
        self._methods = list(methods)
        self.measure: Callable[[SceneShard], ScenePart] = partial(
            measure_shard, methods=self._methods, config=replace(config, **UNSENT)
        )
        self._sources = find_sources(gt, methods)
        if config.only:
            keep_only(self._sources, config.only)
        self._done = self._size = 0
        self._rules: LabelRules | None = None
        self._naming: Naming | None = None

    @property
    def worker_paths(self) -> list[str]:
        """The files of all scenes."""
        return [path for source in self._sources for path in source.scenes.values()]

    def provenance(self) -> Provenance:
        """Suite, protocol, version and parameters that a part is measured with."""
        return provenance_of(self.config)

    def shards(self, engine: Engine) -> Iterator[SceneShard]:
        """The scenes in shards of some each, with what their labels mean if they are measured by others."""
        shards = list(cut_scenes(self._sources, self.config.chunk_bytes))
        self._size = sum(shard.size for shard in shards)
        others = engine.remote or self.config.jobs not in (None, 1)
        yield from self._with_labels(shards, engine) if others and self.config.tally is None else shards

    def _with_labels(self, shards: list[SceneShard], engine: Engine) -> Iterator[SceneShard]:
        """Go over all shards for their labels, resolve these, and give the shards what they mean."""
        config, first = self.config, FirstPass(self._methods)
        look = partial(find_labels, methods=self._methods, label_source=config.label_source, max_bad=self.max_bad)
        bad: list[BadScene] = []
        for labels in engine.in_order(look, shards):
            bad += labels.bad
            if len(bad) > self.max_bad:
                raise bad[self.max_bad].error()
            first.add(labels)
        self._rules = load_rules(config)
        self._naming = first.resolve(config, self._rules)
        return shards_with_labels(shards, first.known_labels(self._naming, config))

    def identify(self, shard: SceneShard) -> str:
        """A text of the shard's files, their sizes and their times."""
        return shard_text(shard)

    def bytes_done(self, shard: SceneShard) -> tuple[int, int]:
        """Progress in bytes of files."""
        self._done += shard.size
        return self._done, self._size

    def empty(self) -> ScenePart:
        """An empty part."""
        return ScenePart()

    def unpack(self, packed: Packed) -> ScenePart:
        """A part that was packed."""
        return unpack(packed)

    def add_inputs(self, total: ScenePart) -> None:
        """Name the inputs, and read what stands beside them."""
        total.rules, total.warnings = self._rules or load_rules(self.config), self._warnings
        sides = zip(self._sources, total.joined().sides, strict=True)
        total.name_inputs([[input_of(source, side.scenes)] for source, side in sides], option_inputs(self._files))

    def report(self, total: ScenePart) -> Report:
        """Scenes to the report."""
        if self._naming is None:
            return report_of(total, self.config)
        total.joined()
        [kept] = total.kept
        measured = suite.MeasuredMethods(kept.reading, self._naming, kept_methods(kept, self._naming, self.config))
        whole = cache(partial(self._measure_whole, kept.reading, total.rules))
        return _report(measured, self.config, total.warnings, total.beside, whole)

    def _measure_whole(self, first_reading: SceneReading, rules: LabelRules | None) -> suite.MeasuredMethods:
        """Measure everything once more, with shapes, for rows of objects, cases and pictures."""
        config = self.config
        reading = read_sources(self._sources, self._methods, label_source=config.label_source, max_bad=self.max_bad)
        for was, side in zip(first_reading.sides, reading.sides, strict=True):
            for before, now in zip(was.inputs, side.inputs, strict=True):
                if before.sha256 != now.sha256:
                    raise changed_during_run(now.path)
        return suite.measure(reading, config, rules)


def provenance_of(config: Config) -> Provenance:
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


def measure_shard(shard: SceneShard, *, methods: list[str], config: Config) -> ScenePart:
    """Some scenes, read; and measured if it is known what their labels mean."""
    reading = read_shard(shard, methods, label_source=config.label_source, max_bad=config.max_bad_records)
    if shard.labels is None:
        return ScenePart(reading)
    return ScenePart(kept=[keep_scenes(reading, shard.labels, config, str(shard))])


def report_of(total: ScenePart, config: Config) -> Report:
    """Scenes to the report."""
    measured = suite.measure(total.joined(), config, total.rules)
    return _report(measured, config, total.warnings, total.beside, lambda: measured)


def report_scenes(reading: SceneReading, config: Config, warnings: Iterable[str], files: Iterable[str]) -> Report:
    """Scenes that were read at once, to their report."""
    measured = suite.measure(reading, config)
    return _report(measured, config, warnings, option_inputs(files), lambda: measured)


def _report(
    measured: suite.MeasuredMethods,
    config: Config,
    warnings: Iterable[str],
    beside: list[dict[str, Any]],
    whole: Callable[[], suite.MeasuredMethods],
) -> Report:
    """The report; `whole` gives the same methods with their boxes."""
    tree = with_inputs(summarize(measured, config), measured.reading, beside)
    tree["warnings"] = [*warnings, *tree["warnings"]]
    if config.write_aliases:
        write_file(config.write_aliases, to_json({"aliases": measured.naming.resolver.learned()}))
    report = Report(
        tree,
        matches=lambda: match_rows(whole()),
        cases=lambda take: take(scene_case_lines(whole())),
        measured=whole,
    )
    if config.slice:
        slice_methods(report, measured, config)
    return report
