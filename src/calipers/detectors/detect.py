"""Running a detector over the images of a ground truth: read -> run -> match classes by name -> results in COCO's form.

    [{"image_id": 1, "category_id": 3, "bbox": [x, y, width, height], "score": 0.87}, …]

Results stand in the order of the images in the ground truth, and by descending score. Boxes are in pixels, to 3
decimals, inside the image; scores have 6 decimals. A model may find nothing; one that finds boxes of which fewer
than 1 in 20 have area inside their images was misread, which is an error.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from hashlib import file_digest, sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson

from calipers.core.config import make_config
from calipers.core.errors import ConfigError, InputError, keyword
from calipers.detectors.image_files import ImageFile, check_pillow, find_files, open_image
from calipers.detectors.model import BoxesFound, Model
from calipers.detectors.names import SHOWN, ClassMapping, listed, match_classes
from calipers.detectors.options import DetectConfig, params
from calipers.detectors.part_file import Entry, PartFile, part_path
from calipers.detectors.targets import read_targets
from calipers.files.inputs import OnProgress
from calipers.files.output import check_free, check_place, write_file

if TYPE_CHECKING:
    from typing import Unpack

    from calipers.detectors.option_types import DetectOptions
    from calipers.suites.coco.source_types import CocoTruth

PIXEL_DECIMALS, SCORE_DECIMALS = 3, 6
FEWEST_GOOD = 20  # of so many boxes at least one has area inside its image, if the model was read as it is meant
HOPELESS = 1000  # boxes without area, of a model that was misread, after which a run does not go on


class Detected(NamedTuple):
    """The detections of a run, and notes about it."""

    results: list[dict[str, Any]]
    images: int
    classes: int  # that are categories too
    counts: dict[str, int]  # good: boxes with area; left_out: of classes without a category; dropped: without area; …
    warnings: list[str]
    notes: list[str]


def detect(
    weights: str | os.PathLike[str],
    images: str | os.PathLike[str],
    gt: CocoTruth,
    output: str | os.PathLike[str] | None = None,
    **options: Unpack[DetectOptions],
) -> list[dict[str, Any]]:
    """Run a detector over the images of a ground truth.

    `calipers.coco(gt, calipers.detect("model.onnx", "images/", gt))` is an evaluation from model to numbers.

    Args:
        weights: An ONNX model, or weights of Ultralytics where that package is installed.
        images: The folder of the images that `gt` lists.
        gt: A COCO file, or what it would hold.
        output: A file that receives the results as JSON. An interrupted run that had one is gone on with.
        **options: Those of `calipers detect`: `imgsz`, `conf`, `iou`, `device`, …

    Returns:
        The detections in COCO's form, as `calipers.coco` takes them as `pred`.

    Raises:
        ConfigError: An option does not exist or has a value that cannot be meant, or a package is missing.
        InputError: The model, the ground truth or an image cannot be read, or the model's output makes no sense.
        OutputError: The results cannot be written.

    Examples:
        >>> detect("model.onnx", "images/", {"images": [], "categories": []}, conf=25)
        Traceback (most recent call last):
        calipers.core.errors.ConfigError: conf: found 25, expected a number from 0 to 1
    """
    return run_detector(weights, images, gt, output, make_config(DetectConfig, options)).results


def run_detector(
    weights: str | os.PathLike[str],
    images: str | os.PathLike[str],
    gt: Any,
    output: str | os.PathLike[str] | None,
    config: DetectConfig,
    *,
    progress: OnProgress | None = None,
) -> Detected:
    """Run a detector over the images of a ground truth; the result has notes beside the detections."""
    path = os.fspath(weights)
    _check_output(output, [path, gt, config.class_names])
    targets = read_targets(gt)
    files = find_files(images, targets.pictures)
    digest = _digest(path)
    model = load_model(path, config)
    matched = match_classes(model.names, targets.categories)
    header = {
        "weights": digest,
        "engine": model.engine,
        "classes": _digest_of(model.names),
        "categories": _digest_of(targets.categories),
        "options": params(config),
    }
    part = PartFile(part_path(output) if output is not None else None, header, restart=config.restart)
    with closing(part):
        entries, counts = _look_at_all(_entries(files, model, matched, part, progress))
        if _is_misread(counts):
            part.remove()  # to go on from there would be no help
            raise InputError(f"{path}: {_misread(counts)}")
        results = [{"image_id": entry["image_id"], **row} for entry in entries for row in entry["detections"]]
        if output is not None:
            write_file(output, to_bytes(results))
        part.remove()
    classes = sum(number is not None for number in matched.categories)
    warnings = [*model.warnings, *_warnings(matched, counts)]
    return Detected(results, len(files), classes, dict(counts), warnings, model.notes)


def load_model(weights: str, config: DetectConfig) -> Model:
    """The model in a file, by the ending of its name."""
    check_pillow()
    if weights.lower().endswith(".onnx"):
        from calipers.detectors.onnx import OnnxModel

        return OnnxModel(weights, config)
    if weights.lower().endswith(".pt"):
        from calipers.detectors.ultralytics import UltralyticsModel

        return UltralyticsModel(weights, config)
    raise ConfigError(f"weights: found {weights!r}, expected a file that ends in .onnx (or .pt, of Ultralytics)")


def _look_at_all(entries: Iterator[Entry]) -> tuple[list[Entry], Counter[str]]:
    """All entries with the sums of their counts, as far as it makes sense to go on."""
    done, counts = [], Counter[str]()
    for entry in entries:
        done.append(entry)
        counts.update(entry["counts"])
        counts["good"] += len(entry["detections"]) + entry["counts"]["left_out"]
        if _is_misread(counts) and counts["dropped"] >= HOPELESS:
            break
    return done, counts


def _is_misread(counts: Counter[str]) -> bool:
    """Whether nearly all boxes have no area, which suggests that the layout was misread."""
    return counts["dropped"] > (FEWEST_GOOD - 1) * counts["good"]


def _misread(counts: Counter[str]) -> str:
    total = counts["good"] + counts["dropped"]
    seen = f"of {total:,} box{'es' if total > 1 else ''} that the model found, {counts['good']:,} have area inside"
    return (
        f"{seen} their image, expected nearly all: is it trained, and is its output one that {keyword('layout')} names?"
    )


def _entries(
    files: list[ImageFile], model: Model, matched: ClassMapping, part: PartFile, progress: OnProgress | None
) -> Iterator[Entry]:
    """What was found on each image; progress is in images."""
    for done, file in enumerate(files, 1):
        yield part.entry(file, partial(_look_at, file, model, matched))
        if progress:
            progress(done, len(files))


def _look_at(file: ImageFile, model: Model, matched: ClassMapping) -> Entry:
    """One image through the model."""
    image, is_unturned = open_image(file)
    boxes = model(image, matched.wanted)
    rows, counts = as_rows(boxes, image.size, matched.categories)
    return {"detections": rows, "counts": {**counts, "unturned": int(is_unturned)}}


def as_rows(
    results: BoxesFound, size: tuple[int, int], categories: list[int | None]
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Boxes clipped to the image, with the categories of their classes; and how many are left out.

    >>> boxes = BoxesFound(np.array([[-2.0, 1, 4, 5], [90, 0, 99, 9]]), np.array([0.9, 0.8]), np.array([0, 0]))
    >>> as_rows(boxes, (80, 60), [7])
    ([{'category_id': 7, 'bbox': [0.0, 1.0, 4.0, 4.0], 'score': 0.9}], {'left_out': 0, 'dropped': 1, 'beyond': 0})
    """
    limits = np.array(size * 2, dtype=np.float64)
    corners = np.round(np.clip(results.boxes, 0.0, limits), PIXEL_DECIMALS) + 0.0  # no -0.0
    sides = np.round(corners[:, 2:] - corners[:, :2], PIXEL_DECIMALS)
    good = (sides > 0).all(axis=1) & np.isfinite(results.boxes).all(axis=1)
    boxes = np.hstack([corners[:, :2], sides])[good].tolist()
    scores = np.round(results.scores[good], SCORE_DECIMALS).tolist()
    ids = [categories[code] for code in results.classes[good].tolist()]
    rows = [
        {"category_id": number, "bbox": box, "score": score}
        for number, box, score in zip(ids, boxes, scores, strict=True)
        if number is not None
    ]
    beyond = int(np.count_nonzero(results.scores > 1))
    return rows, {"left_out": len(ids) - len(rows), "dropped": len(results.scores) - len(ids), "beyond": beyond}


