"""`calipers.match`: partners by a matrix of overlaps, with the matcher of the suites."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np

from calipers.core.errors import ConfigError, InputError, require
from calipers.core.limits import MAX_PAIRS, pairs_allowed, too_many
from calipers.core.matching import UNIT, Labels, Pairs, by_confidence, greedy, optimal, round_overlap
from calipers.core.option_values import threshold as checked_threshold
from calipers.core.option_values import whole

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

HOW = ("greedy", "optimal", "by_score")
NUMBERS = "biuf"  # kinds of arrays


class MatchedPair(NamedTuple):
    """A truth and a prediction that are partners, by their indices, and how far they overlap."""

    gt: int
    pred: int
    overlap: float


class Matching(NamedTuple):
    """Who matches whom: `pairs` by index of the truth, and the indices of those without a partner."""

    pairs: tuple[MatchedPair, ...]
    unmatched_gt: tuple[int, ...]
    unmatched_pred: tuple[int, ...]


class _OneRecord:
    """Objects of one record, as many as a side of the matrix has."""

    def __init__(self, count: int) -> None:
        self.offsets = np.array([0, count], np.int64)

    def __len__(self) -> int:
        return int(self.offsets[1])


def match(
    overlaps: ArrayLike,
    how: Literal["greedy", "optimal", "by_score"] = "greedy",
    *,
    threshold: float = 0.5,
    scores: ArrayLike | None = None,
    gt_labels: Sequence[Hashable] | None = None,
    pred_labels: Sequence[Hashable] | None = None,
    max_pairs: int = MAX_PAIRS,
) -> Matching:
    """Match truths and predictions one to one, as the suites do.

    Overlaps are compared after rounding to 12 decimals, so that equal ones tie and a threshold is met exactly.

    Args:
        overlaps: A matrix (truths, predictions) of numbers from 0 to 1, as the rulers return it.
        how: `greedy` takes the closest pair first, ties by index of the truth, then of the prediction. `optimal` makes
            as many pairs as possible, and of those the largest total overlap. `by_score` goes through predictions by
            descending score, ties by index; each takes the closest truth that is still free.
        threshold: Least overlap of a pair, above 0 and at most 1. A pair that just meets it may match.
        scores: One number for each prediction, for `by_score` alone.
        gt_labels: One label for each truth; only equal labels may match. None is no label, and matches nothing.
        pred_labels: One label for each prediction, together with `gt_labels`.
        max_pairs: How many pairs may meet the threshold; more, and more than 50 for each object, are refused.

    Returns:
        Pairs with their overlap, and the indices of truths and predictions without a partner.

    Raises:
        InputError: `overlaps`, scores or labels are not what they have to be, or there are too many pairs.
        ConfigError: An option has another value, or scores or labels do not go with the others.

    Examples:
        >>> overlaps = [[0.9, 0.8], [0.7, 0.0]]
        >>> match(overlaps).pairs
        (MatchedPair(gt=0, pred=0, overlap=0.9),)
        >>> match(overlaps, "optimal").pairs
        (MatchedPair(gt=0, pred=1, overlap=0.8), MatchedPair(gt=1, pred=0, overlap=0.7))
        >>> match([[0.9, 0.8]], "by_score", scores=[0.2, 0.6])
        Matching(pairs=(MatchedPair(gt=0, pred=1, overlap=0.8),), unmatched_gt=(), unmatched_pred=(0,))
        >>> match(overlaps, gt_labels=["cone", "sign"], pred_labels=["sign", "cone"], threshold=0.75).unmatched_gt
        (1,)
    """
    require(how in HOW, "how", how, " or ".join(HOW))
    min_overlap = round_overlap(checked_threshold("threshold", threshold))
    whole("max_pairs", max_pairs, 0)
    matrix = _matrix(overlaps)
    truth, pred = _OneRecord(matrix.shape[0]), _OneRecord(matrix.shape[1])
    labels = _labels(gt_labels, pred_labels, len(truth), len(pred))
    order = _scores(scores, how, len(pred))
    pairs = _pairs(matrix, truth, min_overlap, max_pairs)
    if order is not None:
        return _matching(by_confidence(pairs, truth, order, min_overlap=min_overlap, labels=labels), truth, pred)
    if how == "greedy":
        return _matching(greedy(pairs, truth, pred, min_overlap=min_overlap, labels=labels), truth, pred)
    return _matching(optimal(pairs, min_overlap=min_overlap, labels=labels), truth, pred)


def _matrix(overlaps: ArrayLike) -> NDArray[np.float64]:
    """Overlaps as numbers; an error names the first that is none."""
    matrix = _numbers("overlaps", overlaps, "a matrix of numbers from 0 to 1")
    if matrix.ndim == 1 and matrix.size == 0:
        return matrix.reshape(0, 0)
    if matrix.ndim != 2:
        raise InputError(f"overlaps: found {matrix.ndim} dimensions, expected 2: truths and predictions")
    bad = np.argwhere(~((matrix >= 0) & (matrix <= 1)))  # also what is no number
    if len(bad):
        row, column = bad[0].tolist()
        raise InputError(f"overlaps[{row}][{column}]: found {matrix[row, column]:g}, expected a number from 0 to 1")
    return matrix


def _numbers(name: str, values: ArrayLike, expected: str) -> NDArray[np.float64]:
    try:
        array = np.asarray(values)
    except ValueError as error:  # rows of different lengths
        raise InputError(f"{name}: found rows of different lengths, expected {expected}") from error
    if array.dtype.kind not in NUMBERS:
        raise InputError(f"{name}: found {values!r:.80}, expected {expected}")
    return array.astype(np.float64)


def _scores(scores: ArrayLike | None, how: str, preds: int) -> NDArray[np.float64] | None:
    if (scores is not None) != (how == "by_score"):
        received = f"scores with {how!r}" if scores is not None else "no scores"
        raise ConfigError(f"scores: found {received}, expected one for each prediction with 'by_score' alone")
    if scores is None:
        return None
    values = _numbers("scores", scores, "one number for each prediction")
    if values.shape != (preds,) or not np.isfinite(values).all():
        raise InputError(f"scores: found {scores!r:.80}, expected {preds} finite numbers, one for each prediction")
    return values


def _labels(
    gt_labels: Sequence[Hashable] | None, pred_labels: Sequence[Hashable] | None, truths: int, preds: int
) -> Labels | None:
    if gt_labels is None and pred_labels is None:
        return None
    if gt_labels is None or pred_labels is None:
        present = "pred_labels" if gt_labels is None else "gt_labels"
        raise ConfigError(f"labels: found {present} alone, expected gt_labels and pred_labels")
    codes: dict[Hashable, int] = {None: -1}
    sides = []
    for name, labels, count in (("gt_labels", gt_labels, truths), ("pred_labels", pred_labels, preds)):
        plain = list(labels)
        if len(plain) != count or not all(isinstance(label, Hashable) for label in plain):
            raise InputError(f"{name}: found {labels!r:.80}, expected {count} labels")
        sides.append([codes.setdefault(label, len(codes) - 1) for label in plain])
    return Labels(*sides)


def _pairs(matrix: NDArray[np.float64], truth: _OneRecord, min_overlap: int, max_pairs: int) -> Pairs:
    """Every pair that meets the threshold, best first."""
    units = np.rint(matrix * UNIT).astype(np.int64)  # (truths, predictions)
    rows, columns = np.nonzero(units >= min_overlap)
    limit = pairs_allowed(max_pairs, sum(matrix.shape))
    if len(rows) > limit:
        raise too_many("overlaps", "pairs that meet the threshold", limit, "max_pairs")
    triple = rows.astype(np.int32), columns.astype(np.int32), units[rows, columns]
    return Pairs.sorted(truth, cast(Any, triple))


def _matching(pairs: Pairs, truth: _OneRecord, pred: _OneRecord) -> Matching:
    rows = sorted(zip(pairs.truth.tolist(), pairs.pred.tolist(), pairs.score.tolist(), strict=True))
    taken = {i for i, _, _ in rows}, {j for _, j, _ in rows}
    free = (
        tuple(k for k in range(len(side)) if k not in used) for side, used in zip((truth, pred), taken, strict=True)
    )
    return Matching(tuple(MatchedPair(i, j, score / UNIT) for i, j, score in rows), *free)
