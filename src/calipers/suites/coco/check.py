"""Detections: what is in data sets and results, what readers would refuse, and whether boxes lie on the true ones."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from calipers.core.errors import InputError, keyword
from calipers.core.interpretations import ranked, sample_of
from calipers.core.survey import (
    FileCheck,
    Kind,
    SidesCheck,
    compared_labels,
    counted,
    is_constant,
    nothing_evaluated,
    path_of,
    shown_first,
    twice,
)
from calipers.suites.coco.annotations.images import find_ids
from calipers.suites.coco.annotations.lookup import OTHERWISE
from calipers.suites.coco.annotations.pred import Problems, judge_numbers, unread_fields
from calipers.suites.coco.columns import Detections, Instances
from calipers.suites.coco.config import Config
from calipers.suites.coco.formats.coco_json import CocoSide, Loading, coco_in_memory, read_coco
from calipers.suites.coco.formats.rows import CATEGORY, IMAGE
from calipers.suites.coco.interpretations import (
    DetectionRows,
    TruthSide,
    coco_trial,
    crowding,
    has_ap,
    has_order,
    near_rows,
    other_readings,
)
from calipers.suites.coco.measure import check_work, measure
from calipers.suites.coco.prediction_sample import COCO_JSON, PredictionSample, read_side
from calipers.suites.coco.read import read_detections
from calipers.suites.coco.refusals import dataset_faults, folder_faults
from calipers.suites.coco.survey import is_yolo

NO_BOXES = "no boxes at all"
AP, F1, OVERLAP = "AP_50", "F1 at IoU 0.50", "mean best IoU"
SAMPLE = 200  # images
MAX_PAIRS = 10_000_000  # of annotations and detections on the sampled images, for which readings are tried


def examine(source: Any, kind: Kind, side: str, **options: Any) -> FileCheck:
    """Survey a data set (side gt) or a list of results."""
    file = FileCheck(path_of(source, side), kind.name, "coco", side)
    if side == "gt":
        _describe_dataset(file, source, kind, options)
    elif kind in COCO_JSON:
        _describe_rows(file, read_side(source))
    return file


# Ground truth


def _describe_dataset(file: FileCheck, source: Any, kind: Kind, options: Mapping[str, Any]) -> None:
    """Survey a data set and count all of its faults; a run ends at the first."""
    plain = kind in COCO_JSON
    try:
        _describe_truth(file, read_detections(source, [], **options))
    except InputError as error:
        faults = dataset_faults(_dataset(source)) if plain else folder_faults(source, options.get("images"))
        file.refuse([str(error), *(message for message in faults if message != str(error))])
        return
    names = (image.get("file_name") for image in _dataset(source).lists["images"]) if plain else ()
    file.doubled = twice(name for name in names if isinstance(name, str) and name)


def _dataset(source: Any) -> CocoSide:
    if isinstance(source, (str, os.PathLike)):
        return read_coco(Loading(os.fspath(source)), "bbox", truth=True)
    return coco_in_memory(source, "<gt>", "bbox", truth=True)


def _describe_truth(file: FileCheck, detections: Detections) -> None:
    truth, images = detections.truth, detections.images
    file.counts["contents"] = {
        "images": len(images),
        "without annotations": int((np.diff(truth.offsets) == 0).sum()),
        "annotations": len(truth),
        "crowd": int(truth.crowd.sum()),
        "categories": len(detections.categories),
    }
    file.refuse(str(bad.error()) for bad in detections.bad)
    file.measure("image width", images.width)
    file.measure("image height", images.height)
    _measure_boxes(file, truth.box)
    file.measure("annotations of an image", np.diff(truth.offsets))
    file.warnings += [*detections.warnings, *_truth_doubts(detections)]
    file.itself = _self_check(detections)


def _measure_boxes(file: FileCheck, box: Any) -> None:
    for at, name in enumerate(("x", "y", "width", "height")):
        file.measure(f"box {name}", box[:, at])


def _truth_doubts(detections: Detections) -> Iterator[str]:
    yield from _box_doubts(detections.truth.box)
    unused = [
        name for at, name in enumerate(detections.categories.names) if not (detections.truth.category == at).any()
    ]
    if unused:
        yield f"{counted(len(unused), 'category', 'categories')} without an annotation: {shown_first(unused)}"


def _box_doubts(box: Any) -> Iterator[str]:
    good = box[np.isfinite(box).all(axis=1)]
    if not len(good):
        yield NO_BOXES
        return
    if is_constant(good[:, 2]) and is_constant(good[:, 3]):
        yield f"every box has the same size, {good[0, 2]:g} by {good[0, 3]:g}"
    if good.max() <= 1:
        yield "no number of a box is larger than 1: are they fractions of the image?"


def _self_check(detections: Detections) -> dict[str, Any] | None:
    """Annotations as detections: AP, with what the limit on detections leaves out; None if nothing could match."""
    truth = detections.truth
    if not ((truth.box[:, 2] * truth.box[:, 3] > 0) & ~truth.crowd).any():
        return None
    pred = _as_detections(truth)
    measured = measure(detections._replace(pred=pred), Config(bootstrap=0))
    flat = int(((truth.box[:, 2] * truth.box[:, 3] == 0) & ~truth.crowd).sum())
    apart = {"no area": flat, "crowd": int(truth.crowd.sum())}
    rates = _self_rates(measured)
    wrong = [] if flat else [f"{name} is {value:g}" for name, value in rates.items() if value not in (None, 1.0)]
    if cut := _cut(truth):
        wrong.append(
            f"{cut} beyond the best 100 of a class on an image, which AP leaves out: see {keyword('max_dets')}"
        )
    return {"figures": rates, "perfect": not wrong, "apart": apart, "imperfect": wrong}


def _as_detections(truth: Instances) -> Instances:
    """Annotations, crowds apart, with scores that rank them in their order."""
    rows = np.flatnonzero(~truth.crowd)
    return Instances(
        image=truth.image[rows],
        category=truth.category[rows],
        box=truth.box[rows],
        area=truth.area[rows],
        crowd=truth.crowd[rows],
        score=1.0 - np.arange(len(rows)) / max(1, len(rows)) / 2,
        ids=np.arange(1, len(rows) + 1),
        place=rows,
        problems={},
        images=len(truth.offsets) - 1,
    )


def _self_rates(measured: Any) -> dict[str, float | None]:
    from calipers.suites.coco.curves import coco_lines

    config, sides = measured.config, measured.matched
    lines = coco_lines(measured.accumulated, "bbox", config.limits) if measured.accumulated else {}
    objects, matched = len(sides.truth) + len(sides.pred), len(sides.at_primary(config))
    return {"AP": lines.get("AP"), "F1": 2 * matched / objects if objects else None}


def _cut(truth: Instances, most: int = 100) -> str:
    """Annotations that a limit of detections would cut."""
    pairs = Counter(zip(truth.image[~truth.crowd].tolist(), truth.category[~truth.crowd].tolist(), strict=True))
    over = sum(max(0, n - most) for n in pairs.values())
    return counted(over, "annotation") if over else ""


# Results


def _describe_rows(file: FileCheck, side: CocoSide) -> None:
    rows = side.rows
    named = [~rows.lacks(bit) for bit in (IMAGE, CATEGORY)]
    file.counts["contents"] = {
        "detections": rows.count,
        "images": len(np.unique(rows.image[named[0]])),
        "categories": len(np.unique(rows.category[named[1]])),
    }
    _measure_boxes(file, rows.box)
    file.measure("score", rows.score)
    has_masks = any(shape is not None for shape in rows.shapes or [])
    file.warnings += [text for text in _box_doubts(rows.box) if not has_masks or text != NO_BOXES]
    file.warnings += _score_doubts(rows.score, rows.count)
    file.refuse(*_unreadable(rows))
    file.invalid = Counter(_problems(rows).values())


def _problems(rows: Any) -> dict[int, str]:
    """The first problem of each detection that can match nothing, by row; a mask may stand for a box."""
    problems = Problems()
    unread_fields(rows, problems)
    judge_numbers(rows, problems)
    shaped = {row for row, shape in enumerate(rows.shapes or []) if shape is not None}
    nothing = {row for row, fields in rows.wrong.items() if "" in fields}
    masks = {row for row in shaped if problems.get(row) == "bbox: missing"}
    return {row: words for row, words in problems.items() if row not in masks | nothing}


def _score_doubts(score: Any, count: int) -> Iterator[str]:
    known = score[np.isfinite(score)]
    if len(known) < count:
        yield f"{count - len(known):,} of {counted(count, 'detection')} without a score, so that AP is undefined"
    elif not has_order(score):
        yield f"all scores are {score[0]:g}, so that AP is undefined"
    elif len(known) and (known.min() < 0 or known.max() > 1):
        yield f"scores from {known.min():g} to {known.max():g}, not from 0 to 1"


def _unreadable(rows: Any) -> tuple[list[str], int]:
    """Rows that belong to no image or category, in words, and how many."""
    wrong = {
        row: (name, value)
        for row, fields in rows.wrong.items()
        for name, value in fields.items()
        if name in ("", "image_id", "category_id")
    }
    lacking = np.flatnonzero(rows.lacks(IMAGE) | rows.lacks(CATEGORY)).tolist()
    messages = [f"{rows.origin.name(row)}: {_row_words(*wrong[row])}" for row in sorted(wrong)]
    bare = [row for row in lacking if row not in wrong]
    messages += [f"{rows.origin.name(row)}: image_id or category_id missing, expected both" for row in bare]
    return messages, len(messages)


def _row_words(name: str, value: Any) -> str:
    from calipers.files.problems import shown

    expected = "an object" if not name else "a whole number, the id of the ground truth"
    return f"{name + ': ' if name else ''}found {shown(value)}, expected {expected}"


# Both sides


def compare(gt: Any, pred: Any, kind: Kind, file: FileCheck | None = None, **options: Any) -> SidesCheck:
    """Compare detections with ground truth, as written and read otherwise; a refusal is noted in the file's entry."""
    sample = PredictionSample(gt, pred, kind, options)
    detections, rows = sample.truth, sample.rows
    ground, config = TruthSide(detections, SAMPLE, yolo=is_yolo(kind)), Config(bootstrap=0)
    sides = SidesCheck(
        path_of(gt, "gt"), path_of(pred, "pred"), AP if has_ap(rows.score, len(detections.categories)) else F1, OVERLAP
    )
    if file is not None:
        _add_run_warnings(file, sample, config)
    _describe_sides(sides, detections, rows)
    sides.sample = sample_of(int(ground.sampled.sum()), len(np.unique(detections.truth.image)), "images")
    if len(detections.images):
        _try_readings(sides, ground, near_rows(ground, rows), config)
    return sides


