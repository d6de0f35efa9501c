"""How `check` tells dense dumps and looks at them, and what explains a low headline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from calipers.core.interpretations import POOR, fits_far_better, is_guess, is_low
from calipers.core.survey import FileCheck, Kind, SidesCheck, Survey, nothing_evaluated
from calipers.files.clues import Clue

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
    return any(key in item for key in RECORD_KEYS) or ("gt" in item and "pred" in item)


def examine(given: Any, kind: Kind, side: str, **options: Any) -> tuple[FileCheck, list[SidesCheck]]:
    """A dump, which has both sides in it."""
    from calipers.suites.dense.check import examine as examine_dump

    file, sides = examine_dump(given)
    return file, [sides]


def explain_low(report: Report, dumps: list[str]) -> Iterator[SidesCheck]:
    """What overlaps, and which other reading would fit."""
    from calipers.suites.dense.check import compare_sides, first_records

    if is_low(_localization(report)["mean_f1"]) and is_guess(report["objects"]) and "-" not in dumps:
        config = _config(report)
        yield compare_sides(dumps[0], first_records(dumps, config.frame), config)


def explain_poor(report: Report, dumps: list[str]) -> Iterator[tuple[SidesCheck, str]]:
    """Readings that would fit far better, tried on a few records."""
    from calipers.suites.dense.check import compare_sides, few_records

    located = _localization(report)
    f1 = located["primary"]["f1"]
    if is_low(located["mean_f1"]) or f1 is None or f1 >= POOR or not is_guess(report["objects"]) or "-" in dumps:
        return
    config = _config(report)
    sample = few_records(dumps, config.frame, FEW_RECORDS, FEW_OBJECTS)
    yield compare_sides(dumps[0], sample, config, fits_far_better), ""


def _config(report: Report) -> Any:
    """How a result was measured."""
    from calipers.suites.dense.config import Config

    names = ("frame", "tube_tolerance", "primary_threshold")
    return Config(bootstrap=0, **{name: report["params"][name] for name in names})


def _localization(report: Report) -> Report:
    """The mode without labels, or the one that comes first where that was not asked for."""
    modes = report["modes"]
    located: Report = modes.get("localization") or next(iter(modes.values()))
    return located


def refuse_together(files: list[FileCheck]) -> None:
    """Dumps are measured together, so that one of them may be empty, but not all."""
    counts = [file.counts["records"] for file in files if file.counts]
    if counts and not any(file.refused for file in files) and not any(each["with objects"] for each in counts):
        files[0].refuse([nothing_evaluated("record", sum(each["read"] for each in counts))])


SURVEY = Survey((DUMP, DUMP), find_kind, examine, None, explain_low, explain_poor, refuse_together)
