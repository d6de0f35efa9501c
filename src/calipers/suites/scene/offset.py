"""A constant offset between predicted and true boxes, as a frame with another origin makes it.

Every pair of a true and a predicted box of one label in one scene votes for the difference of their centres. Pairs that
belong together agree, whatever the offset is, and all others are scattered; so the place where most votes lie within
half the size of a usual box is the offset, and the middle of these votes its amount. Where no label is on both sides,
all pairs of a scene vote. A few boxes agree on something by chance; then there is no offset.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from calipers.core.survey import is_number
from calipers.core.words import normalise

Scenes = dict[str, list[Any]]  # objects in the plain form, by scene
MAX_VOTES = 10_000
MAX_IN_GROUP = 100  # boxes of a side
MIN_VOTES, MIN_SHARE = 3, 0.4  # pairs that have to agree, and of those that may
TRIED = 5  # cells with most votes
LARGEST, WIDE = 1e6, 1 << 21  # cells to either side, and from one row of them to the next
UNTURNED = np.eye(3)


class Offset(NamedTuple):
    """What has to be added to predicted centres, how many pairs of boxes vote for it, and within which distance."""

    by: tuple[float, float, float]
    votes: int
    within: float

    @property
    def length(self) -> float:
        """The length of the offset in metres."""
        return float(np.linalg.norm(self.by))

    @property
    def is_far(self) -> bool:
        """Whether the offset is larger than single boxes may be misplaced by."""
        return self.length > self.within

    @property
    def name(self) -> str:
        """The offset in words, with the amount along each axis."""
        return f"every centre moved by {', '.join(map(metres, self.by))} m"

    @property
    def advice(self) -> str:
        """Advice on how to remove the offset."""
        return "bring both sides into one frame"


def metres(value: float) -> str:
    """A signed amount to the centimetre.

    >>> metres(1.5), metres(-0.25), metres(-0.001)
    ('+1.50', '-0.25', '0.00')
    """
    return f"{value:+.2f}" if abs(value) >= 0.005 else "0.00"


class CenterVotes:
    """Centres of both sides, grouped so that pairs of a group vote: by scene and label, or by scene alone."""

    def __init__(self, truth: Scenes, pred: Scenes) -> None:
        self._within = (typical_size(truth) or 0.0) / 2
        self._groups = _groups(truth, pred, labelled=True) or _groups(truth, pred, labelled=False)
        self._max_right = sum(min(len(true), len(guess)) for true, guess in self._groups)  # pairs that may be right

    def offset(self, axes: Any = UNTURNED) -> Offset | None:
        """The offset that most pairs agree on if predicted centres are multiplied by a matrix; None if too few do.

        >>> places = {"bed": [0.0, 0.0, 0.5], "desk": [4.0, 1.0, 0.5], "lamp": [2.0, 3.0, 2.0]}
        >>> here = {"room": [{"label": each, "center": [*at], "size": [1, 1, 1]} for each, at in places.items()]}
        >>> there = {"room": [{**box, "center": [box["center"][0] + 7, *box["center"][1:]]} for box in here["room"]]}
        >>> CenterVotes(here, there).offset()
        Offset(by=(-7.0, 0.0, 0.0), votes=3, within=0.5)
        >>> CenterVotes(here, {"room": there["room"][:2]}).offset()
        """
        if not self._groups or not self._within:
            return None
        votes = [(true[:, None] - (guess @ axes.T)[None]).reshape(-1, 3) for true, guess in self._groups]
        densest = _densest(np.concatenate(votes), self._within)
        return densest if densest.votes >= max(MIN_VOTES, MIN_SHARE * self._max_right) else None


def typical_size(objects: Scenes) -> float | None:
    """The middle of all sides of all boxes; None without any."""
    sizes = [side for _, box in _boxes(objects, objects) for side in box["size"]]
    middle = float(np.median(np.array(sizes, dtype=np.float64))) if sizes else 0.0
    return middle if middle > 0 else None


def _boxes(objects: Scenes, scenes: Scenes) -> Iterator[tuple[str, dict[str, Any]]]:
    """Boxes with a centre and a size, of some scenes."""
    for name, items in objects.items():
        for item in items if name in scenes else ():
            if isinstance(item, dict) and all(_is_triple(item.get(key)) for key in ("center", "size")):
                yield name, item


def _is_triple(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 3 and all(map(is_number, value))


def _groups(truth: Scenes, pred: Scenes, *, labelled: bool) -> list[tuple[Any, Any]]:
    """Centres of both sides that are in one group, the smallest groups first, and no more of them than may vote."""
    truth_centers, pred_centers = (_centers(side, truth, labelled) for side in (truth, pred))
    votes = {key: len(truth_centers[key]) * len(pred_centers[key]) for key in truth_centers.keys() & pred_centers}
    groups, room = list[tuple[Any, Any]](), MAX_VOTES
    for key in sorted(votes, key=lambda key: (votes[key], key)):
        room -= votes[key]
        if room < 0 and groups:
            break
        true, guess = (np.array(side[key][:MAX_IN_GROUP], dtype=np.float64) for side in (truth_centers, pred_centers))
        groups.append((true, guess))
    return groups


def _centers(objects: Scenes, scenes: Scenes, labelled: bool) -> dict[tuple[str, str], list[Any]]:
    """Centres by scene, and by label if wanted."""
    centers: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for scene, box in _boxes(objects, scenes):
        label = normalise(box["label"]) if labelled and isinstance(box.get("label"), str) else ""
        if label or not labelled:
            centers[scene, label].append(box["center"])
    return centers


def _densest(votes: Any, within: float) -> Offset:
    """The place that most votes are near to, beginning at the fullest cells of a grid."""
    x, y, z = np.floor(np.clip(votes / within, -LARGEST, LARGEST)).astype(np.int64).T
    cells = (x * WIDE + y) * WIDE + z
    numbers, counts = np.unique(cells, return_counts=True)
    best = Offset((0.0, 0.0, 0.0), 0, within)
    for at in np.argsort(-counts, kind="stable")[:TRIED]:
        middle = np.median(votes[cells == numbers[at]], axis=0)
        for _ in range(2):
            near = (abs(votes - middle) <= within).all(axis=1)
            middle = np.median(votes[near], axis=0) if near.any() else middle
        if int(near.sum()) > best.votes:
            best = Offset(tuple(np.round(middle, 4).tolist()), int(near.sum()), within)
    return best
