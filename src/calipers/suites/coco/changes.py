"""Which annotations and detections have no partner, for comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from calipers.core.changes import NOTHING, Cells, ChangedObjects, Failures, MatchRows, Tree, number_in, text_in

NOT_COUNTED = ("crowd", "not_labelled", "in_crowd", "below_min_score")


def failures(tree: Tree, rows: MatchRows, groups: Mapping[str, str]) -> Failures | None:
    """Objects without a partner, from the table of matches."""
    table = rows("partner", "cause", "side", "image", "index", "category", may_skip="matched")
    return None if table is None else _failures(table)


def _failures(table: Iterable[Cells]) -> Failures:
    unmatched = Failures()
    for partner, cause, side, image, index, label in table:
        if partner not in NOTHING or cause in NOT_COUNTED:
            continue
        if side == "gt":
            unmatched.missed[text_in(image), number_in(index), text_in(label)] += 1
        else:
            unmatched.false[text_in(image),] += 1
    return unmatched


CHANGED = ChangedObjects(
    ("record", "index", "label"), ("record",), failures, "the place in the whole ground truth, over all images, from 0"
)
