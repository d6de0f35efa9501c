"""The pipeline, spelled once: shards -> parts -> total -> report.

A plan says what the shards are and what becomes of one; an engine measures them somewhere; parts come back in order
and add up. Finished shards may be kept in a file, so that a run that ended early goes on where it was, and the total
may be written, so that runs over parts of the data can be merged.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, NamedTuple, TypeVar

import orjson

from calipers.artifact import check_tree
from calipers.core.config import RunOptions, option_files
from calipers.core.errors import ConfigError, require
from calipers.core.parts import Packed, Part, join
from calipers.core.stopping import check_stop
from calipers.engines import open_engine
from calipers.files.only import notes_on_missing_keys, only_input, read_only
from calipers.files.output import check_free, check_place
from calipers.files.part_files import FinishedShards, blaming, finished_shards, write_tally
from calipers.files.places import is_open_here
from calipers.report import Report
from calipers.suite import Plan, suite_of_tree

P = TypeVar("P", bound=Part)
OnPart = Callable[[Any], None]
OnProgress = Callable[[int, int], None]


def run_plan(
    plan: Plan[P],
    config: RunOptions,
    *,
    inputs: Iterable[Any] = (),
    on_part: OnPart | None = None,
    progress: OnProgress | None = None,
) -> Report:
    """Measure all shards of `inputs` and return the report. `on_part` sees each part, in order, before it is added."""
    check_kept_files(config, inputs)
    resumed = ResumeCount()
    total = _add_up(plan, config, resumed, on_part, progress)
    with resumed.blaming_kept_parts():
        plan.add_inputs(total)
    check_bad(total, plan.max_bad)
    with resumed.blaming_kept_parts():
        report = plan.report(total)
        if resumed.finished:
            check_report(report, str(config.resume))
    if config.resume:
        report.notes.extend(resumed.notes(config.resume))
    if config.only:
        report.notes.extend(_note_only(report, config.only))
    if config.tally:
        write_tally(config.tally, plan.provenance(), total.pack())
        report.notes.append(f"counts are in {config.tally}, for calipers merge")
    return report


def _add_up(
    plan: Plan[P], config: RunOptions, resumed: ResumeCount, on_part: OnPart | None, progress: OnProgress | None
) -> P:
    """The sum of all parts. Each part is released as soon as it is added."""
    total = plan.empty()
    for part in _parts(plan, config, progress, resumed, one_by_one=on_part is not None):
        check_stop()
        if on_part:
            on_part(part)
        with resumed.blaming_kept_parts():
            total.add(part)
        check_bad(total, plan.max_bad)
    return total


def _note_only(report: Report, path: str) -> list[str]:
    """Add the file of keys to the inputs of the report; notes on keys that no record has."""
    keys = read_only(path)
    report.tree["inputs"].append(only_input(path, keys))
    suite = suite_of_tree(report)
    return notes_on_missing_keys(path, keys, suite.counts(report.tree).read, suite.record)


class ResumeCount:
    """How many shards there were, and how many of them had been finished before."""

    def __init__(self) -> None:
        self.shards = self.finished = 0
        self.was_cut = False  # the file of finished shards
        # A block in which parts are added: with parts from a file, a failure is an error of that file, else a bug
        self.blaming_kept_parts: Callable[[], AbstractContextManager[None]] = nullcontext

    def count(self, path: str, *, was_finished: bool) -> None:
        """Note a shard, and that parts come from the file if it had been finished before."""
        self.shards += 1
        if was_finished:
            self.finished += 1
            self.blaming_kept_parts = partial(blaming, path)

    def notes(self, path: str) -> list[str]:
        """Notes about shards that had been finished before."""
        cut = [f"{path} ended within its head, with no shard in it, and was begun anew"] if self.was_cut else []
        known = f"{self.finished} of {self.shards} shards were finished before, in {path}"
        return [*cut, *([known] if self.finished else [])]


def check_kept_files(config: RunOptions, inputs: Iterable[Any]) -> None:
    """Check before the run that the files of `tally` and `resume` can be written, and that the run reads neither."""
    sources = [*inputs, *option_files(config, written=False).values()]
    for name in ("tally", "resume"):
        path = getattr(config, name)
        if path is not None:
            check_free(path, sources)
            check_place(path)


def check_bad(total: Part, max_bad: int) -> None:
    """Raise the error of the first bad record beyond `max_bad`."""
    if len(total.bad) > max_bad:
        raise total.bad[max_bad].error()


def check_report(report: Report, name: str) -> None:
    """Check a report against its schema where parts came from files, which anyone may have written."""
    check_tree(f"{name}: holds parts that give no artifact", orjson.loads(report.to_json()))


def refuse_elsewhere(config: RunOptions, what: str) -> None:
    """Refuse options that need shards (engine, resume, tally, only), for inputs that are not files."""
    for name, default in (("engine", "local"), ("resume", None), ("tally", None), ("only", None)):
        value = getattr(config, name)
        if value != default:
            raise ConfigError(f"{name}: found {value!r}, expected files to read instead of {what}")


def _parts(
    plan: Plan[P], config: RunOptions, progress: OnProgress | None, resumed: ResumeCount, *, one_by_one: bool
) -> Iterator[P]:
    """Parts in order. Unless `one_by_one`, an engine may hand over several neighbours as one part."""
    finished = finished_shards(config.resume, plan.provenance()) if config.resume else nullcontext(None)
    with finished as known, open_engine(config.engine, jobs=_jobs(plan, config), address=config.address) as engine:
        on_done = partial(_report_progress, plan, progress) if progress else None
        shards = plan.shards(engine)
        if known is None:
            joins = not one_by_one and not getattr(plan, "parts_grow", False)
            yield from engine.in_order(plan.measure, shards, join=join if joins else None, done=on_done)
        else:
            resumed.was_cut = known.was_cut
            names: deque[ShardName] = deque()
            work = partial(_measure_or_restore, _measure(plan, known), _restore(plan, config))
            results = engine.in_order(work, _shards_left(plan, shards, known, names), done=on_done)
            for part in results:
                name = names.popleft()
                resumed.count(str(config.resume), was_finished=name.is_finished)
                yield _load_or_keep(plan, part, name, known, str(config.resume))


def _jobs(plan: Plan[Any], config: RunOptions) -> int | None:
    """How many processes: as many as were asked for, else as the plan has work to share for, else all cores.

    One where a file is open in this process alone, such as its standard input.
    """
    for path in filter(is_open_here, getattr(plan, "worker_paths", ())):
        require(config.engine == "local", "engine", config.engine, f"local, as no other process can open {path}")
        return 1
    if config.jobs is not None or config.engine != "local":
        return config.jobs
    jobs: int | None = getattr(plan, "usual_jobs", None)
    return jobs


def _report_progress(plan: Plan[Any], progress: OnProgress, shard: Any) -> None:
    if shard is not None:
        progress(*plan.bytes_done(shard.shard if isinstance(shard, FinishedShard) else shard))


class FinishedShard(NamedTuple):
    """A shard that an earlier run finished, and its part as that run kept it."""

    shard: Any
    kept: Packed

    def __str__(self) -> str:
        return str(self.shard)


class ShardName(NamedTuple):
    """The name of a shard, and whether an earlier run finished it."""

    name: str
    is_finished: bool


def _shards_left(plan: Plan[Any], shards: Any, known: FinishedShards, names: deque[ShardName]) -> Iterator[Any]:
    """Every shard; of one that was finished what its part is restored from, or None if it was kept whole.

    Appends the name of each to `names`.
    """
    restores = getattr(plan, "restore", None) is not None
    for shard in shards:
        name = plan.identify(shard)
        names.append(ShardName(name, name in known))
        if name not in known:
            yield shard
        else:
            yield FinishedShard(shard, known.get(name)) if restores else None


def _measure(plan: Plan[P], known: FinishedShards) -> Callable[[Any], P]:
    """The function that measures a shard; of some plans it also writes the part to the file of `resume`."""
    measure: Callable[..., P] = plan.measure
    if not getattr(plan, "parts_keep_themselves", False) or known.room is None:
        return measure
    return partial(measure, keep=known.room.number)


def _restore(plan: Plan[P], config: RunOptions) -> Callable[[Any, Packed], P] | None:
    """The function that restores the part of a shard that was finished, if the plan has one."""
    restore: Callable[..., P] | None = getattr(plan, "restore", None)
    return restore and partial(restore, path=str(config.resume))


def _measure_or_restore(
    measure: Callable[[Any], P], restore: Callable[[Any, Packed], P] | None, shard: Any
) -> P | None:
    """The part of a shard; None if it was finished, and its part was kept whole."""
    if isinstance(shard, FinishedShard):
        return restore(*shard) if restore else None
    return None if shard is None else measure(shard)


def _load_or_keep(plan: Plan[P], part: P | None, shard: ShardName, known: FinishedShards, path: str) -> P:
    """The part of a shard: read from the file of `resume` if it is None, else added to that file if it is new."""
    name = shard.name
    if part is None:
        known.go_on()
        with blaming(path):
            return plan.unpack(known.get(name))
    if shard.is_finished:
        pass
    elif (entry := getattr(part, "stored_entry", None)) is not None:
        known.add_stored(name, entry)
    elif len(part.bad) <= plan.max_bad:  # else measuring stopped early, and the part is not whole
        known.add(name, part.pack())
    known.go_on()
    return part
