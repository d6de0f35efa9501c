"""A scale for x and one for y that brings predictions onto the ground truth, the same for all records.

Predictions in pixels of images whose size no record tells: every pair of a true and a predicted object of one type and
one record, in which both have the same proportions, votes for the ratio of their places. Pairs that belong together
vote alike, all others scatter. Few votes decide nothing unless they are exact: a box that is twice as far away and, on
both axes, twice as large is no accident, but some ratio fits any two boxes a little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

FRAME = 1000.0
MAX_OBJECTS = 40  # of a record and a side
MAX_PAIRS = 400_000  # that may vote
ALIKE, EXACT = 0.6, 0.97  # the least that the smaller extent has of the larger, once scaled
CELL = 0.04  # of the logarithm of a ratio, in which votes are counted
NEAR = 0.05  # the same, around the ratio that has most votes
MIN_PLACES, MIN_SHARE = 3, 0.3  # of different true objects that have to agree, and of how many that could
MIN_EXACT = 0.6  # of those that could, where they agree exactly
UNEVEN = 0.1  # the most that the growth of extents may differ from that of places, in the middle of all
STEPS = 4
SMALLEST, LARGEST = 16.0, 100_000.0  # pixels of an image
GRIDS = (1.0, 100.0, 1000.0, 1024.0)  # that have readings of their own, or are none
USUAL = 0.005  # by how much of a usual size a size may be off to be taken for it
SIZES = (
    *((640, 360), (640, 480), (800, 600), (960, 540), (1024, 768), (1280, 720), (1280, 960), (1440, 1080)),
    *((1600, 1200), (1920, 1080), (1920, 1200), (2048, 1536), (2560, 1440), (2592, 1944), (3000, 2000)),
    *((3264, 2448), (3840, 2160), (4000, 3000), (4032, 3024), (4096, 2160), (6000, 4000)),
)


class SampledObjects(NamedTuple):
    """Some objects of one side of a record."""

    kinds: Any  # (objects,) codes of their types
    bounds: Any  # (objects, 4)


class PairVotes(NamedTuple):
    """Pairs of objects that may be the same."""

    owner: Any  # (pairs,) the true object, counted over all records
    truth: Any  # (pairs, 4) bounds
    pred: Any

    def ratio(self) -> Any:
        """(pairs, 2) logarithms of what x and y are multiplied by."""
        return np.log(_middle(self.pred) / _middle(self.truth))


class FittedSize(NamedTuple):
    """An image that predictions would be pixels of."""

    width: int
    height: int


def fitted_size(truth: list[SampledObjects], pred: list[SampledObjects]) -> FittedSize | None:
    """The size that brings predictions in its pixels onto ground truth in norm1000, None if no one size does.

    >>> boxes = np.array([[100, 100, 200, 300], [400, 500, 600, 550], [700, 20, 720, 90.0]])
    >>> seen = boxes * [1.92, 1.08, 1.92, 1.08]
    >>> fitted_size([SampledObjects(np.zeros(3), boxes)], [SampledObjects(np.zeros(3), seen)])
    FittedSize(width=1920, height=1080)
    """
    votes = _votes(truth, pred)
    if not len(votes.owner):
        return None
    agreed = _agreeing(votes)
    could = min(sum(len(objects.kinds) for objects in side) for side in (truth, pred))
    if not _is_evidence(votes, agreed, could):
        return None
    sides = FRAME * _least_squares(votes.truth[agreed], votes.pred[agreed])
    return None if _is_no_image(sides) else _usual(sides)


def _is_evidence(votes: PairVotes, agreed: Any, could: int) -> bool:
    """Whether true objects in several places agree, or most of all agree exactly, and were scaled and not moved."""
    exact = agreed & (_shares(votes.truth, votes.pred) >= EXACT).all(axis=1)
    places = len(np.unique(votes.truth[agreed], axis=0))
    share, exact_share = (len(np.unique(votes.owner[mask])) / could for mask in (agreed, exact))
    growth = np.median(_growth(votes.truth[agreed], votes.pred[agreed]), axis=0)
    if (np.abs(growth - 1) > UNEVEN).any():
        return False
    return (places >= MIN_PLACES and share >= MIN_SHARE) or exact_share >= MIN_EXACT


def _votes(truth: Iterable[SampledObjects], pred: Iterable[SampledObjects]) -> PairVotes:
    """All pairs that vote, of as many records as are allowed together."""
    parts, objects, left = list[PairVotes](), 0, MAX_PAIRS
    for true, guess in zip(truth, pred, strict=True):
        left -= min(len(true.kinds), MAX_OBJECTS) * min(len(guess.kinds), MAX_OBJECTS)
        if left < 0:
            break
        rows, columns = _likely_pairs(true, guess)
        parts.append(PairVotes(rows + objects, true.bounds[rows], guess.bounds[columns]))
        objects += len(true.kinds)
    nothing = PairVotes(np.empty(0, np.int64), np.empty((0, 4)), np.empty((0, 4)))
    return PairVotes(*(np.concatenate(columns) for columns in zip(nothing, *parts, strict=True)))


def _likely_pairs(truth: SampledObjects, pred: SampledObjects) -> tuple[Any, Any]:
    """Pairs of one type whose extents are to each other as their places are, on both axes."""
    true, guess = truth.bounds[:MAX_OBJECTS, None], pred.bounds[None, :MAX_OBJECTS]
    fine = truth.kinds[:MAX_OBJECTS, None] == pred.kinds[None, :MAX_OBJECTS]
    inside = (_middle(true) > 0) & (_middle(guess) > 0)
    rows, columns = np.nonzero(fine & (inside & (_shares(true, guess) >= ALIKE)).all(axis=2))
    return rows, columns


def _shares(truth: Any, pred: Any) -> Any:
    """How much the smaller extent has of the larger on each axis, once both are in the same place; NaN for none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        growth = _growth(truth, pred)
        return np.minimum(growth, 1 / growth)


