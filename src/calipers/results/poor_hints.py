"""A line for a run whose headline is poor, but not next to nothing, if predictions read otherwise would fit far better.

It may come from one kind of shape, from some of the boxes or from some of the videos that are read wrongly. The
readings are tried on a few records, so that they take a moment, and inputs that would take long to read again are left
alone. Nothing is said if no reading would make a fair score of a poor one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.core.interpretations import fits_far_better, ranked, sample_of
from calipers.results.check_hints import (
    Report,
    coco_headline,
    dense_config,
    has_common,
    is_guess,
    is_low,
    localization,
    scene_config,
    timeline_config,
)
from calipers.results.check_text import better_lines

if TYPE_CHECKING:
    from calipers.core.survey import SidesCheck
    from calipers.suites.coco.columns import Detections, Instances

POOR = 0.5  # a headline below it may be due to a reading
FEW_RECORDS, FEW_OBJECTS = 200, 1500  # that readings of a dense result are tried on
FEW_SCENES, FEW_BOXES = 20, 300
FEW_VIDEOS, FEW_INTERVALS = 50, 2000
FEW_IMAGES, FEW_PAIRS = 20, 100_000
FEW_BYTES = 10_000_000  # of timelines, which are read whole


def poor_lines(suite: str, report: Report, *inputs: Any) -> Iterator[str]:
    """One line for every part of a report that is poor, and would be far better read otherwise."""
    makers: dict[str, Callable[..., Iterator[str]]] = {
        "dense": _dense,
        "timeline": _timeline,
        "scene": _scene,
        "coco": _coco,
    }
    return makers[suite](report, *inputs)


def is_poor(value: float | None) -> bool:
    """Whether a headline may be due to a reading, and is not so low that it is explained anyway.

    >>> is_poor(0.3), is_poor(0.5), is_poor(0.01), is_poor(None)
    (True, False, False, False)
    """
    return value is not None and value < POOR and not is_low(value)


def _dense(report: Report, dumps: list[str]) -> Iterator[str]:
    found = localization(report)
    f1 = found["primary"]["f1"]
    if is_low(found["mean_f1"]) or f1 is None or f1 >= POOR or not is_guess(report["objects"]) or "-" in dumps:
        return
    from calipers.suites.dense import check as check_dense

    config = dense_config(report)
    sample = check_dense.few_records(dumps, config.frame, FEW_RECORDS, FEW_OBJECTS)
    yield from better_lines(check_dense.compare_sides(dumps[0], sample, config, fits_far_better).tree())


def _timeline(report: Report, gt: Any, pred: Any) -> Iterator[str]:
    if not is_poor(report["summary"]["frame_accuracy_mean"]) or _bytes(gt) + _bytes(pred) > FEW_BYTES:
        return
    from calipers.suites.timeline import check as check_timeline

    config = timeline_config(report)
    sides = check_timeline.compare_few(gt, pred, config, FEW_VIDEOS, FEW_INTERVALS, fits_far_better)
    yield from better_lines(sides.tree())


def _bytes(given: Any) -> int:
    """How much there is to read: nothing of a value, and more than is wanted of a file elsewhere."""
    from calipers.files.places import is_remote

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


def _scene(report: Report, gt: Any, methods: Mapping[str, Any]) -> Iterator[str]:
    poor = [
        name
        for name, tree in report["methods"].items()
        if is_poor(tree["detection_metrics"]["f1"]) and is_guess(tree["counts"]) and has_common(tree)
    ]
    for name in poor:
        from calipers.suites.scene import check as check_scene

        config = scene_config(report)
        sides = check_scene.compare_few(gt, methods[name], config, FEW_SCENES, FEW_BOXES, fits_far_better)
        yield from better_lines(sides.tree(), name if len(report["methods"]) > 1 else "")


def _coco(report: Report, gt: Any, pred: Any) -> Iterator[str]:
    """By the detections that were measured: data sets are large, and are not read again."""
    from calipers.report import CocoReport

    if not isinstance(report, CocoReport) or report["params"]["iou_type"] != "bbox":
        return
    if is_poor(coco_headline(report)) and is_guess(report["objects"]):
        yield from better_lines(_detections(report.measured.found, _is_yolo(pred)).tree())


def _is_yolo(pred: Any) -> bool:
    from calipers.results.check_kinds import YOLO, find_kind

    return isinstance(pred, (str, os.PathLike)) and os.path.isdir(pred) and YOLO.name in find_kind(pred).name


def _detections(found: Detections, yolo: bool) -> SidesCheck:
    """Detections on the first images that have annotations, as they are and read otherwise."""
    from calipers.core.survey import SidesCheck
    from calipers.suites.coco.check import AP, F1, OVERLAP
    from calipers.suites.coco.config import Config
    from calipers.suites.coco.interpretations import Ground, Rows, coco_trial, has_ap, other_readings, pairs_on_images

    few = _on_few_images(found)
    ground, guess, config = Ground(few, FEW_IMAGES, yolo=yolo), few.pred, Config(bootstrap=0)
    rows = Rows(few.images.ids[guess.image], few.categories.ids[guess.category], guess.box, guess.score, {}, {})
    sides = SidesCheck("", "", AP if has_ap(rows.score, len(few.categories)) else F1, OVERLAP)
    if not len(guess) or pairs_on_images(ground, rows) > FEW_PAIRS:
        return sides
    now = coco_trial(ground, rows, ground.ids(rows), rows.box, config)
    sides.score, sides.overlap = now
    sides.sample = sample_of(len(few.images), None, "images")
    sides.readings = ranked(now, other_readings(ground, rows, config), fits_far_better)
    return sides


def _on_few_images(found: Detections) -> Detections:
    """The first images that have annotations, and what is on them."""
    from calipers.suites.coco.columns import Images

    few = np.flatnonzero(np.diff(found.truth.offsets) > 0)[:FEW_IMAGES]
    images = found.images
    names = [images.names[at] for at in few.tolist()]
    return found._replace(
        images=Images(images.ids[few], names, images.width[few], images.height[few]),
        truth=_rows_on(found.truth, few),
        pred=_rows_on(found.pred, few),
    )


def _rows_on(side: Instances, images: Any) -> Instances:
    """The rows of a side that are on some images (ascending), which are counted anew."""
    from calipers.suites.coco.columns import Instances

    keep = np.isin(side.image, images)
    columns = {
        name: getattr(side, name)[keep] for name in ("category", "box", "area", "crowd", "score", "ids", "place")
    }
    image = np.searchsorted(images, side.image[keep]).astype(np.int32)
    return Instances(image=image, **columns, problems={}, images=len(images))
