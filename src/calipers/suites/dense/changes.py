"""Which objects of a dense result have no partner, for comparisons: in category mode, else in the last one reported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from calipers.core.changes import NOTHING, Cells, ChangedObjects, Failures, MatchRows, Tree, number_in, text_in


def failures(tree: Tree, rows: MatchRows, groups: Mapping[str, str]) -> Failures | None:
    """Objects without a partner, from the table of matches."""
    modes = tree["params"]["modes"]
    mode = "category" if "category" in modes else modes[-1]
    table = rows(f"{mode}_partner", "side", "key", "index", "type", "category", may_skip="matched")
    return None if table is None else _failures(table)


def _failures(table: Iterable[Cells]) -> Failures:
    unmatched = Failures()
    for partner, side, key, index, kind, label in table:
        if partner not in NOTHING:
            continue
        if side == "gt":
            unmatched.missed[text_in(key), number_in(index), text_in(kind), text_in(label)] += 1
        else:
            unmatched.false[text_in(key),] += 1
    return unmatched


CHANGED = ChangedObjects(
    ("record", "index", "type", "label"), ("record",), failures, "the place in the ground truth of the record, from 0"
)
