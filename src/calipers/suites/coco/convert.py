"""Annotations and detections of any format that the suite reads, written as COCO's JSON or as YOLO's labels.

Inputs pass the checks of a run first, so that nothing malformed is written. COCO's JSON is the plain form of this
suite. Detections name images and classes of a ground truth, whose ids and sizes they are written with; so do answers of
models, whose labels have to be classes of it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from calipers.core.errors import ConfigError, InputError, keyword, require
from calipers.core.option_values import whole, word
from calipers.files.answers.families import NAMES
from calipers.files.answers.records import AnswerOptions
from calipers.files.coco_writing import CocoTree, Row, coco_json, without_shapes, yolo_files
from calipers.files.folders import files_below
from calipers.files.image_size import image_size
from calipers.files.inputs import parse_json
from calipers.files.left_out import LeftOut
from calipers.files.problems import shown
from calipers.show.answers import answers_line
from calipers.suite import ConvertedFiles
from calipers.suites.coco.answers import UNKNOWN_LABELS, read_answers
from calipers.suites.coco.columns import Detections
from calipers.suites.coco.config import FORMATS, IOU_TYPES
from calipers.suites.coco.formats.coco_json import DATASET, Loading
from calipers.suites.coco.formats.converted import ImagesAndCategories
from calipers.suites.coco.formats.image_names import IMAGE_ENDINGS, ImageNames
from calipers.suites.coco.formats.pieces import SHARD_BYTES, until_error
from calipers.suites.coco.formats.roboflow import without_group
from calipers.suites.coco.formats.table import BY_NAME, open_folder, read_shard
from calipers.suites.coco.read import ANSWERS, SideSource, are_lines, read_detections

LISTS = ("images", "annotations", "categories")


class PredReading(NamedTuple):
    """How predictions are read, and the ground truth that they belong to."""

    gt: Any
    gt_format: str | None
    pred_format: str | None
    images: str | None
    answers: AnswerOptions | None
    boxes_alone: bool  # so that a detection needs one


class GivenRows(NamedTuple):
    """Detections as they were given, how messages name them, and labels of those of no known class; and notes."""

    rows: list[Row]
    places: list[str]
    unknown: Mapping[int, str] = {}
    notes: Sequence[str] = ()


def convert(
    inputs: list[Any],
    to: str,
    side: str,
    *,
    gt: Any = None,
    gt_format: str | None = None,
    pred_format: str | None = None,
    images: str | None = None,
    iou_type: str | None = None,
    answers: str | None = None,
    pred_field: str | None = None,
    max_bad_records: int = 0,
) -> ConvertedFiles:
    """Ground truth, or predictions on the images of `gt`, as files of another format."""
    left_out = LeftOut(whole("max_bad_records", max_bad_records, 0))
    for name, value in (("gt_format", gt_format), ("pred_format", pred_format)):
        require(value is None or value in FORMATS, name, value, f"one of {', '.join(FORMATS)}")
    if iou_type is not None:
        word("iou_type", iou_type, IOU_TYPES[:2])
    truth = side == "gt"
    require(not truth or gt is None, "gt", gt, "none: these inputs are ground truth themselves")
    require(not truth or pred_format is None, "pred_format", pred_format, "predictions")
    if not truth and pred_format is None and all(map(are_lines, inputs)):
        answers = answers or "auto"
    asked = _answer_options(answers, pred_field, truth, pred_format)
    if truth:
        tree, notes = _joined([_read_truth(source, gt_format, images, left_out) for source in inputs])
    else:
        tree, notes = _read_pred(
            inputs, PredReading(gt, gt_format, pred_format, images, asked, iou_type == "bbox"), left_out
        )
    if iou_type == "bbox":
        tree, shapeless = without_shapes(tree)
        notes += shapeless
    before = len(left_out.errors)
    if to == "yolo":
        sized = tree._replace(images=_with_sizes(tree.images, images))
        files, unwritten = yolo_files(sized, left_out, truth=truth)
        notes += unwritten
    else:
        files = {"": coco_json(tree, left_out, truth=truth)}
    written = len(tree.rows) - (len(left_out.errors) - before)
    counts = {"images": len(tree.images), "classes": len(tree.categories), "objects": written}
    return ConvertedFiles(files, counts, notes + left_out.notes())


def _answer_options(
    answers: str | None, pred_field: str | None, truth: bool, pred_format: str | None
) -> AnswerOptions | None:
    """How predictions are read that are answers of models; a family that is not named is found out."""
    if answers is None and pred_field is None:
        return None
    family = word("answers", "auto" if answers is None else answers, NAMES)
    require(not truth, "answers", family, "predictions: ground truth is no answer of a model")
    require(pred_format is None, "pred_format", pred_format, "none beside answers of models")
    good = pred_field is None or (isinstance(pred_field, str) and bool(pred_field))
    require(good, "pred_field", pred_field, "the name of a field")
    return AnswerOptions(family, pred_field)


# Ground truth


def _read_truth(
    source: Any, kind: str | None, images: str | None, left_out: LeftOut | None
) -> tuple[CocoTree, list[str]]:
    """A data set that a run would take, and what a run would warn of; malformed annotations are left out."""
    checked = read_detections(source, [], gt_format=kind, images=images, federated=False)
    for bad in checked.bad:
        error = InputError(str(bad.error()))
        if left_out is None:
            raise error
        left_out.add(error)
    tree, notes = _truth_tree(SideSource(source, "gt", kind), images, checked.warnings)
    return _without(tree, checked.notices.bad_rows) if checked.bad else tree, notes


def _without(tree: CocoTree, rows: Sequence[int]) -> CocoTree:
    """A data set with all of its annotations but some."""
    dropped = set(rows)
    kept = [row for row in range(len(tree.rows)) if row not in dropped]
    return tree._replace(rows=[tree.rows[row] for row in kept], place=lambda at: tree.place(kept[at]))


def _truth_tree(side: SideSource, images: str | None, warnings: list[str]) -> tuple[CocoTree, list[str]]:
    if side.format == "coco":
        return _coco_tree(side), warnings
    notes = [*warnings, *_unread(side.format)]
    folder = open_folder(side.format, side.path or "", None, images)
    data = folder.converted(until_error(folder.shards(SHARD_BYTES), read_shard), None)
    return CocoTree(data.images, data.categories, data.rows, data.places.__getitem__, side.path or ""), notes


def _unread(name: str) -> list[str]:
    """A note on what files of a format may say that is not read."""
    kind = BY_NAME.get(name)
    return [f"{kind.title}: {kind.unread} are not read, and so not written"] if kind and kind.unread else []


def _coco_tree(side: SideSource) -> CocoTree:
    """A data set in COCO's own form, with everything that it holds."""
    tree = side.given if side.file is None else _parsed(side.file, DATASET)
    path, beside = side.path or "<gt>", {name: tree[name] for name in tree if name not in LISTS}
    images, rows, categories = (list(tree[name]) for name in LISTS)
    categories, _ = without_group(categories, {row.get("category_id") for row in rows})
    return CocoTree(images, categories, rows, lambda row: f"{path}: annotations[{row}]", path, beside)


