"""Which events of videos have no partner, for comparisons. Transitions are left out: they come and go with a frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from calipers.core.changes import NOTHING, Cells, ChangedObjects, Failures, MatchRows, Tree, number_in, text_in


def failures(tree: Tree, rows: MatchRows, groups: Mapping[str, str]) -> Failures | None:
    """Events without a partner, from the table of matches."""
    table = rows("gt_start", "pred_start", "video", "kind", "state", "gt_end")
    return None if table is None else _failures(table)


def _failures(table: Iterable[Cells]) -> Failures:
    unmatched = Failures()
    for start, predicted, video, kind, state, end in table:
        if kind == "transition":
            continue
        if start in NOTHING:
            unmatched.false[text_in(video), kind] += 1
        elif predicted in NOTHING:
            unmatched.missed[text_in(video), kind, text_in(state), number_in(start), number_in(end)] += 1
    return unmatched


CHANGED = ChangedObjects(("record", "kind", "state", "start", "end"), ("record", "kind"), failures)
