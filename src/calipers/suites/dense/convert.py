"""Dumps of any form that the suite reads, written as a plain dump, or one side of them as COCO's JSON or YOLO's labels.

The plain form has both sides in norm1000: a model's answers are objects in it, pixels are brought to the frame. COCO
and YOLO are in pixels, so records need the sizes of their images; each description is a class of its own, over both
sides, so that the two sides of a dump have the same ids. Lines are no regions, and cannot be written as either.
Predictions keep their scores; what else records and objects carry has no place there, and is counted in notes.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from math import inf
from typing import Any, NamedTuple

from calipers.core.config import make_config
from calipers.core.errors import ConfigError, InputError, keyword, require
from calipers.core.option_values import whole
from calipers.core.shapes import FLAGS, KINDS, Objects
from calipers.core.tally import Tally
from calipers.core.text import whole_text
from calipers.files.answers.json_keys import scaled
from calipers.files.answers.model_text import GEOMETRIES, POINT, SCORES, scored
from calipers.files.answers.records import (
    AnswerOptions,
    answers_tree,
    check_frame,
    frame_doubts,
    is_side,
    plain_objects,
)
from calipers.files.coco_writing import CocoTree, Row, coco_json, without_shapes, yolo_files
from calipers.files.left_out import LeftOut
from calipers.files.lines import LineSource
from calipers.files.output import json_line
from calipers.files.places import expand
from calipers.files.problems import explain_object, shown
from calipers.show.answers import answers_line
from calipers.suite import ConvertedFiles
from calipers.suites.dense.config import Config
from calipers.suites.dense.parse import parse_line
from calipers.suites.dense.read import KEY_FIELDS, SIDES, carried, read_records, side_objects

PIECE = 8 << 20  # bytes
WRITTEN = {"type", "points", "desc", "label", *GEOMETRIES, POINT}  # fields of an object that COCO and YOLO hold
ABOUT_IMAGES = {"width", "height", "input_width", "input_height", "coord_mode"}  # which pixels already tell
PLAIN = "plain"
MALFORMED = "expected an object that can be written"


class CheckedRecord(NamedTuple):
    """A record that can be used, as it was read, and its two sides as columns."""

    place: str
    record: Row
    key: str
    truth: Objects
    pred: Objects
    objects: tuple[list[Any], list[Any]]  # of both sides, as they stand in the record


def convert(
    inputs: list[Any],
    to: str,
    side: str,
    *,
    gt: Any = None,
    frame: str = "norm1000",
    answers: str | None = None,
    pred_field: str | None = None,
    iou_type: str | None = None,
    max_bad_records: int = 0,
) -> ConvertedFiles:
    """A plain dump of all records, or one side of them in another format."""
    left_out = LeftOut(whole("max_bad_records", max_bad_records, 0))
    config = make_config(Config, {"frame": frame, "answers": answers, "pred_field": pred_field})
    require(iou_type in (None, "bbox", "segm"), "iou_type", iou_type, "bbox or segm")
    if gt is not None and to != PLAIN:
        raise ConfigError(
            f"gt: found a ground truth, whose ids {to} needs, expected {keyword('suite', 'coco')}, which writes them"
        )
    tally = Tally()  # of answers
    records, notes, read_as = _records(inputs, gt, config, tally)
    reading = _checked(records, config.frame, read_as, tally)
    if to == PLAIN:
        require(gt is not None or side == "both", "side", side, "none: a plain dump has both sides")
        require(iou_type is None, "iou_type", iou_type, "none: a plain dump has all shapes")
        lines = [_plain_line(item, config.frame) for item in reading]
        return ConvertedFiles({"": b"".join(lines)}, {"records": len(lines)}, [*_answer_notes(tally), *notes])
    checked = list(reading)
    notes = [*_answer_notes(tally), *notes]
    if side == "both":
        notes.append(f"the ground truth was written: {keyword('side', 'pred')} writes the predictions")
    truth = side != "pred"
    tree = _tree(checked, truth, left_out)
    notes += _unwritten(checked, truth, config)
    if iou_type == "bbox":
        tree, shapeless = without_shapes(tree)
        notes += shapeless
    before, unwritten = len(left_out.errors), list[str]()
    if to == "yolo":
        files, unwritten = yolo_files(tree, left_out, truth=truth)
    else:
        files = {"": coco_json(tree, left_out, truth=truth)}
    written = len(tree.rows) - (len(left_out.errors) - before)
    counts = {"images": len(tree.images), "classes": len(tree.categories), "objects": written}
    return ConvertedFiles(files, counts, notes + unwritten + left_out.notes())


def _answer_notes(tally: Tally) -> list[str]:
    """What answers were taken for; an InputError where most objects of a family are not in its frame."""
    check_frame(tally)
    tree = answers_tree(tally)
    return [f"answers read as {answers_line(tree['answers'])}", *frame_doubts(tally)] if tree else []


# Reading

Records = Iterator[tuple[str, Any]]  # places and records


def _records(
    inputs: list[Any], gt: Any, config: Config, tally: Tally
) -> tuple[Records, list[str], AnswerOptions | None]:
    """All records with their places, notes, and how their predictions are read; answers already read are counted."""
    if gt is None:
        return _read_all(inputs), [], config.answer_options
    from calipers.suites.dense.coco_truth import join_answers

    require(
        len(inputs) == 1 and _is_path(inputs[0]) and _is_path(gt), "gt", gt, "the path of a COCO file, and one input"
    )
    pred = os.fspath(inputs[0])
    joined = join_answers(os.fspath(gt), pred, frame=config.frame, options=config.joined_options)
    if joined.bad:
        raise InputError(str(joined.bad[0].error()))
    joined.counts.count_in(tally)
    path = whole_text(pred)
    return ((f"{path}: {record['image_path']}", record) for record in joined.records), joined.notes, None


def _is_path(source: Any) -> bool:
    return isinstance(source, (str, os.PathLike))


def _read_all(inputs: list[Any]) -> Records:
    for source in inputs:
        if not _is_path(source):
            records = [source] if isinstance(source, dict) else list(source)
            yield from ((f"<records>:{line}", record) for line, record in enumerate(records, 1))
            continue
        for path in expand([os.fspath(source)]):
            yield from _read_lines(path)


def _read_lines(path: str) -> Records:
    for shard in LineSource(0, path, PIECE):
        for line, text in shard.lines():
            if text is None or text.strip():
                yield f"{whole_text(path)}:{line}", None if text is None else parse_line(text.strip())[0]


def _checked(records: Records, frame: str, answers: AnswerOptions | None, tally: Tally) -> Iterator[CheckedRecord]:
    """Records that a run would take, whose answers are counted; the first that it would refuse is an error."""
    for place, record in records:
        reading = read_records([record], frame=frame, keep=True, answers=answers)
        if reading.bad:
            bad = reading.bad[0]
            raise InputError(f"{place}: {bad.problem}" + (f"\nfound {bad.found}" if bad.found else ""))
        if reading.answers is not None:
            reading.answers.count_in(tally)
        batch = reading.batch
        key = batch.keys[0] if len(batch) else _key_of(record)
        own = not key.startswith("<records>:")
        used = batch.raw[0] if len(batch) else _without_objects(record, frame, answers)
        truth, pred = side_objects(used, frame)
        yield CheckedRecord(place, used, key if own else "", batch.truth, batch.pred, (truth, pred))


def _without_objects(record: Row, frame: str, answers: AnswerOptions | None) -> Row:
    """A record that has none, with an empty list where its answer was."""
    return record | {"pred" if frame == "pixel" else "pred_norm1000": []} if answers else record


def _key_of(record: Row) -> str:
    """The key of a record without objects, which the reader passes over."""
    box = {"type": "bbox_2d", "points": [0, 0, 1, 1], "desc": ""}
    sides = {name: record[name] for name in ("image_path", "id", "image") if name in record}
    return str(read_records([{**sides, "gt_norm1000": [box], "pred": []}], frame="norm1000").batch.keys[0])


# The plain form


def _plain_line(item: CheckedRecord, frame: str) -> bytes:
    """A record with both sides in norm1000, and all that it carries beside them."""
    record = item.record
    truth, pred = _side_names(record, frame)
    sides = {"gt_norm1000": record[truth], "pred_norm1000": record[pred]}
    if frame == "pixel":
        x, y = (1000, record["width"]), (1000, record["height"])
        sides = {name: [_scaled(shape, x, y) for shape in shapes] for name, shapes in sides.items()}
    beside = {name: value for name, value in record.items() if name not in (*SIDES, "coord_mode")}
    return json_line({**beside, **sides})


def _side_names(record: Row, frame: str) -> tuple[str, str]:
    if frame == "pixel":
        return "gt", "pred"
    truth = "gt_norm1000" if "gt_norm1000" in record else "gt_norm"
    return truth, "pred_norm1000" if "pred_norm1000" in record else "pred"


def _scaled(shape: Any, x: tuple[float, float], y: tuple[float, float]) -> Any:
    """An object in norm1000; one that cannot be read stays what it is."""
    [plain] = plain_objects([shape])
    if not isinstance(plain, dict) or "points" not in plain:
        return shape
    return {**plain, "points": scaled(plain["points"], x, y)}


# COCO and YOLO


def _tree(records: list[CheckedRecord], truth: bool, left_out: LeftOut) -> CocoTree:
    """One side of all records in COCO's shape."""
    classes = {desc: number for number, desc in enumerate(sorted(_descs(records)), 1)}
    images, rows, places = list[Row](), list[Row](), list[str]()
    for number, (item, file) in enumerate(zip(records, _file_names(records), strict=True), 1):
        images.append({"id": number, "file_name": file, **_size(item)})
        for name, row in _rows(item, truth, images[-1], left_out):
            own = {"image_id": number, "category_id": classes[row.pop("desc")]}
            rows.append(({"id": len(rows) + 1} if truth else {}) | own | row | ({"iscrowd": 0} if truth else {}))
            places.append(name)
    categories = [{"id": number, "name": desc} for desc, number in classes.items()]
    source = records[0].place.rpartition(":")[0] if records else ""
    return CocoTree(images, categories, rows, places.__getitem__, source)