def _parsed(file: Loading, expected: str) -> Any:
    return parse_json(bytes(file.text()[:-1]), file.path, expected).tree


def _joined(trees: list[tuple[CocoTree, list[str]]]) -> tuple[CocoTree, list[str]]:
    """Several data sets as one: classes go by name, and everything is numbered anew."""
    if len(trees) == 1:
        return trees[0]
    notes = [note for _, warnings in trees for note in warnings]
    classes: dict[str, Row] = {}
    images, rows, places, names = list[Row](), list[Row](), list[str](), Counter[str]()
    for tree, _ in trees:
        for category in tree.categories:
            classes.setdefault(category["name"], {**category, "id": len(classes) + 1})
        ids = {category["id"]: classes[category["name"]]["id"] for category in tree.categories}
        own = {image["id"]: number for number, image in enumerate(tree.images, len(images) + 1)}
        images += [{**image, "id": own[image["id"]]} for image in tree.images]
        names.update(str(image.get("file_name") or "") for image in tree.images)
        for at, row in enumerate(tree.rows):
            ids_of_row = {"id": len(rows) + 1, "image_id": own[row["image_id"]], "category_id": ids[row["category_id"]]}
            rows.append({**row, **ids_of_row})
            places.append(tree.place(at))
        notes += [f"{shown(name)} of a data set was left out, as there are several" for name in tree.beside]
    if twice := [name for name, count in names.items() if count > 1 and name]:
        raise InputError(f"images: {shown(twice[0])} is in two of the inputs, expected each image in one")
    return CocoTree(images, list(classes.values()), rows, places.__getitem__, trees[0][0].source), notes


# Predictions