def _try_readings(sides: SidesCheck, ground: TruthSide, rows: DetectionRows, config: Config) -> None:
    if crowded := crowding(ground, rows, MAX_PAIRS):
        sides.warnings.append(
            f"images too crowded to compare: {crowded}; calipers coco {keyword('max_pairs', 'N')} compares them"
        )
        return
    now = coco_trial(ground, rows, ground.ids(rows), rows.box, config)
    sides.score, sides.overlap = now
    if len(rows.image):
        sides.readings = ranked(now, other_readings(ground, rows, config))


def _add_run_warnings(file: FileCheck, sample: PredictionSample, config: Config) -> None:
    """Add the warnings of the suite about both inputs together."""
    detections = sample.as_run
    if isinstance(detections, InputError):
        _refuse(file, sample, str(detections).removesuffix(OTHERWISE))
        return
    file.warnings += [warning for warning in detections.warnings if warning not in sample.truth.warnings]
    if not file.counts:
        describe_converted(file, detections.pred)
    if not detections.bad and not len(detections.truth) and not len(detections.pred):
        file.refuse([nothing_evaluated("image", detections.total)])
    try:
        check_work(detections, config)
    except InputError as error:
        file.refuse([str(error)])


def _refuse(file: FileCheck, sample: PredictionSample, problem: str) -> None:
    """Count all detections on unknown images or of unknown classes, of which a run refuses the first."""
    texts, n = sample.unknown()
    if file.refused:
        file.refuse(texts, n)
    else:
        file.refuse([problem, *texts], max(1, n))


