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
from calipers.suites.timeline.formats.table import FORMATS, PEEKED, format_of_file, format_of_head, format_of_tasks

Report = Mapping[str, Any]
ANNOTATIONS = Kind("timeline annotations, JSON", "timeline", "gt")
STATES = Kind("timeline predictions, JSON", "timeline", "pred")
CSV = Kind("timeline CSV", "timeline", "pred")
CSV_FOLDER = Kind("folder of timeline CSVs", "timeline", "pred")
OF_TOOLS = {form.name: Kind(form.title, "timeline") for form in FORMATS if "gt" in form.side}
FOLDERS_OF_TOOLS = {form.name: Kind(f"folder of {form.title}", "timeline") for form in FORMATS if "gt" in form.side}
BESIDE = ("fps", "detections", "ocr", "runtime", "states")
FEW_VIDEOS, FEW_INTERVALS = 50, 2000
FEW_BYTES = 10_000_000  # of timelines, which are read whole


def find_kind(clue: Clue) -> Kind | None:
    """A file of one video, a folder of them, or JSON by video."""
    if clue.is_folder:
        return _kind_of_folder(clue.path)
    if own := format_of_head(clue.head[:PEEKED]):
        return OF_TOOLS.get(own.name, CSV)
    if clue.is_csv:
        return None if _has_boxes(clue.head) else CSV
    if tasks := format_of_tasks(clue.list):
        return OF_TOOLS[tasks.name]
    return _kind_by_video(clue.object) if clue.object else None


def _kind_of_folder(path: str) -> Kind | None:
    """By the content of the first CSV; where there is none, by that of the first file of another format."""
    for ending in dict.fromkeys((".csv", *(ending for form in FORMATS for ending in form.file_endings))):
        for file in few_files_below(path, ending):
            own = format_of_file(file)
            kind = FOLDERS_OF_TOOLS.get(own.name) if own else None
            if ending == ".csv" and _has_boxes(Clue(file).head):
                return None
            if kind or ending == ".csv":
                return kind or CSV_FOLDER
    return None


def _has_boxes(head: bytes) -> bool:
    """Whether the header of a CSV is that of boxes on images."""
    return b"xmin" in head.partition(b"\n")[0].lower()


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


def examine(source: Any, kind: Kind, side: str, **options: Any) -> tuple[FileCheck, list[SidesCheck]]:
    """Annotations or predictions."""
    from calipers.suites.timeline.check import examine as examine_side

    return examine_side(source, kind, side), []


def compare(gt: Any, pred: Any, kind: Kind, file: FileCheck, **options: Any) -> SidesCheck:
    """Predictions against ground truth, as they are and read otherwise."""
    from calipers.suites.timeline.check import compare as compare_sides

    return compare_sides(gt, pred)


def explain_low(report: Report, gt: Any, pred: Any) -> Iterator[SidesCheck]:
    """How much of the videos fits, and which other reading would fit."""
    evaluated = report["records"]["evaluated"]
    if evaluated and not is_low(report["summary"]["frame_accuracy_mean"]):
        return
    from calipers.suites.timeline.check import compare as compare_sides

    sides = compare_sides(gt, pred, _config(report))
    if evaluated or sides.readings:  # of videos that were not evaluated the artifact says why
        yield sides


def explain_poor(report: Report, gt: Any, pred: Any) -> Iterator[tuple[SidesCheck, str]]:
    """Readings that would fit far better, tried on a few videos."""
    if is_poor(report["summary"]["frame_accuracy_mean"]) and _bytes(gt) + _bytes(pred) <= FEW_BYTES:
        from calipers.suites.timeline.check import compare_few

        yield compare_few(gt, pred, _config(report), FEW_VIDEOS, FEW_INTERVALS, fits_far_better), ""


def _config(report: Report) -> Any:
    """How a result was measured."""
    from calipers.suites.timeline.config import Config

    options = {name: report["params"][name] for name in ("idle", "focus", "fps")}
    return Config(bootstrap=0, **options)


def _bytes(source: Any) -> int:
    """How much there is to read: nothing of a value, and more than is wanted of a file elsewhere."""
    if not isinstance(source, (str, os.PathLike)):
        return 0
    path = os.fspath(source)
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