def to_bytes(results: list[dict[str, Any]]) -> bytes:
    """The detections as JSON, one per line."""
    return b"[\n" + b",\n".join(map(orjson.dumps, results)) + b"\n]\n" if results else b"[]\n"


def _check_output(output: str | os.PathLike[str] | None, inputs: list[Any]) -> None:
    """Check before the run that the output can be written."""
    if output is None:
        return
    target = Path(output)
    check_place(str(target))
    for place in (target, part_path(output)):
        check_free(str(place), [entry for entry in inputs if entry is not None])


def _digest(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def _digest_of(value: Any) -> str:
    return sha256(orjson.dumps(value, default=list)).hexdigest()


def _warnings(matched: ClassMapping, counts: Counter[str]) -> list[str]:
    warnings = []
    if matched.strangers:
        names = listed(matched.strangers, SHOWN)
        warnings.append(
            f"classes of the model without a category: {names}; detections left out: {counts['left_out']:,}"
        )
    if matched.unseen:
        warnings.append(f"categories that the model has no class for: {listed(matched.unseen, SHOWN)}")
    if counts["beyond"]:
        logits = f"does the model give logits, or another layout ({keyword('layout')})?"
        warnings.append(f"scores above 1: {counts['beyond']:,}; {logits}")
    if counts["dropped"]:
        warnings.append(f"boxes without area inside their image, dropped: {counts['dropped']:,}")
    if counts["unturned"]:
        warnings.append(f"images with an EXIF orientation that was not applied, as sizes fit: {counts['unturned']:,}")
    return warnings