def _file_names(records: list[CheckedRecord]) -> Iterator[str]:
    """The keys of records; one without is named by its number, unless that is the key of another."""
    keys = {item.key for item in records}
    for number, item in enumerate(records, 1):
        name = item.key or str(number)
        while not item.key and name in keys:
            name = f"record-{name}"
        yield name


def _descs(records: list[CheckedRecord]) -> set[str]:
    """Descriptions of all objects of both sides that can be read."""
    used: set[str] = set()
    for item in records:
        texts = {code: text for text, code in item.truth.descs.items()}
        for side in (item.truth, item.pred):
            pairs = zip(side.desc, side.reason, strict=True)
            used.update(texts[code] for code, reason in pairs if not reason and texts[code].strip())
    return used


def _size(item: CheckedRecord) -> Row:
    sizes = {name: item.record.get(name) for name in ("width", "height")}
    for name, value in sizes.items():
        if not is_side(value):
            raise InputError(
                f"{item.place}: {name}: found {shown(value)}, expected the size of the image: pixels are written"
            )
    return sizes


def _rows(item: CheckedRecord, truth: bool, image: Row, left_out: LeftOut) -> Iterator[tuple[str, Row]]:
    """The objects of a side in pixels; what cannot be written is left out."""
    side = item.truth if truth else item.pred
    texts, points = {code: text for text, code in side.descs.items()}, list(side.points)
    objects = item.objects[not truth]
    for at in range(len(side)):
        place, kind = f"{item.place}: {'gt' if truth else 'pred'}[{at}]", side.kind[at]
        problem = _problem(item, side, at, texts.get(side.desc[at], "")) or ("" if truth else _bad_score(objects[at]))
        if problem:
            left_out.add(InputError(f"{place}: {problem}"))
        else:
            yield (
                place,
                {
                    "desc": texts[side.desc[at]],
                    **_shape(points[side.starts[at] : side.starts[at + 1]], KINDS[kind], image),
                    **({} if truth else scored(objects[at])),
                },
            )


