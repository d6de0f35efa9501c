"""How `check` tells detections and looks at them, and what explains a low headline."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from calipers.core.errors import InputError
from calipers.core.interpretations import is_guess, is_low, is_poor
from calipers.core.survey import FileCheck, Kind, SidesCheck, Survey
from calipers.files.clues import Clue

Report = Mapping[str, Any]
DATASET = Kind("COCO data set", "coco", "gt")
RESULTS = Kind("COCO results", "coco", "pred")
YOLO = Kind("YOLO labels", "coco")
VOC = Kind("Pascal VOC", "coco")
LABELME = Kind("LabelMe", "coco")
FOLDERS = {"yolo": YOLO, "voc": VOC, "labelme": LABELME}


def find_kind(clue: Clue) -> Kind | None:
    """COCO's JSON, a document of VOC or LabelMe, or a folder of YOLO, VOC or LabelMe files."""
    if clue.is_folder:
        return _folder_kind(clue.path)
    if clue.is_xml:
        return VOC if b"<annotation" in clue.head else None
    if clue.list is not None:
        first = clue.first
        is_result = first is not None and ("image_id" in first or "category_id" in first)
        return RESULTS if is_result or not clue.list else None
    tree = clue.object or {}
    if "annotations" in tree:
        return DATASET if "images" in tree else RESULTS
    return LABELME if "shapes" in tree and "imagePath" in tree else None


def _folder_kind(path: str) -> Kind | None:
    from calipers.suites.coco.read import find_format

    try:
        kind = FOLDERS[find_format(path)]
    except InputError:
        return None
    return kind._replace(name=f"folder of {kind.name}")


def examine(given: Any, kind: Kind, side: str, **options: Any) -> tuple[FileCheck, list[SidesCheck]]:
    """A data set or results."""
    from calipers.suites.coco.check import examine as examine_side

    return examine_side(given, kind, side, **(options if side == "gt" else {})), []


def compare(gt: Any, pred: Any, kind: Kind, file: FileCheck, **options: Any) -> SidesCheck:
    """Detections against ground truth, as they are and read otherwise."""
    from calipers.suites.coco.check import compare as compare_sides

    return compare_sides(gt, pred, kind, file, **options)


def explain_low(report: Report, gt: Any, pred: Any) -> Iterator[SidesCheck]:
    """What overlaps, and which other reading would fit."""
    from calipers.suites.coco.check import compare as compare_sides

    if is_low(_headline(report)) and is_guess(report["objects"]):
        names = ("iou_type", "gt_format", "pred_format", "images")
        options = {name: report["params"][name] for name in names}
        yield compare_sides(gt, pred, find_kind(Clue(pred)) or RESULTS, **options)


def explain_poor(report: Any, gt: Any, pred: Any) -> Iterator[tuple[SidesCheck, str]]:
    """Readings that would fit far better, tried on a few of the images that were measured."""
    from calipers.suites.coco.few_images import compare_few

    if report.measured is None or report["params"]["iou_type"] != "bbox":
        return
    if is_poor(_headline(report)) and is_guess(report["objects"]):
        yield compare_few(report.measured.found, yolo=_is_yolo(pred)), ""


def _is_yolo(pred: Any) -> bool:
    is_folder = isinstance(pred, (str, os.PathLike)) and os.path.isdir(pred)
    kind = _folder_kind(os.fspath(pred)) if is_folder else None
    return kind is not None and YOLO.name in kind.name


def _headline(report: Report) -> float | None:
    """AP_50, or F1 at IoU 0.50 where scores rank nothing."""
    ap_50, f1 = report["coco"]["AP_50"], report["sweep"]["primary"]["f1"]
    return f1 if ap_50 is None else ap_50  # type: ignore[no-any-return]


SURVEY = Survey((DATASET, RESULTS), find_kind, examine, compare, explain_low, explain_poor)
