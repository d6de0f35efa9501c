"""How `check` tells detections and looks at them, and what explains a low headline."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from calipers.core.errors import InputError
from calipers.core.interpretations import Rule, fits, fits_far_better, is_guess, is_low, is_poor
from calipers.core.survey import FileCheck, JoinedSurvey, Kind, SidesCheck, Survey, path_of
from calipers.files.clues import Clue
from calipers.suites.coco.artifact import headlines
from calipers.suites.coco.formats.roboflow import COCO_FILE, find_export, find_group
from calipers.suites.coco.formats.table import FORMATS, find_file_format

Report = Mapping[str, Any]
DATASET = Kind("COCO data set", "coco", "gt")
ROBOFLOW = Kind("COCO data set, Roboflow's", "coco", "gt")
RESULTS = Kind("COCO results", "coco", "pred")
MAX_READ_AGAIN = 500_000  # objects of both sides: about 50 MB of JSON, and 500 MB of memory for them
KINDS = {form.name: Kind(form.title, "coco") for form in FORMATS}


def find_kind(clue: Clue) -> Kind | None:
    """COCO's JSON, or a file or a folder of another format."""
    if clue.is_folder:
        return _folder_kind(clue.path)
    if clue.is_path and (form := find_file_format(clue.path)) and form.module().looks_like(clue.path):
        return KINDS[form.name]
    if clue.is_xml:
        return None
    if clue.list is not None:
        first = clue.first
        is_result = first is not None and ("image_id" in first or "category_id" in first)
        return RESULTS if is_result or not clue.list else None
    tree = clue.object or {}
    if "annotations" in tree and "images" in tree:
        return ROBOFLOW if find_group(tree) is not None else DATASET
    if "annotations" in tree:
        return RESULTS
    return None


def _folder_kind(path: str) -> Kind | None:
    from calipers.suites.coco.read import find_format

    if find_export(path, COCO_FILE):
        return ROBOFLOW
    try:
        kind = KINDS[find_format(path)]
    except InputError:
        return None
    return kind._replace(name=f"folder of {kind.name}")


def examine(source: Any, kind: Kind, side: str, **options: Any) -> tuple[FileCheck, list[SidesCheck]]:
    """A data set or results."""
    from calipers.suites.coco.check import examine as examine_side

    return examine_side(source, kind, side, **(options if side == "gt" else {})), []


def compare(gt: Any, pred: Any, kind: Kind, file: FileCheck, **options: Any) -> SidesCheck:
    """Detections against ground truth, as they are and read otherwise."""
    from calipers.suites.coco.check import compare as compare_sides

    return compare_sides(gt, pred, kind, file, **options)


def explain_low(report: Any, gt: Any, pred: Any) -> Iterator[SidesCheck]:
    """What overlaps, and which other reading would fit; many objects are not read a second time for it."""
    if not is_low(headlines(report)[0]) or not is_guess(report["objects"]):
        return
    if "answers" in report["params"]:
        yield _compare_answers(report, gt, pred, fits)
    elif report["objects"]["gt"] + report["objects"]["pred"] > MAX_READ_AGAIN:
        yield _compare_measured(report, gt, pred)
    else:
        from calipers.suites.coco.check import compare as compare_sides

        names = ("iou_type", "gt_format", "pred_format", "images")
        options = {name: report["params"][name] for name in names}
        yield compare_sides(gt, pred, find_kind(Clue(pred)) or RESULTS, **options)


def _compare_measured(report: Any, gt: Any, pred: Any) -> SidesCheck:
    """What was measured, on a few images; where nothing but flags was kept of it, no reading is tried."""
    from calipers.suites.coco.check import AP, OVERLAP
    from calipers.suites.coco.few_images import compare_few

    if report.measured is None or report["params"]["iou_type"] != "bbox":
        return SidesCheck(path_of(gt, "gt"), path_of(pred, "pred"), AP, OVERLAP)
    return compare_few(report.measured.detections, yolo=_is_yolo(pred))


def explain_poor(report: Any, gt: Any, pred: Any) -> Iterator[tuple[SidesCheck, str]]:
    """Readings that would fit far better, tried on a few of the images that were measured."""
    if "answers" in report["params"]:
        if is_poor(headlines(report)[0]) and is_guess(report["objects"]):
            yield _compare_answers(report, gt, pred, fits_far_better), ""
        return
    if report.measured is None or report["params"]["iou_type"] != "bbox":
        return
    if is_poor(headlines(report)[0]) and is_guess(report["objects"]):
        from calipers.suites.coco.few_images import compare_few

        yield compare_few(report.measured.detections, yolo=_is_yolo(pred)), ""


def _compare_answers(report: Report, gt: Any, pred: Any, rule: Rule) -> SidesCheck:
    """Answers of models as they were read, and as those of other families."""
    from calipers.files.answers.records import AnswerOptions
    from calipers.suites.coco.other_families import compare_answers

    params = report["params"]
    if "-" in (gt, pred):
        raise InputError("-: standard input cannot be read a second time")
    asked = AnswerOptions(params["answers"], params.get("pred_field"))
    return compare_answers(gt, pred, asked, rule, gt_format=params["gt_format"], images=params["images"])


def is_yolo(kind: Kind) -> bool:
    """Whether files hold YOLO's labels."""
    return KINDS["yolo"].name in kind.name


def _is_yolo(pred: Any) -> bool:
    is_folder = isinstance(pred, (str, os.PathLike)) and os.path.isdir(pred)
    kind = _folder_kind(os.fspath(pred)) if is_folder else None
    return kind is not None and is_yolo(kind)


def takes_answers(gt: Any, pred: Any) -> bool:
    """Whether two inputs are files of ground truth and of answers of a model, which are joined."""
    from calipers.files.answers.peek import are_answer_files

    return are_answer_files(gt, pred)


def examine_joined(gt: Any, pred: Any, **options: Any) -> tuple[FileCheck, FileCheck, SidesCheck | None]:
    """Ground truth and answers of a model, each alone and beside the other."""
    from calipers.suites.coco.check_joined import examine

    return examine(gt, pred, **options)


JOINED = JoinedSurvey(takes_answers, examine_joined)
SURVEY = Survey((DATASET, RESULTS), find_kind, examine, compare, explain_low, explain_poor, joined=JOINED)
