"""Ground truth and predictions on images, of any format, as `Detections`.

COCO JSON is read as it is; every other format is converted to rows of COCO first, and all pass the same checks. What is
left out is left out on both sides: an image that holds an annotation which cannot be used, with all that is on it.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from calipers.errors import InputError
from calipers.instances import Detections
from calipers.readers.coco_images import Dataset, read_dataset
from calipers.readers.coco_instances import kept_images, pred_instances, truth_instances
from calipers.readers.coco_join import join_by_names
from calipers.readers.coco_json import CocoSide, Loading, coco_in_memory, read_coco
from calipers.readers.coco_pred import check_pred
from calipers.readers.coco_rows import Origin, rows_in_memory
from calipers.readers.coco_truth import check_truth
from calipers.readers.coco_warnings import (
    absent_fields,
    derived_shapes,
    mistaken_file,
    none_usable,
    pred_warnings,
    truth_warnings,
)
from calipers.readers.converted import Converted, Known
from calipers.readers.files import Input, OnProgress
from calipers.text import whole_text

MEASURED = {"bbox": "boxes", "segm": "masks", "keypoints": "keypoints"}
READ = {"yolo": ("YOLO", ("bbox", "segm")), "voc": ("Pascal VOC", ("bbox",)), "labelme": ("LabelMe", ("bbox", "segm"))}
FOLDERS = "a COCO JSON file, or a folder of YOLO labels, Pascal VOC XML or LabelMe JSON"
PEEKED = 4096  # bytes


class Source:
    """One side before it is read: what was given, in which format, and the file that is being read if it is COCO."""

    def __init__(self, given: Any, name: str, kind: str | None) -> None:
        self.given, self.name, self.truth = given, name, name == "gt"
        self.path = os.fspath(given) if isinstance(given, (str, os.PathLike)) else None
        self.format = kind or ("coco" if self.path is None else find_format(self.path, truth=self.truth))
        if self.path is None and self.format != "coco":
            raise InputError(f"{name}: found {type(given).__name__}, expected the path of {self.format} files")
        self.file = Loading(self.path) if self.path is not None and self.format == "coco" else None


class Side(NamedTuple):
    """One side that was read."""

    coco: CocoSide
    inputs: list[Input]
    warnings: list[str]
    problems: dict[int, str]


def read_detections(
    gt: Any,
    pred: Any,
    *,
    iou_type: str = "bbox",
    gt_format: str | None = None,
    pred_format: str | None = None,
    images: str | os.PathLike[str] | None = None,
    progress: OnProgress | None = None,
) -> Detections:
    """Both sides, each a path or what its JSON would hold. `images` is the folder of images, for sizes."""
    sources = Source(gt, "gt", gt_format), Source(pred, "pred", pred_format)
    folder = None if images is None else os.fspath(images)
    truth = _read(sources[0], iou_type, None, folder)
    data = read_dataset(truth.coco.lists, truth.coco.rows.origin.path)
    _tell(progress, sources, 1)
    found = _read_pred(sources, iou_type, truth, folder)
    _tell(progress, sources, 2)
    detections = _check(truth, found, data, iou_type)
    records = len(data.images), found.coco.rows.count
    inputs = [
        each
        for source, side, count in zip(sources, (truth, found), records, strict=True)
        for each in side.inputs or [_input(source, count)]
    ]
    return detections._replace(inputs=inputs)


def _read_pred(sources: tuple[Source, Source], iou_type: str, truth: Side, images: str | None) -> Side:
    """Predictions on the images of the ground truth, and with its ids. What was said of that may explain an error."""
    (kind, pred_kind), lists = (source.format for source in sources), truth.coco.lists
    known = None if pred_kind == "coco" else Known(list(lists["images"]), list(lists["categories"]), kind)
    try:
        found = _read(sources[1], iou_type, known, images)
        if pred_kind == "coco":
            join_by_names(found.coco, truth.coco, numbered=kind != "coco")
    except InputError as error:
        raise InputError("\n".join([str(error), *(f"note: {each}" for each in truth.warnings)])) from error
    return found


def _tell(progress: OnProgress | None, sources: tuple[Source, ...], done: int) -> None:
    """How many bytes of COCO files were read, of all."""
    if progress:
        sizes = [source.file.size() if source.file else 0 for source in sources]
        progress(sum(sizes[:done]), sum(sizes))


def find_format(path: str, *, truth: bool = True) -> str:
    """Which format a file or a folder has.

    >>> find_format("instances.json")
    'coco'
    """
    if os.path.isdir(path):
        return _folder_format(path, truth)
    if path.lower().endswith((".txt", ".yaml", ".yml")):
        raise InputError(f"{path}: found a file, expected the folder with the YOLO labels, or a COCO JSON file")
    if path.lower().endswith(".xml"):
        return "voc"
    return "labelme" if _begins_like_labelme(path) else "coco"


def _folder_format(path: str, truth: bool) -> str:
    from calipers.readers import labelme, voc, yolo

    for name, module in (("labelme", labelme), ("voc", voc), ("yolo", yolo)):
        if module.looks_like(path):
            return name
    hint = "" if truth else " (--pred-format tells which it is, if nothing was found on the images)"
    raise InputError(f"{path}: found a folder with none of these files, expected {FOLDERS}{hint}")


def _begins_like_labelme(path: str) -> bool:
    """Whether to have a closer look, for which more has to be loaded. What can be read only once is left alone."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            head = file.read(PEEKED)
    except OSError:  # said when the file is read
        return False
    if b'"shapes"' not in head and b'"imagePath"' not in head:
        return False
    from calipers.readers.labelme import looks_like

    return looks_like(path)


