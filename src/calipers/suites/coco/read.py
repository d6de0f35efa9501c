"""Ground truth and predictions on images, of any format, as `Detections`.

COCO JSON is read as it is; every other format is converted to rows of COCO first, and all pass the same checks. What is
left out is left out on both sides: an image that holds an annotation which cannot be used, with all that is on it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from calipers.core.errors import InputError, keyword
from calipers.core.text import whole_text
from calipers.files.answers.records import AnswerOptions
from calipers.files.inputs import InputFile, OnProgress
from calipers.suites.coco.annotations.by_name import join_by_names
from calipers.suites.coco.annotations.images import Dataset, read_dataset
from calipers.suites.coco.annotations.sides import LoadedSide, join_sides
from calipers.suites.coco.columns import Detections
from calipers.suites.coco.formats.coco_json import CocoSide, Loading, coco_in_memory, converted_rows, read_coco
from calipers.suites.coco.formats.conversion import Folder
from calipers.suites.coco.formats.converted import ImagesAndCategories
from calipers.suites.coco.formats.pieces import SHARD_BYTES, FileShard, Piece, until_error
from calipers.suites.coco.formats.roboflow import COCO_FILE, find_export, find_group, without_group
from calipers.suites.coco.formats.rows import CATEGORY, Origin, rows_in_memory
from calipers.suites.coco.formats.table import (
    BY_NAME,
    find_file_format,
    find_folder_format,
    folder_words,
    open_folder,
    read_shard,
)
from calipers.suites.coco.image_fields import add_fields

ANSWERS = "answers"  # the format of predictions that are answers of models, which is asked for by options of its own
ANSWER_FILES = tuple(f"{name}{packed}" for name in (".jsonl", ".ndjson") for packed in ("", ".gz", ".zst"))
MEASURED = {"bbox": "boxes", "segm": "masks", "keypoints": "keypoints"}


def are_lines(pred: Any) -> bool:
    """Whether predictions are a file of JSON lines by its name: answers of models, unless an option says otherwise.

    >>> are_lines("answers.jsonl.gz"), are_lines("results.json"), are_lines([])
    (True, False, False)
    """
    return isinstance(pred, (str, os.PathLike)) and os.fspath(pred).lower().endswith(ANSWER_FILES)


class SideSource:
    """One side before it is read: what was given, in which format, and the file that is being read if it is COCO."""

    def __init__(self, source: Any, name: str, kind: str | None) -> None:
        self.given, self.name, self.truth = source, name, name == "gt"
        self.path = os.fspath(source) if isinstance(source, (str, os.PathLike)) else None
        self.warnings: list[str] = []
        if self.path is not None and kind in (None, "coco") and os.path.isdir(self.path):
            self.path, self.warnings = find_export(self.path, COCO_FILE) or (self.path, [])
        self.format = kind or ("coco" if self.path is None else find_format(self.path, truth=self.truth))
        if self.path is None and self.format not in ("coco", ANSWERS):
            raise InputError(f"{name}: found {type(source).__name__}, expected the path of {self.format} files")
        self.file = Loading(self.path) if self.path is not None and self.format == "coco" else None


def read_detections(
    gt: Any,
    pred: Any,
    *,
    iou_type: str = "bbox",
    gt_format: str | None = None,
    pred_format: str | None = None,
    images: str | os.PathLike[str] | None = None,
    federated: bool = True,
    fields: Sequence[str] = (),
    answers: AnswerOptions | None = None,
    progress: OnProgress | None = None,
) -> Detections:
    """Both sides, each a path or what its JSON would hold. `images` is the folder of images, for sizes; `federated`
    is whether LVIS's lists of classes are honoured, `fields` are those of images to keep, `answers` says how
    predictions are read that are answers of models."""
    formats = gt_format, pred_format
    reading = SidesReader(gt, pred, iou_type, formats, images, federated=federated, fields=fields, answers=answers)
    reading.start()
    return reading.detections(until_error(reading.shards(SHARD_BYTES), read_shard), progress)


class SidesReader:
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
        fields: Sequence[str] = (),
        answers: AnswerOptions | None = None,
    ) -> None:
        self._fields, self._answers = fields, answers
        pred_format = ANSWERS if answers else formats[1]
        self.sources = SideSource(gt, "gt", formats[0]), SideSource(pred, "pred", pred_format)
        self._iou_type, self._images = iou_type, None if images is None else os.fspath(images)
        self._federated = federated
        self._folders: dict[str, Folder] = {}  # of sides whose files were cut into shards
        self._truth: LoadedSide | None = None
        self._data: Dataset | None = None

    def start(self) -> None:
        """Begin to read files of COCO, in threads; without that it is done when they are needed."""
        for source in self.sources:
            if source.file:
                source.file.start()

    def shards(self, most_bytes: int) -> list[FileShard]:
        """Files that others may read."""
        gt, pred = self.sources
        shards: list[FileShard] = []
        if gt.format != "coco":
            self._folders["gt"] = self._open(gt, None)
            shards += self._folders["gt"].shards(most_bytes)
        elif _needs_sizes(pred.format):
            self._read_truth([])
        if pred.format in ("coco", ANSWERS) or (_needs_sizes(pred.format) and not _lists_images(gt.format)):
            return shards
        try:
            folder = self._open(pred, ImagesAndCategories(self._known_images(), [], gt.format))
            shards += folder.shards(most_bytes)
            self._folders["pred"] = folder
        except InputError:  # comes up again when it is the turn of the predictions
            pass
        return shards

    def wait(self) -> None:
        """Wait until all files are read and digested."""
        for source in self.sources:
            if source.file:
                source.file.digest()

    def _known_images(self) -> list[dict[str, Any]]:
        """Images of the ground truth, as far as they are known yet."""
        if "gt" in self._folders:
            return self._folders["gt"].images
        return [] if self._truth is None else list(self._truth.coco.lists["images"])

    def known(self) -> ImagesAndCategories:
        """All images and classes of the ground truth, once it was read."""
        truth, _ = self._read_truth([])
        lists = truth.coco.lists
        return ImagesAndCategories(list(lists["images"]), list(lists["categories"]), self.sources[0].format)

    def detections(self, pieces: Iterable[Piece], progress: OnProgress | None = None) -> Detections:
        """Both sides, put together from the pieces of all shards in their order."""
        read = list(pieces)
        truth, data = self._read_truth([piece for piece in read if piece.truth])
        _report_progress(progress, self.sources, 1)
        pred = self._read_pred([piece for piece in read if not piece.truth], truth)
        if pred.answers is not None:  # whose labels may be of no class that there is
            lists = {**truth.coco.lists, "categories": pred.coco.lists["categories"]}
            data = read_dataset(lists, truth.coco.rows.origin.path)
        _report_progress(progress, self.sources, 2)
        detections = join_sides(truth, pred, data, self._iou_type, federated=self._federated)
        records = len(data.images), pred.coco.rows.count
        inputs = [
            entry
            for source, side, count in zip(self.sources, (truth, pred), records, strict=True)
            for entry in side.inputs or [_input(source, count)]
        ]
        if self._fields:
            add_fields(detections.images, truth.coco.lists["images"], self._fields)
        return detections._replace(
            inputs=inputs, total=len(data.images), format=self.sources[0].format, answers=pred.answers
        )

    def _read_truth(self, pieces: list[Piece]) -> tuple[LoadedSide, Dataset]:
        if self._truth is None or self._data is None:
            self._truth = self._read(self.sources[0], pieces, None)
            self._data = read_dataset(self._truth.coco.lists, self._truth.coco.rows.origin.path)
        return self._truth, self._data

    def _read_pred(self, pieces: list[Piece], truth: LoadedSide) -> LoadedSide:
        """Predictions on the images of the ground truth, with its ids. What was said of that may explain an error."""
        kind, pred_kind = (source.format for source in self.sources)
        known = None if pred_kind == "coco" else self.known()
        try:
            side = self._read(self.sources[1], pieces, known)
            if pred_kind == "coco":
                join_by_names(side.coco, truth.coco, numbered=kind != "coco")
        except InputError as error:
            raise InputError("\n".join([str(error), *(f"note: {warning}" for warning in truth.warnings)])) from error
        return side

    def _read(self, source: SideSource, pieces: Iterable[Piece], known: ImagesAndCategories | None) -> LoadedSide:
        """One side; `known` is what the ground truth has, for predictions in other formats than COCO."""
        if source.file is not None:
            read = read_coco(source.file, self._iou_type, truth=source.truth)
            return LoadedSide(read, [], source.warnings + _drop_group(read, source), {})
        if source.format == "coco":
            side = coco_in_memory(source.given, f"<{source.name}>", self._iou_type, truth=source.truth)
            return LoadedSide(side, [], [], {})
        if self._answers is not None and source.format == ANSWERS and known is not None:
            return self._read_answers(source, known, self._answers)
        folder = self._folders.get(source.name)
        if folder is None:
            folder = self._open(source, known)
            pieces = until_error(folder.shards(SHARD_BYTES), read_shard)
        made = folder.converted(pieces, known)
        rows = converted_rows(made.columns, Origin(source.path or "", "", made.places), self._iou_type)
        tables = {"images": made.images, "categories": made.categories}
        return LoadedSide(CocoSide(rows, tables), made.inputs, made.warnings, made.problems)

    def _read_answers(self, source: SideSource, known: ImagesAndCategories, options: AnswerOptions) -> LoadedSide:
        """Answers of models, on the images of the ground truth."""
        from calipers.suites.coco.answers import read_answers

        answers = source.given if source.path is None else source.path
        joined = read_answers(answers, known, self.sources[0].path or "the ground truth", options)
        origin = Origin(source.path or "<pred>", "", joined.places)
        rows = rows_in_memory(joined.rows, origin, self._iou_type, truth=False)
        side = CocoSide(rows, {"categories": joined.categories})
        return LoadedSide(side, joined.inputs, joined.warnings, joined.problems, joined.tree["answers"])

    def _open(self, source: SideSource, known: ImagesAndCategories | None) -> Folder:
        """A side in another format than COCO, before its files are read."""
        path = source.path or ""
        kind = BY_NAME[source.format]
        if self._iou_type not in kind.iou_types:
            expected = f"expected {' or '.join(keyword('iou_type', name) for name in kind.iou_types)}"
            raise InputError(f"{path}: no {MEASURED[self._iou_type]} are read from {kind.title}, {expected}")
        return open_folder(source.format, path, known, self._images)


def _drop_group(side: CocoSide, source: SideSource) -> list[str]:
    """Leave out the category of Roboflow that is no class; a warning says so."""
    if not source.truth or find_group(side.lists) is None:
        return []
    rows = side.rows
    side.lists["categories"], warnings = without_group(side.lists["categories"], rows.category[~rows.lacks(CATEGORY)])
    return [f"{source.path}: {warning}" for warning in warnings]


def _needs_sizes(name: str) -> bool:
    return name in BY_NAME and BY_NAME[name].needs_sizes


def _lists_images(name: str) -> bool:
    return name not in BY_NAME or BY_NAME[name].lists_images


def _report_progress(progress: OnProgress | None, sources: tuple[SideSource, ...], done: int) -> None:
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
        return "coco" if find_export(path, COCO_FILE) else _folder_format(path, truth)
    if path.lower().endswith((".txt", ".yaml", ".yml")):
        raise InputError(f"{path}: found a file, expected the folder with the YOLO labels, or a COCO JSON file")
    kind = find_file_format(path)
    return kind.name if kind else "coco"


def _folder_format(path: str, truth: bool) -> str:
    if kind := find_folder_format(path):
        return kind.name
    hint = "" if truth else f" ({keyword('pred_format')} tells which it is, if nothing was found on the images)"
    expected = f"expected a COCO JSON file, or a folder of {folder_words()}"
    raise InputError(f"{path}: found a folder with none of these files, {expected}{hint}")


def _input(source: SideSource, records: int) -> InputFile:
    if source.file is None:
        return InputFile(f"<{source.name}>", None, records)
    return InputFile(whole_text(source.file.path), source.file.digest(), records)
