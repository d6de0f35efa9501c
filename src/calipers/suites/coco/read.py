"""Ground truth and predictions on images, of any format, as `Detections`.

COCO JSON is read as it is; every other format is converted to rows of COCO first, and all pass the same checks. What is
left out is left out on both sides: an image that holds an annotation which cannot be used, with all that is on it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib import import_module
from typing import Any, NamedTuple

from calipers.core.errors import InputError, keyword
from calipers.core.text import whole_text
from calipers.files.inputs import Input, OnProgress
from calipers.suites.coco.annotations.by_name import join_by_names
from calipers.suites.coco.annotations.federated import Judged, federated_warnings, judge, read_federated
from calipers.suites.coco.annotations.images import Dataset, read_dataset
from calipers.suites.coco.annotations.instances import kept_images, pred_instances, truth_instances
from calipers.suites.coco.annotations.pred import Problems, check_pred
from calipers.suites.coco.annotations.repeats import (
    absent_fields,
    derived_shapes,
    mistaken_file,
    none_usable,
    pred_warnings,
    truth_warnings,
)
from calipers.suites.coco.annotations.rows import Origin
from calipers.suites.coco.annotations.truth import Checked, check_truth
from calipers.suites.coco.columns import Detections
from calipers.suites.coco.formats.coco_json import CocoSide, Loading, coco_in_memory, converted_rows, read_coco
from calipers.suites.coco.formats.conversion import Folder
from calipers.suites.coco.formats.converted import Known
from calipers.suites.coco.formats.pieces import SHARD_BYTES, FileShard, Piece, until_error

MEASURED = {"bbox": "boxes", "segm": "masks", "keypoints": "keypoints"}
READ = {"yolo": ("YOLO", ("bbox", "segm")), "voc": ("Pascal VOC", ("bbox",)), "labelme": ("LabelMe", ("bbox", "segm"))}
FOLDERS = "a COCO JSON file, or a folder of YOLO labels, Pascal VOC XML or LabelMe JSON"
PEEKED = 4096  # bytes
LABELME_KEYS = (b'"shapes"', b'"imagePath"', b'"imageData"')  # one of them is among the first of every LabelMe file


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
    federated: bool = True,
    progress: OnProgress | None = None,
) -> Detections:
    """Both sides, each a path or what its JSON would hold. `images` is the folder of images, for sizes; `federated`
    is whether LVIS's lists of classes are honoured."""
    reading = Reading(gt, pred, iou_type, (gt_format, pred_format), images, federated=federated)
    return reading.detections(until_error(reading.shards(SHARD_BYTES), read_shard), progress)