def _growth(truth: Any, pred: Any) -> Any:
    """By how much more extents have grown than places: 1 where all was scaled, less where all was only moved."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return (_extent(pred) / _extent(truth)) / (_middle(pred) / _middle(truth))


def _middle(bounds: Any) -> Any:
    """Twice the middle of x and of y."""
    return bounds[..., :2] + bounds[..., 2:]


def _extent(bounds: Any) -> Any:
    return bounds[..., 2:] - bounds[..., :2]


def _agreeing(votes: PairVotes) -> Any:
    """(pairs,) those near the ratio that most true objects vote for."""
    ratio = votes.ratio()
    middle = max(_peaks(votes.owner, ratio), key=lambda peak: peak[0])[1]
    for _ in range(STEPS):
        near = (np.abs(ratio - middle) <= NEAR).all(axis=1)
        if not near.any():
            break
        middle = np.median(ratio[near], axis=0)
    return (np.abs(ratio - middle) <= NEAR).all(axis=1)


def _peaks(owner: Any, ratio: Any) -> Iterator[tuple[int, Any]]:
    """Votes of true objects in the fullest cell, and its middle; cells lie in four ways, so that none is cut."""
    for shift in ((0.0, 0.0), (0.0, 0.5), (0.5, 0.0), (0.5, 0.5)):
        cells = np.floor(ratio / CELL + shift).astype(np.int64)
        once = np.unique(np.column_stack([cells, owner]), axis=0)[:, :2]
        bins, counts = np.unique(once, axis=0, return_counts=True)
        best = int(counts.argmax())
        yield int(counts[best]), (bins[best] + 0.5 - shift) * CELL


def _least_squares(truth: Any, pred: Any) -> Any:
    """(2,) what x and y of the truth are multiplied by to come closest to the predictions."""
    ends = [(bounds[:, :2], bounds[:, 2:]) for bounds in (truth, pred)]
    products = sum((true * guess).sum(axis=0) for true, guess in zip(*ends, strict=True))
    return products / sum((true * true).sum(axis=0) for true in ends[0])


def _is_no_image(sides: Any) -> bool:
    """Whether these are no pixels: too few or too many, or a grid that has a name of its own."""
    if not ((sides >= SMALLEST) & (sides <= LARGEST)).all():
        return True
    return any((np.abs(sides / grid - 1) <= 0.02).all() for grid in GRIDS)


def _usual(sides: Any) -> FittedSize:
    """A size that is as good as a usual one, either way up, is taken for it."""
    for size in (either for wide, high in SIZES for either in ((wide, high), (high, wide))):
        if (np.abs(sides / size - 1) <= USUAL).all():
            return FittedSize(*size)
    return FittedSize(round(sides[0]), round(sides[1]))
