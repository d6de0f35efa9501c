"""Labels of shapes: whether partners have the same, and what a verdict says of those that do not.

A label is a text, or a whole number, without white space around it. Asked for `exact` labels, only shapes of the same
label are partners, and each of the reference has to have one; a shape of the answer without a label is partner of none.
"""

from __future__ import annotations

from array import array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from calipers.judge.rulers import ShapesOfSides

    Labels = list[str | None]


def same_label(triple: Any, truth: Labels, pred: Labels) -> Any:
    """Those pairs whose shapes have the same label: columns of truth, pred and overlap.

    >>> columns = array("i", [0, 0]), array("i", [0, 1]), array("q", [9, 5])
    >>> [column.tolist() for column in same_label(columns, ["nut"], ["screw", "nut"])]
    [[0], [1], [5]]
    """
    pairs = [(i, j, iou) for i, j, iou in zip(*triple, strict=True) if truth[i] == pred[j]]
    return tuple(array(code, column) for code, column in zip("iiq", _columns(pairs), strict=True))


def _columns(rows: list[tuple[int, int, int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(zip(*rows, strict=True)) if rows else ((), (), ())


def unlabelled(labels: Labels | None, count: int, kind: str) -> str | None:
    """Why a reference cannot be compared by labels, if it cannot."""
    if labels is None and count:
        return f"reference: no labels found, expected one for each {kind} with labels=exact"
    place = next((place for place, label in enumerate(labels or ()) if label is None), None)
    return None if place is None else f"reference: {kind} {place}: no label found, expected one with labels=exact"


def mismatches(rows: list[tuple[int, int, float]], sides: ShapesOfSides) -> list[dict[str, Any]]:
    """Matched pairs whose labels are both known and differ."""
    truth, pred = sides.truth_labels, sides.pred_labels
    if truth is None or pred is None:
        return []
    labels = [(i, j, truth[i], pred[j]) for i, j, _ in rows]
    return [
        {"gt": i, "pred": j, "gt_label": expected, "pred_label": label}
        for i, j, expected, label in labels
        if expected is not None and label is not None and expected != label
    ]


def ignored_note(differing: list[dict[str, Any]], pairs: int) -> str:
    """A note on labels that differ and were ignored.

    >>> ignored_note([{"gt_label": "screw", "pred_label": "nut"}], 2)
    "labels were ignored: 'nut' for 'screw' (1 of 2 pairs; labels=exact would count it)"
    """
    first = differing[0]
    extent = f"{len(differing)} of {pairs} pair{'s' * (pairs != 1)}; labels=exact would count "
    extent += "it" if len(differing) == 1 else "them"
    return f"labels were ignored: {shortened(first['pred_label'])} for {shortened(first['gt_label'])} ({extent})"


def shortened(label: str) -> str:
    """A label in quotes, however long it is."""
    return repr(label if len(label) <= 40 else label[:40] + "…")
