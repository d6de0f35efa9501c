"""Detections, signs and runtime of videos: overlaps, partners and what they add up to.

An image is a frame of a video. Boxes match by confidence at an IoU of 0.5 within their class; a box that could not be
read matches nothing. A true sign and a predicted text may be partners within a window of frames: with boxes on both
they have to overlap by half and are as close as that, else they are as close as their texts are alike.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable
from itertools import accumulate, pairwise
from math import fsum, inf
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from calipers.core.limits import PairBudget
from calipers.core.matching import UNIT, Pairs, by_confidence, round_overlap
from calipers.core.ranking import ByClass, Ranked, count_false_positives, detection_tree, join
from calipers.core.shapes import Objects
from calipers.core.similarity import fixed_similarity, rapidfuzz
from calipers.core.tally import mean, ratio
from calipers.kernels.count import assign
from calipers.kernels.scan.flatten import ObjectColumns
from calipers.rulers.region import region_iou, region_overlaps
from calipers.suites.timeline.columns import Box, Extras, Sign

HALF = 0.5
AT_ONCE = 100_000  # pairs of boxes that are compared at a time
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
Whole = NDArray[np.integer[Any]]


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


class Budgets:
    """How many pairs of detections and of signs all videos may ask for."""

    def __init__(self, videos: Iterable[Extras], max_pairs: int) -> None:
        boxes = signs = 0
        for video in videos:
            boxes += len(video.truth_boxes or ()) + len(video.pred_boxes or ())
            signs += len(video.truth_signs or ()) + len(video.pred_signs or ())
        self.boxes = PairBudget(max_pairs, boxes, "pairs of detections of one class on a frame")
        self.signs = PairBudget(max_pairs, signs, "pairs of signs within the window, 64 characters of each at a time")


def count_extras(
    name: str, extras: Extras, budgets: Budgets, *, score: float, window: int, frames: float = inf
) -> Counted:
    """One video. What is not within its frames is left out."""
    boxes = signs = None
    if extras.truth_boxes is not None and extras.pred_boxes is not None:
        placed = _within(extras.truth_boxes, frames), _within(extras.pred_boxes, frames)
        budgets.boxes.spend(_box_pairs(*placed), name)
        boxes = count_boxes(*placed, score)
    if extras.truth_signs is not None and extras.pred_signs is not None:
        read = _by_frame(_within(extras.truth_signs, frames)), _by_frame(_within(extras.pred_signs, frames))
        budgets.signs.spend(_sign_pairs(*read, window), name)
        signs = count_signs(*read, window)
    return Counted(boxes, signs, extras.runtime)


def _within(items: list[Placed], frames: float) -> list[Placed]:
    return [item for item in items if item.frame < frames]


# Detections


def _box_pairs(truth: list[Box], pred: list[Box]) -> int:
    """How many pairs of one class stand on one frame."""
    times = Counter((box.frame, box.label) for box in truth)
    return sum(times[box.frame, box.label] for box in pred)


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
    """For each class its detections, image by image, and whether each found its object, with what overlap."""
    pred = sorted(pred, key=lambda box: box.frame)
    fits = _find_objects(truth, pred)
    labels = dict.fromkeys(box.label for box in (*truth, *pred))
    classes = {label: Ranked() for label in labels}
    for box in truth:
        classes[box.label].objects += 1
    for index, box in enumerate(pred):
        classes[box.label].add(box.score, index in fits, box.corners is not None, fits.get(index, 0.0))
    return classes


def _find_objects(truth: list[Box], pred: list[Box]) -> dict[int, float]:
    """Which detections find an object of their class, and their overlap with it; `pred` is in order of frame."""
    groups = sorted({(box.frame, box.label) for box in (*truth, *pred)})
    sides = _columns(truth, groups), _columns(pred, groups)
    pairs = Pairs.sorted(sides[0].objects, region_overlaps(sides[0].objects, sides[1].objects, min_overlap=HALF))
    # Without a score is certain: what those find must not depend on others below the score that is asked for.
    confidence = [inf if pred[place].score is None else pred[place].score for place in sides[1].places]
    matching = by_confidence(
        pairs,
        sides[0].objects,
        confidence,
        min_overlap=round_overlap(HALF),
        last_of_equals=True,  # as pycocotools
    )
    matched = zip(np.asarray(matching.pred).tolist(), (np.asarray(matching.score) / UNIT).tolist(), strict=True)
    return {sides[1].places[row]: overlap for row, overlap in matched}


class Grouped(NamedTuple):
    """Boxes as objects, a record for each class of a frame, and where each was in its list."""

    objects: Objects
    places: list[int]


def _columns(boxes: list[Box], groups: list[tuple[int, str]]) -> Grouped:
    by_group: dict[tuple[int, str], list[int]] = {group: [] for group in groups}
    for place, box in enumerate(boxes):
        by_group[box.frame, box.label].append(place)
    columns = ObjectColumns({}, framed=False)
    for places in by_group.values():
        objects = [{"type": "bbox_2d", "points": list(boxes[place].corners or ()), "desc": ""} for place in places]
        columns.add_record(objects, False)
    return Grouped(Objects(columns), [place for places in by_group.values() for place in places])


# Signs


def count_signs(truth: list[Sign], pred: list[Sign], window: int) -> SignCounts:
    """The closest pair first; of those equally close the one of fewer frames apart, then of texts more alike.

    Both sides are in order of frame.
    """
    texts = [["".join(sign.text.split()) for sign in side] for side in (truth, pred)]
    i, j = _near(truth, pred, window)
    alike = _similarities(texts[0], texts[1], i, j)
    close = _closeness(truth, pred, i, j, alike)
    frames = [np.array([sign.frame for sign in side], dtype=np.int64) for side in (truth, pred)]
    kept = np.flatnonzero(close)
    order = kept[
        np.lexsort((j[kept], i[kept], -alike[kept], abs(frames[0][i[kept]] - frames[1][j[kept]]), -close[kept]))
    ]
    pairs = Pairs(i[order], j[order], close[order])
    matched = assign.greedy(pairs, len(truth), len(pred), 1)
    partners = zip(*(np.asarray(column).tolist() for column in matched[:2]), strict=True)
    similarities = [fixed_similarity(texts[0][a], texts[1][b]) for a, b in partners]
    return SignCounts(len(truth), similarities.count(UNIT), sum(similarities))


def _by_frame(signs: list[Sign]) -> list[Sign]:
    return sorted(signs, key=lambda sign: sign.frame)


def _windows(truth: list[Sign], pred: list[Sign], window: int) -> list[tuple[int, int]]:
    """For each true sign the first predicted one no more than the window away, and the first one after those."""
    frames = [read.frame for read in pred]
    return [(bisect_left(frames, sign.frame - window), bisect_right(frames, sign.frame + window)) for sign in truth]


def _sign_pairs(truth: list[Sign], pred: list[Sign], window: int) -> int:
    """How many pairs are within the window; a text counts once for each 64 characters, a box twice."""
    passed = [0, *accumulate(map(_weight, pred))]
    ends = _windows(truth, pred, window)
    return sum(_weight(sign) * (passed[end] - passed[start]) for sign, (start, end) in zip(truth, ends, strict=True))


def _weight(sign: Sign) -> int:
    return 1 + len(sign.text) // 64 + (2 if sign.corners else 0)


def _near(truth: list[Sign], pred: list[Sign], window: int) -> tuple[Whole, Whole]:
    """Pairs of indices that are no more than the window apart."""
    ends = _windows(truth, pred, window)
    i = np.repeat(np.arange(len(truth), dtype=np.int32), [end - start for start, end in ends])
    j = [np.arange(start, end, dtype=np.int32) for start, end in ends]
    return i, np.concatenate([np.empty(0, np.int32), *j])


def _similarities(truth: list[str], pred: list[str], i: Whole, j: Whole) -> Whole:
    """How alike the texts of some pairs are, as `fixed_similarity` has it; pairs come sign by sign."""
    distance, cdist = rapidfuzz().distance.Levenshtein.distance, rapidfuzz().process.cdist
    similarity = np.empty(len(i), dtype=np.int64)
    ends = np.searchsorted(i, np.arange(len(truth) + 1)).tolist()
    for sign, (start, end) in enumerate(pairwise(ends)):
        texts = [pred[place] for place in j[start:end].tolist()]
        if texts:
            edits = cdist([truth[sign]], texts, scorer=distance, dtype=np.int32)[0]
            longer = np.maximum(1, [max(len(truth[sign]), len(text)) for text in texts])
            similarity[start:end] = np.rint((1 - edits / longer) * UNIT)
    return similarity


def _closeness(truth: list[Sign], pred: list[Sign], i: Whole, j: Whole, alike: Whole) -> Whole:
    """In units of 1e-12; 0 cannot be partners."""
    boxed = [np.array([sign.corners is not None for sign in side], dtype=bool) for side in (truth, pred)]
    rows = np.flatnonzero(boxed[0][i] & boxed[1][j])
    close = alike.copy()
    for some in np.array_split(rows, len(rows) // AT_ONCE + 1) if len(rows) else ():
        a, b = [truth[k].corners for k in i[some].tolist()], [pred[k].corners for k in j[some].tolist()]
        overlap = np.array([round_overlap(value) for value in region_iou(a, b, paired=True).tolist()], dtype=np.int64)
        close[some] = np.where(overlap >= round_overlap(HALF), overlap, 0)
    return close


# From counts to metrics


def extras_metrics(videos: list[Timed], recall_target: float) -> dict[str, Any]:
    """The metrics of one video, or of several in the order of their names."""
    boxes = [(counted.boxes, minutes) for counted, minutes in videos if counted.boxes]
    signs = [counted.signs for counted, _ in videos if counted.signs]
    runtimes = [counted.runtime for counted, _ in videos if counted.runtime]
    metrics: dict[str, Any] = dict.fromkeys(FIELDS)
    if boxes:
        metrics["detection_false_positives_per_minute"] = _per_minute(boxes)
        metrics |= detection_tree(join(counts.classes for counts, _ in boxes), recall_target)
        metrics["invalid_detections"] = sum(counts.invalid for counts, _ in boxes)
    if signs:
        total, exact, similarity = (sum(column) for column in zip(*signs, strict=True))
        metrics |= {"ocr_exact_accuracy": ratio(exact, total), "ocr_similarity": mean(similarity, total)}
    if runtimes:
        frames, seconds = (fsum(column) for column in zip(*runtimes, strict=True))
        metrics["runtime_fps"] = frames / seconds
    return metrics


def _per_minute(boxes: Iterable[tuple[BoxCounts, float | None]]) -> float | None:
    """False positives a minute, over the videos whose minutes are known."""
    known = [(counts.false_positives, minutes) for counts, minutes in boxes if minutes]
    return sum(count for count, _ in known) / fsum(minutes for _, minutes in known) if known else None
