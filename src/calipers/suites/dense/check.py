"""Dense dumps: what is in one, what the reader would refuse, and whether predictions lie where the ground truth is."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from calipers.core.errors import InputError, keyword
from calipers.core.interpretations import SAMPLE, Rule, fits, ranked, sample_of
from calipers.core.shapes import FLAGS, KINDS, Batch, Objects
from calipers.core.survey import MAX_SHOWN, FileCheck, SidesCheck, compared_labels, counted, is_constant, twice
from calipers.engines.local import run_in_order
from calipers.files.answers.peek import PIECE, listed
from calipers.files.answers.records import AnswerCounts
from calipers.files.lines import LineSource, Shard
from calipers.files.problems import REASON_WORDS
from calipers.kernels.scan.flatten import REASONS
from calipers.suites.dense.check_answers import describe_answers
from calipers.suites.dense.check_corners import doubt_of_corners
from calipers.suites.dense.config import Config
from calipers.suites.dense.interpretations import Record, Sampled, numbers_of, other_readings
from calipers.suites.dense.labels import MODES
from calipers.suites.dense.measure import match_measurable
from calipers.suites.dense.other_families import family_readings
from calipers.suites.dense.peek import frame_of, refuse_others
from calipers.suites.dense.read import DenseReading, read_records, read_shard, side_objects
from calipers.suites.dense.shards import bad_records
from calipers.suites.dense.written import Find, in_list, in_shard, written_bounds

METRIC, OVERLAP = "localization F1", "mean best IoU"
ALL_OF_THEM = 1 << 62
SCORES = ("score", "confidence", "conf", "prob", "probability", "logprob")


class SideSurvey(NamedTuple):
    """One side of some records, as far as it is told."""

    kinds: Any  # (4,) objects of each type; the last could not be read
    bounds: Any  # (objects, 4) of those that could, by the numbers as written
    flags: Counter[str]
    reasons: Any
    labels: Counter[str]


class RecordSurvey(NamedTuple):
    """Counts and ranges of some records."""

    read: int
    skipped: int
    bad: int
    first_bad: list[str]
    keys: list[str]
    truth: SideSurvey
    pred: SideSurvey
    matched: dict[str, int]  # ground truth against itself, over the whole sweep, by mode
    wanted: dict[str, int]  # what could be matched so
    answers: AnswerCounts | None


def examine(source: Any, config: Config | None = None, **answers: Any) -> tuple[FileCheck, SidesCheck]:
    """A dump, or a list of records; `answers` are the options that say how predictions are read."""
    path = os.fspath(source) if isinstance(source, (str, os.PathLike)) else "<records>"
    if path == "-":
        raise InputError("-: found standard input, expected a file: a check reads it more than once")
    refuse_others(source, path)
    config = config or Config(frame=frame_of(source), bootstrap=0, **answers)
    parts = list(_surveys(source, config))
    if not sum(part.read for part in parts):
        raise InputError(f"{path}: no records, expected one JSON object a line")
    sample = first_records([source] if path != "<records>" else source, config)
    file = FileCheck(path, f"dense dump, {config.frame}", "dense", "both")
    _describe_file(file, parts)
    _describe_sample(file, sample, config)
    return file, _sides(path, parts, sample, config)


def first_records(source: Any, config: Config) -> list[Record]:
    """The first records that can be read, of some dumps or of a list."""
    return list(islice(_good_records(source, config), SAMPLE))


def few_records(source: Any, config: Config, records: int, objects: int) -> list[Record]:
    """The first records that can be read, not many, and no more of them than have so many objects together."""
    few: list[Record] = []
    for record in islice(_good_records(source, config), records):
        objects -= sum(map(len, side_objects(record, config.frame)))
        if objects < 0:
            break
        few.append(record)
    return few


class JoinedFiles(NamedTuple):
    """Ground truth in COCO form and answers, which become records when they are joined."""

    gt: str
    pred: str


def _joined_records(files: JoinedFiles, config: Config) -> Iterator[Record]:
    """The records of images that something was predicted on."""
    from calipers.suites.dense.coco_truth import join_answers

    joined = join_answers(files.gt, files.pred, frame=config.frame, options=config.joined_options)
    for record in read_records(joined.records, frame=config.frame, keep=True).batch.raw:
        _, pred = side_objects(record, config.frame)
        if pred:
            yield record


def _good_records(source: Any, config: Config) -> Iterator[Record]:
    frame, answers = config.frame, config.answer_options
    if isinstance(source, JoinedFiles):
        yield from _joined_records(source, config)
        return
    if not all(isinstance(path, (str, os.PathLike)) for path in source):
        yield from read_records(listed(source), frame=frame, keep=True, answers=answers).batch.raw
        return
    for path in source:
        for shard in LineSource(0, os.fspath(path), PIECE):
            reading = read_shard(shard, frame=frame, keep=True, max_bad=ALL_OF_THEM, answers=answers)
            yield from reading.batch.raw


# All records


def _surveys(source: Any, config: Config) -> Iterator[RecordSurvey]:
    if isinstance(source, (str, os.PathLike)):
        work = partial(survey_shard, config=config)
        yield from run_in_order(work, LineSource(0, os.fspath(source), config.chunk_bytes), config.jobs)
        return
    records = listed(source)
    reading = read_records(records, frame=config.frame, answers=config.answer_options)
    yield survey_reading(reading, config, _found(in_list(records), config))


def survey_shard(shard: Shard, *, config: Config) -> RecordSurvey:
    """Survey some lines of a file."""
    reading = read_shard(shard, frame=config.frame, max_bad=ALL_OF_THEM, answers=config.answer_options)
    return survey_reading(reading, config, _found(in_shard(shard), config))


def _found(find: Find, config: Config) -> Find:
    """How records are found whose objects are as they were written; of answers none are."""
    return (lambda places: iter(())) if config.answer_options else find


def survey_reading(reading: DenseReading, config: Config, find: Find) -> RecordSurvey:
    """Survey records that were read."""
    batch = reading.batch
    bad, bounds = bad_records(reading, config), written_bounds(batch, config.frame, find)
    itself, compared, _ = match_measurable(Batch(batch.truth, batch.truth, keys=batch.keys), config)
    categories = [desc.category for desc in itself.descs]
    whole = np.asarray(compared.truth.flags) & FLAGS["degenerate"] == 0
    wanted = {mode: int(whole.sum()) for mode in MODES}
    matched = {}
    for mode, pairs in itself.matchings.items():
        matched[mode] = int((np.asarray(pairs.score) >= config.levels.units[-1]).sum())
        if mode in itself.labels:
            wanted[mode] = int((whole & (np.asarray(itself.labels[mode].truth) >= 0)).sum())
    return RecordSurvey(
        reading.read,
        reading.skipped,
        len(bad),
        [str(fault.error()).replace("\n", "; ") for fault in bad[:MAX_SHOWN]],
        list(batch.keys),
        _side(batch.truth, categories, bounds[0]),
        _side(batch.pred, categories, bounds[1]),
        matched,
        wanted,
        reading.answers,
    )


def _side(objects: Objects, categories: Sequence[str], bounds: Any) -> SideSurvey:
    reasons = np.asarray(objects.reason)
    flags = np.asarray(objects.flags)
    codes = Counter(np.asarray(objects.desc)[reasons == 0].tolist())
    labels = Counter[str]()
    for code, n in codes.items():
        labels[categories[code]] += n
    return SideSurvey(
        np.bincount(objects.kind, minlength=4),
        bounds[reasons == 0],
        Counter({name: int((flags & FLAGS[name] != 0).sum()) for name in ("clamped", "repaired", "degenerate")}),
        np.bincount(reasons, minlength=len(REASONS)),
        labels,
    )


# What is said


def _describe_file(file: FileCheck, parts: list[RecordSurvey]) -> None:
    keys = [key for part in parts for key in part.keys]
    truth, pred = _joined([part.truth for part in parts]), _joined([part.pred for part in parts])
    read, skipped = sum(part.read for part in parts), sum(part.skipped for part in parts)
    file.counts = {
        "records": {"read": read, "with objects": len(keys), "empty": skipped},
        "ground truth": object_counts(truth),
        "predictions": object_counts(pred),
    }
    file.refuse([message for part in parts for message in part.first_bad], sum(part.bad for part in parts))
    file.doubled = twice(keys)
    describe_answers(file, [part.answers for part in parts if part.answers])
    describe_side(file, "ground truth", truth)
    describe_side(file, "predicted", pred)
    file.itself = self_check(parts, truth)


def describe_side(file: FileCheck, name: str, side: SideSurvey) -> None:
    """Ranges of one side, what looks wrong in it, and which of its objects match nothing."""
    reasons = zip(REASONS, side.reasons, strict=True)
    file.invalid.update({REASON_WORDS.get(reason, reason): int(n) for reason, n in reasons if reason and n})
    file.measure(f"{name} x", side.bounds[:, 0::2])
    file.measure(f"{name} y", side.bounds[:, 1::2])
    file.measure(f"{name} width", side.bounds[:, 2] - side.bounds[:, 0])
    file.measure(f"{name} height", side.bounds[:, 3] - side.bounds[:, 1])
    file.warnings += _doubts("predictions" if name == "predicted" else name, side)


def object_counts(side: SideSurvey) -> dict[str, int]:
    """How many objects and labels a side has."""
    by_type = {kind: int(n) for kind, n in zip(KINDS, side.kinds, strict=False) if n}
    return {"objects": int(side.kinds.sum()), **by_type, "labels": len(side.labels.keys() - {""})}


def _joined(sides: list[SideSurvey]) -> SideSurvey:
    return SideSurvey(
        sum(side.kinds for side in sides),
        np.concatenate([side.bounds for side in sides]),
        sum((side.flags for side in sides), Counter()),
        sum(side.reasons for side in sides),
        sum((side.labels for side in sides), Counter()),
    )


def self_check(parts: list[RecordSurvey], truth: SideSurvey) -> dict[str, Any] | None:
    """Ground truth as its own prediction: F1 at every threshold, and what is left out; None if nothing could match."""
    total = int(truth.kinds.sum())
    matched = {mode: sum(part.matched[mode] for part in parts) for mode in MODES}
    wanted = {mode: sum(part.wanted[mode] for part in parts) for mode in MODES}
    if not any(wanted.values()):
        return None
    lost = [f"{mode}: {counted(wanted[mode] - matched[mode], 'object')} not matching itself" for mode in MODES]
    return {
        "figures": {f"{mode} F1": matched[mode] / total for mode in MODES},
        "perfect": matched == wanted,
        "apart": {"no area": truth.flags["degenerate"], "no label": truth.labels[""]},
        "imperfect": [text for text, mode in zip(lost, MODES, strict=True) if matched[mode] != wanted[mode]],
    }


def _doubts(name: str, side: SideSurvey) -> Iterator[str]:
    objects = int(side.kinds.sum())
    if not objects:
        yield f"{name}: no objects at all"
        return
    width, height = side.bounds[:, 2] - side.bounds[:, 0], side.bounds[:, 3] - side.bounds[:, 1]
    if is_constant(width) and is_constant(height):
        yield f"{name}: every object has the same size, {width[0]:g} by {height[0]:g}"
    if len(side.bounds) and side.bounds.max() <= 1:
        yield f"{name}: no number is larger than 1: are they fractions of the image?"
    for n, words in (
        (side.flags["degenerate"], "without area, matching nothing"),
        (side.flags["clamped"], "reaching outside the frame, cut to it"),
        (side.labels[""], "without a label, matching nothing by label"),
    ):
        if n:
            yield f"{name}: {counted(n, 'object')} {words}"


def _describe_sample(file: FileCheck, sample: list[Record], config: Config) -> None:
    if config.frame == "pixel":
        reads = f"calipers dense {keyword('frame', 'pixel')} reads them"
        file.warnings.append(f"the records are in pixels: {reads}, the default does not")
    both = sum("pred" in record and "pred_norm1000" in record for record in sample)
    if both and config.frame != "pixel" and config.answer_options is None:  # answers are put into pred_norm1000
        file.warnings.append(f"pred and pred_norm1000 are both there ({both:,} records): pred_norm1000 is read")
    sides = zip(*(side_objects(record, config.frame) for record in sample), strict=True)
    for name, lists in zip(("ground truth", "predictions"), sides, strict=False):
        if repeats := sum(map(_repeats, lists)):
            message = f"{counted(repeats, 'object')} repeating another of the record"
            file.warnings.append(f"{name}: {message} (in the first {counted(len(sample), 'record')})")
        file.warnings += doubt_of_corners(name, sample, lists, config.frame)
    if _seems_swapped(sample):
        file.warnings.append("ground truth has scores and predictions have none: are the two sides swapped?")


def _repeats(objects: list[Any]) -> int:
    items = [item for item in objects if isinstance(item, dict)]
    seen = [(str(item.get("type")), tuple(numbers_of(item) or ()), str(item.get("desc"))) for item in items]
    return len(seen) - len(set(seen))


def _seems_swapped(sample: list[Record]) -> bool:
    """Whether the ground truth carries scores, which only predictions should."""
    scored = {"gt": 0, "pred": 0}
    for record in sample:
        for name, value in record.items():
            if isinstance(value, list) and name.startswith(("gt", "pred")):
                side = "gt" if name.startswith("gt") else "pred"
                scored[side] += sum(isinstance(item, dict) and any(key in item for key in SCORES) for item in value)
    return scored["gt"] > 0 and scored["pred"] == 0


# Both sides


def _sides(path: str, parts: list[RecordSurvey], sample: list[Record], config: Config) -> SidesCheck:
    sides = compare_sides(path, sample, config)
    sides.labels = compared_labels(*(_labels(parts, side) for side in ("truth", "pred")))
    sides.sample = (sides.sample or {}) | {"of": sum(len(part.keys) for part in parts)}
    return sides


def _labels(parts: list[RecordSurvey], side: str) -> Counter[str]:
    labels = sum((getattr(part, side).labels for part in parts), Counter[str]())
    del labels[""]
    return labels


def compare_sides(path: str, sample: list[Record], config: Config, rule: Rule = fits) -> SidesCheck:
    """Predictions against ground truth in a sample of records, as they are and read otherwise."""
    sides = SidesCheck(path, path, METRIC, OVERLAP)
    sampled = Sampled(sample, config.frame)
    now = sampled.trial(config)
    sides.score, sides.overlap = now
    sides.sample = sample_of(len(sampled.truth), None, "records")
    if any(sampled.pred):
        readings = chain(family_readings(sample[: len(sampled.pred)], config), other_readings(sampled, config))
        sides.readings = ranked(now, readings, rule)
    return sides
