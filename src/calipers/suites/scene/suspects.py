"""Where annotations of the scene suite may be wrong: its boxes, by class, as the cases of its folders have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from calipers.core.cuboids import Boxes
from calipers.core.limits import MAX_PAIRS, pairs_allowed, too_many
from calipers.core.matching import UNIT
from calipers.core.suspect_objects import LabelPair, Measure, ObjectReader, ObjectRow
from calipers.core.suspect_search import find_object_suspects
from calipers.core.suspects import SuspectRun, SuspectSearch, Tree
from calipers.kernels.scan.boxes import BoxColumns
from calipers.rulers.cuboid import cuboid_overlaps


def find_suspects(runs: list[SuspectRun]) -> SuspectSearch:
    """Suspects among the boxes of scenes."""
    return find_object_suspects(runs, READER)


def object_rows(run: SuspectRun) -> Iterator[ObjectRow]:
    """Every box of a method that counts and has a size."""
    for case in run.cases():
        for side in ("gt", "pred"):
            for box in case[side]:
                index, label, score = box["index"], box["class"], box["score"]
                yield ObjectRow(case["key"], side, index, index, label, score, box.get("cause", "matched"), _shape(box))


def _shape(box: dict[str, Any]) -> dict[str, Any]:
    """A box in the plain form, in which the axes are the columns of a matrix."""
    axes = box["axes"]
    return {"center": box["center"], "size": box["size"], "rotation": [axes[k::3] for k in range(3)]}


def label_pairs(run: SuspectRun) -> Iterator[LabelPair]:
    """Annotations with a box of another class in their place."""
    for case in run.cases():
        for box in case["gt"]:
            if box.get("cause") == "wrong_label" and "error_with" in box:
                pred = case["pred"][box["error_with"]]
                yield LabelPair(case["key"], box["index"], pred["class"], box["error_overlap"], pred["score"])


def measure(tree: Tree) -> Measure:
    """Measures boxes as the result did."""
    return partial(SpaceShapes, iou_mode=tree["params"]["iou_mode"])


class SpaceShapes:
    """Boxes of some scenes in columns; positions count the boxes of all scenes."""

    def __init__(self, records: Sequence[Sequence[Any]], *, iou_mode: str = "obb") -> None:
        raw = BoxColumns()
        for boxes in records:
            raw.add_scene(list(boxes), False)
        self._boxes, self._iou_mode = Boxes(raw), iou_mode

    def families(self) -> list[str]:
        """What each shape can be compared with: all others."""
        return ["box"] * len(self._boxes)

    def sizes(self) -> list[float]:
        """The volume of each box."""
        sides = 2 * np.asarray(self._boxes.half).reshape(-1, 3)
        return [float(volume) for volume in sides[:, 0] * sides[:, 1] * sides[:, 2]]

    def centers(self) -> list[tuple[float, ...]]:
        """The centre of each box."""
        return [tuple(center) for center in np.asarray(self._boxes.center).reshape(-1, 3).tolist()]

    def overlaps(self, other: SpaceShapes, min_overlap: float) -> Iterator[tuple[int, int, float]]:
        """Positions of every two boxes of one scene that overlap so much."""
        max_pairs = pairs_allowed(MAX_PAIRS, len(self._boxes) + len(other._boxes))
        try:
            pairs = cuboid_overlaps(self._boxes, other._boxes, iou_mode=self._iou_mode, max_pairs=max_pairs)
        except OverflowError as error:
            raise too_many("cases", "pairs of boxes that overlap", max_pairs, "max_pairs") from error
        a, b, score = (np.asarray(column) for column in pairs)
        reached = np.flatnonzero(score >= round(min_overlap * UNIT))
        yield from zip(a[reached].tolist(), b[reached].tolist(), (score[reached] / UNIT).tolist(), strict=True)


READER = ObjectReader(object_rows, label_pairs, measure)
