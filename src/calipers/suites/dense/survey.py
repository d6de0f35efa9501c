"""How `check` tells dense dumps and looks at them, and what explains a low headline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from calipers.core.interpretations import POOR, fits_far_better, is_guess, is_low
from calipers.core.survey import FileCheck, JoinedSurvey, Kind, SidesCheck, Survey, nothing_evaluated
from calipers.files.answers.image_names import IMAGE_FIELDS
from calipers.files.clues import Clue
from calipers.suites.dense.artifact import headlines

Report = Mapping[str, Any]
DUMP = Kind("dense dump, JSON lines", "dense", "both")
ARRAY = Kind("dense records in one JSON array", "dense", "both")
RECORD_KEYS = ("gt_norm1000", "gt_norm", "pred_norm1000")
FEW_RECORDS, FEW_OBJECTS = 200, 1500  # that readings of a poor result are tried on


def find_kind(clue: Clue) -> Kind | None:
    """JSON lines, standard input, or records in one JSON array."""
    if clue.path == "-" or clue.is_lines:
        return DUMP
    if clue.first is not None and _is_record(clue.first):
        return ARRAY
    return DUMP if clue.object is not None and _is_record(clue.object) else None


def _is_record(item: Mapping[str, Any]) -> bool:
    is_answer = isinstance(item.get("pred"), (str, list)) and any(name in item for name in IMAGE_FIELDS)
    return any(key in item for key in RECORD_KEYS) or ("gt" in item and "pred" in item) or is_answer


def examine(
    source: Any, kind: Kind, side: str, *, answers: str | None = None, pred_field: str | None = None, **options: Any
) -> tuple[FileCheck, list[SidesCheck]]:
    """A dump, which has both sides in it."""
    from calipers.suites.dense.check import examine as examine_dump

    file, sides = examine_dump(source, answers=answers, pred_field=pred_field)
    return file, [sides]


def explain_low(report: Report, dumps: list[str], joined: tuple[str, str] | None = None) -> Iterator[SidesCheck]:
    """What overlaps, and which other reading would fit; `joined` are ground truth and answers in place of dumps."""
    paths = [*dumps, *(joined or ())]
    if is_low(headlines(report)[0]) and is_guess(report["objects"]) and _can_be_read(paths):
        from calipers.suites.dense.check import compare_sides, first_records

        source, config = _source(report, dumps, joined)
        sides = compare_sides(paths[0], first_records(source, config), config)
        sides.is_checkable = joined is None
        yield sides


def explain_poor(
    report: Report, dumps: list[str], joined: tuple[str, str] | None = None
) -> Iterator[tuple[SidesCheck, str]]:
    """Readings that would fit far better, tried on a few records."""
    (mean_f1, f1), paths = headlines(report), [*dumps, *(joined or ())]
    if is_low(mean_f1) or f1 is None or f1 >= POOR or not is_guess(report["objects"]) or not _can_be_read(paths):
        return
    from calipers.suites.dense.check import compare_sides, few_records

    source, config = _source(report, dumps, joined)
    sides = compare_sides(paths[0], few_records(source, config, FEW_RECORDS, FEW_OBJECTS), config, fits_far_better)
    sides.is_checkable = joined is None
    yield sides, ""


def _source(report: Report, dumps: list[str], joined: tuple[str, str] | None) -> tuple[Any, Any]:
    """What records are read from, and how; answers that are joined are those of a family in any case."""
    from calipers.suites.dense.check import JoinedFiles

    config = _config(report)
    return (
        (dumps, config)
        if joined is None
        else (JoinedFiles(*joined), replace(config, answers=config.joined_options.family))
    )


def _can_be_read(dumps: list[str]) -> bool:
    """Whether there are dumps, all of which can be read once more."""
    return bool(dumps) and "-" not in dumps


def _config(report: Report) -> Any:
    """How a result was measured."""
    from calipers.suites.dense.config import Config

    names = ("frame", "tube_tolerance", "primary_threshold", "answers", "pred_field")
    return Config(bootstrap=0, **{name: report["params"][name] for name in names if name in report["params"]})


def refuse_together(files: list[FileCheck]) -> None:
    """Dumps are measured together, so that one of them may be empty, but not all."""
    counts = [file.counts["records"] for file in files if "records" in file.counts]
    if counts and not any(file.refused for file in files) and not any(count["with objects"] for count in counts):
        files[0].refuse([nothing_evaluated("record", sum(count["read"] for count in counts))])


def takes_answers(gt: Any, pred: Any) -> bool:
    """Whether two inputs are files of ground truth and of answers of a model, which are joined."""
    from calipers.files.answers.peek import are_answer_files

    return are_answer_files(gt, pred)


def examine_joined(gt: Any, pred: Any, **options: Any) -> tuple[FileCheck, FileCheck, SidesCheck | None]:
    """Answers of a model beside ground truth in COCO form."""
    from calipers.suites.dense.check_joined import examine

    return examine(gt, pred, **options)


JOINED = JoinedSurvey(takes_answers, examine_joined)
SURVEY = Survey(
    (DUMP, DUMP),
    find_kind,
    examine,
    None,
    explain_low,
    explain_poor,
    refuse_together,
    joined=JOINED,
    takes_answers=True,
)