def _check(truth: Side, found: Side, data: Dataset, iou_type: str) -> Detections:
    truth_rows, pred_rows = truth.coco.rows, found.coco.rows
    checked, bad, kept, points = check_truth(truth_rows, data, iou_type)
    guesses, problems = check_pred(pred_rows, data, iou_type, points, found.problems)
    images = kept_images(data.images, kept)
    objects, detections = truth_instances(checked, kept), pred_instances(guesses, problems, kept)
    warnings = [
        *truth.warnings,
        *data.warnings,
        *absent_fields(truth_rows, objects),
        *truth_warnings(objects, images, truth_rows.origin, iou_type),
        *found.warnings,
        *mistaken_file(found.coco),
        *none_usable(detections, pred_rows.origin),
        *derived_shapes(pred_rows, detections, iou_type),
        *pred_warnings(detections, images, pred_rows.origin),
    ]
    return Detections(images, data.categories, objects, detections, [], warnings, bad)


def _input(source: Source, records: int) -> Input:
    if source.file is None:
        return Input(f"<{source.name}>", None, records)
    return Input(whole_text(source.file.path), source.file.digest(), records)


def _read(source: Source, iou_type: str, known: Known | None, images: str | None) -> Side:
    """One side; `known` is what the ground truth has, for predictions in other formats than COCO."""
    if source.format == "coco":
        if source.file is not None:
            side = read_coco(source.file, iou_type, truth=source.truth)
        else:
            side = coco_in_memory(source.given, f"<{source.name}>", iou_type, truth=source.truth)
        return Side(side, [], [], {})
    path = source.path or ""
    name, kinds = READ[source.format]
    if iou_type not in kinds:
        expected = f"expected --iou-type {' or '.join(kinds)}"
        raise InputError(f"{path}: {name} files have no {MEASURED[iou_type]} here, {expected}")
    made = _convert(source.format, path, known, images)
    origin = Origin(path, "", made.places)
    rows = rows_in_memory(made.rows, origin, iou_type, truth=source.truth)
    tables = {"images": made.images, "categories": made.categories}
    return Side(CocoSide(rows, tables), made.inputs, made.warnings, made.problems)


def _convert(kind: str, path: str, known: Known | None, images: str | None) -> Converted:
    if kind == "yolo":
        from calipers.readers.yolo import read_yolo

        return read_yolo(path, known, images)
    if kind == "voc":
        from calipers.readers.voc import read_voc

        return read_voc(path, known)
    from calipers.readers.labelme import read_labelme

    return read_labelme(path, known)
