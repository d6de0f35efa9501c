"""What scores are worth as probabilities, and what a cut at a score gives. All at IoU 0.50; undefined is None.

Detections are matched by score within their class, as for AP. Those that are neither right nor wrong and invalid ones
are left out. One that found an object is right, every other wrong, also of a class without ground truth.

bins            equal width: [0, 0.1) … [0.8, 0.9), [0.9, 1]; for each how many, their mean score, their precision
ece             sum over bins of n / all · |mean score - precision|: the expected calibration error
ece_equal_mass  the same over bins that hold a tenth of the detections each: a score goes to the bin after all of the
                nine deciles (interpolated linearly) that are below it, so that equal scores stay together
mce             the largest |mean score - precision| of a bin of equal width
brier           mean of (score - 1 if right, else 0)²
of a class      ece over its own detections; the best F1 and the highest score that gives it, see `best_scores`
operating point all classes together, a detection kept when its score is the given one or above: precision = right /
                kept, recall = right / objects, F1 = 2 right / (objects + kept), and wrong ones for each record (or
                minute) that was measured, also those with nothing in them

Scores that are not all from 0 to 1 are no probabilities: there is a reason instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, pairwise
from math import fsum
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.tally import count_codes, ratio

EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
BINS = len(EDGES) - 1
CUTS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
BLOCK = 1 << 16  # numbers that are Python's at a time

Floats = NDArray[np.float64]
Codes = NDArray[np.int8]


class ScoredHits(NamedTuple):
    """The detections that count, and whether each found an object."""

    score: Floats  # (detections,)
    hit: NDArray[np.bool_]  # (detections,)


class ScoreBin(NamedTuple):
    """Detections with scores near each other."""

    n: int
    score: float | None  # mean
    precision: float | None


NO_SCORES = ScoreBin(0, None, None)


def why_not_calibrated(scores: Floats, place: NDArray[np.int64]) -> str | None:
    """Why scores are no probabilities, if one is missing or not from 0 to 1; `place` is that of each in its list.

    >>> why_not_calibrated(np.array([0.5, 87.5]), np.array([0, 1]))
    '1 of 2 detections have a score outside 0 to 1 (the first is [1], with 87.5)'
    """
    missing, outside = np.isnan(scores), (scores < 0) | (scores > 1)
    if missing.any():
        first = int(place[missing].min())
        return f"{np.count_nonzero(missing):,} of {len(scores):,} detections have no score (the first is [{first}])"
    if outside.any():
        at = int(np.flatnonzero(outside)[np.argmin(place[outside])])
        problem = f"{np.count_nonzero(outside):,} of {len(scores):,} detections have a score outside 0 to 1"
        return f"{problem} (the first is [{int(place[at])}], with {float(scores[at])!r})"
    return None


def equal_width(scores: Floats) -> Codes:
    """The bin of each score among those of equal width.

    >>> equal_width(np.array([0.0, 0.1, 0.3, 0.95, 1.0])).tolist()
    [0, 1, 3, 9, 9]
    """
    return _coded(scores, EDGES[1:-1], "right")


def equal_mass(scores: Floats) -> Codes:
    """The bin of each score among ten that hold equally many, in whole numbers: deciles lie at k (n - 1) / 10.

    >>> equal_mass(np.array([0.1, 0.9, 0.9, 0.2])).tolist()
    [0, 6, 6, 3]
    """
    if not len(scores):
        return np.empty(0, np.int8)
    below = [group * (len(scores) - 1) // BINS for group in range(1, BINS)]  # places in order, of the last scores below
    return _coded(scores, np.partition(scores, below)[below], "left")


def _coded(scores: Floats, edges: Any, side: Literal["left", "right"]) -> Codes:
    """Between which of some edges each score is."""
    codes = np.empty(len(scores), np.int8)
    for first in range(0, len(scores), BLOCK):
        some = slice(first, first + BLOCK)
        codes[some] = np.searchsorted(edges, scores[some], side=side)
    return codes


def binned(hits: ScoredHits, codes: Codes, groups: int) -> list[ScoreBin]:
    """How many detections each group has, their mean score and their precision."""
    counts = count_codes(codes, groups).tolist()
    return [_score_bin(hits, codes == group) if counts[group] else NO_SCORES for group in range(groups)]


def _score_bin(hits: ScoredHits, chosen: NDArray[np.bool_]) -> ScoreBin:
    count = int(np.count_nonzero(chosen))
    return ScoreBin(count, exact_sum(hits.score[chosen]) / count, int(np.count_nonzero(hits.hit[chosen])) / count)


def exact_sum(values: Floats) -> float:
    """The sum, rounded once, of numbers that never are all Python's at a time.

    >>> exact_sum(np.array([1e100, 1.0, -1e100]))
    1.0
    """
    return _sum_of_blocks(values[first : first + BLOCK] for first in range(0, len(values), BLOCK))


def _sum_of_blocks(blocks: Iterable[Floats]) -> float:
    return fsum(chain.from_iterable(block.tolist() for block in blocks))


def calibration_error(bins: list[ScoreBin]) -> float | None:
    """How far scores are from precision on average over detections.

    >>> calibration_error([ScoreBin(3, 0.5, 0.25), ScoreBin(1, 1.0, 0.5), ScoreBin(0, None, None)])
    0.3125
    """
    total = sum(score_bin.n for score_bin in bins)
    return fsum(score_bin.n * gap for score_bin, gap in _gaps(bins)) / total if total else None


def largest_error(bins: list[ScoreBin]) -> float | None:
    """How far scores are from precision in the worst bin."""
    return max((gap for _, gap in _gaps(bins)), default=None)


def _gaps(bins: list[ScoreBin]) -> list[tuple[ScoreBin, float]]:
    return [
        (score_bin, abs(score_bin.score - score_bin.precision))
        for score_bin in bins
        if score_bin.score is not None and score_bin.precision is not None
    ]


def brier_score(hits: ScoredHits) -> float | None:
    """The mean square of what is between a score and 1 for a right, 0 for a wrong detection.

    >>> brier_score(ScoredHits(np.array([0.5, 1.0]), np.array([True, False])))
    0.625
    """
    blocks = (slice(first, first + BLOCK) for first in range(0, len(hits.score), BLOCK))
    total = _sum_of_blocks((hits.score[some] - hits.hit[some]) ** 2 for some in blocks)
    return total / len(hits.score) if len(hits.score) else None


def calibration_tree(hits: ScoredHits) -> dict[str, Any]:
    """All detections together, for the artifact."""
    bins = binned(hits, equal_width(hits.score), BINS)
    return {
        "ece": calibration_error(bins),
        "ece_equal_mass": calibration_error(binned(hits, equal_mass(hits.score), BINS)),
        "mce": largest_error(bins),
        "brier": brier_score(hits),
        "bins": [
            {"from": low, "to": high, **score_bin._asdict()}
            for (low, high), score_bin in zip(pairwise(EDGES), bins, strict=True)
        ],
    }


def operating_points(
    hits: ScoredHits, objects: int, whole: float | None, unit: str = "image"
) -> list[dict[str, float | None]]:
    """What is right and wrong among detections with a score of so much or more, of `whole` images (or another unit).

    >>> hits = ScoredHits(np.array([0.9, 0.5, 0.05]), np.array([True, False, True]))
    >>> operating_points(hits, objects=2, whole=4)[9]  # doctest: +NORMALIZE_WHITESPACE
    {'score': 0.5, 'precision': 0.5, 'recall': 0.5, 'f1': 0.5, 'false_positives_per_image': 0.25}
    """
    kept = [int(np.count_nonzero(hits.score >= cut)) for cut in CUTS]
    right_scores = hits.score[hits.hit]
    right = [int(np.count_nonzero(right_scores >= cut)) for cut in CUTS]
    return [
        {
            "score": cut,
            "precision": ratio(true_positives, some),
            "recall": ratio(true_positives, objects),
            "f1": ratio(2 * true_positives, objects + some),
            f"false_positives_per_{unit}": (some - true_positives) / whole if whole else None,
        }
        for cut, some, true_positives in zip(CUTS, kept, right, strict=True)
    ]
