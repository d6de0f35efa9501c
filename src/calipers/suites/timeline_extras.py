"""Detections, signs and runtime of videos: overlaps, partners and what they add up to.

An image is a frame of a video. Boxes match by confidence at an IoU of 0.5 within their class; a box that could not be
read matches nothing. A true sign and a predicted text may be partners within a window of frames; with boxes on both
they have to overlap by half and are matched by that, else by their texts.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from typing import Any, NamedTuple

from calipers.kernels.assign import int_column
from calipers.kernels.column import long_column
from calipers.kernels.flatten import ObjectColumns
from calipers.matching import UNIT, Labels, Pairs, by_confidence, optimal, round_overlap
from calipers.metrics.attributes import fixed_similarity
from calipers.metrics.detections import ByClass, Ranked, detection_tree, join
from calipers.records import Box, Extras, Objects, Sign
from calipers.rulers.region import region_iou, region_overlaps
from calipers.tally import mean, ratio

HALF = round_overlap(0.5)
FIELDS = (
    "map_50",
    "precision_at_recall",
    "detection_false_positives_per_minute",
    "ocr_exact_accuracy",
    "ocr_similarity",
    "runtime_fps",
)


class SignCounts(NamedTuple):
    """True signs, those read exactly, and the sum of similarities in units of 1e-12."""

    signs: int
    exact: int
    similarity: int


class Counted(NamedTuple):
    """What the extras of one video add up to; None where they were not given on both sides."""

    classes: ByClass | None
    false_positives: int | None
    signs: SignCounts | None
    runtime: tuple[float, float] | None


def count_extras(extras: Extras, *, score: float, window: int) -> Counted:
    """One video."""
    classes = false_positives = signs = None
    if extras.truth_boxes is not None and extras.pred_boxes is not None:
        classes = rank_boxes(extras.truth_boxes, extras.pred_boxes)
        confident = [box for box in extras.pred_boxes if box.score is None or box.score >= score]
        ranked = rank_boxes(extras.truth_boxes, confident)
        false_positives = sum(found.count(False) for found in (each.found for each in ranked.values()))
    if extras.truth_signs is not None and extras.pred_signs is not None:
        signs = count_signs(extras.truth_signs, extras.pred_signs, window)
    return Counted(classes, false_positives, signs, extras.runtime)


def rank_boxes(truth: list[Box], pred: list[Box]) -> ByClass:
    """For each class its detections, image by image and by score within one, and whether each found its object."""
    truth = sorted(truth, key=lambda box: box.frame)
    pred = sorted(pred, key=lambda box: (box.frame, -(box.score or 0.0)))
    frames = sorted({box.frame for box in (*truth, *pred)})
    descs: dict[str, int] = {}
    sides = _columns(truth, frames, descs), _columns(pred, frames, descs)
    pairs = Pairs.sorted(sides[0], region_overlaps(*sides))
    labels = Labels(sides[0].desc, sides[1].desc)
    matched = by_confidence(pairs, [box.score or 0.0 for box in pred], least=HALF, labels=labels)
    found = set(matched.pred)
    classes: ByClass = {}
    for box in truth:
        classes.setdefault(box.label, Ranked()).objects += 1
    for index, box in enumerate(pred):
        ranked = classes.setdefault(box.label, Ranked())
        ranked.scores.append(box.score)
        ranked.found.append(index in found)
    return classes


def _columns(boxes: list[Box], frames: list[int], descs: dict[str, int]) -> Objects:
    """Boxes in order of frame as objects, a record a frame."""
    columns = ObjectColumns(descs, framed=False)
    by_frame: dict[int, list[dict[str, Any]]] = {frame: [] for frame in frames}
    for box in boxes:
        by_frame[box.frame].append({"type": "bbox_2d", "points": list(box.corners or ()), "desc": box.label})
    for frame in frames:
        columns.add_record(by_frame[frame], False)
    return Objects(columns)


def count_signs(truth: list[Sign], pred: list[Sign], window: int) -> SignCounts:
    """Partners are as many as possible, and of those the most alike."""
    rows = sorted(
        (
            (score, i, j)
            for i, sign in enumerate(truth)
            for j, read in enumerate(pred)
            if abs(sign.frame - read.frame) <= window and (score := _closeness(sign, read))
        ),
        key=lambda row: (-row[0], row[1], row[2]),
    )
    pairs = _pairs(rows)
    matched = optimal(pairs, least=1)
    texts = [(truth[i].text, pred[j].text) for i, j in zip(matched.truth, matched.pred, strict=True)]
    alike = [fixed_similarity(a, b) for a, b in texts]
    return SignCounts(len(truth), sum(units == UNIT for units in alike), sum(alike))


def _pairs(rows: list[tuple[int, int, int]]) -> Pairs:
    scores, truth, pred = ([row[k] for row in rows] for k in range(3))
    return Pairs(int_column(truth), int_column(pred), long_column(scores))


def _closeness(sign: Sign, read: Sign) -> int:
    """In units of 1e-12; 0 is no pair."""
    if sign.corners is None or read.corners is None:
        return fixed_similarity(sign.text, read.text)
    overlap = round_overlap(region_iou(list(sign.corners), list(read.corners)))
    return overlap if overlap >= HALF else 0


def extras_metrics(counted: Counted, minutes: float | None, recall_target: float) -> dict[str, float | None]:
    """The metrics of one video, or of several joined."""
    boxes = detection_tree(counted.classes, recall_target) if counted.classes is not None else {}
    signs, runtime = counted.signs, counted.runtime
    false_positives = counted.false_positives
    return {
        "map_50": boxes.get("map_50"),
        "precision_at_recall": boxes.get("precision_at_recall"),
        "detection_false_positives_per_minute": (
            false_positives / minutes if false_positives is not None and minutes else None
        ),
        "ocr_exact_accuracy": ratio(signs.exact, signs.signs) if signs else None,
        "ocr_similarity": mean(signs.similarity, signs.signs) if signs else None,
        "runtime_fps": runtime[0] / runtime[1] if runtime and runtime[1] > 0 else None,
    }


def join_counted(parts: Iterable[Counted]) -> Counted:
    """Several videos together, in the order of their names."""
    parts = list(parts)
    signs = [part.signs for part in parts if part.signs is not None]
    runtimes = [part.runtime for part in parts if part.runtime is not None]
    classes = [part.classes for part in parts if part.classes is not None]
    return Counted(
        join(classes) if classes else None,
        sum(part.false_positives for part in parts if part.false_positives is not None) if classes else None,
        SignCounts(*(sum(column) for column in zip(*signs, strict=True))) if signs else None,
        _join_runtimes(runtimes) if runtimes else None,
    )


def _join_runtimes(runtimes: list[tuple[float, float]]) -> tuple[float, float]:
    return fsum(frames for frames, _ in runtimes), fsum(seconds for _, seconds in runtimes)
