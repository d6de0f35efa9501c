"""Detections, signs and runtime of videos: overlaps, partners and what they add up to.

An image is a frame of a video. Boxes match by confidence at an IoU of 0.5 within their class; a box that could not be
read matches nothing. A true sign and a predicted text may be partners within a window of frames: with boxes on both
they have to overlap by half and are as close as that, else they are as close as their texts are alike.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from math import fsum, inf
from typing import Any, NamedTuple, TypeVar

from calipers.kernels import assign
from calipers.kernels.column import long_column
from calipers.kernels.flatten import ObjectColumns
from calipers.matching import UNIT, Labels, Pairs, by_confidence, round_overlap
from calipers.metrics.attributes import fixed_similarity
from calipers.metrics.detections import ByClass, Ranked, count_false_positives, detection_tree, join
from calipers.records import Objects
from calipers.rulers.region import region_iou, region_overlaps
from calipers.tally import mean, ratio
from calipers.videos import Box, Extras, Sign

HALF = 0.5
FIELDS = (
    "map_50",
    "precision_at_recall",
    "precision_at_target",
    "detection_false_positives_per_minute",
    "ocr_exact_accuracy",
    "ocr_similarity",
    "runtime_fps",
)
Placed = TypeVar("Placed", Box, Sign)


class BoxCounts(NamedTuple):
    """Detections by class, those that found nothing though confident, and those that could not be read."""

    classes: ByClass
    false_positives: int
    invalid: int


class SignCounts(NamedTuple):
    """True signs, those read exactly, and the sum of similarities in units of 1e-12."""

    signs: int
    exact: int
    similarity: int


class Counted(NamedTuple):
    """What the extras of one video add up to; None where they were not given on both sides."""

    boxes: BoxCounts | None
    signs: SignCounts | None
    runtime: tuple[float, float] | None


Timed = tuple[Counted, float | None]  # and the minutes of the video, if they are known


def count_extras(extras: Extras, *, score: float, window: int, frames: float = inf) -> Counted:
    """One video. What is not within its frames is left out."""
    boxes = signs = None
    if extras.truth_boxes is not None and extras.pred_boxes is not None:
        boxes = count_boxes(_within(extras.truth_boxes, frames), _within(extras.pred_boxes, frames), score)
    if extras.truth_signs is not None and extras.pred_signs is not None:
        signs = count_signs(_within(extras.truth_signs, frames), _within(extras.pred_signs, frames), window)
    return Counted(boxes, signs, extras.runtime)


def _within(items: list[Placed], frames: float) -> list[Placed]:
    return [item for item in items if item.frame < frames]


# Detections


def count_boxes(truth: list[Box], pred: list[Box], score: float) -> BoxCounts:
    """A box that could not be read is a false positive, and so is one without a score where others have one: it has no
    place in their order. Where no box has a score all of them are taken for certain."""
    scored = any(box.score is not None for box in pred)
    ranked = [box for box in pred if box.score is not None or (box.corners and not scored)]
    classes = rank_boxes(truth, ranked)
    false_positives = count_false_positives(classes, score) + len(pred) - len(ranked)
    invalid = sum(box.corners is None or (scored and box.score is None) for box in pred)
    return BoxCounts(classes, false_positives, invalid)


def rank_boxes(truth: list[Box], pred: list[Box]) -> ByClass:
    """For each class its detections, image by image, and whether each found its object."""
    pred = sorted(pred, key=lambda box: box.frame)
    found = _find_objects(truth, pred)
    labels = dict.fromkeys(box.label for box in (*truth, *pred))
    classes = {label: Ranked() for label in labels}
    for box in truth:
        classes[box.label].objects += 1
    for index, box in enumerate(pred):
        ranked = classes[box.label]
        ranked.scores.append(box.score)
        ranked.found.append(index in found)
    return classes


def _find_objects(truth: list[Box], pred: list[Box]) -> set[int]:
    """Which detections find an object of their class; `pred` is in order of frame."""
    frames = sorted({box.frame for box in (*truth, *pred)})
    codes: dict[str, int] = {}
    sides = _columns(truth, frames, codes), _columns(pred, frames, codes)
    pairs = Pairs.sorted(sides[0], region_overlaps(*sides, least=HALF))
    labels = Labels(sides[0].desc, sides[1].desc)
    # Without a score is certain: what those find must not depend on others below the score that is asked for.
    confidence = [inf if box.score is None else box.score for box in pred]
    found = by_confidence(
        pairs,
        sides[0],
        confidence,
        least=round_overlap(HALF),
        labels=labels,
        last_of_equals=True,  # as pycocotools
    )
    return set(found.pred)


def _columns(boxes: list[Box], frames: list[int], codes: dict[str, int]) -> Objects:
    """Boxes as objects, a record a frame."""
    by_frame: dict[int, list[dict[str, Any]]] = {frame: [] for frame in frames}
    for box in boxes:
        by_frame[box.frame].append({"type": "bbox_2d", "points": list(box.corners or ()), "desc": box.label})
    columns = ObjectColumns(codes, framed=False)
    for objects in by_frame.values():
        columns.add_record(objects, False)
    return Objects(columns)


# Signs


def count_signs(truth: list[Sign], pred: list[Sign], window: int) -> SignCounts:
    """The closest pair first; of those equally close the one of fewer frames apart, then of texts more alike."""
    truth, pred = _by_frame(truth), _by_frame(pred)
    near = _near(truth, pred, window)
    rows = sorted(
        (-closeness, abs(truth[i].frame - pred[j].frame), -_alike(truth[i], pred[j]), i, j)
        for (i, j), closeness in zip(near, _closeness([(truth[i], pred[j]) for i, j in near]), strict=True)
        if closeness
    )
    columns = assign.int_column([row[3] for row in rows]), assign.int_column([row[4] for row in rows])
    pairs = Pairs(*columns, long_column(-row[0] for row in rows))
    matched = Pairs(*assign.greedy(pairs, len(truth), len(pred), 1))
    alike = [_alike(truth[i], pred[j]) for i, j in zip(matched.truth, matched.pred, strict=True)]
    return SignCounts(len(truth), alike.count(UNIT), sum(alike))


def _by_frame(signs: list[Sign]) -> list[Sign]:
    return sorted(signs, key=lambda sign: sign.frame)


def _near(truth: list[Sign], pred: list[Sign], window: int) -> list[tuple[int, int]]:
    """Pairs of indices that are no more than the window apart; both sides are in order of frame."""
    frames = [read.frame for read in pred]
    return [
        (i, j)
        for i, sign in enumerate(truth)
        for j in range(bisect_left(frames, sign.frame - window), bisect_right(frames, sign.frame + window))
    ]


def _closeness(pairs: list[tuple[Sign, Sign]]) -> list[int]:
    """In units of 1e-12; 0 cannot be partners."""
    boxed = [(sign.corners, read.corners) for sign, read in pairs if sign.corners and read.corners]
    overlaps = map(round_overlap, region_iou(*zip(*boxed, strict=True), paired=True).tolist() if boxed else ())
    return [
        _at_least_half(next(overlaps)) if sign.corners and read.corners else _alike(sign, read) for sign, read in pairs
    ]


def _at_least_half(overlap: int) -> int:
    return overlap if overlap >= round_overlap(HALF) else 0


def _alike(sign: Sign, read: Sign) -> int:
    """How alike two texts are, white space apart, in units of 1e-12."""
    return fixed_similarity(sign.text, read.text)


# From counts to metrics


def extras_metrics(videos: list[Timed], recall_target: float) -> dict[str, Any]:
    """The metrics of one video, or of several in the order of their names."""
    boxes = [(counted.boxes, minutes) for counted, minutes in videos if counted.boxes]
    signs = [counted.signs for counted, _ in videos if counted.signs]
    runtimes = [counted.runtime for counted, _ in videos if counted.runtime]
    found: dict[str, Any] = dict.fromkeys(FIELDS)
    if boxes:
        found |= detection_tree(join(counts.classes for counts, _ in boxes), recall_target)
        found["invalid_detections"] = sum(counts.invalid for counts, _ in boxes)
        found["detection_false_positives_per_minute"] = _per_minute(boxes)
    if signs:
        total, exact, similarity = (sum(column) for column in zip(*signs, strict=True))
        found |= {"ocr_exact_accuracy": ratio(exact, total), "ocr_similarity": mean(similarity, total)}
    if runtimes:
        frames, seconds = (fsum(column) for column in zip(*runtimes, strict=True))
        found["runtime_fps"] = frames / seconds
    return found


def _per_minute(boxes: Iterable[tuple[BoxCounts, float | None]]) -> float | None:
    """False positives a minute, over the videos whose minutes are known."""
    known = [(counts.false_positives, minutes) for counts, minutes in boxes if minutes]
    return sum(count for count, _ in known) / fsum(minutes for _, minutes in known) if known else None