class Reading:
    """Both sides of a run: their files in shards, and what becomes of the pieces.

    COCO files are read here, whole. Files of other formats are cut into shards, as far as they can be found before the
    ground truth is read: predictions in YOLO's format need the sizes of images. What is left is read here as well.
    Whatever is wrong is told in the order of reading, ground truth first, however the shards were read.
    """

    def __init__(
        self,
        gt: Any,
        pred: Any,
        iou_type: str,
        formats: tuple[str | None, str | None],
        images: str | os.PathLike[str] | None,
        *,
        federated: bool = True,
    ) -> None:
        self.sources = Source(gt, "gt", formats[0]), Source(pred, "pred", formats[1])
        self._iou_type, self._images = iou_type, None if images is None else os.fspath(images)
        self._federated = federated
        self._folders: dict[str, Folder] = {}  # of sides whose files were cut into shards
        self._truth: Side | None = None
        self._data: Dataset | None = None

    def shards(self, most_bytes: int) -> list[FileShard]:
        """Files that others may read."""
        gt, pred = self.sources
        shards: list[FileShard] = []
        if gt.format != "coco":
            self._folders["gt"] = self._open(gt, None)
            shards += self._folders["gt"].shards(most_bytes)
        elif pred.format == "yolo":
            self._read_truth([])
        if pred.format == "coco" or (pred.format == "yolo" and gt.format in ("voc", "labelme")):
            return shards
        try:
            folder = self._open(pred, Known(self._known_images(), [], gt.format))
            shards += folder.shards(most_bytes)
            self._folders["pred"] = folder
        except InputError:  # comes up again when it is the turn of the predictions
            pass
        return shards

    def wait(self) -> None:
        """Until files are read and digested."""
        for source in self.sources:
            if source.file:
                source.file.digest()

    def _known_images(self) -> list[dict[str, Any]]:
        """Images of the ground truth, as far as they are known yet."""
        if "gt" in self._folders:
            return self._folders["gt"].images
        return [] if self._truth is None else list(self._truth.coco.lists["images"])

    def known(self) -> Known:
        """All images and classes of the ground truth, once it was read."""
        truth, _ = self._read_truth([])
        lists = truth.coco.lists
        return Known(list(lists["images"]), list(lists["categories"]), self.sources[0].format)

    def detections(self, pieces: Iterable[Piece], progress: OnProgress | None = None) -> Detections:
        """Everything, of the pieces of all shards in their order."""
        found = list(pieces)
        truth, data = self._read_truth([piece for piece in found if piece.truth])
        _tell(progress, self.sources, 1)
        pred = self._read_pred([piece for piece in found if not piece.truth], truth)
        _tell(progress, self.sources, 2)
        detections = _check(truth, pred, data, self._iou_type, self._federated)
        records = len(data.images), pred.coco.rows.count
        inputs = [
            each
            for source, side, count in zip(self.sources, (truth, pred), records, strict=True)
            for each in side.inputs or [_input(source, count)]
        ]
        return detections._replace(inputs=inputs, total=len(data.images), format=self.sources[0].format)

    def _read_truth(self, pieces: list[Piece]) -> tuple[Side, Dataset]:
        if self._truth is None or self._data is None:
            self._truth = self._read(self.sources[0], pieces, None)
            self._data = read_dataset(self._truth.coco.lists, self._truth.coco.rows.origin.path)
        return self._truth, self._data

    def _read_pred(self, pieces: list[Piece], truth: Side) -> Side:
        """Predictions on the images of the ground truth, with its ids. What was said of that may explain an error."""
        kind, pred_kind = (source.format for source in self.sources)
        known = None if pred_kind == "coco" else self.known()
        try:
            found = self._read(self.sources[1], pieces, known)
            if pred_kind == "coco":
                join_by_names(found.coco, truth.coco, numbered=kind != "coco")
        except InputError as error:
            raise InputError("\n".join([str(error), *(f"note: {each}" for each in truth.warnings)])) from error
        return found

    def _read(self, source: Source, pieces: Iterable[Piece], known: Known | None) -> Side:
        """One side; `known` is what the ground truth has, for predictions in other formats than COCO."""
        if source.file is not None:
            return Side(read_coco(source.file, self._iou_type, truth=source.truth), [], [], {})
        if source.format == "coco":
            side = coco_in_memory(source.given, f"<{source.name}>", self._iou_type, truth=source.truth)
            return Side(side, [], [], {})
        folder = self._folders.get(source.name)
        if folder is None:
            folder = self._open(source, known)
            pieces = until_error(folder.shards(SHARD_BYTES), read_shard)
        made = folder.converted(pieces, known)
        rows = converted_rows(made.columns, Origin(source.path or "", "", made.places), self._iou_type)
        tables = {"images": made.images, "categories": made.categories}
        return Side(CocoSide(rows, tables), made.inputs, made.warnings, made.problems)

    def _open(self, source: Source, known: Known | None) -> Folder:
        """A side in another format than COCO, before its files are read."""
        path = source.path or ""
        name, kinds = READ[source.format]
        if self._iou_type not in kinds:
            expected = f"expected {' or '.join(keyword('iou_type', kind) for kind in kinds)}"
            raise InputError(f"{path}: {name} files have no {MEASURED[self._iou_type]} here, {expected}")
        return _open(source.format, path, known, self._images)


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
    from calipers.suites.coco.formats import labelme, voc, yolo

    for name, module in (("labelme", labelme), ("voc", voc), ("yolo", yolo)):
        if module.looks_like(path):
            return name
    hint = "" if truth else f" ({keyword('pred_format')} tells which it is, if nothing was found on the images)"
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
    if not any(key in head for key in LABELME_KEYS):
        return False
    from calipers.suites.coco.formats.labelme import looks_like

    return looks_like(path)


def _check(truth: Side, found: Side, data: Dataset, iou_type: str, federated: bool) -> Detections:
    truth_rows, pred_rows = truth.coco.rows, found.coco.rows
    checked, bad, kept, points = check_truth(truth_rows, data, iou_type)
    guesses, problems = check_pred(pred_rows, data, iou_type, points, found.problems)
    judged = _judge(truth, data, iou_type, checked, guesses, problems) if federated else None
    images = kept_images(data.images, kept)
    objects, detections = truth_instances(checked, kept), pred_instances(guesses, problems, kept)
    if judged is not None:
        detections.crowd = judged.partial[detections.place]
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
        *([] if judged is None else federated_warnings(judged, pred_rows.origin.path)),
    ]
    return Detections(images, data.categories, objects, detections, [], warnings, bad)


def _judge(
    truth: Side, data: Dataset, iou_type: str, checked: Checked, guesses: Checked, problems: Problems
) -> Judged | None:
    """What becomes of detections on images that tell which classes were looked for; those left out lose their image."""
    told = read_federated(truth.coco.lists["images"], data, iou_type)
    if told is None:
        return None
    judged = judge(told, checked, guesses, problems)
    guesses.image[judged.left_out] = -1
    return judged


def _input(source: Source, records: int) -> Input:
    if source.file is None:
        return Input(f"<{source.name}>", None, records)
    return Input(whole_text(source.file.path), source.file.digest(), records)


def _open(kind: str, path: str, known: Known | None, images: str | None) -> Folder:
    if kind == "yolo":
        from calipers.suites.coco.formats.yolo import open_yolo

        return open_yolo(path, images, known)
    if kind == "voc":
        from calipers.suites.coco.formats.voc import open_voc

        return open_voc(path, truth=known is None)
    from calipers.suites.coco.formats.labelme import open_labelme

    return open_labelme(path, truth=known is None)


def read_shard(shard: FileShard) -> Piece:
    """Files of any format to what they hold."""
    return import_module(f"calipers.suites.coco.formats.{shard.format}").read_shard(shard)  # type: ignore[no-any-return]