def _read_pred(inputs: list[Any], reading: PredReading, left_out: LeftOut) -> tuple[CocoTree, list[str]]:
    """Detections of all inputs, with ids of the ground truth."""
    gt, gt_format, pred_format, images, answers, boxes_alone = reading
    if gt is None:
        raise ConfigError(
            f"gt: missing, expected {keyword('gt', 'FILE')}: predictions name images and classes of a ground truth"
        )
    truth, _ = _read_truth(gt, gt_format, images, None)
    known = ImagesAndCategories(truth.images, truth.categories, SideSource(gt, "gt", gt_format).format)
    rows, places, notes = list[Row](), list[str](), list[str]()
    for source in inputs:
        checked = read_detections(
            gt, source, gt_format=gt_format, pred_format=pred_format, images=images, federated=False, answers=answers
        )
        preds = _given_rows(source, known, reading)
        for row, place in _with_ids(preds, checked, left_out, boxes_alone=boxes_alone):
            rows.append(row)
            places.append(place)
        notes += [note for note in (*_notes(checked), *preds.notes) if note not in notes]
    return CocoTree(truth.images, truth.categories, rows, places.__getitem__, truth.source), notes


def _notes(checked: Detections) -> Iterator[str]:
    """What a run would warn of, and what answers were taken for; labels of no class are told one by one."""
    if checked.answers is not None:
        yield f"answers read as {answers_line(checked.answers)}"
    yield from (warning for warning in checked.warnings if not warning.startswith(UNKNOWN_LABELS))


def _given_rows(source: Any, known: ImagesAndCategories, reading: PredReading) -> GivenRows:
    if reading.answers:
        side = SideSource(source, "pred", ANSWERS)
        joined = read_answers(side.path or source, known, str(reading.gt), reading.answers)
        return GivenRows(joined.rows, joined.places, joined.unknown)
    side = SideSource(source, "pred", reading.pred_format)
    if side.format != "coco":
        folder = open_folder(side.format, side.path or "", known, reading.images)
        converted = folder.converted(until_error(folder.shards(SHARD_BYTES), read_shard), known)
        return GivenRows(converted.rows, converted.places, notes=_unread(side.format))
    tree = side.given if side.file is None else _parsed(side.file, "results")
    rows = list(tree["annotations"] if isinstance(tree, Mapping) else tree)
    name = "annotations" if isinstance(tree, Mapping) else ""
    return GivenRows(rows, [f"{side.path or '<pred>'}: {name}[{at}]" for at in range(len(rows))])


def _with_ids(
    preds: GivenRows, checked: Detections, left_out: LeftOut, *, boxes_alone: bool
) -> Iterator[tuple[Row, str]]:
    """The rows with ids of images and classes of the ground truth, and their places; malformed ones are left out.

    With `boxes_alone` a detection that says no box has that of its mask.
    """
    pred, images, classes = checked.pred, checked.images.ids.tolist(), checked.categories.ids.tolist()
    by_place = dict(zip(pred.place.tolist(), range(len(pred)), strict=True))
    for at, (row, place) in enumerate(zip(preds.rows, preds.places, strict=True)):
        own = by_place.get(at)
        problem = "is on no image of the ground truth" if own is None else pred.problems.get(own)
        if own is None or problem:
            left_out.add(InputError(f"{place}: {problem}, expected a detection that can be written"))
        elif at in preds.unknown:
            left_out.add(
                InputError(f"{place}: found the label {shown(preds.unknown[at])}, expected a class of the ground truth")
            )
        else:
            box = {"bbox": pred.box[own].tolist()} if boxes_alone and row.get("bbox") is None else {}
            yield row | {"image_id": images[pred.image[own]], "category_id": classes[pred.category[own]]} | box, place


def _with_sizes(entries: list[Row], folder: str | None) -> list[Row]:
    """Images with the sizes of the files in a folder, where they have none of their own."""
    if folder is None or all(entry.get("width") and entry.get("height") for entry in entries):
        return entries
    files = files_below(folder, IMAGE_ENDINGS)
    names = ImageNames(files, folder)
    sized = []
    for entry in entries:
        name = str(entry.get("file_name") or entry["id"])
        place = None if entry.get("width") and entry.get("height") else names.find(name)
        size = (
            {}
            if place is None
            else dict(zip(("width", "height"), image_size(os.path.join(folder, files[place])), strict=True))
        )
        sized.append({**entry, **size})
    return sized
