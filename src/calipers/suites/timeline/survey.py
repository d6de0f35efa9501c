"""How `check` tells timelines and looks at them, and what explains a low headline."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from calipers.core.interpretations import fits_far_better, is_low, is_poor
from calipers.core.survey import FileCheck, Kind, SidesCheck, Survey
from calipers.files.clues import Clue
from calipers.files.folders import few_files_below
from calipers.files.places import is_remote

Report = Mapping[str, Any]
ANNOTATIONS = Kind("timeline annotations, JSON", "timeline", "gt")
STATES = Kind("timeline predictions, JSON", "timeline", "pred")
CSV = Kind("timeline CSV", "timeline", "pred")
CSV_FOLDER = Kind("folder of timeline CSVs", "timeline", "pred")
BESIDE = ("fps", "detections", "ocr", "runtime", "states")
FEW_VIDEOS, FEW_INTERVALS = 50, 2000
FEW_BYTES = 10_000_000  # of timelines, which are read whole


def find_kind(clue: Clue) -> Kind | None:
    """A timeline CSV, a folder of them, or JSON by video."""
    if clue.is_folder:
        return CSV_FOLDER if few_files_below(clue.path, ".csv") else None
    if clue.is_csv:
        return CSV
    return _kind_by_video(clue.object) if clue.object else None


def _kind_by_video(tree: Mapping[str, Any]) -> Kind | None:
    entries = [entry for entry in tree.values() if isinstance(entry, Mapping)]
    if any("objects" in entry for entry in entries):
        return None  # scenes by name
    if any("states" in entry for entry in entries):
        return STATES
    if any(_is_timeline(entry) for entry in entries):
        return ANNOTATIONS
    is_beside = entries and len(entries) == len(tree) and all(set(entry) <= set(BESIDE) for entry in entries)
    return STATES if is_beside else None


def _is_timeline(entry: Mapping[str, Any]) -> bool:
    """Whether some value is a list of intervals."""
    lists = [value for name, value in entry.items() if name not in BESIDE and isinstance(value, (list, tuple))]
    return any(all(isinstance(item, (list, tuple)) and len(item) == 2 for item in value) for value in lists)


def examine(given: Any, kind: Kind, side: str, **options: Any) -> tuple[FileCheck, list[SidesCheck]]:
    """Annotations or predictions."""
    from calipers.suites.timeline.check import examine as examine_side

    return examine_side(given, kind, side), []


def compare(gt: Any, pred: Any, kind: Kind, file: FileCheck, **options: Any) -> SidesCheck:
    """Predictions against ground truth, as they are and read otherwise."""
    from calipers.suites.timeline.check import compare as compare_sides

    return compare_sides(gt, pred)


def explain_low(report: Report, gt: Any, pred: Any) -> Iterator[SidesCheck]:
    """How much of the videos fits, and which other reading would fit."""
    from calipers.suites.timeline.check import compare as compare_sides

    evaluated = report["records"]["evaluated"]
    if evaluated and not is_low(report["summary"]["frame_accuracy_mean"]):
        return
    sides = compare_sides(gt, pred, _config(report))
    if evaluated or sides.readings:  # of videos that were not evaluated the artifact says why
        yield sides


def explain_poor(report: Report, gt: Any, pred: Any) -> Iterator[tuple[SidesCheck, str]]:
    """Readings that would fit far better, tried on a few videos."""
    from calipers.suites.timeline.check import compare_few

    if is_poor(report["summary"]["frame_accuracy_mean"]) and _bytes(gt) + _bytes(pred) <= FEW_BYTES:
        yield compare_few(gt, pred, _config(report), FEW_VIDEOS, FEW_INTERVALS, fits_far_better), ""


def _config(report: Report) -> Any:
    """How a result was measured."""
    from calipers.suites.timeline.config import Config

    return Config(bootstrap=0, idle=report["params"]["idle"], focus=report["params"]["focus"])


def _bytes(given: Any) -> int:
    """How much there is to read: nothing of a value, and more than is wanted of a file elsewhere."""
    if not isinstance(given, (str, os.PathLike)):
        return 0
    path = os.fspath(given)
    if is_remote(path):
        return FEW_BYTES + 1
    files = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
    return sum(map(_size, files if os.path.isdir(path) else [path]))


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:  # which reading it will say
        return 0


SURVEY = Survey((ANNOTATIONS, STATES), find_kind, examine, compare, explain_low, explain_poor)