def describe_converted(file: FileCheck, pred: Instances) -> None:
    """Detections of formats that can only be read with their ground truth."""
    file.counts["contents"] = {
        "detections": len(pred),
        "images": len(np.unique(pred.image)),
        "categories": len(np.unique(pred.category)),
    }
    _measure_boxes(file, pred.box)
    file.measure("score", pred.score)
    file.invalid = Counter(pred.problems.values())
    file.warnings += [*_box_doubts(pred.box), *_score_doubts(pred.score, len(pred))]


def describe_labels(sides: SidesCheck, detections: Detections) -> None:
    """Which classes both sides have, of detections whose classes are known."""
    names = detections.categories.names
    sides.labels = compared_labels(
        *(Counter(names[code] for code in side.category.tolist()) for side in (detections.truth, detections.pred))
    )


def _describe_sides(sides: SidesCheck, detections: Detections, rows: DetectionRows) -> None:
    names = detections.categories.names
    truth = Counter(names[code] for code in detections.truth.category.tolist())
    places, known = find_ids(detections.categories.ids, rows.category)
    pred = Counter(names[code] for code in places[known].tolist())
    sides.labels = compared_labels(truth, pred)
    busy = np.unique(detections.truth.image)
    silent = int((~np.isin(busy, find_ids(detections.images.ids, rows.image)[0])).sum())
    if silent:
        sides.warnings.append(f"images with objects: {silent:,} of {len(busy):,} without a detection")