def _problem(item: CheckedRecord, side: Objects, at: int, desc: str) -> str:
    """Why an object cannot be written, or nothing."""
    if side.reason[at]:
        return f"{_malformed(item, at, side.reason[at])}, {MALFORMED}"
    if not desc.strip():
        return f"desc: found {shown(desc)}, expected the name of a class"
    is_line = KINDS[side.kind[at]] == "line"
    return "type: found a line, expected boxes and polygons: a line is no region" if is_line else ""


def _bad_score(item: Any) -> str:
    """What is wrong with the score of an object, or nothing."""
    score = scored(item).get("score") if isinstance(item, dict) else None
    good = score is None or (isinstance(score, (int, float)) and not isinstance(score, bool) and abs(score) < inf)
    return "" if good else f"score: found {shown(score)}, expected a number"


def _malformed(item: CheckedRecord, at: int, reason: int) -> str:
    where, problem, value = explain_object(item.objects[1][at], reason, "norm1000", 1000.0, 1000.0)
    return f"{where.removeprefix('.')}{': ' if where else ''}{problem}" + (f", found {value}" if value else "")


def _unwritten(records: list[CheckedRecord], truth: bool, config: Config) -> Iterator[str]:
    """Notes on what records and objects of a side carry that COCO and YOLO have no place for, and on what was cut."""
    fields, others, cut = Counter[str](), Counter[str](), 0
    for item in records:
        key = next((name for name in KEY_FIELDS if name in item.record), "")
        fields.update(set(carried(item.record)) - ABOUT_IMAGES - {key, config.pred_field or ""})
        for thing in item.objects[not truth]:
            others.update(set(thing) - WRITTEN - set(() if truth else SCORES) if isinstance(thing, dict) else ())
        cut += sum(bool(flags & FLAGS["clamped"]) for flags in (item.truth if truth else item.pred).flags)
    for part, names in (("records", fields), ("objects", others)):
        for name in sorted(names):
            yield f"{part}: {shown(name)} is no part of a class or a shape and was left out ({names[name]:,})"
    if cut:
        yield f"objects that reach outside their image were cut to it ({cut:,})"


def _shape(numbers: list[float], kind: str, image: Row) -> Row:
    """Box and outline in pixels."""
    sides = image["width"], image["height"]
    pixels = [value * sides[index % 2] / 1000 for index, value in enumerate(numbers)]
    xs, ys = pixels[::2], pixels[1::2]
    box = [min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)]
    return {"bbox": box} if kind == "bbox_2d" else {"bbox": box, "segmentation": [pixels]}
